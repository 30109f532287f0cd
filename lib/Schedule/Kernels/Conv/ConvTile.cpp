//===- ConvTile.cpp - One register tile of kernel.conv --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvLoops.h"
#include "Kernels/Epilogue.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelLoops.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>
#include <set>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

/// Weights may be halves.
Value ConvLoops::loadWeights(const Tile &tile, OpFoldResult at) {
  if (tile.widened)
    return vector::LoadOp::create(b, loc, vectorType, tile.widened,
                                  index.value(at));
  Value w = loadVector(filter, at);
  return filter.element.isF32() ? w
                                : arith::ExtFOp::create(b, loc, vectorType, w);
}

void ConvLoops::widenPanel(Tile &tile) {
  std::optional<int64_t> size = getConstantIntValue(filterPanel);
  if (!schedule.getWiden() || !size || filter.element.isF32())
    return;
  // no overflow: of a filter in memory
  *size *= llvm::divideCeil(tile.vectors, packedVectors);
  tile.widened =
      memref::AllocOp::create(b, loc, MemRefType::get({*size}, b.getF32Type()),
                              b.getI64IntegerAttr(kCacheLine));
  emitWidening(index, filter.memory, startOfPanel(tile.panel),
               index.constant(*size), lanes, tile.widened);
}

/// Whether a tap of a pixel lies in the image, as far as that is known now;
/// where it is not there is nothing to clip, or a loop does it.
bool ConvLoops::isInside(const Tile &tile, unsigned a, int64_t pixel,
                         OpFoldResult tap) {
  const Axis &axis = axes[a];
  std::optional<int64_t> start = getConstantIntValue(tile.at[a]),
                         k = getConstantIntValue(tap),
                         size = getConstantIntValue(axis.in);
  if (!k || (a == kColumn &&
             (tile.border == Border::None || tile.border == Border::Ends)))
    return true;
  if (!start || !size)
    return true;
  int64_t at =
      (*start + pixel) * axis.stride + *k * axis.dilation - axis.before;
  return at >= 0 && at < *size;
}

/// What tiles at the ends of a row read instead of pixels outside of the image.
void ConvLoops::makeBorderValues() {
  const Axis &axis = axes[kColumn];
  bool isKnown = getConstantIntValue(axis.out) && getConstantIntValue(axis.in);
  if (isMerged || (isKnown && !isOpenInPieces()))
    return;
  if (!axis.isClipped && !isSpread)
    return;
  auto element = cast<FloatType>(image.element);
  // Which of the two a tile reads is selected when it runs, so that both have
  // one type, of more elements than the buffer has: of its own it is read at
  // the start alone. An image may have more of them.
  auto anywhere = MemRefType::get(
      {1 << 30}, element,
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
  imageAnywhere = image.memory;
  if (image.memory.getType() != anywhere)
    imageAnywhere =
        memref::CastOp::create(b, loc, anywhere, image.memory).getResult();
  Value slot =
      memref::AllocaOp::create(b, loc, MemRefType::get({lanes}, element),
                               b.getI64IntegerAttr(kCacheLine));
  APFloat number =
      op.getMaximum()
          ? APFloat::getInf(element.getFloatSemantics(), /*Negative=*/true)
          : APFloat::getZero(element.getFloatSemantics());
  Value values = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(VectorType::get(lanes, element), number));
  Value zero = index.value(index.constant(0));
  vector::StoreOp::create(b, loc, values, slot, zero);
  borderValues = memref::ReinterpretCastOp::create(
      b, loc, anywhere, slot, /*offset=*/zero,
      ArrayRef<OpFoldResult>(b.getIndexAttr(1 << 30)),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
}

/// The pixel at `column` of the row that the tile reads, which is at `at` if it
/// lies in the image.
EndPixel ConvLoops::clipPixel(const Tile &tile, OpFoldResult column,
                              OpFoldResult at) {
  // One below zero is a very large one.
  Value place = index.value(column), size = index.value(axes[kColumn].in);
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, size);
  auto select = [&](Value inside, Value outside) -> Value {
    return arith::SelectOp::create(b, loc, isInside, inside, outside);
  };
  EndPixel pixel{select(imageAnywhere, borderValues), {}, imageChannel};
  Value zero = index.value(index.constant(0));
  pixel.at = select(index.value(at), zero);
  if (!isIndex(imageChannel, 1))
    pixel.step = select(index.value(imageChannel), zero);
  return pixel;
}

