//===- PoolTest.cpp - The pool of temporaries -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// A context without a model, over an allocator that counts.
class Pool : public ::testing::Test {
protected:
  Pool() {
    std::memset(&context, 0, sizeof context);
    context.options.user = this;
    context.options.allocate = [](void *user, size_t bytes, size_t alignment) {
      auto *pool = static_cast<Pool *>(user);
      ++pool->calls;
      pool->last = bytes;
      if (bytes > pool->most)
        return static_cast<void *>(nullptr);
      void *memory = std::aligned_alloc(alignment, bytes);
      pool->live += memory ? bytes : 0;
      return memory;
    };
    context.options.release = [](void *user, void *memory, size_t bytes) {
      static_cast<Pool *>(user)->live -= bytes;
      std::free(memory);
    };
  }
  ~Pool() override {
    onnxc_rt_pool_destroy(&context);
    EXPECT_EQ(live, 0u);
  }

  char *alloc(size_t bytes) {
    auto *memory = static_cast<char *>(onnxc_rt_pool_alloc(&context, bytes));
    EXPECT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % ONNXC_RT_ALIGNMENT, 0u);
    std::memset(memory, 0xa5, bytes);
    return memory;
  }
  void free(void *memory) { onnxc_rt_pool_free(&context, memory); }
  void reset() { onnxc_rt_pool_reset(&context); }

  onnxc_rt_context context;
  int calls = 0;
  size_t live = 0, last = 0, most = SIZE_MAX;
};

TEST_F(Pool, ReusesWhatWasFreed) {
  char *a = alloc(2000);
  alloc(2000);
  free(a);
  EXPECT_EQ(alloc(1900), a);
}

TEST_F(Pool, TakesTheBlockThatFitsBest) {
  char *large = alloc(5000);
  alloc(2000);
  char *small = alloc(2000);
  alloc(2000);
  free(large);
  free(small);
  EXPECT_EQ(alloc(2000), small);
  EXPECT_EQ(alloc(2000), large);
}

TEST_F(Pool, NeighboursMelt) {
  char *a = alloc(2000);
  char *b = alloc(2000);
  char *c = alloc(2000);
  alloc(2000);
  free(a);
  free(c);
  free(b);
  EXPECT_EQ(alloc(6000), a);
}

TEST_F(Pool, SmallBlocksWaitForTheirSize) {
  char *a = alloc(100), *b = alloc(1024);
  free(a);
  free(b);
  EXPECT_NE(alloc(200), a);
  EXPECT_EQ(alloc(128), a);
  EXPECT_EQ(alloc(1000), b);
  EXPECT_NE(alloc(100), a);
}

TEST_F(Pool, SmallBlocksHaveNoEnd) {
  // More than there is room for: the others are blocks like any.
  std::vector<char *> blocks;
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < 1000; ++i) {
      blocks.push_back(alloc(100));
      std::memset(blocks.back(), i % 100, 100);
    }
    for (int i = 0; i < 1000; ++i)
      for (int k = 0; k < 100; ++k)
        ASSERT_EQ(blocks[i][k], i % 100);
    for (int i = 0; i < 1000; i += 2)
      free(blocks[i]);
    calls = 0;
    for (int i = 0; i < 500; ++i)
      alloc(100);
    EXPECT_EQ(calls, 0);
    blocks.clear();
    reset();
  }
}

TEST_F(Pool, SmallBlocksWhereThereIsLittle) {
  most = 2000;
  char *a = alloc(100), *b = alloc(100);
  std::memset(a, 1, 100);
  std::memset(b, 2, 100);
  EXPECT_EQ(a[99], 1);
  free(a);
  EXPECT_EQ(alloc(100), a);
  EXPECT_EQ(onnxc_rt_pool_alloc(&context, 2000), nullptr);
}

TEST_F(Pool, NothingIsFreedByNull) { free(nullptr); }

TEST_F(Pool, ZeroBytesAreMemoryToo) {
  char *a = alloc(0);
  EXPECT_NE(alloc(0), a);
}

TEST_F(Pool, TooLargeIsRefused) {
  EXPECT_EQ(onnxc_rt_pool_alloc(&context, SIZE_MAX), nullptr);
  EXPECT_EQ(onnxc_rt_pool_alloc(&context, PTRDIFF_MAX), nullptr);
  EXPECT_EQ(onnxc_rt_pool_alloc(&context, PTRDIFF_MAX / 2), nullptr);
  EXPECT_EQ(onnxc_rt_alloc(&context.face, -1), nullptr);
  EXPECT_EQ(onnxc_rt_status(&context.face), ONNXC_RUNTIME_ERROR);
}

TEST_F(Pool, AsksForNoMoreThanNeededWhereThereIsLittle) {
  most = 20000;
  // Less than a chunk has otherwise; the whole of it can be written.
  char *a = alloc(10000);
  EXPECT_EQ(calls, 2);
  EXPECT_GE(last, 10000u + 2 * ONNXC_RT_ALIGNMENT);
  EXPECT_LE(last, 10000u + 4 * ONNXC_RT_ALIGNMENT);
  char *b = alloc(10000);
  std::memset(a, 1, 10000);
  std::memset(b, 2, 10000);
  EXPECT_EQ(a[9999], 1);
  EXPECT_EQ(onnxc_rt_pool_alloc(&context, 20000), nullptr);
}

TEST_F(Pool, ResetGivesEverythingBack) {
  char *a = alloc(100);
  alloc(200);
  reset();
  EXPECT_EQ(alloc(100), a);
}

TEST_F(Pool, SteadyStateAsksForNothing) {
  for (int run = 0; run < 10; ++run) {
    if (run == 2)
      calls = 0;
    for (size_t i = 1; i < 50; ++i)
      alloc(i * 10000);
    reset();
  }
  EXPECT_EQ(calls, 0);
}

TEST_F(Pool, ManyBlocksStayApart) {
  // A pseudo-random life of blocks, each filled with its number.
  struct Block {
    char *memory;
    size_t bytes;
    char mark;
  };
  std::vector<Block> blocks;
  uint32_t random = 1;
  auto next = [&] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (int step = 0; step < 20000; ++step) {
    if (blocks.size() < 40 && next() % 3) {
      size_t bytes = next() % (next() % 2 ? 20000 : 1200);
      char mark = static_cast<char>(step);
      blocks.push_back({alloc(bytes), bytes, mark});
      std::memset(blocks.back().memory, mark, bytes);
    } else if (!blocks.empty()) {
      size_t which = next() % blocks.size();
      Block block = blocks[which];
      for (size_t i = 0; i < block.bytes; ++i)
        ASSERT_EQ(block.memory[i], block.mark);
      free(block.memory);
      blocks.erase(blocks.begin() + static_cast<long>(which));
    }
  }
}

} // namespace
