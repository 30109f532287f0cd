//===- WinogradEmitter.cpp - Convolutions by minimal filtering ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result is cut into squares (4 x 4 pixels, or 4 of a row or of a column if
// one axis of the window has several taps), of which the last ones of a row or
// a column may have fewer pixels. For each place of a transformed square there
// is a matrix product: squares by channels, times channels by filters.
//
// The squares of all images are numbered one after the other, row by row, and
// products are made of runs of consecutive ones: rows and images may end within
// a run. Only how many squares there are depends on sizes that may be open;
// scratch memory is that of the longest run.
//
// Of three dimensions, results are those of slices of the image, and the taps
// of a window along the depth meet shares of channels of their own: pixels of
// the slices before and behind. So do the parts that a window is cut into if it
// has more taps than are filtered at a time.
//
// Weights are transformed at run time, out of the panels that other schedules
// read: transformed ones would be four times as large as the model, and to load
// them takes longer than to make them. They are made once for all runs, or in
// each panel for all squares of a run.
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "WinogradLoops.h"
#include "WinogradSchedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

void WinogradLoops::prepare() {
  prepareOperands(schedule.getBlocks());
  rows = axes[kRow].out;
  columns = axes[kColumn].out;
  slices = axes[kDepth].out;
  squareRows = index.ceilDiv(rows, filtering.rows.outputs);
  perRow = index.ceilDiv(columns, filtering.columns.outputs);
  depth = schedule.getDepth();
  // no overflow: a tile's squares have at most some hundred times the elements
  // of the image and of the result, and a share's weights of those in memory
  sharesOfPart = int64_t(op.getChannels()) / depth;
  parts[kDepth] = axes[kDepth].taps;
  parts[kRow] = llvm::divideCeil(axes[kRow].taps, filtering.rows.taps);
  parts[kColumn] = llvm::divideCeil(axes[kColumn].taps, filtering.columns.taps);
  shares = llvm::product_of(parts) * sharesOfPart;
  channelsPerSquare = llvm::alignTo(depth, lanes);
  int64_t outputs = filtering.columns.outputs,
          beside = filtering.columns.taps - 1;
  int64_t fit =
      kStripBytes / (filtering.rows.points() * lanes * int64_t(sizeof(float))) -
      beside;
  perPiece = std::max<int64_t>(fit / outputs, 1);
  // Pieces of whole rows begin and end with them.
  if (std::optional<int64_t> known = getConstantIntValue(perRow);
      known && *known <= perPiece)
    perPiece = *known;
  stripColumns = perPiece * outputs + beside;
}

//===----------------------------------------------------------------------===//
// Numbers and memory
//===----------------------------------------------------------------------===//

