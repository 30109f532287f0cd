//===- ReduceSimplify.cpp - Reductions of little, and in a row ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

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
/// Of one number, the sum, the product, the mean and the extremes are it.
template <typename Op> struct ReduceNothing : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> axes = getReducedAxes(op);
    if (!axes || llvm::any_of(*axes, [&](int64_t axis) {
          return getDim(op.getData(), axis) != 1;
        }))
      return rewriter.notifyMatchFailure(op, "reduces more than one element");
    if (op.getKeepdims() || axes->empty())
      return replaceRoot(rewriter, op, op.getData());
    Value dropped = makeConstant(rewriter, op,
                                 makeIntegers(op.getContext(), *axes), "axes");
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
    // Sums and products of integers wrap around in any order; quotients, roots
    // and absolute values are taken once or twice.
    if (isa<ReduceMeanOp, ReduceL1Op, ReduceL2Op>(op.getOperation()) &&
        !isa_and_present<FloatType>(getElementType(op.getData())))
      return rewriter.notifyMatchFailure(op, "integers are rounded in between");
    std::optional<SmallVector<int64_t>> first = getReducedAxes(inner);
    // The types are those of the results: ranks may still be unknown.
    std::optional<SmallVector<int64_t>> second = getReducedAxes(op);
    if (!first || !second || first->empty() || second->empty())
      return rewriter.notifyMatchFailure(op, "the axes are not known");
    SmallVector<int64_t> left;
    for (int64_t i = 0; i < *getRank(inner.getData()); ++i)
      if (op.getKeepdims() || !llvm::is_contained(*first, i))
        left.push_back(i);
    if (*getRank(op.getData()) != static_cast<int64_t>(left.size()))
      return rewriter.notifyMatchFailure(op, "the ranks contradict");
    SmallVector<int64_t> all = *first;
    for (int64_t axis : *second)
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

/// What Sqrt leaves of rounding is rounding; a sum of squares alone may be one
/// side of a difference that cancels, and stays as it is summed up.
struct RootOfSquares : Rewriting<SqrtOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SqrtOp op,
                                PatternRewriter &rewriter) const override {
    Operation *sum = op.getX().getDefiningOp();
    if (!sum || !sum->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a sum of its own");
    if (auto squares = dyn_cast<ReduceSumSquareOp>(sum))
      return replaceSum(op, squares, squares.getData(), rewriter);
    auto plain = dyn_cast<ReduceSumOp>(sum);
    Value x = plain ? getSquared(plain.getData()) : Value();
    if (!x)
      return rewriter.notifyMatchFailure(op, "not of a sum of squares");
    return replaceSum(op, plain, x, rewriter);
  }

private:
  /// What a value is the square of, which nothing else uses.
  static Value getSquared(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasOneUse() || !isa<MulOp, PowOp>(op))
      return {};
    Value x = op->getOperand(0), y = op->getOperand(1);
    bool isSquare =
        isa<MulOp>(op)
            ? x == y
            : getNumber(y) == 2 && broadcastsInto(*getShape(y), x.getType());
    return isSquare ? x : Value();
  }

  template <typename Op>
  LogicalResult replaceSum(SqrtOp op, Op sum, Value x,
                           PatternRewriter &rewriter) const {
    // Without axes, noop_with_empty_axes leaves the squares: no case for L2.
    if (sum.getNoopWithEmptyAxes() && !hasAxes(sum))
      return rewriter.notifyMatchFailure(op, "may reduce nothing");
    if (sum.getAxes() && !isConstant(sum.getAxes()) &&
        !isAvailable(axesAsOperand, op, options))
      return rewriter.notifyMatchFailure(op, "the axes are not known");
    rewriter.replaceOpWithNewOp<ReduceL2Op>(op, op.getType(), x, sum.getAxes(),
                                            sum.getKeepdimsAttr(),
                                            IntegerAttr());
    return success();
  }

  template <typename Op> static bool hasAxes(Op op) {
    std::optional<SmallVector<int64_t>> axes =
        op.getAxes() ? getIntegers(op.getAxes()) : std::nullopt;
    return axes && !axes->empty();
  }

  /// Before, the axes of ReduceL2 are an attribute.
  static constexpr int64_t axesAsOperand = 18;
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
                   RootOfSquares, PoolNothing<MaxPoolOp>,
                   PoolNothing<AveragePoolOp>> {};
} // namespace