/// For each column of a tile at an end of a row where its pixel is, if it may
/// lie outside of the image.
SmallVector<std::optional<EndPixel>>
ConvLoops::clipEnds(const Tile &tile, const Taps &taps, OpFoldResult from) {
  const Axis &axis = axes[kColumn];
  SmallVector<std::optional<EndPixel>> ends(tile.columns);
  if (tile.border != Border::Ends)
    return ends;
  OpFoldResult first = index.mul(tile.at[kColumn], axis.stride);
  first = index.add(first, index.mul(taps[kColumn], axis.dilation));
  first = index.sub(first, getBefore(axis));
  for (int64_t c = 0; c < tile.columns; ++c) {
    if (c >= countEndColumns(axis.before) &&
        c < tile.columns - countEndColumns(axis.after))
      continue;
    OpFoldResult column = index.add(first, index.constant(c * axis.stride));
    OpFoldResult at = index.mul(axis.ofImage, c * axis.stride);
    ends[c] = clipPixel(tile, column, index.add(from, at));
  }
  return ends;
}

/// A vector of channels of the pixel `column` behind the first one that the
/// tile's taps reach.
Value ConvLoops::loadColumn(const Tile &tile, int64_t column,
                            OpFoldResult from) {
  const Axis &axis = axes[kColumn];
  OpFoldResult at = index.add(from, index.mul(axis.ofImage, column));
  int64_t reach =
      (tile.columns - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1;
  if (tile.border != Border::Ends ||
      (column >= axis.before && column < reach - axis.after))
    return loadVector(image, at);
  OpFoldResult first =
      index.sub(index.mul(tile.at[kColumn], axis.stride), getBefore(axis));
  EndPixel pixel =
      clipPixel(tile, index.add(first, index.constant(column)), at);
  FlatBuffer memory = image;
  memory.memory = pixel.memory;
  return loadVector(memory, pixel.at);
}

SmallVector<Value> ConvLoops::emitTaps(const Tile &tile, OpFoldResult block,
                                       int64_t channels, ValueRange sums) {
  OpFoldResult own = block;
  if (op.getGroup() > 1 && !isDepthwise) {
    int64_t groups = op.getGroup();
    Value panel = index.value(tile.panel);
    Value group = arith::DivUIOp::create(
        b, loc, panel, index.value(index.constant(panels / groups)));
    own = index.add(block, index.mul(OpFoldResult(group),
                                     op.getChannels() / groups / lanes));
  }
  OpFoldResult from = index.mul(tile.batch, image.strides[0]);
  from = index.add(from, index.mul(own, imageBlock));
  OpFoldResult weights =
      tile.widened ? index.constant(0) : startOfPanel(tile.panel);
  if (!isDepthwise) {
    // A block of the filter's channels is several of the image's.
    OpFoldResult whole = index.floorDiv(block, channelBlocks);
    OpFoldResult part = index.sub(block, index.mul(whole, channelBlocks));
    weights = index.add(weights, index.mul(whole, filterBlock));
    OpFoldResult first = index.mul(part, lanes);
    weights = index.add(weights, index.mul(filterChannel, first));
  }
  for (const Axis &axis : axes)
    weights = index.add(weights, axis.firstTap);
  return overTaps(tile, 0, {}, from, weights, channels, sums);
}

/// Loops over the taps of `a` and the axes behind it.
SmallVector<Value> ConvLoops::overTaps(const Tile &tile, unsigned a, Taps taps,
                                       OpFoldResult from, OpFoldResult weights,
                                       int64_t channels, ValueRange sums) {
  if (a == kAxes)
    return emitChannels(tile, taps, from, weights, channels, sums);
  const Axis &axis = axes[a];
  OpFoldResult first = index.mul(tile.at[a], axis.stride);
  auto at = [&](OpFoldResult tap, ValueRange carried) {
    OpFoldResult place = index.sub(
        index.add(first, index.mul(tap, axis.dilation)), getBefore(axis));
    Taps next(taps);
    next.push_back(tap);
    OpFoldResult pixel = index.add(from, index.mul(place, axis.ofImage));
    return overTaps(tile, a + 1, next, pixel,
                    index.add(weights, index.mul(tap, axis.ofFilter)), channels,
                    carried);
  };
  if (a == kColumn && isDepthwise && tile.border != Border::Unknown) {
    OpFoldResult place = index.sub(first, getBefore(axis));
    OpFoldResult row = index.add(from, index.mul(place, axis.ofImage));
    return op.getMaximum() ? emitMaxima(tile, row, sums)
                           : emitDepthwise(tile, row, weights, sums);
  }
  bool isKnown = getConstantIntValue(tile.at[a]).has_value() &&
                 getConstantIntValue(axis.in).has_value();
  bool several = a == kColumn ? tile.columns > 1 : a == kRow && tile.rows > 1;
  bool clips = a == kColumn ? tile.border == Border::Known ||
                                  tile.border == Border::Unknown
                            : axis.isClipped;
  if (clips && isKnown && several) {
    // Each pixel has taps of its own.
    SmallVector<Value> carried(sums);
    for (int64_t k = 0; k < axis.taps; ++k)
      carried = at(index.constant(k), carried);
    return carried;
  }
  OpFoldResult low = index.constant(0), high = index.constant(axis.taps);
  // Of taps that are far apart some meet none of a tile's columns.
  bool skips = a == kColumn && tile.border == Border::Ends && axis.dilation > 1;
  if (clips || skips) {
    OpFoldResult before = index.sub(getBefore(axis), first);
    int64_t last = skips ? (tile.columns - 1) * axis.stride : 0;
    low = index.max(low, index.ceilDiv(index.sub(before, index.constant(last)),
                                       axis.dilation));
    high = index.min(high,
                     index.ceilDiv(index.add(before, axis.in), axis.dilation));
  }
  return carryLoop(index, low, high, 1, sums, at);
}

/// So many taps of a border tile have their channels written out.
static constexpr int64_t kWrittenTaps = 9;

SmallVector<Value> ConvLoops::emitChannels(const Tile &tile, const Taps &taps,
                                           OpFoldResult from,
                                           OpFoldResult weights,
                                           int64_t channels, ValueRange sums) {
  if (isDepthwise) {
    // A single pixel whose taps a loop has clipped.
    Value x = loadVector(image, from);
    if (op.getMaximum())
      return {greater(sums[0], x)};
    Value w = loadWeights(tile, weights);
    return {vector::FMAOp::create(b, loc, x, w, sums[0])};
  }
  if (schedule.getByElement() && channels == lanes)
    return emitBlockOfChannels(tile, taps, from, weights, sums);
  if (schedule.getPrefetchBlocks())
    prefetchBlockAhead(tile, from);
  auto ends = clipEnds(tile, taps, from);
  auto emitChannel = [&](OpFoldResult channel, ValueRange carried) {
    OpFoldResult pixel = index.add(from, index.mul(channel, imageChannel));
    OpFoldResult row = index.add(weights, index.mul(channel, filterChannel));
    if (schedule.getPrefetchFilter())
      prefetchNextPanel(tile, row);
    if (schedule.getPrefetchImage())
      prefetchPixels(tile, pixel, channel);
    return multiplyPixels(
        tile, taps, row,
        [&](int64_t column, OpFoldResult offset) {
          Value memory = image.memory;
          OpFoldResult at = index.add(pixel, offset);
          if (const auto &end = ends[column]) {
            memory = end->memory;
            at = index.add(end->at, index.mul(channel, end->step));
          }
          return broadcast(
              memref::LoadOp::create(b, loc, memory, index.value(at)));
        },
        carried);
  };
  // A tile of so few products for each channel (isCountingCostly) has several
  // channels written out; at the border only one of few taps, since each has
  // code of its own there. With 32 registers tiles have more products, but for
  // those that are left of a row: all 16 channels would be much code for them.
  constexpr int64_t kMostChannelsWritten = 8;
  int64_t products = tile.rows * tile.columns * tile.vectors;
  SaturatingInt written = 1;
  for (const Axis &axis : axes)
    written *= tile.border == Border::None ? 1 : axis.taps;
  if (channels == lanes && isCountingCostly(products) &&
      written <= kWrittenTaps) {
    int64_t together = std::min<int64_t>(lanes, kMostChannelsWritten);
    return carryLoop(
        index, index.constant(0), index.constant(channels), together, sums,
        [&](OpFoldResult first, ValueRange carried) {
          SmallVector<Value> next(carried);
          for (int64_t step = 0; step < together; ++step)
            next = emitChannel(index.add(first, index.constant(step)), next);
          return next;
        });
  }
  return carryLoop(index, index.constant(0), index.constant(channels), 1, sums,
                   emitChannel);
}

/// The products of one channel: of a row of weights and of each pixel of the
/// tile, of which `ofPixel` gives that channel in all lanes; it
/// takes the pixel's column and where the pixel lies behind the first one.
SmallVector<Value>
ConvLoops::multiplyPixels(const Tile &tile, const Taps &taps, OpFoldResult row,
                          function_ref<Value(int64_t, OpFoldResult)> ofPixel,
                          ValueRange sums) {
  SmallVector<Value> next(sums), w;
  for (int64_t j = 0; j < tile.vectors; ++j) {
    OpFoldResult at = index.add(row, index.mul(filterPanel, j / packedVectors));
    at = index.add(at, index.constant(j % packedVectors * lanes));
    w.push_back(loadWeights(tile, at));
  }
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t c = 0; c < tile.columns; ++c) {
      if ((tile.rows > 1 && !isInside(tile, kRow, r, taps[kRow])) ||
          !isInside(tile, kColumn, c, taps[kColumn]))
        continue;
      OpFoldResult offset =
          index.mul(axes[kRow].ofImage, r * axes[kRow].stride);
      offset = index.add(
          offset, index.mul(axes[kColumn].ofImage, c * axes[kColumn].stride));
      Value wide = ofPixel(c, offset);
      for (int64_t j = 0; j < tile.vectors; ++j) {
        Value &sum = next[(r * tile.columns + c) * tile.vectors + j];
        sum = vector::FMAOp::create(b, loc, wide, w[j], sum);
      }
    }
  return next;
}

