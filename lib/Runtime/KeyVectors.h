/*===- KeyVectors.h - Comparing four keys at once -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What choosing elements and choosing boxes have in common.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_KEYVECTORS_H
#define ONNXC_LIB_RUNTIME_KEYVECTORS_H

#include "onnxc/Runtime/Selection.h"

#include "Libc.h"

/* Vectors of a length that every target has, or clang takes apart. */
typedef int32_t lanes __attribute__((vector_size(16)));
typedef float float_lanes __attribute__((vector_size(16)));

static inline int is_any(lanes mask) {
  int64_t both[2];
  memcpy(both, &mask, sizeof both);
  return (both[0] | both[1]) != 0;
}

static inline lanes choose(lanes condition, lanes a, lanes b) {
  return (a & condition) | (b & ~condition);
}

/* Numbers that compare as these floats do, the other way round with -1 in
   `flip`. Zeros are equal; NaNs are, too, and the greatest. */
static inline lanes float_keys(lanes bits, lanes flip) {
  lanes magnitude = bits & INT32_MAX, sign = bits >> 31;
  lanes is_nan = (lanes)(magnitude > 0x7f800000);
  lanes key = (magnitude ^ sign) - sign;
  return ((key & ~is_nan) | (is_nan & INT32_MAX)) ^ flip;
}

#endif /* ONNXC_LIB_RUNTIME_KEYVECTORS_H */
