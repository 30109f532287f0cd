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
// columns become floats once, in a scratch buffer: all of them, or those of a
// piece of a long sum, while partial sums of the rows wait in another one.
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulEmitter.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::blockmatmul;

namespace {

/// Steps of the sum that are one iteration where the weights are floats.
constexpr int64_t kUnroll = 4;
/// Steps whose floats are fetched ahead from the second level of the cache,
/// where a vector is a line of it.
constexpr int64_t kStepsAhead = 16;

} // namespace

/// What looks numbers up in a vector of floats by the lowest bits of each lane,
/// if it has one for each number.
const Instruction *Emitter::findTable() {
  return lanes >= int64_t(1) << op.getBits()
             ? findInstruction(target, Capability::PermuteFloats, 4 * lanes)
             : nullptr;
}

/// Returns n where numbers of columns become floats that are 2^n times as large
/// as they should be. That is so for columns without `scales`, which a single
/// row has: a shuffle of bytes moves a number into the highest bits of its
/// lane, and scaleRow makes up for it. Targets that multiply bytes shuffle them
/// at once.
int64_t Emitter::shiftOf(ArrayRef<Value> scales) {
  bool isHigh = scales.empty() && !findTable() &&
                findInstruction(target, Capability::MultiplyBytes, 4 * lanes);
  return isHigh ? 32 - op.getBits() : 0;
}

/// Number `i` of a word, times 2^shiftOf({}). Of the ports that multiply and
/// convert, a shift would take one, twice; a shuffle of bytes takes another
/// one.
Value Emitter::widenHigh(Value word, int64_t i) {
  int64_t bits = op.getBits(), perByte = 8 / bits;
  auto splat = [&](int32_t value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(words, value));
  };
  if (bits < 8) {
    if (int64_t above = 8 - bits * (i % perByte + 1))
      word = arith::ShLIOp::create(b, loc, word, splat(int32_t(above)));
    uint32_t highest = (0xff << (8 - bits)) & 0xff;
    word = arith::AndIOp::create(b, loc, word,
                                 splat(int32_t(highest * 0x01010101)));
  }
  VectorType bytes = VectorType::get(4 * lanes, b.getI8Type());
  Value from = vector::BitCastOp::create(b, loc, bytes, word),
        zero = arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(bytes, int8_t(0)));
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.append({4 * lanes, 4 * lanes, 4 * lanes, 4 * lane + i / perByte});
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
  if (const Instruction *permutation = findTable()) {
    // Bits above those of the number choose among equal floats.
    SmallVector<float> table;
    for (int64_t n = 0; n < lanes; ++n)
      table.push_back(llvm::SignExtend64(n, bits) - offset);
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
                          ArrayRef<Value> columns,
                          MutableArrayRef<Value> sums) {
  for (int64_t r = 0; r < place.rows; ++r) {
    OpFoldResult at =
        addressOf(lhs, index.add(place.row, index.constant(r)), step);
    Value x = scaledRow
                  ? memref::LoadOp::create(b, loc, scaledRow, index.value(step))
                  : memref::LoadOp::create(b, loc, lhs.memory, index.value(at));
    Value all = vector::BroadcastOp::create(b, loc, floats, x);
    for (int64_t v = 0; v < place.vectors; ++v) {
      Value &sum = sums[r * place.vectors + v];
      sum = vector::FMAOp::create(b, loc, all, columns[v], sum);
    }
  }
}

/// A copy of row `row`, times `factor`: only numbers near the smallest are
/// rounded by that. Each step would take a product and a shuffle for it
/// otherwise, of ports that multiply and widen the columns.
Value Emitter::scaleRow(OpFoldResult row, float factor) {
  int64_t steps = op.getSteps(), vectors = steps / lanes;
  bool isDense = isIndex(lhs.step[1], 1);
  Value copy =
      memref::AllocOp::create(b, loc, MemRefType::get({steps}, f32()),
                              b.getI64IntegerAttr(target.getVectorBytes()));
  Value factors = fill(factor);
  auto addressIn = [&](OpFoldResult step) {
    return index.value(addressOf(lhs, row, step));
  };
  OpFoldResult whole = index.constant(isDense ? vectors * lanes : 0);
  carryLoop(index, index.constant(0), whole, lanes, {},
            [&](OpFoldResult step, ValueRange) {
              Value x = vector::LoadOp::create(b, loc, floats, lhs.memory,
                                               addressIn(step));
              x = arith::MulFOp::create(b, loc, x, factors);
              vector::StoreOp::create(b, loc, x, copy, index.value(step));
              return SmallVector<Value>();
            });
  Value scalar = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(factor));
  carryLoop(index, whole, index.constant(steps), 1, {},
            [&](OpFoldResult step, ValueRange) {
              Value x =
                  memref::LoadOp::create(b, loc, lhs.memory, addressIn(step));
              x = arith::MulFOp::create(b, loc, x, scalar);
              memref::StoreOp::create(b, loc, x, copy, index.value(step));
              return SmallVector<Value>();
            });
  return copy;
}

