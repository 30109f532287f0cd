/*===- Fourier.c - Discrete Fourier transforms --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Of any length in O(n log n): steps of small radices, each of which leaves  *|
|* its results in order (Stockham), and for a length with a large prime factor*|
|* a convolution by such a transform (Bluestein). All are forward: an inverse *|
|* transform is a forward one of conjugates.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

/* Sums of products are rounded one by one, so that a model gives the same on
   every processor. (gcc does not know the pragma, and contracts nothing in a
   language of the ISO, as -std=c11 is.) */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Lengths with larger prime factors become convolutions. */
#define MAX_RADIX 31
#define MAX_STEPS 64

static const double pi = 3.14159265358979323846;

typedef struct factors {
  int32_t count;
  int32_t radices[MAX_STEPS];
} factors;

/* Whether `length` is a product of small factors. */
static int factorize(factors *factors, int64_t length) {
  int32_t radix = 4;
  factors->count = 0;
  while (length > 1) {
    if (length % radix == 0) {
      factors->radices[factors->count++] = radix;
      length /= radix;
    } else if (radix == MAX_RADIX) {
      return 0;
    } else {
      radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
    }
  }
  return 1;
}

/* Of a tensor: `from` and `to` are the sizes of the axis before and after,
   between `outer` and `inner` other dimensions; `parts` is 2 for complex
   numbers. Of `given` elements the others follow: as zeros or, where onesided
   spectra are transformed back, as conjugates. */
typedef struct layout {
  int64_t length, outer, inner, from, to, from_parts, to_parts, given;
  int is_inverse, is_mirrored;
} layout;

#define real float
#define NAME(name) name##_float
#include "FourierOf.h"
#undef NAME

#define real double
#define NAME(name) name##_double
#include "FourierOf.h"
#undef NAME

int32_t onnxc_rt_dft(onnxc_context *context, const char *node,
                     const onnxc_tensor *x, int64_t axis, int64_t length,
                     int64_t is_inverse, int64_t is_onesided, onnxc_tensor *y) {
  int32_t last = x->rank - 1, i;
  layout d = {length, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  (void)node;
  for (i = 0; i < axis; ++i)
    d.outer *= x->dims[i];
  for (i = (int32_t)axis + 1; i < last; ++i)
    d.inner *= x->dims[i];
  d.from = x->dims[axis];
  d.to = y->dims[axis];
  d.from_parts = x->dims[last];
  d.to_parts = y->dims[last];
  d.is_inverse = is_inverse != 0;
  d.is_mirrored = is_inverse && is_onesided;
  d.given = d.from < length ? d.from : length;
  if (d.is_mirrored && d.given > length / 2 + 1)
    d.given = length / 2 + 1;
  if (!d.outer || !d.inner || !d.to)
    return 0;
  return x->dtype == ONNXC_DOUBLE ? run_double(context, x, y, &d)
                                  : run_float(context, x, y, &d);
}
