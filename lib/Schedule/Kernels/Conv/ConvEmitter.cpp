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

#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

/// So many pixels read a widened panel: the widening takes a hundredth of their
/// time, and threads still have parts to share.
static constexpr int64_t kPixelsOfWidened = 448;
/// Pixels that all panels meet lie in the second level of the cache.
static constexpr int64_t kNearBytes = 128 << 10;
/// Tiles of an image whose size is not known.
static constexpr int64_t kTypicalTiles = 256;

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

/// Of an axis of a spread image only every spread-th place of the result is
/// meant from here on, the first one being `phase`.
void ConvLoops::enterPhase(unsigned a, int64_t phase) {
  const Axis &all = allAxes[a];
  Axis &axis = axes[a];
  axis = all;
  for (auto [extra, of] : llvm::zip_equal(extras, allExtras)) {
    extra.first[a] = index.mul(of.axes[a], phase);
    extra.axes[a] = index.mul(of.axes[a], all.spread);
  }
  if (all.spread == 1)
    return;
  // Of the taps one in `step` meets pixels.
  int64_t step = all.spread / std::gcd(all.spread, all.dilation), first = 0;
  auto placeOf = [&](int64_t tap) {
    return phase + tap * all.dilation - all.before;
  };
  while (first < all.taps && placeOf(first) % all.spread != 0)
    ++first;
  axis.spread = 1;
  axis.taps = llvm::divideCeil(all.taps - first, step);
  axis.dilation = step * all.dilation / all.spread;
  axis.before = axis.taps == 0 ? 0 : -placeOf(first) / all.spread;
  // The image ends with a pixel; so far do the result and its taps reach.
  int64_t behind = all.after - (all.taps - 1) * all.dilation - phase;
  axis.after =
      axis.taps == 0
          ? 0
          : llvm::divideCeilSigned(1 + all.before + behind, all.spread) - 1 +
                (axis.taps - 1) * axis.dilation - axis.before;
  axis.isClipped = axis.before > 0 || axis.after > 0;
  axis.out =
      index.ceilDiv(index.sub(all.out, index.constant(phase)), all.spread);
  axis.firstTap = index.mul(all.ofFilter, first);
  axis.ofFilter = index.mul(all.ofFilter, step);
  axis.firstResult = index.mul(all.ofResult, phase);
  axis.ofResult = index.mul(all.ofResult, all.spread);
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
                          int64_t columns) {
  while (true) {
    OpFoldResult count = index.floorDiv(index.sub(to, from), columns);
    OpFoldResult end = index.add(from, index.mul(count, columns));
    cover(tile, from, end, columns);
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

/// Columns of a row whose length is not known. A long row begins and ends with
/// full tiles, which may overlap those between them; a very short one is a
/// tile, and one between them two that may overlap.
void ConvLoops::emitUnknownColumns(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  if (!axis.isClipped)
    return coverRest(tile, index.constant(0), axis.out, schedule.getColumns());
  int64_t width = schedule.getColumns();
  if (axis.stride != 1 || axis.before > width || axis.after > width)
    return emitRowOfAnyLength(tile);
  emitEither(
      index, arith::CmpIPredicate::sge, axis.out,
      index.constant(2 * width + axis.before), [&] { emitLongRow(tile); },
      [&] {
        if (axis.taps > kFewTaps)
          emitRowOfAnyLength(tile);
        else
          emitShortRow(tile);
      });
}

/// Pixels one by one at both ends, and between them full tiles and smaller
/// ones.
void ConvLoops::emitRowOfAnyLength(const Tile &tile) {
  const Axis &axis = axes[kColumn];
  // Pixels from `low` to `high` have all their taps inside.
  int64_t reach = (axis.taps - 1) * axis.dilation;
  OpFoldResult low =
      index.min(index.constant(llvm::divideCeil(
                    std::max<int64_t>(axis.before, 0), axis.stride)),
                axis.out);
  OpFoldResult last =
      index.sub(axis.in, index.constant(reach - axis.before + 1));
  OpFoldResult high =
      index.add(index.floorDiv(last, axis.stride), index.constant(1));
  high = index.max(low, index.min(high, axis.out));
  cover(tile, index.constant(0), low, 1, Border::Unknown);
  coverRest(tile, low, high, schedule.getColumns());
  cover(tile, high, axis.out, 1, Border::Unknown);
}

/// A row of two full tiles at least, and what the taps of the first one reach.
void ConvLoops::emitLongRow(const Tile &tile) {
  int64_t width = schedule.getColumns();
  const Axis &axis = axes[kColumn];
  cover(tile, index.constant(0), index.constant(width), width, Border::Begin);
  OpFoldResult end = index.sub(axis.out, index.constant(width));
  OpFoldResult last = index.sub(end, index.constant(width));
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
  Tile final = tile;
  final.at[kColumn] = end;
  final.columns = width;
  final.border = Border::End;
  emitTile(final);
}

/// A row that is not long: code of its own for each length that a tile has,
/// beyond that two tiles.
void ConvLoops::emitShortRow(const Tile &tile) {
  int64_t least = std::min(schedule.getColumns(), kShortRow) + 1;
  switchOver(index, axes[kColumn].out, least,
             [&](std::optional<int64_t> columns) {
               if (!columns)
                 return emitTwoTiles(tile, least);
               Tile whole = tile;
               whole.at[kColumn] = index.constant(0);
               whole.columns = *columns;
               whole.border = Border::Whole;
               if (*columns > 0)
                 emitTile(whole);
             });
}

/// The widths of the two tiles that a row of `least` columns or more may have:
/// of some for the one and the next for the other.
static SmallVector<int64_t> getWidthsOfTwo(int64_t least, int64_t most) {
  SmallVector<int64_t> widths;
  for (int64_t width = llvm::divideCeil(least, 2); width < most;
       width += std::max<int64_t>(2, width / 4 / 2 * 2))
    widths.push_back(width);
  widths.push_back(most);
  return widths;
}

/// Calls `body` with the first width of which `limit` says that the row is not
/// longer than it, or else the last one.
void ConvLoops::chooseWidth(ArrayRef<int64_t> widths,
                            function_ref<int64_t(unsigned)> limit,
                            function_ref<void(int64_t)> body) {
  auto chooseFrom = [&](auto &self, unsigned i) -> void {
    if (i + 1 == widths.size())
      return body(widths[i]);
    emitEither(
        index, arith::CmpIPredicate::sle, axes[kColumn].out,
        index.constant(limit(i)), [&] { body(widths[i]); },
        [&] { self(self, i + 1); });
  };
  chooseFrom(chooseFrom, 0);
}

/// A row of `least` columns or more that is not long: one tile begins with it,
/// and one ends with it. They are about as wide, and overlap by a column or
/// two.
void ConvLoops::emitTwoTiles(const Tile &tile, int64_t least) {
  const Axis &axis = axes[kColumn];
  OpFoldResult out = axis.out;
  SmallVector<int64_t> widths = getWidthsOfTwo(least, schedule.getColumns());
  auto ofBegin = [&](unsigned i) { return widths[i] + widths[i + 1]; };
  auto ofEnd = [&](unsigned i) { return 2 * widths[i]; };
  // Taps of neither tile reach beyond the other end of the row.
  int64_t side = std::max<int64_t>({axis.before, axis.after, 0});
  for (unsigned i = 0; i < widths.size(); ++i)
    if ((i ? ofEnd(i - 1) + 1 : least) < widths[i] + side)
      return emitRowOfAnyLength(tile);
  auto emitBoth = [&] {
    OpFoldResult begin = index.constant(0);
    chooseWidth(widths, ofBegin, [&](int64_t columns) {
      Tile part = tile;
      part.columns = columns;
      part.at[kColumn] = index.constant(0);
      part.border = Border::Begin;
      emitTile(part);
    });
    for (unsigned i = widths.size(); readsPixels() && i-- > 0;) {
      begin = i + 1 == widths.size()
                  ? index.constant(widths[i])
                  : selectIfAtMost(out, ofBegin(i), widths[i], begin);
    }
    chooseWidth(widths, ofEnd, [&](int64_t columns) {
      Tile part = tile;
      part.columns = columns;
      part.at[kColumn] = index.sub(out, index.constant(columns));
      part.border = Border::End;
      if (readsPixels())
        part.stored = index.sub(begin, part.at[kColumn]);
      emitTile(part);
    });
  };
  if (axis.before <= 1)
    return emitBoth();
  emitEither(index, arith::CmpIPredicate::sle, out,
             index.constant(2 * schedule.getColumns()), emitBoth,
             [&] { emitRowOfAnyLength(tile); });
}

/// `yes` if `x` is at most `most`, else `no`.
OpFoldResult ConvLoops::selectIfAtMost(OpFoldResult x, int64_t most,
                                       int64_t yes, OpFoldResult no) {
  Value value = index.value(x), bound = index.value(index.constant(most));
  Value isAtMost =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, value, bound);
  Value chosen = index.value(index.constant(yes)), other = index.value(no);
  return arith::SelectOp::create(b, loc, isAtMost, chosen, other).getResult();
}

/// The tiles of one row (or of `tile.rows` rows): all of them, or those of
/// `only`, where they are known and there is one phase.
void ConvLoops::emitColumns(const Tile &tile, std::optional<TileRange> only) {
  for (int64_t phase = 0; phase < allAxes[kColumn].spread; ++phase) {
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
  int64_t first = only ? only->first : 0, from = first * width;
  int64_t end = only ? std::min(from + only->count * width, *out) : *out;
  int64_t number = tile.number.value_or(0) + first;
  bool isNumbered = tile.number.has_value();
  while (from < end) {
    int64_t columns = std::min(width, end - from);
    bool atBorder = isBorder(from, columns);
    // Those in the middle are alike.
    int64_t to = from + columns;
    while (!atBorder && to + columns <= end && !isBorder(to, columns))
      to += columns;
    // The first ones fetch weights: they are known by number.
    bool isApart =
        schedule.getPrefetchFilter() && isNumbered && number < panelVectors;
    if (isApart)
      to = from + columns;
    carryLoop(index, index.constant(from), index.constant(to), columns, {},
              [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
                Tile part = tile;
                part.at[kColumn] = at;
                part.columns = columns;
                part.border = atBorder ? Border::Known : Border::None;
                part.number =
                    isNumbered ? std::optional<int64_t>(number) : std::nullopt;
                emitTile(part);
                return {};
              });
    number += (to - from) / columns;
    from = to;
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

/// The product of the extents that are known.
static int64_t countKnown(ArrayRef<OpFoldResult> extents) {
  SaturatingInt product = 1;
  for (OpFoldResult extent : extents)
    product *= getConstantIntValue(extent).value_or(1);
  return product;
}

/// Panels of small maps: a thread does all of one. If these are few, or cannot
/// be shared out evenly, threads share the tiles of each.
void ConvLoops::emitWholeMaps(
    OpFoldResult count, int64_t vectors, int64_t rows,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  std::optional<int64_t> columns = getConstantIntValue(axes[kColumn].out);
  int64_t perRow =
      columns ? llvm::divideCeil(*columns, schedule.getColumns()) : 0;
  int64_t rowTiles = llvm::divideCeil(rows, schedule.getRows());
  // Rows whose tiles fetch weights, and rows that need known taps, are known by
  // number.
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

  int64_t panels = countKnown({batches, count, axes[kDepth].out});
  int64_t tiles = rows > 1 ? rowTiles : isSpread ? 1 : perRow;
  bool isShared =
      panels < kFewPanels || (panels % 2 != 0 && panels < 2 * kFewPanels);
  int64_t perPart = std::max<int64_t>(tiles, 1);
  if (isShared)
    perPart =
        shareOf(index.constant(tiles), panels,
                schedule.getColumns() * (rows > 1 ? schedule.getRows() : 1));
  int64_t parts = std::max<int64_t>(llvm::divideCeil(tiles, perPart), 1);
  int64_t work = workOf(vectors, rows * columns.value_or(kTypicalColumns) *
                                     allAxes[kColumn].spread);
  parallelLoop(
      index, {batches, count, axes[kDepth].out, index.constant(parts)},
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
        for (int64_t row = 0; row < known; ++row)
          emitKnown(tile, row, std::nullopt);
        carryLoop(index, index.constant(known * schedule.getRows()),
                  index.constant(rows), 1, {},
                  [&](OpFoldResult y, ValueRange) -> SmallVector<Value> {
                    tile.at[kRow] = y;
                    emitColumns(tile, std::nullopt);
                    return {};
                  });
      });
}

/// `full` tiles of consecutive pixels, panel by panel: each is widened for the
/// pixels that it meets.
void ConvLoops::emitWidenedPixels(
    OpFoldResult count, int64_t vectors, OpFoldResult full,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  int64_t width = schedule.getColumns();
  int64_t share = shareOf(full, countKnown({batches, count}), width);
  parallelLoop(index, {batches, count, index.ceilDiv(full, share)},
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

/// `full` tiles of consecutive pixels: so many of them as stay near meet all
/// panels, or a part of these if threads would have too little to share.
void ConvLoops::emitNearPixels(
    OpFoldResult count, int64_t vectors, OpFoldResult full,
    function_ref<Tile(ArrayRef<OpFoldResult>)> place) {
  int64_t width = schedule.getColumns(),
          tileBytes = width * op.getChannels() * int64_t(sizeof(float)),
          near = std::max<int64_t>(kNearBytes / tileBytes, 1);
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
  parallelLoop(
      index, {batches, index.ceilDiv(full, share), index.constant(parts)},
      workOf(vectors, width) * share * perPart, [&](ArrayRef<OpFoldResult> at) {
        overShare(at[2], perPart, count, [&](OpFoldResult panel) {
          Tile tile = place({at[0], panel});
          tile.columns = width;
          overShare(at[1], share, full, [&](OpFoldResult number) {
            tile.at[kColumn] = index.mul(number, width);
            emitTile(tile);
          });
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
  if (isMerged && (!columns || *columns > 8 * schedule.getColumns())) {
    // Many pixels in a row: its tiles are as good as rows.
    int64_t width = schedule.getColumns();
    OpFoldResult full = index.floorDiv(axes[kColumn].out, width),
                 end = index.mul(full, width);
    if (schedule.getWiden())
      emitWidenedPixels(count, vectors, full, place);
    else
      emitNearPixels(count, vectors, full, place);
    if (columns && *columns % width == 0)
      return;
    parallelLoop(index, {batches, count}, workOf(vectors, width / 2),
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
  if (rows && (schedule.getRows() > 1 || *rows == 1 ||
               (*rows <= 14 && schedule.getPrefetchFilter())))
    return emitWholeMaps(count, vectors, *rows, place);
  int64_t inRow = columns.value_or(kTypicalColumns) * allAxes[kColumn].spread;
  int64_t share = shareOf(
      axes[kRow].out, countKnown({batches, count, axes[kDepth].out}), inRow);
  parallelLoop(
      index,
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
  if (isSpread)
    emitPhases(0);
  else
    emitAllPanels();
}

void onnxc::emitVectors(OpBuilder &b, kernel::ConvOp op,
                        kernel::ConvScheduleAttr schedule, TargetAttr) {
  ConvLoops(b, op, schedule).emit();
}
