//===- Emit.h - From the llvm dialect to files ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last stage: a module of the llvm dialect becomes a shared object, an
// object, an archive, a WebAssembly module, assembly or LLVM IR, and a C
// header.
//
// The module carries what the file has to know besides its code:
//   onnxc.signature  names, element types and dimensions of inputs and outputs
//   onnxc.weights    [{offset, value}]: the bytes of @onnxc_weights
//   onnxc.workspace  bytes of memory that each context needs
//   onnxc.regions    [{kind, locations}]: what a profile tells apart, if the
//                    code notes when each region runs
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EMIT_EMIT_H
#define ONNXC_EMIT_EMIT_H

#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace onnxc {

/// What emitModule writes.
enum class EmitKind {
  SharedObject,
  /// A program for Linux that runs the model on numpy's files.
  Program,
  Object,
  Archive,
  Assembly,
  LLVMIR,
  /// A WebAssembly module, its loader and the loader's types.
  WebAssembly
};

/// Seconds that LLVM took; of parts that are made side by side, the sum.
struct EmitTimes {
  double optimize = 0, codegen = 0, link = 0;
};

struct EmitOptions {
  EmitKind kind = EmitKind::SharedObject;

  /// Where it goes. Other files are written next to it, and all get their
  /// names at the very end: a failure leaves nothing behind.
  std::string outputPath;

  /// First part of every symbol that the file defines. Empty: from the path.
  std::string prefix;

  /// 0 keeps the order of floating-point operations; from 1 on they may be
  /// contracted (fma) and sums reassociated.
  unsigned optLevel = 1;

  /// The names of the levels, where there are several.
  std::vector<std::string> levels;

  /// Any algebraic rewriting of floating-point operations.
  bool fastMath = false;

  /// Check every access of the generated code by AddressSanitizer. The program
  /// that loads or links the result brings the sanitizer's runtime.
  bool sanitizeAddress = false;

  /// Write the C header; only for files that a C program links or loads.
  bool header = true;

  /// Have onnxc/runtime.h in the header, so that a program needs no other one.
  bool standaloneHeader = false;

  /// Finds the nodes that functions, and the regions of a profile
  /// (onnxc.regions), are for. Without it they have no names.
  NodeFinder findNode;

  /// How many threads make machine code; 0 for one per core.
  unsigned threads = 0;

  /// Filled with what LLVM took, if not null.
  EmitTimes *times = nullptr;

  /// Filled with what the code of the last level asks of the processor, if not
  /// null.
  std::vector<std::string> *cpuFeatures = nullptr;

  /// Where the header goes. Empty: the output's path with the suffix .h.
  std::string headerPath;
};

/// Whether the kind is what the system's loader takes, with all in it.
inline bool isLinked(EmitKind kind) {
  return kind == EmitKind::SharedObject || kind == EmitKind::Program;
}

/// The kind that a path's suffix stands for (.so .o .obj .a .lib .s .ll .wasm).
std::optional<EmitKind> emitKindFromPath(llvm::StringRef path);

/// Where the C header of an output goes by default: beside it.
std::string headerPathFromOutput(llvm::StringRef path);

/// Where the loader of a WebAssembly module and the loader's types go.
std::vector<std::string> loaderPathsFromOutput(llvm::StringRef path);

/// Whether this onnxc carries the C library that WebAssembly modules need.
bool hasWebAssemblyLibrary();

/// A prefix of symbols from a path's stem: a C identifier.
std::string symbolPrefixFromPath(llvm::StringRef path);

/// Writes the module's files, for its `onnxc.target`. Emits errors at the
/// module's location. The module keeps its meaning, but loses names that only
/// mattered inside.
/// Writes the model whose code is in these modules: one for each level of
/// processors, from the lowest on, of which the last lists the weights of all
/// (onnxc-place-weights).
llvm::LogicalResult emitModule(llvm::ArrayRef<mlir::ModuleOp> levels,
                               const EmitOptions &options);

/// Writes the C header alone, from the attributes of the module: any module
/// that carries onnxc.signature will do. `prefix` may be empty. A `standalone`
/// header includes no other one of onnxc.
llvm::LogicalResult emitHeader(mlir::ModuleOp module, llvm::StringRef path,
                               llvm::StringRef prefix, bool standalone);

} // namespace onnxc

#endif // ONNXC_EMIT_EMIT_H
