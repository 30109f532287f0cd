//===- FunctionMarks.h - Which functions of the model are as they came ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_FUNCTIONMARKS_H
#define ONNXC_LIB_OPTIMIZE_FUNCTIONMARKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

namespace onnxc::optimize {

/// A function of the model that has the mark `onnx.verbatim` is exported as it
/// came in. Stands around a rewrite, and takes the mark from what it changed.
class FunctionMarks {
public:
  explicit FunctionMarks(mlir::ModuleOp module);
  ~FunctionMarks();
  FunctionMarks(const FunctionMarks &) = delete;
  FunctionMarks &operator=(const FunctionMarks &) = delete;

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::StringAttr, mlir::OperationFingerPrint> prints;
};

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_FUNCTIONMARKS_H
