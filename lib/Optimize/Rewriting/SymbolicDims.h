//===- SymbolicDims.h - Integers that are dims of tensors ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_SYMBOLICDIMS_H
#define ONNXC_LIB_OPTIMIZE_SYMBOLICDIMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace onnxc::optimize {

/// An integer of a shape computation: known, or the dim of a tensor.
struct SymbolicDim {
  std::optional<int64_t> known;
  /// Null if it is neither.
  mlir::Value tensor;
  int64_t axis = 0;
  /// The name that the model gives to the dim of an input, which has the same
  /// extent wherever it stands.
  mlir::StringAttr symbol;

  bool isTold() const { return known || tensor || symbol; }
  /// Whether both are certainly the same number.
  bool operator==(const SymbolicDim &other) const {
    if (known || other.known)
      return known == other.known;
    if (symbol || other.symbol)
      return symbol == other.symbol;
    return tensor && tensor == other.tensor && axis == other.axis;
  }
};

/// A dim of a ranked tensor, traced to the first tensor that has it.
SymbolicDim getSymbolicDim(mlir::Value tensor, int64_t axis);

/// The elements of an int64 tensor of rank 1 and known length, each as far as
/// it is known; nullopt for other values.
std::optional<llvm::SmallVector<SymbolicDim>>
getSymbolicElements(mlir::Value value);

/// The tensor of equal shape that comes first: seen through ops that give their
/// input's shape.
mlir::Value getShapeSource(mlir::Value tensor);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_SYMBOLICDIMS_H
