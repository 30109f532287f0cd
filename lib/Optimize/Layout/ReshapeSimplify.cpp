//===- ReshapeSimplify.cpp - Chains of reshapes ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_RESHAPESIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Other rewrites keep the operators that they find (two Squeezes become one);
/// what makes Reshapes of them comes later.
static constexpr unsigned lowBenefit = 0;

/// Whether `op` computes a dim by -1 beside one that is not known: where that
/// is zero when run, it fails, and what replaces it may as well.
static bool computesBesideUnknown(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  std::optional<SmallVector<int64_t>> shape =
      reshape ? getIntegers(reshape.getShape()) : std::nullopt;
  auto type = reshape ? dyn_cast<RankedTensorType>(reshape.getType())
                      : RankedTensorType();
  if (!shape || !type ||
      static_cast<int64_t>(shape->size()) != type.getRank() ||
      !llvm::is_contained(*shape, -1))
    return false;
  return llvm::any_of(llvm::enumerate(*shape), [&](auto entry) {
    return entry.value() != -1 && type.isDynamicDim(entry.index());
  });
}

/// Gives `root` other data and the shape that they need for that.
static LogicalResult reshapeInstead(PatternRewriter &rewriter, Operation *root,
                                    Location loc, Value data,
                                    const ReshapePlan &plan) {
  auto reshape = dyn_cast<ReshapeOp>(root);
  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  if (!reshape || getConstant(data))
    return replaceRoot(rewriter, root,
                       makeReshape(rewriter, root, loc, data, plan, type));
  Value shape = reshape.getShape();
  if (getIntegers(shape) != plan.shape)
    shape =
        makeConstant(rewriter, root,
                     makeIntegers(rewriter.getContext(), plan.shape), "shape");
  rewriter.modifyOpInPlace(reshape, [&] {
    reshape.getDataMutable().assign(data);
    reshape.getShapeMutable().assign(shape);
    if (plan.allowZero != (reshape.getAllowzero() != 0))
      reshape.setAllowzero(plan.allowZero);
  });
  return success();
}

namespace {
/// A reshape to the shape that is there.
template <typename Op> struct ForwardSameShape : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value data = op->getOperand(0);
    if (!hasSureNumbers(op) ||
        !SymbolicShapes().isSameShape(data, op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "the shape may change");
    return replaceRoot(rewriter, op, data);
  }
};

/// A reshape of a constant: the data in another shape.
template <typename Op> struct ReshapeConstant : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr constant = getConstant(op->getOperand(0));
    RankedTensorType type = getStaticType(op->getResult(0));
    if (!constant || !type || !Elements::get(constant) || !hasSureNumbers(op))
      return rewriter.notifyMatchFailure(op, "not of constant data and shape");
    ElementsAttr reshaped = reshapeElements(constant, type.getShape());
    if (!reshaped)
      return rewriter.notifyMatchFailure(op, "numbers of elements differ");
    return replaceRoot(rewriter, op,
                       makeConstant(rewriter, op, reshaped, "reshaped"));
  }
};

/// A shape that is computed, but from dims that a Reshape can express without.
struct ReshapeByNumbers : Rewriting<ReshapeOp> {
  using Rewriting<ReshapeOp>::Rewriting;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    std::optional<int64_t> rank = getRank(op.getData());
    if (!type || !rank || isConstant(op.getShape()) || saysSize(op))
      return rewriter.notifyMatchFailure(op, "a known shape, or no rank");
    if (!hasSureNumbers(op))
      return rewriter.notifyMatchFailure(op, "the run may bring any shape");
    SymbolicShapes shapes;
    SmallVector<SymbolicDim> dims;
    bool computes = false;
    int64_t unknown = 0;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      SymbolicDim dim = shapes.getElement(op.getShape(), i);
      computes |= dim.is(-1);
      if (dim.is(0) && !op.getAllowzero() && i < *rank)
        dim = shapes.getDim(op.getData(), i);
      else if (dim.is(0) || !shapes.isAtMost(0, dim))
        dim = shapes.getDim(op.getReshaped(), i);
      unknown += !dim.isKnown();
      dims.push_back(dim);
    }
    std::optional<ReshapePlan> plan = planReshape(
        shapes, op.getData(), dims, op, options, computes && unknown > 1);
    if (!plan)
      return rewriter.notifyMatchFailure(op, "the shape cannot be said");
    return reshapeInstead(rewriter, op, op.getLoc(), op.getData(), *plan);
  }
};

