/*===- freestanding.c - What models call, for programs without libc -*- C
-*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Code that onnxc compiles with --freestanding calls memcpy, memmove,        *|
|* memset, some functions of libm, and the compiler's support library (libgcc *|
|* or compiler-rt). Where there is none of them this file stands in: for      *|
|* single precision on a processor that has it, and quotients of 64 bits. All *|
|* are weak: what a program has besides is taken instead.                     *|
|*                                                                            *|
|* From -O1 on onnxc computes exp, log, tanh and the like by itself. What is  *|
|* not here it calls at -O0, for doubles, and for trigonometry (sinf, tanf,   *|
|* atanf, ...: docs/bare-metal.md lists them): these are libm's to give.      *|
|* Compile with -ffreestanding -ffunction-sections, link with --gc-sections.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak))

/* A compiler would make calls of memcpy from such loops. */
#if defined(__clang__)
#define PLAIN_LOOPS __attribute__((no_builtin))
#else
#define PLAIN_LOOPS                                                            \
  __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

/* Words may hold objects of any type. */
typedef uint32_t __attribute__((may_alias)) word;

static int is_aligned(const void *a, const void *b) {
  return (((uintptr_t)a | (uintptr_t)b) & (sizeof(word) - 1)) == 0;
}

WEAK PLAIN_LOOPS void *memcpy(void *restrict to, const void *restrict from,
                              size_t bytes) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if (is_aligned(t, f))
    for (; bytes >= sizeof(word);
         bytes -= sizeof(word), t += sizeof(word), f += sizeof(word))
      *(word *)(void *)t = *(const word *)(const void *)f;
  while (bytes--)
    *t++ = *f++;
  return to;
}

WEAK PLAIN_LOOPS void *memmove(void *to, const void *from, size_t bytes) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if ((uintptr_t)t - (uintptr_t)f >= bytes) {
    while (bytes--)
      *t++ = *f++;
    return to;
  }
  while (bytes--)
    t[bytes] = f[bytes];
  return to;
}

WEAK PLAIN_LOOPS void *memset(void *memory, int byte, size_t bytes) {
  unsigned char *m = memory;
  word filled = (unsigned char)byte * 0x01010101u;
  if (is_aligned(m, m))
    for (; bytes >= sizeof(word); bytes -= sizeof(word), m += sizeof(word))
      *(word *)(void *)m = filled;
  while (bytes--)
    *m++ = (unsigned char)byte;
  return memory;
}

#if defined(__arm__)
/* ARM's EABI has names of its own for them. */
WEAK void __aeabi_memcpy(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}
WEAK void __aeabi_memcpy4(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}
WEAK void __aeabi_memcpy8(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}
WEAK void __aeabi_memmove(void *to, const void *from, size_t bytes) {
  memmove(to, from, bytes);
}
WEAK void __aeabi_memmove4(void *to, const void *from, size_t bytes) {
  memmove(to, from, bytes);
}
WEAK void __aeabi_memmove8(void *to, const void *from, size_t bytes) {
  memmove(to, from, bytes);
}
WEAK void __aeabi_memset(void *memory, size_t bytes, int byte) {
  memset(memory, byte, bytes);
}
WEAK void __aeabi_memset4(void *memory, size_t bytes, int byte) {
  memset(memory, byte, bytes);
}
WEAK void __aeabi_memset8(void *memory, size_t bytes, int byte) {
  memset(memory, byte, bytes);
}
WEAK void __aeabi_memclr(void *memory, size_t bytes) {
  memset(memory, 0, bytes);
}
WEAK void __aeabi_memclr4(void *memory, size_t bytes) {
  memset(memory, 0, bytes);
}
WEAK void __aeabi_memclr8(void *memory, size_t bytes) {
  memset(memory, 0, bytes);
}
#endif

#if UINTPTR_MAX <= 0xFFFFFFFFu
/* Processors of 32 bits call for the quotient of longer numbers, which are
   mostly short after all. Of a divisor of zero the quotient is all ones. */