Value WinogradLoops::compare(arith::CmpIPredicate how, OpFoldResult x,
                             OpFoldResult y) {
  Value left = index.value(x);
  return arith::CmpIOp::create(b, loc, how, left, index.value(y));
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

//===----------------------------------------------------------------------===//
// Squares
//===----------------------------------------------------------------------===//

Run WinogradLoops::runOf(OpFoldResult number) {
  OpFoldResult image = index.constant(0), before = image;
  if (isByImage) {
    image = index.quotient(number, runs);
    before = index.mul(image, ofImage);
    number = index.sub(number, index.mul(image, runs));
  }
  OpFoldResult inTotal = index.mul(number, perRun),
               first = index.add(before, inTotal);
  std::optional<int64_t> all = getConstantIntValue(total),
                         each = getConstantIntValue(perRun);
  if (all && each && *all % *each == 0)
    return {first, perRun};
  return {first, index.min(perRun, index.sub(total, inTotal))};
}

Share WinogradLoops::shareOf(OpFoldResult number) {
  // Channels of a part follow each other, then parts along each axis.
  Share share;
  OpFoldResult part = index.constant(0);
  if (shares > sharesOfPart) {
    part = index.floorDiv(number, sharesOfPart);
    number = index.sub(number, index.mul(part, sharesOfPart));
  }
  share.first = index.mul(number, depth);
  share.block = index.mul(number, depth / lanes);
  int64_t taken[] = {1, filtering.rows.taps, filtering.columns.taps},
          inner = llvm::product_of(parts);
  for (AxisName a : {kDepth, kRow, kColumn}) {
    inner /= parts[a];
    OpFoldResult own = index.constant(0);
    if (parts[a] > 1) {
      own = index.floorDiv(part, inner);
      part = index.sub(part, index.mul(own, inner));
    }
    share.tap[a] = index.mul(own, taken[a]);
  }
  return share;
}

/// The squares from number `from` to `to`, row by row.
void WinogradLoops::overRows(OpFoldResult from, OpFoldResult to,
                             function_ref<void(const RowPart &)> body) {
  OpFoldResult first = index.quotient(from, perRow);
  overRange(first, index.quotientUp(to, perRow), [&](OpFoldResult number) {
    RowPart part;
    OpFoldResult image = index.quotient(number, squareRows);
    part.row = index.sub(number, index.mul(image, squareRows));
    part.batch = image;
    part.slice = index.constant(0);
    if (!isIndex(slices, 1)) {
      part.batch = index.quotient(image, slices);
      part.slice = index.sub(image, index.mul(part.batch, slices));
    }
    part.start = index.mul(number, perRow);
    part.low = index.max(index.constant(0), index.sub(from, part.start));
    part.high = index.min(perRow, index.sub(to, part.start));
    body(part);
  });
}

/// The step of the sizes of the tile that ends a run.
static int64_t restStep(int64_t tile) { return llvm::divideCeil(tile, 3); }

/// The squares of a run, and those behind it that its last tile has.
OpFoldResult WinogradLoops::countMultiplied(const Run &run) {
  if (getConstantIntValue(run.count))
    return run.count;
  int64_t tile = schedule.getSquares(), step = restStep(tile);
  OpFoldResult whole = index.mul(index.floorDiv(run.count, tile), tile);
  OpFoldResult rest = index.ceilDiv(index.sub(run.count, whole), step);
  return index.add(whole,
                   index.min(index.mul(rest, step), index.constant(tile)));
}

OpFoldResult WinogradLoops::countPieces(const Run &run) {
  return index.ceilDiv(countMultiplied(run), perPiece);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Fetches the pixels of `count` squares into the first level of the cache.
void WinogradLoops::prefetchSquares(OpFoldResult at, int64_t count) {
  constexpr int64_t line = kCacheLine / sizeof(float);
  carryLoop(index, index.constant(0), index.constant(count * channelsPerSquare),
            line, {}, [&](OpFoldResult i, ValueRange) -> SmallVector<Value> {
              memref::PrefetchOp::create(
                  b, loc, pixels, index.value(index.add(at, i)),
                  /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
              return {};
            });
}

/// A register tile: `count` squares, all filters of the panel, all channels of
/// the share, which are summed up by themselves: MinimalFiltering's estimate
/// counts on that. Adds to the sums of the shares before.
void WinogradLoops::multiplySquares(const Panel &panel, OpFoldResult atPixels,
                                    OpFoldResult atWeights, OpFoldResult atSums,
                                    OpFoldResult share, int64_t count) {
  int64_t width = panel.vectors * lanes;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  SmallVector<Value> start(count * panel.vectors, zero);
  prefetchSquares(
      index.add(atPixels, index.constant(count * channelsPerSquare)), count);
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
  Value isFirst =
      shares > 1 ? compare(arith::CmpIPredicate::eq, share, index.constant(0))
                 : Value();
  for (auto [i, total] : llvm::enumerate(totals)) {
    // A square's vectors follow each other.
    OpFoldResult place = index.add(atSums, index.constant(int64_t(i) * lanes));
    if (isFirst) {
      Value before =
          arith::SelectOp::create(b, loc, isFirst, zero, load(sums, place));
      total = arith::AddFOp::create(b, loc, before, total);
    }
    store(total, sums, place);
  }
}

/// All products of one share; sums are [places, squares, filters of the panel].
void WinogradLoops::multiply(const Panel &panel, const Run &run,
                             OpFoldResult share, OpFoldResult atWeights) {
  int64_t width = panel.vectors * lanes, most = schedule.getSquares();
  overRange(index.constant(places), [&](OpFoldResult place) {
    prefetchNextShare(panel, share, place);
    OpFoldResult matrix = index.add(index.mul(share, places), place);
    OpFoldResult fromPixels = index.mul(matrix, pixelsOfPlace());
    OpFoldResult fromWeights =
        index.add(atWeights, index.mul(place, weightsOf(panel)));
    OpFoldResult toSums = index.mul(place, sumsOf(panel));
    auto tilesOf = [&](OpFoldResult from, OpFoldResult to, int64_t size) {
      carryLoop(index, from, to, size, {},
                [&](OpFoldResult square, ValueRange) -> SmallVector<Value> {
                  OpFoldResult at = index.add(
                      fromPixels, index.mul(square, channelsPerSquare));
                  OpFoldResult to = index.add(toSums, index.mul(square, width));
                  multiplySquares(panel, at, fromWeights, to, share, size);
                  return {};
                });
    };
    if (std::optional<int64_t> squares = getConstantIntValue(run.count)) {
      // Tiles of about equal size.
      int64_t tiles = llvm::divideCeil(*squares, most),
              small = *squares / tiles, large = *squares % tiles;
      OpFoldResult change = index.constant(large * (small + 1));
      tilesOf(index.constant(0), change, small + 1);
      tilesOf(change, run.count, small);
      return;
    }
    OpFoldResult whole = index.mul(index.floorDiv(run.count, most), most);
    tilesOf(index.constant(0), whole, most);
    int64_t step = restStep(most);
    OpFoldResult rest = index.ceilDiv(index.sub(run.count, whole), step);
    switchOver(index, rest, llvm::divideCeil(most, step),
               [&](std::optional<int64_t> steps) {
                 int64_t size = steps ? *steps * step : most;
                 if (size > 0)
                   tilesOf(whole, index.add(whole, index.constant(size)), size);
               });
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
    const Run &run, const Panel &panel,
    function_ref<OpFoldResult(OpFoldResult share)> prepare) {
  overRange(index.constant(shares), [&](OpFoldResult share) {
    multiply(panel, run, share, prepare(share));
  });
  finish(run, panel);
}

/// All weights first, then runs, which threads share.
void WinogradLoops::emitWeightsFirst() {
  Panel whole{index.constant(0), panelVectors};
  int64_t ofPanel = shares * places * weightsOf(whole);
  weights = makeScratch(panels * ofPanel);
  auto placeOf = [&](const Panel &panel, OpFoldResult share) {
    OpFoldResult start = index.mul(panel.number, ofPanel);
    return index.add(start, index.mul(share, places * weightsOf(panel)));
  };
  overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
    parallelLoop(index, {index.constant(count), index.constant(shares)},
                 depth * vectors * kCyclesOfTransform,
                 [&](ArrayRef<OpFoldResult> at) {
                   Panel panel{index.add(first, at[0]), vectors};
                   transformWeights(panel, at[1], placeOf(panel, at[1]));
                 });
  });
  int64_t work =
      mostSquares * (shares * depth * blocks * places / 2 +
                     shares * channelsPerSquare / lanes * kCyclesOfTransform);
  parallelLoop(index, {allRuns()}, work, [&](ArrayRef<OpFoldResult> at) {
    Run run = runOf(at[0]);
    pixels = makeScratch(shares * places * pixelsOfPlace());
    sums = makeScratch(places * sumsOf(whole));
    overRange(countPieces(run), [&](OpFoldResult piece) {
      overRange(index.constant(shares),
                [&](OpFoldResult share) { transformPiece(run, piece, share); });
    });
    overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
      overRange(index.constant(count), [&](OpFoldResult number) {
        Panel panel{index.add(first, number), vectors};
        multiplyShares(run, panel, [&](OpFoldResult share) {
          return placeOf(panel, share);
        });
      });
    });
  });
}

/// Run by run: all its pixels first, then panels of weights, which threads
/// share.
void WinogradLoops::emitPanelByPanel() {
  pixels = makeScratch(shares * places * pixelsOfPlace());
  overRange(allRuns(), [&](OpFoldResult number) {
    Run run = runOf(number);
    parallelLoop(
        index, {countPieces(run), index.constant(shares)},
        perPiece * channelsPerSquare / lanes * kCyclesOfTransform,
        [&](ArrayRef<OpFoldResult> at) { transformPiece(run, at[0], at[1]); });
    overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
      int64_t work = shares * depth * vectors *
                     (mostSquares * places / 2 + kCyclesOfTransform);
      parallelLoop(index, {index.constant(count)}, work,
                   [&](ArrayRef<OpFoldResult> at) {
                     Panel panel{index.add(first, at[0]), vectors};
                     weights = makeScratch(places * weightsOf(panel));
                     sums = makeScratch(places * sumsOf(panel));
                     multiplyShares(run, panel, [&](OpFoldResult share) {
                       transformWeights(panel, share, index.constant(0));
                       return index.constant(0);
                     });
                   });
    });
  });
}

