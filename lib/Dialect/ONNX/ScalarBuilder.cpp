//===- ScalarBuilder.cpp - Vocabulary of elementwise op bodies ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }
static bool isBool(Value value) { return value.getType().isInteger(1); }

static unsigned getWidth(Value value) {
  return value.getType().getIntOrFloatBitWidth();
}

/// The type that functions of a float narrower than f32 are computed in, so
/// that they are rounded once.
static Type getComputeType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

Value ScalarBuilder::constant(Value like, double value) {
  Type type = like.getType();
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(floatType, value));
  if (type.isIndex())
    return arith::ConstantIndexOp::create(builder, loc,
                                          static_cast<int64_t>(value));
  llvm::APInt bits(64, static_cast<int64_t>(value), /*isSigned=*/true);
  auto attr = IntegerAttr::get(type, bits.sextOrTrunc(getWidth(like)));
  return arith::ConstantOp::create(builder, loc, attr);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarBuilder::add(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::AddFOp>(loc, a, b);
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value ScalarBuilder::sub(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::SubFOp>(loc, a, b);
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value ScalarBuilder::mul(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::MulFOp>(loc, a, b);
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

namespace {
/// A divisor that never traps, and what says where it is not the given one.
struct SafeDivisor {
  Value value;
  Value isZero;
  /// Null for unsigned numbers.
  Value isMinusOne;
};
} // namespace

static SafeDivisor makeSafe(ScalarBuilder &s, Value b, bool isUnsigned) {
  SafeDivisor safe;
  OpBuilder &builder = s.getBuilder();
  safe.isZero = s.eq(b, s.zero(b));
  Value replace = safe.isZero;
  if (!isUnsigned) {
    safe.isMinusOne = s.eq(b, s.constant(b, -1));
    replace = builder.createOrFold<arith::OrIOp>(s.getLoc(), replace,
                                                 safe.isMinusOne);
  }
  safe.value = s.select(replace, s.one(b), b);
  return safe;
}

Value ScalarBuilder::div(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::DivFOp>(loc, a, b);
  SafeDivisor safe = makeSafe(*this, b, isUnsigned);
  Value quotient =
      isUnsigned ? builder.createOrFold<arith::DivUIOp>(loc, a, safe.value)
                 : builder.createOrFold<arith::DivSIOp>(loc, a, safe.value);
  if (safe.isMinusOne)
    quotient = select(safe.isMinusOne, neg(a), quotient);
  return select(safe.isZero, zero(a), quotient);
}

Value ScalarBuilder::fmod(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::RemFOp>(loc, a, b);
  SafeDivisor safe = makeSafe(*this, b, isUnsigned);
  // The remainder by 1 is what it is by 0 (defined so) and by -1.
  return isUnsigned ? builder.createOrFold<arith::RemUIOp>(loc, a, safe.value)
                    : builder.createOrFold<arith::RemSIOp>(loc, a, safe.value);
}

Value ScalarBuilder::mod(Value a, Value b) {
  Value remainder = fmod(a, b);
  if (!isFloat(a) && isUnsigned)
    return remainder;
  Value isInexact = ne(remainder, zero(remainder));
  Value negativeRemainder = lt(remainder, zero(remainder));
  Value negativeDivisor = lt(b, zero(b));
  Value signsDiffer = bitXor(negativeRemainder, negativeDivisor);
  Value isOff = bitAnd(isInexact, signsDiffer);
  return select(isOff, add(remainder, b), remainder);
}

/// Integer power by squaring, with wraparound; a negative exponent gives the
/// truncated real result.
static Value powInteger(ScalarBuilder &s, Value base, Value exponent,
                        bool isUnsigned, bool isExponentUnsigned) {
  OpBuilder &b = s.getBuilder();
  Location loc = s.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value bits = arith::ConstantIndexOp::create(b, loc, getWidth(exponent));
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, bits, one, ValueRange{s.one(base), base, exponent},
      [&](OpBuilder &inner, Location loc, Value, ValueRange state) {
        ScalarBuilder t(inner, loc, base.getType(), isUnsigned);
        Value odd = t.bitAnd(state[2], t.one(state[2]));
        Value isOdd = t.ne(odd, t.zero(odd));
        Value product = t.select(isOdd, t.mul(state[0], state[1]), state[0]);
        Value square = t.mul(state[1], state[1]);
        Value rest =
            arith::ShRUIOp::create(inner, loc, state[2], t.one(state[2]));
        scf::YieldOp::create(inner, loc, ValueRange{product, square, rest});
      });
  Value result = loop.getResult(0);
  if (isExponentUnsigned)
    return result;
  // 1 / base^|n|: base 1 gives 1, base -1 alternates, any other gives 0.
  Value isNegative = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::slt, exponent, s.zero(exponent));
  Value odd = s.bitAnd(exponent, s.one(exponent));
  Value isOdd = s.ne(odd, s.zero(odd));
  Value minusOne = s.constant(base, -1);
  Value minusOneToIt = s.select(isOdd, minusOne, s.one(base));
  Value isMinusOne = s.eq(base, s.constant(base, -1));
  if (isUnsigned)
    isMinusOne = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value baseOne = s.one(base);
  Value isOne = s.eq(base, baseOne);
  Value inverse = s.select(isOne, baseOne,
                           s.select(isMinusOne, minusOneToIt, s.zero(base)));
  return s.select(isNegative, inverse, result);
}

Value ScalarBuilder::power(Value base, unsigned exponent) {
  Value result;
  for (Value square = base; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = result ? mul(result, square) : square;
    if (exponent > 1)
      square = mul(square, square);
  }
  return result ? result : one(base);
}

Value ScalarBuilder::pow(Value a, Value b, bool isExponentUnsigned) {
  Type type = a.getType();
  if (!isFloat(a) && !isFloat(b))
    return powInteger(*this, a, b, isUnsigned, isExponentUnsigned);
  // The exponent may be of another type; the result is of the base's. f32 does
  // not tell odd from even in all of the wider integers.
  auto isWide = [](Value x) {
    return isFloat(x) ? x.getType().isF64() : getWidth(x) > 16;
  };
  Type compute = isWide(a) || isWide(b) ? Type(builder.getF64Type())
                                        : builder.getF32Type();
  Value base = cast(a, compute, isUnsigned, false);
  Value exponent = cast(b, compute, isExponentUnsigned, false);
  Value result = builder.createOrFold<math::PowFOp>(loc, base, exponent);
  return cast(result, type, false, isUnsigned);
}

Value ScalarBuilder::neg(Value a) {
  if (isFloat(a))
    return builder.createOrFold<arith::NegFOp>(loc, a);
  return sub(zero(a), a);
}

Value ScalarBuilder::abs(Value a) {
  if (isFloat(a))
    return builder.createOrFold<math::AbsFOp>(loc, a);
  if (isUnsigned)
    return a;
  Value isNegative = lt(a, zero(a));
  return select(isNegative, neg(a), a);
}

Value ScalarBuilder::sign(Value a) {
  if (!isFloat(a) && isUnsigned) {
    Value isZero = eq(a, zero(a));
    return select(isZero, a, one(a));
  }
  // Zeros and NaN are their own sign.
  Value isPositive = gt(a, zero(a));
  Value isNegative = lt(a, zero(a));
  Value sign = select(isNegative, constant(a, -1), a);
  return select(isPositive, one(a), sign);
}

Value ScalarBuilder::min(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::MinimumFOp>(loc, a, b);
  if (isUnsigned || isBool(a))
    return builder.createOrFold<arith::MinUIOp>(loc, a, b);
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}

Value ScalarBuilder::max(Value a, Value b) {
  if (isFloat(a))
    return builder.createOrFold<arith::MaximumFOp>(loc, a, b);
  if (isUnsigned || isBool(a))
    return builder.createOrFold<arith::MaxUIOp>(loc, a, b);
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Applies `Op` in at least f32; the result is of the type of `a`.
template <typename Op> static Value apply(ScalarBuilder &s, Value a) {
  Type type = a.getType();
  Type compute = getComputeType(type);
  Value x = s.cast(a, compute, false, false);
  Value y = s.getBuilder().createOrFold<Op>(s.getLoc(), x);
  return s.cast(y, type, false, false);
}

Value ScalarBuilder::exp(Value a) { return apply<math::ExpOp>(*this, a); }
Value ScalarBuilder::expm1(Value a) { return apply<math::ExpM1Op>(*this, a); }
Value ScalarBuilder::log(Value a) { return apply<math::LogOp>(*this, a); }
Value ScalarBuilder::log1p(Value a) { return apply<math::Log1pOp>(*this, a); }
Value ScalarBuilder::sqrt(Value a) { return apply<math::SqrtOp>(*this, a); }
Value ScalarBuilder::erf(Value a) { return apply<math::ErfOp>(*this, a); }
Value ScalarBuilder::sin(Value a) { return apply<math::SinOp>(*this, a); }
Value ScalarBuilder::cos(Value a) { return apply<math::CosOp>(*this, a); }
Value ScalarBuilder::tan(Value a) { return apply<math::TanOp>(*this, a); }
Value ScalarBuilder::asin(Value a) { return apply<math::AsinOp>(*this, a); }
Value ScalarBuilder::acos(Value a) { return apply<math::AcosOp>(*this, a); }
Value ScalarBuilder::atan(Value a) { return apply<math::AtanOp>(*this, a); }
Value ScalarBuilder::sinh(Value a) { return apply<math::SinhOp>(*this, a); }
Value ScalarBuilder::cosh(Value a) { return apply<math::CoshOp>(*this, a); }
Value ScalarBuilder::tanh(Value a) { return apply<math::TanhOp>(*this, a); }
Value ScalarBuilder::asinh(Value a) { return apply<math::AsinhOp>(*this, a); }
Value ScalarBuilder::acosh(Value a) { return apply<math::AcoshOp>(*this, a); }
Value ScalarBuilder::atanh(Value a) { return apply<math::AtanhOp>(*this, a); }
Value ScalarBuilder::floor(Value a) { return apply<math::FloorOp>(*this, a); }
Value ScalarBuilder::ceil(Value a) { return apply<math::CeilOp>(*this, a); }
Value ScalarBuilder::round(Value a) {
  return apply<math::RoundEvenOp>(*this, a);
}

Value ScalarBuilder::sigmoid(Value a) {
  Type type = a.getType();
  Value x = cast(a, getComputeType(type), false, false);
  // exp(-x) overflows to infinity for large negative x, and 1 / inf is 0.
  Value one = this->one(x);
  Value result = div(one, add(one, exp(neg(x))));
  return cast(result, type, false, false);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Value compare(ScalarBuilder &s, Value a, Value b,
                     arith::CmpFPredicate floats, arith::CmpIPredicate ints) {
  if (isFloat(a))
    return s.getBuilder().createOrFold<arith::CmpFOp>(s.getLoc(), floats, a, b);
  return s.getBuilder().createOrFold<arith::CmpIOp>(s.getLoc(), ints, a, b);
}

Value ScalarBuilder::eq(Value a, Value b) {
  return compare(*this, a, b, arith::CmpFPredicate::OEQ,
                 arith::CmpIPredicate::eq);
}
Value ScalarBuilder::ne(Value a, Value b) {
  return compare(*this, a, b, arith::CmpFPredicate::UNE,
                 arith::CmpIPredicate::ne);
}
Value ScalarBuilder::lt(Value a, Value b) {
  return compare(*this, a, b, arith::CmpFPredicate::OLT,
                 isUnsigned || isBool(a) ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt);
}
Value ScalarBuilder::le(Value a, Value b) {
  return compare(*this, a, b, arith::CmpFPredicate::OLE,
                 isUnsigned || isBool(a) ? arith::CmpIPredicate::ule
                                         : arith::CmpIPredicate::sle);
}
Value ScalarBuilder::gt(Value a, Value b) { return lt(b, a); }
Value ScalarBuilder::ge(Value a, Value b) { return le(b, a); }

Value ScalarBuilder::isNaN(Value a) {
  return builder.createOrFold<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, a,
                                             a);
}

Value ScalarBuilder::isInf(Value a, bool positive, bool negative) {
  if (positive && negative) {
    Value magnitude = abs(a);
    return eq(magnitude, constant(a, INFINITY));
  }
  if (positive || negative)
    return eq(a, constant(a, positive ? INFINITY : -INFINITY));
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
}

Value ScalarBuilder::select(Value condition, Value yes, Value no) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, yes, no);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value ScalarBuilder::bitAnd(Value a, Value b) {
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}
Value ScalarBuilder::bitOr(Value a, Value b) {
  return builder.createOrFold<arith::OrIOp>(loc, a, b);
}
Value ScalarBuilder::bitXor(Value a, Value b) {
  return builder.createOrFold<arith::XOrIOp>(loc, a, b);
}
Value ScalarBuilder::bitNot(Value a) { return bitXor(a, constant(a, -1)); }

/// Whether a shift by `b` leaves anything; the amount is unsigned.
static Value isInWidth(ScalarBuilder &s, Value b) {
  return s.getBuilder().createOrFold<arith::CmpIOp>(
      s.getLoc(), arith::CmpIPredicate::ult, b, s.constant(b, getWidth(b)));
}

Value ScalarBuilder::shiftLeft(Value a, Value b) {
  Value shifted = arith::ShLIOp::create(builder, loc, a, b);
  Value isShort = isInWidth(*this, b);
  return select(isShort, shifted, zero(a));
}
Value ScalarBuilder::shiftRight(Value a, Value b) {
  if (!isUnsigned) {
    Value most = constant(b, getWidth(b) - 1);
    return arith::ShRSIOp::create(builder, loc, a,
                                  select(isInWidth(*this, b), b, most));
  }
  Value shifted = arith::ShRUIOp::create(builder, loc, a, b);
  Value isShort = isInWidth(*this, b);
  return select(isShort, shifted, zero(a));
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

static Value castFloatToFloat(OpBuilder &b, Location loc, Value a, Type to) {
  unsigned from = getWidth(a), target = to.getIntOrFloatBitWidth();
  if (from < target)
    return b.createOrFold<arith::ExtFOp>(loc, to, a);
  if (from > target)
    return b.createOrFold<arith::TruncFOp>(loc, to, a);
  // f16 and bf16: neither holds the other.
  Value wide = b.createOrFold<arith::ExtFOp>(loc, b.getF32Type(), a);
  return b.createOrFold<arith::TruncFOp>(loc, to, wide);
}

/// Towards zero, as a signed integer of `type`; the least one where that does
/// not fit, and for NaN.
static Value truncateToSigned(ScalarBuilder &s, Value x, Type type) {
  OpBuilder &b = s.getBuilder();
  unsigned width = type.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, width - 1);
  Value isNotBelow = s.ge(x, s.constant(x, -limit));
  Value fits = s.bitAnd(isNotBelow, s.lt(x, s.constant(x, limit)));
  Value least = arith::ConstantOp::create(
      b, s.getLoc(),
      b.getIntegerAttr(type, llvm::APInt::getSignedMinValue(width)));
  Value inside = b.createOrFold<arith::FPToSIOp>(s.getLoc(), type,
                                                 s.select(fits, x, s.zero(x)));
  return s.select(fits, inside, least);
}

static Value castFloatToInt(ScalarBuilder &s, Value a, Type to,
                            bool toUnsigned) {
  OpBuilder &b = s.getBuilder();
  Value x = s.cast(a, getComputeType(a.getType()), false, false);
  unsigned width = to.getIntOrFloatBitWidth();
  if (!toUnsigned || width < 64) {
    // Narrow types take the low bits of a wider signed one.
    unsigned wide = width < 32 || (width == 32 && !toUnsigned) ? 32 : 64;
    Value result = truncateToSigned(s, x, b.getIntegerType(wide));
    return s.cast(result, to, false, toUnsigned);
  }
  // The upper half of uint64 as the lower one, moved.
  Value half = s.constant(x, std::ldexp(1.0, 63));
  Value isUpper = s.ge(x, half);
  Value result = truncateToSigned(s, s.select(isUpper, s.sub(x, half), x), to);
  Value top = s.constant(result, -std::ldexp(1.0, 63));
  return s.select(isUpper, s.bitXor(result, top), result);
}

/// Halves are rounded once: f32 does not hold all integers.
static Value castIntToFloat(ScalarBuilder &s, Value a, Type to,
                            bool zeroExtend) {
  OpBuilder &b = s.getBuilder();
  unsigned target = to.getIntOrFloatBitWidth();
  if (target < 32) {
    Type wide = getWidth(a) > 16 ? b.getF64Type() : b.getF32Type();
    return s.cast(castIntToFloat(s, a, wide, zeroExtend), to, false, false);
  }
  return zeroExtend ? b.createOrFold<arith::UIToFPOp>(s.getLoc(), to, a)
                    : b.createOrFold<arith::SIToFPOp>(s.getLoc(), to, a);
}

Value ScalarBuilder::cast(Value a, Type to, bool fromUnsigned,
                          bool toUnsigned) {
  Type from = a.getType();
  if (from == to)
    return a;
  if (isFloat(a)) {
    if (isa<FloatType>(to))
      return castFloatToFloat(builder, loc, a, to);
    if (to.isInteger(1))
      return ne(a, zero(a));
    return castFloatToInt(*this, a, to, toUnsigned);
  }
  bool zeroExtend = fromUnsigned || isBool(a);
  if (isa<FloatType>(to))
    return castIntToFloat(*this, a, to, zeroExtend);
  if (to.isInteger(1))
    return ne(a, zero(a));
  unsigned width = getWidth(a), target = to.getIntOrFloatBitWidth();
  if (width > target)
    return builder.createOrFold<arith::TruncIOp>(loc, to, a);
  return zeroExtend ? builder.createOrFold<arith::ExtUIOp>(loc, to, a)
                    : builder.createOrFold<arith::ExtSIOp>(loc, to, a);
}