/// Two reshapes: what the first one does is undone or done by the second.
template <typename Op> struct MergeReshapes : Rewriting<Op> {
  MergeReshapes(MLIRContext *context, const RewriteOptions &options)
      : Rewriting<Op>(context, options, lowBenefit) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op->getOperand(0).getDefiningOp();
    if (!isReshape(inner) || !hasSureNumbers(inner) || !hasSureNumbers(op))
      return rewriter.notifyMatchFailure(op, "not of reshapes that must fit");
    if (auto reshape = dyn_cast<ReshapeOp>(inner);
        reshape && saysSize(reshape))
      return rewriter.notifyMatchFailure(op, "of a check of an input's size");
    Value data = inner->getOperand(0);
    SymbolicShapes shapes;
    if (shapes.isSameShape(data, op->getResult(0)))
      return replaceRoot(rewriter, op, data);
    // A shape that copies no dim says the same of any data.
    if (auto reshape = dyn_cast<ReshapeOp>(op.getOperation())) {
      std::optional<SmallVector<int64_t>> shape =
          getIntegers(reshape.getShape());
      if (reshape.getAllowzero() || (shape && !llvm::is_contained(*shape, 0))) {
        rewriter.modifyOpInPlace(
            op, [&] { reshape.getDataMutable().assign(data); });
        return success();
      }
    }
    std::optional<SmallVector<SymbolicDim>> dims =
        shapes.getDims(op->getResult(0));
    std::optional<ReshapePlan> plan =
        dims ? planReshape(shapes, data, *dims, op, this->options,
                           computesBesideUnknown(op) ||
                               computesBesideUnknown(inner))
             : std::nullopt;
    if (!plan)
      return rewriter.notifyMatchFailure(op, "the shape cannot be said");
    return reshapeInstead(rewriter, op, fuseLocations(inner, op), data, *plan);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Through elementwise ops
//===----------------------------------------------------------------------===//

static bool hasOneElement(Value value) {
  RankedTensorType type = getStaticType(value);
  return type && type.getNumElements() == 1;
}

/// The operand that the op computes its result from element by element, while
/// all others are one element, of no rank above `maxRank`.
static std::optional<unsigned> getOnlyTensorOperand(Operation *op,
                                                    int64_t maxRank) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  bool isQuantization = isa<QuantizeLinearOp, DequantizeLinearOp>(op);
  if (isQuantization || isa<IdentityOp>(op))
    return !isQuantization || hasOneElement(op->getOperand(1))
               ? std::optional(0u)
               : std::nullopt;
  if (!isa<ScalarOpInterface>(op))
    return std::nullopt;
  std::optional<unsigned> only;
  for (OpOperand &operand : op->getOpOperands()) {
    if (hasOneElement(operand.get()) && *getRank(operand.get()) <= maxRank)
      continue;
    if (only)
      return std::nullopt;
    only = operand.getOperandNumber();
  }
  if (!only || getRank(op->getOperand(*only)) != getRank(op->getResult(0)) ||
      (isa<PReluOp, ClipOp, SwiGLUOp>(op) && *only != 0))
    return std::nullopt;
  return only;
}

namespace {
/// Reshape, elementwise ops, Reshape: these run in the first shape.
template <typename Op> struct MeetReshape : Rewriting<Op> {
  MeetReshape(MLIRContext *context, const RewriteOptions &options)
      : Rewriting<Op>(context, options, lowBenefit) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<std::pair<Operation *, unsigned>> between;
    Operation *first = op->getOperand(0).getDefiningOp();
    for (; first && !isReshape(first) && between.size() < maxBetween;) {
      std::optional<int64_t> rank = getRank(first->getResult(0));
      std::optional<unsigned> operand =
          rank ? getOnlyTensorOperand(first, *rank) : std::nullopt;
      if (!operand || !first->hasOneUse())
        return rewriter.notifyMatchFailure(op, "no chain of one tensor");
      between.push_back({first, *operand});
      first = first->getOperand(*operand).getDefiningOp();
    }
    if (!first || !isReshape(first) || between.empty() || !first->hasOneUse() ||
        !hasSureNumbers(first) || !hasSureNumbers(op))
      return rewriter.notifyMatchFailure(op, "no reshape at the other end");
    Value data = first->getOperand(0);
    auto type = dyn_cast<RankedTensorType>(data.getType());
    if (!type || isConstant(data))
      return rewriter.notifyMatchFailure(op, "no rank");
    for (auto [step, operand] : between)
      if (getOnlyTensorOperand(step, type.getRank()) != operand)
        return rewriter.notifyMatchFailure(op, "one element of a greater rank");
    SymbolicShapes shapes;
    std::optional<SmallVector<SymbolicDim>> dims =
        shapes.getDims(op->getResult(0));
    bool isSame = shapes.isSameShape(data, op->getResult(0));
    std::optional<ReshapePlan> plan;
    if (dims && !isSame)
      plan = planReshape(shapes, data, *dims, op, this->options,
                         computesBesideUnknown(op) ||
                             computesBesideUnknown(first));
    if (!isSame && !plan)
      return rewriter.notifyMatchFailure(op, "the shape cannot be said");
    Type result = op->getResult(0).getType();
    if (isSame &&
        !joinTypes(RankedTensorType::get(type.getShape(),
                                         getElementType(op->getResult(0))),
                   result))
      return rewriter.notifyMatchFailure(op, "types contradict");
    for (auto [step, operand] : llvm::reverse(between)) {
      Operation *moved = rewriter.clone(*step);
      moved->setOperand(operand, data);
      moved->getResult(0).setType(RankedTensorType::get(
          type.getShape(), getElementType(step->getResult(0))));
      data = moved->getResult(0);
    }
    if (isSame)
      return replaceRoot(rewriter, op, data);
    return reshapeInstead(rewriter, op, fuseLocations(first, op), data, *plan);
  }