/// Adds the products of the first `count` steps of one word of each column to
/// `copies` sets of sums in turn.
SmallVector<Value> Emitter::multiply(const Place &place, OpFoldResult word,
                                     int64_t count, ArrayRef<Value> zeros,
                                     ArrayRef<Value> scales, ValueRange sums,
                                     int64_t copies) {
  int64_t set = place.rows * place.vectors;
  SmallVector<Value> loaded = loadWords(place, word), next(sums);
  OpFoldResult step = index.mul(word, op.getPerWord());
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult row = index.add(step, index.constant(i));
    addProducts(place, row, columnsOf(loaded, i, zeros, scales),
                MutableArrayRef(next).slice(i % copies * set, set));
  }
  return next;
}

/// Adds the products of `count` steps of a piece.
SmallVector<Value> Emitter::multiplyWide(const Place &place, OpFoldResult step,
                                         int64_t count, ValueRange sums) {
  SmallVector<Value> next(sums);
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult at = index.add(step, index.constant(i));
    SmallVector<Value> columns;
    for (int64_t v = 0; v < place.vectors; ++v) {
      columns.push_back(vector::LoadOp::create(b, loc, floats, place.wide,
                                               placeInStrip(at, v)));
      if (lanes * 4 == kCacheLine)
        memref::PrefetchOp::create(
            b, loc, place.wide,
            placeInStrip(index.add(at, index.constant(kStepsAhead)), v),
            /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
    }
    addProducts(place, index.add(piece.first, at), columns, next);
  }
  return next;
}

/// Fills `place.wide` with the weights of the piece.
void Emitter::widenPiece(const Place &place) {
  int64_t block = op.getBlock(), perWord = op.getPerWord();
  // `count` steps that share scales, the first of which is `first` of the
  // piece.
  auto widenSteps = [&](OpFoldResult block, OpFoldResult firstWord,
                        OpFoldResult first, int64_t count) {
    SmallVector<Value> zeros, factors = loadScales(place, block, 0);
    if (op.hasZeroPoints())
      zeros = loadScales(place, block, 1);
    overWords(index.constant(0), count, {},
              [&](OpFoldResult word, int64_t steps, ValueRange) {
                SmallVector<Value> loaded =
                    loadWords(place, index.add(firstWord, word));
                OpFoldResult row = index.add(first, index.mul(word, perWord));
                for (int64_t i = 0; i < steps; ++i)
                  for (auto [v, column] :
                       llvm::enumerate(columnsOf(loaded, i, zeros, factors)))
                    vector::StoreOp::create(
                        b, loc, column, place.wide,
                        placeInStrip(index.add(row, index.constant(i)), v));
                return SmallVector<Value>();
              });
  };
  if (block >= op.getSteps())
    return widenSteps(index.constant(0), index.floorDiv(piece.first, perWord),
                      index.constant(0), piece.count);
  OpFoldResult firstBlock = index.floorDiv(piece.first, block);
  auto widenBlock = [&](OpFoldResult number, int64_t count) {
    OpFoldResult at = index.add(firstBlock, number);
    OpFoldResult firstWord = firstWordOf(at), first = index.mul(number, block);
    widenSteps(at, firstWord, first, count);
  };
  OpFoldResult whole = index.constant(piece.count / block);
  carryLoop(index, index.constant(0), whole, 1, {},
            [&](OpFoldResult number, ValueRange) {
              widenBlock(number, block);
              return SmallVector<Value>();
            });
  if (int64_t rest = piece.count % block)
    widenBlock(whole, rest);
}

/// All rows of a strip, by pieces of its steps.
void Emitter::coverStrip(const Place &place) {
  auto cover = [&](OpFoldResult first, int64_t count, bool isLast) {
    piece = {first, count, isLast};
    widenPiece(place);
    coverRows(place, schedule.getWideRows());
  };
  int64_t steps = op.getSteps(), depth = schedule.getDepth();
  if (!partialSums)
    return cover(index.constant(0), steps, /*isLast=*/true);
  carryLoop(index, index.constant(0), index.sub(place.endRow, place.firstRow),
            1, {}, [&](OpFoldResult row, ValueRange) {
              Value zero = fill(0);
              for (int64_t v = 0; v < place.vectors; ++v) {
                Value at = placeInStrip(row, v);
                vector::StoreOp::create(b, loc, zero, partialSums, at);
              }
              return SmallVector<Value>();
            });
  int64_t last = (steps - 1) / depth * depth;
  carryLoop(index, index.constant(0), index.constant(last), depth, {},
            [&](OpFoldResult first, ValueRange) {
              cover(first, depth, /*isLast=*/false);
              return SmallVector<Value>();
            });
  cover(index.constant(last), steps - last, /*isLast=*/true);
}

