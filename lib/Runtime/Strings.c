/*===- Strings.c - Tensors of strings -----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A new text is memory of the run; outputs are copied at its end.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Strings.h"

#include "onnxc/Runtime/Context.h"

#include "Texts.h"

int32_t onnxc_rt_texts(onnxc_context *face, const char *node,
                       const onnxc_tensor *bytes, onnxc_tensor *result) {
  onnxc_string *to = texts_of(result);
  text next = (text)bytes->data;
  int64_t i, count = onnxc_rt_count_elements(result);
  (void)face;
  (void)node;
  for (i = 0; i < count; ++i) {
    to[i].text = next;
    next += strlen(next) + 1;
  }
  return ONNXC_OK;
}

int32_t onnxc_rt_texts_equal(onnxc_context *face, const char *node,
                             const onnxc_tensor *x, const onnxc_tensor *y,
                             onnxc_tensor *result) {
  uint8_t *to = (uint8_t *)result->data;
  int64_t i, count = onnxc_rt_count_elements(result);
  (void)face;
  (void)node;
  for (i = 0; i < count; ++i)
    to[i] = strcmp(texts_of(x)[i].text, texts_of(y)[i].text) == 0;
  return ONNXC_OK;
}

int32_t onnxc_rt_texts_concat(onnxc_context *face, const char *node,
                              const onnxc_tensor *x, const onnxc_tensor *y,
                              onnxc_tensor *result) {
  onnxc_string *to = texts_of(result);
  int64_t i, count = onnxc_rt_count_elements(result), bytes = 1;
  char *memory;
  (void)node;
  for (i = 0; i < count; ++i)
    bytes += (int64_t)(strlen(texts_of(x)[i].text) +
                       strlen(texts_of(y)[i].text) + 1);
  memory = onnxc_rt_alloc(face, bytes);
  if (!memory)
    return onnxc_rt_status(face);
  for (i = 0; i < count; ++i) {
    size_t first = strlen(texts_of(x)[i].text);
    size_t second = strlen(texts_of(y)[i].text);
    memcpy(memory, texts_of(x)[i].text, first);
    memcpy(memory + first, texts_of(y)[i].text, second + 1);
    to[i].text = memory;
    memory += first + second + 1;
  }
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* StringSplit                                                                *|
\*===----------------------------------------------------------------------===*/

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The first place in `from` where `what` stands, or its end. */
static text find(text from, text what, size_t length) {
  for (; *from; ++from)
    if (!strncmp(from, what, length))
      break;
  return from;
}

/* The pieces of one text, one after the other. */
typedef struct splitter {
  text rest; /* NULL behind the last piece */
  text delimiter;
  size_t length;
  int64_t left; /* splits that may still be made */
} splitter;

static splitter start_split(text from, text delimiter, int64_t most) {
  splitter s;
  s.rest = from;
  s.delimiter = delimiter;
  s.length = strlen(delimiter);
  s.left = most;
  return s;
}

/* The next piece and its length; NULL if there is none. */
static text next_piece(splitter *s, size_t *length) {
  text begin = s->rest, end;
  if (!begin)
    return NULL;
  if (!s->length) {
    while (is_space(*begin))
      ++begin;
    if (!*begin)
      return s->rest = NULL;
  }
  if (!s->left--) {
    s->rest = NULL;
    *length = strlen(begin);
    return begin;
  }
  if (s->length) {
    end = find(begin, s->delimiter, s->length);
    s->rest = *end ? end + s->length : NULL;
  } else {
    for (end = begin; *end && !is_space(*end);)
      ++end;
    s->rest = end;
  }
  *length = (size_t)(end - begin);
  return begin;
}

