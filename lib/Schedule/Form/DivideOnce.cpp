//===- DivideOnce.cpp - Quotients by one divisor --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With r = 1 / d rounded, q = x * r is off by an ulp at most, and
// q + (x - q * d) * r, computed by fused multiply-adds, is x / d as it is
// rounded (P. Markstein, "Computation of elementary functions on the IBM RISC
// System/6000 processor"), unless something over- or underflows on the way.
// Numbers that are rounded to integers of few bits leave both cases to the
// first estimate: it is far beyond their range, or it is rounded to 0. The rest
// of tiny divisors would underflow beside quotients of any size: such constants
// are divided by. (Of a divisor that the run gives, nothing is known.)
//
// Adding 1.5 * 2^23 to a small number leaves its nearest integer, ties to even,
// in the low bits of the sum. What is brought into the range of bytes behind
// the rounding is brought there in front of it, so that it is small; and in
// front of the division where the divisor is a constant, so that nothing
// overflows there.
//
// Where an integer of 32 bits holds the number whatever the sums before it are,
// it is converted to one, and brought into the range as such: instructions that
// narrow integers do that by the way.
//
//===----------------------------------------------------------------------===//

#include "FloatBounds.h"

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_DIVIDEONCEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Whether all elements are divided by the same `divisor`.
bool isShared(arith::DivFOp op) {
  Value divisor = op.getRhs();
  auto isOne = [](AffineMap map) {
    return llvm::all_of(map.getResults(), [](AffineExpr expr) {
      return isa<AffineConstantExpr>(expr);
    });
  };
  auto argument = dyn_cast<BlockArgument>(divisor);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(parent))
    return argument.getArgNumber() < unsigned(generic.getNumDpsInputs()) &&
           isOne(generic.getIndexingMapsArray()[argument.getArgNumber()]);
  return false;
}

/// Rounds a normal constant's reciprocal; nothing if that is none.
std::optional<APFloat> reciprocalOf(Value divisor) {
  APFloat value(0.0f);
  if (!matchPattern(divisor, m_ConstantFloat(&value)) ||
      &value.getSemantics() != &APFloat::IEEEsingle() || !value.isNormal())
    return std::nullopt;
  APFloat reciprocal(1.0f);
  reciprocal.divide(value, APFloat::rmNearestTiesToEven);
  return reciprocal.isNormal() ? std::optional<APFloat>(reciprocal)
                               : std::nullopt;
}

/// select(x < most, x, most) of select(least < x, x, least).
struct Clamp {
  Value x;
  APFloat least{0.0f}, most{0.0f};
};

/// Matches select(lesser < greater, value, bound) where the bound is a constant
/// and the value and the bound are compared.
bool matchBound(Value clamped, bool isUpper, Value &value, APFloat &bound) {
  auto select = clamped.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || !clamped.getType().isF32())
    return false;
  Value lesser = compare.getLhs(), greater = compare.getRhs();
  if (compare.getPredicate() == arith::CmpFPredicate::OGT)
    std::swap(lesser, greater);
  else if (compare.getPredicate() != arith::CmpFPredicate::OLT)
    return false;
  value = select.getTrueValue();
  Value other = select.getFalseValue();
  return value == (isUpper ? lesser : greater) &&
         other == (isUpper ? greater : lesser) &&
         matchPattern(other, m_ConstantFloat(&bound)) && bound.isFinite();
}

std::optional<Clamp> matchClamp(Value value) {
  Clamp clamp;
  Value inner;
  if (!matchBound(value, /*isUpper=*/true, inner, clamp.most) ||
      !matchBound(inner, /*isUpper=*/false, clamp.x, clamp.least))
    return std::nullopt;
  return clamp;
}

Value makeConstant(OpBuilder &b, Location loc, const APFloat &value) {
  return arith::ConstantOp::create(b, loc,
                                   FloatAttr::get(b.getF32Type(), value));
}

/// NaN becomes `least`.
Value makeClamp(OpBuilder &b, Location loc, Value x, Value least, Value most) {
  auto isLess = [&](Value left, Value right) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, left,
                                 right);
  };
  x = arith::SelectOp::create(b, loc, isLess(least, x), x, least);
  return arith::SelectOp::create(b, loc, isLess(x, most), x, most);
}

/// The integer that a float was made of, as i32; null if there is none.
Value integerOf(OpBuilder &b, Location loc, Value value) {
  APFloat known(0.0f);
  if (matchPattern(value, m_ConstantFloat(&known))) {
    APSInt integer(32, /*isUnsigned=*/false);
    bool isExact = false;
    if (known.convertToInteger(integer, APFloat::rmTowardZero, &isExact) !=
            APFloat::opOK ||
        !isExact)
      return Value();
    return arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(int32_t(integer.getSExtValue())));
  }
  Operation *converted = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(converted) ||
      !converted->getOperand(0).getType().isInteger(32))
    return Value();
  return converted->getOperand(0);
}

