//===- StructuredEmitter.cpp - Vector code for one structured op ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a structured op, from the outside:
//
//   parallel loops, in the schedule's order, in steps of the tile; full tiles
//   and the remainder are separate loops
//     accumulators of the tile are loaded
//     reduction loops carry them as iteration arguments
//       the body, once for each vector of the tile
//     accumulators are stored
//
// Addresses are linear in the loops: each operand is seen as one-dimensional,
// each loop adds its step to the operand's base, and inside a tile addresses
// differ by constants where sizes are static.
//
//===----------------------------------------------------------------------===//

#include "StructuredEmitter.h"
#include "Combiner.h"
#include "Kernels/Epilogue.h"
#include "Kernels/KernelLoops.h"
#include "ParallelLoops.h"
#include "StridedLoads.h"
#include "StructuredTile.h"
#include "onnxc/Support/IndexMath.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <functional>
#include <map>

using namespace mlir;
using namespace onnxc;

namespace {

bool isZero(OpFoldResult x) { return getConstantIntValue(x) == 0; }

class Emitter {
public:
  Emitter(OpBuilder &b, linalg::LinalgOp op, const Schedule &schedule,
          bool parallel)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op), schedule(schedule),
        parallel(parallel), lane(schedule.laneLoop()), lanes(schedule.lanes()),
        kinds(op.getIteratorTypesArray()) {}

  LogicalResult emit();

private:
  LogicalResult prepare();
  bool isParallel(unsigned d) { return linalg::isParallelIterator(kinds[d]); }

  Place advance(const Place &place, unsigned d, OpFoldResult position);

  /// Covers `d` by full tiles and a remainder; `inner` emits one piece.
  void cover(
      unsigned d, const Place &place, const Tile &tile,
      SmallVector<Value> carried, SmallVectorImpl<Value> &results,
      function_ref<SmallVector<Value>(const Place &, const Tile &, ValueRange)>
          inner);
  void emitBlock(ArrayRef<ParallelLoop> loops, ArrayRef<OpFoldResult> sizes,
                 ValueRange numbers, const Place &place, const Tile &tile);
  void emitShared(const Place &place, const Tile &tile);
  void emitParallel(unsigned depth, const Place &place, const Tile &tile);
  void emitBands(const Place &place, const Tile &tile);
  void emitTile(const Place &place, const Tile &tile);
  LoopOperand emitPack(const Place &place, const Tile &tile);
  void mergeReductions();
  SmallVector<Value> emitReduction(ArrayRef<unsigned> loops, const Place &place,
                                   const Tile &tile, ValueRange carried);
  using AtPoint = function_ref<void(const TilePoint &, ArrayRef<Value>)>;
  SmallVector<Value> emitBody(const Place &place, const Tile &tile,
                              ValueRange carried, AtPoint finish = nullptr);

  SmallVector<TilePoint> pointsOf(const Tile &tile, bool withLanes);
  OpFoldResult addressOf(unsigned operand, const Place &place,
                         const TilePoint &point);
  Value load(unsigned operand, const Place &place, const Tile &tile,
             const TilePoint &point);
  void store(unsigned operand, Value value, const Place &place,
             const Tile &tile, const TilePoint &point);
  bool isSquare(unsigned operand, const Tile &tile);
  void loadSquares(unsigned operand, const Place &place, const Tile &tile,
                   const TilePoint &point,
                   function_ref<Value &(const TilePoint &)> slot);
  Value evaluate(Operation *inner, IRMapping &map, const Place &place,
                 const Tile &tile, const TilePoint &point);
  Value broadcast(Value scalar);

  VectorType vectorOf(Type element) { return VectorType::get(lanes, element); }

  OpBuilder &b;
  Location loc;
  IndexMath index;
  linalg::LinalgOp op;
  const Schedule &schedule;
  bool parallel; // threads share the outermost loops
  unsigned lane;
  int64_t lanes;
  SmallVector<utils::IteratorType> kinds;
  SmallVector<OpFoldResult> extent;
  SmallVector<LoopOperand> operands;
  SmallVector<unsigned> reductions;
  std::optional<Combiner> combiner; // if lanes are partial results
};

