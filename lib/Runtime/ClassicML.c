/*===- ClassicML.c - Tables and maps of ai.onnx.ml ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A map is two tensors, the keys and the values (see Value.c), in any order. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/ClassicML.h"
#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Entry.h"
#include "onnxc/Runtime/TextHash.h"

#include "Texts.h"

/*===----------------------------------------------------------------------===*\
|* Search                                                                     *|
\*===----------------------------------------------------------------------===*/

/* Below 0 where `a` comes before `b`: numbers by value, NaN last. */
static int compare_doubles(double a, double b) {
  if (a != a || b != b)
    return (a != a) - (b != b);
  return (a > b) - (a < b);
}

static int compare_integers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int64_t integer_at(const onnxc_tensor *tensor, int64_t i) {
  switch (tensor->dtype) {
  case ONNXC_INT16:
    return ((const int16_t *)tensor->data)[i];
  case ONNXC_INT32:
    return ((const int32_t *)tensor->data)[i];
  }
  return ((const int64_t *)tensor->data)[i];
}

/* Compares elements of two tensors of one type. */
static int compare(const onnxc_tensor *x, int64_t i, const onnxc_tensor *y,
                   int64_t j) {
  switch (x->dtype) {
  case ONNXC_STRING:
    return strcmp(texts_of(x)[i].text, texts_of(y)[j].text);
  case ONNXC_FLOAT:
    return compare_doubles(((const float *)x->data)[i],
                           ((const float *)y->data)[j]);
  case ONNXC_DOUBLE:
    return compare_doubles(((const double *)x->data)[i],
                           ((const double *)y->data)[j]);
  }
  return compare_integers(integer_at(x, i), integer_at(y, j));
}

int32_t onnxc_rt_lookup(onnxc_context *context, const char *node,
                        const onnxc_tensor *x, const onnxc_tensor *keys,
                        int64_t count, onnxc_tensor *result) {
  int64_t *places = (int64_t *)result->data;
  int64_t total = onnxc_rt_count_elements(x), i;
  (void)context;
  (void)node;
  for (i = 0; i < total; ++i) {
    int64_t begin = 0, end = count;
    while (begin < end) {
      int64_t middle = begin + (end - begin) / 2;
      if (compare(keys, middle, x, i) < 0)
        begin = middle + 1;
      else
        end = middle;
    }
    places[i] = begin < count && !compare(keys, begin, x, i) ? begin : -1;
  }
  return ONNXC_OK;
}

int32_t onnxc_rt_find_texts(onnxc_context *context, const char *node,
                            const onnxc_tensor *x, const onnxc_tensor *keys,
                            const onnxc_tensor *slots, onnxc_tensor *result) {
  int64_t *places = (int64_t *)result->data;
  const int32_t *table = (const int32_t *)slots->data;
  uint32_t mask = (uint32_t)onnxc_rt_count_elements(slots) - 1;
  int64_t total = onnxc_rt_count_elements(x), i;
  (void)context;
  (void)node;
  for (i = 0; i < total; ++i) {
    const char *wanted = texts_of(x)[i].text;
    uint32_t slot = onnxc_rt_hash_text(wanted) & mask;
    while (table[slot] >= 0 && strcmp(texts_of(keys)[table[slot]].text, wanted))
      slot = (slot + 1) & mask;
    places[i] = table[slot];
  }
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* Maps                                                                       *|
\*===----------------------------------------------------------------------===*/

int32_t onnxc_rt_zip_map(onnxc_context *context, const char *node,
                         const onnxc_tensor *scores, const onnxc_tensor *labels,
                         int64_t *result) {
  /* Row by row: the map, and behind it its keys and values. */
  int64_t rows = scores->dims[0], columns = scores->dims[1], row;
  int64_t bytes = columns * (int64_t)sizeof(float);
  onnxc_rt_context *whole = (onnxc_rt_context *)context;
  onnxc_tensor *keys =
      onnxc_rt_new_tensor(whole, labels->dtype, 1, labels->dims);
  onnxc_tensor *values =
      onnxc_rt_new_tensor(whole, ONNXC_FLOAT, 2, scores->dims);
  onnxc_tensor *all =
      onnxc_rt_alloc(context, (1 + 3 * rows) * (int64_t)sizeof *all);
  onnxc_tensor *parts = all + 1 + rows;
  (void)node;
  if (!keys || !values || !all)
    return onnxc_rt_status(context);
  if (keys->bytes)
    memcpy(keys->data, labels->data, keys->bytes);
  if (values->bytes)
    memcpy(values->data, scores->data, values->bytes);
  memset(all, 0, (size_t)(1 + 3 * rows) * sizeof *all);
  all->data = all + 1;
  all->bytes = (uint64_t)rows * sizeof *all;
  all->dtype = ONNXC_SEQUENCE;
  all->rank = 1;
  all->dims[0] = rows;
  for (row = 0; row < rows; ++row) {
    onnxc_tensor *map = all + 1 + row, *part = parts + 2 * row;
    map->data = part;
    map->bytes = 2 * sizeof *part;
    map->dtype = ONNXC_MAP;
    part[0] = *keys;
    part[1].data = (char *)values->data + row * bytes;
    part[1].bytes = (uint64_t)bytes;
    part[1].dtype = ONNXC_FLOAT;
    part[1].rank = 1;
    part[1].dims[0] = columns;
  }
  *result = (int64_t)(uintptr_t)all;
  return ONNXC_OK;
}

static const onnxc_tensor *get_parts(int64_t map) {
  const onnxc_tensor *value = (const onnxc_tensor *)(uintptr_t)map;
  return (const onnxc_tensor *)value->data;
}

int32_t onnxc_rt_dict_vector(onnxc_context *context, const char *node,
                             int64_t map, const onnxc_tensor *vocabulary,
                             onnxc_tensor *result) {
  const onnxc_tensor *keys = get_parts(map), *values = keys + 1;
  size_t size = onnxc_dtype_size(result->dtype);
  int64_t i, j;
  (void)context;
  (void)node;
  for (i = 0; i < result->dims[1]; ++i) {
    char *to = (char *)result->data + (size_t)i * size;
    memset(to, 0, size);
    if (result->dtype == ONNXC_STRING)
      texts_of(result)[i].text = "";
    for (j = 0; j < keys->dims[0]; ++j)
      if (!compare(keys, j, vocabulary, i)) {
        memcpy(to, (const char *)values->data + (size_t)j * size, size);
        break;
      }
  }
  return ONNXC_OK;
}

/* A number as C++'s std::to_string writes it, in memory of the run. */
static const char *print(onnxc_context *context, float value) {
  char *text = onnxc_rt_alloc(context, 64);
  if (text)
    onnxc_rt_print(text, 64, "%.*f", 6, (double)value);
  return text;
}

static int32_t no_number(onnxc_context *context, const char *node,
                         const char *text) {
  return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                            "%sexpected a number, got '%.100s'", node, text);
}

