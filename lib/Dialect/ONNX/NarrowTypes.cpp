//===- NarrowTypes.cpp - Element types kept in a byte ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of 8 bits and less and integers of less than 8 take a byte each in
// memory, in the low bits, and are computed in wider types. The conversions
// here follow ONNX's Cast; the formats' own numbers are APFloat's.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using llvm::APFloat;
using llvm::APFloatBase;

Type onnxc::getStorageType(Type element) {
  MLIRContext *context = element.getContext();
  if (auto complex = dyn_cast<ComplexType>(element))
    return IntegerType::get(
        context, 2 * complex.getElementType().getIntOrFloatBitWidth());
  if (isa<StringType>(element))
    return IntegerType::get(context, 64);
  unsigned width = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return width <= 8 ? IntegerType::get(context, 8) : element;
  return IntegerType::get(context, width == 1 ? 1 : std::max(width, 8u));
}

static bool isNarrowFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8;
}

static bool isNarrowInteger(Type element) {
  return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() > 1 &&
         element.getIntOrFloatBitWidth() < 8;
}

namespace {

/// The numbers that make a float format of at most 8 bits with a sign.
struct Format {
  unsigned bits, fraction;
  int bias;
  /// Of positive numbers; NaN may have the bit of the sign.
  uint64_t greatest, nan, infinity;
  bool hasNaN, hasInfinity;
  /// The bits of -0 are NaN's.
  bool isUnsignedZero;

  explicit Format(Type type) {
    const llvm::fltSemantics &s = cast<FloatType>(type).getFloatSemantics();
    auto code = [](const APFloat &value) {
      return value.bitcastToAPInt().getZExtValue();
    };
    bits = APFloatBase::semanticsSizeInBits(s);
    fraction = APFloatBase::semanticsPrecision(s) - 1;
    bias = 1 - APFloatBase::semanticsMinExponent(s);
    greatest = code(APFloat::getLargest(s));
    hasNaN = APFloatBase::semanticsHasNaN(s);
    hasInfinity = APFloatBase::semanticsHasInf(s);
    // What numbers become that have none: the one zero left.
    nan = hasNaN ? code(APFloat::getNaN(s)) : signBit();
    infinity = hasInfinity ? code(APFloat::getInf(s)) : nan;
    isUnsignedZero = hasNaN && nan == signBit();
  }

  uint64_t signBit() const { return uint64_t(1) << (bits - 1); }
};

/// Integers of one width, and the float of that width.
class Bits {
public:
  Bits(ScalarBuilder &s, Type real)
      : s(s), b(s.getBuilder()), loc(s.getLoc()), real(cast<FloatType>(real)),
        integer(b.getIntegerType(real.getIntOrFloatBitWidth())) {}

  Value constant(uint64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, value));
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(real, value));
  }
  Value ofNumber(double value) {
    APFloat exact(value);
    bool losesInfo;
    exact.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return constant(exact.bitcastToAPInt().getZExtValue());
  }
  Value ofNumber(Value x) {
    return b.createOrFold<arith::BitcastOp>(loc, integer, x);
  }
  Value toNumber(Value bits) {
    return b.createOrFold<arith::BitcastOp>(loc, real, bits);
  }
  Value bitAnd(Value x, uint64_t mask) { return s.bitAnd(x, constant(mask)); }
  Value shiftRight(Value x, unsigned amount) {
    return b.createOrFold<arith::ShRUIOp>(loc, x, constant(amount));
  }
  Value shiftLeft(Value x, unsigned amount) {
    return b.createOrFold<arith::ShLIOp>(loc, x, constant(amount));
  }
  /// Both are positive as signed numbers.
  Value less(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  }
  unsigned width() { return real.getWidth(); }
  unsigned fraction() { return real.getFPMantissaWidth() - 1; }
  int bias() {
    return 1 - APFloatBase::semanticsMinExponent(real.getFloatSemantics());
  }

private:
  ScalarBuilder &s;
  OpBuilder &b;
  Location loc;
  FloatType real;
  IntegerType integer;
};

} // namespace

//===----------------------------------------------------------------------===//
// Floats with a sign
//===----------------------------------------------------------------------===//