LogicalResult Emitter::prepare() {
  unsigned loops = op.getNumLoops();
  SmallVector<SmallVector<SmallVector<int64_t>>> coefficients;
  for (OpOperand &operand : op->getOpOperands()) {
    auto &ofOperand = coefficients.emplace_back();
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto c = linearCoefficients(expr, loops);
      if (!c)
        return failure();
      ofOperand.push_back(*c);
    }
  }
  for (unsigned d = 0; d < loops; ++d)
    if (!isParallel(d))
      reductions.push_back(d);
  if (!isParallel(lane)) {
    combiner = matchCombiner(op);
    if (!combiner)
      return failure();
  }

  // The sizes of the loops: the first buffer dimension that is one plain loop.
  extent.assign(loops, OpFoldResult());
  SmallVector<int64_t> known = op.getStaticLoopRanges();
  for (unsigned d = 0; d < loops; ++d)
    if (!ShapedType::isDynamic(known[d]))
      extent[d] = b.getIndexAttr(known[d]);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!extent[dim.getPosition()])
          extent[dim.getPosition()] =
              memref::DimOp::create(b, loc, operand.get(), i).getResult();
  if (llvm::any_of(extent, [](OpFoldResult e) { return !e; }))
    return failure();

  for (auto [operand, ofOperand] :
       llvm::zip_equal(op->getOpOperands(), coefficients)) {
    unsigned number = operand.getOperandNumber();
    LoopOperand &o = operands.emplace_back();
    o.step.assign(loops, b.getIndexAttr(0));
    o.element = getElementTypeOrSelf(operand.get().getType());
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type) {
      o.scalar = operand.get();
      continue;
    }
    auto meta = memref::ExtractStridedMetadataOp::create(b, loc, operand.get());
    SmallVector<OpFoldResult> strides = meta.getConstifiedMixedStrides();
    OpFoldResult offset = meta.getConstifiedMixedOffset();
    for (auto [c, stride] : llvm::zip_equal(ofOperand, strides)) {
      for (unsigned d = 0; d < loops; ++d)
        if (c[d] != 0)
          o.step[d] =
              index.add(o.step[d], index.mul(stride, b.getIndexAttr(c[d])));
      offset = index.add(offset, index.mul(stride, b.getIndexAttr(c[loops])));
    }
    if (number >= unsigned(op.getNumDpsInputs()) &&
        getConstantIntValue(o.step[lane]) != (isParallel(lane) ? 1 : 0))
      return failure();
    // The size of the view does not matter to any access.
    o.memory = memref::ReinterpretCastOp::create(
        b, loc, meta.getBaseBuffer(), offset,
        ArrayRef<OpFoldResult>(b.getIndexAttr(1 << 30)),
        ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  }
  return success();
}

Place Emitter::advance(const Place &place, unsigned d, OpFoldResult position) {
  Place next = place;
  next.position[d] = position;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.memory)
      next.base[i] =
          index.add(next.base[i], index.mul(position, operand.step[d]));
  return next;
}

