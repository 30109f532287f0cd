//===- WinogradEmitter.cpp - Convolutions by minimal filtering ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result is cut into squares, of which the last ones of a row or a column
// may have fewer pixels. For each of the 36 places of a transformed square
// there is a matrix product: squares by channels, times channels by filters.
//
// Weights are transformed at run time, out of the panels that other schedules
// read: transformed ones would be four times as large as the model, and to load
// them takes longer than to make them. They are made once for all bands of
// squares, or, where one image is small, in each panel for all squares of it.
//
// Infinities and NaN would reach whole squares: where a result is not finite,
// it is summed up as it is defined.
//
// What lies around the image becomes zeros in a strip of rows that is copied
// for the transform.
//
//===----------------------------------------------------------------------===//

#include "ConvOperands.h"
#include "Kernels/Epilogue.h"
#include "MinimalFiltering.h"
#include "WinogradSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

namespace {

constexpr int64_t kPlacesOfSquare = kPoints * kPoints;
/// Vector instructions of one transform, for the estimates of parallel loops.
constexpr int64_t kCyclesOfTransform = 100;

/// Squares whose products are made together: consecutive rows of them.
struct Band {
  OpFoldResult batch, firstRow;
  int64_t rows;
};

/// Weights or sums of a panel of `vectors` blocks of filters.
struct Panel {
  OpFoldResult number;
  int64_t vectors;
};

class WinogradLoops : ConvOperands {
public:
  WinogradLoops(OpBuilder &b, kernel::ConvOp op,
                kernel::WinogradScheduleAttr schedule)
      : ConvOperands(b, op), schedule(schedule) {}

  void emit();

private:
  void prepare();
  void emitBands();
  void emitImages();
  void overPanels(
      function_ref<void(OpFoldResult first, int64_t count, int64_t vectors)>
          body);

  void multiplyShares(const Band &band, const Panel &panel,
                      function_ref<OpFoldResult(OpFoldResult share)> prepare);

  Value makeScratch(int64_t elements);
  Value load(Value memory, OpFoldResult at);
  void store(Value vector, Value memory, OpFoldResult at);
  void overRange(OpFoldResult to, function_ref<void(OpFoldResult)> body);
  void overRange(OpFoldResult from, OpFoldResult to,
                 function_ref<void(OpFoldResult)> body);

  void transformRow(const Band &band, OpFoldResult row, OpFoldResult share);
  void copyStrip(OpFoldResult batch, OpFoldResult block, OpFoldResult squareRow,
                 Value strip);
  void transformWeights(const Panel &panel, OpFoldResult share,
                        OpFoldResult at);
  void multiply(const Panel &panel, int64_t squares, OpFoldResult share,
                OpFoldResult atWeights);
  void multiplySquares(const Panel &panel, OpFoldResult atPixels,
                       OpFoldResult atWeights, OpFoldResult atSums,
                       int64_t count);
  void clear(Value memory, int64_t elements);
  Value sumAsDefined(const Panel &panel, const Pixel &pixel, OpFoldResult j);
  SmallVector<Value> keepFinite(const Panel &panel, const Pixel &corner,
                                OpFoldResult j, int64_t row, ValueRange pixels);
  void finish(const Band &band, const Panel &panel);
  void finishRow(const Band &band, const Panel &panel, OpFoldResult row,
                 int64_t pixelRows);
  void finishSquare(const Band &band, const Panel &panel, OpFoldResult row,
                    OpFoldResult column, int64_t pixelRows,
                    int64_t pixelColumns);

  int64_t squaresIn(const Band &band) const { return band.rows * perRow; }
  /// Elements of one of the 36 places, of pixels of one share, weights and
  /// sums.
  int64_t pixelsOf(int64_t squares) const {
    return spread(squares * channelsPerSquare);
  }
  int64_t weightsOf(const Panel &panel) const {
    return spread(depth * panel.vectors * lanes);
  }
  int64_t sumsOf(const Panel &panel, int64_t squares) const {
    return spread(squares * panel.vectors * lanes);
  }
  /// An odd number of cache lines, for so many elements: a transform writes or
  /// reads all places at once, which must not meet in one set of the cache.
  static int64_t spread(int64_t elements) {
    constexpr int64_t line = kCacheLine / sizeof(float);
    int64_t lines = llvm::divideCeil(elements, line);
    return (lines | 1) * line;
  }

