/*===- Pool.c - Temporaries of a run whose sizes are not fixed ----*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A chunk is a row of blocks. A free block knows its neighbours in memory,   *|
|* to melt with them, and is on the pool's list. Every block starts with a    *|
|* header of one alignment unit, so that what follows is aligned.             *|
|*                                                                            *|
|* To look for the block that fits and to melt neighbours takes as long as    *|
|* work on a kilobyte. Smaller blocks are cut one after the other from one    *|
|* that the first of them takes, and keep their size until the run ends. What *|
|* has no room there is a block like others.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

struct onnxc_rt_block {
  /* With the header; a multiple of the alignment. */
  size_t bytes;
  /* Of the block before this one in its chunk; 0 for the first. */
  size_t previous_bytes;
  onnxc_rt_block *next_free;
  onnxc_rt_block *previous_free;
  int32_t is_free;
  int32_t is_last;
  int32_t is_small;
};

struct onnxc_rt_chunk {
  onnxc_rt_chunk *next;
  size_t bytes;
};

enum {
  unit = ONNXC_RT_ALIGNMENT,
  chunk_header = unit,
  smallest_chunk = 1 << 16,
  room_of_small = 1 << 14
};

/* Headers must fit the unit that they are given. */
typedef char block_fits[sizeof(onnxc_rt_block) <= unit ? 1 : -1];
typedef char chunk_fits[sizeof(onnxc_rt_chunk) <= unit ? 1 : -1];

static onnxc_rt_block *at(void *base, size_t offset) {
  return (onnxc_rt_block *)(void *)((char *)base + offset);
}

static void insert(onnxc_rt_pool *pool, onnxc_rt_block *block) {
  block->is_free = 1;
  block->previous_free = NULL;
  block->next_free = pool->free_blocks;
  if (pool->free_blocks)
    pool->free_blocks->previous_free = block;
  pool->free_blocks = block;
}

static void take(onnxc_rt_pool *pool, onnxc_rt_block *block) {
  block->is_free = 0;
  if (block->previous_free)
    block->previous_free->next_free = block->next_free;
  else
    pool->free_blocks = block->next_free;
  if (block->next_free)
    block->next_free->previous_free = block->previous_free;
}

static onnxc_rt_block *best_fit(onnxc_rt_pool *pool, size_t bytes) {
  onnxc_rt_block *best = NULL, *block;
  for (block = pool->free_blocks; block; block = block->next_free)
    if (block->bytes >= bytes && (!best || block->bytes < best->bytes))
      best = block;
  return best;
}

static onnxc_rt_block *grow(onnxc_rt_context *context, size_t bytes) {
  onnxc_rt_pool *pool = &context->pool;
  size_t wish = bytes + chunk_header;
  onnxc_rt_chunk *chunk = NULL;
  onnxc_rt_block *block;
  if (wish < pool->reserve)
    wish = pool->reserve;
  if (wish < smallest_chunk)
    wish = smallest_chunk;
  chunk = onnxc_rt_allocate(context, wish);
  if (!chunk && wish > bytes + chunk_header) {
    wish = bytes + chunk_header;
    chunk = onnxc_rt_allocate(context, wish);
  }
  if (!chunk)
    return NULL;
  /* The next chunk is as large as all so far: few chunks for any run. */
  pool->reserve += wish;
  chunk->next = pool->chunks;
  chunk->bytes = wish;
  pool->chunks = chunk;
  block = at(chunk, chunk_header);
  block->bytes = (wish - chunk_header) & ~(size_t)(unit - 1);
  block->previous_bytes = 0;
  block->is_last = 1;
  insert(pool, block);
  return block;
}

/* A block of `bytes` bytes with its header. */
static void *cut(onnxc_rt_context *context, size_t bytes) {
  onnxc_rt_pool *pool = &context->pool;
  onnxc_rt_block *block, *rest;
  block = best_fit(pool, bytes);
  if (!block)
    block = grow(context, bytes);
  if (!block)
    return NULL;
  take(pool, block);
  block->is_small = 0;
  if (block->bytes >= bytes + 2 * unit) {
    rest = at(block, bytes);
    rest->bytes = block->bytes - bytes;
    rest->previous_bytes = bytes;
    rest->is_last = block->is_last;
    if (!rest->is_last)
      at(rest, rest->bytes)->previous_bytes = rest->bytes;
    block->bytes = bytes;
    block->is_last = 0;
    insert(pool, rest);
  }
  return at(block, unit);
}