constexpr float kRounder = 12582912.0f; // 1.5 * 2^23

/// Beyond it, 32 bits do not hold an integer to which a zero point is added.
constexpr double kMostInteger = 0x1p31 - 0x1p20;

/// Whether x times the constant `reciprocal` is too small to overflow.
bool isSmallQuotient(Value x, Value reciprocal) {
  std::optional<Clamp> clamp = matchClamp(x);
  APFloat factor(0.0f), limit(float(1 << 24));
  if (!matchPattern(reciprocal, m_ConstantFloat(&factor)))
    return false;
  if (clamp && abs(clamp->least * factor) < limit &&
      abs(clamp->most * factor) < limit)
    return true;
  std::optional<double> bound = onnxc::findBound(x);
  return bound && *bound * std::fabs(factor.convertToDouble()) < kMostInteger;
}

/// The bounds that an integer of few bits may have, and a zero point besides.
constexpr float kMostBound = 65536.0f;

/// Whether the bounds of a number are small enough for `kRounder`.
bool isNarrow(const Clamp &clamp) {
  APFloat limit(kMostBound);
  return !(abs(clamp.least) > limit) && !(abs(clamp.most) > limit);
}

/// Whether `value` is an integer of few bits: a constant, or extended from one.
bool isNarrowInteger(Value value) {
  APFloat known(0.0f);
  if (matchPattern(value, m_ConstantFloat(&known)))
    return !(abs(known) > APFloat(kMostBound));
  Operation *converted = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(converted))
    return false;
  Operation *extended = converted->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extended) &&
         extended->getOperand(0).getType().getIntOrFloatBitWidth() <= 16;
}

/// Whether all that becomes of `value` is brought into a range of few bits,
/// after a zero point was added to it or not.
bool isClamped(Value value) {
  if (value.hasOneUse())
    if (auto sum = dyn_cast<arith::AddFOp>(*value.user_begin());
        sum && isNarrowInteger(sum.getRhs()))
      value = sum.getResult();
  // A comparison and a selection use it, and the same of the other bound those.
  auto isInner = [&](arith::SelectOp select) {
    return llvm::any_of(select->getUsers(), [&](Operation *user) {
      auto outer = dyn_cast<arith::SelectOp>(user);
      std::optional<Clamp> clamp =
          outer ? matchClamp(outer.getResult()) : std::nullopt;
      return clamp && clamp->x == value && isNarrow(*clamp);
    });
  };
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *op) {
           auto select = dyn_cast<arith::SelectOp>(op);
           return isa<arith::CmpFOp>(op) || (select && isInner(select));
         });
}

/// Whether the quotient is rounded to an integer of few bits, by
/// `RoundByAdding` or behind the division. Other quotients keep all of their
/// bits.
bool isRounded(arith::DivFOp op) {
  Operation *user = *op->user_begin();
  if (auto sum = dyn_cast<arith::AddFOp>(user)) {
    APFloat rounder(0.0f);
    return matchPattern(sum.getRhs(), m_ConstantFloat(&rounder)) &&
           rounder.isExactlyValue(kRounder) &&
           llvm::all_of(sum->getUsers(), llvm::IsaPred<arith::BitcastOp>);
  }
  auto round = dyn_cast<math::RoundEvenOp>(user);
  if (!round)
    return false;
  std::optional<double> bound = onnxc::findBound(round);
  if (bound && *bound < kMostInteger &&
      llvm::all_of(round->getUsers(), llvm::IsaPred<arith::FPToSIOp>))
    return true;
  return isClamped(round.getResult());
}

/// trunc(fptosi(clamp(roundeven(x) + zero point))).
struct Rounding {
  Clamp clamp;
  math::RoundEvenOp round;
  Value zeroPoint; // null if none is added
};

std::optional<Rounding> matchRounding(arith::TruncIOp op, const char *&why) {
  Rounding found;
  auto integer = op.getIn().getDefiningOp<arith::FPToSIOp>();
  auto refuse = [&](const char *reason) {
    why = reason;
    return std::nullopt;
  };
  // Of more bits, the low ones of the sum are not the integer's.
  if (!integer || !integer.getType().isInteger(32) ||
      op.getType().getIntOrFloatBitWidth() > 16)
    return refuse("is not a narrow integer of a float");
  std::optional<Clamp> clamp = matchClamp(integer.getIn());
  if (!clamp || !isNarrow(*clamp))
    return refuse("is not clamped");
  found.clamp = *clamp;
  Value rounded = clamp->x;
  if (auto sum = rounded.getDefiningOp<arith::AddFOp>()) {
    rounded = sum.getLhs();
    found.zeroPoint = sum.getRhs();
  }
  found.round = rounded.getDefiningOp<math::RoundEvenOp>();
  if (!found.round)
    return refuse("is not rounded to even");
  return found;
}

