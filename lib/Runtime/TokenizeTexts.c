/*===- TokenizeTexts.c - Tokenizer --------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A file of its own, as MatchTexts.c.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Strings.h"

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Extra.h"

#include "Texts.h"

/* What is known of tokens, first to make room and then to fill it. */
typedef struct tokens {
  int64_t text;   /* the last one seen, -1 before */
  int64_t count;  /* tokens of it */
  int64_t widest; /* most tokens of a text */
  int64_t bytes;  /* of all, with their NULs */
  text *row;      /* its first token */
  char *memory;
} tokens;

static void count_token(void *user, int64_t i, const char *begin,
                        size_t length) {
  tokens *t = (tokens *)user;
  (void)begin;
  t->count = i == t->text ? t->count + 1 : 1;
  t->text = i;
  if (t->count > t->widest)
    t->widest = t->count;
  t->bytes += (int64_t)length + 1;
}

/* Rows are `widest` apart, and `count` stays that of the text before for those
   that have no token, whose rows are full of padding already. */
static void write_token(void *user, int64_t i, const char *begin,
                        size_t length) {
  tokens *t = (tokens *)user;
  t->count = i == t->text ? t->count + 1 : 1;
  t->text = i;
  memcpy(t->memory, begin, length);
  t->memory[length] = 0;
  t->row[i * t->widest + t->count - 1] = t->memory;
  t->memory += length + 1;
}

/* Puts \2 in front of each row of tokens, and \3 behind; the last two elements
   of a row are padding so far. */
static void mark_rows(text *row, int64_t rows, int64_t width, text pad) {
  int64_t i, k;
  for (i = 0; i < rows; ++i, row += width) {
    int64_t end = 0;
    while (end < width - 2 && row[end] != pad)
      ++end;
    for (k = end; k > 0; --k)
      row[k] = row[k - 1];
    row[0] = "\2";
    row[end + 1] = "\3";
  }
}

int32_t onnxc_rt_texts_tokenize(onnxc_context *face, const char *node,
                                const onnxc_tensor *x,
                                const onnxc_tensor *patterns, int64_t separate,
                                int64_t least, int64_t mark,
                                int64_t pad_address, onnxc_tensor *result) {
  text pad = (text)(uintptr_t)pad_address;
  int64_t i, n = onnxc_rt_count_elements(x),
             num_patterns = onnxc_rt_count_elements(patterns);
  int64_t dims[ONNXC_MAX_RANK];
  tokens t = {-1, 0, 0, 0, 0, 0};
  onnxc_tensor *made;
  if (x->rank == ONNXC_MAX_RANK)
    return onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                              "%sthe result has too many dimensions", node);
  if (onnxc_extra_tokenize(pointers_of(patterns), num_patterns, (int)separate,
                           least, pointers_of(x), n, count_token, &t))
    return onnxc_rt_set_error(
        (onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
        "%sa pattern is not a valid RE2 regular expression", node);
  if (mark && t.widest)
    t.widest += 2;
  for (i = 0; i < x->rank; ++i)
    dims[i] = x->dims[i];
  dims[x->rank] = t.widest;
  made = onnxc_rt_new_tensor((onnxc_rt_context *)face, ONNXC_STRING,
                             x->rank + 1, dims);
  t.memory = onnxc_rt_alloc(face, t.bytes + 1);
  if (!made || !t.memory)
    return onnxc_rt_status(face);
  t.row = (text *)made->data;
  for (i = 0; i < n * t.widest; ++i)
    t.row[i] = pad;
  t.text = -1;
  onnxc_extra_tokenize(pointers_of(patterns), num_patterns, (int)separate,
                       least, pointers_of(x), n, write_token, &t);
  if (mark && t.widest)
    mark_rows(t.row, n, t.widest, pad);
  *result = *made;
  return ONNXC_OK;
}
