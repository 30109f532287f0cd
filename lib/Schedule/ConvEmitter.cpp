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
// One to three spatial dimensions are all seen as three. A pointwise
// convolution has one: pixels follow each other.
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "EmitKernels.h"
#include "Epilogue.h"
#include "IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace onnxc;

namespace {

enum AxisName : unsigned { kDepth, kRow, kColumn, kAxes };

/// One spatial dimension.
struct Axis {
  OpFoldResult in, out;
  int64_t taps = 1, stride = 1, dilation = 1, before = 0, after = 0;
  /// How far a step moves in the image, the filter and the result.
  OpFoldResult ofImage, ofFilter, ofResult;

  bool isClipped = false; // some tap of some pixel lies outside
};

/// An operand of the epilogue: how far a step in each dimension of the result
/// moves in it. Dimensions: batch, block, axes, lane.
struct Extra {
  Value scalar;
  FlatBuffer buffer;
  OpFoldResult offset, batch, block, axes[kAxes], lane;
};

/// Whether taps of a tile's columns may lie outside of the image, and what is
/// known about which: where the tile stands, that it begins or ends with the
/// row (and that the row is long), or nothing (it has one column).
enum class Border { None, Known, Begin, End, Unknown };

/// Where a tile stands, and how many pixels it has.
struct Tile {
  OpFoldResult batch, panel, at[kAxes];
  int64_t rows = 1, columns = 1, vectors = 1;
  /// Number among the tiles of the panel, where that is known.
  std::optional<int64_t> number;
  Border border = Border::None;
};

class Emitter {
public:
  Emitter(OpBuilder &b, kernel::ConvOp op, const ConvSchedule &schedule)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op), schedule(schedule),
        lanes(op.getBlock()), isDepthwise(op.isDepthwise()) {}

  LogicalResult emit();

private:
  LogicalResult prepare();
  LogicalResult prepareExtras();
  void mergePixels();

  void emitPanels(OpFoldResult first, OpFoldResult count, int64_t vectors);
  void emitRow(Tile tile);
  void emitColumns(Tile tile);
  void emitUnknownColumns(Tile tile);
  void emitTile(const Tile &tile);
  void emitStores(const Tile &tile, ValueRange sums);
  Value readExtra(const Extra &extra, const Tile &tile, OpFoldResult block,
                  int64_t row, int64_t column);

  using Taps = SmallVector<OpFoldResult, kAxes>;
  SmallVector<Value> emitTaps(const Tile &tile, OpFoldResult block,
                              int64_t channels, ValueRange sums);
  SmallVector<Value> overTaps(const Tile &tile, unsigned axis, Taps taps,
                              OpFoldResult image, OpFoldResult filter,
                              int64_t channels, ValueRange sums);
  SmallVector<Value> emitChannels(const Tile &tile, const Taps &taps,
                                  OpFoldResult image, OpFoldResult filter,
                                  int64_t channels, ValueRange sums);
  SmallVector<Value> emitDepthwise(const Tile &tile, OpFoldResult image,
                                   OpFoldResult filter, ValueRange sums);

  bool isInside(const Tile &tile, unsigned axis, int64_t pixel,
                OpFoldResult tap);
  void cover(const Tile &tile, OpFoldResult from, OpFoldResult to,
             int64_t columns, Border border = Border::None);
  void coverRest(const Tile &tile, OpFoldResult from, OpFoldResult to,
                 int64_t columns);
  bool readsPixels();
  Value loadVector(const FlatBuffer &from, OpFoldResult at);
  Value broadcast(Value scalar);
  void prefetch(const FlatBuffer &from, OpFoldResult at, unsigned locality);

  int64_t workOfRow(int64_t vectors);

  OpBuilder &b;
  Location loc;
  IndexBuilder index;
  kernel::ConvOp op;
  const ConvSchedule &schedule;
  int64_t lanes;
  bool isDepthwise;

  Axis axes[kAxes];
  bool isMerged = false;
  OpFoldResult batches;
  int64_t panelVectors = 1, panels = 1, blocks = 1;
  FlatBuffer image, filter, result;
  /// Steps in the image: a block of channels and a channel in it.
  OpFoldResult imageBlock, imageChannel;
  OpFoldResult filterPanel, filterBlock, filterChannel;
  SmallVector<Extra> extras;
  VectorType vectorType;
};

