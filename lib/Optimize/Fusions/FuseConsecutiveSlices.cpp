//===- FuseConsecutiveSlices.cpp - A Slice of a Slice is one --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSECONSECUTIVESLICES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// What is taken along an axis, as a Slice says it.
struct SliceRange {
  int64_t axis, start, end, step;
};
} // namespace

static constexpr int64_t farEnd = std::numeric_limits<int64_t>::max();

/// The ranges of a Slice by constants; nullopt if there is more to it.
static std::optional<SmallVector<SliceRange>> getRanges(SliceOp op) {
  std::optional<SmallVector<int64_t>> starts = getIntegers(op.getStarts()),
                                      ends = getIntegers(op.getEnds());
  if (!starts || !ends || starts->size() != ends->size())
    return std::nullopt;
  int64_t count = starts->size();
  std::optional<SmallVector<int64_t>> axes, steps;
  axes = op.getAxes() ? getIntegers(op.getAxes())
                      : llvm::to_vector(llvm::seq<int64_t>(0, count));
  steps = op.getSteps() ? getIntegers(op.getSteps())
                        : SmallVector<int64_t>(count, 1);
  if (!axes || !steps || axes->size() != starts->size() ||
      steps->size() != starts->size())
    return std::nullopt;
  axes = resolveAxes(*axes, getRank(op.getData()));
  if (!axes || llvm::is_contained(*steps, 0))
    return std::nullopt;
  SmallVector<SliceRange> ranges;
  for (int64_t i = 0; i < count; ++i)
    ranges.push_back({(*axes)[i], (*starts)[i], (*ends)[i], (*steps)[i]});
  return ranges;
}

/// The first index that a range takes of `size` elements, and how many.
static std::pair<int64_t, int64_t> resolve(const SliceRange &range,
                                           int64_t size) {
  if (size == 0)
    return {0, 0};
  bool forward = range.step > 0;
  auto clamp = [&](int64_t at, int64_t least, int64_t most) {
    if (at < 0)
      at = at < -size ? -1 : at + size;
    return std::clamp(at, least, most);
  };
  int64_t start =
      forward ? clamp(range.start, 0, size) : clamp(range.start, 0, size - 1);
  int64_t end =
      forward ? clamp(range.end, 0, size) : clamp(range.end, -1, size - 1);
  int64_t distance = forward ? end - start : start - end;
  if (distance <= 0)
    return {0, 0};
  // The least integer has no absolute value; as a step it takes one element.
  int64_t stride = range.step == std::numeric_limits<int64_t>::min()
                       ? farEnd
                       : std::abs(range.step);
  return {start, (distance - 1) / stride + 1};
}

/// The range `outer` of what `inner` takes of `size` elements.
static std::optional<SliceRange>
compose(const SliceRange &inner, const SliceRange &outer, int64_t size) {
  auto [innerStart, innerCount] = resolve(inner, size);
  auto [outerStart, count] = resolve(outer, innerCount);
  if (count == 0)
    return SliceRange{inner.axis, 0, 0, 1};
  int64_t step, offset, last;
  if (llvm::MulOverflow(inner.step, outerStart, offset))
    return std::nullopt;
  int64_t start = innerStart + offset;
  if (count == 1)
    return SliceRange{inner.axis, start, start + 1, 1};
  if (llvm::MulOverflow(inner.step, outer.step, step) ||
      llvm::MulOverflow(step, count - 1, last))
    return std::nullopt;
  last += start;
  // Past the first element from the end: an index that is out of range however
  // it is counted.
  int64_t end = step > 0 ? last + 1 : last == 0 ? -size - 1 : last - 1;
  return SliceRange{inner.axis, start, end, step};
}

/// The same of an unknown number of elements.
static std::optional<SliceRange> compose(const SliceRange &inner,
                                         const SliceRange &outer) {
  if (inner.step < 0 || outer.step < 0 || inner.start < 0 || outer.start < 0)
    return std::nullopt;
  int64_t offset, start, step;
  if (llvm::MulOverflow(outer.start, inner.step, offset) ||
      llvm::AddOverflow(inner.start, offset, start) ||
      llvm::MulOverflow(inner.step, outer.step, step))
    return std::nullopt;
  // Where the outer one ends nowhere, the inner end holds, wherever it is.
  int64_t end = inner.end;
  if (outer.end != farEnd) {
    if (inner.end < 0 || outer.end < 0)
      return std::nullopt;
    int64_t limit;
    if (!llvm::MulOverflow(outer.end, inner.step, offset) &&
        !llvm::AddOverflow(inner.start, offset, limit))
      end = std::min(end, limit);
  }
  return SliceRange{inner.axis, start, end, step};
}

