/*===- FourierOf.h - Transforms in one precision ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Included by Fourier.c for each type `real`; NAME makes names of it.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define complex NAME(complex)
#define multiply NAME(multiply)
#define add NAME(add)
#define subtract NAME(subtract)
#define conjugate NAME(conjugate)
#define root_of_unity NAME(root_of_unity)
#define plan NAME(plan)
#define prepare NAME(prepare)
#define butterfly NAME(butterfly)
#define butterfly2 NAME(butterfly2)
#define butterfly4 NAME(butterfly4)
#define transform NAME(transform)
#define fourier NAME(fourier)
#define allocate NAME(allocate)
#define prepare_convolution NAME(prepare_convolution)
#define fourier_create NAME(fourier_create)
#define fourier_destroy NAME(fourier_destroy)
#define fourier_run NAME(fourier_run)
#define make_symmetric NAME(make_symmetric)
#define run NAME(run)

typedef struct complex {
  real re, im;
} complex;

static complex multiply(complex a, complex b) {
  complex c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return c;
}

static complex add(complex a, complex b) {
  complex c = {a.re + b.re, a.im + b.im};
  return c;
}

static complex subtract(complex a, complex b) {
  complex c = {a.re - b.re, a.im - b.im};
  return c;
}

static complex conjugate(complex a) {
  complex c = {a.re, -a.im};
  return c;
}

/* exp(-2 pi i part / whole) */
static complex root_of_unity(int64_t part, int64_t whole) {
  double angle = 2 * pi * (double)part / (double)whole;
  complex c = {(real)cos(angle), (real)-sin(angle)};
  return c;
}

/*===----------------------------------------------------------------------===*\
|* Lengths of small factors                                                   *|
\*===----------------------------------------------------------------------===*/

typedef struct plan {
  int64_t length;
  factors factors;
  /* The powers of the length-th root of unity. */
  complex *roots;
} plan;

static int prepare(onnxc_context *context, plan *plan) {
  int64_t i;
  plan->roots =
      onnxc_rt_alloc(context, plan->length * (int64_t)sizeof *plan->roots);
  if (!plan->roots)
    return 0;
  for (i = 0; i < plan->length; ++i)
    plan->roots[i] = root_of_unity(i, plan->length);
  return 1;
}

/* The sums over the `radix` elements that lie `width` apart, for the step that
   has `stride` interleaved transforms. The radix is odd: elements t and
   radix - t have conjugate factors. */
static void butterfly(const plan *plan, int32_t radix, int64_t stride,
                      int64_t width, const complex *x, complex *y) {
  complex sums[MAX_RADIX / 2 + 1], differences[MAX_RADIX / 2 + 1];
  int64_t unit = plan->length / radix;
  int32_t half = radix / 2, t, u;
  for (t = 1; t <= half; ++t) {
    complex a = x[t * stride * width], b = x[(radix - t) * stride * width];
    sums[t] = add(a, b);
    differences[t] = subtract(a, b);
  }
  for (u = 0; u < radix; ++u) {
    complex even = x[0], odd = {0, 0};
    for (t = 1; t <= half; ++t) {
      complex root = plan->roots[t * u % radix * unit];
      even.re += root.re * sums[t].re;
      even.im += root.re * sums[t].im;
      odd.re -= root.im * differences[t].im;
      odd.im += root.im * differences[t].re;
    }
    y[u * stride] = add(even, odd);
  }
}

static void butterfly2(int64_t stride, int64_t width, const complex *x,
                       complex *y) {
  complex a = x[0], b = x[stride * width];
  y[0] = add(a, b);
  y[stride] = subtract(a, b);
}

static void butterfly4(int64_t stride, int64_t width, const complex *x,
                       complex *y) {
  int64_t next = stride * width;
  complex even = add(x[0], x[2 * next]), odd = add(x[next], x[3 * next]);
  complex front = subtract(x[0], x[2 * next]);
  complex back = subtract(x[next], x[3 * next]);
  /* -i times */
  complex turned = {back.im, -back.re};
  y[0] = add(even, odd);
  y[stride] = add(front, turned);
  y[2 * stride] = subtract(even, odd);
  y[3 * stride] = subtract(front, turned);
}

/* Transforms `x`, of which `spare` is overwritten too; the result is in the one
   that is returned. */
static complex *transform(const plan *plan, complex *x, complex *spare) {
  int64_t stride = 1, rest = plan->length;
  int32_t step;
  for (step = 0; step < plan->factors.count; ++step) {
    int32_t radix = plan->factors.radices[step];
    int64_t width = rest / radix, p, q;
    complex *y = spare;
    for (p = 0; p < width; ++p) {
      const complex *from = x + stride * p;
      complex *to = y + stride * radix * p;
      int32_t u;
      for (q = 0; q < stride; ++q) {
        if (radix == 4)
          butterfly4(stride, width, from + q, to + q);
        else if (radix == 2)
          butterfly2(stride, width, from + q, to + q);
        else
          butterfly(plan, radix, stride, width, from + q, to + q);
      }
      for (u = 1; p && u < radix; ++u) {
        complex root = plan->roots[p * u * stride];
        for (q = 0; q < stride; ++q)
          to[u * stride + q] = multiply(to[u * stride + q], root);
      }
    }
    spare = x;
    x = y;
    rest = width;
    stride *= radix;
  }
  return x;
}

/*===----------------------------------------------------------------------===*\
|* Any length                                                                 *|
\*===----------------------------------------------------------------------===*/

typedef struct fourier {
  int64_t length;
  /* Of the length itself, or of the convolution. */
  plan plan;
  int by_convolution;
  /* For convolutions: exp(-pi i k^2 / length), and the transformed kernel. */
  complex *chirp, *kernel;
  /* Two of the plan's length, where the transforms take place. */
  complex *work, *spare;
} fourier;

