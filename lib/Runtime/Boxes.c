/*===- Boxes.c - Suppression of boxes that overlap ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Selection.h"

#include "Libc.h"

typedef struct box {
  float low[2], high[2];
} box;

/* Boxes are (x, y, width, height) around a center, or two opposite corners
   (y, x, y, x). */
static box read_box(const float *from, int64_t has_center) {
  box result;
  int i;
  for (i = 0; i < 2; ++i) {
    float a = has_center ? from[i] - from[i + 2] / 2 : from[i];
    float b = has_center ? from[i] + from[i + 2] / 2 : from[i + 2];
    result.low[i] = a < b ? a : b;
    result.high[i] = a < b ? b : a;
  }
  return result;
}

static float area(const box *b) {
  return (b->high[0] - b->low[0]) * (b->high[1] - b->low[1]);
}

static int overlaps(const box *a, const box *b, float threshold) {
  float size[2], common, total;
  int i;
  for (i = 0; i < 2; ++i) {
    float low = a->low[i] > b->low[i] ? a->low[i] : b->low[i];
    float high = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
    size[i] = high - low;
    if (!(size[i] > 0))
      return 0;
  }
  common = size[0] * size[1];
  total = area(a) + area(b) - common;
  return common > 0 && total > 0 && common / total > threshold;
}

/* Triples of int64, as many as there turn out to be. */
typedef struct triples {
  int64_t *data;
  int64_t count, capacity;
} triples;

static int append(onnxc_context *context, triples *list, int64_t a, int64_t b,
                  int64_t c) {
  int64_t *place;
  if (list->count == list->capacity) {
    int64_t capacity = 2 * list->capacity + 16;
    int64_t *data =
        onnxc_rt_alloc(context, 3 * capacity * (int64_t)sizeof *data);
    if (!data)
      return 0;
    if (list->count)
      memcpy(data, list->data, 3 * (size_t)list->count * sizeof *data);
    onnxc_rt_free(context, list->data);
    list->data = data;
    list->capacity = capacity;
  }
  place = list->data + 3 * list->count++;
  place[0] = a;
  place[1] = b;
  place[2] = c;
  return 1;
}

int32_t onnxc_rt_suppress_boxes(onnxc_context *context, const char *node,
                                const onnxc_tensor *boxes,
                                const onnxc_tensor *scores, int64_t limit,
                                float iou_threshold, float score_threshold,
                                int64_t has_score_threshold,
                                int64_t has_centers, onnxc_tensor *selected) {
  int64_t batches = scores->dims[0], classes = scores->dims[1],
          length = scores->dims[2], i, c, n, m, count, kept;
  triples list = {NULL, 0, 0};
  onnxc_rt_ranked *order, item;
  box *chosen, candidate;
  (void)node;
  if (limit > length)
    limit = length;
  order = onnxc_rt_alloc(context, length * (int64_t)sizeof *order);
  chosen = onnxc_rt_alloc(context,
                          (limit > 0 ? limit : 0) * (int64_t)sizeof *chosen);
  if (!order || !chosen)
    return onnxc_rt_status(context);
  for (i = 0; i < batches && limit > 0; ++i)
    for (c = 0; c < classes; ++c) {
      const float *own =
          (const float *)scores->data + (i * classes + c) * length;
      count = kept = 0;
      for (n = 0; n < length; ++n) {
        if (has_score_threshold && !(own[n] > score_threshold))
          continue;
        item.key = ~onnxc_rt_order_key(own, ONNXC_FLOAT, n);
        item.index = n;
        onnxc_rt_offer(order, length, &count, item);
      }
      onnxc_rt_put_in_order(order, count);
      for (n = 0; n < count && kept < limit; ++n) {
        candidate = read_box((const float *)boxes->data +
                                 (i * length + order[n].index) * 4,
                             has_centers);
        for (m = 0; m < kept; ++m)
          if (overlaps(&candidate, &chosen[m], iou_threshold))
            break;
        if (m < kept)
          continue;
        chosen[kept++] = candidate;
        if (!append(context, &list, i, c, order[n].index))
          return onnxc_rt_status(context);
      }
    }
  onnxc_rt_free(context, order);
  onnxc_rt_free(context, chosen);
  /* No selection is a tensor of no rows, which has an address too. */
  if (!list.data && !(list.data = onnxc_rt_alloc(context, 0)))
    return onnxc_rt_status(context);
  selected->data = list.data;
  selected->dims[0] = list.count;
  selected->dims[1] = 3;
  return ONNXC_OK;
}
