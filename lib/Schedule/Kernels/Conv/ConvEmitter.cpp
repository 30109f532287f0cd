//===- ConvEmitter.cpp - The loops of kernel.conv -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside: batch, panels of output channels, depth, rows; tiles of
// columns; then for each tile the sums in registers, over blocks of input
// channels, taps, and the channels of a block. What lies outside of the image
// is never read: the taps of a row are clipped by the bounds of their loop,
// those of a column where the tile stands at a known place at the border.
//
// An image with zeros between its pixels is never made: every spread-th pixel
// of the result is one of a convolution of the image as it is, with some of the
// taps. These phases are written one after the other, those of columns row by
// row.
//
// One to three spatial dimensions are all seen as three. A pointwise
// convolution has one: pixels follow each other.
//
//===----------------------------------------------------------------------===//

#include "ConvLoops.h"

#include "Kernels/Epilogue.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

/// So many pixels read a widened panel: the widening takes a hundredth of their
/// time, and threads still have parts to share.
static constexpr int64_t kPixelsOfWidened = 448;

void ConvLoops::prepare() {
  prepareOperands(schedule.getBlocks());
  if (isSpread) {
    llvm::copy(axes, allAxes);
    allExtras = extras;
    return;
  }
  mergePixels();
  chooseColumns();
}

/// All axes become one where every operand walks them as one.
void ConvLoops::mergePixels() {
  if (!isPointwise(op) || isDepthwise)
    return;
  auto isDense = [](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && type.getLayout().isIdentity();
  };
  bool allDense = isDense(op.getImage()) && isDense(op.getInit());
  for (auto [value, extra, map] :
       llvm::zip_equal(op.getExtras(), extras, op.getEpilogueAffineMaps()))
    allDense &= (isDense(value) && map.isIdentity()) ||
                llvm::all_of(extra.axes, [](OpFoldResult step) {
                  return isIndex(step, 0);
                });
  auto follow = [&](OpFoldResult outer, OpFoldResult inner,
                    OpFoldResult extent) {
    std::optional<int64_t> x = getConstantIntValue(outer),
                           y = getConstantIntValue(inner),
                           n = getConstantIntValue(extent);
    return x && y && n && *x == *y * *n;
  };
  Axis &inner = axes[kColumn];
  OpFoldResult total = inner.out;
  for (unsigned i = kColumn; i-- > 0;) {
    Axis &outer = axes[i];
    if (isIndex(outer.out, 1))
      continue;
    if (!allDense && (!follow(outer.ofImage, inner.ofImage, total) ||
                      !follow(outer.ofResult, inner.ofResult, total) ||
                      !llvm::all_of(extras, [&](const Extra &extra) {
                        return follow(extra.axes[i], extra.axes[kColumn],
                                      total);
                      })))
      return;
    total = index.mul(total, outer.out);
  }
  inner.in = inner.out = total;
  for (unsigned i = 0; i < kColumn; ++i)
    axes[i].in = axes[i].out = index.constant(1);
  isMerged = true;
}

/// Tiles go along columns: where these are few, a longer axis becomes them.
void ConvLoops::chooseColumns() {
  std::optional<int64_t> columns = getConstantIntValue(axes[kColumn].out);
  if (isMerged || schedule.getRows() > 1 || !columns || *columns >= kFewColumns)
    return;
  for (AxisName name : {kRow, kDepth}) {
    std::optional<int64_t> out = getConstantIntValue(axes[name].out);
    if (out && *out < 2 * *columns)
      continue;
    std::swap(axes[name], axes[kColumn]);
    for (Extra &extra : extras)
      std::swap(extra.axes[name], extra.axes[kColumn]);
    return;
  }
}

