//===- WidePairsTest.cpp - Pairs of weights whose sums need 32 bits -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/IntegerDot/WidePairs.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace onnxc;

namespace {

/// Whether a sum of two products with unsigned bytes leaves 16 bits.
bool overflows(int first, int second) {
  auto [low, high] =
      std::minmax({0, 255 * first, 255 * second, 255 * (first + second)});
  return low < INT16_MIN || high > INT16_MAX;
}

// Every pair, as the first and as the second one of a dot product.
TEST(WidePairs, AreThoseThatOverflow) {
  for (int first = -128; first < 128; ++first)
    for (int second = -128; second < 128; ++second) {
      const char a = char(first), b = char(second);
      WidePairs pairs = findWidePairs({a, b, 0, 0, 0, 0, a, b}, /*width=*/1);
      ASSERT_EQ(pairs.wide.size(), 2u);
      EXPECT_EQ(pairs.wide[0] != 0, overflows(first, second))
          << first << ", " << second;
      EXPECT_EQ(pairs.wide[1], pairs.wide[0]) << first << ", " << second;
    }
}

// One column is enough, and neighbours of different pairs are none.
TEST(WidePairs, AreOfAnyColumn) {
  WidePairs pairs = findWidePairs(
      {1, 100, 100, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 100, 100}, /*width=*/2);
  EXPECT_EQ(pairs.wide.size(), 2u);
  EXPECT_FALSE(pairs.wide[0]);
  EXPECT_TRUE(pairs.wide[1]);
  EXPECT_EQ(pairs.count, 1);
  EXPECT_FALSE(pairs.isWorthwhile());
}

} // namespace