namespace {
struct ComposeSlices : Rewriting<SliceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<SliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "reads no Slice");
    std::optional<SmallVector<SliceRange>> first = getRanges(inner),
                                           second = getRanges(op);
    if (!first || !second)
      return rewriter.notifyMatchFailure(op, "ranges are not known");
    SmallVector<SliceRange> ranges = *first;
    for (const SliceRange &outer : *second) {
      auto it = llvm::find_if(ranges, [&](const SliceRange &range) {
        return range.axis == outer.axis;
      });
      if (it == ranges.end()) {
        ranges.push_back(outer);
        continue;
      }
      std::optional<int64_t> size = getDim(inner.getData(), outer.axis);
      std::optional<SliceRange> composed =
          size ? compose(*it, outer, *size) : compose(*it, outer);
      if (!composed)
        return rewriter.notifyMatchFailure(
            op, "ranges of one axis do not compose without its size");
      *it = *composed;
    }
    if (llvm::any_of(ranges,
                     [](const SliceRange &range) { return range.step != 1; }) &&
        !isAvailable(/*since=*/10, op, options))
      return rewriter.notifyMatchFailure(op, "the opset has no steps");
    llvm::sort(ranges, [](const SliceRange &a, const SliceRange &b) {
      return a.axis < b.axis;
    });

    auto make = [&](int64_t SliceRange::*member, StringRef name) {
      SmallVector<int64_t> values;
      for (const SliceRange &range : ranges)
        values.push_back(range.*member);
      return makeConstant(rewriter, op, makeIntegers(getContext(), values),
                          name);
    };
    Value starts = make(&SliceRange::start, "starts"),
          ends = make(&SliceRange::end, "ends"),
          axes = make(&SliceRange::axis, "axes"), steps;
    if (llvm::any_of(ranges,
                     [](const SliceRange &range) { return range.step != 1; }))
      steps = make(&SliceRange::step, "steps");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().set(inner.getData());
      op.getStartsMutable().set(starts);
      op.getEndsMutable().set(ends);
      op.getAxesMutable().assign(axes);
      op.getStepsMutable().assign(steps ? ValueRange(steps) : ValueRange());
    });
    return success();
  }
};

/// What onnx-optimizer does: starts, ends, axes and steps, constant or not, are
/// joined by Concats.
struct ConcatenateRanges : Rewriting<SliceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<SliceOp>();
    if (!inner || !op.getAxes() || !op.getSteps() || !inner.getAxes() ||
        !inner.getSteps())
      return rewriter.notifyMatchFailure(
          op, "reads no Slice, or an operand is absent");
    std::optional<int64_t> rank = getRank(inner.getData());
    std::optional<SmallVector<int64_t>> first = getIntegers(inner.getAxes()),
                                        second = getIntegers(op.getAxes());
    if (!first || !second || !rank)
      return rewriter.notifyMatchFailure(op, "axes or the rank are not known");
    first = normalizeAxes(*first, *rank);
    second = normalizeAxes(*second, *rank);
    if (!first || !second || llvm::any_of(*second, [&](int64_t axis) {
          return llvm::is_contained(*first, axis);
        }))
      return rewriter.notifyMatchFailure(op, "axes overlap");
    Type element = getElementType(op.getStarts());
    if (!element || element != getElementType(inner.getStarts()))
      return rewriter.notifyMatchFailure(op, "integers of two types");

    auto join = [&](Value a, Value b, StringRef name) -> Value {
      return ConcatOp::create(rewriter, makeHelperLocation(op, name),
                              ValueRange{a, b}, /*axis=*/0);
    };
    Value starts = join(inner.getStarts(), op.getStarts(), "starts"),
          ends = join(inner.getEnds(), op.getEnds(), "ends"),
          axes = join(inner.getAxes(), op.getAxes(), "axes"),
          steps = join(inner.getSteps(), op.getSteps(), "steps");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().set(inner.getData());
      op.getStartsMutable().set(starts);
      op.getEndsMutable().set(ends);
      op.getAxesMutable().assign(axes);
      op.getStepsMutable().assign(steps);
    });
    return success();
  }
};

struct FuseConsecutiveSlices
    : onnxc::impl::FuseConsecutiveSlicesBase<FuseConsecutiveSlices> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    if (options.upstreamCompatible)
      patterns.add<ConcatenateRanges>(patterns.getContext(), options);
    else
      patterns.add<ComposeSlices>(patterns.getContext(), options);
  }
};
} // namespace