Phase Phase::get(const Axis &all, int64_t number) {
  // Of the taps one in `step` meets pixels.
  int64_t step = all.spread / std::gcd(all.spread, all.dilation);
  auto placeOf = [&](int64_t tap) {
    return number + tap * all.dilation - all.before;
  };
  Phase phase{number, 0, 0, step * all.dilation / all.spread, 0, 0};
  while (phase.firstTap < all.taps && placeOf(phase.firstTap) % all.spread != 0)
    ++phase.firstTap;
  phase.taps = llvm::divideCeil(all.taps - phase.firstTap, step);
  if (phase.taps == 0)
    return phase;
  phase.before = -placeOf(phase.firstTap) / all.spread;
  // The image ends with a pixel; so far do the result and its taps reach.
  int64_t behind = all.after - (all.taps - 1) * all.dilation - number;
  phase.after = llvm::divideCeilSigned(1 + all.before + behind, all.spread) -
                1 + (phase.taps - 1) * phase.dilation - phase.before;
  return phase;
}

/// Of an axis of a spread image only every spread-th place of the result is
/// meant from here on, the first one being `number`.
void ConvLoops::enterPhase(unsigned a, int64_t number) {
  const Axis &all = allAxes[a];
  Axis &axis = axes[a];
  axis = all;
  for (auto [extra, of] : llvm::zip_equal(extras, allExtras)) {
    extra.first[a] = index.mul(of.axes[a], number);
    extra.axes[a] = index.mul(of.axes[a], all.spread);
  }
  if (all.spread == 1)
    return;
  Phase phase = Phase::get(all, number);
  int64_t step = all.spread / std::gcd(all.spread, all.dilation);
  axis.spread = 1;
  axis.taps = phase.taps;
  axis.dilation = phase.dilation;
  axis.before = phase.before;
  axis.after = phase.after;
  axis.isClipped = axis.before > 0 || axis.after > 0;
  axis.out =
      index.ceilDiv(index.sub(all.out, index.constant(number)), all.spread);
  axis.firstTap = index.mul(all.ofFilter, phase.firstTap);
  axis.ofFilter = index.mul(all.ofFilter, step);
  axis.firstResult = index.mul(all.ofResult, number);
  axis.ofResult = index.mul(all.ofResult, all.spread);
}

/// The same along columns for one of several phases with as many taps, of which
/// the run knows which.
void ConvLoops::enterOneOf(ArrayRef<Phase> phases, OpFoldResult number) {
  auto choose = [&](int64_t Phase::*field) {
    OpFoldResult chosen = index.constant(phases.back().*field);
    for (size_t i = phases.size() - 1; i-- > 0;)
      if (!isIndex(chosen, phases[i].*field))
        chosen =
            selectIfAtMost(number, i, index.constant(phases[i].*field), chosen);
    return chosen;
  };
  enterPhase(kColumn, phases.front().number);
  if (phases.size() == 1)
    return;
  const Axis &all = allAxes[kColumn];
  Axis &axis = axes[kColumn];
  for (const Phase &phase : phases) {
    axis.before = std::max(axis.before, phase.before);
    axis.after = std::max(axis.after, phase.after);
  }
  axis.isClipped = axis.before > 0 || axis.after > 0;
  axis.shift = index.sub(index.constant(axis.before), choose(&Phase::before));
  OpFoldResult place = choose(&Phase::number);
  axis.out = index.ceilDiv(index.sub(all.out, place), all.spread);
  axis.firstTap = index.mul(all.ofFilter, choose(&Phase::firstTap));
  axis.firstResult = index.mul(all.ofResult, place);
  for (auto [extra, of] : llvm::zip_equal(extras, allExtras))
    extra.first[kColumn] = index.mul(of.axes[kColumn], place);
}

/// Columns of an image whose length is not known: phases with as many taps
/// share their code.
void ConvLoops::emitUnknownPhases(const Tile &tile) {
  llvm::MapVector<int64_t, SmallVector<Phase>> groups;
  for (int64_t number = 0; number < allAxes[kColumn].spread; ++number) {
    Phase phase = Phase::get(allAxes[kColumn], number);
    groups[phase.taps].push_back(phase);
  }
  for (const auto &group : groups)
    carryLoop(index, index.constant(0), index.constant(group.second.size()), 1,
              {}, [&](OpFoldResult number, ValueRange) -> SmallVector<Value> {
                enterOneOf(group.second, number);
                emitPhaseColumns(tile, std::nullopt);
                return {};
              });
}

