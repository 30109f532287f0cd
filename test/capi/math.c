// Every function of the math dialect, in each element type, with libm (-O0) and
// with polynomials (-O1), against libm in double precision.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc-emit %root/test/Emit/Inputs/math.mlir -O0 -o %t/model.so
// RUN: %cc -O1 -I %t -DTYPE=1 %s %t/model.so -lm -o %t/run && %t/run 4
// RUN: onnxc-emit %root/test/Emit/Inputs/math.mlir -O1 -o %t/model.so
// RUN: %cc -O1 -I %t -DTYPE=1 %s %t/model.so -lm -o %t/run && %t/run 8
// RUN: onnxc-emit %root/test/Emit/Inputs/math.mlir -O1 --mcpu=x86-64 -o %t/model.so
// RUN: %t/run 8
// RUN: sed -e s/f32/f64/g -e 's/dtype = 1/dtype = 11/' %root/test/Emit/Inputs/math.mlir > %t/f64.mlir
// RUN: onnxc-emit %t/f64.mlir -O1 -o %t/model.so
// RUN: %cc -O1 -I %t -DTYPE=11 %s %t/model.so -lm -o %t/run && %t/run 4
// RUN: sed -e s/f32/f16/g -e 's/dtype = 1/dtype = 10/' %root/test/Emit/Inputs/math.mlir > %t/f16.mlir
// RUN: onnxc-emit %t/f16.mlir -O1 --mcpu=x86-64 -o %t/model.so
// RUN: %cc -O1 -I %t -DTYPE=10 %s %t/model.so -lm -o %t/run && %t/run 1
// RUN: onnxc-emit %t/f16.mlir -O0 -o %t/model.so
// RUN: %t/run 1
// RUN: sed -e s/f32/bf16/g -e 's/dtype = 1/dtype = 16/' %root/test/Emit/Inputs/math.mlir > %t/bf16.mlir
// RUN: onnxc-emit %t/bf16.mlir -O1 -o %t/model.so
// RUN: %cc -O1 -I %t -DTYPE=16 %s %t/model.so -lm -o %t/run && %t/run 1

#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TYPE == 1
typedef float element;
enum { fraction = 23, smallest = -126 };
static double get(element e) { return e; }
static element put(double x) { return (float)x; }
#elif TYPE == 11
typedef double element;
enum { fraction = 52, smallest = -1022 };
static double get(element e) { return e; }
static element put(double x) { return x; }
#else
typedef uint16_t element;
#if TYPE == 10
enum { fraction = 10, smallest = -14 };
#else
enum { fraction = 7, smallest = -126 };
#endif
// Computed here without any type of the compiler.
static double get(element e) {
  int exponent = (e & 0x7fff) >> fraction;
  int rest = e & ((1 << fraction) - 1);
  double x;
  if (exponent == 0x7fff >> fraction)
    x = rest ? NAN : INFINITY;
  else if (exponent)
    x = ldexp(rest + (1 << fraction), exponent - 1 + smallest - fraction);
  else
    x = ldexp(rest, smallest - fraction);
  return e & 0x8000 ? -x : x;
}
#endif

enum { rows = 36, columns = 65536 };

static const char *const names[rows] = {
    "absf",  "acos",     "acosh", "asin", "asinh",  "atan",  "atanh",
    "cbrt",  "ceil",     "cos",   "cosh", "erf",    "erfc",  "exp",
    "exp2",  "expm1",    "floor", "log",  "log10",  "log1p", "log2",
    "round", "roundeven", "rsqrt", "sin", "sinh",   "sqrt",  "tan",
    "tanh",  "trunc",    "atan2", "copysign", "powf", "fma", "clampf",
    "fpowi"};

