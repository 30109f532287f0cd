//===- WinogradTransforms.cpp - Of pixels and of weights ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lies around the image becomes zeros in a strip of rows that is copied
// for the transform.
//
//===----------------------------------------------------------------------===//

#include "WinogradLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

/// The rows of a block of channels that a part of a row of squares reads, with
/// zeros around the image.
void WinogradLoops::copyStrip(const RowPart &part, OpFoldResult tap,
                              OpFoldResult block, Value strip) {
  const Axis &row = axes[kRow], &column = axes[kColumn], &depth = axes[kDepth];
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  OpFoldResult width =
      index.add(index.mul(index.sub(part.high, part.low), kOutputs),
                index.constant(kTaps - 1));
  // Where the strip begins in the image, which begins and ends in it.
  OpFoldResult left =
      index.sub(index.mul(part.low, kOutputs), index.constant(column.before));
  OpFoldResult begin =
      index.max(index.constant(0), index.sub(index.constant(0), left));
  begin = index.min(begin, width);
  OpFoldResult end = index.min(width, index.sub(column.in, left));
  end = index.max(begin, end);
  OpFoldResult from = index.mul(part.batch, image.strides[0]);
  from = index.add(from, index.mul(block, imageBlock));
  from = index.add(from, index.mul(left, column.ofImage));
  OpFoldResult slice =
      index.sub(index.add(part.slice, tap), index.constant(depth.before));
  from = index.add(from, index.mul(slice, depth.ofImage));
  Value isSlice;
  if (depth.isClipped)
    isSlice = compare(arith::CmpIPredicate::ult, slice, depth.in);
  OpFoldResult first =
      index.sub(index.mul(part.row, kOutputs), index.constant(row.before));
  overRange(index.constant(stripRows), [&](OpFoldResult number) {
    OpFoldResult y = index.add(first, number),
                 to = index.mul(number, stripColumns * lanes);
    auto fill = [&](OpFoldResult low, OpFoldResult high) {
      overRange(low, high, [&](OpFoldResult x) {
        store(zero, strip, index.add(to, index.mul(x, lanes)));
      });
    };
    // Rows above the image count as very large.
    Value isPixels = compare(arith::CmpIPredicate::ult, y, row.in);
    if (isSlice)
      isPixels = arith::AndIOp::create(b, loc, isPixels, isSlice);
    auto choice = scf::IfOp::create(b, loc, isPixels, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    fill(index.constant(0), begin);
    OpFoldResult source = index.add(from, index.mul(y, row.ofImage));
    overRange(begin, end, [&](OpFoldResult x) {
      Value pixel =
          loadVector(image, index.add(source, index.mul(x, column.ofImage)));
      store(pixel, strip, index.add(to, index.mul(x, lanes)));
    });
    fill(end, width);
    b.setInsertionPointToStart(choice.elseBlock());
    fill(index.constant(0), width);
  });
}

/// Transforms the pixels that squares of a row read, of one share of the
/// channels: [shares, 36, squares of the run, channels of the share].
void WinogradLoops::transformSquares(const Run &run, const RowPart &part,
                                     OpFoldResult share) {
  Value strip = makeScratch(stripRows * stripColumns * lanes);
  int64_t ofPlace = pixelsOfPlace();
  OpFoldResult first = index.mul(share, kPlacesOfSquare * ofPlace);
  OpFoldResult place = index.sub(index.add(part.start, part.low), run.first);
  first = index.add(first, index.mul(place, channelsPerSquare));
  Share ofChannels = shareOf(share);
  overRange(index.constant(channelsPerSquare / lanes), [&](OpFoldResult own) {
    OpFoldResult block = index.add(ofChannels.block, own);
    copyStrip(part, ofChannels.slice, block, strip);
    overRange(index.sub(part.high, part.low), [&](OpFoldResult square) {
      SmallVector<Value> places;
      OpFoldResult from = index.mul(square, kOutputs * lanes);
      for (int64_t y = 0; y < kPoints; ++y)
        for (int64_t x = 0; x < kPoints; ++x)
          places.push_back(load(
              strip,
              index.add(from, index.constant((y * stripColumns + x) * lanes))));
      OpFoldResult to = index.add(first, index.mul(square, channelsPerSquare));
      to = index.add(to, index.mul(own, lanes));
      const Matrix &matrix = MinimalFiltering::get().image;
      for (auto [i, place] : llvm::enumerate(emitTwice(b, loc, matrix, places)))
        store(place, pixels,
              index.add(to, index.constant(int64_t(i) * ofPlace)));
    });
  });
}

/// Squares behind the last one are multiplied with it. What would lie there
/// could be slow to multiply: subnormal numbers.
void WinogradLoops::clearSquares(OpFoldResult from, OpFoldResult to,
                                 OpFoldResult share) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  int64_t ofPlace = pixelsOfPlace();
  OpFoldResult low = index.mul(from, channelsPerSquare),
               high = index.mul(to, channelsPerSquare);
  overRange(index.constant(kPlacesOfSquare), [&](OpFoldResult place) {
    OpFoldResult start =
        index.mul(index.add(index.mul(share, kPlacesOfSquare), place), ofPlace);
    carryLoop(index, low, high, lanes, {},
              [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
                store(zero, pixels, index.add(start, at));
                return {};
              });
  });
}

