//===- SliceConcatSimplify.cpp - Taking apart and putting together --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"
#include "Rewriting/Slices.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

namespace onnxc {
#define GEN_PASS_DEF_SLICECONCATSIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
/// A Slice that takes everything.
struct ForwardWholeSlice : Rewriting<SliceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!takesAll(op))
      return rewriter.notifyMatchFailure(op, "something may be left out");
    return replaceRoot(rewriter, op, op.getData());
  }

private:
  static bool takesAll(SliceOp op) {
    std::optional<SmallVector<SliceRange>> ranges = getSliceRanges(op);
    if (ranges && llvm::all_of(*ranges, [&](const SliceRange &range) {
          return isWhole(range, op.getData());
        }))
      return true;
    // As many as there are, in their order.
    RankedTensorType from = getStaticType(op.getData()),
                     to = getStaticType(op.getOutput());
    if (!from || !to || from.getShape() != to.getShape())
      return false;
    if (!op.getSteps())
      return true;
    std::optional<SmallVector<int64_t>> steps = getIntegers(op.getSteps());
    return steps && llvm::all_of(*steps, [](int64_t step) { return step > 0; });
  }
};

/// An operand of a Concat and where it begins.
struct Part {
  Value value;
  int64_t begin;
  std::optional<int64_t> length;
};
} // namespace

/// The operands of a Concat up to the first whose length is not known.
static SmallVector<Part> getParts(ConcatOp op, int64_t axis) {
  SmallVector<Part> parts;
  int64_t begin = 0;
  for (Value input : op.getInputs()) {
    parts.push_back({input, begin, getDim(input, axis)});
    if (!parts.back().length)
      break;
    begin += *parts.back().length;
  }
  return parts;
}

static std::optional<int64_t> getConcatAxis(ConcatOp op) {
  std::optional<int64_t> rank = getRank(op.getConcatResult());
  if (!rank && !op.getInputs().empty())
    rank = getRank(op.getInputs().front());
  return rank ? normalizeAxis(op.getAxis(), *rank) : std::nullopt;
}

namespace {
/// What a Slice takes of a Concat, if that is of one operand, or of several as
/// a whole.
struct SliceOfConcat : Rewriting<SliceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getData().getDefiningOp<ConcatOp>();
    std::optional<int64_t> axis = concat ? getConcatAxis(concat) : std::nullopt;
    std::optional<SmallVector<SliceRange>> ranges =
        axis ? getSliceRanges(op) : std::nullopt;
    if (!ranges)
      return rewriter.notifyMatchFailure(op, "no known range of a Concat");
    auto range = llvm::find_if(
        *ranges, [&](const SliceRange &each) { return each.axis == *axis; });
    if (range == ranges->end() || range->start >= range->end)
      return rewriter.notifyMatchFailure(op, "not along the Concat's axis");
    SmallVector<Part> parts = getParts(concat, *axis);
    bool isComplete = parts.size() == concat.getInputs().size();
    for (auto [i, part] : llvm::enumerate(parts)) {
      bool isLast = isComplete && i + 1 == parts.size();
      if (range->start < part.begin ||
          (part.length && range->start >= part.begin + *part.length))
        continue;
      if ((part.length && range->end <= part.begin + *part.length) || isLast) {
        range->start -= part.begin;
        range->end -= part.begin;
        return takeOf(op, rewriter, part.value, *ranges);
      }
      return takeSeveral(op, rewriter, concat, parts, i, *range,
                         ranges->size());
    }
    return rewriter.notifyMatchFailure(op, "where the operands begin is open");
  }

private:
  static LogicalResult takeOf(SliceOp op, PatternRewriter &rewriter, Value part,
                              ArrayRef<SliceRange> ranges) {
    SmallVector<SliceRange> needed(ranges);
    llvm::erase_if(
        needed, [&](const SliceRange &range) { return isWhole(range, part); });
    return replaceRoot(
        rewriter, op,
        needed.empty() ? part
                       : makeSlice(rewriter, op, op.getLoc(), part, needed));
  }

  static LogicalResult takeSeveral(SliceOp op, PatternRewriter &rewriter,
                                   ConcatOp concat, ArrayRef<Part> parts,
                                   size_t first, const SliceRange &range,
                                   size_t numRanges) {
    if (numRanges != 1 || range.step != 1 || range.start != parts[first].begin)
      return rewriter.notifyMatchFailure(op, "not whole operands");
    SmallVector<Value> taken;
    for (const Part &part : parts.drop_front(first)) {
      taken.push_back(part.value);
      if (!part.length || range.end < part.begin + *part.length)
        break;
      if (range.end == part.begin + *part.length) {
        auto fewer = ConcatOp::create(rewriter, op.getLoc(), taken,
                                      rewriter.getI64IntegerAttr(range.axis));
        return replaceRoot(rewriter, op, fewer.getConcatResult());
      }
    }
    return rewriter.notifyMatchFailure(op, "not whole operands");
  }
};

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

} // namespace

