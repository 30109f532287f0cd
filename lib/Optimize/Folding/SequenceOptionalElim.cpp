//===- SequenceOptionalElim.cpp - Sequences that need not be made ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Sequence.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_SEQUENCEOPTIONALELIM
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// What a sequence holds
//===----------------------------------------------------------------------===//

/// A position counted from the front; nullopt if it is not known or outside of
/// 0..limit. Absent: `limit`.
static std::optional<int64_t> getPosition(Value position, int64_t size,
                                          int64_t limit) {
  if (!position)
    return limit;
  std::optional<int64_t> place = getInteger(position);
  if (place && *place < 0)
    *place += size;
  return place && *place >= 0 && *place <= limit ? place : std::nullopt;
}

/// Chains of more steps are left: each look at one goes through all of it.
static constexpr unsigned maxSteps = 512;

/// The elements, through the ops that put them there.
static std::optional<SmallVector<Value>> getElements(Value sequence,
                                                     unsigned steps = 0) {
  Operation *op = sequence.getDefiningOp();
  if (!op || steps > maxSteps)
    return std::nullopt;
  if (isa<SequenceEmptyOp>(op))
    return SmallVector<Value>();
  if (auto construct = dyn_cast<SequenceConstructOp>(op))
    return SmallVector<Value>(construct.getInputs());
  if (auto identity = dyn_cast<IdentityOp>(op))
    return getElements(identity.getInput(), steps + 1);
  auto insert = dyn_cast<SequenceInsertOp>(op);
  auto erase = dyn_cast<SequenceEraseOp>(op);
  if (!insert && !erase)
    return std::nullopt;
  std::optional<SmallVector<Value>> elements =
      getElements(op->getOperand(0), steps + 1);
  if (!elements)
    return std::nullopt;
  int64_t size = elements->size();
  std::optional<int64_t> place =
      insert ? getPosition(insert.getPosition(), size, size)
             : getPosition(erase.getPosition(), size, size - 1);
  if (!place || *place < 0)
    return std::nullopt;
  if (insert)
    elements->insert(elements->begin() + *place, insert.getTensor());
  else
    elements->erase(elements->begin() + *place);
  return elements;
}

namespace {
/// The parts of a SplitToSequence.
struct Parts {
  int64_t axis;
  SmallVector<int64_t> sizes;
};
} // namespace

static std::optional<Parts> getParts(SplitToSequenceOp op) {
  std::optional<int64_t> rank = getRank(op.getInput());
  std::optional<int64_t> axis =
      rank ? normalizeAxis(op.getAxis(), *rank) : std::nullopt;
  std::optional<int64_t> size =
      axis ? getDim(op.getInput(), *axis) : std::nullopt;
  if (!size)
    return std::nullopt;
  Parts parts{*axis, {}};
  std::optional<int64_t> splitRank =
      op.getSplit() ? getRank(op.getSplit()) : std::optional<int64_t>(0);
  if (splitRank == 0) {
    std::optional<int64_t> each =
        op.getSplit() ? getInteger(op.getSplit()) : std::optional<int64_t>(1);
    if (!each || *each <= 0 || *size / *each > 4096)
      return std::nullopt;
    for (int64_t left = *size; left > 0; left -= parts.sizes.back())
      parts.sizes.push_back(std::min(*each, left));
    return parts;
  }
  std::optional<SmallVector<int64_t>> sizes = getIntegers(op.getSplit());
  if (!sizes)
    return std::nullopt;
  int64_t sum = 0;
  for (int64_t part : *sizes) {
    if (part < 0 || part > *size)
      return std::nullopt;
    sum += part;
  }
  if (sum != *size)
    return std::nullopt;
  parts.sizes = *sizes;
  return parts;
}

static std::optional<int64_t> getLength(Value sequence) {
  if (std::optional<SmallVector<Value>> elements = getElements(sequence))
    return elements->size();
  if (auto split = sequence.getDefiningOp<SplitToSequenceOp>())
    if (std::optional<Parts> parts = getParts(split))
      return parts->sizes.size();
  return std::nullopt;
}

