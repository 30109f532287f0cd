//===- SequenceOptionalElim.cpp - Sequences that need not be made ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFacts.h"
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

/// Elements that a Loop puts behind each other, one in each iteration, and that
/// become one tensor along a new axis: it gathers them itself.
struct GatherInLoop : Rewriting<ConcatFromSequenceOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConcatFromSequenceOp op,
                                PatternRewriter &rewriter) const override {
    auto sequence = dyn_cast<OpResult>(op.getInputSequence());
    auto loop = sequence ? dyn_cast<LoopOp>(sequence.getOwner()) : LoopOp();
    // In a branch it may not run, where elements may differ in shape.
    if (!loop || loop->getBlock() != op->getBlock() || !op.getNewAxis() ||
        !sequence.hasOneUse() || !hasFittingBody(loop))
      return rewriter.notifyMatchFailure(op, "of no loop alone");
    unsigned i = sequence.getResultNumber();
    SequenceInsertOp insert = getAppended(loop, i);
    if (!insert)
      return rewriter.notifyMatchFailure(op, "more than elements at the end");
    auto each = dyn_cast<RankedTensorType>(insert.getTensor().getType());
    std::optional<int64_t> axis =
        each ? normalizeAxis(op.getAxis(), each.getRank() + 1) : std::nullopt;
    if (!axis)
      return rewriter.notifyMatchFailure(op, "elements of unknown rank");
    SmallVector<int64_t> shape(each.getShape());
    shape.insert(shape.begin(), ShapedType::kDynamic);
    auto gathered = RankedTensorType::get(shape, each.getElementType());
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(each.getRank() + 1));
    // Dimension 0 goes to `axis`.
    std::rotate(order.begin(), order.begin() + 1, order.begin() + *axis + 1);
    auto type = RankedTensorType::get(
        llvm::map_to_vector(order, [&](int64_t d) { return shape[d]; }),
        each.getElementType());
    Value result = op.getConcatResult();
    if (!joinTypes(type, result.getType()) ||
        (isSeenByCalls(result) && type != result.getType()))
      return rewriter.notifyMatchFailure(op, "the types contradict");
    Value all = rebuild(loop, i, insert, gathered, op, rewriter);
    if (*axis != 0)
      all = TransposeOp::create(rewriter, op.getLoc(), type, all,
                                rewriter.getDenseI64ArrayAttr(order));
    return replaceRoot(rewriter, op, all);
  }

private:
  /// What puts an element behind those of carried value `i`, which starts
  /// without any and is read by that alone.
  static SequenceInsertOp getAppended(LoopOp loop, unsigned i) {
    if (i >= loop.getVInitial().size() ||
        !loop.getVInitial()[i].getDefiningOp<SequenceEmptyOp>())
      return {};
    Block &body = loop.getBody().front();
    BlockArgument before = body.getArgument(i + 2);
    auto insert = body.getTerminator()
                      ->getOperand(i + 1)
                      .getDefiningOp<SequenceInsertOp>();
    if (!insert || insert->getBlock() != &body || insert.getPosition() ||
        insert.getInputSequence() != before || !before.hasOneUse() ||
        !insert->hasOneUse())
      return {};
    // Subgraphs yield values of their own, each once.
    Value element = insert.getTensor();
    bool isOwn = element.getDefiningOp() &&
                 element.getDefiningOp()->getBlock() == &body &&
                 !llvm::is_contained(element.getUsers(), body.getTerminator());
    return isOwn ? insert : SequenceInsertOp();
  }

  /// The loop with an output of the elements instead of carried value `i`.
  static Value rebuild(LoopOp loop, unsigned i, SequenceInsertOp insert,
                       Type gathered, Operation *root,
                       PatternRewriter &rewriter) {
    SmallVector<Type> types(loop->getResultTypes());
    types.erase(types.begin() + i);
    types.push_back(gathered);
    SmallVector<Value> initial(loop.getVInitial());
    initial.erase(initial.begin() + i);
    rewriter.setInsertionPoint(loop);
    auto other = LoopOp::create(rewriter, nameOutputs(loop, i, root), types,
                                loop.getM(), loop.getCond(), initial);
    Block &body = loop.getBody().front();
    Operation *yield = body.getTerminator();
    rewriter.modifyOpInPlace(yield, [&] {
      yield->eraseOperand(i + 1);
      yield->insertOperands(yield->getNumOperands(), insert.getTensor());
    });
    // It has no uses: eliminate_deadend may erase it, a pattern only what
    // stands before its root.
    rewriter.modifyOpInPlace(insert, [&] {
      insert.getInputSequenceMutable().set(loop.getVInitial()[i]);
    });
    body.eraseArgument(i + 2);
    other.getBody().takeBody(loop.getBody());
    SmallVector<Value> values(other->getResults().drop_back());
    // Its one reader is to be replaced.
    values.insert(values.begin() + i, loop.getVInitial()[i]);
    rewriter.replaceOp(loop, values);
    rewriter.setInsertionPoint(root);
    return other->getResults().back();
  }

  static Location nameOutputs(LoopOp loop, unsigned i, Operation *root) {
    SourceAttr source = getSource(loop.getLoc());
    SourceAttr helper = getSource(makeHelperLocation(root, "elements"));
    if (!source || !source.getOutputs() || !helper || !helper.getOutputs() ||
        source.getOutputs().size() != loop->getNumResults())
      return loop.getLoc();
    MLIRContext *context = loop.getContext();
    SmallVector<Attribute> outputs(source.getOutputs().getValue());
    outputs.erase(outputs.begin() + i);
    outputs.push_back(helper.getOutputs()[0]);
    return FusedLoc::get({loop.getLoc()},
                         SourceAttr::get(context, source.getName(),
                                         source.getOp(),
                                         ArrayAttr::get(context, outputs),
                                         source.getAttributes(),
                                         source.getDoc(), source.getMetadata()),
                         context);
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
    patterns.add<TakeElement, KnownLength, ConcatElements, GatherInLoop,
                 GetElement, HasElement>(patterns.getContext(), options);
  }
};
} // namespace