/// The same Gather of other data, or with other indices.
static LogicalResult pickOf(PatternRewriter &rewriter, GatherOp op, Value data,
                            const GatherPicks &picks) {
  Value indices = makeConstant(
      rewriter, op,
      makeIntegers(rewriter.getContext(), picks.shape, picks.indices),
      "indices");
  rewriter.modifyOpInPlace(op, [&] {
    op.getDataMutable().assign(data);
    op.getIndicesMutable().assign(indices);
  });
  return success();
}

namespace {
struct GatherOfConcat : Rewriting<GatherOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getData().getDefiningOp<ConcatOp>();
    std::optional<GatherPicks> picks =
        concat ? getGatherPicks(op) : std::nullopt;
    if (!picks || picks->indices.empty() ||
        getConcatAxis(concat) != picks->axis)
      return rewriter.notifyMatchFailure(op, "no known picks of a Concat");
    auto [least, most] =
        std::minmax_element(picks->indices.begin(), picks->indices.end());
    for (const Part &part : getParts(concat, picks->axis)) {
      if (!part.length || *least < part.begin ||
          *most >= part.begin + *part.length)
        continue;
      for (int64_t &index : picks->indices)
        index -= part.begin;
      return pickOf(rewriter, op, part.value, *picks);
    }
    return rewriter.notifyMatchFailure(op, "picks of several operands");
  }
};

/// Picks of picks, and of a range.
struct GatherOfGather : Rewriting<GatherOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<GatherPicks> picks = getGatherPicks(op);
    if (!picks)
      return rewriter.notifyMatchFailure(op, "no known picks");
    if (auto slice = op.getData().getDefiningOp<SliceOp>()) {
      std::optional<SmallVector<SliceRange>> ranges = getSliceRanges(slice);
      if (!ranges || ranges->size() != 1 || ranges->front().axis != picks->axis)
        return rewriter.notifyMatchFailure(op, "no known range of this axis");
      for (int64_t &index : picks->indices)
        if (llvm::MulOverflow(index, ranges->front().step, index) ||
            llvm::AddOverflow(index, ranges->front().start, index))
          return rewriter.notifyMatchFailure(op, "out of range");
      return pickOf(rewriter, op, slice.getData(), *picks);
    }
    auto inner = op.getData().getDefiningOp<GatherOp>();
    std::optional<GatherPicks> before =
        inner ? getGatherPicks(inner) : std::nullopt;
    if (!before || before->shape.size() != 1 || before->axis != picks->axis)
      return rewriter.notifyMatchFailure(op, "no known picks of picks");
    for (int64_t &index : picks->indices) {
      if (index >= static_cast<int64_t>(before->indices.size()))
        return rewriter.notifyMatchFailure(op, "out of range");
      index = before->indices[index];
    }
    return pickOf(rewriter, op, inner.getData(), *picks);
  }
};

/// Picks that follow each other at one distance.
struct GatherToSlice : Rewriting<GatherOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<GatherPicks> picks = getGatherPicks(op);
    if (!picks || picks->indices.empty())
      return rewriter.notifyMatchFailure(op, "no known picks");
    std::optional<int64_t> dim = getDim(op.getData(), picks->axis);
    if (picks->shape.empty() && dim == 1) {
      Value axes = makeConstant(
          rewriter, op, makeIntegers(rewriter.getContext(), picks->axis),
          "axes");
      return replaceRoot(
          rewriter, op,
          SqueezeOp::create(rewriter, op.getLoc(), op.getData(), axes)
              .getSqueezed());
    }
    if (picks->shape.size() != 1)
      return rewriter.notifyMatchFailure(op, "the indices are not a list");
    int64_t count = picks->indices.size(), first = picks->indices.front(),
            step = count > 1 ? picks->indices[1] - first : 1;
    for (int64_t i = 1; i < count; ++i)
      if (picks->indices[i] != first + i * step || step <= 0)
        return rewriter.notifyMatchFailure(op, "no ascending sequence");
    SliceRange range{picks->axis, first, picks->indices.back() + 1, step};
    if (dim && isWhole(range, op.getData()))
      return replaceRoot(rewriter, op, op.getData());
    // Folding a shape is better.
    if (count < 2 || op.getData().getDefiningOp<ShapeOp>())
      return rewriter.notifyMatchFailure(op, "no gain");
    if (step != 1 && !isAvailable(/*since=*/10, op, this->options))
      return rewriter.notifyMatchFailure(op, "Slice has no steps at the opset");
    return replaceRoot(
        rewriter, op,
        makeSlice(rewriter, op, op.getLoc(), op.getData(), range));
  }
};

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