SmallVector<Value> Emitter::forEachBlock(ValueRange carried, StepsBody body) {
  int64_t block = op.getBlock(), steps = op.getSteps(), rest = steps % block;
  OpFoldResult whole = index.constant(steps / block);
  SmallVector<Value> next =
      carryLoop(index, index.constant(0), whole, 1, carried,
                [&](OpFoldResult at, ValueRange carried) {
                  return body(at, block, carried);
                });
  return rest == 0 ? next : body(whole, rest, next);
}

SmallVector<Value> Emitter::overWords(OpFoldResult first, int64_t count,
                                      ValueRange carried, StepsBody body) {
  int64_t perWord = op.getPerWord(), words = count / perWord,
          rest = count % perWord;
  SmallVector<Value> next =
      carryLoop(index, index.constant(0), index.constant(words), 1, carried,
                [&](OpFoldResult word, ValueRange carried) {
                  return body(index.add(first, word), perWord, carried);
                });
  return rest == 0 ? next
                   : body(index.add(first, index.constant(words)), rest, next);
}

/// The first `count` steps of a block.
SmallVector<Value> Emitter::emitBlock(const Place &place, OpFoldResult block,
                                      int64_t count, ValueRange sums) {
  SmallVector<Value> zeros, factors = loadScales(place, block, 0);
  if (op.hasZeroPoints())
    zeros = loadScales(place, block, 1);
  auto add = [&](ArrayRef<Value> scales, ValueRange start, int64_t copies) {
    return overWords(firstWordOf(block), count, start,
                     [&](OpFoldResult word, int64_t steps, ValueRange carried) {
                       return multiply(place, word, steps, zeros, scales,
                                       carried, copies);
                     });
  };
  if (place.rows > 1)
    return add(factors, sums, 1);
  if (int64_t shift = shiftOf({}))
    for (Value &zero : zeros)
      zero = arith::MulFOp::create(b, loc, zero,
                                   fill(std::ldexp(1.0f, int(shift))));
  // Enough sums to hide how long a multiply-add takes, where registers hold
  // them beside the words and what widens these.
  constexpr int64_t kSums = 8, kFewRegisters = 16;
  int64_t sumsOfBlock = target.getRegisters() > kFewRegisters ? kSums : 4;
  int64_t copies = place.vectors < sumsOfBlock ? 2 : 1;
  SmallVector<Value> ofBlock =
      add({}, SmallVector<Value>(copies * place.vectors, fill(0)), copies);
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
  SmallVector<Value> sums(place.rows * place.vectors, fill(0));
  if (!place.wide) {
    // One row meets columns that no scale was multiplied by.
    if (int64_t shift = place.rows == 1 ? shiftOf({}) : 0)
      scaledRow = scaleRow(place.row, std::ldexp(1.0f, -int(shift)));
    sums = forEachBlock(
        sums, [&](OpFoldResult block, int64_t count, ValueRange carried) {
          return emitBlock(place, block, count, carried);
        });
    scaledRow = nullptr;
    return finish(place, sums);
  }
  auto placeOfSum = [&](int64_t i) {
    OpFoldResult row = index.add(index.sub(place.row, place.firstRow),
                                 index.constant(i / place.vectors));
    return placeInStrip(row, i % place.vectors);
  };
  if (partialSums)
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = vector::LoadOp::create(b, loc, floats, partialSums, placeOfSum(i));
  int64_t rest = piece.count % kUnroll;
  OpFoldResult whole = index.constant(piece.count - rest);
  sums = carryLoop(index, index.constant(0), whole, kUnroll, sums,
                   [&](OpFoldResult step, ValueRange carried) {
                     return multiplyWide(place, step, kUnroll, carried);
                   });
  sums = multiplyWide(place, whole, rest, sums);
  if (piece.isLast)
    return finish(place, sums);
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(b, loc, sum, partialSums, placeOfSum(i));
}

/// Few rows widen the weights in registers. So does one, where any number may
/// come.
void Emitter::coverPanel(Place place) {
  OpFoldResult numRows = result.sizes[0];
  std::optional<int64_t> rows = getConstantIntValue(numRows);
  if (rows && *rows <= schedule.getRows())
    return coverRows(place, schedule.getRows());
  int64_t depth = schedule.getDepth() ? schedule.getDepth() : op.getSteps();
  auto allocate = [&](int64_t numRows) {
    return memref::AllocOp::create(
        b, loc, MemRefType::get({numRows * wideVectors * lanes}, f32()),
        b.getI64IntegerAttr(target.getVectorBytes()));
  };
  Value wide = allocate(depth);
  if (depth < op.getSteps())
    partialSums = allocate(schedule.getNearRows());
  auto coverWide = [&] {
    forEachStrip(place, wideVectors, [&](Place strip) {
      strip.wide = wide;
      coverStrip(strip);
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

void onnxc::emitVectors(OpBuilder &b, kernel::BlockMatmulOp op,
                        kernel::BlockMatmulScheduleAttr schedule,
                        TargetAttr target) {
  Emitter emitter(b, op, schedule, target);
  if (!emitter.emitOnTiles())
    emitter.emitAll();
}
