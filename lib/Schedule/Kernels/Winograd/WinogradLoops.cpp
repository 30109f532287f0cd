//===- WinogradLoops.cpp - The loops of minimal filtering -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The squares of all images are numbered one after the other, row by row, and
// products are made of runs of consecutive ones: rows and images may end within
// a run. Only how many squares there are depends on sizes that may be open;
// scratch memory is that of the longest run.
//
//===----------------------------------------------------------------------===//

#include "WinogradLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::winograd;

//===----------------------------------------------------------------------===//
// Numbers and memory
//===----------------------------------------------------------------------===//

Value WinogradLoops::compare(arith::CmpIPredicate how, OpFoldResult x,
                             OpFoldResult y) {
  Value left = math.value(x);
  return arith::CmpIOp::create(math.b, math.loc, how, left, math.value(y));
}

Value WinogradLoops::makeScratch(int64_t elements) {
  return memref::AllocOp::create(
      math.b, math.loc,
      MemRefType::get({elements}, sizes.vectorType.getElementType()),
      math.b.getI64IntegerAttr(kCacheLine));
}

Value WinogradLoops::loadBlock(Value memory, OpFoldResult at) {
  return vector::LoadOp::create(math.b, math.loc, sizes.vectorType, memory,
                                math.value(at));
}

void WinogradLoops::storeBlock(Value vector, Value memory, OpFoldResult at) {
  vector::StoreOp::create(math.b, math.loc, vector, memory, math.value(at));
}

void WinogradLoops::overRange(OpFoldResult from, OpFoldResult to,
                              function_ref<void(OpFoldResult)> body) {
  carryLoop(math, from, to, 1, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              body(at);
              return {};
            });
}

void WinogradLoops::overRange(OpFoldResult to,
                              function_ref<void(OpFoldResult)> body) {
  overRange(math.constant(0), to, body);
}

//===----------------------------------------------------------------------===//
// Squares
//===----------------------------------------------------------------------===//

Run WinogradLoops::runOf(OpFoldResult number) {
  OpFoldResult image = math.constant(0), before = image;
  if (isByImage) {
    image = math.quotient(number, runs);
    before = math.mul(image, ofImage);
    number = math.sub(number, math.mul(image, runs));
  }
  OpFoldResult inTotal = math.mul(number, perRun),
               first = math.add(before, inTotal);
  std::optional<int64_t> all = getConstantIntValue(total),
                         each = getConstantIntValue(perRun);
  if (all && each && *all % *each == 0)
    return {first, perRun};
  return {first, math.min(perRun, math.sub(total, inTotal))};
}

/// The squares from number `from` to `to`, row by row.
void WinogradLoops::overRows(OpFoldResult from, OpFoldResult to,
                             function_ref<void(const RowPart &)> body) {
  OpFoldResult first = math.quotient(from, perRow);
  overRange(first, math.quotientUp(to, perRow), [&](OpFoldResult number) {
    RowPart part;
    OpFoldResult image = math.quotient(number, squareRows);
    part.row = math.sub(number, math.mul(image, squareRows));
    part.batch = image;
    part.slice = math.constant(0);
    if (!isIndex(sizes.slices, 1)) {
      part.batch = math.quotient(image, sizes.slices);
      part.slice = math.sub(image, math.mul(part.batch, sizes.slices));
    }
    part.start = math.mul(number, perRow);
    part.low = math.max(math.constant(0), math.sub(from, part.start));
    part.high = math.min(perRow, math.sub(to, part.start));
    body(part);
  });
}

/// The step of the sizes of the tile that ends a run.
static int64_t restStep(int64_t tile) { return llvm::divideCeil(tile, 3); }

