//===- EliminateSliceAfterShape.cpp - Dimensions cut from a shape ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

#include <algorithm>

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATESLICEAFTERSHAPE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// The indices that a slice of `length` elements takes; nullopt where the
/// standard and numpy differ.
static std::optional<SmallVector<int64_t>>
getSliced(int64_t length, int64_t start, int64_t end, int64_t step) {
  if (step == 0)
    return std::nullopt;
  if (start < 0)
    start += length;
  if (end < 0)
    end += length;
  if (step < 0 && start < 0)
    return std::nullopt;
  int64_t first = step > 0 ? 0 : -1;
  start = std::clamp(start, first, length + first);
  end = std::clamp(end, first, length + first);
  SmallVector<int64_t> indices;
  // No step is longer than the shape.
  step = std::clamp(step, -length - 1, length + 1);
  for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
    indices.push_back(i);
  return indices;
}

namespace {
struct FoldSliceOfShape : Rewriting<SliceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> dims = getShapeElements(op.getData());
    if (!dims)
      return rewriter.notifyMatchFailure(op, "not of a shape");
    std::optional<int64_t> start = getInteger(op.getStarts()),
                           end = getInteger(op.getEnds()), axis = 0, step = 1;
    if (op.getAxes())
      axis = getInteger(op.getAxes());
    if (op.getSteps())
      step = getInteger(op.getSteps());
    if (!start || !end || !axis || !step || !normalizeAxis(*axis, 1))
      return rewriter.notifyMatchFailure(op, "what it takes is not known");
    std::optional<SmallVector<int64_t>> indices =
        getSliced(dims->size(), *start, *end, *step);
    if (!indices)
      return rewriter.notifyMatchFailure(op, "no step or start");
    SmallVector<int64_t> taken;
    for (int64_t index : *indices) {
      if ((*dims)[index] < 0)
        return rewriter.notifyMatchFailure(op, "a dimension is not known");
      taken.push_back((*dims)[index]);
    }
    return replaceByConstant(rewriter, op, makeIntegers(op.getContext(), taken),
                             options);
  }
};
} // namespace

namespace {
struct EliminateSliceAfterShape
    : PatternsPass<
          onnxc::impl::EliminateSliceAfterShapeBase<EliminateSliceAfterShape>,
          FoldSliceOfShape> {};
} // namespace