LogicalResult Emitter::prepare() {
  vectorType = VectorType::get(lanes, b.getF32Type());
  auto filterType = cast<MemRefType>(op.getFilter().getType());
  if (op.getAccumulatorType() != b.getF32Type() ||
      !filterType.getElementType().isF32() ||
      !cast<MemRefType>(op.getImage().getType()).getElementType().isF32() ||
      !filterType.hasStaticShape())
    return failure();
  image = flatten(index, op.getImage());
  filter = flatten(index, op.getFilter());
  result = flatten(index, op.getInit());
  if (!isIndex(result.strides.back(), 1) || !isIndex(filter.strides.back(), 1))
    return failure();

  bool isBlocked = op.isImageBlocked();
  unsigned spatial = op.getNumSpatial();
  unsigned firstTap = isBlocked && !isDepthwise ? 2 : 1;
  batches = result.sizes[0];
  blocks = llvm::divideCeil(op.getFilters(), lanes);
  panelVectors =
      isDepthwise ? 1 : filterType.getDimSize(filterType.getRank() - 1) / lanes;
  panels = llvm::divideCeil(blocks, panelVectors);
  int64_t group = op.getGroup();
  if (!isDepthwise && group > 1 &&
      (!op.isImageBlocked() || op.getChannels() / group % lanes != 0 ||
       op.getFilters() / group % (panelVectors * lanes) != 0))
    return failure();
  imageBlock = image.strides[1];
  imageChannel = isBlocked ? image.strides.back() : image.strides[1];
  filterPanel = filter.strides[0];
  filterBlock = isBlocked ? filter.strides[1] : index.constant(0);
  filterChannel = filter.strides[filterType.getRank() - 2];

  for (Axis &axis : axes) {
    axis.in = axis.out = index.constant(1);
    axis.ofImage = axis.ofFilter = axis.ofResult = index.constant(0);
  }
  for (unsigned i = 0; i < spatial; ++i) {
    Axis &axis = axes[kAxes - spatial + i];
    axis.in = image.sizes[i + 2];
    axis.out = result.sizes[i + 2];
    axis.taps = filterType.getDimSize(firstTap + i);
    axis.stride = op.getStrides()[i];
    axis.dilation = op.getDilations()[i];
    axis.before = op.getPads()[i];
    axis.after = op.getPads()[spatial + i];
    axis.ofImage = image.strides[i + 2];
    axis.ofFilter = filter.strides[firstTap + i];
    axis.ofResult = result.strides[i + 2];
    axis.isClipped = axis.before != 0 || axis.after != 0;
  }
  if (failed(prepareExtras()))
    return failure();
  mergePixels();
  return success();
}

/// Turns the epilogue's maps into steps.
LogicalResult Emitter::prepareExtras() {
  unsigned spatial = op.getNumSpatial(), rank = spatial + 3;
  for (auto [value, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps())) {
    Extra &extra = extras.emplace_back();
    SmallVector<OpFoldResult> steps(rank + 1, index.constant(0));
    if (!isa<MemRefType>(value.getType())) {
      extra.scalar = value;
    } else {
      extra.buffer = flatten(index, value);
      for (auto [expr, stride] :
           llvm::zip_equal(map.getResults(), extra.buffer.strides)) {
        auto c = linearCoefficients(expr, rank);
        if (!c)
          return failure();
        for (unsigned d = 0; d <= rank; ++d)
          steps[d] = index.add(steps[d], index.mul(stride, (*c)[d]));
      }
    }
    extra.batch = steps[0];
    extra.block = steps[1];
    for (unsigned i = 0; i < kAxes; ++i)
      extra.axes[i] = i + spatial >= kAxes ? steps[i + spatial - kAxes + 2]
                                           : index.constant(0);
    extra.lane = steps[rank - 1];
    extra.offset = steps[rank];
  }
  return success();
}

