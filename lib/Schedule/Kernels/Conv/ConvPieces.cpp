//===- ConvPieces.cpp - Convolutions, piece by piece of the channels ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointwise convolution is the product of a matrix of pixels and one of
// weights. As many pixels as stay in the second level of the cache meet one
// panel of weights after the other.
//
// Where a panel does not stay in the first level, so that each tile would read
// it from the second, its input channels are cut: a piece meets all of these
// pixels, all of a small map, or a group of the rows of a larger one; the sums
// wait in a scratch buffer. Of a map of open size the run decides how many rows
// make a group, or which part of a row. Blocks of channels are outside of taps
// with or without pieces: each sum takes its products in the same order, and no
// bit changes.
//
//===----------------------------------------------------------------------===//

#include "ConvLoops.h"
#include "Kernels/CacheShares.h"

#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

/// Tiles of an image whose size is not known.
static constexpr int64_t kTypicalTiles = 256;

/// Sums of a group of rows: they lie in the first two levels while a piece of a
/// panel is read. The schedule sees to it that those of one row are near, too.
static int64_t sumBytes(kernel::ConvOp op) {
  return TargetAttr::of(op).getFirstLevelCache();
}

/// Tiles of consecutive pixels: so many of them as stay near meet all panels,
/// or a part of these if threads would have too little to share.
void ConvLoops::emitNearPixels(
    OpFoldResult count, int64_t vectors,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  OpFoldResult pixels = axes[kColumn].out;
  std::optional<int64_t> knownPixels = getConstantIntValue(pixels);
  int64_t width = schedule.getColumns(),
          tileBytes = width * op.getChannels() * int64_t(sizeof(float)),
          near =
              std::max<int64_t>(nearBytes(TargetAttr::of(op)) / tileBytes, 1);
  OpFoldResult full = index.floorDiv(pixels, width);
  int64_t known = getConstantIntValue(full).value_or(kTypicalTiles);
  int64_t panels = getConstantIntValue(count).value_or(1);
  // Groups of about equal size, and enough of them for few panels.
  int64_t groups = std::max<int64_t>(llvm::divideCeil(known, near),
                                     llvm::divideCeil(kFewPanels, panels));
  int64_t share = llvm::divideCeil(std::max<int64_t>(known, 1), groups);
  int64_t parts =
              std::min<int64_t>(panels, llvm::divideCeil(kFewPanels, groups)),
          perPart = llvm::divideCeil(panels, parts);
  parts = llvm::divideCeil(panels, perPart);
  // The last group has the pixels behind the last whole tile, too.
  OpFoldResult ofRun = index.max(index.ceilDiv(full, share), index.constant(1));
  bool hasRest = !knownPixels || *knownPixels % width != 0;

  auto emitGroup = [&](const Tile &ofPanel, OpFoldResult group) {
    OpFoldResult first = index.mul(group, share),
                 last =
                     index.min(index.add(first, index.constant(share)), full);
    OpFoldResult from = index.mul(first, width), to = index.mul(last, width);
    Value isLast;
    if (hasRest) {
      Value end = index.value(last), ofFull = index.value(full);
      isLast =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, end, ofFull);
      Value all = index.value(pixels), whole = index.value(to);
      to = arith::SelectOp::create(b, loc, isLast, all, whole).getResult();
    }
    Tile all = ofPanel;
    all.at[kColumn] = from;
    all.ahead.lines = countLines(ofPanel);
    auto emitTiles = [&](const Tile &part) {
      carryLoop(index, first, last, 1, {},
                [&](OpFoldResult number, ValueRange) -> SmallVector<Value> {
                  Tile tile = part;
                  tile.columns = width;
                  tile.at[kColumn] = index.mul(number, width);
                  tile.ahead.tile = index.sub(number, first);
                  tile.ahead.lines = llvm::divideCeil(tile.ahead.lines, share);
                  emitTile(tile);
                  return {};
                });
      if (!hasRest)
        return;
      auto choice = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      Tile rest = part;
      rest.ahead = {};
      OpFoldResult end = index.mul(full, width);
      if (knownPixels)
        cover(rest, end, pixels, *knownPixels % width);
      else
        coverRest(rest, end, pixels, llvm::divideCeil(width, 4));
    };
    if (!isInPieces())
      return emitTiles(all);
    emitPieces(all, index.constant(1), index.sub(to, from), (share + 1) * width,
               emitTiles);
  };
  overParts({batches, ofRun, index.constant(parts)},
            workOf(vectors, width) * share * perPart,
            [&](ArrayRef<OpFoldResult> at) {
              overShare(at[2], perPart, count, [&](OpFoldResult panel) {
                emitGroup(place({at[0], panel}), at[1]);
              });
            });
}

