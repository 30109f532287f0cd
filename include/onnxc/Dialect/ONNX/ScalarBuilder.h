//===- ScalarBuilder.h - Vocabulary of elementwise op bodies -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one-line bodies in the op records are written against this class. It
// emits arith/math ops on scalars and hides whether the element is a float, a
// signed or an unsigned integer (builtin types are signless by then) or a bool
// (i1).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SCALARBUILDER_H
#define ONNXC_DIALECT_ONNX_SCALARBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace onnxc {

/// The type in which elements of a type of the dialect are kept after lowering:
/// signless integers; a byte for what is narrower, and for all floats of at
/// most 8 bits; the bits of complex numbers, which only ever move; the address
/// of a string.
mlir::Type getStorageType(mlir::Type element);

/// What ONNX's Cast does with numbers that an 8-bit float does not have.
struct CastMode {
  enum class Round { Up, Down, Nearest };

  /// Beyond the greatest number: that number, not infinity or NaN.
  bool saturate = true;
  /// To float8e8m0 only.
  Round round = Round::Up;
};

class ScalarBuilder {
public:
  /// `isUnsigned`: the ONNX element type of the first operand was unsigned.
  /// `resultType`: the signless element type of the op's result.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Type resultType, bool isUnsigned)
      : builder(builder), loc(loc), resultType(resultType),
        isUnsigned(isUnsigned) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::Type getResultType() const { return resultType; }

  /// A constant of the type of `like`.
  mlir::Value constant(mlir::Value like, double value);
  mlir::Value zero(mlir::Value like) { return constant(like, 0); }
  mlir::Value one(mlir::Value like) { return constant(like, 1); }

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  /// Integers: towards zero; division by zero and MIN / -1 are defined (0,
  /// MIN).
  mlir::Value div(mlir::Value a, mlir::Value b);
  /// Remainder with the sign of the dividend (C fmod, %).
  mlir::Value fmod(mlir::Value a, mlir::Value b);
  /// Remainder with the sign of the divisor (Python %).
  mlir::Value mod(mlir::Value a, mlir::Value b);
  /// In the type of `a`; integers wrap around.
  mlir::Value pow(mlir::Value a, mlir::Value b,
                  bool isExponentUnsigned = false);
  /// By products alone.
  mlir::Value power(mlir::Value base, unsigned exponent);
  mlir::Value neg(mlir::Value a);
  mlir::Value abs(mlir::Value a);
  mlir::Value sign(mlir::Value a);
  /// NaN if either is NaN (numpy minimum/maximum).
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);

  mlir::Value exp(mlir::Value a);
  mlir::Value expm1(mlir::Value a);
  mlir::Value log(mlir::Value a);
  mlir::Value log1p(mlir::Value a);
  mlir::Value sqrt(mlir::Value a);
  mlir::Value erf(mlir::Value a);
  mlir::Value sin(mlir::Value a);
  mlir::Value cos(mlir::Value a);
  mlir::Value tan(mlir::Value a);
  mlir::Value asin(mlir::Value a);
  mlir::Value acos(mlir::Value a);
  mlir::Value atan(mlir::Value a);
  mlir::Value sinh(mlir::Value a);
  mlir::Value cosh(mlir::Value a);
  mlir::Value tanh(mlir::Value a);
  mlir::Value asinh(mlir::Value a);
  mlir::Value acosh(mlir::Value a);
  mlir::Value atanh(mlir::Value a);
  mlir::Value floor(mlir::Value a);
  mlir::Value ceil(mlir::Value a);
  /// Halves to even.
  mlir::Value round(mlir::Value a);
  /// 1 / (1 + exp(-a)), without overflow.
  mlir::Value sigmoid(mlir::Value a);

  // Comparisons give i1. Floats: ordered, except `ne`.
  mlir::Value eq(mlir::Value a, mlir::Value b);
  mlir::Value ne(mlir::Value a, mlir::Value b);
  mlir::Value lt(mlir::Value a, mlir::Value b);
  mlir::Value le(mlir::Value a, mlir::Value b);
  mlir::Value gt(mlir::Value a, mlir::Value b);
  mlir::Value ge(mlir::Value a, mlir::Value b);
  mlir::Value isNaN(mlir::Value a);
  mlir::Value isInf(mlir::Value a, bool positive, bool negative);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  // On integers and bools, bit by bit.
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value bitNot(mlir::Value a);
  /// Shifts by the bit width or more give 0; signed ones to the right, the
  /// sign.
  mlir::Value shiftLeft(mlir::Value a, mlir::Value b);
  mlir::Value shiftRight(mlir::Value a, mlir::Value b);

  /// ONNX Cast of a scalar; `fromUnsigned`/`toUnsigned` say what the signless
  /// integer types stand for. Bool is i1: x != 0. Floats out of the range of an
  /// integer type, which ONNX leaves open, become what processors and numpy
  /// make of them: the low bits where a wider integer holds the number, else
  /// the least one, or 0 in few bits.
  mlir::Value cast(mlir::Value a, mlir::Type to, bool fromUnsigned,
                   bool toUnsigned);

  /// The number that a stored element of the dialect's type `element` stands
  /// for: f32 for floats of at most 8 bits, i8 for narrower integers.
  mlir::Value decode(mlir::Value stored, mlir::Type element);
  /// The number as a stored element; `fromUnsigned` says what `number` is.
  mlir::Value encode(mlir::Value number, mlir::Type element,
                     bool fromUnsigned = false, CastMode mode = {});
  /// ONNX Cast of a stored element, between types of the dialect.
  mlir::Value convert(mlir::Value stored, mlir::Type from, mlir::Type to,
                      CastMode mode = {});

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type resultType;
  bool isUnsigned;
};

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SCALARBUILDER_H