/// All axes become one where every operand walks them as one.
void Emitter::mergePixels() {
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

Value Emitter::loadVector(const FlatBuffer &from, OpFoldResult at) {
  return vector::LoadOp::create(b, loc, VectorType::get(lanes, from.element),
                                from.memory, index.value(at));
}

Value Emitter::broadcast(Value scalar) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(lanes, scalar.getType()), scalar);
}

void Emitter::prefetch(const FlatBuffer &from, OpFoldResult at,
                       unsigned locality) {
  memref::PrefetchOp::create(b, loc, from.memory, index.value(at),
                             /*isWrite=*/false, locality, /*isDataCache=*/true);
}

/// Whether a tap of a pixel lies in the image, as far as that is known now;
/// where it is not there is nothing to clip, or a loop does it.
bool Emitter::isInside(const Tile &tile, unsigned a, int64_t pixel,
                       OpFoldResult tap) {
  const Axis &axis = axes[a];
  std::optional<int64_t> start = getConstantIntValue(tile.at[a]),
                         k = getConstantIntValue(tap),
                         size = getConstantIntValue(axis.in);
  if (!k || (a == kColumn && tile.border == Border::None))
    return true;
  int64_t reach = *k * axis.dilation;
  if (a == kColumn && tile.border == Border::Begin)
    return pixel + reach >= axis.before;
  if (a == kColumn && tile.border == Border::End)
    return pixel + reach <
           tile.columns - axis.after + (axis.taps - 1) * axis.dilation;
  if (!start || !size)
    return true;
  int64_t at = (*start + pixel) * axis.stride + reach - axis.before;
  return at >= 0 && at < *size;
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::emitTaps(const Tile &tile, OpFoldResult block,
                                     int64_t channels, ValueRange sums) {
  OpFoldResult own = block;
  if (op.getGroup() > 1 && !isDepthwise) {
    int64_t groups = op.getGroup();
    Value group =
        arith::DivUIOp::create(b, loc, index.value(tile.panel),
                               index.value(index.constant(panels / groups)));
    own = index.add(block, index.mul(OpFoldResult(group),
                                     op.getChannels() / groups / lanes));
  }
  OpFoldResult from = index.add(index.mul(tile.batch, image.strides[0]),
                                index.mul(own, imageBlock));
  OpFoldResult weights = index.add(index.mul(tile.panel, filterPanel),
                                   isDepthwise ? index.constant(0)
                                               : index.mul(block, filterBlock));
  return overTaps(tile, 0, {}, from, weights, channels, sums);
}

/// Loops over the taps of `a` and the axes behind it.
SmallVector<Value> Emitter::overTaps(const Tile &tile, unsigned a, Taps taps,
                                     OpFoldResult from, OpFoldResult weights,
                                     int64_t channels, ValueRange sums) {
  if (a == kAxes)
    return emitChannels(tile, taps, from, weights, channels, sums);
  const Axis &axis = axes[a];
  OpFoldResult first = index.mul(tile.at[a], axis.stride);
  auto at = [&](OpFoldResult tap, ValueRange carried) {
    OpFoldResult place =
        index.sub(index.add(first, index.mul(tap, axis.dilation)),
                  index.constant(axis.before));
    Taps next(taps);
    next.push_back(tap);
    return overTaps(
        tile, a + 1, next, index.add(from, index.mul(place, axis.ofImage)),
        index.add(weights, index.mul(tap, axis.ofFilter)), channels, carried);
  };
  if (a == kColumn && isDepthwise && tile.border != Border::Unknown) {
    OpFoldResult place = index.sub(first, index.constant(axis.before));
    return emitDepthwise(tile, index.add(from, index.mul(place, axis.ofImage)),
                         weights, sums);
  }
  bool isKnown = getConstantIntValue(tile.at[a]).has_value() &&
                 getConstantIntValue(axis.in).has_value();
  bool several = a == kColumn ? tile.columns > 1 : a == kRow && tile.rows > 1;
  bool clips = a == kColumn ? tile.border != Border::None : axis.isClipped;
  bool isSide = a == kColumn &&
                (tile.border == Border::Begin || tile.border == Border::End);
  if (isSide || (clips && isKnown && several)) {
    // Each pixel has taps of its own.
    SmallVector<Value> carried(sums);
    for (int64_t k = 0; k < axis.taps; ++k)
      carried = at(index.constant(k), carried);
    return carried;
  }
  OpFoldResult low = index.constant(0), high = index.constant(axis.taps);
  if (clips) {
    OpFoldResult before = index.sub(index.constant(axis.before), first);
    low = index.max(low, index.ceilDiv(before, axis.dilation));
    high = index.min(high,
                     index.ceilDiv(index.add(before, axis.in), axis.dilation));
  }
  return carryLoop(index, low, high, 1, sums, at);
}

SmallVector<Value> Emitter::emitChannels(const Tile &tile, const Taps &taps,
                                         OpFoldResult from,
                                         OpFoldResult weights, int64_t channels,
                                         ValueRange sums) {
  if (isDepthwise) {
    // A single pixel whose taps a loop has clipped.
    Value w = loadVector(filter, weights), x = loadVector(image, from);
    return {vector::FMAOp::create(b, loc, x, w, sums[0])};
  }
  return carryLoop(
      index, index.constant(0), index.constant(channels), 1, sums,
      [&](OpFoldResult channel, ValueRange carried) {
        SmallVector<Value> next(carried);
        OpFoldResult pixel = index.add(from, index.mul(channel, imageChannel));
        OpFoldResult row =
            index.add(weights, index.mul(channel, filterChannel));
        SmallVector<Value> w;
        for (int64_t j = 0; j < tile.vectors; ++j)
          w.push_back(
              loadVector(filter, index.add(row, index.constant(j * lanes))));
        if (schedule.prefetchFilter && tile.number &&
            *tile.number < panelVectors && panels > 1) {
          // One line of the next panel per step; `panelVectors` tiles have as
          // many steps as the panel has lines.
          OpFoldResult inPanel =
              index.sub(row, index.mul(tile.panel, filterPanel));
          OpFoldResult line =
              arith::DivUIOp::create(b, loc, index.value(inPanel),
                                     index.value(index.constant(panelVectors)))
                  .getResult();
          std::optional<int64_t> size = getConstantIntValue(filterPanel);
          OpFoldResult next = index.add(
              index.mul(index.add(tile.panel, index.constant(1)), filterPanel),
              index.constant(*tile.number * *size / panelVectors));
          prefetch(filter, index.add(next, line), 2);
        }
        if (schedule.prefetchImage)
          prefetch(image,
                   index.add(pixel,
                             index.mul(index.add(channel,
                                                 index.constant(tile.columns)),
                                       axes[kColumn].ofImage)),
                   3);
        for (int64_t r = 0; r < tile.rows; ++r)
          for (int64_t c = 0; c < tile.columns; ++c) {
            if ((tile.rows > 1 && !isInside(tile, kRow, r, taps[kRow])) ||
                !isInside(tile, kColumn, c, taps[kColumn]))
              continue;
            OpFoldResult offset = index.add(
                index.mul(axes[kRow].ofImage, r * axes[kRow].stride),
                index.mul(axes[kColumn].ofImage, c * axes[kColumn].stride));
            Value x = memref::LoadOp::create(
                b, loc, image.memory, index.value(index.add(pixel, offset)));
            Value wide = broadcast(x);
            for (int64_t j = 0; j < tile.vectors; ++j) {
              Value &sum = next[(r * tile.columns + c) * tile.vectors + j];
              sum = vector::FMAOp::create(b, loc, wide, w[j], sum);
            }
          }
        return next;
      });
}

/// All taps of a row of pixels: each vector of the image is loaded once.
SmallVector<Value> Emitter::emitDepthwise(const Tile &tile, OpFoldResult from,
                                          OpFoldResult weights,
                                          ValueRange sums) {
  const Axis &axis = axes[kColumn];
  SmallVector<Value> next(sums);
  std::map<int64_t, Value> loaded;
  SmallVector<Value> w;
  for (int64_t k = 0; k < axis.taps; ++k)
    w.push_back(
        loadVector(filter, index.add(weights, index.mul(axis.ofFilter, k))));
  for (int64_t c = 0; c < tile.columns; ++c)
    for (int64_t k = 0; k < axis.taps; ++k) {
      if (!isInside(tile, kColumn, c, index.constant(k)))
        continue;
      int64_t column = c * axis.stride + k * axis.dilation;
      Value &x = loaded[column];
      if (!x)
        x = loadVector(image, index.add(from, index.mul(axis.ofImage, column)));
      next[c] = vector::FMAOp::create(b, loc, x, w[k], next[c]);
    }
  return next;
}

void Emitter::emitTile(const Tile &tile) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  SmallVector<Value> sums(tile.rows * tile.columns * tile.vectors, zero);
  OpFoldResult zeroIndex = index.constant(0);
  int64_t channels = op.getChannels() / (isDepthwise ? 1 : op.getGroup());
  if (isDepthwise) {
    sums = emitTaps(tile, tile.panel, 1, sums);
  } else {
    int64_t full = op.isImageBlocked() ? channels / lanes : 0;
    sums = carryLoop(index, zeroIndex, index.constant(full), 1, sums,
                     [&](OpFoldResult block, ValueRange carried) {
                       return emitTaps(tile, block, lanes, carried);
                     });
    if (channels > full * lanes)
      sums =
          emitTaps(tile, index.constant(full), channels - full * lanes, sums);
  }
  emitStores(tile, sums);
}

