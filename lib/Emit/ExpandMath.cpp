//===- ExpandMath.cpp - Math functions as arithmetic ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of a function's range by one path without branches: the argument is
// reduced to a short interval, on which a minimax polynomial (fitted for this
// file by Lawson's iteration) is exact to far below a unit in the last place of
// f32. Comparisons are written so that NaN falls through to the result.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathBuilder.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace onnxc;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Added, it leaves the nearest integer in the low bits: those of the sum are
/// the integer's and these.
constexpr double kRound32 = 0x1.8p23, kRound64 = 0x1.8p52;
/// The bits of 1, and those that a factor of two changes by.
constexpr int64_t kOne32 = 0x3f800000, kUnit32 = 1 << 23;

/// Whether `x` is a choice between a number and what is not less, or NaN.
bool isAtLeast(Value x, double bound) {
  auto choice = x.getDefiningOp<arith::SelectOp>();
  auto less = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                     : arith::CmpFOp();
  if (!less || less.getPredicate() != CmpFPredicate::OLT ||
      less.getLhs() != choice.getFalseValue() ||
      less.getRhs() != choice.getTrueValue())
    return false;
  std::optional<double> least = getSplat(choice.getTrueValue());
  return least && *least >= bound;
}

/// Whether a choice drops the results that might be subnormal, so that they may
/// be anything.
bool dropsSubnormals(math::ExpOp op) {
  if (!op->hasOneUse())
    return false;
  auto choice = dyn_cast<arith::SelectOp>(*op->user_begin());
  auto less = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>()
                     : arith::CmpFOp();
  if (!less || choice.getFalseValue() != op ||
      choice.getTrueValue() == op.getResult() ||
      less.getPredicate() != CmpFPredicate::OLT ||
      less.getLhs() != op.getOperand())
    return false;
  std::optional<double> least = getSplat(less.getRhs());
  return least && *least >= kLeastNormalExponent;
}

/// The argument of an exponential as n ln 2 + r, n the integer next to x / ln
/// 2; r has the sign of x.
struct ReducedArgument {
  Value n, r;
  /// n where floats have the exponent.
  Value exponent;
};

/// Of sign * x; a sign costs nothing in constants.
ReducedArgument reduceArgument(MathBuilder &b, Value x, int sign = 1) {
  ReducedArgument a;
  Value rounded = b.fma(x, sign * 0x1.715476p0, kRound32);
  a.n = b.make<arith::SubFOp>(rounded, kRound32);
  a.r = b.fma(a.n, sign * -0x1.62e4p-1, x);
  a.r = b.fma(a.n, sign * -0x1.7f7d1cp-20, a.r);
  // The bits that kRound32 leaves are shifted out.
  a.exponent = b.makeInt<arith::ShLIOp>(
      b.cast<arith::BitcastOp>(rounded, b.b.getI32Type()), 23);
  return a;
}

/// exp(x) is 2^n exp(r), with n and r of reduceArgument.
struct ReducedExp {
  Value n;
  /// Twice exp(r), so that 2^(n - 1) is a number for the greatest n too.
  Value twice;
  /// n where floats have the exponent.
  Value exponent;
};

/// Of exp(sign * x).
ReducedExp reduceExp(MathBuilder &b, Value x, int sign = 1) {
  ReducedArgument a = reduceArgument(b, x, sign);
  Value twice = b.polynomial(
      a.r, {2, sign * 2.0, 1, sign * 0.333330363035202, 0.08333241194486618,
            sign * 0.016737779602408409, 0.0027900979178457266});
  return {a.n, twice, a.exponent};
}