static Value decodeFloat(ScalarBuilder &s, Value code, const Format &format) {
  OpBuilder &b = s.getBuilder();
  Bits f32(s, b.getF32Type());
  Value wide = b.createOrFold<arith::ExtUIOp>(s.getLoc(), b.getI32Type(), code);
  Value magnitude = f32.bitAnd(wide, format.signBit() - 1);
  unsigned shift = f32.fraction() - format.fraction;
  Value normal = f32.shiftLeft(magnitude, shift);
  normal =
      f32.toNumber(s.add(normal, f32.constant(uint64_t(f32.bias() - format.bias)
                                              << f32.fraction())));
  // Below the normal numbers, the bits count the least one.
  Value subnormal = s.mul(
      s.cast(magnitude, b.getF32Type(), false, false),
      f32.number(std::ldexp(1.0, 1 - format.bias - int(format.fraction))));
  Value isSubnormal =
      f32.less(magnitude, f32.constant(uint64_t(1) << format.fraction));
  Value result = s.select(isSubnormal, subnormal, normal);
  if (format.hasInfinity) {
    Value isInfinite = s.eq(magnitude, f32.constant(format.infinity));
    result = s.select(isInfinite, f32.number(INFINITY), result);
  }
  Value sign =
      f32.shiftLeft(f32.bitAnd(wide, format.signBit()), 32 - format.bits);
  result = f32.toNumber(s.bitOr(f32.ofNumber(result), sign));
  if (!format.hasNaN)
    return result;
  Value isNaN;
  if (format.hasInfinity) {
    isNaN = f32.less(f32.constant(format.infinity), magnitude);
  } else {
    Value own = format.isUnsignedZero ? f32.bitAnd(wide, 0xff) : magnitude;
    isNaN = s.eq(own, f32.constant(format.nan));
  }
  return s.select(isNaN, f32.number(NAN), result);
}

/// `x` is f32 or f64. Rounds to nearest, ties to even, once.
static Value encodeFloat(ScalarBuilder &s, Value x, const Format &format,
                         bool saturate) {
  OpBuilder &b = s.getBuilder();
  Bits bits(s, x.getType());
  Value all = bits.ofNumber(x);
  Value sign = bits.bitAnd(bits.shiftRight(all, bits.width() - format.bits),
                           format.signBit());
  Value magnitude = bits.bitAnd(all, (uint64_t(1) << (bits.width() - 1)) - 1);

  unsigned shift = bits.fraction() - format.fraction;
  Value odd = bits.bitAnd(bits.shiftRight(magnitude, shift), 1);
  Value rounded = s.add(magnitude, odd);
  rounded = s.add(rounded, bits.constant((uint64_t(1) << (shift - 1)) - 1));
  Value normal = bits.shiftRight(rounded, shift);
  normal = s.sub(normal, bits.constant(uint64_t(bits.bias() - format.bias)
                                       << format.fraction));
  // Where the least number is the last bit of `grid`, the sum rounds.
  double least = std::ldexp(1.0, 1 - format.bias - int(format.fraction));
  double grid = std::ldexp(least, bits.fraction());
  Value subnormal = bits.toNumber(magnitude);
  subnormal = bits.ofNumber(s.add(subnormal, bits.number(grid)));
  subnormal = s.sub(subnormal, bits.ofNumber(grid));
  Value leastNormal = bits.ofNumber(std::ldexp(1.0, 1 - format.bias));
  Value code = s.select(bits.less(magnitude, leastNormal), subnormal, normal);

  Value greatest = bits.constant(format.greatest);
  bool clamps = saturate || !format.hasNaN;
  Value isBeyond = bits.less(greatest, code);
  code = s.select(isBeyond, clamps ? greatest : bits.constant(format.infinity),
                  code);
  Value nan = bits.constant(format.nan);
  if (format.isUnsignedZero) {
    Value isNumber = s.ne(code, bits.constant(0));
    Value isSigned = s.bitAnd(isNumber, s.ne(code, nan));
    sign = s.select(isSigned, sign, bits.constant(0));
  } else if (format.hasNaN) {
    nan = s.bitOr(nan, sign);
  }
  Value isNaN = s.isNaN(x);
  code = s.select(isNaN, nan, s.bitOr(code, sign));
  return b.createOrFold<arith::TruncIOp>(s.getLoc(), b.getI8Type(), code);
}

//===----------------------------------------------------------------------===//
// float8e8m0: powers of two from 2^-127 on; 255 is NaN
//===----------------------------------------------------------------------===//

