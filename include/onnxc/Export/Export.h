//===- Export.h - From the onnx dialect to .onnx -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Writes a module of the onnx dialect as a model. What Import.h says a module
// holds is read here; all of it may be missing, as in IR written by hand.
//
// Ops are written in the form that is in force at the model's opset. Those that
// have another form there must be `onnx.node` already: the pass onnx-downgrade
// sees to it, and `exportModel` of lib/Pipelines runs it first.
//
// Names: the first #onnx.source in an op's location gives the node its name,
// doc string and metadata, and its results their names. If several ops of a
// block have the same one, the last of them gets the names. Graph inputs and
// outputs keep theirs whatever happens; all other names are made unique.
//
// New constants are initializers from IR version 4 on, Constant nodes before.
// Where the Constant of the opset has not their type (below 9, all but floating
// point), they are initializers all the same, and the IR version becomes 4: the
// graph's inputs stay what they are.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EXPORT_EXPORT_H
#define ONNXC_EXPORT_EXPORT_H

#include "onnxc/Support/OptionNumbers.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <string>

namespace onnxc {

struct ExportOptions {
  /// Weights go to this file, beside the model; empty: they stay in the model,
  /// and those that came from another file stay there. A name, without folders;
  /// the file that it names must not be one that the model was read from.
  std::string saveExternal;
  /// Weights of fewer bytes stay in the model.
  uint64_t externalThreshold = defaults::external_threshold;
  /// Raise the model's opset where an op has no form at it; else that is an
  /// error. (Read by exportModel of lib/Pipelines.)
  bool raiseOpset = false;
};

/// Writes the module to `path`; "-" is the standard output. Errors go to the
/// context's diagnostics, and then no file is written or changed.
///
/// A weight that came from a file of external data stays a reference to it if
/// it has not changed, and if the reference holds from where the new model is.
llvm::LogicalResult exportModelFile(mlir::ModuleOp module, llvm::StringRef path,
                                    const ExportOptions &options = {});

/// Puts the serialized ModelProto into `bytes`. References to external data
/// stay as they are; `saveExternal`, if given, must be a path.
llvm::LogicalResult exportModelBytes(mlir::ModuleOp module, std::string &bytes,
                                     const ExportOptions &options = {});

} // namespace onnxc

#endif // ONNXC_EXPORT_EXPORT_H
