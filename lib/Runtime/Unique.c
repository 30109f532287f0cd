/*===- Unique.c - Elements that differ ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Items are sorted by digits of their first elements, those that are equal   *|
|* by their second ones, and so on. Equal items stay as they came. Texts are  *|
|* merged by comparing them.                                                  *|
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

/* What sorting needs, each for all items. */
typedef struct sorting {
  /* The items in order, and whether one differs from the one before it. */
  int64_t *order;
  uint8_t *is_new;
  uint64_t *keys, *pairs, *spare;
} sorting;

/*===----------------------------------------------------------------------===*\
|* Texts                                                                      *|
\*===----------------------------------------------------------------------===*/

static int compare_texts(const items *x, int64_t a, int64_t b) {
  const onnxc_string *texts = x->data;
  int64_t i, j;
  int order;
  for (i = 0; i < x->outer; ++i)
    for (j = 0; j < x->inner; ++j) {
      order = strcmp(texts[(i * x->length + a) * x->inner + j].text,
                     texts[(i * x->length + b) * x->inner + j].text);
      if (order)
        return order;
    }
  return 0;
}

/* Merges ever longer runs; equal items stay as they are. */
static void sort_texts(const items *x, sorting *s) {
  int64_t width, start, a, b, a_end, b_end, to;
  int64_t *order = s->order, *other = (int64_t *)s->pairs, *swap;
  for (width = 1; width < x->length; width *= 2) {
    for (start = 0; start < x->length; start += 2 * width) {
      a = start;
      a_end = b = start + width < x->length ? start + width : x->length;
      b_end = b + width < x->length ? b + width : x->length;
      for (to = start; to < b_end; ++to)
        other[to] = b == b_end || (a < a_end &&
                                   compare_texts(x, order[a], order[b]) <= 0)
                        ? order[a++]
                        : order[b++];
    }
    swap = order;
    order = other;
    other = swap;
  }
  s->order = order;
  for (to = 1; to < x->length; ++to)
    s->is_new[to] = compare_texts(x, order[to - 1], order[to]) != 0;
}

/*===----------------------------------------------------------------------===*\
|* Numbers                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Sorts `count` keys, whose places are in the low halves of the result. */
static const uint64_t *sort_keys(const sorting *s, int64_t count) {
  uint64_t least = s->keys[0], greatest = least, *sorted;
  int64_t i;
  for (i = 1; i < count; ++i) {
    least = s->keys[i] < least ? s->keys[i] : least;
    greatest = s->keys[i] > greatest ? s->keys[i] : greatest;
  }
  for (i = 0; i < count; ++i)
    s->pairs[i] = (s->keys[i] - least) << 32 | (uint64_t)i;
  sorted = onnxc_rt_sort_items(s->pairs, s->spare, count);
  if (greatest - least <= UINT32_MAX)
    return sorted;
  /* What the high halves have equal stays in the order of the low ones. */
  for (i = 0; i < count; ++i) {
    uint64_t place = (uint32_t)sorted[i];
    sorted[i] = (s->keys[place] - least) >> 32 << 32 | place;
  }
  return onnxc_rt_sort_items(sorted, sorted == s->pairs ? s->spare : s->pairs,
                             count);
}

/* Sorts the items in `count` places from `from` on, which are equal so far, by
   an element that lies at `at` in the first item and `step` on in the next. */
static void sort_run(const items *x, sorting *s, int64_t from, int64_t count,
                     int64_t at, int64_t step) {
  int64_t *order = s->order + from, i;
  const uint64_t *sorted;
  uint64_t key, before = 0, *places;
  for (i = 0; i < count; ++i)
    s->keys[i] = onnxc_rt_order_key(x->data, x->dtype, at + order[i] * step);
  sorted = sort_keys(s, count);
  places = sorted == s->pairs ? s->spare : s->pairs;
  for (i = 0; i < count; ++i) {
    key = s->keys[(uint32_t)sorted[i]];
    s->is_new[from + i] |= i > 0 && key != before;
    before = key;
    places[i] = (uint64_t)order[(uint32_t)sorted[i]];
  }
  memcpy(order, places, (size_t)count * sizeof *order);
}

