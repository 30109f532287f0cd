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

#include "ConvWinograd.h"
#include "WinogradSchedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;
using namespace onnxc::winograd;

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

/// The rows of a block of channels that a part of a row of squares reads, with
/// zeros around the image.
void ConvWinograd::copyStrip(const RowPart &part, const Share &share,
                             OpFoldResult block, Value strip) {
  int64_t outputs = filtering.columns.outputs;
  const Axis &row = axes[kRow], &column = axes[kColumn], &depth = axes[kDepth];
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  OpFoldResult width =
      index.add(index.mul(index.sub(part.high, part.low), outputs),
                index.constant(filtering.columns.taps - 1));
  // Where the strip begins in the image, which begins and ends in it.
  OpFoldResult left =
      index.sub(index.add(index.mul(part.low, outputs), share.tap[kColumn]),
                index.constant(column.before));
  OpFoldResult begin =
      index.max(index.constant(0), index.sub(index.constant(0), left));
  begin = index.min(begin, width);
  OpFoldResult end = index.min(width, index.sub(column.in, left));
  end = index.max(begin, end);
  OpFoldResult from = index.mul(part.batch, image.strides[0]);
  from = index.add(from, index.mul(block, imageBlock));
  from = index.add(from, index.mul(left, column.ofImage));
  OpFoldResult slice = index.sub(index.add(part.slice, share.tap[kDepth]),
                                 index.constant(depth.before));
  from = index.add(from, index.mul(slice, depth.ofImage));
  Value isSlice;
  if (depth.isClipped)
    isSlice = compare(arith::CmpIPredicate::ult, slice, depth.in);
  OpFoldResult first = index.sub(
      index.add(index.mul(part.row, filtering.rows.outputs), share.tap[kRow]),
      index.constant(row.before));
  overRange(index.constant(filtering.rows.points()), [&](OpFoldResult number) {
    OpFoldResult y = index.add(first, number),
                 to = index.mul(number, stripColumns * lanes);
    auto fill = [&](OpFoldResult low, OpFoldResult high) {
      overRange(low, high, [&](OpFoldResult x) {
        storeBlock(zero, strip, index.add(to, index.mul(x, lanes)));
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
      storeBlock(pixel, strip, index.add(to, index.mul(x, lanes)));
    });
    fill(end, width);
    b.setInsertionPointToStart(choice.elseBlock());
    fill(index.constant(0), width);
  });
}

/// Transforms the pixels that squares of a row read, of one share of a group's
/// channels: [shares, places, squares of the run, channels of the share].
void ConvWinograd::transformSquares(const Run &run, const RowPart &part,
                                    OpFoldResult group, OpFoldResult share) {
  Value strip = makeScratch(filtering.rows.points() * stripColumns * lanes);
  int64_t ofPlace = pixelsOfPlace();
  OpFoldResult first = index.mul(share, places * ofPlace);
  OpFoldResult place = index.sub(index.add(part.start, part.low), run.first);
  first = index.add(first, index.mul(place, channelsPerSquare));
  Share ofChannels = shareOf(share);
  overRange(index.constant(channelsPerSquare / lanes), [&](OpFoldResult own) {
    OpFoldResult block = index.add(ofChannels.block, own);
    block = index.add(block, index.mul(group, channels / lanes));
    copyStrip(part, ofChannels, block, strip);
    overRange(index.sub(part.high, part.low), [&](OpFoldResult square) {
      SmallVector<Value> read;
      OpFoldResult from = index.mul(square, filtering.columns.outputs * lanes);
      for (int64_t y = 0; y < filtering.rows.points(); ++y)
        for (int64_t x = 0; x < filtering.columns.points(); ++x)
          read.push_back(loadBlock(
              strip,
              index.add(from, index.constant((y * stripColumns + x) * lanes))));
      OpFoldResult to = index.add(first, index.mul(square, channelsPerSquare));
      to = index.add(to, index.mul(own, lanes));
      for (auto [i, place] : llvm::enumerate(emitTwice(
               b, loc, filtering.rows.image, filtering.columns.image, read)))
        storeBlock(place, pixels,
                   index.add(to, index.constant(int64_t(i) * ofPlace)));
    });
  });
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Where the weights of a tap of a share lie, `start` being the place of the
/// window's first tap. Behind the last tap of the window, `isTap` becomes what
/// says so, and the place is that of the last one.
OpFoldResult ConvWinograd::placeOfTap(OpFoldResult start, const Share &share,
                                      int64_t row, int64_t column,
                                      Value &isTap) {
  int64_t own[] = {0, row, column},
          taken[] = {1, filtering.rows.taps, filtering.columns.taps};
  for (AxisName a : {kDepth, kRow, kColumn}) {
    OpFoldResult tap = index.add(share.tap[a], index.constant(own[a]));
    if (parts[a] * taken[a] > axes[a].taps) {
      OpFoldResult last = index.constant(axes[a].taps - 1);
      Value isOfAxis = compare(arith::CmpIPredicate::ule, tap, last);
      isTap = isTap ? arith::AndIOp::create(b, loc, isTap, isOfAxis).getResult()
                    : isOfAxis;
      tap = index.min(tap, last);
    }
    start = index.add(start, index.mul(tap, axes[a].ofFilter));
  }
  return start;
}

/// The weights of a tap, zeros behind the last one of the window.
Value ConvWinograd::loadTap(OpFoldResult start, const Share &share, int64_t row,
                            int64_t column) {
  Value isTap;
  Value taps = loadVector(filter, placeOfTap(start, share, row, column, isTap));
  if (!filter.element.isF32())
    taps = arith::ExtFOp::create(b, loc, vectorType, taps);
  if (!isTap)
    return taps;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  return arith::SelectOp::create(b, loc, isTap, taps, zero);
}

bool ConvWinograd::areWeightsFar() {
  auto type = cast<MemRefType>(op.getFilter().getType());
  return type.getNumElements() * int64_t(sizeof(float)) >
         kNearWeightBytes; // no overflow: a constant's
}

/// Fetches a part of the weights behind those of `share`, the next ones that
/// this thread transforms, where they come from memory and lie there as they
/// are read: while the products of a place are made, since a transform is too
/// short to wait for memory.
void ConvWinograd::prefetchNextShare(const Panel &panel, OpFoldResult share,
                                     OpFoldResult place) {
  if (schedule.getWeightsFirst() || !areWeightsFar() ||
      llvm::product_of(parts) > 1 || panel.vectors != packedVectors ||
      depth % (channelBlocks * lanes) != 0)
    return;
  int64_t elements = depth * filtering.taps() * panel.vectors * lanes,
          perLine = kCacheLine * 8 / filter.element.getIntOrFloatBitWidth(),
          lines = llvm::divideCeil(elements, perLine * places);
  OpFoldResult from = startOfPanel(panelOf(panel)),
               next = index.add(share, index.constant(1));
  from = index.add(from, index.mul(next, elements));
  from = index.add(from, index.mul(place, lines * perLine));
  for (int64_t i = 0; i < lines; ++i)
    prefetch(filter, index.add(from, index.constant(i * perLine)), 2);
}

/// Fetches the same taps of the next block of channels, where weights come from
/// memory: a part of a window is not what follows there.
void ConvWinograd::prefetchTaps(OpFoldResult start, const Share &share) {
  if (!areWeightsFar() || parts[kRow] * parts[kColumn] == 1)
    return;
  start = index.add(start, filterBlock);
  for (int64_t y = 0; y < filtering.rows.taps; ++y)
    for (int64_t x = 0; x < filtering.columns.taps; ++x) {
      Value isTap;
      prefetch(filter, placeOfTap(start, share, y, x, isTap), 2);
    }
}

/// Transforms the weights of a panel for one share of the channels:
/// [places, channels of the share, filters of the panel] from `at` on.
void ConvWinograd::transformWeights(const Panel &panel, OpFoldResult share,
                                    OpFoldResult at) {
  int64_t width = panel.vectors * lanes;
  Share ofChannels = shareOf(share);
  overRange(index.constant(depth), [&](OpFoldResult own) {
    OpFoldResult channel = index.add(ofChannels.first, own);
    int64_t perBlock = channelBlocks * lanes;
    OpFoldResult block = index.floorDiv(channel, perBlock),
                 inBlock = index.sub(channel, index.mul(block, perBlock));
    OpFoldResult from = startOfPanel(panelOf(panel));
    from = index.add(from, index.mul(block, filterBlock));
    from = index.add(from, index.mul(inBlock, filterChannel));
    for (int64_t j = 0; j < panel.vectors; ++j) {
      OpFoldResult start =
          index.add(from, index.add(index.mul(filterPanel, j / packedVectors),
                                    index.constant(j % packedVectors * lanes)));
      if (j * lanes % (kCacheLine / sizeof(float)) == 0)
        prefetchTaps(start, ofChannels);
      SmallVector<Value> taps;
      for (int64_t y = 0; y < filtering.rows.taps; ++y)
        for (int64_t x = 0; x < filtering.columns.taps; ++x)
          taps.push_back(loadTap(start, ofChannels, y, x));
      OpFoldResult to = index.add(
          at, index.add(index.mul(own, width), index.constant(j * lanes)));
      for (auto [i, place] : llvm::enumerate(emitTwice(
               b, loc, filtering.rows.filter, filtering.columns.filter, taps)))
        storeBlock(
            place, weights,
            index.add(to, index.constant(int64_t(i) * weightsOf(panel))));
    }
  });
}