/// Results that are subnormal, or nearly, are rounded to an integer: that of
/// their bits. A product that were one would take the processor hundreds of
/// cycles, and a mask gives many.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getOperand();
    // Beyond these bounds it is 0 or infinite.
    if (dropsSubnormals(op)) {
      rewriter.replaceOp(op, buildNormalExp(b, b.atMost(x, kGreatestExponent)));
      return success();
    }
    bool isNormal = isAtLeast(x, kLeastNormalExponent);
    x = b.clamp(x, -104, kGreatestExponent);
    if (isNormal) {
      rewriter.replaceOp(op, buildNormalExp(b, x));
      return success();
    }
    ReducedExp e = reduceExp(b, x);
    auto powerOf = [&](Value exponent) {
      return b.cast<arith::BitcastOp>(exponent, rewriter.getF32Type());
    };
    Value factor = b.makeInt<arith::AddIOp>(e.exponent, kOne32 - kUnit32);
    Value isTiny = b.compare(CmpFPredicate::OLT, e.n, -125.0);
    Value y = b.make<arith::MulFOp>(
        e.twice, powerOf(b.makeInt<arith::MaxSIOp>(factor, kUnit32)));
    // In units of the least number that is not zero.
    Value units = b.makeInt<arith::AddIOp>(e.exponent, kOne32 + 148 * kUnit32);
    Value scale = powerOf(units);
    Value tiny = b.cast<arith::FPToSIOp>(
        b.fma(e.twice, scale, b.constantLike(e.twice, 0.5)),
        rewriter.getI32Type());
    rewriter.replaceOp(op, b.select(isTiny, powerOf(tiny), y));
    return success();
  }
};

/// exp(x) - 1 without a difference of numbers that are nearly the same: with n
/// and r of reduceArgument it is 2^n (exp(r) - 1) + (2^n - 1).
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    // Below it is -1.
    Value x = b.clamp(op.getOperand(), -30, kGreatestExponent);
    ReducedArgument a = reduceArgument(b, x);
    Value r = a.r;
    // exp(r) - 1 = r + r^2 (1/2 + r q(r)); q by least squares, weighted until
    // the relative error of the whole is even: 1.4e-8 for r up to ln(2) / 2.
    Value square = b.make<arith::MulFOp>(r, r);
    Value p =
        b.polynomial(r, {0.5, 0.16666546, 0.04166641, 0.00836635, 0.00139402});
    p = b.fma(square, p, r);
    // Half of 2^n, which is a number for the greatest n too.
    Value half = b.cast<arith::BitcastOp>(
        b.makeInt<arith::AddIOp>(a.exponent, kOne32 - kUnit32),
        rewriter.getF32Type());
    Value y = b.fma(half, p, b.make<arith::SubFOp>(half, 0.5));
    y = b.make<arith::AddFOp>(y, y);
    // Half of a subnormal number is rounded, and the sign of 0 is lost.
    Value isTiny = b.compare(CmpFPredicate::OLT,
                             b.make<math::AbsFOp>(op.getOperand()), 0x1p-25);
    rewriter.replaceOp(op, b.select(isTiny, op.getOperand(), y));
    return success();
  }
};

/// x times a quotient of polynomials of x^2, up to where it is 1.
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getOperand();
    // A quotient by sqrt(2), as in GELU, need not be rounded as a quotient.
    if (auto quotient = x.getDefiningOp<arith::DivFOp>())
      if (std::optional<double> by = getSplat(quotient.getRhs());
          by && std::abs(*by) > 0x1p-100 && std::abs(*by) < 0x1p100)
        x = b.make<arith::MulFOp>(quotient.getLhs(), 1 / *by);
    x = b.clamp(x, -3.925, 3.925);
    Value z = b.make<arith::MulFOp>(x, x);
    Value p = b.polynomial(z, {1.1283791352339445, 0.189969392522211,
                               0.051528802320422847, 0.0035906891217100416,
                               0.00023045203670308615});
    Value q =
        b.polynomial(z, {1.0, 0.501688409386937, 0.11290050257843638,
                         0.014446398991515381, 0.0010557852504486918,
                         2.3137927533712148e-05, -1.1189763275252853e-07});
    Value y = b.make<arith::DivFOp>(b.make<arith::MulFOp>(x, p), q);
    rewriter.replaceOp(op, b.clamp(y, -1, 1));
    return success();
  }
};

/// sin and cos by octants: x is n pi / 2 + r, in f64, whose digits suffice for
/// n below 2^30; what is greater is libm's.
template <typename Op, int64_t quarter>
struct ExpandCircular : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()) || op->hasAttr(program::exact))
      return rewriter.notifyMatchFailure(op, "not of f32, or beyond the range");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getOperand();
    Value isHuge =
        b.any(b.compare(CmpFPredicate::OGT, b.make<math::AbsFOp>(x), 0x1p30));
    auto choice = scf::IfOp::create(b.b, op.getType(), isHuge, true);
    b.b.setInsertionPointToStart(choice.thenBlock());
    auto exact = Op::create(b.b, x);
    exact->setAttr(program::exact, rewriter.getUnitAttr());
    scf::YieldOp::create(b.b, exact.getResult());
    b.b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b.b, evaluate(b, x, rewriter));
    rewriter.replaceOp(op, choice);
    return success();
  }

