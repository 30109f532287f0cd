//===- IndexMath.h - Index arithmetic that folds -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_INDEXMATH_H
#define ONNXC_SUPPORT_INDEXMATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace onnxc {

/// Index arithmetic, signed, that folds what is known; sums and products of
/// constants saturate.
struct IndexMath {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::OpFoldResult constant(int64_t value) { return b.getIndexAttr(value); }
  mlir::Value value(mlir::OpFoldResult x);
  mlir::OpFoldResult add(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult sub(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult mul(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult mul(mlir::OpFoldResult x, int64_t y) {
    return mul(x, constant(y));
  }
  mlir::OpFoldResult min(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult max(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Rounded up; `y` is positive.
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult x, int64_t y);
  /// Rounded down; `y` is positive.
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult x, int64_t y);
  /// Rounded down and up, of numbers that are not negative; `y` is positive.
  mlir::OpFoldResult quotient(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult quotientUp(mlir::OpFoldResult x, mlir::OpFoldResult y);
};

} // namespace onnxc

#endif // ONNXC_SUPPORT_INDEXMATH_H
