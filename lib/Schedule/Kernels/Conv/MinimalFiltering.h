//===- MinimalFiltering.h - Winograd's short convolutions ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_MINIMALFILTERING_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_MINIMALFILTERING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace onnxc::conv {

/// Pixels of the result along an axis that are computed together, taps, and
/// products that they take, which is also how many pixels of the image they
/// read.
constexpr int64_t kOutputs = 4, kTaps = 3, kPoints = kOutputs + kTaps - 1;

using Matrix = llvm::SmallVector<llvm::SmallVector<double>>;

/// The filtering F(4, 3): with d the pixels, g the taps and * elementwise,
///
///   result = sums (image d * filter g)
///
/// and twice of it for squares: sums (image d image^T * filter g filter^T)
/// sums^T. (Winograd, Arithmetic Complexity of Computations, 1980; Lavin and
/// Gray, Fast Algorithms for Convolutional Neural Networks, 2016.) The products
/// are values of polynomials at 0, some pairs of x and -x, and infinity, and
/// the pairs are chosen for small rounding errors, not for whole numbers in the
/// matrices: docs/decisions/029-winograd.md.
struct MinimalFiltering {
  Matrix image, filter, sums;

  static const MinimalFiltering &get();

  /// How many times as large the rounding errors of float32 sums of squares are
  /// as those of the sums that are defined, for one filter of 3 x 3 taps in
  /// `channels` channels, of which `depth` are summed up at a time: the ratio
  /// of root mean squares over pixels that are not correlated. `tap(c, k)` is
  /// the weight of tap k of channel c.
  double estimateError(int64_t channels, int64_t depth,
                       llvm::function_ref<double(int64_t, int64_t)> tap) const;
};

/// Emits `matrix` times `values`, vectors of float32. What pairs of columns or
/// of rows, which differ in signs only, have in common is computed once.
llvm::SmallVector<mlir::Value> emitProduct(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           const Matrix &matrix,
                                           mlir::ValueRange values);

/// Emits matrix * square * matrix^T; squares are in rows.
llvm::SmallVector<mlir::Value> emitTwice(mlir::OpBuilder &b, mlir::Location loc,
                                         const Matrix &matrix,
                                         mlir::ValueRange square);

/// Emits matrix * square alone.
llvm::SmallVector<mlir::Value> emitColumns(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           const Matrix &matrix,
                                           mlir::ValueRange square);

} // namespace onnxc::conv

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_MINIMALFILTERING_H
