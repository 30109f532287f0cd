//===- BlockMatmulEmitter.cpp - The loops of kernel.block_matmul ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panels of columns in parallel, then tiles of rows. For each block of the sum,
// words of weights are loaded and become floats in registers, which all rows of
// the tile are multiplied by. One row has sums of the block, which are scaled;
// of more rows, the weights are. For several tiles of rows the weights of a few
// columns become floats once, in a scratch buffer.
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulSchedule.h"
#include "Kernels/Epilogue.h"
#include "Kernels/KernelLoops.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// The most that the floats of a tile's columns may take: they are read once
/// for each tile of rows, from the second level of the cache.
constexpr int64_t kMaxWideBytes = 512 << 10;
/// Steps of the sum that are one iteration where the weights are floats.
constexpr int64_t kUnroll = 4;

/// Where a tile stands.
struct Place {
  OpFoldResult row, column;
  OpFoldResult weights; // of the first word
  OpFoldResult scales;  // of the first block
  int64_t rows = 1, vectors = 1;
  int64_t live = 0; // columns of the last vector
  Value wide;       // the weights as floats, scaled: rows of a tile's vectors
};

class Emitter {
public:
  Emitter(OpBuilder &b, kernel::BlockMatmulOp op,
          kernel::BlockMatmulScheduleAttr schedule, TargetAttr target)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op), schedule(schedule),
        target(target), lanes(target.getVectorBytes() / 4),
        floats(VectorType::get(lanes, f32())),
        words(VectorType::get(lanes, b.getI32Type())) {}

  void emit();

private:
  Type f32() { return b.getF32Type(); }
  void emitPanels(int64_t first, int64_t count, int64_t vectors, int64_t live);
  void coverPanel(Place place);
  void coverRows(Place place);
  void emitTiles(Place place);
  void forEachStrip(Place place, int64_t vectors,
                    llvm::function_ref<void(Place)> body);
  void widenStrip(const Place &place);
  void emitTile(const Place &place);
  SmallVector<Value> emitBlock(const Place &place, OpFoldResult block,
                               int64_t count, ValueRange sums);
  SmallVector<Value> multiply(const Place &place, OpFoldResult word,
                              ArrayRef<Value> zeros, ArrayRef<Value> scales,
                              ValueRange sums, int64_t copies);
  SmallVector<Value> multiplyWide(const Place &place, OpFoldResult step,
                                  ValueRange sums);
  void addProducts(const Place &place, OpFoldResult step,
                   ArrayRef<Value> columns, MutableArrayRef<Value> sums);
  SmallVector<Value> loadWords(const Place &place, OpFoldResult word);
  SmallVector<Value> columnsOf(ArrayRef<Value> loaded, int64_t i,
                               ArrayRef<Value> zeros, ArrayRef<Value> scales);
  Value widen(Value word, int64_t i);
  SmallVector<Value> loadScales(const Place &place, OpFoldResult block,
                                int64_t row);
  void finish(const Place &place, ArrayRef<Value> sums);
  Value readOperand(const LoopOperand &operand, OpFoldResult row,
                    OpFoldResult column, int64_t live) {
    return readLanes(index, operand, addressOf(operand, row, column),
                     operand.step[1], lanes, live);
  }
  OpFoldResult addressOf(const LoopOperand &operand, OpFoldResult row,
                         OpFoldResult column) {
    OpFoldResult ofRow = index.mul(row, operand.step[0]);
    return index.add(ofRow, index.mul(column, operand.step[1]));
  }
  Value fill(float value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(floats, value));
  }
  Value maskOf(int64_t live) { return makeMask(index, lanes, live); }

  OpBuilder &b;
  Location loc;
  IndexMath index;
  kernel::BlockMatmulOp op;
  kernel::BlockMatmulScheduleAttr schedule;
  TargetAttr target;
  int64_t lanes;
  VectorType floats, words;
  LoopOperand lhs, result;
  SmallVector<LoopOperand> extras;
  FlatBuffer weights, scales;
};

