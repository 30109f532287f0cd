/*===- NormalizeTexts.c - StringNormalizer ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A file of its own, since a model that takes anything of a file takes the   *|
|* libraries that it needs: here utf8proc.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Strings.h"

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Extra.h"

#include "Texts.h"

/* `from` in memory of the run with its case changed, 'L' or 'U'; NULL: the
   error is set. */
static text change_case(onnxc_context *face, text from, int64_t change,
                        int64_t turkic) {
  size_t bytes =
      onnxc_extra_change_case(from, change == 'U', turkic != 0, NULL);
  char *to = onnxc_rt_alloc(face, (int64_t)bytes);
  if (to)
    onnxc_extra_change_case(from, change == 'U', turkic != 0, to);
  return to;
}

static int is_one_of(text word, const text *words, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i)
    if (!strcmp(word, words[i]))
      return 1;
  return 0;
}

int32_t onnxc_rt_texts_normalize(onnxc_context *face, const char *node,
                                 const onnxc_tensor *x,
                                 const onnxc_tensor *stop_words, int64_t change,
                                 int64_t fold, int64_t turkic,
                                 onnxc_tensor *result) {
  int64_t i, kept = 0, n = onnxc_rt_count_elements(x);
  int64_t num_stop_words = onnxc_rt_count_elements(stop_words);
  int64_t folding = change ? change : 'L';
  text *stops = (text *)stop_words->data;
  text *to = onnxc_rt_alloc(face, (n + 1) * (int64_t)sizeof *to);
  (void)node;
  if (!to)
    return onnxc_rt_status(face);
  if (fold && num_stop_words) {
    stops = onnxc_rt_alloc(face, num_stop_words * (int64_t)sizeof *stops);
    if (!stops)
      return onnxc_rt_status(face);
    for (i = 0; i < num_stop_words; ++i)
      if (!(stops[i] =
                change_case(face, pointers_of(stop_words)[i], folding, turkic)))
        return onnxc_rt_status(face);
  }
  for (i = 0; i < n; ++i) {
    text word = pointers_of(x)[i], compared = word, changed = word;
    if (change && !(changed = change_case(face, word, change, turkic)))
      return onnxc_rt_status(face);
    if (fold && num_stop_words)
      compared = change ? changed : change_case(face, word, folding, turkic);
    if (!compared)
      return onnxc_rt_status(face);
    if (!is_one_of(compared, stops, num_stop_words))
      to[kept++] = changed;
  }
  /* Never empty. */
  if (!kept)
    to[kept++] = "";
  result->data = (void *)to;
  result->dims[x->rank - 1] = kept;
  if (x->rank == 2)
    result->dims[0] = 1;
  return ONNXC_OK;
}
