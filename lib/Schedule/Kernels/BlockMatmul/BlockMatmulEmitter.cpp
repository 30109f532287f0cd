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
#include "PanelLoops.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

namespace {

using Place = PanelPlace;

/// The most that the floats of a tile's columns may take: they are read once
/// for each tile of rows, from the second level of the cache.
constexpr int64_t kMaxWideBytes = 512 << 10;
/// Steps of the sum that are one iteration where the weights are floats.
constexpr int64_t kUnroll = 4;

class Emitter : PanelLoops {
public:
  Emitter(OpBuilder &b, kernel::BlockMatmulOp op,
          kernel::BlockMatmulScheduleAttr schedule, TargetAttr target)
      : PanelLoops(b, op, op.getLhs(), op.getWeights(), op.getScales(),
                   op.getPanelWidth(), target),
        op(op), schedule(schedule) {}

  using PanelLoops::emitAll;

private:
  Type f32() { return b.getF32Type(); }
  void coverPanel(Place place) override;
  void emitTile(const Place &place) override;
  int64_t countSteps() override { return op.getSteps(); }
  void widenStrip(const Place &place);
  SmallVector<Value> emitBlock(const Place &place, OpFoldResult block,
                               int64_t count, ValueRange sums);
  SmallVector<Value> multiply(const Place &place, OpFoldResult word,
                              ArrayRef<Value> zeros, ArrayRef<Value> scales,
                              ValueRange sums, int64_t copies);
  SmallVector<Value> multiplyWide(const Place &place, OpFoldResult step,
                                  ValueRange sums);
  /// `factor`: what the row is multiplied by, as the columns are by its
  /// inverse.
  void addProducts(const Place &place, OpFoldResult step,
                   ArrayRef<Value> columns, MutableArrayRef<Value> sums,
                   float factor = 1);
  SmallVector<Value> columnsOf(ArrayRef<Value> loaded, int64_t i,
                               ArrayRef<Value> zeros, ArrayRef<Value> scales);
  Value widen(Value word, int64_t i);
  Value widenHigh(Value word, int64_t i);
  int64_t shiftOf(ArrayRef<Value> scales);

  kernel::BlockMatmulOp op;
  kernel::BlockMatmulScheduleAttr schedule;
};

/// Numbers of columns are 2^n times as large as they should be; returns n.
/// Those that no scale is multiplied by are widened in the highest bits of a
/// lane, where bytes are shuffled: a target that multiplies them does that.
int64_t Emitter::shiftOf(ArrayRef<Value> scales) {
  bool hasTable = op.getBits() == 4 && lanes == 16 &&
                  findInstruction(target, Capability::PermuteFloats, 4 * lanes);
  bool isHigh = scales.empty() && !hasTable &&
                findInstruction(target, Capability::MultiplyBytes, 4 * lanes);
  return isHigh ? 32 - op.getBits() : 0;
}

/// Number `i` of a word, times 2^shiftOf({}). Of the ports that multiply and
/// convert, a shift would take one, twice; a shuffle of bytes takes another
/// one.
Value Emitter::widenHigh(Value word, int64_t i) {
  int64_t bits = op.getBits(), byte = i * bits / 8;
  auto splat = [&](int32_t value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(words, value));
  };
  if (bits == 4) {
    if (i % 2 == 0)
      word = arith::ShLIOp::create(b, loc, word, splat(4));
    word = arith::AndIOp::create(b, loc, word, splat(int32_t(0xf0f0f0f0)));
  }
  VectorType bytes = VectorType::get(4 * lanes, b.getI8Type());
  Value from = vector::BitCastOp::create(b, loc, bytes, word),
        zero = arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(bytes, int8_t(0)));
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.append({4 * lanes, 4 * lanes, 4 * lanes, 4 * lane + byte});
  Value high = vector::ShuffleOp::create(b, loc, from, zero, order);
  Value placed = vector::BitCastOp::create(b, loc, words, high);
  Value number = arith::SIToFPOp::create(b, loc, floats, placed);
  if (int64_t offset = int64_t(op.getOffset()))
    number = arith::SubFOp::create(
        b, loc, number, fill(std::ldexp(float(offset), int(shiftOf({})))));
  return number;
}

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

/// Number `i` of the words as floats: without zero points and scaled, if there
/// are any.
SmallVector<Value> Emitter::columnsOf(ArrayRef<Value> loaded, int64_t i,
                                      ArrayRef<Value> zeros,
                                      ArrayRef<Value> scales) {
  SmallVector<Value> columns;
  for (auto [v, word] : llvm::enumerate(loaded)) {
    Value number = shiftOf(scales) ? widenHigh(word, i) : widen(word, i);
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
                          ArrayRef<Value> columns, MutableArrayRef<Value> sums,
                          float factor) {
  for (int64_t r = 0; r < place.rows; ++r) {
    OpFoldResult at =
        addressOf(lhs, index.add(place.row, index.constant(r)), step);
    Value x = memref::LoadOp::create(b, loc, lhs.memory, index.value(at));
    Value all = vector::BroadcastOp::create(b, loc, floats, x);
    if (factor != 1)
      all = arith::MulFOp::create(b, loc, all, fill(factor));
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
  // Only numbers near the smallest are rounded by the factor.
  float factor = std::ldexp(1.0f, -int(shiftOf(scales)));
  for (int64_t i = 0; i < perWord; ++i) {
    OpFoldResult row = index.add(step, index.constant(i));
    addProducts(place, row, columnsOf(loaded, i, zeros, scales),
                MutableArrayRef(next).slice(i % copies * set, set), factor);
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
  if (int64_t shift = shiftOf({}))
    for (Value &zero : zeros)
      zero = arith::MulFOp::create(b, loc, zero,
                                   fill(std::ldexp(1.0f, int(shift))));
  // Enough sums to hide how long a multiply-add takes, where registers hold
  // them beside the words and what widens these.
  constexpr int64_t kSums = 8, kFewRegisters = 16;
  int64_t sumsOfBlock = target.getRegisters() > kFewRegisters ? kSums : 4;
  int64_t copies = place.vectors < sumsOfBlock ? 2 : 1;
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

/// Few rows widen the weights in registers. So does one, where any number may
/// come.
void Emitter::coverPanel(Place place) {
  OpFoldResult numRows = result.sizes[0];
  std::optional<int64_t> rows = getConstantIntValue(numRows);
  int64_t wideElements = op.getSteps() * kTileVectors * lanes;
  if ((rows && *rows <= schedule.getRows()) ||
      wideElements * int64_t(sizeof(float)) > kMaxWideBytes)
    return coverRows(place, schedule.getRows());
  Value wide =
      memref::AllocOp::create(b, loc, MemRefType::get({wideElements}, f32()),
                              b.getI64IntegerAttr(target.getVectorBytes()));
  auto coverWide = [&] {
    forEachStrip(place, kTileVectors, [&](Place strip) {
      strip.wide = wide;
      widenStrip(strip);
      coverRows(strip, schedule.getWideRows());
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

} // namespace

void onnxc::emitVectors(OpBuilder &b, kernel::BlockMatmulOp op,
                        kernel::BlockMatmulScheduleAttr schedule,
                        TargetAttr target) {
  Emitter(b, op, schedule, target).emitAll();
}