int32_t onnxc_rt_texts_split(onnxc_context *face, const char *node,
                             const onnxc_tensor *x, int64_t delimiter_address,
                             int64_t most, onnxc_tensor *counts,
                             onnxc_tensor *pieces) {
  text delimiter = (text)(uintptr_t)delimiter_address;
  int64_t *count = (int64_t *)counts->data;
  int64_t i, k, n = onnxc_rt_count_elements(x), widest = 0, bytes = 1;
  int64_t dims[ONNXC_MAX_RANK];
  size_t length;
  onnxc_tensor *made;
  char *memory;
  onnxc_string *to;
  if (x->rank == ONNXC_MAX_RANK)
    return onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                              "%sthe result has too many dimensions", node);
  for (i = 0; i < n; ++i) {
    splitter s = start_split(texts_of(x)[i].text, delimiter, most);
    for (count[i] = 0; next_piece(&s, &length); ++count[i])
      bytes += (int64_t)length + 1;
    if (count[i] > widest)
      widest = count[i];
  }
  for (i = 0; i < x->rank; ++i)
    dims[i] = x->dims[i];
  dims[x->rank] = widest;
  made = onnxc_rt_new_tensor((onnxc_rt_context *)face, ONNXC_STRING,
                             x->rank + 1, dims);
  memory = onnxc_rt_alloc(face, bytes);
  if (!made || !memory)
    return onnxc_rt_status(face);
  *memory++ = 0; /* the empty text that fills up */
  to = texts_of(made);
  for (i = 0; i < n; ++i) {
    splitter s = start_split(texts_of(x)[i].text, delimiter, most);
    for (k = 0; k < count[i]; ++k) {
      text piece = next_piece(&s, &length);
      memcpy(memory, piece, length);
      memory[length] = 0;
      (to++)->text = memory;
      memory += length + 1;
    }
    for (; k < widest; ++k)
      (to++)->text = "";
  }
  *pieces = *made;
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* TfIdfVectorizer                                                            *|
\*===----------------------------------------------------------------------===*/

/* Element i of x and element k of y, texts or int64. */
static int compare_elements(const onnxc_tensor *x, int64_t i,
                            const onnxc_tensor *y, int64_t k) {
  int64_t first, second;
  if (x->dtype == ONNXC_STRING)
    return strcmp(texts_of(x)[i].text, texts_of(y)[k].text);
  first = ((const int64_t *)x->data)[i];
  second = ((const int64_t *)y->data)[k];
  return first < second ? -1 : first > second;
}

/* The n elements of x from `at` on, `step` apart, against those of an n-gram.
 */
static int compare_ngram(const onnxc_tensor *x, int64_t at, int64_t step,
                         const onnxc_tensor *pool, int64_t first, int64_t n) {
  int64_t k;
  for (k = 0; k < n; ++k) {
    int order = compare_elements(x, at + k * step, pool, first + k);
    if (order)
      return order;
  }
  return 0;
}

/* The number of the n-gram at `at` among those of size n; -1 if not one. */
static int64_t find_ngram(const onnxc_tensor *x, int64_t at, int64_t step,
                          const onnxc_tensor *pool, const int64_t *starts,
                          int64_t n) {
  int64_t begin = 0, end = (starts[n + 1] - starts[n]) / n;
  while (begin < end) {
    int64_t middle = begin + (end - begin) / 2;
    int order = compare_ngram(x, at, step, pool, starts[n] + middle * n, n);
    if (!order)
      return middle;
    if (order < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return -1;
}

int32_t onnxc_rt_count_ngrams(onnxc_context *face, const char *node,
                              const onnxc_tensor *x, const onnxc_tensor *pool,
                              const onnxc_tensor *starts_tensor,
                              const onnxc_tensor *columns,
                              const onnxc_tensor *weights, int64_t least,
                              int64_t most, int64_t skips, int64_t mode,
                              onnxc_tensor *result) {
  const int64_t *starts = (const int64_t *)starts_tensor->data;
  const int64_t *column = (const int64_t *)columns->data;
  const float *weight = (const float *)weights->data;
  float *to = (float *)result->data;
  int64_t width = result->dims[result->rank - 1];
  int64_t length = x->dims[x->rank - 1];
  int64_t rows = x->rank == 2 ? x->dims[0] : 1;
  int64_t row, n, step, last_step, at, before = 0;
  (void)face;
  (void)node;
  memset(to, 0, (size_t)(rows * width) * sizeof *to);
  for (n = 1; n <= most; before += (starts[n + 1] - starts[n]) / n, ++n) {
    if (n < least)
      continue;
    /* One element has no gaps to vary, and longer gaps than x has no n-grams.
     */
    last_step = n == 1 ? 1 : (length - 1) / (n - 1);
    if (last_step - 1 > skips)
      last_step = skips + 1;
    for (row = 0; row < rows; ++row)
      for (step = 1; step <= last_step; ++step)
        for (at = 0; at + (n - 1) * step < length; ++at) {
          int64_t found =
              find_ngram(x, row * length + at, step, pool, starts, n);
          if (found >= 0) {
            float *cell = &to[row * width + column[before + found]];
            float unit = weight[before + found];
            *cell = mode == 1 ? unit : *cell + unit;
          }
        }
  }
  return ONNXC_OK;
}
