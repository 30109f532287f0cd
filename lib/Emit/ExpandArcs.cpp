//===- ExpandArcs.cpp - Inverse circular functions as arithmetic ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials in the square of an argument that is at most 1 or 1 / 2, fitted
// for this file by Lawson's iteration: far below a unit in the last place of
// f32. Pi / 2 has a second part, which is added to what is small. NaN falls
// through.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathBuilder.h"

using namespace mlir;
using namespace onnxc;
using arith::CmpFPredicate;

/// The float next to pi / 2, and what is left of it.
static constexpr double kQuarter = 0x1.921fb6p0, kQuarterRest = -0x1.777a5cp-25;

/// x + x z p(z), of which the factor of z comes with the coefficients.
static Value buildOdd(MathBuilder &b, Value x, Value z,
                      ArrayRef<double> coefficients) {
  Value p = b.polynomial(z, coefficients);
  return b.fma(b.make<arith::MulFOp>(x, z), p, x);
}

/// pi / 2 - x, for x that is not near it.
static Value buildComplement(MathBuilder &b, Value x) {
  Value rest = b.constantLike(x, kQuarterRest);
  return b.make<arith::AddFOp>(b.make<arith::SubFOp>(rest, x), kQuarter);
}

namespace {

/// atan(x) is pi / 2 - atan(1 / x).
struct ExpandAtan : OpRewritePattern<math::AtanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AtanOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getOperand(), a = b.make<math::AbsFOp>(x);
    Value isSteep = b.compare(CmpFPredicate::OGT, a, 1.0);
    Value divisor = b.select(isSteep, a, b.constantLike(a, 1.0));
    Value t = b.make<arith::DivFOp>(b.select(isSteep, 1.0, a), divisor);
    Value y = buildOdd(
        b, t, b.make<arith::MulFOp>(t, t),
        {-0.33333298563957214, 0.19998548924922943, -0.14264242351055145,
         0.10952185839414597, -0.0840345025062561, 0.057957593351602554,
         -0.03117784671485424, 0.010914606042206287, -0.0017936218064278364});
    y = b.select(isSteep, buildComplement(b, y), y);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, y, x);
    return success();
  }
};

/// asin of |x| or, above 1 / 2, of sqrt((1 - |x|) / 2), half the angle that is
/// left to pi / 2; and twice that.
struct HalfAngle {
  Value isGreat, y, twice;
};

HalfAngle buildHalfAngle(MathBuilder &b, Value argument) {
  HalfAngle angle;
  Value magnitude = b.make<math::AbsFOp>(argument);
  angle.isGreat = b.compare(CmpFPredicate::OGT, magnitude, 0.5);
  Value rest = b.fma(magnitude, -0.5, 0.5);
  Value z = b.select(angle.isGreat, rest,
                     b.make<arith::MulFOp>(magnitude, magnitude));
  Value x = b.select(angle.isGreat, b.make<math::SqrtOp>(z), magnitude);
  angle.y =
      buildOdd(b, x, z,
               {0.16666752099990845, 0.07495297491550446, 0.04547037556767464,
                0.02417951449751854, 0.04216630756855011});
  angle.twice = b.make<arith::AddFOp>(angle.y, angle.y);
  return angle;
}

struct ExpandAsin : OpRewritePattern<math::AsinOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AsinOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getOperand();
    HalfAngle half = buildHalfAngle(b, x);
    Value y = b.select(half.isGreat, buildComplement(b, half.twice), half.y);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, y, x);
    return success();
  }
};

/// 2 asin(sqrt((1 - x) / 2)), and pi minus that of -x; near 0 pi / 2 - asin(x).
struct ExpandAcos : OpRewritePattern<math::AcosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AcosOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat32(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathBuilder b(op.getLoc(), rewriter, op.getType());
    Value x = op.getOperand();
    HalfAngle half = buildHalfAngle(b, x);
    // Pi in two parts: each is twice that of pi / 2.
    Value rest = b.constantLike(x, 2 * kQuarterRest);
    Value other = b.make<arith::AddFOp>(b.make<arith::SubFOp>(rest, half.twice),
                                        2 * kQuarter);
    Value isNegative = b.compare(CmpFPredicate::OLT, x, 0.0);
    Value great = b.select(isNegative, other, half.twice);
    Value small = buildComplement(b, b.make<math::CopySignOp>(half.y, x));
    rewriter.replaceOp(op, b.select(half.isGreat, great, small));
    return success();
  }
};

} // namespace

void onnxc::populateExpandArcPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAcos, ExpandAsin, ExpandAtan>(patterns.getContext());
}
