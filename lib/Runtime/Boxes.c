/*===- Boxes.c - Suppression of boxes that overlap ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "KeyVectors.h"

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

/* Four boxes; those that are not there yet are empty, and overlap nothing. */
typedef struct four_boxes {
  float_lanes low[2], high[2], area;
} four_boxes;

static void put_box(four_boxes *boxes, int64_t index, const box *b) {
  const float_lanes none = {0, 0, 0, 0};
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

static float_lanes choose_floats(lanes condition, float_lanes a,
                                 float_lanes b) {
  return (float_lanes)choose(condition, (lanes)a, (lanes)b);
}

static int overlaps_any(const box *a, const four_boxes *b, float threshold) {
  float_lanes size[2], common, total;
  lanes is_over;
  int i;
  for (i = 0; i < 2; ++i) {
    float_lanes low = {a->low[i], a->low[i], a->low[i], a->low[i]};
    float_lanes high = {a->high[i], a->high[i], a->high[i], a->high[i]};
    low = choose_floats((lanes)(low > b->low[i]), low, b->low[i]);
    high = choose_floats((lanes)(high < b->high[i]), high, b->high[i]);
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

static int is_high(const suppression *s, float score) {
  return !s->has_score_threshold || score > s->score_threshold;
}

/* Makes items of the boxes whose scores are high enough, the greatest first;
   their number. */
static int64_t find_boxes(const suppression *s, const float *scores) {
  const lanes flip = {-1, -1, -1, -1};
  float_lanes four;
  lanes all;
  int32_t keys[4];
  int64_t n, i, found = 0;
  for (n = 0; n < s->length; n += 4) {
    const int64_t size = s->length - n < 4 ? s->length - n : 4;
    four = (float_lanes){0, 0, 0, 0};
    if (size == 4)
      memcpy(&four, scores + n, sizeof four);
    else
      memcpy(&four, scores + n, (size_t)size * sizeof(float));
    if (s->has_score_threshold && !is_any((lanes)(four > s->score_threshold)))
      continue;
    all = float_keys((lanes)four, flip);
    memcpy(keys, &all, sizeof keys);
    for (i = 0; i < size; ++i) {
      s->items[found] = onnxc_rt_item(keys[i], n + i);
      found += is_high(s, scores[n + i]);
    }
  }
  return found;
}

/* One class of an item, of which so many boxes are `kept`. */
typedef struct selection {
  int64_t item, number, kept;
} selection;

/* Selects of boxes in order those that no selected one overlaps. */
static int select_boxes(onnxc_context *context, const suppression *s,
                        const uint64_t *order, int64_t count, selection *to,
                        triples *list) {
  int64_t n, m;
  for (n = 0; n < count && to->kept < s->limit; ++n) {
    int64_t index = (int64_t)(uint32_t)order[n];
    box candidate =
        read_box(s->boxes + (to->item * s->length + index) * 4, s->has_centers);
    for (m = 0; m < to->kept; m += 4)
      if (overlaps_any(&candidate, &s->chosen[m / 4], s->iou_threshold))
        break;
    if (m < to->kept)
      continue;
    put_box(s->chosen, to->kept++, &candidate);
    if (!append(context, list, to->item, to->number, index))
      return 0;
  }
  return 1;
}

/* The first boxes in order, without those whose scores are NaN and so not
   high enough; their number. There are more that are. */
static int64_t find_first_boxes(const suppression *s, const float *scores,
                                int64_t wanted, const uint64_t **order) {
  const onnxc_rt_elements run = {scores, ONNXC_FLOAT, 0, 1, s->length};
  const int64_t room = 2 * wanted + 64;
  const onnxc_rt_first first = {s->items, s->spare,
                                room < s->length ? room : s->length, wanted, 1};
  int64_t skipped = 0;
  *order = onnxc_rt_find_first(&first, &run);
  while (skipped < wanted && !is_high(s, scores[(uint32_t)(*order)[skipped]]))
    ++skipped;
  *order += skipped;
  return wanted - skipped;
}

/* Of many boxes those with the highest scores are mostly enough, and the others
   are not sorted. */
static int suppress_class(onnxc_context *context, const suppression *s,
                          const float *scores, int64_t item, int64_t number,
                          triples *list) {
  const int64_t part = s->limit + s->limit / 2 + 32;
  int64_t count = find_boxes(s, scores), done = 0;
  selection to = {item, number, 0};
  const uint64_t *order;
  if (count / 2 > part) {
    done = find_first_boxes(s, scores, part, &order);
    if (!select_boxes(context, s, order, done, &to, list))
      return 0;
    if (to.kept == s->limit)
      return 1;
    count = find_boxes(s, scores);
  }
  order = onnxc_rt_sort_items(s->items, s->spare, count);
  return select_boxes(context, s, order + done, count - done, &to, list);
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