void Emitter::cover(
    unsigned d, const Place &place, const Tile &tile,
    SmallVector<Value> carried, SmallVectorImpl<Value> &results,
    function_ref<SmallVector<Value>(const Place &, const Tile &, ValueRange)>
        inner) {
  bool isLane = d == lane;
  int64_t size = schedule.tile[d];
  // `count` steps (or vectors) from `from` up to `to`, `step` at a time.
  auto piece = [&](OpFoldResult from, OpFoldResult to, int64_t step,
                   int64_t count, bool masked) {
    auto emitAt = [&](OpFoldResult position, ValueRange args) {
      Tile part = tile;
      part.count[d] = count;
      if (isLane && masked) {
        part.live = index.sub(
            to, index.add(position, b.getIndexAttr((count - 1) * lanes)));
        part.mask = createMask(index, part.live, lanes);
      }
      return inner(advance(place, d, position), part, args);
    };
    carried = carryLoop(index, from, to, step, carried, emitAt);
  };

  int64_t vectors = isLane ? size / lanes : 1;
  if (std::optional<int64_t> n = getConstantIntValue(extent[d])) {
    int64_t full = *n / size * size, rest = *n - full;
    piece(b.getIndexAttr(0), b.getIndexAttr(full), size,
          isLane ? vectors : size, false);
    if (rest && !isLane)
      piece(b.getIndexAttr(full), b.getIndexAttr(*n), rest, rest, false);
    if (rest && isLane)
      piece(b.getIndexAttr(full), b.getIndexAttr(*n), size,
            (rest + lanes - 1) / lanes, rest % lanes != 0);
  } else {
    OpFoldResult full = extent[d];
    if (size > 1) {
      Value count = index.value(extent[d]);
      Value by = arith::ConstantIndexOp::create(b, loc, size);
      Value rest = arith::RemUIOp::create(b, loc, count, by);
      full = arith::SubIOp::create(b, loc, count, rest).getResult();
    }
    piece(b.getIndexAttr(0), full, size, isLane ? vectors : size, false);
    // Masks are for the last vector of a row alone: they cost more than that
    // loop. Sums keep theirs, whose rows are read once.
    OpFoldResult whole = full;
    if (isLane && vectors > 1 && isParallel(d)) {
      whole =
          index.mul(index.floorDiv(extent[d], lanes), b.getIndexAttr(lanes));
      piece(full, whole, lanes, 1, false);
    }
    if (size > 1)
      piece(whole, extent[d], isLane ? lanes : 1, 1, isLane);
  }
  results.assign(carried.begin(), carried.end());
}

/// Copies what the tiles along the innermost parallel loop read of the packed
/// input: row after row of the tile's lanes, one for each step of the
/// reductions.
LoopOperand Emitter::emitPack(const Place &place, const Tile &tile) {
  const LoopOperand &from = operands[schedule.pack];
  LoopOperand packed;
  packed.element = from.element;
  packed.padded = true;
  packed.step.assign(extent.size(), b.getIndexAttr(0));
  packed.step[lane] = b.getIndexAttr(1);
  SaturatingInt stride = schedule.tile[lane];
  for (unsigned d : llvm::reverse(reductions)) {
    packed.step[d] = b.getIndexAttr(stride);
    stride *= *getConstantIntValue(extent[d]);
  }
  packed.memory = memref::AllocOp::create(
      b, loc, MemRefType::get({stride}, from.element), b.getI64IntegerAttr(64));

  std::function<void(ArrayRef<unsigned>, const Place &, OpFoldResult)> copy =
      [&](ArrayRef<unsigned> loops, const Place &at, OpFoldResult to) {
        if (loops.empty()) {
          for (int64_t v = 0; v < tile.count[lane]; ++v) {
            TilePoint point;
            point.offset.assign(extent.size(), 0);
            point.offset[lane] = v * lanes;
            point.vector = v;
            point.masked = tile.mask && v + 1 == tile.count[lane];
            Value row = load(schedule.pack, at, tile, point);
            Value address =
                index.value(index.add(to, b.getIndexAttr(v * lanes)));
            vector::StoreOp::create(b, loc, broadcast(row), packed.memory,
                                    address);
          }
          return;
        }
        SmallVector<Value> none;
        unsigned d = loops.front();
        cover(d, at, tile, {}, none,
              [&](const Place &next, const Tile &, ValueRange) {
                copy(
                    loops.drop_front(), next,
                    index.add(to, index.mul(next.position[d], packed.step[d])));
                return SmallVector<Value>();
              });
      };
  copy(reductions, place, b.getIndexAttr(0));
  return packed;
}