/// How many pixels before the first one the taps of the first column reach.
OpFoldResult ConvLoops::getBefore(const Axis &axis) {
  return index.sub(index.constant(axis.before), axis.shift);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Tiles of so many columns from `from` to `to`.
void ConvLoops::cover(const Tile &tile, OpFoldResult from, OpFoldResult to,
                      int64_t columns, Border border) {
  carryLoop(index, from, to, columns, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              Tile part = tile;
              part.at[kColumn] = at;
              part.columns = columns;
              part.border = border;
              emitTile(part);
              return {};
            });
}

/// As many tiles of so many columns as there are, then smaller ones.
void ConvLoops::coverRest(const Tile &tile, OpFoldResult from, OpFoldResult to,
                          int64_t columns, Border border) {
  while (true) {
    OpFoldResult count = index.floorDiv(index.sub(to, from), columns);
    OpFoldResult end = index.add(from, index.mul(count, columns));
    cover(tile, from, end, columns, border);
    if (columns == 1)
      return;
    from = end;
    columns = llvm::divideCeil(columns, 2);
  }
}

/// Whether the epilogue reads something for each pixel: that may be the
/// result's own memory, which can be read just once.
bool ConvLoops::readsPixels() {
  return llvm::any_of(extras, [&](const Extra &extra) {
    return !isIndex(extra.axes[kColumn], 0);
  });
}

/// How many columns at one end of a row have taps outside of the image.
int64_t ConvLoops::countEndColumns(int64_t pad) const {
  return llvm::divideCeil(std::max<int64_t>(pad, 0), axes[kColumn].stride);
}

/// A row without zeros around it: full tiles, and of the last columns, less
/// than two tiles, equal parts. Four columns in tiles of six are one of four:
/// in three and one their sums wait for each other.
void ConvLoops::coverInside(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  int64_t width = schedule.getColumns();
  if (width > kMostEvenWidths)
    return coverRest(tile, index.constant(0), axis.out, width);
  OpFoldResult full =
      index.sub(index.floorDiv(axis.out, width), index.constant(1));
  full = index.mul(index.max(full, index.constant(0)), width);
  cover(tile, index.constant(0), full, width, Border::None);
  coverEvenly(tile, full, axis.out, Border::None);
}

/// Columns of a row whose length is not known.
void ConvLoops::emitUnknownColumns(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  int64_t width = schedule.getColumns();
  if (!axis.isClipped)
    return coverInside(tile);
  if (!borderValues || countEndColumns(axis.before) > width ||
      countEndColumns(axis.after) > width)
    return emitRowOfAnyLength(tile);
  emitEnds(tile);
  emitMiddle(tile);
}

/// Full tiles and smaller ones between both ends, whose pixels are done one by
/// one where there is nothing to read instead of what is outside.
void ConvLoops::emitRowOfAnyLength(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  // Pixels from `low` to `high` have all their taps inside.
  int64_t reach = (axis.taps - 1) * axis.dilation;
  OpFoldResult low =
      index.min(index.constant(llvm::divideCeil(
                    std::max<int64_t>(axis.before, 0), axis.stride)),
                axis.out);
  OpFoldResult last =
      index.sub(index.add(axis.in, getBefore(axis)), index.constant(reach + 1));
  OpFoldResult high =
      index.add(index.floorDiv(last, axis.stride), index.constant(1));
  high = index.max(low, index.min(high, axis.out));
  auto coverEnd = [&](OpFoldResult from, OpFoldResult to) {
    if (borderValues && !isDepthwise)
      return coverRest(tile, from, to, schedule.getColumns(), Border::Ends);
    cover(tile, from, to, 1, Border::Unknown);
  };
  coverEnd(index.constant(0), low);
  coverRest(tile, low, high, schedule.getColumns());
  coverEnd(high, axis.out);
}

