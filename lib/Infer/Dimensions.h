//===- Dimensions.h - Dimensions that have a name -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_DIMENSIONS_H
#define ONNXC_LIB_INFER_DIMENSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// On arguments of the entry: a name for each dimension, "" for none.
constexpr llvm::StringLiteral kDimNamesAttr = "onnx.dim_params";

/// A dimension of an input of the model.
struct InputDim {
  unsigned argument;
  unsigned dim;
};

/// The dimensions of inputs that have the name: at least one, or there was an
/// error that tells the names that there are.
mlir::FailureOr<llvm::SmallVector<InputDim>>
findDimension(mlir::func::FuncOp entry, llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_DIMENSIONS_H