/// Reductions that every operand walks as one become one loop.
void Emitter::mergeReductions() {
  if (op.hasIndexSemantics() || combiner)
    return;
  for (size_t i = reductions.size(); i-- > 1;) {
    unsigned outer = reductions[i - 1], inner = reductions[i];
    std::optional<int64_t> n = getConstantIntValue(extent[inner]),
                           m = getConstantIntValue(extent[outer]);
    if (!n || !m)
      continue;
    bool asOne = llvm::all_of(operands, [&](const LoopOperand &o) {
      if (!o.memory)
        return true;
      std::optional<int64_t> x = getConstantIntValue(o.step[outer]),
                             y = getConstantIntValue(o.step[inner]);
      return x && y && *x == *y * *n;
    });
    if (!asOne)
      continue;
    extent[inner] = b.getIndexAttr(*n * *m);
    reductions.erase(reductions.begin() + (i - 1));
  }
}

void Emitter::emitParallel(unsigned depth, const Place &place,
                           const Tile &tile) {
  if (depth == schedule.order.size())
    return emitTile(place, tile);
  if (schedule.pack >= 0 && depth + 1 == schedule.order.size() &&
      !operands[schedule.pack].padded) {
    LoopOperand packed = emitPack(place, tile);
    std::swap(operands[schedule.pack], packed);
    SmallVector<unsigned> allReductions = reductions;
    SmallVector<OpFoldResult> allExtents = extent;
    mergeReductions();
    Place at = place;
    at.base[schedule.pack] = b.getIndexAttr(0);
    emitParallel(depth, at, tile);
    reductions = allReductions;
    extent = allExtents;
    std::swap(operands[schedule.pack], packed);
    return;
  }
  if (schedule.band > 0 && depth + 1 == schedule.order.size())
    return emitBands(place, tile);
  SmallVector<Value> none;
  cover(schedule.order[depth], place, tile, {}, none,
        [&](const Place &at, const Tile &part, ValueRange) {
          emitParallel(depth + 1, at, part);
          return SmallVector<Value>();
        });
}

/// All tiles along the lanes, for some steps of the outermost reduction after
/// the other. Between bands the results hold the sums.
void Emitter::emitBands(const Place &place, const Tile &tile) {
  unsigned d = reductions.front();
  OpFoldResult all = extent[d];
  auto emitBand = [&](OpFoldResult from, OpFoldResult count) {
    Place at = advance(place, d, from);
    at.origin[d] = index.add(place.origin[d], from);
    at.position[d] = b.getIndexAttr(0);
    extent[d] = count;
    SmallVector<Value> none;
    cover(lane, at, tile, {}, none,
          [&](const Place &next, const Tile &part, ValueRange) {
            emitTile(next, part);
            return SmallVector<Value>();
          });
    extent[d] = all;
    return SmallVector<Value>();
  };
  OpFoldResult full = index.mul(index.floorDiv(all, schedule.band),
                                b.getIndexAttr(schedule.band));
  carryLoop(index, b.getIndexAttr(0), full, schedule.band, {},
            [&](OpFoldResult from, ValueRange) {
              return emitBand(from, b.getIndexAttr(schedule.band));
            });
  OpFoldResult rest = index.sub(all, full);
  if (!isZero(rest))
    emitBand(full, rest);
}

/// Emits one block of the shared loops: the op with other extents. A last
/// block that is known to be shorter has code of its own, as a last tile has.
void Emitter::emitBlock(ArrayRef<ParallelLoop> loops,
                        ArrayRef<OpFoldResult> sizes, ValueRange numbers,
                        const Place &place, const Tile &tile) {
  if (loops.empty())
    return emitParallel(0, place, tile);
  unsigned d = loops.front().loop;
  int64_t block = loops.front().block;
  OpFoldResult size = sizes.front(), full = b.getIndexAttr(block);
  OpFoldResult from = index.mul(numbers.front(), full);
  Place at = advance(place, d, from);
  at.origin[d] = from;
  at.position[d] = b.getIndexAttr(0);
  auto emitRest = [&](OpFoldResult length) {
    extent[d] = length;
    emitBlock(loops.drop_front(), sizes.drop_front(), numbers.drop_front(), at,
              tile);
    extent[d] = size;
  };
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known % block == 0)
    return emitRest(full);
  // Without tiles, any number of steps is the same code.
  if (!known || schedule.tile[d] == 1) {
    Value left = index.value(index.sub(size, from));
    left = arith::MinUIOp::create(b, loc, left, index.value(full));
    return emitRest(left);
  }
  Value last = arith::ConstantIndexOp::create(b, loc, *known / block);
  Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                       numbers.front(), last);
  auto branch = scf::IfOp::create(b, loc, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitRest(full);
  b.setInsertionPointToStart(branch.elseBlock());
  emitRest(b.getIndexAttr(*known % block));
}