OpFoldResult WinogradLoops::allRuns() {
  return isByImage ? index.mul(batches, runs) : runs;
}

/// How many runs there are, and how long: all of about the same length.
void WinogradLoops::cutRuns() {
  int64_t most = schedule.getRun(), tile = schedule.getSquares();
  ofImage = index.mul(slices, index.mul(squareRows, perRow));
  // Images whose number alone is not known have runs of their own.
  isByImage = !schedule.getDirect() && !getConstantIntValue(batches);
  total = isByImage ? ofImage : index.mul(batches, ofImage);
  if (std::optional<int64_t> known = getConstantIntValue(total)) {
    perRun = index.constant(std::min(most, *known));
    runs = index.quotientUp(total, perRun);
    mostSquares = std::min(most, *known);
    if (*known % mostSquares != 0)
      mostSquares = llvm::alignTo(mostSquares, tile);
    return;
  }
  mostSquares = llvm::alignTo(most, tile);
  runs = index.ceilDiv(total, most);
  // Threads should have some to share.
  if (schedule.getWeightsFirst())
    runs = index.max(runs, index.min(index.constant(kFewPanels),
                                     index.floorDiv(total, tile)));
  runs = index.max(runs, index.constant(1));
  perRun = index.mul(index.ceilDiv(index.quotientUp(total, runs), tile), tile);
  perRun = index.max(perRun, index.constant(tile));
  runs = index.quotientUp(total, perRun);
}

/// Whether less time is expected than for the sums as they are defined.
Value WinogradLoops::emitPays() {
  OpFoldResult all = index.mul(batches, slices);
  all = index.mul(all, rows);
  all = index.mul(all, columns);
  // no overflow: pixels have several channels in memory
  OpFoldResult cost = index.mul(total, schedule.getSquareCost());
  cost = index.add(cost, index.constant(schedule.getFixedCost()));
  return compare(arith::CmpIPredicate::slt, cost, index.mul(all, 16));
}

void WinogradLoops::emit(TargetAttr target) {
  prepare();
  cutRuns();
  auto emitLoops = [&] {
    if (schedule.getWeightsFirst())
      emitWeightsFirst();
    else
      emitPanelByPanel();
  };
  if (!schedule.getDirect())
    return emitLoops();
  auto choice = scf::IfOp::create(b, loc, emitPays(), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitLoops();
  b.setInsertionPointToStart(choice.elseBlock());
  emitVectors(b, op, schedule.getDirect(), target);
}

void onnxc::emitWinograd(OpBuilder &b, kernel::ConvOp op,
                         kernel::WinogradScheduleAttr schedule,
                         TargetAttr target) {
  WinogradLoops(b, op, schedule).emit(target);
}
