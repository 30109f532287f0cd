//===- DotBlocks.cpp - Dot products of several channels at once -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of the image has the channels of several dot products. Either each
// product takes its four bytes of the vector, or eight channels of two rows are
// multiplied by those of two columns.
//
//===----------------------------------------------------------------------===//

#include "DotLoops.h"

#include "onnxc/Target/Instructions.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;

/// As many dot products as a vector of the image has bytes for.
SmallVector<Value> DotLoops::multiplyElements(const Place &place, int64_t rows,
                                              int64_t vectors,
                                              ValueRange sums) {
  const FlatBuffer &image = operands.front();
  VectorType bytes = vectorOf(b.getI8Type(), 4 * lanes),
             words = vectorOf(b.getI32Type(), lanes);
  SmallVector<Value> pixels, results(sums);
  for (int64_t r = 0; r < rows; ++r) {
    Value all = load(image, placeOfRow(place, r), 4 * lanes, 4 * lanes);
    pixels.push_back(vector::BitCastOp::create(b, loc, words, all));
  }
  for (int64_t part = 0; part < lanes; ++part) {
    Place here = step(place, taps.back(), index.constant(part));
    SmallVector<Value> columns;
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(loadWeights(here, v));
    SmallVector<int64_t> lane(lanes, part);
    for (int64_t r = 0; r < rows; ++r) {
      Value four =
          vector::ShuffleOp::create(b, loc, pixels[r], pixels[r], lane);
      Value all = vector::BitCastOp::create(b, loc, bytes, four);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = results[r * vectors + v];
        sum = dotBytes(sum, all, columns[v]);
      }
    }
  }
  return results;
}

/// Eight channels of two rows in each vector, for all pairs of rows.
SmallVector<Value> DotLoops::loadBlocks(const Place &place, int64_t rows) {
  const FlatBuffer &image = operands.front();
  auto both = llvm::to_vector(llvm::seq<int64_t>(0, 16));
  SmallVector<Value> blocks;
  for (int64_t r = 0; r < rows; r += 2) {
    Value first = load(image, placeOfRow(place, r), 8, 8);
    Value second = load(image, placeOfRow(place, r + 1), 8, 8);
    blocks.push_back(vector::ShuffleOp::create(b, loc, first, second, both));
  }
  return blocks;
}

/// The products of eight channels, of pairs of rows by pairs of columns. Two
/// vectors of weights have four channels of four columns each, and become eight
/// channels of two and two columns.
SmallVector<Value> DotLoops::multiplyBlocks(const Place &place, int64_t rows,
                                            int64_t vectors, ValueRange sums) {
  const Instruction &multiply = *findMultiplyBlocks(op, target);
  VectorType bytes = vectorOf(b.getI8Type(), 4 * lanes),
             words = vectorOf(b.getI32Type(), lanes);
  SmallVector<Value> results(sums), pixels = loadBlocks(place, rows);
  Place next = step(place, taps.back(), index.constant(1));
  for (int64_t v = 0; v < vectors; ++v) {
    Value first =
        vector::BitCastOp::create(b, loc, words, loadWeights(place, v));
    Value second =
        vector::BitCastOp::create(b, loc, words, loadWeights(next, v));
    for (int64_t half = 0; half < 2; ++half) {
      int64_t lane = 2 * half;
      Value joined = vector::ShuffleOp::create(
          b, loc, first, second,
          ArrayRef<int64_t>{lane, lanes + lane, lane + 1, lanes + lane + 1});
      Value columns = vector::BitCastOp::create(b, loc, bytes, joined);
      for (int64_t r = 0; r < rows; r += 2) {
        Value &sum = results[(r + half) * vectors + v];
        sum = callInstruction(b, loc, multiply, words,
                              {sum, pixels[r / 2], columns});
      }
    }
  }
  return results;
}

/// Two columns of two rows where there were four columns of one, and back: of
/// rows r and r + 1 the first has the first two columns.
SmallVector<Value> DotLoops::exchangeHalves(int64_t rows, int64_t vectors,
                                            ValueRange sums) {
  SmallVector<Value> results(sums);
  for (int64_t r = 0; r < rows; r += 2)
    for (int64_t v = 0; v < vectors; ++v) {
      Value &first = results[r * vectors + v],
            &second = results[(r + 1) * vectors + v];
      Value low = vector::ShuffleOp::create(b, loc, first, second,
                                            ArrayRef<int64_t>{0, 1, 4, 5});
      second = vector::ShuffleOp::create(b, loc, first, second,
                                         ArrayRef<int64_t>{2, 3, 6, 7});
      first = low;
    }
  return results;
}

/// All channels of a pixel: by vectors of them, then what is left. Of two rows
/// two dot products are done at once.
SmallVector<Value> DotLoops::sumChannels(const Place &place, int64_t rows,
                                         int64_t vectors, ValueRange sums) {
  const Tap &tap = taps.back();
  int64_t whole = tap.extent / lanes * lanes;
  bool blocks = usesBlocks(rows);
  SmallVector<Value> results =
      carryLoop(index, index.constant(0), index.constant(whole), lanes, sums,
                [&](OpFoldResult at, ValueRange carried) {
                  Place here = step(place, tap, at);
                  fetch(here, rows);
                  if (!blocks)
                    return multiplyElements(here, rows, vectors, carried);
                  SmallVector<Value> next(carried);
                  for (int64_t part = 0; part < lanes; part += 2)
                    next = multiplyBlocks(step(here, tap, index.constant(part)),
                                          rows, vectors, next);
                  return next;
                });
  return carryLoop(index, index.constant(whole), index.constant(tap.extent),
                   blocks ? 2 : 1, results,
                   [&](OpFoldResult at, ValueRange carried) {
                     Place here = step(place, tap, at);
                     return blocks
                                ? multiplyBlocks(here, rows, vectors, carried)
                                : multiplyDots(here, rows, vectors, carried);
                   });
}