/// Emits the op in blocks that threads may share, if it has enough of them.
void Emitter::emitShared(const Place &place, const Tile &tile) {
  SmallVector<int64_t> known;
  for (OpFoldResult size : extent)
    known.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  SmallVector<ParallelLoop> loops;
  if (parallel)
    loops = chooseParallelLoops(op, schedule, known);
  if (loops.empty())
    return emitParallel(0, place, tile);
  SmallVector<OpFoldResult> sizes, counts;
  for (auto [d, block] : loops) {
    sizes.push_back(extent[d]);
    counts.push_back(index.ceilDiv(extent[d], b.getIndexAttr(block)));
  }
  auto shared = scf::ForallOp::create(b, loc, counts, /*outputs=*/{},
                                      /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(shared.getTerminator());
  emitBlock(loops, sizes, shared.getInductionVars(), place, tile);
}

SmallVector<TilePoint> Emitter::pointsOf(const Tile &tile, bool withLanes) {
  SmallVector<TilePoint> points{TilePoint()};
  points[0].offset.assign(tile.count.size(), 0);
  for (unsigned d = 0; d < tile.count.size(); ++d) {
    if (d == lane ? !withLanes : !isParallel(d))
      continue;
    SmallVector<TilePoint> next;
    for (const TilePoint &p : points)
      for (int64_t i = 0; i < tile.count[d]; ++i) {
        TilePoint q = p;
        if (d == lane) {
          q.vector = i;
          q.offset[d] = i * lanes;
          q.masked = tile.mask && i + 1 == tile.count[d];
        } else {
          q.offset[d] = i;
        }
        next.push_back(q);
      }
    points = std::move(next);
  }
  return points;
}

OpFoldResult Emitter::addressOf(unsigned operand, const Place &place,
                                const TilePoint &point) {
  OpFoldResult address = place.base[operand], distance = b.getIndexAttr(0);
  for (auto [d, offset] : llvm::enumerate(point.offset))
    if (offset != 0)
      distance = index.add(distance, index.mul(operands[operand].step[d],
                                               b.getIndexAttr(offset)));
  return index.add(address, distance);
}

Value Emitter::broadcast(Value scalar) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType()),
                                     scalar);
}

Value Emitter::load(unsigned operand, const Place &place, const Tile &tile,
                    const TilePoint &point) {
  const LoopOperand &from = operands[operand];
  if (from.scalar)
    return from.scalar;
  Value address = index.value(addressOf(operand, place, point));
  OpFoldResult step = from.step[lane];
  std::optional<int64_t> known = getConstantIntValue(step);
  if (known && *known == 0)
    return memref::LoadOp::create(b, loc, from.memory, address);
  if (known && *known == 2 && lanes % 2 == 0)
    return loadEverySecond(index, vectorOf(from.element), from.memory, address,
                           point.masked ? tile.live : OpFoldResult());
  if (!known || *known != 1)
    return gatherLanes(index, vectorOf(from.element), from.memory, address,
                       step, point.masked ? tile.mask : Value());
  VectorType type = vectorOf(from.element);
  if (!point.masked || from.padded)
    return vector::LoadOp::create(b, loc, type, from.memory, address);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, from.memory, address,
                                      tile.mask, zero);
}

