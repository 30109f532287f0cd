//===- PlainLoops.h - Kernels as scalar loops ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel op is defined to compute, element by element, in any
// layout: for forms that there is no vector code for. Nothing here is fast.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_PLAINLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_PLAINLOOPS_H

#include "Kernels/KernelLoops.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace onnxc {

using Extents = llvm::SmallVector<mlir::OpFoldResult>;
using Indices = llvm::SmallVector<mlir::OpFoldResult>;

/// Writes the scalar loops of one kernel at the builder's insertion point.
struct PlainLoops {
  PlainLoops(mlir::OpBuilder &b, kernel::KernelOpInterface op)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op),
        sum(op.getAccumulatorType()) {}

  using Step = llvm::function_ref<mlir::Value(const Indices &, mlir::Value)>;

  /// One loop for each extent, then the body.
  void overPlaces(llvm::ArrayRef<mlir::OpFoldResult> extents,
                  llvm::function_ref<void(const Indices &)> body,
                  Indices at = {});
  /// What the steps make of `start`, one loop for each extent.
  mlir::Value addUp(llvm::ArrayRef<mlir::OpFoldResult> extents,
                    mlir::Value start, Step step, Indices at = {});
  /// The epilogue of one sum, and its result to memory.
  void finish(const Indices &at, mlir::Value value);

  mlir::Value load(mlir::Value from, llvm::ArrayRef<mlir::OpFoldResult> at) {
    return mlir::memref::LoadOp::create(b, loc, from, values(at));
  }
  llvm::SmallVector<mlir::Value> values(llvm::ArrayRef<mlir::OpFoldResult> at) {
    return llvm::map_to_vector(
        at, [&](mlir::OpFoldResult x) { return index.value(x); });
  }
  mlir::OpFoldResult sizeOf(mlir::Value buffer, int64_t dim) {
    return mlir::memref::getMixedSize(b, loc, buffer, dim);
  }
  mlir::OpFoldResult rem(mlir::OpFoldResult x, int64_t y) {
    return index.sub(x, index.mul(index.floorDiv(x, y), y));
  }
  /// The indices that `map` leads to.
  Indices apply(mlir::AffineMap map, llvm::ArrayRef<mlir::OpFoldResult> at) {
    auto expanded = mlir::affine::expandAffineMap(b, loc, map, values(at));
    return Indices(expanded->begin(), expanded->end());
  }
  /// Where the element of a packed operand is that has these coordinates: the
  /// indices, then the place within an element of the operand, if there are
  /// several in one.
  Indices placeOf(mlir::OpOperand &operand,
                  llvm::ArrayRef<mlir::OpFoldResult> coordinates);
  /// As the sum's type.
  mlir::Value extend(mlir::Value value, bool isUnsigned = false);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value carried);
  mlir::Value constant(mlir::TypedAttr value) {
    return mlir::arith::ConstantOp::create(b, loc, value);
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath index;
  kernel::KernelOpInterface op;
  /// The type of the sum.
  mlir::Type sum;
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_PLAINLOOPS_H
