/*===- TopK.c - The order of elements, and the first of them ------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Selection.h"

#include "Libc.h"

/*===----------------------------------------------------------------------===*\
|* Order                                                                      *|
\*===----------------------------------------------------------------------===*/

/* The bits of a float with a sign of weight 2^(width - 1), as a number that
   grows with it. */
static uint64_t float_key(uint64_t bits, int width, int fraction_bits) {
  uint64_t sign = (uint64_t)1 << (width - 1);
  uint64_t magnitude = bits & (sign - 1);
  uint64_t infinity = (sign - 1) & ~(((uint64_t)1 << fraction_bits) - 1);
  if (magnitude > infinity)
    return UINT64_MAX;
  return bits & sign ? sign - magnitude : sign + magnitude;
}

uint64_t onnxc_rt_order_key(const void *data, int32_t dtype, int64_t index) {
  const uint64_t flip = (uint64_t)1 << 63;
  switch (dtype) {
  case ONNXC_FLOAT:
    return float_key(((const uint32_t *)data)[index], 32, 23);
  case ONNXC_DOUBLE:
    return float_key(((const uint64_t *)data)[index], 64, 52);
  case ONNXC_FLOAT16:
    return float_key(((const uint16_t *)data)[index], 16, 10);
  case ONNXC_BFLOAT16:
    return float_key(((const uint16_t *)data)[index], 16, 7);
  case ONNXC_INT64:
    return ((const uint64_t *)data)[index] ^ flip;
  case ONNXC_INT32:
    return (uint64_t)(int64_t)((const int32_t *)data)[index] ^ flip;
  case ONNXC_INT16:
    return (uint64_t)(int64_t)((const int16_t *)data)[index] ^ flip;
  case ONNXC_INT8:
    return (uint64_t)(int64_t)((const int8_t *)data)[index] ^ flip;
  case ONNXC_UINT64:
    return ((const uint64_t *)data)[index];
  case ONNXC_UINT32:
    return ((const uint32_t *)data)[index];
  case ONNXC_UINT16:
    return ((const uint16_t *)data)[index];
  default:
    return ((const uint8_t *)data)[index];
  }
}