/// What each tile of a map fetches of the next piece of the weights. All tiles
/// do so alike: a few of them would wait for memory.
WeightsAhead ConvLoops::shareWeights(const Tile &tile, int64_t rows,
                                     int64_t columns) {
  WeightsAhead ahead;
  if (columns <= 0 || (rows > 1 && !schedule.getPrefetchFilter()))
    return ahead;
  ahead.perRow = llvm::divideCeil(columns, schedule.getColumns());
  ahead.lines = llvm::divideCeil(countLines(tile),
                                 llvm::divideCeil(rows, schedule.getRows()) *
                                     ahead.perRow);
  return ahead;
}

/// All rows of a map.
void ConvLoops::emitMapInPieces(Tile all, int64_t rows, int64_t columns,
                                function_ref<void(const Tile &)> emitRows) {
  all.ahead = shareWeights(all, rows, columns);
  // no overflow: a map of the result
  emitPieces(all, index.constant(rows), axes[kColumn].out, rows * columns,
             emitRows);
}

/// Maps that are too large for their sums to wait: groups of rows, of equal
/// size, that are small enough. The map has a pixel.
void ConvLoops::emitRowsInPieces(
    OpFoldResult count, int64_t vectors, int64_t rows, int64_t columns,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  int64_t rowBytes = columns * vectors * lanes * int64_t(sizeof(float));
  int64_t group = std::clamp<int64_t>(sumBytes(op) / rowBytes, 1, rows);
  while (rows % group != 0)
    --group;
  overParts({batches, count, axes[kDepth].out, index.constant(rows / group)},
            workOf(vectors, columns * group), [&](ArrayRef<OpFoldResult> at) {
              Tile all = place(at);
              widenPanel(all);
              all.at[kRow] = index.mul(at[3], group);
              OpFoldResult ofGroup = index.constant(group);
              emitPieces(all, ofGroup, axes[kColumn].out, group * columns,
                         [&](Tile tile) {
                           OpFoldResult end = index.add(all.at[kRow], ofGroup);
                           carryLoop(index, all.at[kRow], end, 1, {},
                                     [&](OpFoldResult row,
                                         ValueRange) -> SmallVector<Value> {
                                       tile.at[kRow] = row;
                                       emitColumns(tile, std::nullopt);
                                       return {};
                                     });
                         });
            });
}

/// Tiles of about equal size, none of which has so few sums that these wait for
/// each other if the columns are many. Wide ones would be a lot of code.
void ConvLoops::coverEvenly(const Tile &tile, OpFoldResult from,
                            OpFoldResult to, Border border) {
  int64_t width = schedule.getColumns();
  if (width > kMostEvenWidths)
    return coverRest(tile, from, to, width, border);
  OpFoldResult columns = index.sub(to, from),
               count = index.ceilDiv(columns, width);
  auto startOf = [&](OpFoldResult number) {
    return index.add(from, index.quotient(index.mul(columns, number), count));
  };
  SmallVector<int64_t> widths =
      llvm::to_vector(llvm::seq_inclusive<int64_t>(1, width));
  carryLoop(index, index.constant(0), count, 1, {},
            [&](OpFoldResult number, ValueRange) -> SmallVector<Value> {
              Tile part = tile;
              part.at[kColumn] = startOf(number);
              part.border = border;
              OpFoldResult end = startOf(index.add(number, index.constant(1)));
              switchOver(index, index.sub(end, part.at[kColumn]), widths,
                         [&](int64_t own) {
                           part.columns = own;
                           emitTile(part);
                         });
              return {};
            });
}

