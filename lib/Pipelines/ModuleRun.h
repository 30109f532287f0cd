//===- ModuleRun.h - Runs of a module in this process --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_MODULERUN_H
#define ONNXC_LIB_PIPELINES_MODULERUN_H

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Npz/Npz.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace onnxc {

/// A module of the onnx dialect, compiled for this machine and loaded.
class ModuleRun {
public:
  /// Errors are diagnostics.
  static llvm::FailureOr<ModuleRun>
  compile(mlir::OwningOpRef<mlir::ModuleOp> module, unsigned threads);

  const onnxc_model &model() const { return loaded->model(); }

  /// One run; the outputs are valid until the next. Inputs that have a default
  /// value may be absent. `source` names the arrays in errors.
  llvm::Expected<llvm::ArrayRef<onnxc_tensor>> run(const NamedArrays &inputs,
                                                   llvm::StringRef source);

private:
  ModuleRun(std::unique_ptr<LoadedModel> loaded, ContextPtr context)
      : loaded(std::move(loaded)), context(std::move(context)) {}

  std::unique_ptr<LoadedModel> loaded;
  ContextPtr context;
  std::vector<onnxc_tensor> outputs;
};

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_MODULERUN_H
