/*===- onnxc/Runtime/Stack.h - Tensors gathered by a loop ---------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loops whose outputs have a tensor for each iteration push them onto a      *|
|* stack when their number or sizes are not known before. All functions       *|
|* return a status, and begin the text of an error with `node`.               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_STACK_H
#define ONNXC_RUNTIME_STACK_H

#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty stack in memory of the run. */
int32_t onnxc_rt_stack_new(onnxc_context *context, const char *node,
                           int64_t *stack);
/* Adds a copy of `tensor`, which must have the sizes of those before. */
int32_t onnxc_rt_stack_push(onnxc_context *context, const char *node,
                            int64_t stack, const onnxc_tensor *tensor);
/* Dimension `dim` of each of the tensors; 0 if there is none. */
int32_t onnxc_rt_stack_dim(onnxc_context *context, const char *node,
                           int64_t stack, int64_t dim, int64_t *size);
/* Writes the tensors to `result`, side by side along `axis`, which is one more
   than they have, in the order of their coming or against it, and gives the
   stack's memory back. */
int32_t onnxc_rt_stack_take(onnxc_context *context, const char *node,
                            int64_t stack, int64_t axis, int64_t is_backward,
                            onnxc_tensor *result);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_STACK_H */
