/*===- Determinant.c - Determinants of matrices -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Selection.h"

static double magnitude(double x) { return x < 0 ? -x : x; }

/* Gauss elimination with the greatest pivot of each column; uses `a` up. */
static double eliminate(double *a, int64_t n) {
  double result = 1, factor, swap;
  int64_t i, j, k, pivot;
  for (k = 0; k < n; ++k) {
    pivot = k;
    for (i = k + 1; i < n; ++i)
      if (magnitude(a[i * n + k]) > magnitude(a[pivot * n + k]))
        pivot = i;
    if (pivot != k) {
      result = -result;
      for (j = k; j < n; ++j) {
        swap = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = swap;
      }
    }
    result *= a[k * n + k];
    if (a[k * n + k] == 0)
      return result;
    for (i = k + 1; i < n; ++i) {
      factor = a[i * n + k] / a[k * n + k];
      for (j = k + 1; j < n; ++j)
        a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return result;
}

int32_t onnxc_rt_determinant(onnxc_context *context, const char *node,
                             const onnxc_tensor *x, onnxc_tensor *y) {
  int64_t n = x->dims[x->rank - 1], matrices = 1, i, j;
  int is_double = x->dtype == ONNXC_DOUBLE;
  double *a, result;
  (void)node;
  for (i = 0; i < x->rank - 2; ++i)
    matrices *= x->dims[i];
  a = onnxc_rt_alloc(context, n * n * (int64_t)sizeof *a);
  if (!a)
    return onnxc_rt_status(context);
  for (i = 0; i < matrices; ++i) {
    for (j = 0; j < n * n; ++j)
      a[j] = is_double ? ((const double *)x->data)[i * n * n + j]
                       : ((const float *)x->data)[i * n * n + j];
    result = eliminate(a, n);
    if (is_double)
      ((double *)y->data)[i] = result;
    else
      ((float *)y->data)[i] = (float)result;
  }
  onnxc_rt_free(context, a);
  return ONNXC_OK;
}