  kernel::WinogradScheduleAttr schedule;
  int64_t rows = 0, columns = 0;                 // pixels of the result
  int64_t squareRows = 0, perRow = 0;            // squares
  int64_t depth = 0, shares = 1;                 // channels at a time
  int64_t channelsPerSquare = 0;                 // of a share, in whole blocks
  int64_t stripColumns = 0, stripRows = kPoints; // pixels
  /// The transformed operands, and sums.
  Value pixels, weights, sums;
};

void WinogradLoops::prepare() {
  prepareOperands(schedule.getBlocks());
  rows = *getConstantIntValue(axes[kRow].out);
  columns = *getConstantIntValue(axes[kColumn].out);
  squareRows = llvm::divideCeil(rows, kOutputs);
  perRow = llvm::divideCeil(columns, kOutputs);
  depth = schedule.getDepth();
  // no overflow: all numbers of scratch elements are at most those of the
  // image, the result or the weights times 36, which selectWinograd bounds
  shares = int64_t(op.getChannels()) / depth;
  channelsPerSquare = llvm::alignTo(depth, lanes);
  stripColumns = perRow * kOutputs + kTaps - 1;
}

Value WinogradLoops::makeScratch(int64_t elements) {
  return memref::AllocOp::create(b, loc,
                                 MemRefType::get({elements}, b.getF32Type()),
                                 b.getI64IntegerAttr(kCacheLine));
}

Value WinogradLoops::load(Value memory, OpFoldResult at) {
  return vector::LoadOp::create(b, loc, vectorType, memory, index.value(at));
}

void WinogradLoops::store(Value vector, Value memory, OpFoldResult at) {
  vector::StoreOp::create(b, loc, vector, memory, index.value(at));
}

void WinogradLoops::overRange(OpFoldResult from, OpFoldResult to,
                              function_ref<void(OpFoldResult)> body) {
  carryLoop(index, from, to, 1, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              body(at);
              return {};
            });
}

void WinogradLoops::overRange(OpFoldResult to,
                              function_ref<void(OpFoldResult)> body) {
  overRange(index.constant(0), to, body);
}

void WinogradLoops::clear(Value memory, int64_t elements) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  carryLoop(index, index.constant(0), index.constant(elements), lanes, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              store(zero, memory, at);
              return {};
            });
}

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

/// The rows of a block of channels that a row of squares reads, with zeros
/// around the image.
void WinogradLoops::copyStrip(OpFoldResult batch, OpFoldResult block,
                              OpFoldResult squareRow, Value strip) {
  const Axis &row = axes[kRow], &column = axes[kColumn];
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  int64_t width = *getConstantIntValue(column.in),
          end = std::min(column.before + width, stripColumns);
  OpFoldResult from = index.mul(batch, image.strides[0]);
  from = index.add(from, index.mul(block, imageBlock));
  OpFoldResult first =
      index.sub(index.mul(squareRow, kOutputs), index.constant(row.before));
  overRange(index.constant(stripRows), [&](OpFoldResult number) {
    OpFoldResult y = index.add(first, number),
                 to = index.mul(number, stripColumns * lanes);
    auto fill = [&](int64_t low, int64_t high) {
      overRange(index.constant(low), index.constant(high), [&](OpFoldResult x) {
        store(zero, strip, index.add(to, index.mul(x, lanes)));
      });
    };
    // Rows above the image count as very large.
    Value at = index.value(y), height = index.value(row.in);
    Value isPixels =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, height);
    auto choice = scf::IfOp::create(b, loc, isPixels, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    fill(0, column.before);
    OpFoldResult source = index.add(from, index.mul(y, row.ofImage));
    overRange(index.constant(0), index.constant(end - column.before),
              [&](OpFoldResult x) {
                Value pixel = loadVector(
                    image, index.add(source, index.mul(x, column.ofImage)));
                OpFoldResult place =
                    index.add(x, index.constant(column.before));
                store(pixel, strip, index.add(to, index.mul(place, lanes)));
              });
    fill(end, stripColumns);
    b.setInsertionPointToStart(choice.elseBlock());
    fill(0, stripColumns);
  });
}