/// The squares of a run, and those behind it that its last tile has.
OpFoldResult WinogradLoops::countMultiplied(const Run &run) {
  if (getConstantIntValue(run.count))
    return run.count;
  int64_t tile = plan.getSquares(), step = restStep(tile);
  OpFoldResult whole = math.mul(math.floorDiv(run.count, tile), tile);
  OpFoldResult rest = math.ceilDiv(math.sub(run.count, whole), step);
  return math.add(whole, math.min(math.mul(rest, step), math.constant(tile)));
}

OpFoldResult WinogradLoops::countPieces(const Run &run) {
  return math.ceilDiv(countMultiplied(run), sizes.perPiece);
}

/// Squares behind the last one are multiplied with it. What would lie there
/// could be slow to multiply: subnormal numbers.
void WinogradLoops::clearSquares(OpFoldResult from, OpFoldResult to,
                                 OpFoldResult share) {
  Value zero = arith::ConstantOp::create(math.b, math.loc,
                                         math.b.getZeroAttr(sizes.vectorType));
  int64_t ofPlace = pixelsOfPlace();
  OpFoldResult low = math.mul(from, sizes.elementsOfSquare),
               high = math.mul(to, sizes.elementsOfSquare);
  overRange(math.constant(places), [&](OpFoldResult place) {
    OpFoldResult start =
        math.mul(math.add(math.mul(share, places), place), ofPlace);
    carryLoop(math, low, high, blockLanes(), {},
              [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
                storeBlock(zero, pixels, math.add(start, at));
                return {};
              });
  });
}

