//===- FuseSoftmax.cpp - Softmax and its logarithm in their parts ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSESOFTMAX
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// From this version on the softmaxes are along one axis.
static constexpr int64_t softmaxVersion = 13;

namespace {
/// What a softmax is of.
struct Softmaxed {
  Value x;
  int64_t axis;
};
} // namespace

/// x - max(x); without the maximum exp may overflow, and the quotient is NaN
/// where Softmax is not.
static std::optional<Softmaxed> readShifted(Parts &parts, Value value,
                                            const RewriteOptions &options) {
  if (auto sub = parts.find<SubOp>(value)) {
    auto greatest = readReduction<ReduceMaxOp>(parts, sub.getB());
    if (greatest && greatest->axes.size() == 1 &&
        areSameValue(greatest->input, sub.getA()))
      return Softmaxed{sub.getA(), greatest->axes[0]};
  }
  if (options.noInfinities)
    return Softmaxed{value, -1};
  return std::nullopt;
}

/// exp(x - max(x)), summed up along the axis.
static std::optional<Softmaxed> readSumOfPowers(Parts &parts, Value value,
                                                const RewriteOptions &options) {
  auto sum = readReduction<ReduceSumOp>(parts, value);
  auto exp =
      sum && sum->axes.size() == 1 ? parts.find<ExpOp>(sum->input) : ExpOp();
  auto softmaxed = exp ? readShifted(parts, exp.getInput(), options)
                       : std::optional<Softmaxed>();
  if (!softmaxed || (softmaxed->axis >= 0 && softmaxed->axis != sum->axes[0]))
    return std::nullopt;
  softmaxed->axis = sum->axes[0];
  return softmaxed;
}

namespace {
template <typename Root> struct RecognizeSoftmax : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    if (!isAvailable(softmaxVersion, op, this->options))
      return rewriter.notifyMatchFailure(op, "Softmax is of several axes");
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    if (product.factors.size() != 1 || product.divisors.size() != 1 ||
        product.coefficient != 1)
      return rewriter.notifyMatchFailure(op, "no quotient");
    auto exp = parts.find<ExpOp>(product.factors[0]);
    auto found =
        exp ? readSumOfPowers(parts, product.divisors[0], this->options)
            : std::optional<Softmaxed>();
    auto shifted = found ? readShifted(parts, exp.getInput(), this->options)
                         : std::optional<Softmaxed>();
    if (!shifted || !areSameValue(shifted->x, found->x) ||
        (shifted->axis >= 0 && shifted->axis != found->axis))
      return rewriter.notifyMatchFailure(op, "not exp(x) over its sum");
    Type type = getResultType(op, found->x);
    if (!type || !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "a part has other uses");
    auto softmax =
        SoftmaxOp::create(rewriter, fuseLocations(parts.getFirst(), op), type,
                          found->x, rewriter.getI64IntegerAttr(found->axis));
    return replaceRoot(rewriter, op, softmax->getResults());
  }
};

/// x - max(x) - log(sum(exp(x - max(x)))), the subtractions in either order.
struct RecognizeLogSoftmax : Rewriting<SubOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SubOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAvailable(softmaxVersion, op, options))
      return rewriter.notifyMatchFailure(op, "LogSoftmax is of several axes");
    Parts parts(op);
    std::optional<Softmaxed> found = readShiftedFirst(parts, op);
    if (!found) {
      parts.returnTo(1);
      found = readShiftedLast(parts, op);
    }
    if (!found)
      return rewriter.notifyMatchFailure(op, "no logarithm of a softmax");
    Type type = getResultType(op, found->x);
    if (!type || !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "a part has other uses");
    auto softmax = LogSoftmaxOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), type, found->x,
        rewriter.getI64IntegerAttr(found->axis));
    return replaceRoot(rewriter, op, softmax->getResults());
  }

private:
  /// (x - max(x)) - log(...)
  std::optional<Softmaxed> readShiftedFirst(Parts &parts, SubOp op) const {
    auto shifted = readShifted(parts, op.getA(), options);
    auto log = shifted ? parts.find<LogOp>(op.getB()) : LogOp();
    auto sum = log ? readSumOfPowers(parts, log.getInput(), options)
                   : std::optional<Softmaxed>();
    if (!sum || !areSameValue(sum->x, shifted->x) ||
        (shifted->axis >= 0 && shifted->axis != sum->axis))
      return std::nullopt;
    return sum;
  }

  /// x - (max(x) + log(...))
  std::optional<Softmaxed> readShiftedLast(Parts &parts, SubOp op) const {
    auto add = parts.find<AddOp>(op.getB());
    std::optional<Softmaxed> found;
    if (add)
      inAnyOrder(add, [&](Value greatest, Value logarithm) {
        size_t mark = parts.getMark();
        auto max = readReduction<ReduceMaxOp>(parts, greatest);
        auto log = max ? parts.find<LogOp>(logarithm) : LogOp();
        auto sum = log ? readSumOfPowers(parts, log.getInput(), options)
                       : std::optional<Softmaxed>();
        if (sum && areSameValue(sum->x, op.getA()) &&
            areSameValue(max->input, sum->x) && max->axes.size() == 1 &&
            max->axes[0] == sum->axis) {
          found = sum;
          return true;
        }
        parts.returnTo(mark);
        return false;
      });
    return found;
  }
};

/// log(sum(exp(x))), if exp does not overflow.
struct RecognizeLogSumExp : Rewriting<LogOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!options.noInfinities)
      return rewriter.notifyMatchFailure(
          op, "where the sum is infinite, so is its logarithm");
    Parts parts(op);
    auto sum = parts.find<ReduceSumOp>(op.getInput());
    auto exp = sum ? parts.find<ExpOp>(sum.getData()) : ExpOp();
    if (!exp || !parts.areSelfContained() ||
        !isa<FloatType>(getElementType(exp.getInput())))
      return rewriter.notifyMatchFailure(op, "not log(sum(exp(x)))");
    auto reduce = ReduceLogSumExpOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), op.getType(),
        exp.getInput(), sum.getAxes(), sum.getKeepdimsAttr(),
        sum.getNoopWithEmptyAxesAttr());
    return replaceRoot(rewriter, op, reduce->getResults());
  }
};

struct FuseSoftmax : onnxc::impl::FuseSoftmaxBase<FuseSoftmax> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<RecognizeSoftmax<DivOp>, RecognizeSoftmax<MulOp>,
                 RecognizeLogSoftmax, RecognizeLogSumExp>(patterns.getContext(),
                                                          options);
  }
};
} // namespace