/* Writes value number `j` of a map to place `i` of the result. */
static int32_t cast_value(onnxc_context *context, const char *node,
                          const onnxc_tensor *values, int64_t j,
                          onnxc_tensor *result, int64_t i) {
  if (values->dtype == ONNXC_STRING) {
    const char *text = texts_of(values)[j].text;
    char *end = NULL;
    if (result->dtype == ONNXC_STRING)
      texts_of(result)[i].text = text;
    else if (result->dtype == ONNXC_FLOAT)
      ((float *)result->data)[i] = strtof(text, &end);
    else
      ((int64_t *)result->data)[i] = strtoll(text, &end, 10);
    return end == text ? no_number(context, node, text) : ONNXC_OK;
  }
  {
    float value = ((const float *)values->data)[j];
    if (result->dtype == ONNXC_STRING) {
      const char *text = print(context, value);
      if (!text)
        return onnxc_rt_status(context);
      texts_of(result)[i].text = text;
    } else if (result->dtype == ONNXC_FLOAT) {
      ((float *)result->data)[i] = value;
    } else {
      int fits = value > -9.2e18f && value < 9.2e18f;
      ((int64_t *)result->data)[i] = fits ? (int64_t)value : INT64_MIN;
    }
  }
  return ONNXC_OK;
}

/* The place in `keys` of the least key that is at least `from`, or -1. */
static int64_t next_key(const int64_t *keys, int64_t count, int64_t from) {
  int64_t best = -1, i;
  for (i = 0; i < count; ++i)
    if (keys[i] >= from && (best < 0 || keys[i] < keys[best]))
      best = i;
  return best;
}

int32_t onnxc_rt_cast_map(onnxc_context *context, const char *node, int64_t map,
                          int64_t sparse, int64_t length,
                          onnxc_tensor *result) {
  const onnxc_tensor *keys = get_parts(map), *values = keys + 1;
  const int64_t *numbers = (const int64_t *)keys->data;
  int64_t count = keys->dims[0], total = sparse ? length : count, i;
  int64_t dims[2] = {1, total}, place = next_key(numbers, count, INT64_MIN);
  onnxc_tensor *memory =
      onnxc_rt_new_tensor((onnxc_rt_context *)context, result->dtype, 2, dims);
  int32_t status = ONNXC_OK;
  if (!memory)
    return onnxc_rt_status(context);
  if (sparse && place >= 0 && numbers[place] < 0)
    return onnxc_rt_set_error((onnxc_rt_context *)context, ONNXC_RUNTIME_ERROR,
                              "%sexpected keys that are not negative, "
                              "got %lld",
                              node, (long long)numbers[place]);
  result->data = memory->data;
  result->dims[0] = 1;
  result->dims[1] = total;
  for (i = 0; i < total && status == ONNXC_OK; ++i) {
    if (place >= 0 && (!sparse || numbers[place] == i)) {
      int64_t key = numbers[place];
      status = cast_value(context, node, values, place, result, i);
      place = key == INT64_MAX ? -1 : next_key(numbers, count, key + 1);
    } else if (result->dtype == ONNXC_STRING) {
      texts_of(result)[i].text = "0.f";
    } else {
      memset((char *)result->data + (size_t)i * onnxc_dtype_size(result->dtype),
             0, onnxc_dtype_size(result->dtype));
    }
  }
  return status;
}