static double expected(int row, double x) {
  switch (row) {
  case 0: return fabs(x);
  case 1: return acos(x);
  case 2: return acosh(x);
  case 3: return asin(x);
  case 4: return asinh(x);
  case 5: return atan(x);
  case 6: return atanh(x);
  case 7: return cbrt(x);
  case 8: return ceil(x);
  case 9: return cos(x);
  case 10: return cosh(x);
  case 11: return erf(x);
  case 12: return erfc(x);
  case 13: return exp(x);
  case 14: return exp2(x);
  case 15: return expm1(x);
  case 16: return floor(x);
  case 17: return log(x);
  case 18: return log10(x);
  case 19: return log1p(x);
  case 20: return log2(x);
  case 21: return round(x);
  case 22: return rint(x);
  case 23: return 1 / sqrt(x);
  case 24: return sin(x);
  case 25: return sinh(x);
  case 26: return sqrt(x);
  case 27: return tan(x);
  case 28: return tanh(x);
  case 29: return trunc(x);
  case 30: return atan2(x, 2);
  case 31: return copysign(x, 2);
  case 32: return pow(x, 2);
  case 33: return fma(x, x, 2);
  case 34: return x < -0.5 ? -0.5 : x > 0.5 ? 0.5 : x;
  default: return x * x * x;
  }
}

// The distance in units of the last place of the element type.
static double error(double got, double want) {
  double largest = ldexp(2 - ldexp(1, -fraction), 1 - smallest);
  int exponent = smallest;
  if (isnan(got) || isnan(want))
    return isnan(got) && isnan(want) ? 0 : INFINITY;
  if (fabs(want) > largest)
    want = copysign(INFINITY, want);
  if (got == want)
    return 0;
  // Polynomials give zero for numbers below the normal ones, and take them for
  // zero.
  if (got == 0 && fabs(want) < ldexp(1, smallest))
    return 0;
  // A result that rounds to infinity may also stop at the largest number.
  if (isinf(want) && fabs(got) > largest * 0.999)
    return 0;
  if (isinf(got) && fabs(want) > largest * 0.999)
    return 0;
  if (isfinite(want) && want != 0 && ilogb(want) > smallest)
    exponent = ilogb(want);
  return fabs(got - want) / ldexp(1, exponent - fraction);
}

static void fill(element *x) {
#if TYPE == 10 || TYPE == 16
  for (int i = 0; i < columns; ++i)
    x[i] = (element)i;
#else
  static const double special[] = {
      0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 88.7, -87.2, 89, -104, -150,
      127.5, -125.5, 3.4e38, -3.4e38, 0.5, -0.5, 2.5, -1.5};
  uint64_t random = 1;
  for (int i = 0; i < columns; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    double unit = (double)(random >> 11) / 9007199254740992.0;
    double size = pow(10, -8 + 10 * unit);
    x[i] = put(i < (int)(sizeof special / sizeof *special) ? special[i]
               : i & 1                                      ? size
                                                            : -size);
  }
#endif
}

int main(int argc, char **argv) {
  double limit = argc > 1 ? atof(argv[1]) : 4;
  element *x = malloc(columns * sizeof *x);
  element *y = malloc((size_t)rows * columns * sizeof *y);
  int wrong = 0;
  onnxc_context *context;
  fill(x);
  if (model_create(NULL, &context) != ONNXC_OK)
    return 1;
  if (model_run(context, columns, x, y) != ONNXC_OK) {
    printf("%s\n", onnxc_error(context));
    return 1;
  }
  for (int row = 0; row < rows; ++row) {
    double worst = 0;
    int at = 0;
    for (int i = 0; i < columns; ++i) {
      double in = get(x[i]);
      double e = error(get(y[(size_t)row * columns + i]), expected(row, in));
      if (in != 0 && fabs(in) < ldexp(1, smallest))
        continue;
      if (e > worst) {
        worst = e;
        at = i;
      }
    }
    if (worst > limit) {
      printf("%s(%.17g) = %.17g, expected %.17g: %.3g units\n", names[row],
             get(x[at]), get(y[(size_t)row * columns + at]),
             expected(row, get(x[at])), worst);
      wrong = 1;
    }
  }
  onnxc_destroy(context);
  free(x);
  free(y);
  return wrong;
}