/// Transforms the pixels of some consecutive squares of a run.
void WinogradLoops::transformPiece(const Run &run, OpFoldResult piece,
                                   OpFoldResult group, OpFoldResult share) {
  OpFoldResult from = math.mul(piece, sizes.perPiece),
               to = math.add(from, math.constant(sizes.perPiece));
  std::optional<int64_t> count = getConstantIntValue(run.count);
  OpFoldResult end = to;
  if (!count || *count % sizes.perPiece != 0)
    end = math.min(to, run.count);
  OpFoldResult firstSquare = math.add(run.first, from);
  overRows(firstSquare, math.add(run.first, end), [&](const RowPart &part) {
    transformSquares(run, part, group, share);
  });
  if (count || !isa<FloatType>(sizes.vectorType.getElementType()))
    return;
  OpFoldResult firstClear = math.max(from, run.count);
  clearSquares(firstClear, math.min(to, countMultiplied(run)), share);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Fetches the pixels of `count` squares into the first level of the cache.
void WinogradLoops::prefetchSquares(OpFoldResult at, int64_t count) {
  constexpr int64_t line = kCacheLine / kElementBytes;
  carryLoop(math, math.constant(0),
            math.constant(count * sizes.elementsOfSquare), line, {},
            [&](OpFoldResult i, ValueRange) -> SmallVector<Value> {
              memref::PrefetchOp::create(
                  math.b, math.loc, pixels, math.value(math.add(at, i)),
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
  int64_t width = panel.vectors * blockLanes();
  Value zero = arith::ConstantOp::create(math.b, math.loc,
                                         math.b.getZeroAttr(sizes.vectorType));
  SmallVector<Value> start(count * panel.vectors, zero);
  prefetchSquares(
      math.add(atPixels, math.constant(count * sizes.elementsOfSquare)), count);
  int64_t together = isCountingCostly(count * panel.vectors) &&
                             plan.getDepth() % kStepsTogether == 0
                         ? kStepsTogether
                         : 1;
  SmallVector<Value> totals = carryLoop(
      math, math.constant(0), math.constant(plan.getDepth()), together, start,
      [&](OpFoldResult first, ValueRange carried) {
        SmallVector<Value> next(carried);
        OpFoldResult row = math.add(atWeights, math.mul(first, width)),
                     column = math.add(atPixels, first);
        for (int64_t own = 0; own < together; ++own) {
          SmallVector<Value> w;
          for (int64_t j = 0; j < panel.vectors; ++j)
            w.push_back(loadBlock(
                weights,
                math.add(row, math.constant(own * width + j * blockLanes()))));
          for (int64_t square = 0; square < count; ++square) {
            OpFoldResult at = math.add(
                column, math.constant(own + square * sizes.elementsOfSquare));
            Value element = memref::LoadOp::create(math.b, math.loc, pixels,
                                                   math.value(at));
            Value wide = vector::BroadcastOp::create(math.b, math.loc,
                                                     sizes.vectorType, element);
            for (int64_t j = 0; j < panel.vectors; ++j) {
              Value &sum = next[square * panel.vectors + j];
              sum = multiplyAdd(wide, w[j], sum);
            }
          }
        }
        return next;
      });
  Value isFirst = sizes.shares > 1 ? compare(arith::CmpIPredicate::eq, share,
                                             math.constant(0))
                                   : Value();
  for (auto [i, total] : llvm::enumerate(totals)) {
    // A square's vectors follow each other.
    OpFoldResult place =
        math.add(atSums, math.constant(int64_t(i) * blockLanes()));
    if (isFirst) {
      Value before = arith::SelectOp::create(math.b, math.loc, isFirst, zero,
                                             loadBlock(sums, place));
      total = addSums(before, total);
    }
    storeBlock(total, sums, place);
  }
}

/// All products of one share; sums are [places, squares, filters of the panel].
void WinogradLoops::multiplyShare(const Panel &panel, const Run &run,
                                  OpFoldResult share, OpFoldResult atWeights) {
  int64_t width = panel.vectors * blockLanes(), most = plan.getSquares();
  overRange(math.constant(places), [&](OpFoldResult place) {
    prefetchNextShare(panel, share, place);
    OpFoldResult matrix = math.add(math.mul(share, places), place);
    OpFoldResult fromPixels = math.mul(matrix, pixelsOfPlace());
    OpFoldResult fromWeights =
        math.add(atWeights, math.mul(place, weightsOf(panel)));
    OpFoldResult toSums = math.mul(place, sumsOf(panel));
    auto tilesOf = [&](OpFoldResult from, OpFoldResult to, int64_t size) {
      carryLoop(math, from, to, size, {},
                [&](OpFoldResult square, ValueRange) -> SmallVector<Value> {
                  OpFoldResult at = math.add(
                      fromPixels, math.mul(square, sizes.elementsOfSquare));
                  OpFoldResult to = math.add(toSums, math.mul(square, width));
                  multiplySquares(panel, at, fromWeights, to, share, size);
                  return {};
                });
    };
    if (std::optional<int64_t> squares = getConstantIntValue(run.count)) {
      // Tiles of about equal size.
      int64_t tiles = llvm::divideCeil(*squares, most),
              small = *squares / tiles, large = *squares % tiles;
      OpFoldResult change = math.constant(large * (small + 1));
      tilesOf(math.constant(0), change, small + 1);
      tilesOf(change, run.count, small);
      return;
    }
    OpFoldResult whole = math.mul(math.floorDiv(run.count, most), most);
    tilesOf(math.constant(0), whole, most);
    int64_t step = restStep(most);
    OpFoldResult rest = math.ceilDiv(math.sub(run.count, whole), step);
    switchOver(math, rest, llvm::divideCeil(most, step),
               [&](std::optional<int64_t> steps) {
                 int64_t size = steps ? *steps * step : most;
                 if (size > 0)
                   tilesOf(whole, math.add(whole, math.constant(size)), size);
               });
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool WinogradLoops::areWhole(OpFoldResult extent, int64_t outputs) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  return outputs == 1 || (known && *known % outputs == 0);
}

/// From sums to the result: of each row the squares that have all pixels, then
/// the others.
void WinogradLoops::finish(const Run &run, const Panel &panel) {
  int64_t high = filtering.rows.outputs, wide = filtering.columns.outputs;
  bool areWholeRows = areWhole(sizes.rows, high),
       areWholeColumns = areWhole(sizes.columns, wide);
  overRows(run.first, math.add(run.first, run.count), [&](const RowPart &part) {
    auto over = [&](OpFoldResult from, OpFoldResult to, bool isWhole) {
      overRange(from, to, [&](OpFoldResult column) {
        Corner corner;
        corner.batch = part.batch;
        corner.slice = part.slice;
        corner.row = math.mul(part.row, high);
        corner.column = math.mul(column, wide);
        corner.rows = math.constant(high);
        corner.columns = math.constant(wide);
        if (!isWhole) {
          corner.rows = math.min(corner.rows, math.sub(sizes.rows, corner.row));
          corner.columns =
              math.min(corner.columns, math.sub(sizes.columns, corner.column));
        }
        finishSquare(panel, math.sub(math.add(part.start, column), run.first),
                     corner);
      });
    };
    OpFoldResult whole = part.high;
    if (!areWholeColumns)
      whole = math.max(part.low,
                       math.min(whole, math.floorDiv(sizes.columns, wide)));
    if (!areWholeRows) {
      Value isWholeRow = compare(arith::CmpIPredicate::slt, part.row,
                                 math.floorDiv(sizes.rows, high));
      Value all = math.value(whole), none = math.value(part.low);
      whole = arith::SelectOp::create(math.b, math.loc, isWholeRow, all, none)
                  .getResult();
    }
    over(part.low, whole, /*isWhole=*/true);
    if (!areWholeColumns || !areWholeRows)
      over(whole, part.high, /*isWhole=*/false);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The whole panels, then a narrower one.
void WinogradLoops::overPanels(
    function_ref<void(OpFoldResult, int64_t, int64_t)> body) {
  int64_t full = sizes.blocks / tileBlocks, rest = sizes.blocks % tileBlocks;
  if (full)
    body(math.constant(0), full, tileBlocks);
  if (rest)
    body(math.constant(full), 1, rest);
}

/// All shares of a panel, up to the results: `prepare` has the weights of a
/// share ready, and says where.
void WinogradLoops::multiplyShares(
    const Run &run, const Panel &panel,
    function_ref<OpFoldResult(OpFoldResult share)> prepare) {
  overRange(math.constant(sizes.shares), [&](OpFoldResult share) {
    multiplyShare(panel, run, share, prepare(share));
  });
  finish(run, panel);
}

/// All pixels of a run that one group's filters meet.
void WinogradLoops::transformGroup(const Run &run, OpFoldResult group) {
  overRange(countPieces(run), [&](OpFoldResult piece) {
    overRange(math.constant(sizes.shares), [&](OpFoldResult share) {
      transformPiece(run, piece, group, share);
    });
  });
}

/// Transformed weights of a group: [panels, shares, places, elements of the
/// share, filters of the panel].
int64_t WinogradLoops::weightsOfGroup() {
  Panel whole{math.constant(0), math.constant(0), tileBlocks};
  return llvm::divideCeil(sizes.blocks, tileBlocks) * sizes.shares * places *
         weightsOf(whole);
}

OpFoldResult WinogradLoops::placeOfTransformed(const Panel &panel,
                                               OpFoldResult share) {
  Panel whole{math.constant(0), math.constant(0), tileBlocks};
  OpFoldResult start =
      math.mul(panel.number, sizes.shares * places * weightsOf(whole));
  return math.add(start, math.mul(share, places * weightsOf(panel)));
}

/// All panels of a group, whose weights are transformed.
void WinogradLoops::multiplyGroup(const Run &run, OpFoldResult group) {
  overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
    overRange(math.constant(count), [&](OpFoldResult number) {
      Panel panel{group, math.add(first, number), vectors};
      multiplyShares(run, panel, [&](OpFoldResult share) {
        return placeOfTransformed(panel, share);
      });
    });
  });
}

/// All weights first, then runs, which threads share.
void WinogradLoops::emitWeightsFirst() {
  OpFoldResult group = math.constant(0); // the only one
  Panel whole{group, math.constant(0), tileBlocks};
  weights = makeScratch(weightsOfGroup());
  overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
    parallelLoop(math, {math.constant(count), math.constant(sizes.shares)},
                 plan.getDepth() * vectors * kCyclesOfTransform,
                 [&](ArrayRef<OpFoldResult> at) {
                   Panel panel{group, math.add(first, at[0]), vectors};
                   transformWeights(panel, at[1],
                                    placeOfTransformed(panel, at[1]));
                 });
  });
  int64_t work = mostSquares *
                 (sizes.shares * plan.getDepth() * sizes.blocks * places / 2 +
                  sizes.shares * sizes.elementsOfSquare / blockLanes() *
                      kCyclesOfTransform);
  parallelLoop(math, {allRuns()}, work, [&](ArrayRef<OpFoldResult> at) {
    Run run = runOf(at[0]);
    pixels = makeScratch(sizes.shares * places * pixelsOfPlace());
    sums = makeScratch(places * sumsOf(whole));
    transformGroup(run, group);
    multiplyGroup(run, group);
  });
}

/// Run by run: all its pixels first, then panels of weights, which threads
/// share.
void WinogradLoops::emitPanelByPanel() {
  pixels = makeScratch(sizes.shares * places * pixelsOfPlace());
  auto emitGroup = [&](const Run &run, OpFoldResult group) {
    OpFoldResult pieces = countPieces(run);
    parallelLoop(math, {pieces, math.constant(sizes.shares)},
                 sizes.perPiece * sizes.elementsOfSquare / blockLanes() *
                     kCyclesOfTransform,
                 [&](ArrayRef<OpFoldResult> at) {
                   transformPiece(run, at[0], group, at[1]);
                 });
    overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
      int64_t work = sizes.shares * plan.getDepth() * vectors *
                     (mostSquares * places / 2 + kCyclesOfTransform);
      parallelLoop(math, {math.constant(count)}, work,
                   [&](ArrayRef<OpFoldResult> at) {
                     Panel panel{group, math.add(first, at[0]), vectors};
                     weights = makeScratch(places * weightsOf(panel));
                     sums = makeScratch(places * sumsOf(panel));
                     multiplyShares(run, panel, [&](OpFoldResult share) {
                       transformWeights(panel, share, math.constant(0));
                       return math.constant(0);
                     });
                   });
    });
  };
  overRange(allRuns(), [&](OpFoldResult number) {
    Run run = runOf(number);
    overRange(math.constant(sizes.groups),
              [&](OpFoldResult group) { emitGroup(run, group); });
  });
}

/// Tasks that have the same group: few, as each transforms its weights.
OpFoldResult WinogradLoops::countParts() {
  constexpr int64_t kSquaresOfPart = 64;
  OpFoldResult parts = math.min(
      math.constant(llvm::divideCeil(kFewPanels, sizes.groups)), allRuns());
  OpFoldResult squares = isByImage ? math.mul(sizes.batches, ofImage) : total;
  return math.max(math.constant(1),
                  math.min(parts, math.floorDiv(squares, kSquaresOfPart)));
}

/// Group by group, and parts of its runs, which threads share: all weights of
/// the group first, then runs, so short that what they need stays near.
void WinogradLoops::emitGroupByGroup() {
  Panel whole{math.constant(0), math.constant(0), tileBlocks};
  int64_t ofBlocks = sizes.shares * plan.getDepth() * sizes.blocks *
                     (mostSquares * places / 2 + kCyclesOfTransform),
          ofPixels = mostSquares * sizes.shares * sizes.elementsOfSquare /
                     blockLanes() * kCyclesOfTransform;
  OpFoldResult parts = countParts(), ofPart = math.quotientUp(allRuns(), parts);
  int64_t runsOfPart = getConstantIntValue(ofPart).value_or(1);
  parallelLoop(
      math, {math.constant(sizes.groups), parts},
      runsOfPart * (ofBlocks + ofPixels), [&](ArrayRef<OpFoldResult> at) {
        weights = makeScratch(weightsOfGroup());
        pixels = makeScratch(sizes.shares * places * pixelsOfPlace());
        sums = makeScratch(places * sumsOf(whole));
        overPanels([&](OpFoldResult first, int64_t count, int64_t vectors) {
          overRange(math.constant(count), [&](OpFoldResult number) {
            Panel panel{at[0], math.add(first, number), vectors};
            overRange(math.constant(sizes.shares), [&](OpFoldResult share) {
              transformWeights(panel, share, placeOfTransformed(panel, share));
            });
          });
        });
        OpFoldResult from = math.mul(at[1], ofPart),
                     to = math.min(allRuns(), math.add(from, ofPart));
        overRange(from, to, [&](OpFoldResult number) {
          Run run = runOf(number);
          transformGroup(run, at[0]);
          multiplyGroup(run, at[0]);
        });
      });
}

OpFoldResult WinogradLoops::allRuns() {
  return isByImage ? math.mul(sizes.batches, runs) : runs;
}

/// How many runs there are, and how long: all of about the same length.
void WinogradLoops::cutRuns() {
  int64_t most = plan.getRun(), tile = plan.getSquares();
  ofImage = math.mul(sizes.slices, math.mul(squareRows, perRow));
  // Images whose number alone is not known have runs of their own.
  isByImage = !plan.getDirect() && !getConstantIntValue(sizes.batches);
  total = isByImage ? ofImage : math.mul(sizes.batches, ofImage);
  if (std::optional<int64_t> known = getConstantIntValue(total)) {
    perRun = math.constant(std::min(most, *known));
    runs = math.quotientUp(total, perRun);
    mostSquares = std::min(most, *known);
    if (*known % mostSquares != 0)
      mostSquares = llvm::alignTo(mostSquares, tile);
    return;
  }
  mostSquares = llvm::alignTo(most, tile);
  runs = math.ceilDiv(total, most);
  // Threads should have some to share.
  if (plan.getWeightsFirst())
    runs = math.max(
        runs, math.min(math.constant(kFewPanels), math.floorDiv(total, tile)));
  runs = math.max(runs, math.constant(1));
  perRun = math.mul(math.ceilDiv(math.quotientUp(total, runs), tile), tile);
  perRun = math.max(perRun, math.constant(tile));
  runs = math.quotientUp(total, perRun);
}

/// Whether less time is expected than for the sums as they are defined.
Value WinogradLoops::emitPays() {
  OpFoldResult all = math.mul(sizes.batches, sizes.slices);
  all = math.mul(all, sizes.rows);
  all = math.mul(all, sizes.columns);
  // no overflow: pixels have several channels in memory
  OpFoldResult cost = math.mul(total, plan.getSquareCost());
  cost = math.add(cost, math.constant(plan.getFixedCost()));
  return compare(arith::CmpIPredicate::slt, cost, math.mul(all, 16));
}

void WinogradLoops::emitLoops(const Sizes &given,
                              function_ref<void()> emitDirect) {
  sizes = given;
  tileBlocks = plan.getBlocks();
  squareRows = math.ceilDiv(sizes.rows, filtering.rows.outputs);
  perRow = math.ceilDiv(sizes.columns, filtering.columns.outputs);
  cutRuns();
  auto emitSquares = [&] {
    if (!plan.getWeightsFirst())
      emitPanelByPanel();
    else if (sizes.groups > 1)
      emitGroupByGroup();
    else
      emitWeightsFirst();
  };
  if (!plan.getDirect())
    return emitSquares();
  auto choice = scf::IfOp::create(math.b, math.loc, emitPays(),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(math.b);
  math.b.setInsertionPointToStart(choice.thenBlock());
  emitSquares();
  math.b.setInsertionPointToStart(choice.elseBlock());
  emitDirect();
}