/// All channels of a block, of which a pixel is one vector.
SmallVector<Value> ConvLoops::emitBlockOfChannels(const Tile &tile,
                                                  const Taps &taps,
                                                  OpFoldResult from,
                                                  OpFoldResult weights,
                                                  ValueRange sums) {
  const int64_t perLine = kCacheLine / 4 / lanes;
  SmallVector<Value> next(sums), pixels;
  auto ends = clipEnds(tile, taps, from);
  for (int64_t channel = 0; channel < lanes; ++channel) {
    OpFoldResult row = index.add(weights, index.mul(filterChannel, channel));
    if (schedule.getPrefetchFilter() && channel % perLine == 0)
      prefetchNextPanel(tile, row);
    if (schedule.getPrefetchImage() && channel * perLine < tile.columns)
      prefetchPixels(tile, from, index.constant(channel * perLine));
    size_t number = 0;
    next = multiplyPixels(
        tile, taps, row,
        [&](int64_t column, OpFoldResult offset) -> Value {
          if (channel == 0) {
            FlatBuffer memory = image;
            OpFoldResult at = index.add(from, offset);
            if (const auto &end = ends[column]) {
              memory.memory = end->memory;
              at = end->at;
            }
            pixels.push_back(loadVector(memory, at));
          }
          Value pixel = pixels[number++];
          SmallVector<int64_t> lane(lanes, channel);
          return vector::ShuffleOp::create(b, loc, pixel, pixel, lane);
        },
        next);
  }
  return next;
}