/// The integer that a constant is.
std::optional<int64_t> exactInteger(const APFloat &value) {
  APSInt integer(32, /*isUnsigned=*/false);
  bool isExact = false;
  if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) !=
          APFloat::opOK ||
      !isExact)
    return std::nullopt;
  return integer.getSExtValue();
}

/// fptosi(roundeven(x)) + zero point, brought into the range as an integer. As
/// one of 16 bits, if that is what is stored: half as many vectors.
class RoundByConverting : public OpRewritePattern<arith::TruncIOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    const char *why = nullptr;
    std::optional<Rounding> found = matchRounding(op, why);
    if (!found)
      return rewriter.notifyMatchFailure(op, why);
    std::optional<int64_t> least = exactInteger(found->clamp.least),
                           most = exactInteger(found->clamp.most), zero = 0;
    APFloat known(0.0f);
    if (found->zeroPoint)
      zero = matchPattern(found->zeroPoint, m_ConstantFloat(&known))
                 ? exactInteger(known)
                 : std::nullopt;
    if (!least || !most || !zero || std::abs(*zero) > kMostBound)
      return rewriter.notifyMatchFailure(
          op, "bounds are not integers that are known");
    std::optional<double> bound = onnxc::findBound(found->round);
    if (!bound || *bound >= kMostInteger)
      return rewriter.notifyMatchFailure(op, "32 bits may not hold it");

    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type(), i16 = rewriter.getI16Type();
    auto constant = [&](Type type, int64_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getIntegerAttr(type, value));
    };
    auto narrow = [&](Value x, int64_t low, int64_t high) -> Value {
      Type type = x.getType();
      x = arith::MaxSIOp::create(rewriter, loc, x, constant(type, low));
      return arith::MinSIOp::create(rewriter, loc, x, constant(type, high));
    };
    auto shift = [&](Value x) -> Value {
      if (*zero == 0)
        return x;
      return arith::AddIOp::create(rewriter, loc, x,
                                   constant(x.getType(), *zero));
    };
    auto holds = [](Type type, int64_t value) {
      return llvm::isIntN(type.getIntOrFloatBitWidth(), value);
    };
    Value x = arith::FPToSIOp::create(rewriter, loc, i32, found->round);
    Operation *user = op->hasOneUse() ? *op->user_begin() : nullptr;
    bool isExtended =
        isExactly(user, *least, *most) && user->getResult(0).getType() == i16;
    if (isExtended && holds(i16, *least - *zero) && holds(i16, *most - *zero)) {
      x = narrow(x, INT16_MIN, INT16_MAX);
      x = arith::TruncIOp::create(rewriter, loc, i16, x);
      x = shift(narrow(x, *least - *zero, *most - *zero));
      rewriter.replaceOp(user, x);
      rewriter.eraseOp(op);
      return success();
    }
    x = narrow(shift(x), *least, *most);
    for (Operation *extend : llvm::make_early_inc_range(op->getUsers()))
      if (isExactly(extend, *least, *most) &&
          extend->getResult(0).getType() == i32)
        rewriter.replaceOp(extend, x);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), x);
    return success();
  }

private:
  /// Whether `extend` gives back any integer in the range that was truncated.
  static bool isExactly(Operation *extend, int64_t least, int64_t most) {
    if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extend))
      return false;
    unsigned bits = extend->getOperand(0).getType().getIntOrFloatBitWidth();
    return isa<arith::ExtUIOp>(extend)
               ? least >= 0 && llvm::isUIntN(bits, uint64_t(most))
               : llvm::isIntN(bits, least) && llvm::isIntN(bits, most);
  }
};