/// Whether squares of the operand are transposed in registers: it lies along
/// the loop of which the tile has enough steps.
bool Emitter::isSquare(unsigned operand, const Tile &tile) {
  const LoopOperand &from = operands[operand];
  if (schedule.squares < 0 || !from.memory ||
      getConstantIntValue(from.step[schedule.squares]) != 1 ||
      tile.count[schedule.squares] < kLeastOfSquare)
    return false;
  std::optional<int64_t> apart = getConstantIntValue(from.step[lane]);
  return !apart || (*apart != 0 && *apart != 1);
}

/// Loads the square that `point` lies in, and those beside it in the same rows
/// of memory: each line comes into the cache once, even if the rows are so far
/// apart that they displace each other. Of the last rows each square waits for
/// its turn, which takes fewer registers.
void Emitter::loadSquares(unsigned operand, const Place &place,
                          const Tile &tile, const TilePoint &point,
                          function_ref<Value &(const TilePoint &)> slot) {
  const LoopOperand &from = operands[operand];
  unsigned along = schedule.squares;
  int64_t count = tile.count[along];
  TilePoint at = point;
  bool isLast = point.vector + 1 == tile.count[lane];
  int64_t first = isLast ? point.offset[along] / lanes * lanes : 0;
  int64_t end = isLast ? std::min(count, first + lanes) : count;
  for (int64_t begin = first; begin < end; begin += lanes) {
    at.offset[along] = begin;
    OpFoldResult address = addressOf(operand, place, at);
    SmallVector<Value> columns =
        loadSquare(index, from, address, from.step[lane], lanes,
                   point.masked ? tile.live : OpFoldResult(),
                   std::min(lanes, count - begin));
    for (Value column : columns) {
      slot(at) = column;
      ++at.offset[along];
    }
  }
}

void Emitter::store(unsigned operand, Value value, const Place &place,
                    const Tile &tile, const TilePoint &point) {
  Value flat = operands[operand].memory;
  Value address = index.value(addressOf(operand, place, point));
  if (isZero(operands[operand].step[lane])) {
    memref::StoreOp::create(b, loc, value, flat, address);
    return;
  }
  value = broadcast(value);
  if (point.masked)
    storeMasked(b, loc, flat, address, tile.mask, value);
  else
    vector::StoreOp::create(b, loc, value, flat, address);
}

/// Clones one op of the body, on vectors where an operand is a vector.
Value Emitter::evaluate(Operation *inner, IRMapping &map, const Place &place,
                        const Tile &tile, const TilePoint &point) {
  if (auto idx = dyn_cast<linalg::IndexOp>(inner)) {
    unsigned d = idx.getDim();
    Value at =
        index.value(index.add(index.add(place.origin[d], place.position[d]),
                              b.getIndexAttr(point.offset[d])));
    if (d != lane)
      return at;
    VectorType type = vectorOf(b.getIndexType());
    Value start = broadcast(at);
    return arith::AddIOp::create(b, loc, start,
                                 vector::StepOp::create(b, loc, type));
  }
  if (auto load = dyn_cast<memref::LoadOp>(inner)) {
    // Either one element for all lanes, or a row along the lanes.
    SmallVector<Value> at;
    for (Value v : load.getIndices())
      at.push_back(map.lookupOrDefault(v));
    if (at.empty() || !isa<VectorType>(at.back().getType()))
      return memref::LoadOp::create(b, loc, load.getMemRef(), at);
    at.back() = index.value(
        index.add(index.add(place.origin[lane], place.position[lane]),
                  b.getIndexAttr(point.offset[lane])));
    return loadRow(index, vectorOf(load.getType()), load.getMemRef(), at,
                   point.masked ? tile.mask : Value());
  }
  SmallVector<Value> values;
  bool isVector = false;
  for (Value v : inner->getOperands()) {
    values.push_back(map.lookupOrDefault(v));
    isVector |= isa<VectorType>(values.back().getType());
  }
  if (isVector)
    for (Value &v : values)
      v = broadcast(v);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(inner) && !reductions.empty())
    for (unsigned i : {0, 1})
      if (inner->getOperand(i) == op.getBlock()->getArguments().back())
        return combine(b, loc, inner, values[1 - i], values[i]);
  OperationState state(loc, inner->getName());
  state.addOperands(values);
  Type type = inner->getResult(0).getType();
  state.addTypes(isVector ? Type(vectorOf(type)) : type);
  state.addAttributes(inner->getAttrs());
  if (combiner && inner == combiner->op)
    ignoreZeroSigns(state);
  if (!reductions.empty() &&
      isa<arith::AddFOp, arith::MulFOp, arith::SubFOp>(inner))
    state.attributes.set("fastmath",
                         arith::FastMathFlagsAttr::get(
                             b.getContext(), arith::FastMathFlags::contract));
  return b.create(state)->getResult(0);
}