/// A line of the next panel, of which `panelVectors` tiles ask for one vector
/// in each step. `row` is this panel's row of weights.
void ConvLoops::prefetchNextPanel(const Tile &tile, OpFoldResult row) {
  if (!tile.number || *tile.number >= panelVectors || panels <= 1 ||
      tile.ahead.lines)
    return;
  OpFoldResult inPanel =
      tile.widened ? row : index.sub(row, startOfPanel(tile.panel));
  Value place = index.value(inPanel);
  OpFoldResult line =
      arith::DivUIOp::create(b, loc, place,
                             index.value(index.constant(packedVectors)))
          .getResult();
  std::optional<int64_t> size = getConstantIntValue(filterPanel);
  OpFoldResult next =
      index.add(startOfPanel(index.add(tile.panel, index.constant(1))),
                index.constant(*tile.number * *size / packedVectors));
  prefetch(filter, index.add(next, line), 2);
}

/// A pixel of the tile behind this one.
void ConvLoops::prefetchPixels(const Tile &tile, OpFoldResult pixel,
                               OpFoldResult number) {
  OpFoldResult behind = index.add(number, index.constant(tile.columns));
  prefetch(image, index.add(pixel, index.mul(behind, axes[kColumn].ofImage)),
           3);
}

/// Fetches the pixels of a tile two blocks of channels ahead.
void ConvLoops::prefetchBlockAhead(const Tile &tile, OpFoldResult from) {
  constexpr int64_t kBlocksAhead = 2, kPerLine = kCacheLine / sizeof(float);
  OpFoldResult ahead = index.add(from, index.mul(imageBlock, kBlocksAhead));
  int64_t pixels = (tile.columns - 1) * axes[kColumn].stride + 1;
  for (int64_t at = 0; at < pixels * lanes; at += kPerLine)
    prefetch(image, index.add(ahead, index.constant(at)), 3);
}