/// Maps whose size is not known: groups of as many rows as are small enough, or
/// parts of a row that is longer.
void ConvLoops::emitOpenMapInPieces(
    OpFoldResult count, int64_t vectors,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  OpFoldResult rows = axes[kRow].out, columns = axes[kColumn].out;
  int64_t width = schedule.getColumns(),
          pixelBytes = vectors * lanes * int64_t(sizeof(float)),
          most =
              std::max(sumBytes(op) / pixelBytes / width, int64_t(1)) * width;
  // A row of no columns has no parts.
  OpFoldResult parts = index.ceilDiv(columns, most);
  OpFoldResult perGroup = index.quotient(index.constant(most),
                                         index.max(columns, index.constant(1)));
  perGroup = index.max(perGroup, index.constant(1));
  OpFoldResult groups = index.quotientUp(rows, perGroup);
  Border border = borderValues ? Border::Ends : Border::None;
  overParts(
      {batches, count, axes[kDepth].out, groups, parts}, workOf(vectors, most),
      [&](ArrayRef<OpFoldResult> at) {
        Tile all = place(at);
        widenPanel(all);
        all.at[kRow] = index.mul(at[3], perGroup);
        all.at[kColumn] = index.mul(at[4], most);
        OpFoldResult ofGroup =
            index.min(perGroup, index.sub(rows, all.at[kRow]));
        OpFoldResult ofRow = index.min(index.constant(most),
                                       index.sub(columns, all.at[kColumn]));
        OpFoldResult endRow = index.add(all.at[kRow], ofGroup),
                     end = index.add(all.at[kColumn], ofRow);
        emitPieces(all, ofGroup, ofRow, most, [&](Tile tile) {
          carryLoop(index, all.at[kRow], endRow, 1, {},
                    [&](OpFoldResult row, ValueRange) -> SmallVector<Value> {
                      tile.at[kRow] = row;
                      coverEvenly(tile, all.at[kColumn], end, border);
                      return {};
                    });
        });
      });
}

/// How many weights a block of channels has in the tile's panels.
int64_t ConvLoops::countWeights(const Tile &tile) {
  SaturatingInt weights = lanes * lanes * tile.vectors;
  for (const Axis &axis : axes)
    weights *= axis.taps;
  return weights.get();
}

/// How many cache lines the weights of a block of channels have, if they lie as
/// they are read, panel by panel; else 0.
int64_t ConvLoops::countLines(const Tile &tile) {
  SaturatingInt weights = countWeights(tile);
  bool isPoint = weights.get() == lanes * lanes * tile.vectors;
  if (!op.isImageBlocked() || tile.widened ||
      !isIndex(filterChannel, tile.vectors * lanes) ||
      !(isPoint || isIndex(filterBlock, weights.get())) ||
      !isIndex(filterPanel,
               (weights * llvm::divideCeil(op.getChannels(), lanes)).get()))
    return 0;
  int64_t perLine = kCacheLine * 8 / filter.element.getIntOrFloatBitWidth();
  return llvm::divideCeil(weights.get(), perLine);
}

bool ConvLoops::isInPieces() {
  return schedule.getDepth() > 0 && op.isImageBlocked() &&
         schedule.getDepth() * lanes < int64_t(op.getChannels());
}

/// Whether emitOpenMapInPieces makes the code.
bool ConvLoops::isOpenInPieces() {
  bool isKnown = getConstantIntValue(axes[kRow].out) &&
                 getConstantIntValue(axes[kColumn].out);
  return isInPieces() && !isSpread && !isMerged && !isKnown;
}

