//===- Slices.h - What slices take ---------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_SLICES_H
#define ONNXC_LIB_OPTIMIZE_SLICES_H

#include "Rewriting.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Movement.h"

namespace onnxc::optimize {

/// What a Slice takes along an axis: from `start`, which is not negative, every
/// `step`-th element before `end`. Where the dim is not known, both may lie
/// behind it.
struct SliceRange {
  int64_t axis, start, end, step;
};

/// The ranges of a Slice whose operands are constants; nullopt if it has a
/// negative step, or a number that counts from an end that is not known.
std::optional<llvm::SmallVector<SliceRange>> getSliceRanges(SliceOp op);

/// Whether the range takes every element along its axis of the value.
bool isWhole(const SliceRange &range, mlir::Value data);

/// The axes of a Slice, counted from the front; nullopt if they are not known.
std::optional<llvm::SmallVector<int64_t>> getSliceAxes(SliceOp op);

/// Constant indices, counted from the front, of a Gather.
struct GatherPicks {
  int64_t axis;
  llvm::SmallVector<int64_t> indices, shape;
};

/// Nullopt if they are not constant, are out of range, or count from an end
/// that is not known.
std::optional<GatherPicks> getGatherPicks(GatherOp op);

/// A Slice before `root`.
mlir::Value makeSlice(mlir::PatternRewriter &rewriter, mlir::Operation *root,
                      mlir::Location loc, mlir::Value data,
                      llvm::ArrayRef<SliceRange> ranges);

/// The lengths of a Split's outputs, as far as they are known: nullopt if one
/// is not.
std::optional<llvm::SmallVector<int64_t>> getSplitLengths(SplitOp op);

/// Constants joined along an axis; null if they have no bytes or do not fit.
mlir::ElementsAttr concatElements(llvm::ArrayRef<mlir::ElementsAttr> parts,
                                  int64_t axis);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_SLICES_H