/// The widths of tiles with which rows of unknown length begin and end, from
/// the shortest on: every one that a short row has, then steps of about a
/// quarter. A tile costs compile time; of rows that are done in steps of more
/// than one column there are fewer.
static SmallVector<int64_t> getEndWidths(int64_t most, int64_t stride) {
  SmallVector<int64_t> widths;
  auto next = [&](int64_t width) {
    if (stride != 1)
      return width < kShortRow ? std::min(2 * width, kShortRow) : 2 * width;
    return width + (width <= kShortRow ? 1 : width / 4 / 2 * 2);
  };
  for (int64_t width = 1; width < most; width = next(width))
    widths.push_back(width);
  widths.push_back(most);
  return widths;
}

/// The tiles that a row begins and ends with: for a short one a tile of its
/// length, else two that may overlap. All have the same code for each width,
/// and the run finds out which taps lie outside. Where these are of many
/// columns, and a third tile in the middle has such, too, it comes between.
void ConvLoops::emitEnds(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  OpFoldResult out = axis.out;
  int64_t full = schedule.getColumns();
  SmallVector<int64_t> widths = getEndWidths(full, axis.stride);
  // Of these one tile is as long as the row.
  int64_t exact = 0;
  while (exact < int64_t(widths.size()) && widths[exact] == exact + 1)
    ++exact;
  // Of two tiles each has at least half of the row's columns, or the first one
  // has the next shorter width.
  OpFoldResult ofFirst = index.constant(full), ofLast = ofFirst;
  for (size_t i = widths.size() - 1; i-- > 0;) {
    OpFoldResult width = index.constant(widths[i]);
    ofFirst = selectIfAtMost(out, widths[i] + widths[i + 1], width, ofFirst);
    ofLast = selectIfAtMost(out, 2 * widths[i], width, ofLast);
  }
  ofFirst = selectIfAtMost(out, exact, out, ofFirst);
  int64_t left = countEndColumns(axis.before);
  OpFoldResult count = index.constant(2);
  if (left > 1) {
    OpFoldResult several =
        selectIfAtMost(out, 2 * full + left - 1, index.constant(3), count);
    count = selectIfAtMost(out, 2 * full, count, several);
  }
  count = selectIfAtMost(out, exact, index.min(out, index.constant(1)), count);
  OpFoldResult last = index.sub(count, index.constant(1));

  // `done` columns are stored.
  auto emitOne = [&](OpFoldResult number, ValueRange done) {
    Value which = index.value(number);
    auto isTile = [&](OpFoldResult other) -> Value {
      Value of = index.value(other);
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, which, of);
    };
    Value isFirst = isTile(index.constant(0)), isLast = isTile(last);
    Value first = index.value(ofFirst), later = index.value(ofLast);
    Value width = arith::SelectOp::create(b, loc, isFirst, first, later);
    Value place = index.value(index.sub(out, OpFoldResult(width)));
    Tile part = tile;
    part.at[kColumn] =
        arith::SelectOp::create(b, loc, isLast, place, done[0]).getResult();
    part.border = Border::Ends;
    if (readsPixels())
      part.stored = index.sub(OpFoldResult(done[0]), part.at[kColumn]);
    switchOver(index, OpFoldResult(width), widths, [&](int64_t columns) {
      part.columns = columns;
      if (tileSums)
        keepSums(sumTile(part));
      else
        emitTile(part);
    });
    if (tileSums)
      emitStoreLoop(part, index.constant(part.rows), OpFoldResult(width));
    OpFoldResult end = index.add(part.at[kColumn], OpFoldResult(width));
    return SmallVector<Value>{index.value(end)};
  };
  carryLoop(index, index.constant(0), count, 1, index.value(index.constant(0)),
            emitOne);
}

/// Full tiles between those that the row begins and ends with; the last one may
/// overlap the one before it.
void ConvLoops::emitMiddle(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  int64_t width = schedule.getColumns();
  OpFoldResult end = index.sub(axis.out, index.constant(width));
  OpFoldResult last = index.sub(end, index.constant(width));
  int64_t left = countEndColumns(axis.before);
  if (left > 1)
    end = selectIfAtMost(last, left - 1, index.constant(0), end);
  carryLoop(index, index.constant(width), end, width, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              Tile part = tile;
              part.at[kColumn] = index.min(at, last);
              part.columns = width;
              if (readsPixels())
                part.stored = index.sub(at, part.at[kColumn]);
              emitTile(part);
              return {};
            });
}

