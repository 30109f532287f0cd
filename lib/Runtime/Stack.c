/*===- Stack.c - Tensors gathered by a loop -----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The tensors stand one behind the other in one piece of memory, which is    *|
|* replaced by one of twice the size when it is full.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Stack.h"

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

typedef struct onnxc_rt_stack {
  /* What each of the tensors is like; `data` is not used. */
  onnxc_tensor each;
  /* Of one of them. */
  int64_t bytes;
  int64_t count;
  int64_t capacity;
  char *data;
} onnxc_rt_stack;

static onnxc_rt_stack *from_handle(int64_t handle) {
  return (onnxc_rt_stack *)(uintptr_t)handle;
}

int32_t onnxc_rt_stack_new(onnxc_context *face, const char *node,
                           int64_t *handle) {
  onnxc_rt_stack *stack = onnxc_rt_alloc(face, (int64_t)sizeof *stack);
  (void)node;
  if (!stack)
    return onnxc_rt_status(face);
  memset(stack, 0, sizeof *stack);
  *handle = (int64_t)(uintptr_t)stack;
  return ONNXC_OK;
}

/* Whether `tensor` is like those on the stack; else the error is set. */
static int is_like_others(onnxc_context *face, const char *node,
                          const onnxc_rt_stack *stack,
                          const onnxc_tensor *tensor) {
  const onnxc_tensor *each = &stack->each;
  char expected[256], got[256];
  int32_t i = 0;
  if (tensor->rank == each->rank)
    while (i < each->rank && tensor->dims[i] == each->dims[i])
      ++i;
  if (tensor->rank == each->rank && i == each->rank)
    return 1;
  onnxc_rt_shape_text(expected, sizeof expected, each->dtype, each->rank,
                      each->dims, NULL);
  onnxc_rt_shape_text(got, sizeof got, tensor->dtype, tensor->rank,
                      tensor->dims, NULL);
  onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                     "%siteration %lld gives %s for an output, but those "
                     "before gave %s",
                     node, (long long)stack->count, got, expected);
  return 0;
}

static int grow(onnxc_context *face, onnxc_rt_stack *stack) {
  int64_t capacity = stack->capacity ? stack->capacity * 2 : 8;
  char *data;
  if (stack->bytes && capacity > INT64_MAX / 2 / stack->bytes) {
    onnxc_rt_alloc(face, INT64_MAX); /* sets the error */
    return 0;
  }
  data = onnxc_rt_alloc(face, capacity * stack->bytes);
  if (!data)
    return 0;
  if (stack->count)
    memcpy(data, stack->data, (size_t)(stack->count * stack->bytes));
  onnxc_rt_free(face, stack->data);
  stack->data = data;
  stack->capacity = capacity;
  return 1;
}

int32_t onnxc_rt_stack_push(onnxc_context *face, const char *node,
                            int64_t handle, const onnxc_tensor *tensor) {
  onnxc_rt_stack *stack = from_handle(handle);
  if (!stack->count) {
    stack->each = *tensor;
    stack->bytes = (int64_t)onnxc_tensor_bytes(tensor);
  } else if (!is_like_others(face, node, stack, tensor)) {
    return onnxc_rt_status(face);
  }
  if (stack->count == stack->capacity && !grow(face, stack))
    return onnxc_rt_status(face);
  if (stack->bytes)
    memcpy(stack->data + stack->count * stack->bytes, tensor->data,
           (size_t)stack->bytes);
  ++stack->count;
  return ONNXC_OK;
}

int32_t onnxc_rt_stack_dim(onnxc_context *face, const char *node,
                           int64_t handle, int64_t dim, int64_t *size) {
  (void)face;
  (void)node;
  /* No tensor has come: all of it is 0. */
  *size = from_handle(handle)->each.dims[dim];
  return ONNXC_OK;
}

int32_t onnxc_rt_stack_take(onnxc_context *face, const char *node,
                            int64_t handle, int64_t axis, int64_t is_backward,
                            onnxc_tensor *result) {
  onnxc_rt_stack *stack = from_handle(handle);
  char *to = (char *)result->data;
  int64_t outer = 1, piece, place, i, j;
  (void)node;
  for (i = 0; i < axis; ++i)
    outer *= result->dims[i];
  piece = outer ? stack->bytes / outer : 0;
  if (stack->count && piece)
    for (i = 0; i < outer; ++i)
      for (j = 0; j < stack->count; ++j) {
        place = is_backward ? stack->count - 1 - j : j;
        memcpy(to, stack->data + place * stack->bytes + i * piece,
               (size_t)piece);
        to += piece;
      }
  onnxc_rt_free(face, stack->data);
  onnxc_rt_free(face, stack);
  return ONNXC_OK;
}
