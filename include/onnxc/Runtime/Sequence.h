/*===- onnxc/Runtime/Sequence.h - Sequences and optionals ---------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What rt.call calls for ONNX's operators on sequences and optionals. All    *|
|* values are handles (see Dialect/Runtime); all functions return a status,   *|
|* and begin the text of an error with `node`.                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_SEQUENCE_H
#define ONNXC_RUNTIME_SEQUENCE_H

#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty sequence. */
int32_t onnxc_rt_sequence_new(onnxc_context *context, const char *node,
                              int64_t *result);
/* The sequence with `value` at its end. Takes constant time on average when
   each sequence is extended once, as in a loop. */
int32_t onnxc_rt_sequence_append(onnxc_context *context, const char *node,
                                 int64_t sequence, int64_t value,
                                 int64_t *result);
/* Positions count from the end where they are negative. */
int32_t onnxc_rt_sequence_insert(onnxc_context *context, const char *node,
                                 int64_t sequence, int64_t value,
                                 int64_t position, int64_t *result);
int32_t onnxc_rt_sequence_erase(onnxc_context *context, const char *node,
                                int64_t sequence, int64_t position,
                                int64_t *result);
int32_t onnxc_rt_sequence_at(onnxc_context *context, const char *node,
                             int64_t sequence, int64_t position,
                             int64_t *result);
int32_t onnxc_rt_sequence_length(onnxc_context *context, const char *node,
                                 int64_t sequence, int64_t *result);

/* The pieces of `tensor` along `axis`. `split` has their sizes, or, as a
   scalar, the size of all but the last; with 0 for it they have size 1, and
   lose the axis unless `keepdims`. */
int32_t onnxc_rt_sequence_split(onnxc_context *context, const char *node,
                                int64_t tensor, int64_t split, int64_t axis,
                                int64_t keepdims, int64_t *result);
/* The tensors of a sequence joined along `axis`, or stacked along a new one. */
int32_t onnxc_rt_sequence_concat(onnxc_context *context, const char *node,
                                 int64_t sequence, int64_t axis,
                                 int64_t new_axis, int64_t *result);

/* An optional that holds `value`; one that holds nothing. */
int32_t onnxc_rt_optional_some(onnxc_context *context, const char *node,
                               int64_t value, int64_t *result);
int32_t onnxc_rt_optional_none(onnxc_context *context, const char *node,
                               int64_t *result);
int32_t onnxc_rt_optional_get(onnxc_context *context, const char *node,
                              int64_t optional, int64_t *result);
/* 1 or 0. */
int32_t onnxc_rt_optional_has(onnxc_context *context, const char *node,
                              int64_t optional, int64_t *result);

/* The one element of an integer tensor. */
int32_t onnxc_rt_integer_of(onnxc_context *context, const char *node,
                            int64_t tensor, int64_t *result);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_SEQUENCE_H */
