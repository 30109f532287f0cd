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

/* Vectors of a length that every target has, or clang takes apart. */
typedef float floats __attribute__((vector_size(16)));
typedef int32_t lanes __attribute__((vector_size(16)));

/* Four boxes; those that are not there yet are empty, and overlap nothing. */
typedef struct four_boxes {
  floats low[2], high[2], area;
} four_boxes;

static void put_box(four_boxes *boxes, int64_t index, const box *b) {
  const floats none = {0, 0, 0, 0};
  four_boxes *to = &boxes[index / 4];
  int i;
  for (i = 0; i < 2; ++i) {
    if (index % 4 == 0)
      to->low[i] = to->high[i] = to->area = none;
    to->low[i][index % 4] = b->low[i];
    to->high[i][index % 4] = b->high[i];
  }
  to->area[index % 4] = area(b);
}

static floats choose(lanes condition, floats a, floats b) {
  return (floats)(((lanes)a & condition) | ((lanes)b & ~condition));
}

static int is_any(lanes mask) {
  int64_t both[2];
  memcpy(both, &mask, sizeof both);
  return (both[0] | both[1]) != 0;
}

static int overlaps_any(const box *a, const four_boxes *b, float threshold) {
  floats size[2], common, total;
  lanes is_over;
  int i;
  for (i = 0; i < 2; ++i) {
    floats low = {a->low[i], a->low[i], a->low[i], a->low[i]};
    floats high = {a->high[i], a->high[i], a->high[i], a->high[i]};
    low = choose((lanes)(low > b->low[i]), low, b->low[i]);
    high = choose((lanes)(high < b->high[i]), high, b->high[i]);
    size[i] = high - low;
  }
  is_over = (lanes)(size[0] > 0) & (lanes)(size[1] > 0);
  if (!is_any(is_over))
    return 0;
  common = size[0] * size[1];
  total = area(a) + b->area - common;
  return is_any(is_over & (lanes)(common > 0) & (lanes)(total > 0) &
                (lanes)(common / total > threshold));
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

/* One class of an item: `items` and `spare` have room for all boxes. */
typedef struct suppression {
  const float *boxes;
  int64_t length, limit, has_centers, has_score_threshold;
  float iou_threshold, score_threshold;
  uint64_t *items, *spare;
  four_boxes *chosen;
} suppression;

/* The boxes with the greatest scores first, as items; their number in `count`.
 */
static const uint64_t *order_boxes(const suppression *s, const float *scores,
                                   int64_t *count) {
  int64_t n, found = 0;
  for (n = 0; n < s->length; ++n)
    if (!s->has_score_threshold || scores[n] > s->score_threshold)
      s->items[found++] =
          (uint64_t)(uint32_t)~onnxc_rt_order_key(scores, ONNXC_FLOAT, n)
              << 32 |
          (uint32_t)n;
  *count = found;
  return onnxc_rt_sort_items(s->items, s->spare, found);
}

static int suppress_class(onnxc_context *context, const suppression *s,
                          const float *scores, int64_t item, int64_t number,
                          triples *list) {
  int64_t count, kept = 0, n, m;
  const uint64_t *order = order_boxes(s, scores, &count);
  for (n = 0; n < count && kept < s->limit; ++n) {
    int64_t index = (int64_t)(uint32_t)order[n];
    box candidate =
        read_box(s->boxes + (item * s->length + index) * 4, s->has_centers);
    for (m = 0; m < kept; m += 4)
      if (overlaps_any(&candidate, &s->chosen[m / 4], s->iou_threshold))
        break;
    if (m < kept)
      continue;
    put_box(s->chosen, kept++, &candidate);
    if (!append(context, list, item, number, index))
      return 0;
  }
  return 1;
}

int32_t onnxc_rt_suppress_boxes(onnxc_context *context, const char *node,
                                const onnxc_tensor *boxes,
                                const onnxc_tensor *scores, int64_t limit,
                                float iou_threshold, float score_threshold,
                                int64_t has_score_threshold,
                                int64_t has_centers, onnxc_tensor *selected) {
  const int64_t batches = scores->dims[0], classes = scores->dims[1],
                length = scores->dims[2];
  suppression s = {boxes->data,
                   length,
                   limit < length ? limit : length,
                   has_centers,
                   has_score_threshold,
                   iou_threshold,
                   score_threshold,
                   NULL,
                   NULL,
                   NULL};
  triples list = {NULL, 0, 0};
  int64_t i, c;
  if (length > UINT32_MAX)
    return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                              "%smore than 2^32 boxes", node);
  s.items = onnxc_rt_alloc(context, 2 * length * (int64_t)sizeof *s.items);
  s.chosen = onnxc_rt_alloc(context, ((s.limit > 0 ? s.limit : 0) + 3) / 4 *
                                         (int64_t)sizeof *s.chosen);
  if (!s.items || !s.chosen)
    return onnxc_rt_status(context);
  s.spare = s.items + length;
  for (i = 0; i < batches && s.limit > 0; ++i)
    for (c = 0; c < classes; ++c)
      if (!suppress_class(context, &s,
                          (const float *)scores->data +
                              (i * classes + c) * length,
                          i, c, &list))
        return onnxc_rt_status(context);
  onnxc_rt_free(context, s.items);
  onnxc_rt_free(context, s.chosen);
  /* No selection is a tensor of no rows, which has an address too. */
  if (!list.data && !(list.data = onnxc_rt_alloc(context, 0)))
    return onnxc_rt_status(context);
  selected->data = list.data;
  selected->dims[0] = list.count;
  selected->dims[1] = 3;
  return ONNXC_OK;
}