static ElementsAttr makeScalar(MLIRContext *context, Type type, int64_t value) {
  return DenseElementsAttr::get(RankedTensorType::get({}, type),
                                IntegerAttr::get(type, value));
}

/// Replaces the one result by a constant of its name.
static LogicalResult replaceByScalar(PatternRewriter &rewriter, Operation *op,
                                     Type type, int64_t value) {
  ElementsAttr scalar = makeScalar(op->getContext(), type, value);
  Value result = op->getResult(0);
  if (!joinTypes(result.getType(), scalar.getType()) ||
      (isSeenByCalls(result) && result.getType() != scalar.getType()))
    return rewriter.notifyMatchFailure(op, "the types contradict");
  rewriter.replaceOp(op, optimize::makeConstant(op->getResult(0), scalar));
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// An element that is known, or a part of a tensor.
struct TakeElement : Rewriting<SequenceAtOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SequenceAtOp op,
                                PatternRewriter &rewriter) const override {
    Value sequence = op.getInputSequence();
    if (auto split = sequence.getDefiningOp<SplitToSequenceOp>())
      return takePart(op, split, rewriter);
    std::optional<SmallVector<Value>> elements = getElements(sequence);
    if (!elements)
      return rewriter.notifyMatchFailure(op, "its elements are not known");
    int64_t size = elements->size();
    std::optional<int64_t> place =
        getPosition(op.getPosition(), size, size - 1);
    if (!place)
      return rewriter.notifyMatchFailure(op, "no known element");
    return replaceRoot(rewriter, op, (*elements)[*place]);
  }

private:
  static LogicalResult takePart(SequenceAtOp op, SplitToSequenceOp split,
                                PatternRewriter &rewriter) {
    std::optional<Parts> parts = getParts(split);
    int64_t count = parts ? parts->sizes.size() : 0;
    std::optional<int64_t> place =
        parts ? getPosition(op.getPosition(), count, count - 1) : std::nullopt;
    if (!place)
      return rewriter.notifyMatchFailure(op, "no known part");
    Value data = split.getInput();
    SmallVector<int64_t> shape(*getShape(data));
    bool isElement = !split.getSplit() && !split.getKeepdims();
    if (isElement)
      shape.erase(shape.begin() + parts->axis);
    else
      shape[parts->axis] = parts->sizes[*place];
    auto type = RankedTensorType::get(shape, getElementType(data));
    if (!joinTypes(type, op.getTensor().getType()) ||
        (isSeenByCalls(op.getTensor()) && type != op.getTensor().getType()))
      return rewriter.notifyMatchFailure(op, "the types contradict");
    MLIRContext *context = op.getContext();
    if (isElement) {
      Value index = optimize::makeConstant(
          rewriter, op, makeScalar(context, rewriter.getI64Type(), *place),
          "index");
      return replaceRoot(rewriter, op,
                         GatherOp::create(rewriter, op.getLoc(), type, data,
                                          index, parts->axis)
                             .getResult());
    }
    int64_t start = 0;
    for (int64_t i = 0; i < *place; ++i)
      start += parts->sizes[i];
    auto list = [&](int64_t value, StringRef name) {
      return optimize::makeConstant(rewriter, op,
                                    makeIntegers(context, {value}), name);
    };
    Value starts = list(start, "starts");
    Value ends = list(start + parts->sizes[*place], "ends");
    return replaceRoot(rewriter, op,
                       SliceOp::create(rewriter, op.getLoc(), type, data,
                                       starts, ends, list(parts->axis, "axes"),
                                       Value())
                           .getResult());
  }
};

struct KnownLength : Rewriting<SequenceLengthOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SequenceLengthOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> length = getLength(op.getInputSequence());
    if (!length)
      return rewriter.notifyMatchFailure(op, "the length is not known");
    return replaceByScalar(rewriter, op, rewriter.getI64Type(), *length);
  }
};

