/*===- Half.c - Conversions that the processor may lack -----------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* LLVM calls these by name where the target has no instruction for them. They*|
|* would come from the compiler's support library, which a model does not     *|
|* need. Written with integers only: a conversion here would call itself.     *|
|* Rounds to nearest, ties to even; NaNs stay NaNs and become quiet.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stdint.h>

float __extendhfsf2(_Float16 value);
_Float16 __truncsfhf2(float value);
_Float16 __truncdfhf2(double value);
__bf16 __truncsfbf2(float value);
__bf16 __truncdfbf2(double value);
float __powisf2(float base, int exponent);
double __powidf2(double base, int exponent);

static uint32_t float_bits(float value) {
  union {
    float value;
    uint32_t bits;
  } u;
  u.value = value;
  return u.bits;
}

static uint64_t double_bits(double value) {
  union {
    double value;
    uint64_t bits;
  } u;
  u.value = value;
  return u.bits;
}

static float to_float(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } u;
  u.bits = bits;
  return u.value;
}

static _Float16 to_half(uint16_t bits) {
  union {
    uint16_t bits;
    _Float16 value;
  } u;
  u.bits = bits;
  return u.value;
}

static __bf16 to_bfloat(uint16_t bits) {
  union {
    uint16_t bits;
    __bf16 value;
  } u;
  u.bits = bits;
  return u.value;
}

float __extendhfsf2(_Float16 value) {
  union {
    _Float16 value;
    uint16_t bits;
  } u;
  uint32_t sign, exponent, fraction;
  u.value = value;
  sign = (uint32_t)(u.bits & 0x8000) << 16;
  exponent = (u.bits >> 10) & 0x1f;
  fraction = u.bits & 0x3ff;
  if (exponent == 0x1f)
    return to_float(sign | 0x7f800000 | (fraction << 13) |
                    (fraction ? 0x400000 : 0));
  if (!exponent) {
    if (!fraction)
      return to_float(sign);
    /* A subnormal: shift until the leading one is the implicit one. */
    exponent = 1;
    while (!(fraction & 0x400)) {
      fraction <<= 1;
      --exponent;
    }
    fraction &= 0x3ff;
  }
  return to_float(sign | ((exponent + 112) << 23) | (fraction << 13));
}

/* From the bits of a double to those of a type with `bits` fraction bits and
   exponents up to `bias`. */
static uint32_t narrow(uint64_t wide, int bits, int bias) {
  uint32_t sign = (uint32_t)(wide >> 63);
  int exponent = (int)((wide >> 52) & 0x7ff);
  uint64_t fraction = wide & (((uint64_t)1 << 52) - 1);
  uint32_t infinity = (uint32_t)(2 * bias + 1) << bits;
  int shift = 52 - bits;
  uint64_t half, rest;
  uint32_t result;
  sign <<= 15;
  if (exponent == 0x7ff) {
    if (!fraction)
      return sign | infinity;
    return sign | infinity | ((uint32_t)1 << (bits - 1)) |
           (uint32_t)(fraction >> shift);
  }
  exponent += bias - 1023;
  if (exponent > 2 * bias)
    return sign | infinity;
  if (exponent >= 1) {
    result = ((uint32_t)exponent << bits) | (uint32_t)(fraction >> shift);
  } else {
    /* Below the normal range; a double's own subnormals are far below. */
    if (exponent < -bits - 1)
      return sign;
    fraction |= (uint64_t)1 << 52;
    shift += 1 - exponent;
    result = (uint32_t)(fraction >> shift);
  }
  /* A carry runs into the exponent, and from the largest into infinity. */
  half = (uint64_t)1 << (shift - 1);
  rest = fraction & ((half << 1) - 1);
  if (rest > half || (rest == half && (result & 1)))
    ++result;
  return sign | result;
}

/* The same number as a double's bits: exact. */
static uint64_t widen(float value) {
  uint32_t bits = float_bits(value);
  uint64_t sign = (uint64_t)(bits >> 31) << 63;
  int exponent = (int)((bits >> 23) & 0xff);
  uint64_t fraction = bits & 0x7fffff;
  if (exponent == 0xff)
    return sign | ((uint64_t)0x7ff << 52) | (fraction << 29);
  if (!exponent) {
    if (!fraction)
      return sign;
    exponent = 1;
    while (!(fraction & 0x800000)) {
      fraction <<= 1;
      --exponent;
    }
    fraction &= 0x7fffff;
  }
  return sign | ((uint64_t)(exponent + 896) << 52) | (fraction << 29);
}

_Float16 __truncdfhf2(double value) {
  return to_half((uint16_t)narrow(double_bits(value), 10, 15));
}

_Float16 __truncsfhf2(float value) {
  return to_half((uint16_t)narrow(widen(value), 10, 15));
}

__bf16 __truncdfbf2(double value) {
  return to_bfloat((uint16_t)narrow(double_bits(value), 7, 127));
}

__bf16 __truncsfbf2(float value) {
  return to_bfloat((uint16_t)narrow(widen(value), 7, 127));
}

double __powidf2(double base, int exponent) {
  uint32_t left = exponent < 0 ? -(uint32_t)exponent : (uint32_t)exponent;
  double result = 1;
  for (; left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return exponent < 0 ? 1 / result : result;
}

float __powisf2(float base, int exponent) {
  uint32_t left = exponent < 0 ? -(uint32_t)exponent : (uint32_t)exponent;
  float result = 1;
  for (; left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return exponent < 0 ? 1 / result : result;
}