__attribute__((used)) static uint64_t divide(uint64_t number, uint64_t by,
                                             uint64_t *rest) {
  uint64_t quotient = 0, left = 0;
  if ((number | by) >> 32 == 0 && by != 0) {
    *rest = (uint32_t)number % (uint32_t)by;
    return (uint32_t)number / (uint32_t)by;
  }
  for (int i = 63; i >= 0; --i) {
    left = left << 1 | (number >> i & 1);
    quotient <<= 1;
    if (left >= by) {
      left -= by;
      quotient |= 1;
    }
  }
  *rest = left;
  return quotient;
}

/* The same with signs: the rest has that of the number. */
__attribute__((used)) static int64_t divide_signed(int64_t number, int64_t by,
                                                   int64_t *rest) {
  uint64_t left;
  uint64_t n = number < 0 ? -(uint64_t)number : (uint64_t)number;
  uint64_t d = by < 0 ? -(uint64_t)by : (uint64_t)by;
  uint64_t quotient = divide(n, d, &left);
  *rest = (int64_t)(number < 0 ? -left : left);
  return (int64_t)((number < 0) != (by < 0) ? -quotient : quotient);
}

#if defined(__arm__)
/* The quotient in r0 and r1, the rest in r2 and r3, which C cannot say. */
#define DIVISION(NAME, FUNCTION)                                               \
  WEAK __attribute__((naked)) void NAME(void) {                                \
    __asm__("push {r4, lr}\n"                                                  \
            "sub sp, sp, #16\n"                                                \
            "add r4, sp, #8\n"                                                 \
            "str r4, [sp]\n"                                                   \
            "bl " FUNCTION "\n"                                                \
            "ldr r2, [sp, #8]\n"                                               \
            "ldr r3, [sp, #12]\n"                                              \
            "add sp, sp, #16\n"                                                \
            "pop {r4, pc}");                                                   \
  }
DIVISION(__aeabi_uldivmod, "divide")
DIVISION(__aeabi_ldivmod, "divide_signed")
#else
WEAK uint64_t __udivdi3(uint64_t number, uint64_t by) {
  uint64_t rest;
  return divide(number, by, &rest);
}
WEAK uint64_t __umoddi3(uint64_t number, uint64_t by) {
  uint64_t rest;
  divide(number, by, &rest);
  return rest;
}
WEAK int64_t __divdi3(int64_t number, int64_t by) {
  int64_t rest;
  return divide_signed(number, by, &rest);
}
WEAK int64_t __moddi3(int64_t number, int64_t by) {
  int64_t rest;
  divide_signed(number, by, &rest);
  return rest;
}
#endif
#endif

static uint32_t bits_of(float x) {
  union {
    float number;
    uint32_t bits;
  } both = {x};
  return both.bits;
}

static float of_bits(uint32_t bits) {
  union {
    uint32_t bits;
    float number;
  } both = {bits};
  return both.number;
}

static const uint32_t sign_bit = 0x80000000u;

static float with_sign(float x, float of) {
  return of_bits((bits_of(x) & ~sign_bit) | (bits_of(of) & sign_bit));
}

WEAK float fabsf(float x) { return of_bits(bits_of(x) & ~sign_bit); }
WEAK float copysignf(float x, float of) { return with_sign(x, of); }

/* Numbers from 2^23 on are integers; NaN is not less than them. */
static int has_fraction(float x) { return fabsf(x) < 8388608.0f; }

WEAK float truncf(float x) {
  return has_fraction(x) ? with_sign((float)(int32_t)x, x) : x;
}
WEAK float floorf(float x) {
  float whole = truncf(x);
  return whole > x ? whole - 1.0f : whole;
}
WEAK float ceilf(float x) {
  float whole = truncf(x);
  return whole < x ? with_sign(whole + 1.0f, x) : whole;
}
WEAK float roundf(float x) {
  float whole = truncf(x);
  return fabsf(x - whole) >= 0.5f ? whole + with_sign(1.0f, x) : whole;
}
/* Halves to the even one, the mode that every program starts in. */
WEAK float rintf(float x) {
  volatile float shifted;
  if (!has_fraction(x))
    return x;
  shifted = fabsf(x) + 8388608.0f;
  return with_sign(shifted - 8388608.0f, x);
}
WEAK float nearbyintf(float x) { return rintf(x); }
WEAK float roundevenf(float x) { return rintf(x); }

/* The product of two floats is exact as a double. Rounding the sum twice may be
   wrong by the last place once in some hundred millions. */
WEAK float fmaf(float a, float b, float c) {
  return (float)((double)a * (double)b + (double)c);
}

