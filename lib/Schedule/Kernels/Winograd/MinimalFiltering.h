//===- MinimalFiltering.h - Winograd's short convolutions ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_MINIMALFILTERING_H
#define ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_MINIMALFILTERING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace onnxc::winograd {

using Matrix = llvm::SmallVector<llvm::SmallVector<double>>;

/// The filtering F(m, r) along one axis, which computes m = `outputs` pixels of
/// the result together, of r = `taps` taps: with d the pixels, g the taps and *
/// elementwise,
///
///   result = sums (image d * filter g)
///
/// (Winograd, Arithmetic Complexity of Computations, 1980; Lavin and Gray, Fast
/// Algorithms for Convolutional Neural Networks, 2016.) The products are values
/// of polynomials at 0, some pairs of x and -x, and infinity, and the pairs are
/// chosen for small rounding errors, not for whole numbers in the matrices (but
/// of getWhole()):
/// docs/decisions/029-winograd.md.
struct MinimalFiltering {
  int64_t outputs, taps;
  Matrix image, filter, sums;
  /// Results are so many times as large.
  int64_t multiple = 1;

  /// Products, which is also how many pixels of the image they read.
  int64_t points() const { return outputs + taps - 1; }

  /// F(4, `taps`) for as many taps as kernel.conv can have filtered, and
  /// F(1, 1), which leaves an axis as it is.
  static const MinimalFiltering &get(int64_t taps);

  /// F(4, 3) in whole numbers, the values at 0, 1, -1, 2, -2 and infinity: of
  /// two such axes, pixels of 8 bits become numbers of at most 100 times their
  /// greatest one, weights of at most 144 times theirs, so that 16 bits hold
  /// both.
  static const MinimalFiltering &getWhole();
};

/// Windows of rows and columns, whose axes are filtered alike or differently:
/// tiles of results are sums (image d image^T * filter g filter^T) sums^T, with
/// the matrices of rows on the left. A window of more taps than these is the
/// sum of several ones, the last of which have zeros for missing taps.
struct WindowFiltering {
  const MinimalFiltering &rows, &columns;

  /// Of so many rows and columns of taps.
  static WindowFiltering get(std::pair<int64_t, int64_t> taps) {
    return {MinimalFiltering::get(taps.first),
            MinimalFiltering::get(taps.second)};
  }
  /// Of 3 rows and columns of taps in whole numbers.
  static WindowFiltering getWhole() {
    return {MinimalFiltering::getWhole(), MinimalFiltering::getWhole()};
  }
  /// Products of a tile.
  int64_t places() const { return rows.points() * columns.points(); }
  int64_t taps() const { return rows.taps * columns.taps; }
  /// Results of a tile are so many times as large.
  int64_t multiple() const { return rows.multiple * columns.multiple; }
  /// Pixels of the result of a tile.
  int64_t outputs() const { return rows.outputs * columns.outputs; }

  /// How many times as large the rounding errors of float32 sums of tiles are
  /// as those of the sums that are defined, for one filter of windows in
  /// `channels` channels, of which `depth` are summed up at a time: the ratio
  /// of root mean squares over pixels that are not correlated. `tap(c, k)` is
  /// the weight of tap k, row by row, of channel c. The parts of larger windows
  /// are channels of their own.
  double estimateError(int64_t channels, int64_t depth,
                       llvm::function_ref<double(int64_t, int64_t)> tap) const;
};

/// Emits `matrix` times `values`, vectors of float32, or of integers if the
/// matrix is of whole numbers. What pairs of columns or
/// of rows, which differ in signs only, have in common is computed once.
llvm::SmallVector<mlir::Value> emitProduct(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           const Matrix &matrix,
                                           mlir::ValueRange values);

/// Emits rows * values * columns^T; values are in rows.
llvm::SmallVector<mlir::Value> emitTwice(mlir::OpBuilder &b, mlir::Location loc,
                                         const Matrix &rows,
                                         const Matrix &columns,
                                         mlir::ValueRange values);

/// Emits matrix * values alone.
llvm::SmallVector<mlir::Value> emitColumns(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           const Matrix &matrix,
                                           mlir::ValueRange values);

} // namespace onnxc::winograd

#endif // ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_MINIMALFILTERING_H