/// `yes` if `x` is at most `most`, else `no`.
OpFoldResult ConvLoops::selectIfAtMost(OpFoldResult x, int64_t most,
                                       OpFoldResult yes, OpFoldResult no) {
  Value value = index.value(x), bound = index.value(index.constant(most));
  Value isAtMost =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, value, bound);
  Value chosen = index.value(yes), other = index.value(no);
  return arith::SelectOp::create(b, loc, isAtMost, chosen, other).getResult();
}

/// The tiles of one row (or of `tile.rows` rows): all of them, or those of
/// `only`, where they are known and there is one phase.
void ConvLoops::emitColumns(const Tile &tile, std::optional<TileRange> only) {
  bool isKnown = getConstantIntValue(axes[kColumn].out).has_value() &&
                 getConstantIntValue(axes[kColumn].in).has_value();
  if (isSpread && !isKnown)
    emitUnknownPhases(tile);
  for (int64_t phase = 0;
       phase < allAxes[kColumn].spread && (isKnown || !isSpread); ++phase) {
    if (isSpread)
      enterPhase(kColumn, phase);
    emitPhaseColumns(tile, only);
  }
  // The first one has the most columns: these are what others count.
  if (isSpread)
    enterPhase(kColumn, 0);
}

void ConvLoops::emitPhaseColumns(Tile tile, std::optional<TileRange> only) {
  const Axis &axis = axes[kColumn];
  std::optional<int64_t> out = getConstantIntValue(axis.out),
                         in = getConstantIntValue(axis.in);
  if (!out || !in)
    return emitUnknownColumns(tile);
  // Tiles of about equal width.
  int64_t count = llvm::divideCeil(*out, schedule.getColumns());
  bool isEven = *out % schedule.getColumns() == 0 || count > 8;
  int64_t width =
      isEven ? schedule.getColumns() : llvm::divideCeil(*out, count);
  auto isBorder = [&](int64_t from, int64_t columns) {
    if (!axis.isClipped)
      return false;
    return from * axis.stride < axis.before ||
           (from + columns - 1) * axis.stride +
                   (axis.taps - 1) * axis.dilation - axis.before >=
               *in;
  };
  count = llvm::divideCeil(*out, width);
  // A last tile of few sums would take as long as one of more: it shares the
  // pixels of the one before.
  int64_t ofLast = *out - (count - 1) * width;
  bool isShort =
      !isDepthwise && count > 1 && ofLast * tile.vectors < kEnoughSums;
  if (isShort)
    ofLast = (width + ofLast) / 2;
  auto startOf = [&](int64_t tile) {
    return tile >= count       ? *out
           : tile == count - 1 ? *out - ofLast
                               : tile * width;
  };
  int64_t first = only ? only->first : 0,
          end = only ? std::min(first + only->count, count) : count;
  int64_t numberOfFirst = tile.number.value_or(0);
  bool isNumbered = tile.number.has_value();
  for (int64_t from = first, to; from < end; from = to) {
    auto widthOf = [&](int64_t tile) {
      return startOf(tile + 1) - startOf(tile);
    };
    int64_t columns = widthOf(from), number = numberOfFirst + from;
    bool atBorder = isBorder(startOf(from), columns);
    // Those in the middle are alike. The first ones fetch weights: they are
    // known by number.
    bool isApart = atBorder || (schedule.getPrefetchFilter() && isNumbered &&
                                !tile.ahead.lines && number < panelVectors);
    to = from + 1;
    while (!isApart && to < end && widthOf(to) == columns &&
           !isBorder(startOf(to), columns))
      ++to;
    carryLoop(index, index.constant(startOf(from)), index.constant(startOf(to)),
              columns, {},
              [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
                Tile part = tile;
                part.at[kColumn] = at;
                part.columns = columns;
                if (part.ahead.lines) {
                  OpFoldResult row =
                      index.floorDiv(part.at[kRow], schedule.getRows());
                  OpFoldResult before = index.mul(row, part.ahead.perRow);
                  part.ahead.tile = index.add(before, index.ceilDiv(at, width));
                }
                part.border = atBorder ? Border::Known : Border::None;
                part.number =
                    isNumbered ? std::optional<int64_t>(number) : std::nullopt;
                emitTile(part);
                return {};
              });
  }
}