/* Sorts by one element after the other, as long as there are equal items. */
static void sort_numbers(const items *x, sorting *s) {
  const int64_t step = x->inner, elements = x->outer * x->inner;
  int64_t element, from, end, open = x->length > 1;
  for (element = 0; element < elements && open; ++element) {
    const int64_t at = element / step * x->length * step + element % step;
    open = 0;
    for (from = 0; from < x->length; from = end) {
      for (end = from + 1; end < x->length && !s->is_new[end];)
        ++end;
      if (end - from == 1)
        continue;
      sort_run(x, s, from, end - from, at, step);
      open = 1;
    }
  }
}

static void sort_items(items x, sorting *s) {
  int64_t i;
  for (i = 0; i < x.length; ++i)
    s->order[i] = i;
  memset(s->is_new, 0, (size_t)x.length);
  if (x.length)
    s->is_new[0] = 1;
  if (x.dtype == ONNXC_STRING) {
    sort_texts(&x, s);
    return;
  }
  if (x.dtype == ONNXC_COMPLEX64 || x.dtype == ONNXC_COMPLEX128) {
    x.dtype = x.dtype == ONNXC_COMPLEX64 ? ONNXC_FLOAT : ONNXC_DOUBLE;
    x.inner *= 2;
  }
  sort_numbers(&x, s);
}

/*===----------------------------------------------------------------------===*\
|* Results                                                                    *|
\*===----------------------------------------------------------------------===*/

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

/* Numbers the groups of equal items: in order, or as their first items come.
   Returns how many there are. */
static int64_t number_items(const items *all, const sorting *s, int64_t sorted,
                            int64_t *of_item) {
  int64_t i, count = 0, met = 0, *rank_of = (int64_t *)s->keys;
  for (i = 0; i < all->length; ++i) {
    count += s->is_new[i];
    of_item[s->order[i]] = count - 1;
  }
  if (sorted)
    return count;
  for (i = 0; i < count; ++i)
    rank_of[i] = -1;
  for (i = 0; i < all->length; ++i) {
    int64_t *rank = &rank_of[of_item[i]];
    if (*rank < 0)
      *rank = met++;
    of_item[i] = *rank;
  }
  return count;
}

int32_t onnxc_rt_unique(onnxc_context *context, const char *node,
                        const onnxc_tensor *x, int64_t axis, int64_t sorted,
                        onnxc_tensor *y, onnxc_tensor *indices,
                        onnxc_tensor *inverse, onnxc_tensor *counts) {
  items all = {x->data, x->dtype, 1, 1, 1};
  sorting s;
  int64_t i, count, *memory, *first, *number, *of_item;
  for (i = 0; i < x->rank; ++i)
    *(axis < 0 || i == axis ? &all.length
      : i < axis            ? &all.outer
                            : &all.inner) *= x->dims[i];
  if (all.length > UINT32_MAX)
    return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                              "%smore than 2^32 elements", node);
  memory =
      onnxc_rt_alloc(context, all.length * (4 * (int64_t)sizeof *memory + 1));
  of_item = make_vector(context, inverse, all.length);
  if (!memory || !of_item)
    return onnxc_rt_status(context);
  s.order = memory;
  s.keys = (uint64_t *)memory + all.length;
  s.pairs = s.keys + all.length;
  s.spare = s.pairs + all.length;
  s.is_new = (uint8_t *)(s.spare + all.length);
  sort_items(all, &s);
  count = number_items(&all, &s, sorted, of_item);
  onnxc_rt_free(context, memory);
  first = make_vector(context, indices, count);
  number = make_vector(context, counts, count);
  if (!first || !number)
    return onnxc_rt_status(context);
  memset(number, 0, (size_t)count * sizeof *number);
  for (i = 0; i < all.length; ++i)
    if (number[of_item[i]]++ == 0)
      first[of_item[i]] = i;
  if (!make_slices(context, x, axis, &all, first, indices->dims[0], y))
    return onnxc_rt_status(context);
  return ONNXC_OK;
}