/// Evaluates the body once for every vector of the tile. `carried` are the
/// accumulators, point by point, results inside; the new ones are returned.
/// `finish` gets those of each point before the next one is evaluated.
SmallVector<Value> Emitter::emitBody(const Place &place, const Tile &tile,
                                     ValueRange carried, AtPoint finish) {
  Block *body = op.getBlock();
  unsigned numInputs = op.getNumDpsInputs(), numInits = op.getNumDpsInits();
  SmallVector<Value> results;
  // A load is shared by all points that read the same address.
  std::map<std::pair<unsigned, SmallVector<int64_t>>, Value> loaded;
  auto sharedLoad = [&](unsigned i, const TilePoint &point) {
    auto slot = [&](const TilePoint &at) -> Value & {
      SmallVector<int64_t> key;
      for (auto [d, offset] : llvm::enumerate(at.offset))
        key.push_back(isZero(operands[i].step[d]) ? 0 : offset);
      return loaded[{i, key}];
    };
    Value &value = slot(point);
    if (!value && isSquare(i, tile))
      loadSquares(i, place, tile, point, slot);
    if (!value)
      value = load(i, place, tile, point);
    return value;
  };
  IRMapping constants;
  for (Operation &inner : body->without_terminator())
    if (isa<arith::ConstantOp>(inner))
      b.clone(inner, constants);

  for (auto [n, point] : llvm::enumerate(pointsOf(tile, true))) {
    IRMapping map(constants);
    for (unsigned i = 0; i < numInputs; ++i)
      if (!body->getArgument(i).use_empty())
        map.map(body->getArgument(i), sharedLoad(i, point));
    for (unsigned i = 0; i < numInits; ++i) {
      BlockArgument arg = body->getArgument(numInputs + i);
      if (arg.use_empty())
        continue;
      map.map(arg, carried.empty() ? sharedLoad(numInputs + i, point)
                                   : carried[n * numInits + i]);
    }
    for (Operation &inner : body->without_terminator()) {
      if (isa<arith::ConstantOp>(inner))
        continue;
      if (combiner && point.masked && &inner == combiner->op) {
        // Lanes behind the end contribute nothing.
        Value term = broadcast(map.lookupOrDefault(combiner->term));
        Value none = broadcast(neutralOf(b, loc, combiner->op));
        term = arith::SelectOp::create(b, loc, tile.mask, term, none);
        map.map(combiner->term, term);
      }
      map.map(inner.getResult(0), evaluate(&inner, map, place, tile, point));
    }
    for (Value v : body->getTerminator()->getOperands()) {
      Value value = map.lookupOrDefault(v);
      results.push_back(carried.empty() ? value : broadcast(value));
    }
    if (finish)
      finish(point, ArrayRef<Value>(results).take_back(numInits));
  }
  return results;
}

