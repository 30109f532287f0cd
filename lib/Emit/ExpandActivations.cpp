//===- ExpandActivations.cpp - Activations as one quotient ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of several math ops that are a quotient of small numbers in terms
// of one power of e. That is as exact as the parts, and less work: what a part
// must do for the ends of its range, the whole need not.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathBuilder.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace onnxc;
using arith::CmpFPredicate;

namespace {

const Instruction *findEstimate(Type type, TargetAttr target) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? findInstruction(target, Capability::EstimateInverse,
                                  4 * vector.getNumElements())
                : nullptr;
}

/// 1 / x for x from 1 to 2^126, or NaN.
Value invert(MathBuilder &b, Value x, TargetAttr target) {
  Value one = b.constantLike(x, 1.0);
  auto type = dyn_cast<VectorType>(x.getType());
  const Instruction *estimate = findEstimate(x.getType(), target);
  if (!estimate)
    return b.make<arith::DivFOp>(one, x);
  // From 14 right bits to 28 by a step of Newton's; a division of such a vector
  // takes as long as all else.
  Value all = LLVM::ConstantOp::create(b.b, b.b.getI16Type(),
                                       b.b.getI16IntegerAttr(-1));
  Value guess = callInstruction(b.b, x.getLoc(), *estimate, type,
                                {x, b.constantLike(x, 0.0), all});
  Value error = b.fma(b.make<arith::NegFOp>(guess), x, one);
  return b.fma(guess, error, guess);
}

/// The other operand of an addition of `number`.
Value addend(Value sum, double number) {
  auto op = sum.getDefiningOp<arith::AddFOp>();
  if (!op || !op->hasOneUse())
    return Value();
  if (getSplat(op.getLhs()) == number)
    return op.getRhs();
  return getSplat(op.getRhs()) == number ? op.getLhs() : Value();
}