/// Transforms the pixels of some consecutive squares of a run.
void WinogradLoops::transformPiece(const Run &run, OpFoldResult piece,
                                   OpFoldResult share) {
  OpFoldResult from = index.mul(piece, perPiece),
               to = index.add(from, index.constant(perPiece));
  std::optional<int64_t> count = getConstantIntValue(run.count);
  OpFoldResult end = to;
  if (!count || *count % perPiece != 0)
    end = index.min(to, run.count);
  OpFoldResult firstSquare = index.add(run.first, from);
  overRows(firstSquare, index.add(run.first, end),
           [&](const RowPart &part) { transformSquares(run, part, share); });
  if (count)
    return;
  OpFoldResult firstClear = index.max(from, run.count);
  clearSquares(firstClear, index.min(to, countMultiplied(run)), share);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Transforms the weights of a panel for one share of the channels:
/// [36, channels of the share, filters of the panel] from `at` on.
void WinogradLoops::transformWeights(const Panel &panel, OpFoldResult share,
                                     OpFoldResult at) {
  int64_t width = panel.vectors * lanes;
  Share ofChannels = shareOf(share);
  overRange(index.constant(depth), [&](OpFoldResult own) {
    OpFoldResult channel = index.add(ofChannels.first, own);
    int64_t perBlock = channelBlocks * lanes;
    OpFoldResult block = index.floorDiv(channel, perBlock),
                 inBlock = index.sub(channel, index.mul(block, perBlock));
    OpFoldResult from = startOfPanel(panel.number);
    from = index.add(from, index.mul(block, filterBlock));
    from = index.add(from, index.mul(inBlock, filterChannel));
    from = index.add(from, index.mul(ofChannels.slice, axes[kDepth].ofFilter));
    for (int64_t j = 0; j < panel.vectors; ++j) {
      OpFoldResult start =
          index.add(from, index.add(index.mul(filterPanel, j / packedVectors),
                                    index.constant(j % packedVectors * lanes)));
      SmallVector<Value> taps;
      for (int64_t y = 0; y < kTaps; ++y)
        for (int64_t x = 0; x < kTaps; ++x) {
          OpFoldResult tap = index.mul(axes[kRow].ofFilter, y);
          tap = index.add(tap, index.mul(axes[kColumn].ofFilter, x));
          Value w = loadVector(filter, index.add(start, tap));
          if (!filter.element.isF32())
            w = arith::ExtFOp::create(b, loc, vectorType, w);
          taps.push_back(w);
        }
      OpFoldResult to = index.add(
          at, index.add(index.mul(own, width), index.constant(j * lanes)));
      const Matrix &matrix = MinimalFiltering::get().filter;
      for (auto [i, place] : llvm::enumerate(emitTwice(b, loc, matrix, taps)))
        store(place, weights,
              index.add(to, index.constant(int64_t(i) * weightsOf(panel))));
    }
  });
}
