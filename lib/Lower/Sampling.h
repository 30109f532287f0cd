//===- Sampling.h - Values between the elements of a tensor --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resize, GridSample, RoiAlign and DeformConv read tensors at positions that
// are not integers: as sums over products of taps, some per dimension. All of
// this is emitted into scalar bodies.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_SAMPLING_H
#define ONNXC_LIB_LOWER_SAMPLING_H

#include "Lowering.h"

namespace onnxc {

/// The elements of one dimension that a value is made from.
struct Taps {
  /// Floats at first; indices into the dimension when done.
  llvm::SmallVector<mlir::Value> at;
  /// None: the one element counts as it is.
  llvm::SmallVector<mlir::Value> weights;
  /// None, or for each whether it counts; if not, it reads as 0.
  llvm::SmallVector<mlir::Value> counts;
};

/// An index as a float, and back; the float must be in range.
mlir::Value indexToFloat(ScalarBuilder &s, mlir::Value index, mlir::Type type);
mlir::Value floatToIndex(ScalarBuilder &s, mlir::Value number);
mlir::Value sizeAsFloat(Lowering &l, mlir::OpFoldResult size, mlir::Type type);

/// `x` brought into [low, high]; NaN becomes `low`.
mlir::Value clampNumber(ScalarBuilder &s, mlir::Value x, mlir::Value low,
                        mlir::Value high);

/// A float brought into what integers of the type hold; another type's stays. A
/// cubic kernel goes beyond what it is made from.
mlir::Value clampToIntegers(ScalarBuilder &s, mlir::Value x, mlir::Type type,
                            bool isUnsigned);

/// Keys' cubic kernel with the parameter `a`, at the distance d >= 0: near for
/// d <= 1, far for 1 <= d <= 2.
mlir::Value cubicNear(ScalarBuilder &s, mlir::Value d, double a);
mlir::Value cubicFar(ScalarBuilder &s, mlir::Value d, double a);

/// The two taps of linear, the four of cubic interpolation around `position`.
Taps linearTaps(ScalarBuilder &s, mlir::Value position);
Taps cubicTaps(ScalarBuilder &s, mlir::Value position, double a);

/// Makes indices of the positions, brought into a dimension of `size` (a
/// float) elements. With `zerosOutside`, what lies outside reads as 0.
void settleTaps(ScalarBuilder &s, Taps &taps, mlir::Value size,
                bool zerosOutside);

/// The sum over all combinations of taps of `x` at `from`, where `dims[i]` is
/// the dimension that `taps[i]` are for. In `type`; where no taps have weights,
/// the element itself.
mlir::Value sumTaps(ScalarBuilder &s, mlir::Value x,
                    llvm::ArrayRef<mlir::Value> from,
                    llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Taps> taps,
                    mlir::Type type, bool isUnsigned);

/// Taps of all points, [taps, points...], computed once for what many elements
/// are made with: where they lie as integers of 64 bits, what each counts in
/// the type that is computed in, and whether it counts at all.
struct TapTables {
  mlir::Value at;
  /// Null where points have one tap, which counts as it is.
  mlir::Value weights;
  /// Null where all taps count.
  mlir::Value counts;
  int64_t count = 1;
};

/// The tables of points of `shape`, each of which has `count` taps: those that
/// `tapsOf` gives of a point. With `type` null there are no weights.
TapTables tabulateTaps(
    Lowering &l, llvm::ArrayRef<mlir::OpFoldResult> shape, int64_t count,
    mlir::Type type, bool hasCounts,
    llvm::function_ref<Taps(ScalarBuilder &, mlir::ValueRange)> tapsOf);

/// What a structured op of so many loops reads of tables, of the point at the
/// loops `point`.
struct TapOperands {
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;

  void append(const TapTables &tables, unsigned loops,
              llvm::ArrayRef<mlir::AffineExpr> point);
};

/// The taps in the body of that op; takes their arguments from `args`.
Taps readTaps(ScalarBuilder &s, const TapTables &tables,
              mlir::ValueRange &args);

/// What is summed of a tensor by tables, one for each of `dims`; other
/// dimensions are read where the result's element lies.
struct TableSampling {
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<TapTables> tables;
  TapOperands operands;
  /// Sums are computed in `type`; the result is of `element`.
  mlir::Type type, element;
  bool toUnsigned = false;

  /// Adds the table of dimension `dim`, which the point at the loops `point`
  /// of so many is read from.
  void add(int64_t dim, const TapTables &table, unsigned loops,
           llvm::ArrayRef<mlir::AffineExpr> point);
};

/// The sums, of `x`, in a result of these sizes.
mlir::Value sampleByTables(Lowering &l, mlir::Value x,
                           const TableSampling &sampling,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Checks that dimensions `dims` of `x` are not empty, unless the result is:
/// what is read there is brought into the dimension, which must exist.
void checkReadable(Lowering &l, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                   llvm::ArrayRef<mlir::OpFoldResult> result);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_SAMPLING_H
