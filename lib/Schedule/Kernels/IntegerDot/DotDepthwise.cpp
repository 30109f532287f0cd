//===- DotDepthwise.cpp - Windows of one channel --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes are channels, so that an instruction for the dot product of four bytes,
// or of two 16-bit numbers, has one number to multiply. Where several taps read
// each pixel, it gets those of several rows of the window: the pixels below
// each other are put together once and multiplied by the weights of all taps of
// these rows.
//
//===----------------------------------------------------------------------===//

#include "DotLoops.h"
#include "Kernels/QuantizedFactor.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;

/// What several of them read is loaded once.
Readers DotLoops::findReaders(int64_t rows) {
  const LoopOperand &image = operands.front();
  int64_t extent = taps.empty() ? 1 : taps.back().extent;
  std::optional<int64_t> perRow = getConstantIntValue(
                             image.step[extents.size() - 1]),
                         perTap = taps.empty()
                                      ? 0
                                      : getConstantIntValue(taps.back().image);
  Readers readers;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t t = 0; t < extent; ++t) {
      std::pair<int64_t, int64_t> key(r, t);
      if (perRow && perTap)
        key = {*perRow * r + *perTap * t, 0};
      readers[key].push_back({r, t});
    }
  return readers;
}

/// How many rows of a window are multiplied at once.
int64_t DotLoops::countStacked(int64_t rows) {
  bool dots = findDotBytes();
  if (!dots && (op.getImageSigned() ||
                !findInstruction(target, Capability::MultiplyPairs, 4 * lanes)))
    return 1;
  Readers readers = findReaders(rows);
  // A row more costs each place a shift and a combination, and saves each
  // reader a product and, if that is an instruction of its own, a sum.
  int64_t saved = rows * taps.back().extent * (dots ? 1 : 2);
  if (saved <= 2 * int64_t(readers.size()))
    return 1;
  int64_t most = dots && filter.element.isInteger(8) ? 4 : 2,
          extent = taps[taps.size() - 2].extent;
  // Of about equal size.
  return llvm::divideCeil(extent, llvm::divideCeil(extent, most));
}

/// Numbers `next` apart, from the low bits of each lane on: bytes of as many,
/// or 16 bits of two.
Value DotLoops::loadStack(const FlatBuffer &from, OpFoldResult at,
                          OpFoldResult next, int64_t stacked, int64_t live,
                          bool isUnsigned) {
  VectorType words = vectorOf(b.getI32Type(), lanes);
  bool areBytes = findDotBytes() && filter.element.isInteger(8);
  Value all;
  for (int64_t i = 0; i < stacked; ++i) {
    Value part = load(from, index.add(at, index.mul(next, i)), lanes, live);
    if (!areBytes && from.element.isInteger(8))
      part = extendBytes(b, loc, vectorOf(b.getI16Type(), lanes), part,
                         isUnsigned);
    part = arith::ExtUIOp::create(b, loc, words, part);
    if (i == 0) {
      all = part;
      continue;
    }
    int32_t bits = int32_t(i) * (areBytes ? 8 : 16);
    Value shift = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(bits)));
    part = arith::ShLIOp::create(b, loc, part, shift);
    all = arith::OrIOp::create(b, loc, all, part);
  }
  return all;
}

/// All rows of the windows.
SmallVector<Value> DotLoops::sumStacked(const Place &place, int64_t rows,
                                        int64_t live, ValueRange sums) {
  const Tap &tap = taps[taps.size() - 2];
  int64_t stacked = countStacked(rows), whole = tap.extent / stacked * stacked;
  auto multiply = [&](int64_t count) {
    return [&, count](OpFoldResult at, ValueRange carried) {
      return multiplyDepthwise(step(place, tap, at), rows, count, live,
                               carried);
    };
  };
  SmallVector<Value> results =
      carryLoop(index, index.constant(0), index.constant(whole), stacked, sums,
                multiply(stacked));
  return carryLoop(index, index.constant(whole), index.constant(tap.extent),
                   stacked, results, multiply(tap.extent - whole));
}

/// The taps of `stacked` rows of a window, for all rows of the tile: what
/// several of them read is used up before the next is.
SmallVector<Value> DotLoops::multiplyDepthwise(const Place &place, int64_t rows,
                                               int64_t stacked, int64_t live,
                                               ValueRange sums) {
  const LoopOperand &image = operands.front();
  Tap tap = taps.empty() ? Tap{1, index.constant(0), 0} : taps.back(),
      below = stacked > 1 ? taps[taps.size() - 2] : tap;
  OpFoldResult step = image.step[extents.size() - 1];
  VectorType words = vectorOf(b.getI32Type(), lanes);
  bool dots = findDotBytes();
  // Alone, an unsigned byte is a pair of it and 0, which takes less time than a
  // product of 32 bits.
  bool asPairs =
      stacked > 1 ||
      (!op.getImageSigned() &&
       findInstruction(target, Capability::MultiplyPairs, 4 * lanes));
  SmallVector<Value> weights, results(sums);
  for (int64_t t = 0; t < tap.extent; ++t) {
    OpFoldResult at = index.add(place.filter, index.constant(t * tap.filter));
    weights.push_back(
        stacked > 1
            ? loadStack(filter, at, index.constant(below.filter), stacked, live,
                        /*isUnsigned=*/false)
            : arith::ExtSIOp::create(b, loc, words,
                                     load(filter, at, lanes, live)));
  }
  for (const auto &[key, readers] : findReaders(rows)) {
    auto [row, at] = readers.front();
    OpFoldResult ofRow = index.mul(step, row),
                 offset = index.add(ofRow, index.mul(tap.image, at)),
                 from = index.add(place.base[0], offset);
    // Alone, a dot product takes a byte and three zeros.
    Value pixel =
        stacked > 1 ? loadStack(image, from, below.image, stacked, live,
                                !op.getImageSigned())
                    : extendBytes(b, loc, words, load(image, from, lanes, live),
                                  !op.getImageSigned() || dots);
    for (auto [r, t] : readers) {
      if (dots) {
        results[r] = dotBytes(results[r], pixel, weights[t]);
        continue;
      }
      Value product;
      if (asPairs) {
        VectorType halves = vectorOf(b.getI16Type(), 2 * lanes);
        auto split = [&](Value value) -> Value {
          return vector::BitCastOp::create(b, loc, halves, value);
        };
        Value pixels = split(pixel);
        product = multiplyPairs(pixels, split(weights[t]));
      } else {
        product = arith::MulIOp::create(b, loc, pixel, weights[t]);
      }
      results[r] = arith::AddIOp::create(b, loc, results[r], product);
    }
  }
  return results;
}