/// About how many cycles `pixels` pixels of `vectors` vectors take: two
/// multiply-adds in each, or what it takes to read the weights.
int64_t ConvLoops::workOf(int64_t vectors, int64_t pixels) {
  SaturatingInt steps = isDepthwise ? 1 : op.getChannels() / op.getGroup();
  for (const Axis &axis : axes)
    steps *= axis.taps;
  int64_t least = isDepthwise ? 1 : kCyclesPerLine;
  return steps * vectors * std::max(pixels / 2, least);
}

/// Part `part` of `extent` things, of which each part but the last has `share`.
void ConvLoops::overShare(OpFoldResult part, int64_t share, OpFoldResult extent,
                          function_ref<void(OpFoldResult)> body) {
  if (share == 1)
    return body(part);
  OpFoldResult from = index.mul(part, share);
  OpFoldResult to = index.min(index.add(from, index.constant(share)), extent);
  carryLoop(index, from, to, 1, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              body(at);
              return {};
            });
}

/// How many of `count` rows or tiles, of so many pixels each, are one part of
/// the work on a panel: one, but what is widened for a part has to meet many
/// pixels. Two threads share an even number of parts.
int64_t ConvLoops::shareOf(OpFoldResult count, int64_t panels, int64_t pixels) {
  if (!schedule.getWiden())
    return 1;
  int64_t share =
      std::max<int64_t>(kPixelsOfWidened / std::max<int64_t>(pixels, 1), 1);
  int64_t known = getConstantIntValue(count).value_or(0);
  if (known < 2)
    return share;
  int64_t parts = std::max<int64_t>(known / share, 1);
  if (parts * panels % 2 != 0 && parts * panels < 2 * kFewPanels)
    ++parts;
  return llvm::divideCeil(known, parts);
}

/// A parallel loop whose iterations emit tiles.
void ConvLoops::overParts(ArrayRef<OpFoldResult> extents, int64_t work,
                          function_ref<void(ArrayRef<OpFoldResult>)> body) {
  parallelLoop(index, extents, work, [&](ArrayRef<OpFoldResult> at) {
    int64_t pixels = schedule.getRows() * schedule.getColumns();
    if (isLongEpilogue(op))
      tileSums = memref::AllocOp::create(
          b, loc,
          MemRefType::get({pixels * panelVectors * lanes}, b.getF32Type()),
          b.getI64IntegerAttr(kCacheLine));
    body(at);
    tileSums = nullptr;
  });
}

/// The product of the extents that are known.
static int64_t countKnown(ArrayRef<OpFoldResult> extents) {
  SaturatingInt product = 1;
  for (OpFoldResult extent : extents)
    product *= getConstantIntValue(extent).value_or(1);
  return product;
}

/// How many of a map's tiles, of so many pixels each, are one part of the work
/// on a panel: all, if panels are enough for the threads. Parts of a single row
/// have code of their own, whose length must not grow with the row's.
int64_t ConvLoops::tilesPerPart(int64_t tiles, int64_t panels, int64_t pixels,
                                bool isSingleRow) {
  bool isShared =
      panels < kFewPanels || (panels % 2 != 0 && panels < 2 * kFewPanels);
  if (!isShared)
    return std::max<int64_t>(tiles, 1);
  int64_t share = shareOf(index.constant(tiles), panels, pixels);
  return isSingleRow
             ? std::max<int64_t>(share, llvm::divideCeil(tiles, kFewPanels))
             : share;
}