static int is_before(onnxc_rt_ranked a, onnxc_rt_ranked b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

/* The last in order is at the root. */
static void sink(onnxc_rt_ranked *heap, int64_t count, onnxc_rt_ranked item) {
  int64_t at = 0, child;
  while ((child = 2 * at + 1) < count) {
    if (child + 1 < count && is_before(heap[child], heap[child + 1]))
      ++child;
    if (!is_before(item, heap[child]))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
}

void onnxc_rt_offer(onnxc_rt_ranked *heap, int64_t capacity, int64_t *count,
                    onnxc_rt_ranked item) {
  int64_t at, parent;
  if (*count == capacity) {
    if (capacity && is_before(item, heap[0]))
      sink(heap, capacity, item);
    return;
  }
  for (at = (*count)++; at > 0; at = parent) {
    parent = (at - 1) / 2;
    if (!is_before(heap[parent], item))
      break;
    heap[at] = heap[parent];
  }
  heap[at] = item;
}

void onnxc_rt_put_in_order(onnxc_rt_ranked *heap, int64_t count) {
  onnxc_rt_ranked last;
  while (count > 1) {
    last = heap[--count];
    heap[count] = heap[0];
    sink(heap, count, last);
  }
}

/*===----------------------------------------------------------------------===*\
|* TopK                                                                       *|
\*===----------------------------------------------------------------------===*/

/* One row or column after the other. */
typedef struct rows {
  const onnxc_tensor *x;
  onnxc_tensor *values, *indices;
  int64_t outer, length, inner, k, largest;
} rows;

/* Element `n` of what is chosen from row `i`, column `j`. */
static void put(const rows *all, int64_t i, int64_t j, int64_t n,
                int64_t index) {
  size_t size = onnxc_dtype_size(all->x->dtype);
  int64_t to = (i * all->k + n) * all->inner + j;
  int64_t from = (i * all->length + index) * all->inner + j;
  ((int64_t *)all->indices->data)[to] = index;
  if (size == sizeof(uint32_t))
    ((uint32_t *)all->values->data)[to] =
        ((const uint32_t *)all->x->data)[from];
  else
    memcpy((char *)all->values->data + (size_t)to * size,
           (const char *)all->x->data + (size_t)from * size, size);
}

static int32_t select_ranked(onnxc_context *context, const rows *all) {
  onnxc_rt_ranked *heap =
      onnxc_rt_alloc(context, all->k * (int64_t)sizeof *heap);
  int64_t i, j, n, count;
  if (!heap)
    return onnxc_rt_status(context);
  for (i = 0; i < all->outer; ++i)
    for (j = 0; j < all->inner; ++j) {
      count = 0;
      for (n = 0; n < all->length; ++n) {
        onnxc_rt_ranked item;
        item.index = n;
        item.key = onnxc_rt_order_key(all->x->data, all->x->dtype,
                                      (i * all->length + n) * all->inner + j);
        if (all->largest)
          item.key = ~item.key;
        onnxc_rt_offer(heap, all->k, &count, item);
      }
      onnxc_rt_put_in_order(heap, count);
      for (n = 0; n < count; ++n)
        put(all, i, j, n, heap[n].index);
    }
  onnxc_rt_free(context, heap);
  return ONNXC_OK;
}

/* Four columns at a time; returns how many of a row's are done so. */
static int64_t select_columns(const rows *all, int64_t i) {
  int32_t found[4 * onnxc_rt_most_in_columns];
  onnxc_rt_elements column = {all->x->data, all->x->dtype, 0, all->inner,
                              all->length};
  int64_t j, n;
  int c;
  if (all->k > onnxc_rt_most_in_columns || all->length > INT32_MAX)
    return 0;
  for (j = 0; j + 4 <= all->inner; j += 4) {
    column.at = i * all->length * all->inner + j;
    onnxc_rt_find_in_columns(&column, all->k, all->largest != 0, found);
    for (n = 0; n < all->k; ++n)
      for (c = 0; c < 4; ++c)
        put(all, i, j + c, n, found[4 * n + c]);
  }
  return j;
}

static int32_t select_short(onnxc_context *context, const rows *all) {
  enum { least = 64 };
  onnxc_rt_first first = {0};
  onnxc_rt_elements run = {all->x->data, all->x->dtype, 0, all->inner,
                           all->length};
  int64_t i, j, n;
  const uint64_t *chosen;
  first.wanted = all->k;
  first.largest = all->largest != 0;
  first.capacity = 2 * all->k + least;
  if (first.capacity > all->length)
    first.capacity = all->length;
  first.items = onnxc_rt_alloc(context, 2 * first.capacity *
                                            (int64_t)sizeof *first.items);
  if (!first.items)
    return onnxc_rt_status(context);
  first.spare = first.items + first.capacity;
  for (i = 0; i < all->outer; ++i)
    for (j = select_columns(all, i); j < all->inner; ++j) {
      run.at = i * all->length * all->inner + j;
      chosen = onnxc_rt_find_first(&first, &run);
      for (n = 0; n < all->k; ++n)
        put(all, i, j, n, (int64_t)(uint32_t)chosen[n]);
    }
  onnxc_rt_free(context, first.items);
  return ONNXC_OK;
}

int32_t onnxc_rt_top_k(onnxc_context *context, const char *node,
                       const onnxc_tensor *x, int64_t axis, int64_t largest,
                       onnxc_tensor *values, onnxc_tensor *indices) {
  rows all = {x,      values, indices, 1, x->dims[axis], 1, values->dims[axis],
              largest};
  int64_t i;
  for (i = 0; i < axis; ++i)
    all.outer *= x->dims[i];
  for (i = axis + 1; i < x->rank; ++i)
    all.inner *= x->dims[i];
  if (all.k > all.length)
    return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                              "%sk is %lld, but there are %lld elements", node,
                              (long long)all.k, (long long)all.length);
  if (all.k <= 0 || all.outer <= 0 || all.inner <= 0)
    return ONNXC_OK;
  return onnxc_rt_has_short_keys(x->dtype) && all.length <= UINT32_MAX
             ? select_short(context, &all)
             : select_ranked(context, &all);
}
