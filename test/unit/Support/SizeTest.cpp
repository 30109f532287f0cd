//===- SizeTest.cpp - Numbers with symbols in them ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Size.h"

#include <gtest/gtest.h>

#include <limits>

using namespace onnxc;

namespace {

const Size n = Size::symbol("n"), s = Size::symbol("s");

TEST(Size, Polynomials) {
  Size sum = n * s * 4 + n * 2 - n * s * 4 + 3;
  EXPECT_EQ(sum.print(), "2*n + 3");
  EXPECT_EQ((n * s * 4 + n * n * 768).printRounded(), "768 n² + 4 n s");
  EXPECT_EQ((n - n).getNumber(), 0);
  EXPECT_TRUE(n * s == s * n);
  EXPECT_FALSE((n - 1).isNonNegative());
  EXPECT_EQ((n * s * 2 + 1).estimate(10), 201);
}

TEST(Size, Quotients) {
  EXPECT_EQ((n * s * 768).floorDiv(n * 64).print(), "12*s");
  EXPECT_EQ((n - 1).floorDiv(2).print(), "floor((n - 1)/2)");
  EXPECT_EQ(Size(-7).floorDiv(2).getNumber(), -4);
  EXPECT_EQ(Size(7).ceilDiv(2).getNumber(), 4);
  EXPECT_TRUE(n.floorDiv(0).isUnknown());
  EXPECT_TRUE(n.floorDiv(n + 1).isUnknown());
}

TEST(Size, Bounds) {
  EXPECT_TRUE(Size::max(n, 1) == n);
  EXPECT_EQ(Size::min(0, n).getNumber(), 0);
  EXPECT_EQ(Size::min(n, 512).print(), "min(n, 512)");
  EXPECT_EQ(Size::max(3, 5).getNumber(), 5);
}

TEST(Size, Unknown) {
  EXPECT_TRUE((Size() + 1).isUnknown());
  EXPECT_TRUE((Size() * 0).isUnknown());
  EXPECT_FALSE(Size() == Size());
  Size most = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE((most + 1).isUnknown());
  EXPECT_TRUE((most * n * 2).isUnknown());
  EXPECT_EQ(Size().print(), "?");
}

TEST(Size, Rounded) {
  EXPECT_EQ(printRounded(999), "999");
  EXPECT_EQ(printRounded(1250), "1.25 k");
  EXPECT_EQ(printRounded(999600), "1.00 M");
  EXPECT_EQ(printRounded(4.09e9), "4.09 G");
}

} // namespace
