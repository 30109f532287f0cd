//===- IndexBuilder.h - Addresses of kernels --------------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_INDEXBUILDER_H
#define ONNXC_LIB_SCHEDULE_INDEXBUILDER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

namespace onnxc {

/// Index arithmetic that folds what is known.
struct IndexBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::OpFoldResult constant(int64_t x) { return b.getIndexAttr(x); }
  mlir::Value value(mlir::OpFoldResult x);
  mlir::OpFoldResult add(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult sub(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult mul(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult mul(mlir::OpFoldResult x, int64_t y) {
    return mul(x, constant(y));
  }
  mlir::OpFoldResult min(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult max(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Signed, rounded up; `y` is positive.
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult x, int64_t y);
  /// Signed, rounded down; `y` is positive.
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult x, int64_t y);
};

inline bool isIndex(mlir::OpFoldResult x, int64_t value) {
  return mlir::getConstantIntValue(x) == value;
}

/// A buffer seen as one-dimensional, and how far a step in each of its
/// dimensions moves in it.
struct FlatBuffer {
  mlir::Value memory;
  mlir::Type element;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
};
FlatBuffer flatten(IndexBuilder &index, mlir::Value buffer);

using CarriedBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpFoldResult, mlir::ValueRange)>;

/// `scf.for` that carries values; no loop where there is just one step or none.
llvm::SmallVector<mlir::Value>
carryLoop(IndexBuilder &index, mlir::OpFoldResult from, mlir::OpFoldResult to,
          int64_t step, mlir::ValueRange carried, CarriedBody body);

/// `scf.forall` from 0 to `extents`; those that are 1 are left out, and `body`
/// gets 0 for them. `work` estimates the cycles of one iteration (0: unknown).
/// Iterations have to be independent of each other.
void parallelLoop(
    IndexBuilder &index, llvm::ArrayRef<mlir::OpFoldResult> extents,
    int64_t work,
    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult>)> body);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_INDEXBUILDER_H