/// A Concat of known elements; of the parts of a tensor, the tensor.
struct ConcatElements : Rewriting<ConcatFromSequenceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatFromSequenceOp op,
                                PatternRewriter &rewriter) const override {
    Value sequence = op.getInputSequence();
    if (auto split = sequence.getDefiningOp<SplitToSequenceOp>())
      return joinParts(op, split, rewriter);
    std::optional<SmallVector<Value>> elements = getElements(sequence);
    if (!elements || elements->empty())
      return rewriter.notifyMatchFailure(op, "its elements are not known");
    Value first = elements->front();
    for (Value element : *elements)
      if (!isa<TensorType>(element.getType()) ||
          getElementType(element) != getElementType(first))
        return rewriter.notifyMatchFailure(op, "not tensors of one type");
    if (!op.getNewAxis()) {
      if (elements->size() == 1)
        return replaceRoot(rewriter, op, first);
      return replaceRoot(rewriter, op,
                         ConcatOp::create(rewriter, op.getLoc(),
                                          op.getConcatResult().getType(),
                                          *elements, op.getAxis())
                             .getResult());
    }
    Value axes = optimize::makeConstant(
        rewriter, op,
        makeIntegers(op.getContext(), {static_cast<int64_t>(op.getAxis())}),
        "axes");
    for (auto [i, element] : llvm::enumerate(*elements))
      element = UnsqueezeOp::create(
          rewriter, makeHelperLocation(op, "element_" + std::to_string(i)),
          element, axes);
    if (elements->size() == 1)
      return replaceRoot(rewriter, op, elements->front());
    return replaceRoot(rewriter, op,
                       ConcatOp::create(rewriter, op.getLoc(),
                                        op.getConcatResult().getType(),
                                        *elements, op.getAxis())
                           .getResult());
  }

private:
  static LogicalResult joinParts(ConcatFromSequenceOp op,
                                 SplitToSequenceOp split,
                                 PatternRewriter &rewriter) {
    std::optional<Parts> parts = getParts(split);
    std::optional<int64_t> rank = getRank(split.getInput());
    bool isWhole = parts && !parts->sizes.empty() && !op.getNewAxis() &&
                   (split.getSplit() || split.getKeepdims()) &&
                   normalizeAxis(op.getAxis(), *rank) == parts->axis;
    if (!isWhole)
      return rewriter.notifyMatchFailure(op, "joins along another axis");
    return replaceRoot(rewriter, op, split.getInput());
  }
};

/// Of what is an optional, or may be one.
struct GetElement : Rewriting<OptionalGetElementOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(OptionalGetElementOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType, SeqType>(op.getInput().getType()))
      return replaceRoot(rewriter, op, op.getInput());
    auto optional = op.getInput().getDefiningOp<OptionalOp>();
    if (!optional || !optional.getInput())
      return rewriter.notifyMatchFailure(op, "what it holds is not known");
    return replaceRoot(rewriter, op, optional.getInput());
  }
};

struct HasElement : Rewriting<OptionalHasElementOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(OptionalHasElementOp op,
                                PatternRewriter &rewriter) const override {
    Value input = op.getInput();
    bool has = input && isa<TensorType, SeqType>(input.getType());
    if (input && !has) {
      auto optional = input.getDefiningOp<OptionalOp>();
      if (!optional)
        return rewriter.notifyMatchFailure(op, "what it holds is not known");
      has = static_cast<bool>(optional.getInput());
    }
    return replaceByScalar(rewriter, op, rewriter.getI1Type(), has);
  }
};

struct SequenceOptionalElim
    : onnxc::impl::SequenceOptionalElimBase<SequenceOptionalElim> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns
        .add<TakeElement, KnownLength, ConcatElements, GetElement, HasElement>(
            patterns.getContext(), options);
  }
};
} // namespace
