//===- ShapeTextTest.cpp - Types of tensors in messages -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

/// What is written into a buffer of `size`. The bytes around it are to stay.
std::string shapeText(size_t size, const std::vector<int64_t> &dims,
                      const std::vector<const char *> &symbols = {},
                      int32_t rank = -2) {
  constexpr size_t around = 512;
  constexpr char filler = '#';
  std::string memory(around + size + around, filler);
  onnxc_rt_shape_text(&memory[around], size, ONNXC_FLOAT,
                      rank == -2 ? int32_t(dims.size()) : rank, dims.data(),
                      symbols.empty() ? nullptr : symbols.data());
  EXPECT_EQ(memory.substr(0, around), std::string(around, filler));
  EXPECT_EQ(memory.substr(around + size), std::string(around, filler));
  return memory.c_str() + around;
}

TEST(ShapeText, SaysTypeAndSizes) {
  EXPECT_EQ(shapeText(256, {}), "float []");
  EXPECT_EQ(shapeText(256, {7}), "float [7]");
  EXPECT_EQ(shapeText(256, {2, -1, 30}), "float [2, -1, 30]");
  EXPECT_EQ(shapeText(256, {-1, 4, -1, -1}, {"n", "m", "", nullptr}),
            "float [n, 4, ?, ?]");
  EXPECT_EQ(shapeText(256, {}, {}, -1), "float of rank -1");
  EXPECT_EQ(shapeText(256, {}, {}, ONNXC_MAX_RANK + 1),
            "float of rank " + std::to_string(ONNXC_MAX_RANK + 1));
}

// A buffer of any size has the beginning of the text, and nothing is written
// outside of it: a symbol of the model may be as long as it likes.
TEST(ShapeText, EndsWhereTheBufferDoes) {
  std::string symbol(300, 's');
  std::vector<int64_t> open = {-1, 12, -1}, fixed = {123456, 7, 890};
  std::vector<const char *> names = {symbol.c_str(), "", "batch"};
  std::string named = "float [" + symbol + ", 12, batch]",
              numbers = "float [123456, 7, 890]";
  EXPECT_EQ(shapeText(512, open, names), named);
  for (size_t size = 1; size <= named.size() + 1; ++size)
    EXPECT_EQ(shapeText(size, open, names), named.substr(0, size - 1));
  for (size_t size = 1; size <= numbers.size() + 1; ++size)
    EXPECT_EQ(shapeText(size, fixed), numbers.substr(0, size - 1));
}

} // namespace
