//===- ReduceSimplify.cpp - Reductions of little, and in a row -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matching.h"
#include "Rewriting.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_REDUCESIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// What a reduction is along.
struct Axes {
  int64_t rank;
  SmallVector<int64_t> list;
};
} // namespace

/// The axes of a reduction, from the front and in order; nullopt if they are
/// not known.
template <typename Op> static std::optional<Axes> getReducedAxes(Op op) {
  std::optional<int64_t> rank = getRank(op.getData());
  if (!rank)
    return std::nullopt;
  SmallVector<int64_t> axes;
  if (op.getAxes()) {
    std::optional<SmallVector<int64_t>> given = getIntegers(op.getAxes());
    if (!given)
      return std::nullopt;
    axes = *given;
  }
  if (axes.empty()) {
    if (op.getNoopWithEmptyAxes())
      return Axes{*rank, {}};
    return Axes{*rank, llvm::to_vector(llvm::seq<int64_t>(0, *rank))};
  }
  std::optional<SmallVector<int64_t>> places = normalizeAxes(axes, *rank);
  if (!places)
    return std::nullopt;
  llvm::sort(*places);
  return Axes{*rank, *places};
}

namespace {
/// Of one number, the sum, the product, the mean and the extremes are it.
template <typename Op> struct ReduceNothing : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<Axes> axes = getReducedAxes(op);
    if (!axes || llvm::any_of(axes->list, [&](int64_t axis) {
          return getDim(op.getData(), axis) != 1;
        }))
      return rewriter.notifyMatchFailure(op, "reduces more than one element");
    if (op.getKeepdims() || axes->list.empty())
      return replaceRoot(rewriter, op, op.getData());
    Value dropped = makeConstant(
        rewriter, op, makeIntegers(op.getContext(), axes->list), "axes");
    rewriter.replaceOpWithNewOp<SqueezeOp>(op, op.getType(), op.getData(),
                                           dropped);
    return success();
  }
};

/// Two reductions of a kind along different axes are one.
template <typename Op> struct MergeReductions : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().template getDefiningOp<Op>();
    if (!inner || !inner->hasOneUse() ||
        inner.getKeepdims() != op.getKeepdims())
      return rewriter.notifyMatchFailure(op, "not of a reduction like it");
    std::optional<Axes> first = getReducedAxes(inner);
    // The types are those of the results: ranks may still be unknown.
    std::optional<Axes> second = getReducedAxes(op);
    if (!first || !second || first->list.empty() || second->list.empty())
      return rewriter.notifyMatchFailure(op, "the axes are not known");
    SmallVector<int64_t> left;
    for (int64_t i = 0; i < first->rank; ++i)
      if (op.getKeepdims() || !llvm::is_contained(first->list, i))
        left.push_back(i);
    if (second->rank != static_cast<int64_t>(left.size()))
      return rewriter.notifyMatchFailure(op, "the ranks contradict");
    SmallVector<int64_t> all = first->list;
    for (int64_t axis : second->list)
      if (!llvm::is_contained(all, left[axis]))
        all.push_back(left[axis]);
    llvm::sort(all);
    Value axes =
        makeConstant(rewriter, op, makeIntegers(op.getContext(), all), "axes");
    rewriter.modifyOpInPlace(op, [&] {
      op.getDataMutable().assign(inner.getData());
      op.getAxesMutable().assign(axes);
    });
    return success();
  }
};

/// A sum of what has an operator of its own.
struct SumOfPowers : Rewriting<ReduceSumOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReduceSumOp op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getData().getDefiningOp();
    if (!inner || !inner->hasOneUse() ||
        (op.getNoopWithEmptyAxes() && !hasAxes(op)))
      return rewriter.notifyMatchFailure(op, "not of an op of its own");
    Value x = inner->getNumOperands() ? inner->getOperand(0) : Value();
    if (isa<AbsOp>(inner))
      return replaceBy<ReduceL1Op>(op, x, rewriter);
    if ((isa<MulOp>(inner) && x == inner->getOperand(1)) ||
        (isa<PowOp>(inner) && getNumber(inner->getOperand(1)) == 2 &&
         isa<FloatType>(optimize::getElementType(x)) &&
         broadcastsInto(*getShape(inner->getOperand(1)), x.getType())))
      return replaceBy<ReduceSumSquareOp>(op, x, rewriter);
    return rewriter.notifyMatchFailure(op, "not of squares or absolutes");
  }

private:
  static bool hasAxes(ReduceSumOp op) {
    std::optional<SmallVector<int64_t>> axes =
        op.getAxes() ? getIntegers(op.getAxes()) : std::nullopt;
    return axes && !axes->empty();
  }

  /// Before opset 18 the axes of these are an attribute.
  template <typename To>
  LogicalResult replaceBy(ReduceSumOp op, Value x,
                          PatternRewriter &rewriter) const {
    if (op.getAxes() && !isConstant(op.getAxes()) &&
        !isAvailable(axesAsOperand, op, options))
      return rewriter.notifyMatchFailure(op, "the axes are not known");
    // Before 18, these know no noop_with_empty_axes.
    rewriter.replaceOpWithNewOp<To>(op, op.getType(), x, op.getAxes(),
                                    op.getKeepdimsAttr(), IntegerAttr());
    return success();
  }

  static constexpr int64_t axesAsOperand = 18;
};

struct RootOfSquares : Rewriting<SqrtOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SqrtOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReduceSumSquareOp>();
    if (!inner || !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a sum of squares");
    rewriter.replaceOpWithNewOp<ReduceL2Op>(
        op, op.getType(), inner.getData(), inner.getAxes(),
        inner.getKeepdimsAttr(), inner.getNoopWithEmptyAxesAttr());
    return success();
  }
};

/// A pool of windows of one element.
template <typename Op> struct PoolNothing : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto areAll = [](std::optional<ArrayRef<int64_t>> list, int64_t number) {
      return !list ||
             llvm::all_of(*list, [&](int64_t n) { return n == number; });
    };
    if (!areAll(op.getKernelShape(), 1) || !areAll(op.getStrides(), 1) ||
        !areAll(op.getPads(), 0))
      return rewriter.notifyMatchFailure(op, "windows or steps are larger");
    SmallVector<Value> by = {op.getX()};
    by.resize(op->getNumResults());
    return replaceRoot(rewriter, op, by);
  }
};
} // namespace

namespace {
struct ReduceSimplify
    : PatternsPass<onnxc::impl::ReduceSimplifyBase<ReduceSimplify>,
                   ReduceNothing<ReduceSumOp>, ReduceNothing<ReduceMeanOp>,
                   ReduceNothing<ReduceProdOp>, ReduceNothing<ReduceMaxOp>,
                   ReduceNothing<ReduceMinOp>, MergeReductions<ReduceSumOp>,
                   MergeReductions<ReduceMeanOp>, MergeReductions<ReduceProdOp>,
                   MergeReductions<ReduceMaxOp>, MergeReductions<ReduceMinOp>,
                   MergeReductions<ReduceL1Op>, MergeReductions<ReduceL2Op>,
                   SumOfPowers, RootOfSquares, PoolNothing<MaxPoolOp>,
                   PoolNothing<AveragePoolOp>> {};
} // namespace