SmallVector<Value> Emitter::emitReduction(ArrayRef<unsigned> loops,
                                          const Place &place, const Tile &tile,
                                          ValueRange carried) {
  if (loops.empty())
    return emitBody(place, tile, carried);
  SmallVector<Value> results;
  unsigned d = loops.front();
  cover(d, place, tile, SmallVector<Value>(carried), results,
        [&](const Place &at, const Tile &part, ValueRange args) {
          if (d != lane)
            return emitReduction(loops.drop_front(), at, part, args);
          // A remainder has fewer vectors: the other accumulators wait.
          SmallVector<TilePoint> all = pointsOf(tile, true);
          SmallVector<Value> mine, out(args);
          SmallVector<unsigned> slots;
          for (auto [n, point] : llvm::enumerate(all))
            if (point.vector < part.count[lane]) {
              mine.push_back(args[n]);
              slots.push_back(n);
            }
          SmallVector<Value> next =
              emitReduction(loops.drop_front(), at, part, mine);
          for (auto [slot, value] : llvm::zip_equal(slots, next))
            out[slot] = value;
          return out;
        });
  return results;
}

void Emitter::emitTile(const Place &place, const Tile &tile) {
  unsigned numInputs = op.getNumDpsInputs(), numInits = op.getNumDpsInits();
  SmallVector<TilePoint> points = pointsOf(tile, true);
  if (reductions.empty()) {
    // An elementwise op may work in place: no vector reads what another one
    // of the tile writes. Results do not wait for others in registers.
    emitBody(place, tile, {},
             [&](const TilePoint &point, ArrayRef<Value> values) {
               for (auto [i, value] : llvm::enumerate(values))
                 store(numInputs + i, value, place, tile, point);
             });
    return;
  }

  SmallVector<Value> carried;
  if (!combiner) {
    for (const TilePoint &point : points)
      for (unsigned i = 0; i < numInits; ++i)
        carried.push_back(broadcast(load(numInputs + i, place, tile, point)));
    carried = emitReduction(reductions, place, tile, carried);
    for (auto [n, point] : llvm::enumerate(points))
      for (unsigned i = 0; i < numInits; ++i)
        store(numInputs + i, carried[n * numInits + i], place, tile, point);
    return;
  }

  // The lanes hold partial results. The lane loop goes innermost.
  Tile whole = tile;
  whole.count[lane] = schedule.tile[lane] / lanes;
  points = pointsOf(whole, false);
  int64_t vectors = whole.count[lane];
  carried.assign(points.size() * vectors,
                 broadcast(neutralOf(b, loc, combiner->op)));
  SmallVector<unsigned> loops;
  for (unsigned d : reductions)
    if (d != lane)
      loops.push_back(d);
  loops.push_back(lane);
  carried = emitReduction(loops, place, whole, carried);

  // pointsOf enumerates loops in order: the lane loop need not be the last.
  SmallVector<TilePoint> all = pointsOf(whole, true);
  for (const TilePoint &point : points) {
    Value sum;
    for (auto [n, p] : llvm::enumerate(all)) {
      SmallVector<int64_t> offset = p.offset;
      offset[lane] = 0;
      if (offset != point.offset)
        continue;
      sum = sum ? combine(b, loc, combiner->op, carried[n], sum) : carried[n];
    }
    Value total = joinLanes(b, loc, combiner->op, sum);
    Value old = load(numInputs, place, tile, point);
    store(numInputs, combine(b, loc, combiner->op, total, old), place, tile,
          point);
  }
}

LogicalResult Emitter::emit() {
  if (failed(prepare()))
    return failure();
  if (schedule.pack < 0)
    mergeReductions();
  Place start;
  start.origin.assign(op.getNumLoops(), b.getIndexAttr(0));
  start.position.assign(op.getNumLoops(), b.getIndexAttr(0));
  start.base.assign(operands.size(), b.getIndexAttr(0));
  Tile tile;
  tile.count.assign(op.getNumLoops(), 1);
  emitShared(start, tile);
  return success();
}

} // namespace

LogicalResult onnxc::emitStructured(OpBuilder &b, linalg::LinalgOp op,
                                    const Schedule &schedule, bool parallel) {
  return Emitter(b, op, schedule, parallel).emit();
}