  static constexpr unsigned maxBetween = 16;
};

//===----------------------------------------------------------------------===//
// Before broadcasting
//===----------------------------------------------------------------------===//

/// What stretches or reshapes an operand that is broadcast in any case.
struct DropBeforeBroadcast : RewritePattern {
  explicit DropBeforeBroadcast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isMatMul = isa<MatMulOp>(op);
    bool broadcasts = isa<ScalarOpInterface>(op) && op->getNumOperands() > 1 &&
                      !isa<ClipOp, SwiGLUOp>(op);
    if (!isMatMul && !broadcasts)
      return rewriter.notifyMatchFailure(op, "does not broadcast");
    for (OpOperand &operand : op->getOpOperands()) {
      // The first operand of PRelu gives the shape.
      if (isa<PReluOp>(op) && operand.getOperandNumber() == 0)
        continue;
      if (!canDrop(op, operand, isMatMul ? 2 : 0))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        operand.set(operand.get().getDefiningOp()->getOperand(0));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every operand is needed as it is");
  }

private:
  /// Whether the producer of the operand may be left out. The last `fixed` dims
  /// do not broadcast.
  static bool canDrop(Operation *op, OpOperand &operand, int64_t fixed) {
    Operation *producer = operand.get().getDefiningOp();
    bool stretches = isa_and_present<ExpandOp, TileOp>(producer);
    if ((!stretches && !isReshape(producer)) || !hasSureNumbers(producer))
      return false;
    Value data = producer->getOperand(0);
    std::optional<int64_t> rank = getRank(op->getResult(0));
    if (!rank || getConstant(data))
      return false;
    // Nothing is gained while the reshape stays; and patterns tell x * x by its
    // operands being one.
    if ((!stretches && !operand.get().hasOneUse()) ||
        llvm::count(op->getOperands(), operand.get()) > 1)
      return false;
    SymbolicShapes shapes;
    std::optional<SmallVector<SymbolicDim>> before = shapes.getDims(data),
                                            after =
                                                shapes.getDims(operand.get());
    if (!before || !after)
      return false;
    SmallVector<SmallVector<SymbolicDim>> others;
    int64_t reached = before->size();
    for (OpOperand &other : op->getOpOperands()) {
      if (other.getOperandNumber() == operand.getOperandNumber())
        continue;
      std::optional<SmallVector<SymbolicDim>> dims =
          shapes.getDims(other.get());
      if (!dims)
        return false;
      reached = std::max<int64_t>(reached, dims->size());
      others.push_back(std::move(*dims));
    }
    if (reached != *rank || static_cast<int64_t>(before->size()) < fixed ||
        static_cast<int64_t>(after->size()) < fixed)
      return false;
    auto dimFromEnd = [](ArrayRef<SymbolicDim> dims, int64_t i) {
      return i < static_cast<int64_t>(dims.size()) ? dims[dims.size() - 1 - i]
                                                   : SymbolicDim(1);
    };
    int64_t count = std::max(before->size(), after->size());
    for (int64_t i = 0; i < count; ++i) {
      SymbolicDim from = dimFromEnd(*before, i), to = dimFromEnd(*after, i);
      if (shapes.isSame(from, to))
        continue;
      if (!stretches || !from.is(1) || i < fixed)
        return false;
      // Another operand stretches it to the same.
      if (llvm::none_of(others, [&](ArrayRef<SymbolicDim> dims) {
            return shapes.isSame(dimFromEnd(dims, i), to);
          }))
        return false;
    }
    return true;
  }
};

struct ReshapeSimplify : onnxc::impl::ReshapeSimplifyBase<ReshapeSimplify> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    add<ReshapeOp>(patterns, options);
    add<SqueezeOp>(patterns, options);
    add<UnsqueezeOp>(patterns, options);
    add<FlattenOp>(patterns, options);
    patterns.add<ReshapeByNumbers>(patterns.getContext(), options);
    patterns.add<DropBeforeBroadcast>(patterns.getContext());
  }

private:
  template <typename Op>
  static void add(RewritePatternSet &patterns, const RewriteOptions &options) {
    patterns.add<ForwardSameShape<Op>, ReshapeConstant<Op>, MergeReshapes<Op>,
                 MeetReshape<Op>>(patterns.getContext(), options);
  }
};
} // namespace