WEAK float fminf(float a, float b) {
  return a != a ? b : b != b ? a : a < b ? a : b;
}
WEAK float fmaxf(float a, float b) {
  return a != a ? b : b != b ? a : a > b ? a : b;
}

/* Bit by bit. A processor with an instruction for it makes no call. */
WEAK float sqrtf(float x) {
  uint32_t bits = bits_of(x), root = 0, rest = 0;
  int exponent = 0;
  if (x != x || x == 0.0f || bits == 0x7F800000u)
    return x;
  if (bits & sign_bit)
    return of_bits(0x7FC00000u);
  if (bits < 0x00800000u) {
    bits = bits_of(x * 16777216.0f);
    exponent = -24;
  }
  exponent += (int)(bits >> 23) - 127;
  bits = (bits & 0x007FFFFFu) | 0x00800000u;
  if (exponent & 1)
    bits <<= 1;
  /* 24 digits of the root, and one to round by. */
  for (int i = 0; i < 25; ++i) {
    uint32_t digit = (i < 12    ? bits >> (23 - 2 * i)
                      : i == 12 ? bits << 1
                                : 0) &
                     3;
    uint32_t trial;
    rest = rest << 2 | digit;
    trial = root << 2 | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  root = (root >> 1) + (root & 1);
  exponent = (exponent - (exponent & 1)) / 2;
  return of_bits(((uint32_t)(exponent + 126) << 23) + root);
}

/* The remainder is exact: the divisor is taken away at each power of 2. */
WEAK float fmodf(float x, float y) {
  float rest = fabsf(x), by = fabsf(y);
  if (x != x || y != y || by == 0.0f || bits_of(rest) == 0x7F800000u)
    return of_bits(0x7FC00000u);
  while (rest >= by) {
    float part = by;
    while (part <= rest * 0.5f)
      part += part;
    rest -= part;
  }
  return with_sign(rest, x);
}

/* x * 2^n, for |n| up to 252. */
static float scaled(float x, int n) {
  int half = n / 2;
  return x * of_bits((uint32_t)(half + 127) << 23) *
         of_bits((uint32_t)(n - half + 127) << 23);
}

WEAK float expf(float x) {
  float n, r, p;
  if (x != x)
    return x;
  if (x > 89.0f)
    return of_bits(0x7F800000u);
  if (x < -104.0f)
    return 0.0f;
  n = rintf(x * 1.44269504f);
  /* ln 2 in two parts, of which the first has zeros to multiply exactly. */
  r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return scaled(p * r * r + r + 1.0f, (int)n);
}

/* x as m * 2^e with m from sqrt(1/2) to sqrt(2); x is positive and finite. */
static float split(float x, int *e) {
  uint32_t bits = bits_of(x);
  int n = 0;
  if (bits < 0x00800000u) {
    bits = bits_of(x * 16777216.0f);
    n = -24;
  }
  bits += 0x3F800000u - 0x3F3504F3u;
  *e = n + (int)(bits >> 23) - 127;
  return of_bits((bits & 0x007FFFFFu) + 0x3F3504F3u);
}

/* (log(1 + f) - f + f^2 / 2) / f^3 */
static float log_tail(float f) {
  float p = 7.0376836292e-2f;
  p = p * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  return p * f + 3.3333331174e-1f;
}

WEAK float logf(float x) {
  int e;
  float f, y;
  if (x != x || bits_of(x) == 0x7F800000u)
    return x;
  if (x == 0.0f)
    return of_bits(0xFF800000u);
  if (x < 0.0f)
    return of_bits(0x7FC00000u);
  f = split(x, &e) - 1.0f;
  y = log_tail(f) * f * f * f;
  y += -2.12194440e-4f * (float)e;
  y += -0.5f * f * f;
  return f + y + 0.693359375f * (float)e;
}

WEAK float tanhf(float x) {
  float a = fabsf(x), s = x * x, p;
  if (x != x)
    return x;
  if (a > 9.1f)
    return with_sign(1.0f, x);
  if (a >= 0.625f)
    return with_sign(1.0f - 2.0f / (expf(a + a) + 1.0f), x);
  p = -5.70498872745e-3f;
  p = p * s + 2.06390887954e-2f;
  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  return p * s * x + x;
}
