/* Compares the functions of share/onnxc/freestanding.c, compiled under other
   names, with libm: units in the last place of a float, on numbers of all
   sizes. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNARY(NAME) float own_##NAME(float);
#define BINARY(NAME) float own_##NAME(float, float);
UNARY(fabsf)
UNARY(truncf) UNARY(floorf) UNARY(ceilf) UNARY(roundf) UNARY(rintf)
    UNARY(nearbyintf) UNARY(sqrtf) UNARY(expf) UNARY(logf) UNARY(tanhf)
        BINARY(copysignf) BINARY(fminf) BINARY(fmaxf)
            BINARY(fmodf) float own_fmaf(float, float, float);
void *own_memcpy(void *, const void *, size_t);
void *own_memmove(void *, const void *, size_t);
void *own_memset(void *, int, size_t);

static float of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

/* How far `x` is from `exact`, in units of the last place of that. */
static double distance(float x, double exact) {
  float nearest = (float)exact;
  if (isnan(exact) || isnan(x))
    return isnan(exact) && isnan(x) ? 0 : INFINITY;
  if (isinf(nearest) || isinf(x) || nearest == 0 || x == 0)
    return x == nearest && signbit(x) == signbit(nearest) ? 0
           : fabs(x - exact) < 0x1p-148                   ? 1
                                                          : INFINITY;
  int exponent;
  frexp(exact, &exponent);
  return fabs(x - exact) / ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

static const float special[] = {
    0.0f,     -0.0f,     1.0f,      -1.0f,      0.5f,       -0.5f,    1.5f,
    2.5f,     -2.5f,     0x1p-149f, 0x1p23f,    0x1p22f,    0x1p127f, -0x1p24f,
    INFINITY, -INFINITY, NAN,       8388607.5f, 4194304.5f, 88.7f};
enum { num_special = sizeof special / sizeof *special };

/* The numbers that functions are tried with: special ones, and others whose
   bits are spread over all patterns. */
static float number(uint32_t i) {
  return i < num_special ? special[i] : of_bits(i * 2654435761u);
}

static int failures;

static void report(const char *name, double worst, double allowed) {
  if (worst <= allowed)
    return;
  printf("%s: %g units\n", name, worst);
  ++failures;
}

#define TRY(NAME, REFERENCE, ALLOWED)                                          \
  {                                                                            \
    double worst = 0;                                                          \
    for (uint32_t i = 0; i < 2000000; ++i) {                                   \
      float x = number(i);                                                     \
      worst = fmax(worst, distance(own_##NAME(x), REFERENCE((double)x)));      \
    }                                                                          \
    report(#NAME, worst, ALLOWED);                                             \
  }
#define TRY2(NAME, REFERENCE, COUNT)                                           \
  {                                                                            \
    double worst = 0;                                                          \
    for (uint32_t i = 0; i < COUNT; ++i) {                                     \
      float x = number(i % 1399), y = number(i / 7 % 1999);                    \
      worst = fmax(worst, distance(own_##NAME(x, y), REFERENCE(x, y)));        \
    }                                                                          \
    report(#NAME, worst, 0);                                                   \
  }

/* Zeros of both signs may be each other's least. */
static double least(double x, double y) { return x == y ? x : fmin(x, y); }
static double greatest(double x, double y) { return x == y ? x : fmax(x, y); }
static float sum_of_zeros(float x) { return x == 0 ? 0 : x; }

static void try_memory(void) {
  unsigned char from[64], to[64], expected[64];
  for (int i = 0; i < 64; ++i)
    from[i] = (unsigned char)(i * 7 + 1);
  for (size_t a = 0; a < 8; ++a)
    for (size_t b = 0; b < 8; ++b)
      for (size_t n = 0; n < 40; ++n) {
        memset(to, 0, 64), memset(expected, 0, 64);
        own_memcpy(to + a, from + b, n), memcpy(expected + a, from + b, n);
        failures += memcmp(to, expected, 64) != 0;
        memcpy(to, from, 64), memcpy(expected, from, 64);
        own_memmove(to + a, to + b, n), memmove(expected + a, expected + b, n);
        failures += memcmp(to, expected, 64) != 0;
        own_memset(to + a, (int)b - 3, n), memset(expected + a, (int)b - 3, n);
        failures += memcmp(to, expected, 64) != 0;
      }
}

int main(void) {
  TRY(fabsf, fabs, 0)
  TRY(truncf, trunc, 0)
  TRY(floorf, floor, 0)
  TRY(ceilf, ceil, 0)
  TRY(roundf, round, 0)
  TRY(rintf, rint, 0)
  TRY(nearbyintf, nearbyint, 0)
  TRY(sqrtf, sqrt, 0.5)
  TRY(expf, exp, 2)
  TRY(logf, log, 2)
  TRY(tanhf, tanh, 4)
  TRY2(copysignf, copysign, 1000000)
  TRY2(fmodf, fmod, 100000)
  for (uint32_t i = 0; i < 1000000; ++i) {
    float x = number(i % 1399), y = number(i / 7 % 1999);
    failures += sum_of_zeros(own_fminf(x, y)) != sum_of_zeros(least(x, y)) &&
                (x == x || y == y);
    failures += sum_of_zeros(own_fmaxf(x, y)) != sum_of_zeros(greatest(x, y)) &&
                (x == x || y == y);
    report("fmaf", distance(own_fmaf(x, y, 1.0f), (double)x * y + 1.0), 0.5);
  }
  try_memory();
  printf("%d failures\n", failures);
  return failures != 0;
}
