//===- Dims.h - Which dims are the same ----------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two dims that no type knows may still be known to be equal: both come from
// one dim of one value, or bear the same name in the model's interface.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_DIMS_H
#define ONNXC_LIB_OPTIMIZE_DIMS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace onnxc::optimize {

/// A number, or else the dim `index` of `value` (or, if `isElement`, the
/// element `index` of that shape-like tensor).
struct DimSource {
  std::optional<int64_t> known;
  mlir::Value value;
  int64_t index = 0;
  bool isElement = false;

  bool is(int64_t number) const { return known == number; }
};

/// What dim `index` of a ranked value follows from.
DimSource getDimSource(mlir::Value value, int64_t index);
/// The same of an element of a tensor of integers of rank 0 or 1.
DimSource getElementSource(mlir::Value value, int64_t index);
/// All dims; nullopt if the rank is not known.
std::optional<llvm::SmallVector<DimSource>> getDimSources(mlir::Value value);

/// Whether the two are equal whatever the model is run on.
bool areSameDims(const DimSource &a, const DimSource &b);
/// Whether two values have the same known rank and dim by dim the same shape.
bool areSameShapes(mlir::Value a, mlir::Value b);

/// Whether the integers that the op takes behind its data are computed from
/// shapes and constants alone. Of those that a run brings, only the op itself
/// can say that they do not fit, and must stay for that.
bool hasSureNumbers(mlir::Operation *op);

/// Whether the op's only result differs from its operand 0 in nothing but the
/// shape: Reshape, Squeeze, Unsqueeze, Flatten.
bool isReshape(mlir::Operation *op);

/// perm of a Transpose, of which the attribute may be absent; nullopt if that
/// and the rank are not known.
std::optional<llvm::SmallVector<int64_t>> getPermutation(mlir::Operation *op);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_DIMS_H