/// All taps of a row of pixels: each vector of the image is loaded once.
SmallVector<Value> ConvLoops::emitDepthwise(const Tile &tile, OpFoldResult from,
                                            OpFoldResult weights,
                                            ValueRange sums) {
  const Axis &axis = axes[kColumn];
  SmallVector<Value> next(sums);
  std::map<int64_t, Value> loaded;
  SmallVector<Value> w;
  for (int64_t k = 0; k < axis.taps; ++k)
    w.push_back(
        loadWeights(tile, index.add(weights, index.mul(axis.ofFilter, k))));
  for (int64_t c = 0; c < tile.columns; ++c)
    for (int64_t k = 0; k < axis.taps; ++k) {
      if (!isInside(tile, kColumn, c, index.constant(k)))
        continue;
      int64_t column = c * axis.stride + k * axis.dilation;
      Value &x = loaded[column];
      if (!x)
        x = loadColumn(tile, column, from);
      next[c] = vector::FMAOp::create(b, loc, x, w[k], next[c]);
    }
  return next;
}

/// NaN if one is; any zero is as good as another.
Value ConvLoops::greater(Value x, Value y) {
  return arith::MaximumFOp::create(b, loc, x, y, arith::FastMathFlags::nsz);
}

/// The greatest pixels are found for each column first, rows after rows: so
/// each vector of the image is loaded and compared once.
SmallVector<Value> ConvLoops::emitMaxima(const Tile &tile, OpFoldResult from,
                                         ValueRange greatest) {
  const Axis &axis = axes[kColumn];
  SmallVector<Value> next(greatest);
  std::set<int64_t> done;
  for (int64_t c = 0; c < tile.columns; ++c)
    for (int64_t k = 0; k < axis.taps; ++k) {
      int64_t column = c * axis.stride + k * axis.dilation;
      if (!isInside(tile, kColumn, c, index.constant(k)) ||
          !done.insert(column).second)
        continue;
      next[column] = greater(next[column], loadColumn(tile, column, from));
    }
  return next;
}

