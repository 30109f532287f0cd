//===- BlockDotEmitter.cpp - The loops of kernel.block_dot ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane is a column. For each block of the sum, words of weights are loaded
// and split into vectors of bytes, four of a column in each lane, which are
// multiplied by four bytes of a row in all lanes. What these add up to becomes
// float32, is scaled, and added to the sums of the tile. Where there are more
// than a few rows, the words of two vectors of columns are split once for all
// of them, into a scratch buffer.
//
//===----------------------------------------------------------------------===//

#include "BlockDotLoops.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::blockdot;

Dots blockdot::selectDots(TargetAttr target) {
  if (supports(target, Capability::DotSignedBytes))
    return Dots::Signed;
  if (supports(target, Capability::DotBytes))
    return Dots::Unsigned;
  if (supports(target, Capability::MultiplyBytes) &&
      supports(target, Capability::MultiplyPairs))
    return Dots::Pairs;
  return Dots::Single;
}

Value DotEmitter::startOf(Value rowSum) {
  int64_t above = int64_t(op.getOffset()) + (isMoved() ? 128 : 0);
  if (above == 0)
    return splat(words, 0);
  Value factor =
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(-above)));
  return vector::BroadcastOp::create(
      b, loc, words, arith::MulIOp::create(b, loc, rowSum, factor).getResult());
}

SmallVector<Value> DotEmitter::splitWord(Value word) {
  if (bits == 8)
    return {cast(
        bytes, isMoved() ? arith::XOrIOp::create(
                               b, loc, word, splat(words, int32_t(0x80808080)))
                               .getResult()
                         : word)};
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value moved = word;
    if (shift != 0)
      moved = arith::ShRUIOp::create(b, loc, word, splat(words, shift));
    Value part =
        arith::AndIOp::create(b, loc, moved, splat(words, mask * 0x01010101));
    parts.push_back(cast(bytes, part));
  }
  return parts;
}

SmallVector<SmallVector<Columns>> DotEmitter::loadColumns(const Place &place,
                                                          OpFoldResult word) {
  SmallVector<SmallVector<Columns>> columns(place.vectors);
  if (place.wide) {
    for (int64_t v = 0; v < place.vectors; ++v)
      for (int64_t part = 0; part < op.getPerWord() / 4; ++part) {
        auto load = [&](int64_t copy) -> Value {
          return vector::LoadOp::create(b, loc, bytes, place.wide,
                                        placeOfSplit(word, v, part, copy));
        };
        Columns &made = columns[v].emplace_back();
        made.weights = load(0);
        if (hasMagnitudes())
          made.magnitudes = load(1);
      }
    return columns;
  }
  for (auto [v, loaded] : llvm::enumerate(loadWords(place, word)))
    for (Value weights : splitWord(loaded))
      columns[v].push_back(
          {weights, hasMagnitudes() ? negateWhere(weights, weights) : Value()});
  return columns;
}

Value DotEmitter::allocateSplit() {
  int64_t size =
      op.getSteps() * lanes * kTileVectors * (hasMagnitudes() ? 2 : 1);
  return memref::AllocOp::create(b, loc, MemRefType::get({size}, b.getI8Type()),
                                 b.getI64IntegerAttr(target.getVectorBytes()));
}

Value DotEmitter::placeOfSplit(OpFoldResult word, int64_t v, int64_t part,
                               int64_t copy) {
  int64_t parts = op.getPerWord() / 4, copies = hasMagnitudes() ? 2 : 1,
          ofPart = kTileVectors * copies;
  return index.value(index.add(
      index.mul(word, parts * ofPart * 4 * lanes),
      index.constant((part * ofPart + v * copies + copy) * 4 * lanes)));
}

void DotEmitter::splitStrip(Place strip) {
  Value memory = strip.wide;
  strip.wide = {};
  carryLoop(
      index, index.constant(0), index.constant(op.getSteps() / op.getPerWord()),
      1, {}, [&](OpFoldResult word, ValueRange) {
        SmallVector<SmallVector<Columns>> split = loadColumns(strip, word);
        for (int64_t v = 0; v < strip.vectors; ++v)
          for (int64_t part = 0; part < int64_t(split[v].size()); ++part) {
            auto store = [&](Value made, int64_t copy) {
              vector::StoreOp::create(b, loc, made, memory,
                                      placeOfSplit(word, v, part, copy));
            };
            store(split[v][part].weights, 0);
            if (hasMagnitudes())
              store(split[v][part].magnitudes, 1);
          }
        return SmallVector<Value>();
      });
}

Value DotEmitter::loadRow(const Place &place, int64_t row, OpFoldResult step) {
  OpFoldResult at =
      addressOf(lhs, index.add(place.row, index.constant(row)), step);
  Value four = vector::LoadOp::create(b, loc, VectorType::get(4, b.getI8Type()),
                                      lhs.memory, index.value(at));
  Value joined = cast(VectorType::get(1, b.getI32Type()), four);
  Value one = vector::ExtractOp::create(b, loc, joined, 0);
  return cast(bytes, vector::BroadcastOp::create(b, loc, words, one));
}