static complex *allocate(onnxc_context *context, int64_t count) {
  return onnxc_rt_alloc(context, count * (int64_t)sizeof(complex));
}

static int prepare_convolution(onnxc_context *context, fourier *f) {
  int64_t n = f->length, m = f->plan.length, k;
  complex *transformed;
  f->chirp = allocate(context, n);
  f->kernel = allocate(context, m);
  if (!f->chirp || !f->kernel)
    return 0;
  for (k = 0; k < n; ++k)
    f->chirp[k] = root_of_unity(k * k % (2 * n), 2 * n);
  memset(f->work, 0, (size_t)m * sizeof *f->work);
  for (k = 0; k < n; ++k) {
    f->work[k] = conjugate(f->chirp[k]);
    if (k)
      f->work[m - k] = conjugate(f->chirp[k]);
  }
  transformed = transform(&f->plan, f->work, f->spare);
  /* With the factor of the inverse transform that follows. */
  for (k = 0; k < m; ++k) {
    f->kernel[k].re = transformed[k].re / (real)m;
    f->kernel[k].im = transformed[k].im / (real)m;
  }
  return 1;
}

static int fourier_create(onnxc_context *context, fourier *f, int64_t length) {
  memset(f, 0, sizeof *f);
  f->length = length;
  f->plan.length = length;
  f->by_convolution = !factorize(&f->plan.factors, length);
  if (f->by_convolution) {
    int64_t m = 1;
    while (m < 2 * length - 1)
      m *= 2;
    f->plan.length = m;
    factorize(&f->plan.factors, m);
  }
  f->work = allocate(context, f->plan.length);
  f->spare = allocate(context, f->plan.length);
  return f->work && f->spare && prepare(context, &f->plan) &&
         (!f->by_convolution || prepare_convolution(context, f));
}

static void fourier_destroy(onnxc_context *context, fourier *f) {
  complex *all[] = {f->plan.roots, f->chirp, f->kernel, f->work, f->spare};
  size_t i;
  for (i = 0; i < sizeof all / sizeof *all; ++i)
    if (all[i])
      onnxc_rt_free(context, all[i]);
}

/* Transforms what stands in `work`; returns where the result is. */
static complex *fourier_run(fourier *f) {
  int64_t n = f->length, m = f->plan.length, k;
  complex *x = f->work, *y;
  if (!f->by_convolution)
    return transform(&f->plan, f->work, f->spare);
  for (k = 0; k < n; ++k)
    x[k] = multiply(x[k], f->chirp[k]);
  memset(x + n, 0, (size_t)(m - n) * sizeof *x);
  y = transform(&f->plan, x, f->spare);
  x = y == f->work ? f->spare : f->work;
  for (k = 0; k < m; ++k)
    y[k] = conjugate(multiply(y[k], f->kernel[k]));
  y = transform(&f->plan, y, x);
  for (k = 0; k < n; ++k)
    y[k] = multiply(conjugate(y[k]), f->chirp[k]);
  return y;
}

/*===----------------------------------------------------------------------===*\
|* Tensors                                                                    *|
\*===----------------------------------------------------------------------===*/

/* What is real has a spectrum of conjugate halves: exactly, not only but for
   rounding. */
static void make_symmetric(complex *spectrum, int64_t length) {
  int64_t k;
  spectrum[0].im = 0;
  for (k = 1; k < length - k; ++k)
    spectrum[length - k] = conjugate(spectrum[k]);
  if (length % 2 == 0)
    spectrum[length / 2].im = 0;
}

/* The transforms of a tensor of `real`. */
static int32_t run(onnxc_context *context, const onnxc_tensor *x,
                   onnxc_tensor *y, const layout *d) {
  const real *from = x->data;
  real *to = y->data, scale = d->is_inverse ? 1 / (real)d->length : 1;
  int64_t o, n, k;
  fourier f;
  if (!fourier_create(context, &f, d->length)) {
    fourier_destroy(context, &f);
    return onnxc_rt_status(context);
  }
  for (o = 0; o < d->outer; ++o)
    for (n = 0; n < d->inner; ++n) {
      complex *result;
      for (k = 0; k < d->given; ++k) {
        int64_t at = ((o * d->from + k) * d->inner + n) * d->from_parts;
        real im = d->from_parts > 1 ? from[at + 1] : 0;
        f.work[k].re = from[at];
        f.work[k].im = d->is_inverse ? -im : im;
      }
      memset(f.work + d->given, 0,
             (size_t)(d->length - d->given) * sizeof *f.work);
      if (d->is_mirrored)
        for (k = 1; k < d->given && k < d->length - k; ++k)
          f.work[d->length - k] = conjugate(f.work[k]);
      result = fourier_run(&f);
      if (d->from_parts == 1)
        make_symmetric(result, d->length);
      for (k = 0; k < d->to; ++k) {
        int64_t at = ((o * d->to + k) * d->inner + n) * d->to_parts;
        to[at] = result[k].re * scale;
        if (d->to_parts > 1)
          to[at + 1] = (d->is_inverse ? -result[k].im : result[k].im) * scale;
      }
    }
  fourier_destroy(context, &f);
  return 0;
}

#undef complex
#undef multiply
#undef add
#undef subtract
#undef conjugate
#undef root_of_unity
#undef plan
#undef prepare
#undef butterfly
#undef butterfly2
#undef butterfly4
#undef transform
#undef fourier
#undef allocate
#undef prepare_convolution
#undef fourier_create
#undef fourier_destroy
#undef fourier_run
#undef make_symmetric
#undef run
#undef real
