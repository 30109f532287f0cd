//===- Folding.h - What folders share ------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_FOLDING_H
#define ONNXC_DIALECT_ONNX_FOLDING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace onnxc {

/// `input` if it has the result's type, else null: for ops that then return it
/// whatever else holds.
inline mlir::Value foldSameType(mlir::Value input, mlir::Value result) {
  return input.getType() == result.getType() ? input : mlir::Value();
}

/// `input` if input and result are known to have equal dims: for ops that keep
/// the elements and their order. One dynamic dim is equal since the number of
/// elements is, provided that no other one is 0.
inline mlir::Value foldSameShape(mlir::Value input, mlir::Value result) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(input.getType());
  if (!type || type != result.getType())
    return {};
  if (type.hasStaticShape())
    return input;
  return type.getNumDynamicDims() == 1 &&
                 !llvm::is_contained(type.getShape(), 0)
             ? input
             : mlir::Value();
}

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_FOLDING_H