Value DotEmitter::negateWhere(Value value, Value weights) {
  Value sign = arith::ShRSIOp::create(b, loc, weights, splat(bytes, 7));
  return arith::SubIOp::create(
      b, loc, arith::XOrIOp::create(b, loc, value, sign).getResult(), sign);
}

Value DotEmitter::addProducts(Value sum, const Columns &columns, Value row) {
  Value weights = columns.weights;
  if (dots == Dots::Unsigned || dots == Dots::Signed) {
    Capability capability = dots == Dots::Signed ? Capability::DotSignedBytes
                                                 : Capability::DotBytes;
    return callInstruction(b, loc,
                           *findInstruction(target, capability, 4 * lanes),
                           words, {sum, weights, row});
  }
  // Magnitudes by rows that have the weights' signs: at most 2 * 128 * 127,
  // which 16 bits hold. No byte of a row is -128, whose negative is none.
  Value signedRow;
  if (const Instruction *signs =
          findInstruction(target, Capability::MultiplySigns, 4 * lanes))
    signedRow = callInstruction(b, loc, *signs, bytes, {row, weights});
  else
    signedRow = negateWhere(row, weights);
  Value two = callInstruction(
      b, loc, *findInstruction(target, Capability::MultiplyBytes, 4 * lanes),
      pairs, {columns.magnitudes, signedRow});
  Value four = callInstruction(
      b, loc, *findInstruction(target, Capability::MultiplyPairs, 4 * lanes),
      words, {two, splat(pairs, 1)});
  return arith::AddIOp::create(b, loc, sum, four);
}

SmallVector<Value> DotEmitter::addNarrowWords(const Place &place,
                                              OpFoldResult first, int64_t count,
                                              ValueRange sums) {
  const Instruction &multiply =
      *findInstruction(target, Capability::MultiplyBytes, 4 * lanes);
  // A loop over the words: written out, LLVM adds up a row at a time, for which
  // 16 registers do not hold the weights.
  Value zero = splat(pairs, 0);
  SmallVector<Value> narrow = carryLoop(
      index, index.constant(0), index.constant(count), 1,
      SmallVector<Value>(sums.size(), zero),
      [&](OpFoldResult number, ValueRange carried) {
        SmallVector<Value> next(carried);
        OpFoldResult word = index.add(first, number),
                     step = index.mul(word, op.getPerWord());
        SmallVector<SmallVector<Columns>> columns = loadColumns(place, word);
        for (int64_t part = 0; part < 8 / bits; ++part)
          for (int64_t r = 0; r < place.rows; ++r) {
            Value row =
                loadRow(place, r, index.add(step, index.constant(4 * part)));
            for (int64_t v = 0; v < place.vectors; ++v) {
              Value two = callInstruction(b, loc, multiply, pairs,
                                          {columns[v][part].weights, row});
              Value &sum = next[r * place.vectors + v];
              sum = arith::AddIOp::create(b, loc, sum, two);
            }
          }
        return next;
      });
  const Instruction &join =
      *findInstruction(target, Capability::MultiplyPairs, 4 * lanes);
  SmallVector<Value> next;
  for (auto [sum, two] : llvm::zip_equal(sums, narrow))
    next.push_back(arith::AddIOp::create(
        b, loc, sum,
        callInstruction(b, loc, join, words, {two, splat(pairs, 1)})));
  return next;
}

SmallVector<Value> DotEmitter::addSingleWords(const Place &place,
                                              OpFoldResult first, int64_t count,
                                              ValueRange sums) {
  SmallVector<Value> next(sums);
  auto numberOf = [&](Value word, int64_t i) -> Value {
    if (bits == 8) {
      Value up = arith::ShLIOp::create(b, loc, word, splat(words, 24 - 8 * i));
      return arith::ShRSIOp::create(b, loc, up, splat(words, 24));
    }
    Value down = arith::ShRUIOp::create(b, loc, word,
                                        splat(words, i % 4 * 8 + i / 4 * bits));
    return arith::AndIOp::create(b, loc, down, splat(words, mask));
  };
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult word = index.add(first, index.constant(i)),
                 step = index.mul(word, op.getPerWord());
    SmallVector<Value> loaded = loadWords(place, word);
    for (int64_t part = 0; part < op.getPerWord(); ++part) {
      SmallVector<Value> columns = llvm::map_to_vector(
          loaded, [&](Value word) { return numberOf(word, part); });
      for (int64_t r = 0; r < place.rows; ++r) {
        Value byte =
            loadElement(lhs, place, r, index.add(step, index.constant(part)));
        Value wide = arith::ExtSIOp::create(b, loc, b.getI32Type(), byte);
        Value row = vector::BroadcastOp::create(b, loc, words, wide);
        for (int64_t v = 0; v < place.vectors; ++v) {
          Value &sum = next[r * place.vectors + v];
          sum = arith::AddIOp::create(
              b, loc, sum,
              arith::MulIOp::create(b, loc, columns[v], row).getResult());
        }
      }
    }
  }
  return next;
}

