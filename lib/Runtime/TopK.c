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

int32_t onnxc_rt_top_k(onnxc_context *context, const char *node,
                       const onnxc_tensor *x, int64_t axis, int64_t largest,
                       onnxc_tensor *values, onnxc_tensor *indices) {
  size_t size = onnxc_dtype_size(x->dtype);
  int64_t outer = 1, inner = 1, length = x->dims[axis], i, j, n, at, count;
  int64_t k = values->dims[axis];
  const char *from = (const char *)x->data;
  char *to = (char *)values->data;
  int64_t *places = (int64_t *)indices->data;
  onnxc_rt_ranked *heap, item;

  for (i = 0; i < axis; ++i)
    outer *= x->dims[i];
  for (i = axis + 1; i < x->rank; ++i)
    inner *= x->dims[i];
  if (k > length)
    return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                              "%sk is %lld, but there are %lld elements", node,
                              (long long)k, (long long)length);
  if (k <= 0 || outer <= 0 || inner <= 0)
    return ONNXC_OK;
  heap = onnxc_rt_alloc(context, k * (int64_t)sizeof *heap);
  if (!heap)
    return onnxc_rt_status(context);
  for (i = 0; i < outer; ++i)
    for (j = 0; j < inner; ++j) {
      count = 0;
      for (n = 0; n < length; ++n) {
        item.index = n;
        item.key =
            onnxc_rt_order_key(from, x->dtype, (i * length + n) * inner + j);
        if (largest)
          item.key = ~item.key;
        onnxc_rt_offer(heap, k, &count, item);
      }
      onnxc_rt_put_in_order(heap, count);
      for (n = 0; n < k; ++n) {
        at = (i * k + n) * inner + j;
        places[at] = heap[n].index;
        memcpy(to + (size_t)at * size,
               from + (size_t)((i * length + heap[n].index) * inner + j) * size,
               size);
      }
    }
  onnxc_rt_free(context, heap);
  return ONNXC_OK;
}
