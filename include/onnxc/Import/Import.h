//===- Import.h - From .onnx to the onnx dialect -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trust boundary: whatever a file says, import either gives a module that
// verifies, or reports what is wrong with the file and fails.
//
// What the module holds, besides the ops:
//   module       onnx.ir_version, onnx.opset_imports (the default domain is
//                spelled "ai.onnx"), onnx.model_name, onnx.producer_name, ...;
//                onnx.external_files: where external data was read from
//   entry        func.func @main_graph, attribute onnx.entry; arguments and
//                results have onnx.name and, if any dimension has a symbol,
//                onnx.dim_params; results have the declared onnx.type;
//                onnx.graph has the rest that was said of the graph: declared
//                values, doc strings, annotations
//   functions    private func.func's with onnx.function, one per function and
//                attributes, called by func.call; onnx.verbatim says that the
//                body is still what the FunctionProto says, which the module's
//                onnx.functions keeps. Who changes the body removes it
//   nodes        #onnx.source in their location; initializers are onnx.Constant
//                whose source has op = "Initializer"
//   subgraphs    a region of one block, whose terminator has onnx.graph
//
// What none of this says of a message is kept as the message itself ("proto",
// "header": serialized), so that the exporter can write it as it was.
//
// Weights are dense_resource attributes that point into the mapped file, where
// they may lie at any address: read them with memcpy, not through a typed
// pointer. Large tensors with elements of less than a byte stay packed
// (Dialect/ONNX/PackedElements.h).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_IMPORT_IMPORT_H
#define ONNXC_IMPORT_IMPORT_H

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Support/OptionNumbers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace onnxc {

struct ImportOptions {
  /// A model that has more nodes, with calls of functions counted as what they
  /// call, is refused: a short file can stand for any number of them.
  int64_t maxNodes = defaults::max_nodes;
  /// Subgraphs within subgraphs.
  unsigned maxDepth = defaults::max_depth;
  /// An initializer that is a graph input as well can be overridden by the
  /// caller: make it an argument with the value as `onnx.default`, and not a
  /// constant.
  bool keepDefaults = false;
  /// With keepDefaults: only from IR version 4 on, as ONNX has it. Before,
  /// every initializer had to be an input, and is a constant.
  bool onlyOverridable = false;
  /// With keepDefaults: initializers of these names are constants all the same.
  /// One that is not an input, or no initializer, is an error.
  std::vector<std::string> frozen;
  /// A tensor whose external data is not there is no error, but a resource
  /// without a blob: it has a type, a name, and no elements.
  bool keepMissingData = false;
  /// A fault of the model is reported and does not end the import, so that one
  /// import reports as many as there are. The module then has the attribute
  /// model::holes: `builtin.unrealized_conversion_cast`s without operands
  /// stand for what is not there, and it need not verify.
  bool keepGoing = false;
  /// After so many it ends all the same.
  int64_t maxFaults = defaults::max_faults;
};

/// Reads the model at `path`, and the external data it names. Errors go to the
/// context's diagnostics.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importModelFile(llvm::StringRef path, mlir::MLIRContext *context,
                const ImportOptions &options = {});

/// The same for the serialized model `bytes`, which the module refers to:
/// its holders hold the buffer. `path` is what errors call it, and where
/// external data is looked for.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importModelBuffer(std::shared_ptr<const llvm::MemoryBuffer> bytes,
                  llvm::StringRef path, mlir::MLIRContext *context,
                  const ImportOptions &options = {});

/// Where a model is read from.
struct ModelSource {
  /// Of the file. Of `bytes`: what errors call them; external data is looked
  /// for in its folder.
  std::string path;
  /// The model itself, if it is in memory.
  std::shared_ptr<const llvm::MemoryBuffer> bytes;
};

/// Either of the above.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(const ModelSource &source, mlir::MLIRContext *context,
            const ImportOptions &options = {});

} // namespace onnxc

#endif // ONNXC_IMPORT_IMPORT_H