SmallVector<Value> DotEmitter::addWords(const Place &place, OpFoldResult first,
                                        int64_t count, ValueRange sums) {
  if (dots == Dots::Single)
    return addSingleWords(place, first, count, sums);
  if (dots == Dots::Pairs && bits < 8)
    return addNarrowWords(place, first, count, sums);
  SmallVector<Value> next(sums);
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult word = index.add(first, index.constant(i)),
                 step = index.mul(word, op.getPerWord());
    SmallVector<SmallVector<Columns>> columns = loadColumns(place, word);
    for (int64_t r = 0; r < place.rows; ++r)
      for (int64_t part = 0; part < int64_t(columns.front().size()); ++part) {
        Value row =
            loadRow(place, r, index.add(step, index.constant(4 * part)));
        for (int64_t v = 0; v < place.vectors; ++v) {
          Value &sum = next[r * place.vectors + v];
          sum = addProducts(sum, columns[v][part], row);
        }
      }
  }
  return next;
}

SmallVector<Value> DotEmitter::emitBlock(const Place &place, OpFoldResult block,
                                         ValueRange sums) {
  // Sums of 16 bits hold eight products of two bytes by weights of 4 bits,
  // which four words are: 8 * 2 * 15 * 127; and 32 by those of 2 bits, which
  // are eight words: 32 * 2 * 3 * 127.
  int64_t count = int64_t(op.getBlock()) / op.getPerWord(),
          unit = std::gcd(count, bits == 4 ? 4 : 8);
  // Additions that are written out LLVM does row by row; see addNarrowWords.
  if (hasMagnitudes())
    unit = 1;
  SmallVector<Value> starts, rowSum;
  for (int64_t r = 0; r < place.rows; ++r) {
    rowSum.push_back(loadElement(rowSums, place, r, block));
    starts.append(place.vectors, startOf(rowSum.back()));
  }
  OpFoldResult first = index.mul(block, count);
  SmallVector<Value> products =
      carryLoop(index, index.constant(0), index.constant(count), unit, starts,
                [&](OpFoldResult word, ValueRange carried) {
                  return addWords(place, index.add(first, word), unit, carried);
                });
  SmallVector<Value> factors = loadScales(place, block, 0), zeros, next;
  if (op.hasZeroPoints())
    zeros = loadScales(place, block, 1);
  auto broadcast = [&](Value one) {
    return vector::BroadcastOp::create(b, loc, floats, one).getResult();
  };
  for (int64_t r = 0; r < place.rows; ++r) {
    Value scale = broadcast(loadElement(rowScales, place, r, block)), less;
    if (!zeros.empty()) {
      Value sum = arith::SIToFPOp::create(b, loc, b.getF32Type(), rowSum[r]);
      less = broadcast(arith::NegFOp::create(b, loc, sum));
    }
    for (int64_t v = 0; v < place.vectors; ++v) {
      int64_t at = r * place.vectors + v;
      Value number = arith::SIToFPOp::create(b, loc, floats, products[at]);
      if (less)
        number = vector::FMAOp::create(b, loc, zeros[v], less, number);
      number = arith::MulFOp::create(b, loc, number, factors[v]);
      next.push_back(vector::FMAOp::create(b, loc, number, scale, sums[at]));
    }
  }
  return next;
}

void DotEmitter::emitTile(const Place &place) {
  SmallVector<Value> sums(place.rows * place.vectors, fill(0));
  int64_t blocks = op.getSteps() / int64_t(op.getBlock());
  finish(place, carryLoop(index, index.constant(0), index.constant(blocks), 1,
                          sums, [&](OpFoldResult block, ValueRange carried) {
                            return emitBlock(place, block, carried);
                          }));
}

void DotEmitter::coverPanel(Place place) {
  if (schedule.getTiles())
    place.firstRow = coverOnTiles(place);
  if (!schedule.getSplit())
    return coverRows(place, schedule.getRows());
  OpFoldResult count = index.sub(place.endRow, place.firstRow);
  auto coverWide = [&] {
    Value memory = allocateSplit();
    forEachStrip(place, kTileVectors, [&](Place strip) {
      strip.wide = memory;
      splitStrip(strip);
      coverRows(strip, schedule.getRows());
    });
  };
  auto coverFew = [&] {
    coverRows(place, std::min(kFewRows, schedule.getRows()));
  };
  if (std::optional<int64_t> known = getConstantIntValue(count))
    return *known <= kFewRows ? coverFew() : coverWide();
  emitEither(index, arith::CmpIPredicate::sle, count, index.constant(kFewRows),
             coverFew, coverWide);
}

void onnxc::emitVectors(OpBuilder &b, kernel::BlockDotOp op,
                        kernel::BlockDotScheduleAttr schedule,
                        TargetAttr target) {
  DotEmitter(b, op, schedule, target).emitAll();
}
