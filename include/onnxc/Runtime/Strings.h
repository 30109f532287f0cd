/*===- onnxc/Runtime/Strings.h - Tensors of strings ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What rt.call calls for operators on strings, whose elements are addresses  *|
|* of NUL-terminated UTF-8. All functions return a status.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_STRINGS_H
#define ONNXC_RUNTIME_STRINGS_H

#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The addresses of the texts that lie one after the other in `bytes`. */
int32_t onnxc_rt_texts(onnxc_context *context, const char *node,
                       const onnxc_tensor *bytes, onnxc_tensor *result);
/* Element by element, of equal shapes. */
int32_t onnxc_rt_texts_equal(onnxc_context *context, const char *node,
                             const onnxc_tensor *x, const onnxc_tensor *y,
                             onnxc_tensor *result);
int32_t onnxc_rt_texts_concat(onnxc_context *context, const char *node,
                              const onnxc_tensor *x, const onnxc_tensor *y,
                              onnxc_tensor *result);
/* `delimiter` is the address of a text, where "" stands for white space;
   `most` is the greatest number of splits. `pieces` gets a dimension more. */
int32_t onnxc_rt_texts_split(onnxc_context *context, const char *node,
                             const onnxc_tensor *x, int64_t delimiter,
                             int64_t most, onnxc_tensor *counts,
                             onnxc_tensor *pieces);
/* StringNormalizer: `change` is 0, 'L' or 'U'. Stop words are compared exactly,
   or, with `fold`, after changing their case and that of the texts. `turkic`
   says whose i has a dot in upper case. */
int32_t onnxc_rt_texts_normalize(onnxc_context *context, const char *node,
                                 const onnxc_tensor *x,
                                 const onnxc_tensor *stop_words, int64_t change,
                                 int64_t fold, int64_t turkic,
                                 onnxc_tensor *result);
int32_t onnxc_rt_texts_match(onnxc_context *context, const char *node,
                             const onnxc_tensor *x, int64_t pattern,
                             onnxc_tensor *result);
/* Tokenizer: texts become rows of tokens, as onnxc_extra_tokenize finds them,
   filled up with `pad`, the address of a text. With `mark`, rows begin with
   \2 and have \3 behind the last token, if there is any token. */
int32_t onnxc_rt_texts_tokenize(onnxc_context *context, const char *node,
                                const onnxc_tensor *x,
                                const onnxc_tensor *patterns, int64_t separate,
                                int64_t least, int64_t mark, int64_t pad,
                                onnxc_tensor *result);
/* Between texts and float, double, int64 and uint64; from bool, float16 and
   bfloat16 too. */
int32_t onnxc_rt_texts_to_numbers(onnxc_context *context, const char *node,
                                  const onnxc_tensor *x, onnxc_tensor *result);
int32_t onnxc_rt_numbers_to_texts(onnxc_context *context, const char *node,
                                  const onnxc_tensor *x, onnxc_tensor *result);

/* TfIdfVectorizer. The n-grams of size n of the vocabulary are sorted, and are
   elements starts[n] to starts[n + 1] of `pool`; `columns` and `weights` have
   an element for each of them. In `mode` 1 a column has the weight of an n-gram
   that occurs, otherwise weights add up as often as they occur. */
int32_t onnxc_rt_count_ngrams(onnxc_context *context, const char *node,
                              const onnxc_tensor *x, const onnxc_tensor *pool,
                              const onnxc_tensor *starts,
                              const onnxc_tensor *columns,
                              const onnxc_tensor *weights, int64_t least,
                              int64_t most, int64_t skips, int64_t mode,
                              onnxc_tensor *result);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_STRINGS_H */