/// Panels of small maps: a thread does all of one. If these are few, or cannot
/// be shared out evenly, threads share the tiles of each.
void ConvLoops::emitWholeMaps(
    OpFoldResult count, int64_t vectors, int64_t rows,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  std::optional<int64_t> columns = getConstantIntValue(axes[kColumn].out);
  int64_t perRow = llvm::divideCeil(columns.value_or(0), schedule.getColumns());
  int64_t rowTiles = llvm::divideCeil(rows, schedule.getRows());
  // Rows whose tiles fetch weights, if not all do so alike, and rows that need
  // known taps, are known by number.
  int64_t known = rowTiles;
  if (schedule.getRows() == 1 && perRow)
    known = std::min<int64_t>(known, llvm::divideCeil(panelVectors, perRow));
  else if (schedule.getRows() == 1)
    known = 0;
  auto emitKnown = [&](Tile tile, int64_t row, std::optional<TileRange> only) {
    tile.at[kRow] = index.constant(row * schedule.getRows());
    tile.rows = std::min(schedule.getRows(), rows - row * schedule.getRows());
    tile.number = perRow ? std::optional<int64_t>(row * perRow) : std::nullopt;
    emitColumns(tile, only);
  };

  auto emitRows = [&](Tile tile) {
    tile.rows = 1;
    int64_t apart = tile.ahead.lines && schedule.getRows() == 1 ? 0 : known;
    for (int64_t row = 0; row < apart; ++row)
      emitKnown(tile, row, std::nullopt);
    carryLoop(index, index.constant(apart * schedule.getRows()),
              index.constant(rows), 1, {},
              [&](OpFoldResult y, ValueRange) -> SmallVector<Value> {
                tile.at[kRow] = y;
                emitColumns(tile, std::nullopt);
                return {};
              });
  };

  int64_t panels = countKnown({batches, count, axes[kDepth].out});
  int64_t tiles = rows > 1 ? rowTiles : isSpread ? 1 : perRow;
  int64_t perPart =
      tilesPerPart(tiles, panels, schedule.getRows() * schedule.getColumns(),
                   /*isSingleRow=*/rows == 1);
  int64_t parts = std::max<int64_t>(llvm::divideCeil(tiles, perPart), 1);
  int64_t work = workOf(vectors, rows * columns.value_or(kTypicalColumns) *
                                     allAxes[kColumn].spread);
  overParts(
      {batches, count, axes[kDepth].out, index.constant(parts)},
      std::max<int64_t>(work / parts, 1), [&](ArrayRef<OpFoldResult> at) {
        Tile tile = place(at);
        widenPanel(tile);
        if (parts > 1 && rows == 1) {
          switchOver(index, at[3], parts - 1,
                     [&](std::optional<int64_t> number) {
                       int64_t first = number.value_or(parts - 1) * perPart;
                       emitKnown(tile, 0, TileRange{first, perPart});
                     });
          return;
        }
        if (parts > 1) {
          // The last of them, if all are known.
          int64_t cases = known == rowTiles ? parts - 1 : known / perPart;
          switchOver(index, at[3], cases, [&](std::optional<int64_t> part) {
            if (part || known == rowTiles) {
              int64_t first = part.value_or(cases) * perPart;
              for (int64_t row = first;
                   row < std::min(first + perPart, rowTiles); ++row)
                emitKnown(tile, row, std::nullopt);
              return;
            }
            overShare(at[3], perPart, index.constant(rows),
                      [&](OpFoldResult y) {
                        tile.at[kRow] = y;
                        emitColumns(tile, std::nullopt);
                      });
          });
          return;
        }
        if (!isInPieces() || isSpread || !columns)
          return emitRows(tile);
        emitMapInPieces(tile, rows, *columns, emitRows);
      });
}

/// `full` tiles of consecutive pixels, panel by panel: each is widened for the
/// pixels that it meets.
void ConvLoops::emitWidenedPixels(
    OpFoldResult count, int64_t vectors, OpFoldResult full,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  int64_t width = schedule.getColumns();
  int64_t share = shareOf(full, countKnown({batches, count}), width);
  overParts({batches, count, index.ceilDiv(full, share)},
            workOf(vectors, width * share), [&](ArrayRef<OpFoldResult> at) {
              Tile tile = place(at.take_front(2));
              widenPanel(tile);
              tile.columns = width;
              overShare(at[2], share, full, [&](OpFoldResult number) {
                tile.at[kColumn] = index.mul(number, width);
                emitTile(tile);
              });
            });
}