/// 1 / (1 + exp(-x)).
struct ExpandSigmoid : OpRewritePattern<arith::DivFOp> {
  ExpandSigmoid(MLIRContext *context, TargetAttr target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Value power = addend(op.getRhs(), 1);
    auto exp = power ? power.getDefiningOp<math::ExpOp>() : math::ExpOp();
    if (!isFloat32(op.getType()) || getSplat(op.getLhs()) != 1 || !exp ||
        !exp->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not 1 / (1 + exp(-x))");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = exp.getOperand();
    int sign = 1;
    if (auto negated = x.getDefiningOp<arith::NegFOp>()) {
      x = negated.getOperand();
      sign = -1;
    }
    rewriter.replaceOp(op, findEstimate(op.getType(), target)
                               ? byEstimate(b, x, sign)
                               : byQuotient(b, x, sign));
    return success();
  }

private:
  /// Within bounds of sign * x.
  static Value clampSigned(MathBuilder &b, Value x, int sign, double low,
                           double high) {
    return sign > 0 ? b.clamp(x, low, high) : b.clamp(x, -high, -low);
  }

  /// Four times numerator and denominator: where the result would be
  /// subnormal, the denominator is infinite, and it is 0.
  static Value byQuotient(MathBuilder &b, Value x, int sign) {
    // Of 88 the power is 2^127 and some more, whose factor is infinite: beyond
    // that its bits would be those of other numbers.
    x = clampSigned(b, x, sign, kLeastNormalExponent, 88);
    Value power = buildNormalExp(b, x, sign, /*shift=*/2);
    Value sum = b.make<arith::AddFOp>(power, 4.0);
    return b.make<arith::DivFOp>(b.constantLike(sum, 4.0), sum);
  }

  Value byEstimate(MathBuilder &b, Value x, int sign) const {
    // Beyond the bounds the result is 1, or subnormal and given as 0.
    constexpr double least = 0x1.5d589ep6; // below 126 ln 2
    Value isTiny = b.compare(sign > 0 ? CmpFPredicate::OGT : CmpFPredicate::OLT,
                             x, sign * least);
    x = clampSigned(b, x, sign, kLeastNormalExponent, least);
    Value sum = b.make<arith::AddFOp>(buildNormalExp(b, x, sign), 1.0);
    return b.select(isTiny, 0.0, invert(b, sum, target));
  }

  TargetAttr target;
};

/// tanh(log(1 + exp(x))), where the logarithm is written max(x, 0) +
/// log(1 + exp(-|x|)): with e = exp(-|x|), by the definition of tanh, it is
/// (1 + 2e) / (1 + 2e + 2e^2) or, below 0, (2e + e^2) / (2e + e^2 + 2).
struct ExpandTanhOfSoftplus : OpRewritePattern<math::TanhOp> {
  ExpandTanhOfSoftplus(MLIRContext *context, TargetAttr target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    Value x =
        isFloat32(op.getType()) ? matchSoftplus(op.getOperand()) : Value();
    if (!x)
      return rewriter.notifyMatchFailure(op, "not of a softplus of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value isNegative = b.compare(CmpFPredicate::OLT, x, 0.0);
    Value e = buildNormalExp(
        b, b.clamp(b.make<arith::NegFOp>(b.make<math::AbsFOp>(x)),
                   kLeastNormalExponent, 0));
    Value twice = b.make<arith::AddFOp>(e, e);
    Value above = b.make<arith::AddFOp>(twice, 1.0);
    Value below = b.fma(e, e, twice);
    Value divisorBelow = b.make<arith::AddFOp>(below, 2.0);
    Value divisor = b.select(isNegative, divisorBelow, b.fma(twice, e, above));
    Value numerator = b.select(isNegative, below, above);
    Value y = b.make<arith::MulFOp>(numerator, invert(b, divisor, target));
    Value isTiny = b.compare(CmpFPredicate::OLT, x, kLeastNormalExponent);
    rewriter.replaceOp(op, b.select(isTiny, 0.0, y));
    return success();
  }

private:
  /// The x of a softplus.
  static Value matchSoftplus(Value value) {
    auto sum = value.getDefiningOp<arith::AddFOp>();
    if (!sum)
      return Value();
    Value maximum = sum.getLhs(), tail = sum.getRhs();
    if (!maximum.getDefiningOp<arith::MaximumFOp>())
      std::swap(maximum, tail);
    auto max = maximum.getDefiningOp<arith::MaximumFOp>();
    if (!max || getSplat(max.getRhs()) != 0)
      return Value();
    Value power;
    if (auto log = tail.getDefiningOp<math::Log1pOp>())
      power = log.getOperand();
    else if (auto log = tail.getDefiningOp<math::LogOp>())
      power = addend(log.getOperand(), 1);
    auto exp = power ? power.getDefiningOp<math::ExpOp>() : math::ExpOp();
    auto neg =
        exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
    auto abs =
        neg ? neg.getOperand().getDefiningOp<math::AbsFOp>() : math::AbsFOp();
    return abs && abs.getOperand() == max.getLhs() ? max.getLhs() : Value();
  }

  TargetAttr target;
};

/// log(1 + e), e = exp(-|x|): twice the inverse hyperbolic tangent of s / 2, s
/// = 2e / (2 + e), which is at most 2 / 3.
struct ExpandLogOfPower : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    auto exp = op.getOperand().getDefiningOp<math::ExpOp>();
    auto neg =
        exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
    if (!isFloat32(op.getType()) || !neg ||
        !neg.getOperand().getDefiningOp<math::AbsFOp>())
      return rewriter.notifyMatchFailure(op, "not log(1 + exp(-|x|)) of f32");
    for (Operation *sum : op->getUsers())
      if (llvm::any_of(sum->getUsers(), llvm::IsaPred<math::TanhOp>))
        return rewriter.notifyMatchFailure(op, "left to the tanh of it");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value e = exp.getResult(), twice = b.make<arith::AddFOp>(e, e);
    Value s = b.make<arith::DivFOp>(twice, b.make<arith::AddFOp>(e, 2.0));
    Value z = b.make<arith::MulFOp>(s, s);
    Value p = b.polynomial(z, {0.08333302289247513, 0.012506727129220963,
                               0.00218764110468328, 0.0005471091135405004});
    rewriter.replaceOp(op, b.fma(b.make<arith::MulFOp>(s, z), p, s));
    return success();
  }
};

} // namespace

void onnxc::populateExpandActivationPatterns(RewritePatternSet &patterns,
                                             TargetAttr target) {
  patterns.add<ExpandSigmoid, ExpandTanhOfSoftplus>(patterns.getContext(),
                                                    target);
  patterns.add<ExpandLogOfPower>(patterns.getContext());
}