private:
  static Value evaluate(MathBuilder &b, Value x, PatternRewriter &rewriter) {
    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type(),
         f32 = rewriter.getF32Type();
    Value wide = b.cast<arith::ExtFOp>(x, rewriter.getF64Type());
    Value rounded = b.fma(wide, 0x1.45f306dc9c883p-1, kRound64);
    Value n = b.make<arith::SubFOp>(rounded, kRound64);
    // Pi / 2 in parts of 33, 33 and 53 bits: where the target has no fused
    // multiply-add, products with an n below 2^20 are exact as well.
    Value r = b.fma(n, -0x1.921fb544p0, wide);
    r = b.fma(n, -0x1.0b4611a6p-34, r);
    r = b.fma(n, -0x1.3198a2e037073p-69, r);
    Value octant =
        b.cast<arith::TruncIOp>(b.cast<arith::BitcastOp>(rounded, i64), i32);
    if (quarter != 0)
      octant = b.makeInt<arith::AddIOp>(octant, quarter);
    r = b.cast<arith::TruncFOp>(r, f32);
    Value z = b.make<arith::MulFOp>(r, r);
    Value sine = b.polynomial(z, {-0.16666655242443085, 0.008332177996635437,
                                  -0.00019517233886290342});
    sine = b.fma(b.make<arith::MulFOp>(r, z), sine, r);
    Value cosine =
        b.polynomial(z, {1, -0.5, 0.04166664555668831, -0.0013887366512790322,
                         2.4438377295155078e-05});
    Value isOdd =
        b.compareInt(CmpIPredicate::ne, b.makeInt<arith::AndIOp>(octant, 1), 0);
    Value y = b.select(isOdd, cosine, sine);
    Value sign =
        b.makeInt<arith::ShLIOp>(b.makeInt<arith::AndIOp>(octant, 2), 30);
    y = b.cast<arith::BitcastOp>(
        b.make<arith::XOrIOp>(b.cast<arith::BitcastOp>(y, i32), sign), f32);
    // Of a zero only the sign would be lost.
    if (quarter == 0)
      y = b.select(b.compare(CmpFPredicate::OEQ, x, 0.0), x, y);
    return y;
  }
};

/// The remainder of a quotient below 2^23, with the sign of x: exact, as in
/// libm, whose loop over the bits of the quotient takes what is greater.
struct ExpandRemainder : OpRewritePattern<arith::RemFOp> {
  ExpandRemainder(MLIRContext *context, bool hasMultiplyAdd)
      : OpRewritePattern(context), hasMultiplyAdd(hasMultiplyAdd) {}

  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()) || op->hasAttr(program::exact))
      return rewriter.notifyMatchFailure(op, "not of f32, or beyond the range");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getLhs(), y = op.getRhs();
    Value a = b.make<math::AbsFOp>(x), divisor = b.make<math::AbsFOp>(y);
    Value quotient = b.make<arith::DivFOp>(a, divisor);
    // NaN, too.
    Value isHuge = b.any(b.compare(CmpFPredicate::UGE, quotient, 0x1p23));
    auto choice = scf::IfOp::create(b.b, op.getType(), isHuge, true);
    b.b.setInsertionPointToStart(choice.thenBlock());
    auto exact = arith::RemFOp::create(b.b, x, y);
    exact->setAttr(program::exact, rewriter.getUnitAttr());
    scf::YieldOp::create(b.b, exact.getResult());
    b.b.setInsertionPointToStart(choice.elseBlock());
    Value rest = hasMultiplyAdd ? subtractOnce(b, a, divisor, quotient)
                                : subtractWide(b, a, divisor, rewriter);
    // An infinite divisor leaves all, too.
    rest = b.select(b.compare(CmpFPredicate::OLT, quotient, 1.0), a, rest);
    scf::YieldOp::create(b.b, b.make<math::CopySignOp>(rest, x));
    rewriter.replaceOp(op, choice);
    return success();
  }