/// Transforms the pixels that row `row` of a band reads, of one share of the
/// channels: [shares, 36, squares of the band, channels of the share].
void WinogradLoops::transformRow(const Band &band, OpFoldResult row,
                                 OpFoldResult share) {
  Value strip = makeScratch(stripRows * stripColumns * lanes);
  int64_t ofPlace = pixelsOf(squaresIn(band));
  OpFoldResult first = index.mul(share, kPlacesOfSquare * ofPlace);
  first = index.add(first, index.mul(row, perRow * channelsPerSquare));
  overRange(index.constant(channelsPerSquare / lanes), [&](OpFoldResult own) {
    OpFoldResult block = index.add(index.mul(share, depth / lanes), own);
    copyStrip(band.batch, block, index.add(band.firstRow, row), strip);
    overRange(index.constant(perRow), [&](OpFoldResult square) {
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

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Transforms the weights of a panel for one share of the channels:
/// [36, channels of the share, filters of the panel] from `at` on.
void WinogradLoops::transformWeights(const Panel &panel, OpFoldResult share,
                                     OpFoldResult at) {
  int64_t width = panel.vectors * lanes;
  overRange(index.constant(depth), [&](OpFoldResult own) {
    OpFoldResult channel = index.add(index.mul(share, depth), own);
    int64_t perBlock = channelBlocks * lanes;
    OpFoldResult block = index.floorDiv(channel, perBlock),
                 inBlock = index.sub(channel, index.mul(block, perBlock));
    OpFoldResult from = startOfPanel(panel.number);
    from = index.add(from, index.mul(block, filterBlock));
    from = index.add(from, index.mul(inBlock, filterChannel));
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A register tile: `count` squares, all filters of the panel, all channels of
/// the share. Adds to the sums of the shares before.
void WinogradLoops::multiplySquares(const Panel &panel, OpFoldResult atPixels,
                                    OpFoldResult atWeights, OpFoldResult atSums,
                                    int64_t count) {
  int64_t width = panel.vectors * lanes;
  SmallVector<Value> start;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  auto placeOf = [&](int64_t square, int64_t j) {
    return index.add(atSums, index.constant(square * width + j * lanes));
  };
  for (int64_t square = 0; square < count; ++square)
    for (int64_t j = 0; j < panel.vectors; ++j)
      start.push_back(shares > 1 ? load(sums, placeOf(square, j)) : zero);
  SmallVector<Value> totals = carryLoop(
      index, index.constant(0), index.constant(depth), 1, start,
      [&](OpFoldResult channel, ValueRange carried) {
        SmallVector<Value> next(carried), w;
        OpFoldResult row = index.add(atWeights, index.mul(channel, width));
        for (int64_t j = 0; j < panel.vectors; ++j)
          w.push_back(load(weights, index.add(row, index.constant(j * lanes))));
        for (int64_t square = 0; square < count; ++square) {
          OpFoldResult at =
              index.add(index.add(atPixels, channel),
                        index.constant(square * channelsPerSquare));
          Value wide = broadcast(
              memref::LoadOp::create(b, loc, pixels, index.value(at)));
          for (int64_t j = 0; j < panel.vectors; ++j) {
            Value &sum = next[square * panel.vectors + j];
            sum = vector::FMAOp::create(b, loc, wide, w[j], sum);
          }
        }
        return next;
      });
  for (int64_t square = 0; square < count; ++square)
    for (int64_t j = 0; j < panel.vectors; ++j)
      store(totals[square * panel.vectors + j], sums, placeOf(square, j));
}

/// All 36 products of one share; sums are [36, squares, filters of the panel].
void WinogradLoops::multiply(const Panel &panel, int64_t squares,
                             OpFoldResult share, OpFoldResult atWeights) {
  // Tiles of about equal size.
  int64_t tiles = llvm::divideCeil(squares, schedule.getSquares()),
          small = squares / tiles, large = squares % tiles;
  int64_t width = panel.vectors * lanes;
  overRange(index.constant(kPlacesOfSquare), [&](OpFoldResult place) {
    OpFoldResult matrix = index.add(index.mul(share, kPlacesOfSquare), place);
    OpFoldResult fromPixels = index.mul(matrix, pixelsOf(squares));
    OpFoldResult fromWeights =
        index.add(atWeights, index.mul(place, weightsOf(panel)));
    OpFoldResult toSums = index.mul(place, sumsOf(panel, squares));
    auto tilesOf = [&](int64_t from, int64_t to, int64_t size) {
      carryLoop(index, index.constant(from), index.constant(to), size, {},
                [&](OpFoldResult square, ValueRange) -> SmallVector<Value> {
                  OpFoldResult at = index.add(
                      fromPixels, index.mul(square, channelsPerSquare));
                  OpFoldResult to = index.add(toSums, index.mul(square, width));
                  multiplySquares(panel, at, fromWeights, to, size);
                  return {};
                });
    };
    tilesOf(0, large * (small + 1), small + 1);
    tilesOf(large * (small + 1), squares, small);
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The sum of a pixel as it is defined, of block `j` of the panel's filters.
Value WinogradLoops::sumAsDefined(const Panel &panel, const Pixel &pixel,
                                  OpFoldResult j) {
  OpFoldResult weights = startOfPanel(panel.number),
               packed = index.floorDiv(j, packedVectors);
  weights = index.add(weights, index.mul(packed, filterPanel));
  OpFoldResult part = index.sub(j, index.mul(packed, packedVectors));
  weights = index.add(weights, index.mul(part, lanes));
  OpFoldResult from = index.mul(pixel.batch, image.strides[0]);
  // The taps that lie in the image.
  OpFoldResult low[kAxes], high[kAxes];
  for (AxisName a : {kRow, kColumn}) {
    OpFoldResult before = index.constant(axes[a].before);
    low[a] = index.max(index.constant(0), index.sub(before, pixel.at[a]));
    high[a] = index.sub(index.add(axes[a].in, before), pixel.at[a]);
    high[a] = index.min(index.constant(kTaps), high[a]);
    OpFoldResult start = index.sub(pixel.at[a], before);
    from = index.add(from, index.mul(start, axes[a].ofImage));
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  int64_t perBlock = channelBlocks * lanes;
  auto overChannels = [&](OpFoldResult channel,
                          ValueRange ofChannel) -> SmallVector<Value> {
    OpFoldResult block = index.floorDiv(channel, lanes);
    OpFoldResult x = index.add(from, index.mul(block, imageBlock));
    OpFoldResult inBlock = index.sub(channel, index.mul(block, lanes));
    x = index.add(x, index.mul(inBlock, imageChannel));
    OpFoldResult whole = index.floorDiv(channel, perBlock);
    OpFoldResult w = index.add(weights, index.mul(whole, filterBlock));
    OpFoldResult inWhole = index.sub(channel, index.mul(whole, perBlock));
    w = index.add(w, index.mul(inWhole, filterChannel));
    auto overRows = [&](OpFoldResult row,
                        ValueRange ofRow) -> SmallVector<Value> {
      auto overColumns = [&](OpFoldResult column,
                             ValueRange sum) -> SmallVector<Value> {
        OpFoldResult atX = index.add(x, index.mul(row, axes[kRow].ofImage));
        atX = index.add(atX, index.mul(column, axes[kColumn].ofImage));
        OpFoldResult atW = index.add(w, index.mul(row, axes[kRow].ofFilter));
        atW = index.add(atW, index.mul(column, axes[kColumn].ofFilter));
        Value scalar = broadcast(
            memref::LoadOp::create(b, loc, image.memory, index.value(atX)));
        Value taps = loadVector(filter, atW);
        if (!filter.element.isF32())
          taps = arith::ExtFOp::create(b, loc, vectorType, taps);
        return {vector::FMAOp::create(b, loc, scalar, taps, sum[0])};
      };
      return carryLoop(index, low[kColumn], high[kColumn], 1, ofRow,
                       overColumns);
    };
    return carryLoop(index, low[kRow], high[kRow], 1, ofChannel, overRows);
  };
  return carryLoop(index, index.constant(0), index.constant(op.getChannels()),
                   1, zero, overChannels)[0];
}

/// A row of a square's pixels, or, if one of them is not a finite number, the
/// same as sums that are defined: an infinity or NaN in the image reaches the
/// windows that it is in, and no others, and numbers near the greatest one do
/// not overflow on the way.
SmallVector<Value> WinogradLoops::keepFinite(const Panel &panel,
                                             const Pixel &corner,
                                             OpFoldResult j, int64_t row,
                                             ValueRange pixels) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  Value product = zero; // NaN where a factor is not finite
  for (Value pixel : pixels)
    product = vector::FMAOp::create(b, loc, pixel, zero, product);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      product, product);
  Value isAny =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isNaN);
  SmallVector<Type> types(pixels.size(), vectorType);
  auto choice =
      scf::IfOp::create(b, loc, types, isAny, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, pixels);
  b.setInsertionPointToStart(choice.thenBlock());
  // A loop: code that is seldom run should be short.
  Value kept = makeScratch(kOutputs * lanes);
  overRange(index.constant(int64_t(pixels.size())), [&](OpFoldResult column) {
    Pixel pixel = corner;
    pixel.at[kRow] = index.add(corner.at[kRow], index.constant(row));
    pixel.at[kColumn] = index.add(corner.at[kColumn], column);
    Value sum = sumAsDefined(panel, pixel, j);
    store(sum, kept, index.mul(column, lanes));
  });
  SmallVector<Value> exact;
  for (int64_t x = 0; x < int64_t(pixels.size()); ++x)
    exact.push_back(load(kept, index.constant(x * lanes)));
  scf::YieldOp::create(b, loc, exact);
  return choice.getResults();
}

void WinogradLoops::finishSquare(const Band &band, const Panel &panel,
                                 OpFoldResult row, OpFoldResult column,
                                 int64_t pixelRows, int64_t pixelColumns) {
  int64_t width = panel.vectors * lanes,
          ofPlace = sumsOf(panel, squaresIn(band));
  OpFoldResult square = index.add(index.mul(row, perRow), column);
  Pixel corner{band.batch, {}};
  corner.at[kDepth] = index.constant(0);
  corner.at[kRow] = index.mul(index.add(band.firstRow, row), kOutputs);
  corner.at[kColumn] = index.mul(column, kOutputs);
  overRange(index.constant(panel.vectors), [&](OpFoldResult j) {
    OpFoldResult from = index.mul(square, width);
    from = index.add(from, index.mul(j, lanes));
    SmallVector<Value> places;
    for (int64_t i = 0; i < kPlacesOfSquare; ++i)
      places.push_back(
          load(sums, index.add(from, index.constant(i * ofPlace))));
    OpFoldResult block = index.add(index.mul(panel.number, panelVectors), j);
    SmallVector<Value> shared;
    for (const Extra &extra : extras)
      shared.push_back(isSharedByPixels(extra)
                           ? readExtra(extra, corner, block, 0, 0)
                           : Value());
    const Matrix &matrix = MinimalFiltering::get().sums;
    SmallVector<Value> halves = emitColumns(b, loc, matrix, places);
    for (int64_t y = 0; y < pixelRows; ++y) {
      SmallVector<Value> pixels = emitProduct(
          b, loc, matrix, ValueRange(halves).slice(y * kPoints, kPoints));
      pixels.truncate(pixelColumns);
      pixels = keepFinite(panel, corner, j, y, pixels);
      for (int64_t x = 0; x < pixelColumns; ++x) {
        SmallVector<Value> values(shared);
        for (auto [extra, value] : llvm::zip_equal(extras, values))
          if (!value)
            value = readExtra(extra, corner, block, y, x);
        OpFoldResult at = index.mul(band.batch, result.strides[0]);
        at = index.add(at, index.mul(block, result.strides[1]));
        at = index.add(at,
                       index.mul(index.add(corner.at[kRow], index.constant(y)),
                                 axes[kRow].ofResult));
        at = index.add(
            at, index.mul(index.add(corner.at[kColumn], index.constant(x)),
                          axes[kColumn].ofResult));
        store(emitEpilogue(b, loc, op, pixels[x], values), result.memory, at);
      }
    }
  });
}

/// A row of squares, which have `pixelRows` rows of pixels.
void WinogradLoops::finishRow(const Band &band, const Panel &panel,
                              OpFoldResult row, int64_t pixelRows) {
  int64_t whole = columns / kOutputs, rest = columns % kOutputs;
  overRange(index.constant(whole), [&](OpFoldResult column) {
    finishSquare(band, panel, row, column, pixelRows, kOutputs);
  });
  if (rest)
    finishSquare(band, panel, row, index.constant(whole), pixelRows, rest);
}

/// From sums to the result.
void WinogradLoops::finish(const Band &band, const Panel &panel) {
  OpFoldResult zero = index.constant(0), all = index.constant(band.rows);
  OpFoldResult whole =
      index.max(zero, index.min(all, index.sub(index.constant(rows / kOutputs),
                                               band.firstRow)));
  overRange(zero, whole,
            [&](OpFoldResult row) { finishRow(band, panel, row, kOutputs); });
  if (rows % kOutputs != 0)
    overRange(whole, all, [&](OpFoldResult row) {
      finishRow(band, panel, row, rows % kOutputs);
    });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The whole panels, then a narrower one.
void WinogradLoops::overPanels(
    function_ref<void(OpFoldResult, int64_t, int64_t)> body) {
  int64_t full = blocks / panelVectors, rest = blocks % panelVectors;
  if (full)
    body(index.constant(0), full, panelVectors);
  if (rest)
    body(index.constant(full), 1, rest);
}

/// All shares of a panel, up to the results: `prepare` has the weights of a
/// share ready, and says where.
void WinogradLoops::multiplyShares(
    const Band &band, const Panel &panel,
    function_ref<OpFoldResult(OpFoldResult share)> prepare) {
  int64_t squares = squaresIn(band);
  if (shares > 1)
    clear(sums, kPlacesOfSquare * sumsOf(panel, squares));
  overRange(index.constant(shares), [&](OpFoldResult share) {
    multiply(panel, squares, share, prepare(share));
  });
  finish(band, panel);
}

/// All weights first, then bands of squares, which threads share.
void WinogradLoops::emitBands() {
  Panel whole{index.constant(0), panelVectors};
  int64_t ofPanel = shares * kPlacesOfSquare * weightsOf(whole);
  weights = makeScratch(panels * ofPanel);
  auto placeOf = [&](const Panel &panel, OpFoldResult share) {
    OpFoldResult start = index.mul(panel.number, ofPanel);
    return index.add(start,
                     index.mul(share, kPlacesOfSquare * weightsOf(panel)));
  };
  overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
    parallelLoop(index, {index.constant(count), index.constant(shares)},
                 depth * vectors * kCyclesOfTransform,
                 [&](ArrayRef<OpFoldResult> at) {
                   Panel panel{index.add(first, at[0]), vectors};
                   transformWeights(panel, at[1], placeOf(panel, at[1]));
                 });
  });
  int64_t bandRows = schedule.getBand(), squares = bandRows * perRow;
  int64_t work =
      squares * (int64_t(op.getChannels()) * blocks * kPlacesOfSquare / 2 +
                 shares * channelsPerSquare / lanes * kCyclesOfTransform);
  parallelLoop(
      index, {batches, index.constant(squareRows / bandRows)}, work,
      [&](ArrayRef<OpFoldResult> at) {
        Band band{at[0], index.mul(at[1], bandRows), bandRows};
        pixels = makeScratch(shares * kPlacesOfSquare * pixelsOf(squares));
        sums = makeScratch(kPlacesOfSquare * sumsOf(whole, squares));
        overRange(index.constant(bandRows), [&](OpFoldResult row) {
          overRange(index.constant(shares), [&](OpFoldResult share) {
            transformRow(band, row, share);
          });
        });
        overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
          overRange(index.constant(count), [&](OpFoldResult number) {
            Panel panel{index.add(first, number), vectors};
            multiplyShares(band, panel, [&](OpFoldResult share) {
              return placeOf(panel, share);
            });
          });
        });
      });
}

/// Image by image: all pixels first, then panels of weights, which threads
/// share.
void WinogradLoops::emitImages() {
  int64_t squares = squareRows * perRow;
  pixels = makeScratch(shares * kPlacesOfSquare * pixelsOf(squares));
  overRange(batches, [&](OpFoldResult batch) {
    Band band{batch, index.constant(0), squareRows};
    parallelLoop(
        index, {index.constant(squareRows), index.constant(shares)},
        perRow * channelsPerSquare / lanes * kCyclesOfTransform,
        [&](ArrayRef<OpFoldResult> at) { transformRow(band, at[0], at[1]); });
    overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
      int64_t work = int64_t(op.getChannels()) * vectors *
                     (squares * kPlacesOfSquare / 2 + kCyclesOfTransform);
      parallelLoop(
          index, {index.constant(count)}, work, [&](ArrayRef<OpFoldResult> at) {
            Panel panel{index.add(first, at[0]), vectors};
            weights = makeScratch(kPlacesOfSquare * weightsOf(panel));
            sums = makeScratch(kPlacesOfSquare * sumsOf(panel, squares));
            multiplyShares(band, panel, [&](OpFoldResult share) {
              transformWeights(panel, share, index.constant(0));
              return index.constant(0);
            });
          });
    });
  });
}

void WinogradLoops::emit() {
  prepare();
  if (schedule.getBand())
    emitBands();
  else
    emitImages();
}

} // namespace

void onnxc::emitWinograd(OpBuilder &b, kernel::ConvOp op,
                         kernel::WinogradScheduleAttr schedule) {
  WinogradLoops(b, op, schedule).emit();
}
