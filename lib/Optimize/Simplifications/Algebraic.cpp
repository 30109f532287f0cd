//===- Algebraic.cpp - Laws of arithmetic and logic -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_ALGEBRAIC
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static bool isIntegral(Value value) {
  return isa_and_present<IntegerType>(optimize::getElementType(value));
}

/// Whether a constant that is all `number` leaves the shape of `x` as it is.
static bool isUnit(Value u, double number, Value x) {
  return isAll(u, number) && broadcastsInto(*getShape(u), x.getType());
}

namespace {
/// Neighbours that cancel a sign.
struct CancelNeg : RewritePattern {
  CancelNeg(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (auto abs = dyn_cast<AbsOp>(op))
      if (auto neg = abs.getX().getDefiningOp<NegOp>()) {
        rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, neg.getX()); });
        return success();
      }
    if (isa<NegOp>(op))
      return swapDifference(op, rewriter);
    if (!isa<AddOp, SubOp>(op))
      return rewriter.notifyMatchFailure(op, "no sum");
    Value x = op->getOperand(0), y = op->getOperand(1);
    auto negated = getNegated(y);
    if (!negated && isa<AddOp>(op)) {
      negated = getNegated(x);
      std::swap(x, y);
    }
    if (!negated)
      return rewriter.notifyMatchFailure(op, "no operand is negated");
    // Neg is of fewer types: what it is of, sums are of, too.
    Type type = op->getResult(0).getType();
    if (isa<AddOp>(op))
      rewriter.replaceOpWithNewOp<SubOp>(op, type, x, negated);
    else
      rewriter.replaceOpWithNewOp<AddOp>(op, type, x, negated);
    return success();
  }

private:
  static Value getNegated(Value value) {
    auto neg = value.getDefiningOp<NegOp>();
    return neg && neg->hasOneUse() ? neg.getX() : Value();
  }

  /// -(a - b) is b - a, but for the sign of 0.
  LogicalResult swapDifference(Operation *op, PatternRewriter &rewriter) const {
    auto sub = op->getOperand(0).getDefiningOp<SubOp>();
    if (!sub || !sub->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a difference");
    if (!options.noSignedZeros && !isIntegral(sub))
      return rewriter.notifyMatchFailure(op, "-(a - a) is -0");
    rewriter.replaceOpWithNewOp<SubOp>(op, op->getResult(0).getType(),
                                       sub.getB(), sub.getA());
    return success();
  }

  RewriteOptions options;
};

/// x * -1 is -x.
struct NegateByFactor : Rewriting<MulOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getA(), factor = op.getB();
    if (!isUnit(factor, -1, x))
      std::swap(x, factor);
    if (!isUnit(factor, -1, x))
      return rewriter.notifyMatchFailure(op, "no factor is -1");
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), x);
    return success();
  }
};

/// Ops of several operands that are one and the same, or only one.
struct ForwardSameOperands : RewritePattern {
  ForwardSameOperands(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isOfOne = hasFact(op, OpFact::SelfOfOne) && op->getNumOperands() == 1;
    bool isOfSame =
        hasFact(op, OpFact::SameOfSame) && llvm::all_equal(op->getOperands());
    if (!isOfOne && !isOfSame)
      return rewriter.notifyMatchFailure(op, "operands differ");
    return replaceRoot(rewriter, op, op->getOperand(0));
  }

private:
  RewriteOptions options;
};

/// Bits and truth values against a constant. Floats have no such laws.
struct ForwardBesideConstant : RewritePattern {
  ForwardBesideConstant(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<ScalarOpInterface>(op) || op->getNumOperands() != 2)
      return rewriter.notifyMatchFailure(op, "not of two operands");
    Value x = op->getOperand(0), y = op->getOperand(1);
    if (!isa<BitShiftOp>(op) && isConstant(x))
      std::swap(x, y);
    if (!isIntegral(x) || !isConstant(y) ||
        !broadcastsInto(*getShape(y), x.getType()))
      return rewriter.notifyMatchFailure(op, "beside no constant");
    bool isBool = optimize::getElementType(x).isInteger(1);
    if (isa<EqualOp>(op) && !isBool)
      return rewriter.notifyMatchFailure(op, "compares numbers");
    std::optional<double> neutral = getNeutral(op, y);
    if (!neutral)
      return rewriter.notifyMatchFailure(op, "no such operator");
    if (isAll(y, *neutral))
      return replaceRoot(rewriter, op, x);
    if (isa<EqualOp, XorOp>(op) && isAll(y, isa<EqualOp>(op) ? 0 : 1)) {
      rewriter.replaceOpWithNewOp<NotOp>(op, op->getResult(0).getType(), x);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "the constant changes something");
  }

private:
  static std::optional<double> getNeutral(Operation *op, Value y) {
    if (isa<EqualOp>(op))
      return 1;
    if (isa<BitwiseOrOp, BitwiseXorOp, XorOp>(op))
      return 0;
    if (isa<BitShiftOp>(op))
      return 0;
    if (!isa<BitwiseAndOp>(op))
      return std::nullopt;
    // All bits.
    auto type = cast<IntegerType>(optimize::getElementType(y));
    if (type.isUnsigned() && type.getWidth() > 32)
      return std::nan(""); // No double is it.
    return type.isUnsigned() ? std::ldexp(1.0, type.getWidth()) - 1 : -1;
  }

  RewriteOptions options;
};

/// A choice whose condition is constant, or between one value.
struct ForwardChosen : Rewriting<WhereOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(WhereOp op,
                                PatternRewriter &rewriter) const override {
    Value condition = op.getCondition(), chosen;
    if (op.getX() == op.getY() || isAll(condition, 1))
      chosen = op.getX();
    else if (isAll(condition, 0))
      chosen = op.getY();
    if (!chosen)
      return rewriter.notifyMatchFailure(op, "both may be taken");
    for (Value other : {condition, op.getX(), op.getY()}) {
      std::optional<ArrayRef<int64_t>> shape = getShape(other);
      if (other != chosen &&
          (!shape || !broadcastsInto(*shape, chosen.getType())))
        return rewriter.notifyMatchFailure(op, "may change the shape");
    }
    return replaceRoot(rewriter, op, chosen);
  }
};

/// Of integers, or where nothing is NaN, there are two ways only.
template <typename From, typename To>
struct InvertComparison : Rewriting<NotOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(NotOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<From>();
    if (!inner || !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of this comparison alone");
    if (!isIntegral(inner->getOperand(0)) && !options.noNaNs)
      return rewriter.notifyMatchFailure(op, "not of a comparison of integers");
    if (!isAvailable<To>(op, options))
      return rewriter.notifyMatchFailure(op, "the opset has no inverse");
    rewriter.replaceOpWithNewOp<To>(op, op.getType(), inner->getOperand(0),
                                    inner->getOperand(1));
    return success();
  }
};
} // namespace

namespace {
struct Algebraic
    : PatternsPass<onnxc::impl::AlgebraicBase<Algebraic>, CancelNeg,
                   NegateByFactor, ForwardSameOperands, ForwardBesideConstant,
                   ForwardChosen, InvertComparison<LessOp, GreaterOrEqualOp>,
                   InvertComparison<GreaterOp, LessOrEqualOp>,
                   InvertComparison<LessOrEqualOp, GreaterOp>,
                   InvertComparison<GreaterOrEqualOp, LessOp>> {};
} // namespace