/// So many rows of `columns` pixels from that of `all` on, at most `most`
/// pixels, meet one piece of the channels after the other. `emitTiles` gets a
/// tile that says which.
void ConvLoops::emitPieces(const Tile &all, OpFoldResult rows,
                           OpFoldResult columns, int64_t most,
                           function_ref<void(const Tile &)> emitTiles) {
  Value sums = memref::AllocOp::create(
      b, loc, MemRefType::get({most * all.vectors * lanes}, b.getF32Type()),
      b.getI64IntegerAttr(kCacheLine));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  OpFoldResult elements =
      index.mul(index.mul(rows, columns), all.vectors * lanes);
  carryLoop(index, index.constant(0), elements, lanes, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              vector::StoreOp::create(b, loc, zero, sums, index.value(at));
              return {};
            });
  Tile part = all;
  part.piece.sums = sums;
  part.piece.firstPixel = numberOfPixel(all);
  auto emitPiece = [&](OpFoldResult first, int64_t count) {
    part.piece.first = first;
    part.piece.count = count;
    emitTiles(part);
  };
  // A few channels behind the last block belong to the piece before.
  bool hasRest = op.getChannels() % lanes != 0;
  int64_t blocks = op.getChannels() / lanes, depth = schedule.getDepth(),
          whole = (blocks - hasRest) / depth * depth;
  carryLoop(index, index.constant(0), index.constant(whole), depth, {},
            [&](OpFoldResult first, ValueRange) -> SmallVector<Value> {
              emitPiece(first, depth);
              return {};
            });
  part.piece.hasRest = hasRest;
  if (whole < blocks)
    emitPiece(index.constant(whole), blocks - whole);

  Value ofLongEpilogue = std::exchange(tileSums, sums);
  emitStoreLoop(all, rows, columns);
  tileSums = ofLongEpilogue;
}

/// The number of the tile's first pixel in the map of the result.
OpFoldResult ConvLoops::numberOfPixel(const Tile &tile) {
  return index.add(index.mul(tile.at[kRow], axes[kColumn].out),
                   tile.at[kColumn]);
}

/// For each sum of the tile its number and where it waits.
void ConvLoops::overSums(const Tile &tile,
                         function_ref<void(int64_t, Value)> body) {
  int64_t number = 0;
  OpFoldResult first = index.sub(numberOfPixel(tile), tile.piece.firstPixel);
  for (int64_t row = 0; row < tile.rows; ++row) {
    OpFoldResult ofRow = index.add(first, index.mul(axes[kColumn].out, row));
    ofRow = index.mul(ofRow, tile.vectors * lanes);
    for (int64_t i = 0; i < tile.columns * tile.vectors; ++i)
      body(number++, index.value(index.add(ofRow, index.constant(i * lanes))));
  }
}

/// The sums of a tile, of the pieces before this one.
SmallVector<Value> ConvLoops::loadSums(const Tile &tile) {
  SmallVector<Value> sums;
  overSums(tile, [&](int64_t, Value at) {
    sums.push_back(
        vector::LoadOp::create(b, loc, vectorType, tile.piece.sums, at));
  });
  return sums;
}

void ConvLoops::storeSums(const Tile &tile, ValueRange sums) {
  overSums(tile, [&](int64_t number, Value at) {
    vector::StoreOp::create(b, loc, sums[number], tile.piece.sums, at);
  });
}

/// Fetches the tile's share of the weights that are as far behind this piece
/// as block `block` is behind its start.
void ConvLoops::prefetchWeights(const Tile &tile, OpFoldResult block) {
  if (!tile.ahead.lines)
    return;
  int64_t perLine = kCacheLine * 8 / filter.element.getIntOrFloatBitWidth();
  int64_t ofPiece =
      tile.piece.count ? tile.piece.count : op.getChannels() / lanes;
  OpFoldResult first = tile.piece.count ? tile.piece.first : index.constant(0);
  OpFoldResult behind =
      index.mul(index.add(first, index.constant(ofPiece + tile.piece.hasRest)),
                countWeights(tile));
  OpFoldResult line = index.mul(tile.ahead.tile, ofPiece);
  line = index.add(line, index.sub(block, first));
  OpFoldResult at = index.add(startOfPanel(tile.panel), behind);
  at = index.add(at, index.mul(line, tile.ahead.lines * perLine));
  for (int64_t i = 0; i < tile.ahead.lines; ++i)
    prefetch(filter, index.add(at, index.constant(i * perLine)), 2);
}