/// Operands that are neighbouring parts of one value.
struct ConcatOfParts : Rewriting<ConcatOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = getConcatAxis(op);
    if (!axis)
      return rewriter.notifyMatchFailure(op, "the rank is not known");
    SmallVector<Value> inputs;
    bool changes = false;
    for (size_t i = 0, e = op.getInputs().size(); i < e;) {
      size_t count = 0;
      Value joined = join(rewriter, op, *axis, i, count);
      inputs.push_back(joined ? joined : op.getInputs()[i]);
      changes |= static_cast<bool>(joined);
      i += joined ? count : 1;
    }
    if (!changes)
      return rewriter.notifyMatchFailure(op, "no parts that follow each other");
    if (inputs.size() == 1 &&
        joinTypes(inputs.front().getType(), op.getConcatResult().getType()))
      return replaceRoot(rewriter, op, inputs.front());
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }

private:
  /// What the `count` operands from `first` on are together; null if they are
  /// nothing simpler.
  static Value join(PatternRewriter &rewriter, ConcatOp op, int64_t axis,
                    size_t first, size_t &count) {
    OperandRange inputs = op.getInputs();
    if (auto split = inputs[first].getDefiningOp<SplitOp>()) {
      std::optional<int64_t> rank = getRank(split.getInput());
      count = split.getOutputs().size();
      if (!rank || count < 2 || first + count > inputs.size() ||
          normalizeAxis(split.getAxis(), *rank) != axis)
        return {};
      for (size_t i = 0; i < count; ++i)
        if (inputs[first + i] != split.getOutputs()[i])
          return {};
      return split.getInput();
    }
    std::optional<SliceRange> range = getRange(inputs[first], axis);
    if (!range)
      return {};
    Value data = inputs[first].getDefiningOp<SliceOp>().getData();
    bool areUnused = inputs[first].hasOneUse();
    for (count = 1; first + count < inputs.size(); ++count) {
      std::optional<SliceRange> next = getRange(inputs[first + count], axis);
      if (!next ||
          inputs[first + count].getDefiningOp<SliceOp>().getData() != data ||
          next->start != range->end || next->end < next->start)
        break;
      range->end = next->end;
      areUnused &= inputs[first + count].hasOneUse();
    }
    if (count < 2)
      return {};
    if (isWhole(*range, data))
      return data;
    return areUnused ? makeSlice(rewriter, op, makeHelperLocation(op, "slice"),
                                 data, *range)
                     : Value();
  }

  static std::optional<SliceRange> getRange(Value value, int64_t axis) {
    auto slice = value.getDefiningOp<SliceOp>();
    std::optional<SmallVector<SliceRange>> ranges =
        slice ? getSliceRanges(slice) : std::nullopt;
    if (!ranges || ranges->size() != 1 || ranges->front().axis != axis ||
        ranges->front().step != 1 ||
        ranges->front().end < ranges->front().start)
      return std::nullopt;
    return ranges->front();
  }
};

