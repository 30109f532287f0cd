/*===- SeparateBlocks.c - A pool without chunks, for sanitizers ---*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A sanitizer finds an access beyond a block only if the block is an         *|
|* allocation of its own. Models that are compiled for one define             *|
|* onnxc_rt_separate_blocks as 1. What belongs to a block stands in an        *|
|* allocation beside it, so that nothing but red zones surrounds the block.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

__attribute__((weak)) const int32_t onnxc_rt_separate_blocks = 0;
__attribute__((weak)) void onnxc_rt_forbid_access(void *memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}

struct onnxc_rt_separate_block {
  onnxc_rt_separate_block *next;
  void *memory;
  size_t bytes;
};

void *onnxc_rt_separate_alloc(onnxc_rt_context *context, size_t bytes) {
  onnxc_rt_separate_block *block = onnxc_rt_allocate(context, sizeof *block);
  if (!block)
    return NULL;
  /* An allocator may have no answer to 0 bytes. */
  block->bytes = bytes ? bytes : 1;
  block->memory = onnxc_rt_allocate(context, block->bytes);
  if (!block->memory) {
    onnxc_rt_release(context, block, sizeof *block);
    return NULL;
  }
  /* Allocations are rounded up to the alignment. */
  onnxc_rt_forbid_access((char *)block->memory + bytes,
                         (ONNXC_RT_ALIGNMENT - bytes % ONNXC_RT_ALIGNMENT) %
                             ONNXC_RT_ALIGNMENT);
  block->next = context->pool.separate;
  context->pool.separate = block;
  return block->memory;
}

void onnxc_rt_separate_free(onnxc_rt_context *context, void *memory) {
  onnxc_rt_separate_block **link = &context->pool.separate, *block;
  while (*link && (*link)->memory != memory)
    link = &(*link)->next;
  block = *link;
  if (!block)
    return;
  *link = block->next;
  onnxc_rt_release(context, block->memory, block->bytes);
  onnxc_rt_release(context, block, sizeof *block);
}

void onnxc_rt_separate_reset(onnxc_rt_context *context) {
  while (context->pool.separate)
    onnxc_rt_separate_free(context, context->pool.separate->memory);
}
