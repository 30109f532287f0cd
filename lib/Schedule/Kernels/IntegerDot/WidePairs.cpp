//===- WidePairs.cpp - Pairs of weights whose sums need 32 bits -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vpmaddubsw multiplies unsigned bytes by signed ones and adds two products to
// a sum of 16 bits, which saturates. Of a weight of each sign the products
// cancel; of two of one sign the sum of x0 * w0 + x1 * w1 is at most
// 255 * (w0 + w1), which 16 bits hold up to 128.
//
//===----------------------------------------------------------------------===//

#include "WidePairs.h"

using namespace onnxc;

static constexpr int64_t kGroup = 4;

static bool isWide(int8_t first, int8_t second) {
  return (first < 0) == (second < 0) && std::abs(first + second) > 128;
}

WidePairs onnxc::findWidePairs(llvm::ArrayRef<char> packed, int64_t width) {
  WidePairs pairs;
  int64_t size = width * kGroup;
  for (int64_t at = 0, e = packed.size(); at < e; at += size) {
    bool isAny = false;
    for (int64_t i = at; i < at + size; i += 2)
      isAny |= isWide(packed[i], packed[i + 1]);
    pairs.wide.push_back(isAny);
    pairs.count += isAny;
  }
  return pairs;
}

bool WidePairs::isWorthwhile() const {
  // A dot product that splits bytes for itself takes nearly twice the
  // instructions; from an image of 16-bit numbers all would take a third more.
  return count * 3 <= int64_t(wide.size());
}