private:
  /// A quotient is rounded, so that it may be the next integer; nothing else
  /// is.
  static Value subtractOnce(MathBuilder &b, Value x, Value y, Value quotient) {
    Value whole = b.make<math::TruncOp>(quotient);
    Value rest = b.fma(b.make<arith::NegFOp>(whole), y, x);
    Value more = b.make<arith::AddFOp>(rest, y);
    return b.select(b.compare(CmpFPredicate::OLT, rest, 0.0), more, rest);
  }

  /// In f64 the quotient is further from the next integer than it is rounded,
  /// and its product with y has 47 bits.
  static Value subtractWide(MathBuilder &b, Value x, Value y,
                            PatternRewriter &rewriter) {
    Type f64 = rewriter.getF64Type();
    x = b.cast<arith::ExtFOp>(x, f64);
    y = b.cast<arith::ExtFOp>(y, f64);
    Value whole = b.make<math::TruncOp>(b.make<arith::DivFOp>(x, y));
    Value rest = b.make<arith::SubFOp>(x, b.make<arith::MulFOp>(whole, y));
    return b.cast<arith::TruncFOp>(rest, rewriter.getF32Type());
  }

  bool hasMultiplyAdd;
};

/// 2^(y log2 |x|) in f64, rounded once. What IEEE says of zeros, infinities
/// and negative bases comes behind.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Type f32 = rewriter.getF32Type(), f64 = rewriter.getF64Type();
    Value x = op.getLhs(), y = op.getRhs();
    std::optional<double> known = getSplat(y);
    if (known == 2) {
      rewriter.replaceOp(op, b.make<arith::MulFOp>(x, x));
      return success();
    }
    if (known && *known > 2 && *known <= kMostFactors &&
        *known == std::floor(*known)) {
      Value product = multiply(b, b.cast<arith::ExtFOp>(x, f64), *known);
      rewriter.replaceOp(op, b.cast<arith::TruncFOp>(product, f32));
      return success();
    }
    if (known == 0.5) {
      rewriter.replaceOp(op, squareRoot(b, x));
      return success();
    }
    Value magnitude = b.make<math::AbsFOp>(x);
    Value product = b.make<arith::MulFOp>(
        b.cast<arith::ExtFOp>(y, f64),
        logarithm(b, b.cast<arith::ExtFOp>(magnitude, f64), rewriter));
    // 0 times infinity: the base is 1 or -1.
    Value isInfinite =
        b.compare(CmpFPredicate::OEQ, b.make<math::AbsFOp>(y), kInfinity);
    Value isUnit = b.compare(CmpFPredicate::OEQ, magnitude, 1.0);
    product = b.select(b.make<arith::AndIOp>(isInfinite, isUnit), 0.0, product);
    Value result = b.cast<arith::TruncFOp>(power(b, product, rewriter), f32);

    // The sign: of a negative base if the exponent is an odd integer.
    Value isInteger =
        b.compare(CmpFPredicate::OEQ, b.make<math::FloorOp>(y), y);
    Value half = b.make<arith::MulFOp>(y, 0.5);
    Value isEven =
        b.compare(CmpFPredicate::OEQ, b.make<math::FloorOp>(half), half);
    Value isOdd = b.make<arith::AndIOp>(
        isInteger, b.make<arith::XOrIOp>(isEven, b.constant(1, 1)));
    Value withSign = b.make<math::CopySignOp>(result, x);
    result = b.select(isOdd, withSign, result);
    Value isNegative = b.compare(CmpFPredicate::OLT, x, 0.0);
    Value isInvalid = b.make<arith::AndIOp>(
        isNegative, b.make<arith::XOrIOp>(isInteger, b.constant(1, 1)));
    Value finite = b.compare(CmpFPredicate::ONE, magnitude, kInfinity);
    isInvalid = b.make<arith::AndIOp>(isInvalid, finite);
    result =
        b.select(isInvalid, std::numeric_limits<double>::quiet_NaN(), result);
    // Even of NaN.
    Value isBaseOne = b.compare(CmpFPredicate::OEQ, x, 1.0);
    Value isOne =
        b.make<arith::OrIOp>(isBaseOne, b.compare(CmpFPredicate::OEQ, y, 0.0));
    rewriter.replaceOp(op, b.select(isOne, 1.0, result));
    return success();
  }