/* The same, where it is small; NULL: there is no room for it. */
static void *cut_small(onnxc_rt_context *context, size_t bytes) {
  onnxc_rt_pool *pool = &context->pool;
  onnxc_rt_block *block = pool->small[bytes / unit];
  if (block) {
    pool->small[bytes / unit] = block->next_free;
    return at(block, unit);
  }
  if (pool->rest_bytes < bytes) {
    /* Once in a run: what a run without end takes is the pool's. */
    if (pool->has_small)
      return NULL;
    pool->has_small = 1;
    pool->rest = cut(context, room_of_small);
    if (!pool->rest)
      return NULL;
    pool->rest_bytes = room_of_small - unit;
  }
  block = at(pool->rest, 0);
  block->bytes = bytes;
  block->is_free = 0;
  block->is_small = 1;
  pool->rest += bytes;
  pool->rest_bytes -= bytes;
  return at(block, unit);
}

void *onnxc_rt_pool_alloc(onnxc_rt_context *context, size_t bytes) {
  void *memory;
  if (bytes > (size_t)PTRDIFF_MAX - 4 * unit)
    return NULL;
  if (onnxc_rt_separate_blocks)
    return onnxc_rt_separate_alloc(context, bytes);
  bytes = ((bytes + unit - 1) & ~(size_t)(unit - 1)) + unit;
  if (bytes <= (size_t)ONNXC_RT_SMALL_UNITS * unit) {
    memory = cut_small(context, bytes);
    if (memory)
      return memory;
  }
  return cut(context, bytes);
}

static void forget_small(onnxc_rt_pool *pool) {
  if (!pool->has_small)
    return;
  memset(pool->small, 0, sizeof pool->small);
  pool->rest = NULL;
  pool->rest_bytes = 0;
  pool->has_small = 0;
}

void onnxc_rt_pool_free(onnxc_rt_context *context, void *memory) {
  onnxc_rt_pool *pool = &context->pool;
  onnxc_rt_block *block, *neighbour;
  if (!memory)
    return;
  if (onnxc_rt_separate_blocks) {
    onnxc_rt_separate_free(context, memory);
    return;
  }
  block = (onnxc_rt_block *)(void *)((char *)memory - unit);
  if (block->is_small) {
    block->next_free = pool->small[block->bytes / unit];
    pool->small[block->bytes / unit] = block;
    return;
  }
  if (!block->is_last) {
    neighbour = at(block, block->bytes);
    if (neighbour->is_free) {
      take(pool, neighbour);
      block->bytes += neighbour->bytes;
      block->is_last = neighbour->is_last;
    }
  }
  if (block->previous_bytes) {
    neighbour =
        (onnxc_rt_block *)(void *)((char *)block - block->previous_bytes);
    if (neighbour->is_free) {
      take(pool, neighbour);
      neighbour->bytes += block->bytes;
      neighbour->is_last = block->is_last;
      block = neighbour;
    }
  }
  if (!block->is_last)
    at(block, block->bytes)->previous_bytes = block->bytes;
  insert(pool, block);
}

void onnxc_rt_pool_reset(onnxc_rt_context *context) {
  onnxc_rt_pool *pool = &context->pool;
  onnxc_rt_chunk *chunk = pool->chunks;
  onnxc_rt_block *block;
  onnxc_rt_separate_reset(context);
  forget_small(pool);
  if (!chunk)
    return;
  if (chunk->next) {
    /* More than one: give them back and let the next run start with one that
       holds them all. */
    onnxc_rt_pool_destroy(context);
    return;
  }
  pool->free_blocks = NULL;
  block = at(chunk, chunk_header);
  block->bytes = (chunk->bytes - chunk_header) & ~(size_t)(unit - 1);
  block->previous_bytes = 0;
  block->is_last = 1;
  insert(pool, block);
}

/* Keeps `reserve`: the pool can be used again. */
void onnxc_rt_pool_destroy(onnxc_rt_context *context) {
  onnxc_rt_pool *pool = &context->pool;
  onnxc_rt_separate_reset(context);
  forget_small(pool);
  while (pool->chunks) {
    onnxc_rt_chunk *chunk = pool->chunks;
    pool->chunks = chunk->next;
    onnxc_rt_release(context, chunk, chunk->bytes);
  }
  pool->free_blocks = NULL;
}

void *onnxc_rt_alloc(onnxc_context *face, int64_t bytes) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  void *memory = NULL;
  if (bytes >= 0 && (uint64_t)bytes <= SIZE_MAX)
    memory = onnxc_rt_pool_alloc(context, (size_t)bytes);
  if (!memory)
    onnxc_rt_set_error(context,
                       bytes < 0 ? ONNXC_RUNTIME_ERROR : ONNXC_OUT_OF_MEMORY,
                       bytes < 0 ? "an intermediate result has the size %lld"
                                 : "no memory for an intermediate result of "
                                   "%lld bytes",
                       (long long)bytes);
  return memory;
}

void onnxc_rt_free(onnxc_context *context, void *memory) {
  onnxc_rt_pool_free((onnxc_rt_context *)context, memory);
}
