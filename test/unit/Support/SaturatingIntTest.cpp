//===- SaturatingIntTest.cpp ----------------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/SaturatingInt.h"

#include "gtest/gtest.h"

using onnxc::SaturatingInt;

static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(SaturatingInt, MultipliesExactlyWhereItFits) {
  EXPECT_EQ((SaturatingInt(6) * 7).get(), 42);
  EXPECT_EQ((3 * SaturatingInt(-5)).get(), -15);
  EXPECT_EQ((SaturatingInt(int64_t(1) << 31) * (int64_t(1) << 31)).get(),
            int64_t(1) << 62);
  EXPECT_EQ((SaturatingInt(kMost) * 0).get(), 0);
}

TEST(SaturatingInt, StaysAtTheEnds) {
  int64_t large = int64_t(1) << 62;
  EXPECT_EQ((SaturatingInt(large) * 2).get(), kMost);
  // The 64 low bits of this product are 0.
  EXPECT_EQ((SaturatingInt(large) * 4).get(), kMost);
  EXPECT_EQ((SaturatingInt(large) * -4).get(), kLeast);
  EXPECT_EQ((SaturatingInt(kLeast) * -1).get(), kMost);
  EXPECT_EQ((SaturatingInt(kMost) + 1).get(), kMost);
  EXPECT_EQ((SaturatingInt(kLeast) + -1).get(), kLeast);
}

TEST(SaturatingInt, Accumulates) {
  SaturatingInt product = 1;
  for (int i = 0; i < 10; ++i)
    product *= 1000000;
  EXPECT_EQ(product.get(), kMost);
  EXPECT_GT(product, 4096);
}