/// The greatest of the columns of each pixel.
SmallVector<Value> ConvLoops::overColumns(const Tile &tile,
                                          ValueRange greatest) {
  const Axis &axis = axes[kColumn];
  SmallVector<Value> pixels;
  for (int64_t c = 0; c < tile.columns; ++c) {
    Value pixel;
    for (int64_t k = 0; k < axis.taps; ++k) {
      Value column = greatest[c * axis.stride + k * axis.dilation];
      pixel = pixel ? greater(pixel, column) : column;
    }
    pixels.push_back(pixel);
  }
  return pixels;
}

/// What is carried from tap to tap: a vector of sums for each pixel, or the
/// maxima of each column of the image that the pixels reach.
int64_t ConvLoops::countSums(const Tile &tile) {
  if (!op.getMaximum() || tile.border == Border::Unknown)
    return tile.rows * tile.columns * tile.vectors;
  const Axis &axis = axes[kColumn];
  return (tile.columns - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1;
}

/// The sums of all pixels of a tile.
SmallVector<Value> ConvLoops::sumTile(const Tile &tile) {
  TypedAttr start = b.getZeroAttr(vectorType);
  if (op.getMaximum())
    start = DenseElementsAttr::get(
        vectorType, APFloat::getInf(APFloat::IEEEsingle(), /*Negative=*/true));
  Value zero = arith::ConstantOp::create(b, loc, start);
  SmallVector<Value> sums(countSums(tile), zero);
  const ChannelPiece &piece = tile.piece;
  if (piece.sums)
    sums = loadSums(tile);
  int64_t channels = op.getChannels() / (isDepthwise ? 1 : op.getGroup());
  if (isDepthwise) {
    sums = emitTaps(tile, tile.panel, 1, sums);
  } else {
    int64_t full = op.isImageBlocked() ? channels / lanes : 0;
    OpFoldResult from = index.constant(0), to = index.constant(full);
    if (piece.sums) {
      from = piece.first;
      to = index.add(from, index.constant(piece.count));
    }
    sums = carryLoop(index, from, to, 1, sums,
                     [&](OpFoldResult block, ValueRange carried) {
                       prefetchWeights(tile, block);
                       return emitTaps(tile, block, lanes, carried);
                     });
    if (channels > full * lanes && (!piece.sums || piece.hasRest))
      sums =
          emitTaps(tile, index.constant(full), channels - full * lanes, sums);
  }
  if (op.getMaximum() && tile.border != Border::Unknown)
    sums = overColumns(tile, sums);
  return sums;
}

void ConvLoops::emitTile(const Tile &tile) {
  SmallVector<Value> sums = sumTile(tile);
  if (tile.piece.sums)
    return storeSums(tile, sums);
  if (!tileSums)
    return emitStores(tile, sums);
  keepSums(sums);
  emitStoreLoop(tile, index.constant(tile.rows), index.constant(tile.columns));
}

/// Writes the sums of a tile to where emitStoreLoop reads them.
void ConvLoops::keepSums(ValueRange sums) {
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(b, loc, sum, tileSums,
                            index.value(index.constant(i * lanes)));
}

/// The epilogue of one pixel's sums, of which there is one for each vector of
/// the tile, and its results to memory. `shared` has what the extras are for
/// all pixels of the tile, by vector.
void ConvLoops::emitPixelStores(const Tile &tile, OpFoldResult row,
                                OpFoldResult column, ValueRange sums,
                                ArrayRef<SmallVector<Value>> shared) {
  OpFoldResult start = index.mul(tile.batch, result.strides[0]);
  for (unsigned a = 0; a < kAxes; ++a)
    start =
        index.add(start, index.add(axes[a].firstResult,
                                   index.mul(tile.at[a], axes[a].ofResult)));
  OpFoldResult first = index.mul(tile.panel, panelVectors);
  for (int64_t j = 0; j < tile.vectors; ++j) {
    OpFoldResult block = index.add(first, index.constant(j));
    SmallVector<Value> values(shared[j]);
    for (auto [extra, value] : llvm::zip_equal(extras, values))
      if (!value)
        value = readExtra(extra, tile, block, row, column);
    Value element = emitEpilogue(b, loc, op, sums[j], values);
    OpFoldResult at = index.add(start, index.mul(block, result.strides[1]));
    at = index.add(at, index.mul(axes[kRow].ofResult, row));
    at = index.add(at, index.mul(axes[kColumn].ofResult, column));
    vector::StoreOp::create(b, loc, element, result.memory, index.value(at));
  }
}

/// What the extras are for all pixels of a tile, by vector; null: they differ.
SmallVector<SmallVector<Value>> ConvLoops::readShared(const Tile &tile) {
  SmallVector<SmallVector<Value>> shared;
  OpFoldResult first = index.mul(tile.panel, panelVectors),
               none = index.constant(0);
  for (int64_t j = 0; j < tile.vectors; ++j) {
    auto &values = shared.emplace_back();
    for (const Extra &extra : extras)
      values.push_back(isSharedByPixels(extra)
                           ? readExtra(extra, tile,
                                       index.add(first, index.constant(j)),
                                       /*row=*/none, /*column=*/none)
                           : Value());
  }
  return shared;
}

/// Reads the sums of a tile of so many columns again, pixel by pixel: its code
/// would be most of the kernel's, written out for each.
void ConvLoops::emitStoreLoop(const Tile &tile, OpFoldResult rows,
                              OpFoldResult columns) {
  SmallVector<SmallVector<Value>> shared = readShared(tile);
  OpFoldResult from = index.constant(0);
  if (tile.stored)
    from = index.max(from, tile.stored);
  auto emitPixel = [&](OpFoldResult row, OpFoldResult column) {
    OpFoldResult pixel = index.add(index.mul(row, columns), column);
    OpFoldResult at = index.mul(pixel, tile.vectors * lanes);
    SmallVector<Value> sums;
    for (int64_t j = 0; j < tile.vectors; ++j) {
      OpFoldResult place = index.add(at, index.constant(j * lanes));
      sums.push_back(vector::LoadOp::create(b, loc, vectorType, tileSums,
                                            index.value(place)));
    }
    emitPixelStores(tile, row, column, sums, shared);
  };
  carryLoop(index, index.constant(0), rows, 1, {},
            [&](OpFoldResult row, ValueRange) -> SmallVector<Value> {
              return carryLoop(
                  index, from, columns, 1, {},
                  [&](OpFoldResult column, ValueRange) -> SmallVector<Value> {
                    emitPixel(row, column);
                    return {};
                  });
            });
}

void ConvLoops::emitStores(const Tile &tile, ValueRange sums) {
  SmallVector<SmallVector<Value>> shared = readShared(tile);
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t c = 0; c < tile.columns; ++c) {
      OpBuilder::InsertionGuard guard(b);
      if (tile.stored) {
        Value number = index.value(index.constant(c)),
              stored = index.value(tile.stored);
        Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            number, stored);
        auto choice =
            scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/false);
        b.setInsertionPointToStart(choice.thenBlock());
      }
      int64_t pixel = r * tile.columns + c;
      emitPixelStores(tile, index.constant(r), index.constant(c),
                      sums.slice(pixel * tile.vectors, tile.vectors), shared);
    }
}