Value Emitter::readExtra(const Extra &extra, const Tile &tile,
                         OpFoldResult block, int64_t row, int64_t column) {
  if (extra.scalar)
    return extra.scalar;
  OpFoldResult at = index.add(extra.offset, index.mul(tile.batch, extra.batch));
  at = index.add(at, index.mul(block, extra.block));
  int64_t pixel[kAxes] = {0, row, column};
  for (unsigned a = 0; a < kAxes; ++a) {
    at = index.add(at, index.mul(tile.at[a], extra.axes[a]));
    at = index.add(at, index.mul(extra.axes[a], pixel[a]));
  }
  if (isIndex(extra.lane, 1))
    return loadVector(extra.buffer, at);
  if (isIndex(extra.lane, 0))
    return memref::LoadOp::create(b, loc, extra.buffer.memory, index.value(at));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < lanes; ++i)
    elements.push_back(memref::LoadOp::create(
        b, loc, extra.buffer.memory,
        index.value(index.add(at, index.mul(extra.lane, i)))));
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(lanes, extra.buffer.element), elements);
}

void Emitter::emitStores(const Tile &tile, ValueRange sums) {
  OpFoldResult start = index.mul(tile.batch, result.strides[0]);
  for (unsigned a = 0; a < kAxes; ++a)
    start = index.add(start, index.mul(tile.at[a], axes[a].ofResult));
  OpFoldResult first = index.mul(tile.panel, panelVectors);
  // Read once: what all pixels of the tile share.
  std::map<std::pair<unsigned, int64_t>, Value> shared;
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t c = 0; c < tile.columns; ++c)
      for (int64_t j = 0; j < tile.vectors; ++j) {
        OpFoldResult block = index.add(first, index.constant(j));
        SmallVector<Value> values;
        for (auto [i, extra] : llvm::enumerate(extras)) {
          bool isShared =
              isIndex(extra.axes[kRow], 0) && isIndex(extra.axes[kColumn], 0);
          Value own, &value = isShared ? shared[{i, j}] : own;
          if (!value)
            value = readExtra(extra, tile, block, r, c);
          values.push_back(value);
        }
        Value sum = sums[(r * tile.columns + c) * tile.vectors + j];
        Value element = emitEpilogue(b, loc, op, sum, values);
        OpFoldResult at = index.add(start, index.mul(block, result.strides[1]));
        at = index.add(at, index.mul(axes[kRow].ofResult, r));
        at = index.add(at, index.mul(axes[kColumn].ofResult, c));
        vector::StoreOp::create(b, loc, element, result.memory,
                                index.value(at));
      }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Tiles of so many columns from `from` to `to`.