/// Number `i` of a word, as a float without the zero point that all share.
Value Emitter::widen(Value word, int64_t i) {
  int64_t bits = op.getBits(), offset = int64_t(op.getOffset());
  auto shift = [&](int64_t by) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(words, int32_t(by)))
        .getResult();
  };
  const Instruction *permutation =
      bits == 4 && lanes == 16
          ? findInstruction(target, Capability::PermuteFloats, 4 * lanes)
          : nullptr;
  if (permutation) {
    // The lowest four bits choose one of 16 floats.
    SmallVector<float> table;
    for (int64_t n = 0; n < 16; ++n)
      table.push_back((n < 8 ? n : n - 16) - offset);
    if (i > 0)
      word = arith::ShRUIOp::create(b, loc, word, shift(i * bits));
    Value floatsOf = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(floats, ArrayRef<float>(table)));
    return callInstruction(b, loc, *permutation, floats, {floatsOf, word});
  }
  if (int64_t above = 32 - bits * (i + 1))
    word = arith::ShLIOp::create(b, loc, word, shift(above));
  word = arith::ShRSIOp::create(b, loc, word, shift(32 - bits));
  Value number = arith::SIToFPOp::create(b, loc, floats, word);
  if (offset != 0)
    number = arith::SubFOp::create(b, loc, number, fill(offset));
  return number;
}

/// Row `row` of the scales of a block: of scales, or of zero points.
SmallVector<Value> Emitter::loadScales(const Place &place, OpFoldResult block,
                                       int64_t row) {
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < place.vectors; ++v) {
    OpFoldResult ofBlock = index.mul(block, scales.strides[1]);
    OpFoldResult at = index.add(ofBlock, index.mul(scales.strides[2], row));
    at = index.add(at, index.add(place.scales, index.constant(v * lanes)));
    loaded.push_back(
        vector::LoadOp::create(b, loc, floats, scales.memory, index.value(at)));
  }
  return loaded;
}

