/*===- Unique.c - Elements that differ ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Selection.h"

#include "Libc.h"

/* `length` items, each of `outer` runs of `inner` elements. */
typedef struct items {
  const void *data;
  int32_t dtype;
  int64_t length, outer, inner;
} items;

static int compare_keys(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_elements(const items *x, int64_t a, int64_t b) {
  int32_t part = x->dtype == ONNXC_COMPLEX64    ? ONNXC_FLOAT
                 : x->dtype == ONNXC_COMPLEX128 ? ONNXC_DOUBLE
                                                : 0;
  int order;
  if (x->dtype == ONNXC_STRING)
    return strcmp(((const onnxc_string *)x->data)[a].text,
                  ((const onnxc_string *)x->data)[b].text);
  if (!part)
    return compare_keys(onnxc_rt_order_key(x->data, x->dtype, a),
                        onnxc_rt_order_key(x->data, x->dtype, b));
  order = compare_keys(onnxc_rt_order_key(x->data, part, 2 * a),
                       onnxc_rt_order_key(x->data, part, 2 * b));
  return order ? order
               : compare_keys(onnxc_rt_order_key(x->data, part, 2 * a + 1),
                              onnxc_rt_order_key(x->data, part, 2 * b + 1));
}

static int compare_items(const items *x, int64_t a, int64_t b) {
  int64_t i, j;
  int order;
  for (i = 0; i < x->outer; ++i)
    for (j = 0; j < x->inner; ++j) {
      order = compare_elements(x, (i * x->length + a) * x->inner + j,
                               (i * x->length + b) * x->inner + j);
      if (order)
        return order;
    }
  return 0;
}

/* Merges ever longer runs; equal items stay as they are. Returns the one of the
   two arrays that has the result. */
static int64_t *sort_items(const items *x, int64_t *order, int64_t *other) {
  int64_t width, start, a, b, a_end, b_end, to, i;
  int64_t *swap;
  for (i = 0; i < x->length; ++i)
    order[i] = i;
  for (width = 1; width < x->length; width *= 2) {
    for (start = 0; start < x->length; start += 2 * width) {
      a = start;
      a_end = b = start + width < x->length ? start + width : x->length;
      b_end = b + width < x->length ? b + width : x->length;
      for (to = start; to < b_end; ++to)
        other[to] = b == b_end || (a < a_end &&
                                   compare_items(x, order[a], order[b]) <= 0)
                        ? order[a++]
                        : order[b++];
    }
    swap = order;
    order = other;
    other = swap;
  }
  return order;
}

/* Memory for a tensor of int64 that the caller gets. */
static int64_t *make_vector(onnxc_context *context, onnxc_tensor *tensor,
                            int64_t count) {
  tensor->dims[0] = count;
  return (int64_t *)(tensor->data = onnxc_rt_alloc(
                         context, count * (int64_t)sizeof(int64_t)));
}

static int make_slices(onnxc_context *context, const onnxc_tensor *x,
                       int64_t axis, const items *from, const int64_t *first,
                       int64_t count, onnxc_tensor *y) {
  size_t run = (size_t)from->inner * onnxc_dtype_size(x->dtype);
  int64_t i, j;
  if (axis < 0) {
    y->dims[0] = count;
  } else {
    for (i = 0; i < x->rank; ++i)
      y->dims[i] = x->dims[i];
    y->dims[axis] = count;
  }
  y->data = onnxc_rt_alloc(context, from->outer * count * (int64_t)run);
  if (!y->data)
    return 0;
  for (i = 0; i < from->outer; ++i)
    for (j = 0; j < count; ++j)
      memcpy((char *)y->data + (size_t)(i * count + j) * run,
             (const char *)x->data +
                 (size_t)(i * from->length + first[j]) * run,
             run);
  return 1;
}

int32_t onnxc_rt_unique(onnxc_context *context, const char *node,
                        const onnxc_tensor *x, int64_t axis, int64_t sorted,
                        onnxc_tensor *y, onnxc_tensor *indices,
                        onnxc_tensor *inverse, onnxc_tensor *counts) {
  items all = {x->data, x->dtype, 1, 1, 1};
  int64_t i, count = 0, *scratch, *order, *group, *rank_of, *first, *number,
             *of_item;
  (void)node;
  for (i = 0; i < x->rank; ++i)
    *(axis < 0 || i == axis ? &all.length
      : i < axis            ? &all.outer
                            : &all.inner) *= x->dims[i];
  scratch = onnxc_rt_alloc(context, 3 * all.length * (int64_t)sizeof *scratch);
  if (!scratch)
    return onnxc_rt_status(context);
  /* Number the groups of equal items in order. */
  group = scratch + 2 * all.length;
  order = sort_items(&all, scratch, scratch + all.length);
  rank_of = order == scratch ? scratch + all.length : scratch;
  for (i = 0; i < all.length; ++i) {
    if (i == 0 || compare_items(&all, order[i - 1], order[i]) != 0)
      ++count;
    group[order[i]] = count - 1;
  }
  of_item = make_vector(context, inverse, all.length);
  first = make_vector(context, indices, count);
  number = make_vector(context, counts, count);
  if (!of_item || !first || !number)
    return onnxc_rt_status(context);
  for (i = 0; i < count; ++i) {
    rank_of[i] = sorted ? i : -1;
    number[i] = 0;
  }
  /* Groups are met by their first items. */
  for (i = 0, count = 0; i < all.length; ++i) {
    if (rank_of[group[i]] < 0)
      rank_of[group[i]] = count++;
    of_item[i] = rank_of[group[i]];
    if (number[of_item[i]]++ == 0)
      first[of_item[i]] = i;
  }
  if (!make_slices(context, x, axis, &all, first, indices->dims[0], y))
    return onnxc_rt_status(context);
  onnxc_rt_free(context, scratch);
  return ONNXC_OK;
}