/// Panels `first` to `first + count`, of which `vectors` vectors are meant.
void ConvLoops::emitPanels(OpFoldResult first, OpFoldResult count,
                           int64_t vectors) {
  auto place = [&](ArrayRef<OpFoldResult> at) {
    Tile tile;
    tile.vectors = vectors;
    tile.batch = at[0];
    tile.panel = index.add(first, at[1]);
    for (OpFoldResult &axis : tile.at)
      axis = index.constant(0);
    if (at.size() > 2)
      tile.at[kDepth] = at[2];
    return tile;
  };
  std::optional<int64_t> rows = getConstantIntValue(axes[kRow].out),
                         columns = getConstantIntValue(axes[kColumn].out);
  if (isMerged &&
      (!columns || *columns > kTilesAsRows * schedule.getColumns())) {
    // Many pixels in a row: its tiles are as good as rows.
    if (!schedule.getWiden())
      return emitNearPixels(count, vectors, place);
    int64_t width = schedule.getColumns();
    OpFoldResult full = index.floorDiv(axes[kColumn].out, width),
                 end = index.mul(full, width);
    emitWidenedPixels(count, vectors, full, place);
    if (columns && *columns % width == 0)
      return;
    overParts({batches, count}, workOf(vectors, width / 2),
              [&](ArrayRef<OpFoldResult> at) {
                Tile tile = place(at);
                if (columns)
                  cover(tile, end, axes[kColumn].out, *columns % width);
                else
                  coverRest(tile, end, axes[kColumn].out,
                            llvm::divideCeil(schedule.getColumns(), 4));
              });
    return;
  }
  if (isOpenInPieces())
    return emitOpenMapInPieces(count, vectors, place);
  if (rows && (schedule.getRows() > 1 || *rows == 1 ||
               (*rows <= 14 && schedule.getPrefetchFilter())))
    return emitWholeMaps(count, vectors, *rows, place);
  if (rows && columns && *rows > 0 && *columns > 0 && isInPieces() && !isSpread)
    return emitRowsInPieces(count, vectors, *rows, *columns, place);
  int64_t inRow = columns.value_or(kTypicalColumns) * allAxes[kColumn].spread;
  int64_t share = shareOf(
      axes[kRow].out, countKnown({batches, count, axes[kDepth].out}), inRow);
  overParts(
      {batches, count, axes[kDepth].out, index.ceilDiv(axes[kRow].out, share)},
      workOf(vectors, inRow * share), [&](ArrayRef<OpFoldResult> at) {
        Tile tile = place(at);
        widenPanel(tile);
        overShare(at[3], share, axes[kRow].out, [&](OpFoldResult row) {
          tile.at[kRow] = row;
          emitColumns(tile, std::nullopt);
        });
      });
}

/// Phases of rows and what is outside of them each have loops of their own.
void ConvLoops::emitPhases(unsigned a) {
  for (int64_t phase = 0; phase < (a == kColumn ? 1 : allAxes[a].spread);
       ++phase) {
    enterPhase(a, phase);
    if (a == kColumn)
      emitAllPanels();
    else
      emitPhases(a + 1);
  }
}

void ConvLoops::emitAllPanels() {
  int64_t full = blocks / panelVectors, rest = blocks % panelVectors;
  if (full)
    emitPanels(index.constant(0), index.constant(full), panelVectors);
  if (rest)
    emitPanels(index.constant(full), index.constant(1), rest);
}

void ConvLoops::emit() {
  prepare();
  makeBorderValues();
  if (isSpread)
    emitPhases(0);
  else
    emitAllPanels();
}

void onnxc::emitVectors(OpBuilder &b, kernel::ConvOp op,
                        kernel::ConvScheduleAttr schedule, TargetAttr) {
  ConvLoops(b, op, schedule).emit();
}