SmallVector<Value> Emitter::loadWords(const Place &place, OpFoldResult word) {
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < place.vectors; ++v) {
    OpFoldResult at =
        index.add(place.weights, index.mul(word, op.getPanelWidth()));
    at = index.add(at, index.constant(v * lanes));
    loaded.push_back(
        vector::LoadOp::create(b, loc, words, weights.memory, index.value(at)));
    if (place.rows == 1 && !place.wide && v * lanes * 4 % kCacheLine == 0)
      memref::PrefetchOp::create(
          b, loc, weights.memory,
          index.value(index.add(at, index.constant(kStreamBytes / 4))),
          /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
  return loaded;
}

/// Number `i` of the words as floats: without zero points and scaled, if there
/// are any.
SmallVector<Value> Emitter::columnsOf(ArrayRef<Value> loaded, int64_t i,
                                      ArrayRef<Value> zeros,
                                      ArrayRef<Value> scales) {
  SmallVector<Value> columns;
  for (auto [v, word] : llvm::enumerate(loaded)) {
    Value number = widen(word, i);
    if (!zeros.empty())
      number = arith::SubFOp::create(b, loc, number, zeros[v]);
    if (!scales.empty())
      number = arith::MulFOp::create(b, loc, number, scales[v]);
    columns.push_back(number);
  }
  return columns;
}

/// Adds the products of one step to the sums of each row.
void Emitter::addProducts(const Place &place, OpFoldResult step,
                          ArrayRef<Value> columns,
                          MutableArrayRef<Value> sums) {
  for (int64_t r = 0; r < place.rows; ++r) {
    OpFoldResult at =
        addressOf(lhs, index.add(place.row, index.constant(r)), step);
    Value x = memref::LoadOp::create(b, loc, lhs.memory, index.value(at));
    Value all = vector::BroadcastOp::create(b, loc, floats, x);
    for (int64_t v = 0; v < place.vectors; ++v) {
      Value &sum = sums[r * place.vectors + v];
      sum = vector::FMAOp::create(b, loc, all, columns[v], sum);
    }
  }
}

/// Adds the products of one word of each column to `copies` sets of sums in
/// turn.
SmallVector<Value> Emitter::multiply(const Place &place, OpFoldResult word,
                                     ArrayRef<Value> zeros,
                                     ArrayRef<Value> scales, ValueRange sums,
                                     int64_t copies) {
  int64_t perWord = op.getPerWord(), set = place.rows * place.vectors;
  SmallVector<Value> loaded = loadWords(place, word), next(sums);
  OpFoldResult step = index.mul(word, perWord);
  for (int64_t i = 0; i < perWord; ++i) {
    OpFoldResult row = index.add(step, index.constant(i));
    addProducts(place, row, columnsOf(loaded, i, zeros, scales),
                MutableArrayRef(next).slice(i % copies * set, set));
  }
  return next;
}

/// Adds the products of `kUnroll` steps where the weights are floats.
SmallVector<Value> Emitter::multiplyWide(const Place &place, OpFoldResult step,
                                         ValueRange sums) {
  SmallVector<Value> next(sums);
  for (int64_t i = 0; i < kUnroll; ++i) {
    OpFoldResult at = index.add(step, index.constant(i));
    SmallVector<Value> columns;
    for (int64_t v = 0; v < place.vectors; ++v)
      columns.push_back(vector::LoadOp::create(
          b, loc, floats, place.wide,
          index.value(index.add(index.mul(at, kTileVectors * lanes),
                                index.constant(v * lanes)))));
    addProducts(place, at, columns, next);
  }
  return next;
}

/// Fills `place.wide`.
void Emitter::widenStrip(const Place &place) {
  int64_t block = op.getBlock(), perWord = op.getPerWord(),
          perBlock = block / perWord, numWords = op.getSteps() / perWord;
  auto widenBlock = [&](OpFoldResult at, int64_t count) {
    SmallVector<Value> zeros, factors = loadScales(place, at, 0);
    if (op.hasZeroPoints())
      zeros = loadScales(place, at, 1);
    OpFoldResult first = index.mul(at, perBlock);
    carryLoop(index, index.constant(0), index.constant(count), 1, {},
              [&](OpFoldResult number, ValueRange) {
                OpFoldResult word = index.add(first, number);
                SmallVector<Value> loaded = loadWords(place, word);
                for (int64_t i = 0; i < perWord; ++i) {
                  OpFoldResult row = index.mul(
                      index.add(index.mul(word, perWord), index.constant(i)),
                      kTileVectors * lanes);
                  for (auto [v, column] :
                       llvm::enumerate(columnsOf(loaded, i, zeros, factors)))
                    vector::StoreOp::create(
                        b, loc, column, place.wide,
                        index.value(index.add(
                            row, index.constant(int64_t(v) * lanes))));
                }
                return SmallVector<Value>();
              });
  };
  OpFoldResult whole = index.constant(numWords / perBlock);
  carryLoop(index, index.constant(0), whole, 1, {},
            [&](OpFoldResult at, ValueRange) {
              widenBlock(at, perBlock);
              return SmallVector<Value>();
            });
  if (numWords % perBlock != 0)
    widenBlock(whole, numWords % perBlock);
}

/// The first `count` words of a block.
SmallVector<Value> Emitter::emitBlock(const Place &place, OpFoldResult block,
                                      int64_t count, ValueRange sums) {
  SmallVector<Value> zeros, factors = loadScales(place, block, 0);
  if (op.hasZeroPoints())
    zeros = loadScales(place, block, 1);
  OpFoldResult first =
      index.mul(block, int64_t(op.getBlock()) / op.getPerWord());
  auto overWords = [&](ArrayRef<Value> scales, ValueRange start,
                       int64_t copies) {
    return carryLoop(index, index.constant(0), index.constant(count), 1, start,
                     [&](OpFoldResult word, ValueRange carried) {
                       return multiply(place, index.add(first, word), zeros,
                                       scales, carried, copies);
                     });
  };
  if (place.rows > 1)
    return overWords(factors, sums, 1);
  // Enough sums to hide how long a multiply-add takes.
  constexpr int64_t kSums = 8;
  int64_t copies = place.vectors < kSums ? 2 : 1;
  SmallVector<Value> ofBlock = overWords(
      {}, SmallVector<Value>(copies * place.vectors, fill(0)), copies);
  SmallVector<Value> next;
  for (int64_t v = 0; v < place.vectors; ++v) {
    Value all = ofBlock[v];
    if (copies == 2)
      all = arith::AddFOp::create(b, loc, all, ofBlock[v + place.vectors]);
    next.push_back(vector::FMAOp::create(b, loc, all, factors[v], sums[v]));
  }
  return next;
}

void Emitter::emitTile(const Place &place) {
  int64_t block = op.getBlock(), steps = op.getSteps(),
          perWord = op.getPerWord();
  SmallVector<Value> sums(place.rows * place.vectors, fill(0));
  if (place.wide)
    return finish(place, carryLoop(index, index.constant(0),
                                   index.constant(steps), kUnroll, sums,
                                   [&](OpFoldResult step, ValueRange carried) {
                                     return multiplyWide(place, step, carried);
                                   }));
  OpFoldResult whole = index.constant(steps / block);
  sums = carryLoop(index, index.constant(0), whole, 1, sums,
                   [&](OpFoldResult at, ValueRange carried) {
                     return emitBlock(place, at, block / perWord, carried);
                   });
  if (steps % block != 0)
    sums = emitBlock(place, whole, steps % block / perWord, sums);
  finish(place, sums);
}

void Emitter::finish(const Place &place, ArrayRef<Value> sums) {
  for (int64_t r = 0; r < place.rows; ++r)
    for (int64_t v = 0; v < place.vectors; ++v) {
      int64_t live = v + 1 == place.vectors ? place.live : lanes;
      OpFoldResult row = index.add(place.row, index.constant(r)),
                   column = index.add(place.column, index.constant(v * lanes));
      SmallVector<Value> values;
      for (const LoopOperand &extra : extras)
        values.push_back(readOperand(extra, row, column, live));
      Value made =
          emitEpilogue(b, loc, op, sums[r * place.vectors + v], values);
      Value at = index.value(addressOf(result, row, column));
      if (live == lanes)
        vector::StoreOp::create(b, loc, made, result.memory, at);
      else
        storeMasked(b, loc, result.memory, at, maskOf(live), made);
    }
}

void Emitter::forEachStrip(Place place, int64_t vectors,
                           llvm::function_ref<void(Place)> body) {
  for (int64_t v = 0; v < place.vectors; v += vectors) {
    Place strip = place;
    strip.vectors = std::min(vectors, place.vectors - v);
    strip.live = v + strip.vectors == place.vectors ? place.live : lanes;
    strip.column = index.add(place.column, index.constant(v * lanes));
    strip.weights = index.add(place.weights, index.constant(v * lanes));
    strip.scales = index.add(place.scales, index.constant(v * lanes));
    body(strip);
  }
}

/// One row takes all vectors of a panel at once; several take a few each.
void Emitter::emitTiles(Place place) {
  forEachStrip(place, place.rows == 1 ? place.vectors : kTileVectors,
               [&](Place strip) { emitTile(strip); });
}

/// Few rows widen the weights in registers. So does one, where any number may
/// come.
void Emitter::coverPanel(Place place) {
  OpFoldResult numRows = result.sizes[0];
  std::optional<int64_t> rows = getConstantIntValue(numRows);
  int64_t wideElements = op.getSteps() * kTileVectors * lanes;
  if ((rows && *rows <= schedule.getRows()) ||
      wideElements * int64_t(sizeof(float)) > kMaxWideBytes)
    return coverRows(place);
  Value wide =
      memref::AllocOp::create(b, loc, MemRefType::get({wideElements}, f32()),
                              b.getI64IntegerAttr(target.getVectorBytes()));
  auto coverWide = [&] {
    forEachStrip(place, kTileVectors, [&](Place strip) {
      strip.wide = wide;
      widenStrip(strip);
      coverRows(strip);
    });
  };
  if (rows)
    return coverWide();
  switchOver(index, numRows, 2, [&](std::optional<int64_t> known) {
    if (!known)
      return coverWide();
    place.row = index.constant(0);
    if (*known == 1)
      emitTiles(place);
  });
}

void Emitter::coverRows(Place place) {
  OpFoldResult from = index.constant(0), to = result.sizes[0];
  auto piece = [&](OpFoldResult end, int64_t rows) {
    carryLoop(index, from, end, rows, {}, [&](OpFoldResult at, ValueRange) {
      place.row = at;
      place.rows = rows;
      emitTiles(place);
      return SmallVector<Value>();
    });
    from = end;
  };
  int64_t most = place.wide ? schedule.getWideRows() : schedule.getRows();
  if (std::optional<int64_t> rows = getConstantIntValue(to)) {
    if (*rows == 0)
      return;
    most = llvm::divideCeil(*rows, llvm::divideCeil(*rows, most));
    int64_t full = *rows / most * most;
    piece(index.constant(full), most);
    if (full != *rows)
      piece(to, *rows - full);
    return;
  }
  for (int64_t rows = most; rows >= 1; rows = rows > 4 ? 4 : rows > 1 ? 1 : 0) {
    OpFoldResult tiles = index.floorDiv(index.sub(to, from), rows);
    piece(index.add(from, index.mul(tiles, rows)), rows);
  }
}

void Emitter::emitPanels(int64_t first, int64_t count, int64_t vectors,
                         int64_t live) {
  if (count == 0)
    return;
  int64_t work = 0;
  if (std::optional<int64_t> rows = getConstantIntValue(result.sizes[0]))
    work = op.getSteps() * vectors * (*rows / 2 + 2);
  parallelLoop(
      index, index.constant(count), work, [&](ArrayRef<OpFoldResult> at) {
        OpFoldResult panel = index.add(at.front(), index.constant(first));
        Place place;
        place.vectors = vectors;
        place.live = live;
        place.column = index.mul(panel, op.getPanelWidth());
        place.weights = index.mul(panel, weights.strides[0]);
        place.scales = index.mul(panel, scales.strides[0]);
        coverPanel(place);
      });
}

void Emitter::emit() {
  MLIRContext *ctx = b.getContext();
  lhs = makeLoopOperand(index, op.getLhs(),
                        AffineMap::getMultiDimIdentityMap(2, ctx));
  result = makeLoopOperand(index, op.getInit(),
                           AffineMap::getMultiDimIdentityMap(2, ctx));
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps()))
    extras.push_back(makeLoopOperand(index, extra, map));
  weights = flatten(index, op.getWeights());
  scales = flatten(index, op.getScales());
  int64_t width = op.getPanelWidth(),
          columns = cast<MemRefType>(op.getInit().getType()).getDimSize(1),
          rest = columns % width;
  emitPanels(0, columns / width, width / lanes, lanes);
  if (rest != 0)
    emitPanels(columns / width, 1, llvm::divideCeil(rest, lanes),
               rest % lanes == 0 ? lanes : rest % lanes);
}

} // namespace

void onnxc::emitVectors(OpBuilder &b, kernel::BlockMatmulOp op,
                        kernel::BlockMatmulScheduleAttr schedule,
                        TargetAttr target) {
  Emitter(b, op, schedule, target).emit();
}
