//===- ExpandQuotients.cpp - Division of vectors of integers --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No processor divides vectors of integers, all divide vectors of floats. The
// quotient of two integers below 2^p, rounded to p bits, is less than the next
// integer wherever the exact one is: what is left of it is the integers'. Few
// integers of networks are so long that the next wider numbers are needed, or,
// beyond f64, the quotients of single elements.
//
// Lanes behind the end of a row hold anything, and nothing may trap. Of 0 and
// of the least integer by -1 the result is any: ScalarBuilder::div has other
// divisors there, where the model's elements are divided.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathBuilder.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace onnxc;
using arith::CmpIPredicate;

/// Integers of less than 52 bits with a sign, added to the bits of this number,
/// are those of the sum.
static constexpr double kMiddle = 0x1.8p52;
static constexpr int64_t kMiddleBits = 0x4338000000000000;
static constexpr int64_t kHalfRange = int64_t(1) << 51;

namespace {

template <typename Op> struct ExpandQuotient : OpRewritePattern<Op> {
  static constexpr bool isSigned =
      std::is_same_v<Op, arith::DivSIOp> || std::is_same_v<Op, arith::RemSIOp>;
  static constexpr bool isRemainder =
      std::is_same_v<Op, arith::RemSIOp> || std::is_same_v<Op, arith::RemUIOp>;

  ExpandQuotient(MLIRContext *context, bool rounds)
      : OpRewritePattern<Op>(context), rounds(rounds) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isInteger() ||
        op->hasAttr(program::exact))
      return rewriter.notifyMatchFailure(op, "not of vectors, or exact");
    unsigned width = type.getElementTypeBitWidth();
    APInt divisor;
    if (matchPattern(op.getRhs(), m_ConstantInt(&divisor)) &&
        (width < 64 || divisor.abs().isPowerOf2()))
      return rewriter.notifyMatchFailure(op, "a product and shifts are less");
    MathBuilder b(op.getLoc(), rewriter, type);
    if (width < 64)
      rewriter.replaceOp(op, divideNarrow(b, op.getLhs(), op.getRhs()));
    else if (rounds)
      rewriter.replaceOp(op, divideWide(b, op.getLhs(), op.getRhs()));
    else
      rewriter.replaceOp(op, divideEach(b, op.getLhs(), op.getRhs()));
    return success();
  }

private:
  using ToFloat =
      std::conditional_t<isSigned, arith::SIToFPOp, arith::UIToFPOp>;
  using ToInteger =
      std::conditional_t<isSigned, arith::FPToSIOp, arith::FPToUIOp>;

  /// What is left of x.
  static Value subtract(MathBuilder &b, Value x, Value y, Value quotient) {
    return b.make<arith::SubIOp>(x, b.make<arith::MulIOp>(quotient, y));
  }

  /// By numbers that hold all of the operands' values.
  static Value divideAs(MathBuilder &b, Type number, Value x, Value y) {
    Value exact = b.make<arith::DivFOp>(b.cast<ToFloat>(x, number),
                                        b.cast<ToFloat>(y, number));
    Value quotient = b.cast<ToInteger>(exact, getElementTypeOrSelf(x));
    return isRemainder ? subtract(b, x, y, quotient) : quotient;
  }

  static Value divideNarrow(MathBuilder &b, Value x, Value y) {
    Type f32 = b.b.getF32Type(), f64 = b.b.getF64Type();
    if (getElementTypeOrSelf(x).getIntOrFloatBitWidth() < 32)
      return divideAs(b, f32, x, y);
    return choose(
        b, x, y, int64_t(1) << 23, [&] { return divideAs(b, f64, x, y); },
        [&] { return divideAs(b, f32, x, y); });
  }

  static Value divideWide(MathBuilder &b, Value x, Value y) {
    return choose(
        b, x, y, kHalfRange, [&] { return divideEach(b, x, y); },
        [&] {
          Value dividend = toFloat(b, x), divisor = toFloat(b, y);
          Value result =
              b.make<math::TruncOp>(b.make<arith::DivFOp>(dividend, divisor));
          // Nothing of it is rounded.
          if (isRemainder)
            result = b.make<arith::SubFOp>(
                dividend, b.make<arith::MulFOp>(result, divisor));
          Value bits = b.cast<arith::BitcastOp>(
              b.make<arith::AddFOp>(result, kMiddle), b.b.getI64Type());
          return b.makeInt<arith::SubIOp>(bits, kMiddleBits);
        });
  }

  /// `huge` unless all integers are below half a range, which is a power of 2.
  static Value choose(MathBuilder &b, Value x, Value y, int64_t half,
                      function_ref<Value()> huge, function_ref<Value()> other) {
    // With a sign, from the middle of a range that begins with 0.
    auto place = [&](Value v) {
      return isSigned ? b.makeInt<arith::AddIOp>(v, half) : v;
    };
    Value dividend = place(x), divisor = place(y);
    Value high = b.makeInt<arith::AndIOp>(
        b.make<arith::OrIOp>(dividend, divisor), isSigned ? -2 * half : -half);
    Value isHuge = b.any(b.compareInt(CmpIPredicate::ne, high, 0));
    auto choice = scf::IfOp::create(b.b, x.getType(), isHuge, true);
    b.b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b.b, huge());
    b.b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b.b, other());
    return choice.getResult(0);
  }

  static Value toFloat(MathBuilder &b, Value x) {
    Value bits = b.makeInt<arith::AddIOp>(x, kMiddleBits);
    return b.make<arith::SubFOp>(
        b.cast<arith::BitcastOp>(bits, b.b.getF64Type()), kMiddle);
  }

  /// The op itself, which LLVM takes apart. Divisors that it traps on become 1,
  /// and what -1 gives is the negative of x.
  static Value divideEach(MathBuilder &b, Value x, Value y) {
    Value traps = b.compareInt(CmpIPredicate::eq, y, 0), isMinusOne;
    if (isSigned) {
      isMinusOne = b.compareInt(CmpIPredicate::eq, y, -1);
      traps = b.make<arith::OrIOp>(traps, isMinusOne);
    }
    Value divisor = b.select(traps, b.constantLike(y, int64_t(1)), y);
    auto exact = Op::create(b.b, x, divisor);
    exact->setAttr(program::exact, b.b.getUnitAttr());
    if (isRemainder || !isSigned)
      return exact;
    Value negative = b.make<arith::SubIOp>(b.constantLike(x, int64_t(0)), x);
    return b.select(isMinusOne, negative, exact);
  }

  bool rounds;
};

} // namespace

void onnxc::populateExpandQuotientPatterns(RewritePatternSet &patterns,
                                           TargetAttr target) {
  patterns.add<ExpandQuotient<arith::DivSIOp>, ExpandQuotient<arith::DivUIOp>,
               ExpandQuotient<arith::RemSIOp>, ExpandQuotient<arith::RemUIOp>>(
      patterns.getContext(), supports(target, Capability::RoundToEven));
}
