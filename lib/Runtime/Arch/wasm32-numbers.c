/*===- wasm32-numbers.c - Floats as text --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* wasi-libc's printf imports what writes to a file. This is what the runtime *|
|* needs of it: %.*e and %.*f of finite numbers, rounded as IEEE 754 does.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "../Libc.h"

enum {
  limb_digits = 9,
  limb = 1000000000,
  /* 2^53 times 5^1074 has 767 digits. */
  most_limbs = 86,
  most_digits = most_limbs * limb_digits + 1
};

/* The number is the digits, of which the first is not 0 unless it is the only
   one, times 10^(exponent - count + 1): `exponent` is that of the first. */
typedef struct decimal {
  char digits[most_digits];
  int count, exponent;
} decimal;

static int multiply(uint32_t *limbs, int count, uint32_t factor) {
  uint64_t carry = 0;
  int i;
  for (i = 0; i < count; ++i) {
    carry += (uint64_t)limbs[i] * factor;
    limbs[i] = (uint32_t)(carry % limb);
    carry /= limb;
  }
  if (carry)
    limbs[count++] = (uint32_t)carry;
  return count;
}

/* All digits of the fraction times 2^exponent. */
static void expand(uint64_t fraction, int exponent, decimal *to) {
  uint32_t limbs[most_limbs];
  int count = 0, i, digit, at = 0, tens = exponent < 0 ? -exponent : 0;
  do
    limbs[count++] = (uint32_t)(fraction % limb);
  while (fraction /= limb);
  /* x / 2^n is x * 5^n / 10^n. */
  for (i = 0; i < tens; ++i)
    count = multiply(limbs, count, 5);
  for (i = 0; i < exponent; ++i)
    count = multiply(limbs, count, 2);
  for (i = 0; i < count; ++i)
    for (digit = 0; digit < limb_digits; ++digit, limbs[i] /= 10)
      to->digits[at++] = (char)(limbs[i] % 10);
  while (at > 1 && !to->digits[at - 1])
    --at;
  for (i = 0; i < at / 2; ++i) {
    char other = to->digits[i];
    to->digits[i] = to->digits[at - 1 - i];
    to->digits[at - 1 - i] = other;
  }
  to->count = at;
  to->exponent = at - 1 - tens;
}

/* To `count` digits, 0 or more; a tie to the even one. */
static void round_to(decimal *x, int count) {
  int i, up;
  if (count >= x->count)
    return;
  up = x->digits[count] >= 5;
  if (x->digits[count] == 5) {
    for (i = count + 1; i < x->count && !x->digits[i];)
      ++i;
    if (i == x->count)
      up = count && x->digits[count - 1] % 2;
  }
  x->count = count;
  for (i = count; up && i > 0; --i) {
    up = x->digits[i - 1] == 9;
    x->digits[i - 1] = (char)(up ? 0 : x->digits[i - 1] + 1);
  }
  if (!up)
    return;
  /* 9.99 became 10.0. */
  for (i = count; i > 0; --i)
    x->digits[i] = x->digits[i - 1];
  x->digits[0] = 1;
  x->count = count + 1;
  ++x->exponent;
}

/* The digit that stands for 10^exponent. */
static char digit_of(const decimal *x, int exponent) {
  int at = x->exponent - exponent;
  return (char)('0' + (at >= 0 && at < x->count ? x->digits[at] : 0));
}

int onnxc_rt_print(char *text, size_t size, const char *format, int precision,
                   double value) {
  decimal x;
  uint64_t bits, fraction;
  int exponent, i, has_exponent = format[3] == 'e';
  char *to = text;
  (void)size;
  memcpy(&bits, &value, sizeof bits);
  fraction = bits & ((UINT64_C(1) << 52) - 1);
  exponent = (int)(bits >> 52 & 2047);
  if (exponent)
    fraction |= UINT64_C(1) << 52;
  else
    exponent = 1;
  expand(fraction, exponent - 1075, &x);
  if (!fraction)
    x.exponent = 0;
  i = has_exponent ? precision + 1 : x.exponent + 1 + precision;
  if (i >= 0)
    round_to(&x, i);
  else
    x.count = 0;
  if (bits >> 63)
    *to++ = '-';
  exponent = has_exponent ? x.exponent : 0;
  for (i = has_exponent || x.exponent < 0 ? 0 : x.exponent; i >= 0; --i)
    *to++ = digit_of(&x, exponent + i);
  if (precision)
    *to++ = '.';
  for (i = 1; i <= precision; ++i)
    *to++ = digit_of(&x, exponent - i);
  if (has_exponent) {
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100)
      *to++ = (char)('0' + exponent / 100);
    *to++ = (char)('0' + exponent / 10 % 10);
    *to++ = (char)('0' + exponent % 10);
  }
  *to = 0;
  return (int)(to - text);
}
