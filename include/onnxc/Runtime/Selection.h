/*===- onnxc/Runtime/Selection.h - Sorting and choosing -----------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What operators call that choose elements by comparing them. The calls have *|
|* the form of Dialect/Runtime's rt.call: context, node, inputs, outs, made.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_SELECTION_H
#define ONNXC_RUNTIME_SELECTION_H

#include "onnxc/Runtime/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Order                                                                      *|
\*===----------------------------------------------------------------------===*/

/* A number for element `index` of numeric data, such that numbers compare as
   the elements do. Zeros are equal; all NaNs are equal, and the greatest. */
uint64_t onnxc_rt_order_key(const void *data, int32_t dtype, int64_t index);

/* Something with a key; of equal keys, the lower index comes first. */
typedef struct onnxc_rt_ranked {
  uint64_t key;
  int64_t index;
} onnxc_rt_ranked;

/* Keeps the first `capacity` of all that was offered, in no order. `count` says
   how many there are. */
void onnxc_rt_offer(onnxc_rt_ranked *heap, int64_t capacity, int64_t *count,
                    onnxc_rt_ranked item);
/* Brings what onnxc_rt_offer kept into order. */
void onnxc_rt_put_in_order(onnxc_rt_ranked *heap, int64_t count);

/* Whether keys of 32 bits order elements of this type. */
int onnxc_rt_has_short_keys(int32_t dtype);

/* A key of 32 bits with an index, as one number that compares as both do. */
static inline uint64_t onnxc_rt_item(int32_t key, int64_t index) {
  return (uint64_t)((uint32_t)key ^ 0x80000000u) << 32 | (uint32_t)index;
}

/* Elements of numeric data that has short keys, from `at` on, `step` from one
   to the next. */
typedef struct onnxc_rt_elements {
  const void *data;
  int32_t dtype;
  int64_t at, step, count;
} onnxc_rt_elements;

/* The first `wanted` items are searched for, or the last ones. `items` and
   `spare` have room for `capacity` each: for all of them, or for at least
   2 * wanted + 16. */
typedef struct onnxc_rt_first {
  uint64_t *items, *spare;
  int64_t capacity, wanted;
  int largest;
} onnxc_rt_first;

/* The first items in order; indices begin with 0. */
const uint64_t *onnxc_rt_find_first(const onnxc_rt_first *first,
                                    const onnxc_rt_elements *run);
/* The indices of the first of four columns next to each other, `first` being
   the first of them: four for each of the few `wanted`. Less than 2^31
   elements. */
enum { onnxc_rt_most_in_columns = 24 };
void onnxc_rt_find_in_columns(const onnxc_rt_elements *first, int64_t wanted,
                              int largest, int32_t *found);
/* Sorts by keys; what has equal ones stays as it is. Returns the one of the two
   arrays that has the result. */
uint64_t *onnxc_rt_sort_items(uint64_t *items, uint64_t *spare, int64_t count);

/*===----------------------------------------------------------------------===*\
|* Operators                                                                  *|
\*===----------------------------------------------------------------------===*/

/* TopK along `axis`: as many as `values` and `indices` have places for. */
int32_t onnxc_rt_top_k(onnxc_context *context, const char *node,
                       const onnxc_tensor *x, int64_t axis, int64_t largest,
                       onnxc_tensor *values, onnxc_tensor *indices);

/* Unique elements, or slices along `axis` if it is not negative; in order, or
   as they come first. Makes all four results. */
int32_t onnxc_rt_unique(onnxc_context *context, const char *node,
                        const onnxc_tensor *x, int64_t axis, int64_t sorted,
                        onnxc_tensor *y, onnxc_tensor *indices,
                        onnxc_tensor *inverse, onnxc_tensor *counts);

/* NonMaxSuppression of boxes [batch, box, 4] by scores [batch, class, box]. */
int32_t onnxc_rt_suppress_boxes(onnxc_context *context, const char *node,
                                const onnxc_tensor *boxes,
                                const onnxc_tensor *scores, int64_t limit,
                                float iou_threshold, float score_threshold,
                                int64_t has_score_threshold,
                                int64_t has_centers, onnxc_tensor *selected);

/* Determinants of the matrices in the last two dimensions (float, double). */
int32_t onnxc_rt_determinant(onnxc_context *context, const char *node,
                             const onnxc_tensor *x, onnxc_tensor *y);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_SELECTION_H */
