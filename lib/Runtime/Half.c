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

#include "onnxc/Runtime/BFloat16.h"

#include <stdint.h>

float __extendhfsf2(onnxc_half value);
onnxc_half __truncsfhf2(float value);
onnxc_half __truncdfhf2(double value);
onnxc_bf16 __truncsfbf2(float value);
onnxc_bf16 __truncdfbf2(double value);
float __powisf2(float base, int exponent);
double __powidf2(double base, int exponent);

union number {
  onnxc_half half;
  onnxc_bf16 bfloat;
  float single;
  double wide;
  uint16_t bits16;
  uint32_t bits32;
  uint64_t bits64;
};

/* From the bits of a double to those of a type of `width` bits, of which `bits`
   are the fraction, with exponents up to `bias`. */
static uint32_t narrow(uint64_t wide, int width, int bits, int bias) {
  uint32_t sign = (uint32_t)(wide >> 63) << (width - 1);
  int exponent = (int)((wide >> 52) & 0x7ff);
  uint64_t fraction = wide & (((uint64_t)1 << 52) - 1);
  uint32_t infinity = (uint32_t)(2 * bias + 1) << bits;
  int shift = 52 - bits;
  uint64_t half, rest;
  uint32_t result;
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

/* The same number as a double's bits, exactly; `number` is of the form that
   `narrow` makes. */
static uint64_t widen(uint32_t number, int width, int bits, int bias) {
  uint32_t one = (uint32_t)1 << bits;
  uint64_t sign = (uint64_t)(number >> (width - 1)) << 63;
  int exponent = (int)((number >> bits) & (uint32_t)(2 * bias + 1));
  uint64_t fraction = number & (one - 1);
  if (exponent == 2 * bias + 1)
    return sign | ((uint64_t)0x7ff << 52) | (fraction << (52 - bits));
  if (!exponent) {
    if (!fraction)
      return sign;
    /* A subnormal: shift until the leading one is the implicit one. */
    for (exponent = 1; !(fraction & one); --exponent)
      fraction <<= 1;
    fraction &= one - 1;
  }
  return sign | ((uint64_t)(exponent + 1023 - bias) << 52) |
         (fraction << (52 - bits));
}

static union number to_half(uint64_t wide) {
  return (union number){.bits16 = (uint16_t)narrow(wide, 16, 10, 15)};
}

static union number to_bfloat(uint64_t wide) {
  return (union number){.bits16 = (uint16_t)narrow(wide, 16, 7, 127)};
}

static uint64_t from_single(float value) {
  return widen((union number){.single = value}.bits32, 32, 23, 127);
}

float __extendhfsf2(onnxc_half value) {
  uint64_t wide = widen((union number){.half = value}.bits16, 16, 10, 15);
  return (union number){.bits32 = narrow(wide, 32, 23, 127)}.single;
}

onnxc_half __truncdfhf2(double value) {
  return to_half((union number){.wide = value}.bits64).half;
}

onnxc_half __truncsfhf2(float value) {
  return to_half(from_single(value)).half;
}

onnxc_bf16 __truncdfbf2(double value) {
  return to_bfloat((union number){.wide = value}.bits64).bfloat;
}

onnxc_bf16 __truncsfbf2(float value) {
  return to_bfloat(from_single(value)).bfloat;
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