class RoundByAdding : public OpRewritePattern<arith::TruncIOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    const char *why = nullptr;
    std::optional<Rounding> found = matchRounding(op, why);
    if (!found)
      return rewriter.notifyMatchFailure(op, why);
    Location loc = op.getLoc();
    const Clamp &clamp = found->clamp;
    Value zeroPoint = found->zeroPoint, offset;
    if (zeroPoint) {
      offset = integerOf(rewriter, loc, zeroPoint);
      if (!offset)
        return rewriter.notifyMatchFailure(op, "the zero point is a float");
    }

    Value least = makeConstant(rewriter, loc, clamp.least),
          most = makeConstant(rewriter, loc, clamp.most);
    auto without = [&](const APFloat &bound) -> Value {
      APFloat zero(0.0f);
      Value value = makeConstant(rewriter, loc, bound);
      if (!zeroPoint)
        return value;
      if (matchPattern(zeroPoint, m_ConstantFloat(&zero)))
        return makeConstant(rewriter, loc, bound - zero);
      return arith::SubFOp::create(rewriter, loc, value, zeroPoint);
    };
    least = without(clamp.least);
    most = without(clamp.most);
    Value x = found->round.getOperand();
    auto quotient = x.getDefiningOp<arith::DivFOp>();
    APFloat divisor(0.0f), low(0.0f), high(0.0f);
    if (quotient && quotient->hasOneUse() &&
        matchPattern(least, m_ConstantFloat(&low)) &&
        matchPattern(most, m_ConstantFloat(&high)) &&
        reciprocalOf(quotient.getRhs()) &&
        matchPattern(quotient.getRhs(), m_ConstantFloat(&divisor)) &&
        !divisor.isNegative() && (low * divisor).isFinite() &&
        (high * divisor).isFinite()) {
      Value lowest = makeConstant(rewriter, loc, low * divisor);
      Value inner = makeClamp(rewriter, loc, quotient.getLhs(), lowest,
                              makeConstant(rewriter, loc, high * divisor));
      x = arith::DivFOp::create(rewriter, loc, inner, quotient.getRhs());
    } else {
      x = makeClamp(rewriter, loc, x, least, most);
    }
    Value rounder = makeConstant(rewriter, loc, APFloat(kRounder));
    x = arith::AddFOp::create(rewriter, loc, x, rounder);
    x = arith::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), x);
    if (offset)
      x = arith::AddIOp::create(rewriter, loc, x, offset);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), x);
    return success();
  }
};

/// Of the smallest numbers that are divided by it, x - q * d is not subnormal.
constexpr float kLeastDivisor = 0x1p-100f;

bool isTiny(Value divisor) {
  APFloat value(0.0f);
  return matchPattern(divisor, m_ConstantFloat(&value)) &&
         abs(value) < APFloat(kLeastDivisor);
}

class DivideByShared : public OpRewritePattern<arith::DivFOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !op->hasOneUse() || !isRounded(op))
      return rewriter.notifyMatchFailure(op, "is not rounded to an integer");
    if (isTiny(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "the rest may underflow");
    Location loc = op.getLoc();
    Value x = op.getLhs(), divisor = op.getRhs(), reciprocal;
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    if (std::optional<APFloat> known = reciprocalOf(divisor))
      reciprocal = arith::ConstantOp::create(
          rewriter, loc, FloatAttr::get(op.getType(), *known));
    else if (isShared(op))
      reciprocal =
          arith::DivFOp::create(rewriter, loc, constant(1.0f), divisor);
    else
      return rewriter.notifyMatchFailure(op, "the divisors differ");
    Value estimate = arith::MulFOp::create(rewriter, loc, x, reciprocal);
    Value negated = arith::NegFOp::create(rewriter, loc, estimate);
    Value rest = math::FmaOp::create(rewriter, loc, negated, divisor, x);
    Value exact =
        math::FmaOp::create(rewriter, loc, rest, reciprocal, estimate);
    if (isSmallQuotient(x, reciprocal)) {
      rewriter.replaceOp(op, exact);
      return success();
    }
    // Not for infinities and NaN, and what becomes one of them above.
    Value size = math::AbsFOp::create(rewriter, loc, estimate);
    Value isSmall = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, size, constant(1 << 24));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, exact, estimate);
    return success();
  }
};

class DivideOnce : public onnxc::impl::DivideOncePassBase<DivideOnce> {
public:
  using DivideOncePassBase::DivideOncePassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, arith::ArithDialect,
                    math::MathDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet rounding(&getContext()), division(&getContext());
    rounding.add<RoundByConverting>(&getContext(), /*benefit=*/2);
    rounding.add<RoundByAdding>(&getContext());
    division.add<DivideByShared>(&getContext());
    bool fma = onnxc::supports(onnxc::TargetAttr::of(getOperation()),
                               onnxc::Capability::MultiplyAdd);
    if (failed(applyPatternsGreedily(getOperation(), std::move(rounding))) ||
        (fma &&
         failed(applyPatternsGreedily(getOperation(), std::move(division)))))
      signalPassFailure();
  }
};

} // namespace