void Emitter::cover(const Tile &tile, OpFoldResult from, OpFoldResult to,
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
void Emitter::coverRest(const Tile &tile, OpFoldResult from, OpFoldResult to,
                        int64_t columns) {
  while (true) {
    OpFoldResult count = index.floorDiv(index.sub(to, from), columns);
    OpFoldResult end = index.add(from, index.mul(count, columns));
    cover(tile, from, end, columns);
    if (columns == 1)
      return;
    from = end;
    columns = llvm::divideCeil(columns, 4);
  }
}

/// Whether the epilogue reads something for each pixel: that may be the
/// result's own memory, which can be read just once.
bool Emitter::readsPixels() {
  return llvm::any_of(extras, [&](const Extra &extra) {
    return !isIndex(extra.axes[kColumn], 0);
  });
}

/// Columns of a row whose length is not known. A long row begins and ends with
/// full tiles, which may overlap those between them. Otherwise there are pixels
/// one by one at both ends, and between them full tiles and smaller ones.
void Emitter::emitUnknownColumns(Tile tile) {
  const Axis &axis = axes[kColumn];
  OpFoldResult zero = index.constant(0);
  if (!axis.isClipped)
    return coverRest(tile, zero, axis.out, schedule.columns);

  auto emitShort = [&] {
    // Pixels from `low` to `high` have all their taps inside.
    int64_t reach = (axis.taps - 1) * axis.dilation;
    OpFoldResult low = index.min(
        index.constant(llvm::divideCeil(axis.before, axis.stride)), axis.out);
    OpFoldResult last =
        index.sub(axis.in, index.constant(reach - axis.before + 1));
    OpFoldResult high =
        index.add(index.floorDiv(last, axis.stride), index.constant(1));
    high = index.max(low, index.min(high, axis.out));
    cover(tile, zero, low, 1, Border::Unknown);
    coverRest(tile, low, high, schedule.columns);
    cover(tile, high, axis.out, 1, Border::Unknown);
  };
  int64_t width = schedule.columns;
  if (axis.stride != 1 || axis.before > width || axis.after > width ||
      readsPixels())
    return emitShort();
  Value isLong = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::sge, index.value(axis.out),
      index.value(index.constant(2 * width + axis.before)));
  auto choice = scf::IfOp::create(b, loc, isLong, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  cover(tile, zero, index.constant(width), width, Border::Begin);
  OpFoldResult end = index.sub(axis.out, index.constant(width));
  OpFoldResult last = index.sub(end, index.constant(width));
  carryLoop(index, index.constant(width), end, width, {},
            [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
              Tile part = tile;
              part.at[kColumn] = index.min(at, last);
              part.columns = width;
              emitTile(part);
              return {};
            });
  Tile final = tile;
  final.at[kColumn] = end;
  final.columns = width;
  final.border = Border::End;
  emitTile(final);
  b.setInsertionPointToStart(choice.elseBlock());
  emitShort();
}

/// All tiles of one row (or of `tile.rows` rows).
void Emitter::emitColumns(Tile tile) {
  const Axis &axis = axes[kColumn];
  std::optional<int64_t> out = getConstantIntValue(axis.out),
                         in = getConstantIntValue(axis.in);
  if (!out || !in)
    return emitUnknownColumns(tile);
  // Tiles of about equal width.
  int64_t count = llvm::divideCeil(*out, schedule.columns);
  bool isEven = *out % schedule.columns == 0 || count > 8;
  int64_t width = isEven ? schedule.columns : llvm::divideCeil(*out, count);
  auto isBorder = [&](int64_t from, int64_t columns) {
    if (!axis.isClipped)
      return false;
    return from * axis.stride < axis.before ||
           (from + columns - 1) * axis.stride +
                   (axis.taps - 1) * axis.dilation - axis.before >=
               *in;
  };
  int64_t from = 0, number = tile.number.value_or(0);
  bool isNumbered = tile.number.has_value();
  while (from < *out) {
    int64_t columns = std::min(width, *out - from);
    bool atBorder = isBorder(from, columns);
    // Those in the middle are alike.
    int64_t to = from + columns;
    while (!atBorder && to + columns <= *out && !isBorder(to, columns))
      to += columns;
    // The first ones fetch weights: they are known by number.
    bool isApart =
        schedule.prefetchFilter && isNumbered && number < panelVectors;
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

int64_t Emitter::workOfRow(int64_t vectors) {
  int64_t steps = isDepthwise ? 1 : op.getChannels() / op.getGroup();
  for (const Axis &axis : axes)
    steps *= axis.taps;
  return std::max<int64_t>(steps * vectors / 2, 1) *
         getConstantIntValue(axes[kColumn].out).value_or(64);
}

/// Panels `first` to `first + count`, of which `vectors` vectors are meant.
void Emitter::emitPanels(OpFoldResult first, OpFoldResult count,
                         int64_t vectors) {
  Tile tile;
  tile.vectors = vectors;
  auto place = [&](ArrayRef<OpFoldResult> at) {
    tile.batch = at[0];
    tile.panel = index.add(first, at[1]);
    for (OpFoldResult &axis : tile.at)
      axis = index.constant(0);
  };
  std::optional<int64_t> rows = getConstantIntValue(axes[kRow].out),
                         columns = getConstantIntValue(axes[kColumn].out);
  int64_t work = workOfRow(vectors);
  if (isMerged && (!columns || *columns > 8 * schedule.columns)) {
    // Many pixels in a row: its tiles are as good as rows.
    int64_t width = schedule.columns;
    OpFoldResult full = index.floorDiv(axes[kColumn].out, width),
                 end = index.mul(full, width);
    parallelLoop(index, {batches, count, full},
                 std::max<int64_t>(work * width / columns.value_or(64), 1),
                 [&](ArrayRef<OpFoldResult> at) {
                   place(at);
                   tile.columns = width;
                   tile.at[kColumn] = index.mul(at[2], width);
                   emitTile(tile);
                 });
    if (columns && *columns % width == 0)
      return;
    parallelLoop(index, {batches, count}, 0, [&](ArrayRef<OpFoldResult> at) {
      place(at);
      if (columns)
        cover(tile, end, axes[kColumn].out, *columns % width);
      else
        coverRest(tile, end, axes[kColumn].out,
                  llvm::divideCeil(schedule.columns, 4));
    });
    return;
  }
  bool isWhole = schedule.rows > 1 || (rows && *rows == 1) ||
                 (rows && *rows <= 14 && schedule.prefetchFilter);
  if (isWhole && rows) {
    // Small maps: a panel does all of it.
    parallelLoop(
        index, {batches, count, axes[kDepth].out}, work * *rows,
        [&](ArrayRef<OpFoldResult> at) {
          place(at);
          tile.at[kDepth] = at[2];
          int64_t number = 0;
          int64_t perRow =
              columns ? llvm::divideCeil(*columns, schedule.columns) : 0;
          int64_t row = 0;
          // Rows whose tiles fetch weights, and rows that need known taps.
          while (row < *rows && (schedule.rows > 1 || number < panelVectors)) {
            tile.rows = std::min(schedule.rows, *rows - row);
            tile.at[kRow] = index.constant(row);
            tile.number =
                perRow ? std::optional<int64_t>(number) : std::nullopt;
            emitColumns(tile);
            number += perRow;
            row += tile.rows;
          }
          tile.rows = 1;
          tile.number = std::nullopt;
          carryLoop(index, index.constant(row), index.constant(*rows), 1, {},
                    [&](OpFoldResult y, ValueRange) -> SmallVector<Value> {
                      tile.at[kRow] = y;
                      emitColumns(tile);
                      return {};
                    });
        });
    return;
  }
  parallelLoop(index, {batches, count, axes[kDepth].out, axes[kRow].out}, work,
               [&](ArrayRef<OpFoldResult> at) {
                 place(at);
                 tile.at[kDepth] = at[2];
                 tile.at[kRow] = at[3];
                 emitColumns(tile);
               });
}

LogicalResult Emitter::emit() {
  if (failed(prepare()))
    return failure();
  int64_t full = blocks / panelVectors, rest = blocks % panelVectors;
  if (full)
    emitPanels(index.constant(0), index.constant(full), panelVectors);
  if (rest)
    emitPanels(index.constant(full), index.constant(1), rest);
  return success();
}

} // namespace

LogicalResult onnxc::emitConv(OpBuilder &b, kernel::ConvOp op,
                              const VectorTarget &target) {
  std::optional<ConvSchedule> schedule = ConvSchedule::fromOp(op);
  return Emitter(b, op, schedule ? *schedule : selectSchedule(op, target))
      .emit();
}