/// Neighbouring operands that are constants become one.
struct ConcatOfConstants : Rewriting<ConcatOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = getConcatAxis(op);
    if (!axis)
      return rewriter.notifyMatchFailure(op, "the rank is not known");
    for (size_t i = 0; i + 1 < op.getInputs().size(); ++i) {
      SmallVector<ElementsAttr> parts;
      while (i + parts.size() < op.getInputs().size() &&
             isOwn(op.getInputs()[i + parts.size()]))
        parts.push_back(getConstant(op.getInputs()[i + parts.size()]));
      if (parts.size() < 2)
        continue;
      ElementsAttr joined = concatElements(parts, *axis);
      if (!joined)
        return rewriter.notifyMatchFailure(op, "constants that do not fit");
      Value constant = makeConstant(rewriter, op, joined, "joined");
      if (parts.size() == op.getInputs().size())
        return replaceRoot(rewriter, op, constant);
      SmallVector<Value> inputs(op.getInputs());
      inputs.erase(inputs.begin() + i + 1, inputs.begin() + i + parts.size());
      inputs[i] = constant;
      rewriter.modifyOpInPlace(op,
                               [&] { op.getInputsMutable().assign(inputs); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no two constants");
  }

private:
  /// A constant that is small, or has no other use.
  static bool isOwn(Value value) {
    std::optional<Elements> elements = Elements::get(getConstant(value));
    return elements &&
           (value.hasOneUse() ||
            // no overflow: the constant is in memory
            elements->size() * elements->getElementBytes() <= maxSharedBytes);
  }

  static constexpr int64_t maxSharedBytes = 4096;
};

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// A Split that cuts where a Concat has joined.
struct SplitOfConcat : Rewriting<SplitOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getInput().getDefiningOp<ConcatOp>();
    std::optional<int64_t> axis = concat ? getConcatAxis(concat) : std::nullopt;
    std::optional<int64_t> rank =
        axis ? getRank(concat.getInputs().front()) : std::nullopt;
    std::optional<SmallVector<int64_t>> lengths =
        rank && normalizeAxis(op.getAxis(), *rank) == axis ? getSplitLengths(op)
                                                           : std::nullopt;
    if (!lengths)
      return rewriter.notifyMatchFailure(op, "no known lengths of a Concat");
    SmallVector<Value> results;
    size_t next = 0;
    for (int64_t length : *lengths) {
      std::optional<int64_t> has = next < concat.getInputs().size()
                                       ? getDim(concat.getInputs()[next], *axis)
                                       : std::nullopt;
      if (has != length)
        return rewriter.notifyMatchFailure(op, "cuts through an operand");
      results.push_back(concat.getInputs()[next++]);
    }
    if (next != concat.getInputs().size())
      return rewriter.notifyMatchFailure(op, "operands are left");
    return replaceRoot(rewriter, op, results);
  }
};

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// Updates that overwrite everything, in order.
template <typename Op> struct ForwardUpdates : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> indices = getIntegers(op.getIndices());
    std::optional<ArrayRef<int64_t>> shape = getShape(op.getIndices()),
                                     data = getShape(op.getData());
    if (op.getReduction() != "none" || !indices || !shape || !data ||
        !coversAll(op, *indices, *shape, *data))
      return rewriter.notifyMatchFailure(op, "something of the data may stay");
    if (!SymbolicShapes().isSameShape(op.getUpdates(), op.getOutput()))
      return rewriter.notifyMatchFailure(op, "updates of another shape");
    return replaceRoot(rewriter, op, op.getUpdates());
  }

private:
  /// Walks places in row-major order: `expected` gives the index at each.
  static bool coversAll(ScatterNDOp op, ArrayRef<int64_t> indices,
                        ArrayRef<int64_t> shape, ArrayRef<int64_t> data) {
    if (shape.empty() || shape.back() > static_cast<int64_t>(data.size()))
      return false;
    ArrayRef<int64_t> indexed = data.take_front(shape.back());
    int64_t places = 1;
    for (int64_t dim : indexed)
      if (ShapedType::isDynamic(dim) || llvm::MulOverflow(places, dim, places))
        return false;
    if (places * shape.back() != static_cast<int64_t>(indices.size()) ||
        indices.empty())
      return false;
    for (int64_t place = 0, at = 0; place < places; ++place) {
      int64_t below = places;
      int64_t rest = place;
      for (int64_t dim : indexed) {
        below /= dim;
        if (normalizeAxis(indices[at++], dim) != rest / below)
          return false;
        rest %= below;
      }
    }
    return true;
  }

  static bool coversAll(ScatterElementsOp op, ArrayRef<int64_t> indices,
                        ArrayRef<int64_t> shape, ArrayRef<int64_t> data) {
    std::optional<int64_t> axis = normalizeAxis(op.getAxis(), data.size());
    if (!axis || shape != data || indices.empty())
      return false;
    SaturatingInt below = 1;
    for (int64_t dim : data.drop_front(*axis + 1))
      below *= dim;
    for (auto [place, index] : llvm::enumerate(indices))
      if (normalizeAxis(index, data[*axis]) !=
          static_cast<int64_t>(place) / below % data[*axis])
        return false;
    return true;
  }
};

struct SliceConcatSimplify
    : onnxc::impl::SliceConcatSimplifyBase<SliceConcatSimplify> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns
        .add<ForwardWholeSlice, SliceOfConcat, GatherOfConcat, GatherOfGather,
             GatherToSlice, ConcatOfParts, ConcatOfConstants, SplitOfConcat,
             ForwardUpdates<ScatterNDOp>, ForwardUpdates<ScatterElementsOp>>(
            patterns.getContext(), options);
  }
};
} // namespace