private:
  /// Beyond it, an f64 might have no room for what an f32 has room for.
  static constexpr int kMostFactors = 8;

  /// x^n for n above 0, in f64.
  static Value multiply(MathBuilder &b, Value x, unsigned n) {
    if (n == 1)
      return x;
    Value half = multiply(b, x, n / 2);
    Value square = b.make<arith::MulFOp>(half, half);
    return n % 2 ? b.make<arith::MulFOp>(square, x) : square;
  }

  /// As a power: of -0 it is 0, of -inf it is inf.
  static Value squareRoot(MathBuilder &b, Value x) {
    Value root = b.make<math::SqrtOp>(b.make<arith::AddFOp>(x, 0.0));
    Value isLeast = b.compare(CmpFPredicate::OEQ, x, -kInfinity);
    return b.select(isLeast, kInfinity, root);
  }

  /// log2 of what is not negative.
  static Value logarithm(MathBuilder &b, Value x, PatternRewriter &rewriter) {
    Type i64 = rewriter.getI64Type(), f64 = rewriter.getF64Type();
    // x = 2^e m, m from sqrt(1/2) to sqrt(2).
    constexpr int64_t root = 0x3fe6a09e667f3bcd;
    Value bits = b.cast<arith::BitcastOp>(x, i64);
    Value exponent =
        b.makeInt<arith::ShRSIOp>(b.makeInt<arith::SubIOp>(bits, root), 52);
    Value m = b.cast<arith::BitcastOp>(
        b.make<arith::SubIOp>(bits, b.makeInt<arith::ShLIOp>(exponent, 52)),
        f64);
    Value difference = b.make<arith::SubFOp>(m, 1.0);
    Value s = b.make<arith::DivFOp>(difference, b.make<arith::AddFOp>(m, 1.0));
    Value series = b.polynomial(b.make<arith::MulFOp>(s, s),
                                {2.8853900817778495, 0.9617966941142541,
                                 0.5770779421095928, 0.41220927749128994,
                                 0.3199046888143223, 0.28291431174696063});
    // Exact: the integer stands in the low bits of a number.
    Value e = b.make<arith::SubFOp>(
        b.cast<arith::BitcastOp>(
            b.makeInt<arith::AddIOp>(exponent, 0x4338000000000000), f64),
        kRound64);
    Value y = b.fma(s, series, e);
    y = b.select(b.compare(CmpFPredicate::OEQ, x, 0.0), -kInfinity, y);
    // Infinite, or NaN.
    return b.select(b.compare(CmpFPredicate::OLT, x, kInfinity), y, x);
  }

  /// 2^x, a number for all that f32 has room for.
  static Value power(MathBuilder &b, Value x, PatternRewriter &rewriter) {
    Type i64 = rewriter.getI64Type(), f64 = rewriter.getF64Type();
    x = b.clamp(x, -200, 200);
    Value rounded = b.make<arith::AddFOp>(x, kRound64);
    Value n = b.make<arith::SubFOp>(rounded, kRound64);
    Value p = b.polynomial(b.make<arith::SubFOp>(x, n),
                           {1.0, 0.6931471805349909, 0.24022651214206567,
                            0.05550410976226488, 0.009618025521178747,
                            0.0013333422548570551, 0.00015469758202093614,
                            1.5316484536193046e-05});
    Value exponent =
        b.makeInt<arith::ShLIOp>(b.cast<arith::BitcastOp>(rounded, i64), 52);
    Value y = b.cast<arith::BitcastOp>(
        b.make<arith::AddIOp>(b.cast<arith::BitcastOp>(p, i64), exponent), f64);
    // The sum of bits says nothing of NaN.
    return b.select(b.compare(CmpFPredicate::UNO, x, x), x, y);
  }
};

} // namespace

Value onnxc::buildNormalExp(MathBuilder &b, Value x, int sign, int shift) {
  ReducedExp e = reduceExp(b, x, sign);
  Value factor =
      b.makeInt<arith::AddIOp>(e.exponent, kOne32 + (shift - 1) * kUnit32);
  return b.make<arith::MulFOp>(
      e.twice, b.cast<arith::BitcastOp>(factor, b.b.getF32Type()));
}

void onnxc::populateExpandMathPatterns(RewritePatternSet &patterns,
                                       TargetAttr target) {
  patterns.add<ExpandRemainder>(patterns.getContext(),
                                supports(target, Capability::MultiplyAdd));
  patterns.add<ExpandErf, ExpandExp, ExpandExpM1, ExpandPow>(
      patterns.getContext());
  patterns.add<ExpandCircular<math::SinOp, 0>, ExpandCircular<math::CosOp, 1>>(
      patterns.getContext());
}