static Value decodeExponent(ScalarBuilder &s, Value code) {
  OpBuilder &b = s.getBuilder();
  Bits f32(s, b.getF32Type());
  Value wide = b.createOrFold<arith::ExtUIOp>(s.getLoc(), b.getI32Type(), code);
  Value power = f32.toNumber(f32.shiftLeft(wide, f32.fraction()));
  // 2^-127 is below the normal numbers of f32.
  Value isLeast = s.eq(wide, f32.constant(0));
  power = s.select(isLeast, f32.number(std::ldexp(1.0, -127)), power);
  Value isNaN = s.eq(wide, f32.constant(255));
  return s.select(isNaN, f32.number(NAN), power);
}

/// The sign is lost; ONNX leaves negative numbers open.
static Value encodeExponent(ScalarBuilder &s, Value x, CastMode mode) {
  OpBuilder &b = s.getBuilder();
  // In f64, all of these powers and f32's subnormal numbers are normal.
  Bits f64(s, b.getF64Type());
  Value magnitude = f64.bitAnd(
      f64.ofNumber(s.cast(x, b.getF64Type(), false, false)), INT64_MAX);
  Value rounded = magnitude;
  uint64_t one = uint64_t(1) << f64.fraction();
  if (mode.round == CastMode::Round::Up)
    rounded = s.add(magnitude, f64.constant(one - 1));
  else if (mode.round == CastMode::Round::Nearest)
    rounded = s.add(magnitude, f64.constant(one / 2));
  Value code = f64.shiftRight(rounded, f64.fraction());
  code = s.sub(code, f64.constant(f64.bias() - 127));
  Value nan = f64.constant(255);
  Value isLow = f64.less(magnitude, f64.ofNumber(std::ldexp(1.0, -127)));
  code = s.select(isLow, mode.saturate ? f64.constant(0) : nan, code);
  Value most = f64.constant(254);
  code = s.select(f64.less(most, code), mode.saturate ? most : nan, code);
  code = s.select(s.isNaN(x), nan, code);
  return b.createOrFold<arith::TruncIOp>(s.getLoc(), b.getI8Type(), code);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// The low bits of a byte, as a byte: by the sign, or zeros.
static Value keepLowBits(ScalarBuilder &s, Value byte, Type element) {
  OpBuilder &b = s.getBuilder();
  Type narrow = b.getIntegerType(element.getIntOrFloatBitWidth());
  Value low = b.createOrFold<arith::TruncIOp>(s.getLoc(), narrow, byte);
  Type i8 = b.getI8Type();
  return element.isUnsignedInteger()
             ? b.createOrFold<arith::ExtUIOp>(s.getLoc(), i8, low)
             : b.createOrFold<arith::ExtSIOp>(s.getLoc(), i8, low);
}

Value ScalarBuilder::decode(Value stored, Type element) {
  if (isa<Float8E8M0FNUType>(element))
    return decodeExponent(*this, stored);
  if (isNarrowFloat(element))
    return decodeFloat(*this, stored, Format(element));
  if (isNarrowInteger(element))
    return keepLowBits(*this, stored, element);
  return stored;
}

Value ScalarBuilder::encode(Value number, Type element, bool fromUnsigned,
                            CastMode mode) {
  if (isNarrowInteger(element))
    return keepLowBits(
        *this, cast(number, builder.getI8Type(), fromUnsigned, false), element);
  if (!isNarrowFloat(element))
    return cast(number, getStorageType(element), fromUnsigned,
                element.isUnsignedInteger());
  // A float that holds the number, or rounds only what is out of range anyway.
  unsigned width = number.getType().getIntOrFloatBitWidth();
  bool isWide = isa<FloatType>(number.getType()) ? width > 32 : width > 16;
  Value real = cast(
      number, isWide ? Type(builder.getF64Type()) : Type(builder.getF32Type()),
      fromUnsigned, false);
  return isa<Float8E8M0FNUType>(element)
             ? encodeExponent(*this, real, mode)
             : encodeFloat(*this, real, Format(element), mode.saturate);
}

Value ScalarBuilder::convert(Value stored, Type from, Type to, CastMode mode) {
  if (from == to)
    return stored;
  return encode(decode(stored, from), to, from.isUnsignedInteger(), mode);
}
