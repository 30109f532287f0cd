//===- TransposeSquare.cpp - Transposing in registers ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeSquare.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

/// What one instruction of any processor shuffles.
static constexpr int64_t kPartBytes = 16;

/// The lanes of a pair of vectors whose halves of each part are interleaved, by
/// `step` elements at a time; the second vector's are counted on.
static void interleave(int64_t lanes, int64_t part, int64_t step,
                       SmallVectorImpl<int64_t> &low,
                       SmallVectorImpl<int64_t> &high) {
  for (int64_t from = 0; from < lanes; from += part)
    for (int64_t at = 0; at < part / 2; at += step)
      for (int64_t vector : {int64_t(0), lanes})
        for (int64_t l = 0; l < step; ++l) {
          low.push_back(vector + from + at + l);
          high.push_back(vector + from + part / 2 + at + l);
        }
}

/// Swaps blocks of `step` elements that lie across the diagonal.
static void swapBlocks(int64_t lanes, int64_t step,
                       SmallVectorImpl<int64_t> &low,
                       SmallVectorImpl<int64_t> &high) {
  for (int64_t l = 0; l < lanes; ++l) {
    bool isUpper = l & step;
    low.push_back(isUpper ? lanes + l - step : l);
    high.push_back(isUpper ? lanes + l : l + step);
  }
}

/// Within parts, rows are interleaved, which is one instruction for elements of
/// any size; then blocks as wide as a part are swapped.
SmallVector<Value> onnxc::transposeSquare(IndexMath &index,
                                          SmallVector<Value> rows) {
  auto type = cast<VectorType>(rows.front().getType());
  int64_t lanes = type.getNumElements();
  int64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  int64_t part = std::min(lanes, kPartBytes / bytes);
  // no overflow: at most the lanes of a vector
  for (int64_t step = 1; step < lanes; step *= 2) {
    SmallVector<int64_t> low, high;
    if (step < part)
      interleave(lanes, part, step, low, high);
    else
      swapBlocks(lanes, step, low, high);
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & step)
        continue;
      Value x = rows[i], y = rows[i + step];
      rows[i] = vector::ShuffleOp::create(index.b, index.loc, x, y, low);
      rows[i + step] =
          vector::ShuffleOp::create(index.b, index.loc, x, y, high);
    }
  }
  // Interleaving leaves rows where their numbers' bits are the other way round.
  SmallVector<Value> columns(lanes);
  for (auto [i, row] : llvm::enumerate(rows)) {
    int64_t to = i / part * part, bit = part;
    for (int64_t rest = i % part; rest != 0; rest /= 2) {
      bit /= 2;
      to += rest % 2 * bit;
    }
    columns[to] = row;
  }
  return columns;
}
