//===- BlockDotTiles.cpp - kernel.block_dot in tile registers -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 16 rows by a vector of columns (TileInstructions.h). The weights of a panel
// become signed bytes without their zero points once for all rows. Integer sums
// of a block go through memory, from where they are scaled and added to the
// sums of the tile, which stay in vector registers: of several blocks, so that
// instructions on tiles and on vectors overlap.
//
//===----------------------------------------------------------------------===//

#include "BlockDotLoops.h"

#include "onnxc/Target/Instructions.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::blockdot;

namespace {
/// Registers of sums, then pairs of those of rows and of columns.
constexpr int64_t kSums = 4, kFirstRows = kSums, kFirstColumns = kSums + 2;
} // namespace

void DotEmitter::allocateTiles(int64_t vectors) {
  auto allocate = [&](int64_t bytes) {
    FlatBuffer buffer;
    buffer.element = b.getI8Type();
    buffer.memory = memref::AllocOp::create(
        b, loc, MemRefType::get({bytes}, buffer.element),
        b.getI64IntegerAttr(tiles::kRowBytes));
    return buffer;
  };
  tileMemory =
      allocate(tiles::kConfigBytes + kSums * tiles::kRows * tiles::kRowBytes);
  wide = allocate(vectors * countStripBytes());
}

void DotEmitter::configureTiles() {
  tiles::Configuration sizes;
  int64_t steps = countTileSteps();
  for (int64_t i = 0; i < kSums; ++i)
    sizes.setSize(i, tiles::kRows, tiles::kRowBytes);
  for (int64_t i = 0; i < 2; ++i) {
    sizes.setSize(kFirstRows + i, tiles::kRows, steps);
    sizes.setSize(kFirstColumns + i, steps / 4, tiles::kRowBytes);
  }
  Value all = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(bytes, sizes.getBytes()));
  vector::StoreOp::create(b, loc, all, tileMemory.memory,
                          index.value(index.constant(0)));
  tiles::configure(index, tileMemory, index.constant(0));
}

/// Four steps of each column, as signed bytes: weights of few bits less their
/// zero points, others as they are.
SmallVector<Value> DotEmitter::splitSigned(const Place &strip,
                                           OpFoldResult word, Value zeros) {
  Value loaded = loadWords(strip, word).front();
  if (bits == 8)
    return {cast(bytes, loaded)};
  return llvm::map_to_vector(splitWord(loaded), [&](Value part) -> Value {
    return arith::SubIOp::create(b, loc, part, zeros);
  });
}

void DotEmitter::widenStrip(const Place &strip) {
  int64_t perWord = op.getPerWord(),
          perBlock = int64_t(op.getBlock()) / perWord;
  auto widenBlock = [&](OpFoldResult block, ValueRange) {
    Value zeros = splat(bytes, bits < 8 ? int64_t(op.getOffset()) : 0);
    if (bits < 8 && op.hasZeroPoints()) {
      Value number = arith::FPToSIOp::create(
          b, loc, words, loadScales(strip, block, 1).front());
      zeros = cast(bytes, arith::MulIOp::create(b, loc, number,
                                                splat(words, 0x01010101)));
    }
    auto widenWord = [&](OpFoldResult number, ValueRange) {
      OpFoldResult word = index.add(index.mul(block, perBlock), number),
                   dot = index.mul(word, perWord / 4);
      for (auto [i, weights] :
           llvm::enumerate(splitSigned(strip, word, zeros))) {
        OpFoldResult row = index.add(dot, index.constant(int64_t(i)));
        OpFoldResult at = index.add(index.mul(row, tiles::kRowBytes),
                                    index.constant(firstWide));
        vector::StoreOp::create(b, loc, weights, wide.memory, index.value(at));
      }
      return SmallVector<Value>();
    };
    return carryLoop(index, index.constant(0), index.constant(perBlock), 1, {},
                     widenWord);
  };
  carryLoop(index, index.constant(0),
            index.constant(op.getSteps() / op.getBlock()), 1, {}, widenBlock);
}

/// The sums of a block go to register `number`.
void DotEmitter::multiplyOnTiles(const Place &place, OpFoldResult block,
                                 int64_t number) {
  int64_t steps = countTileSteps(), all = op.getBlock();
  int64_t rows = kFirstRows + number % 2, columns = kFirstColumns + number % 2;
  StringRef multiply =
      findInstruction(target, Capability::MultiplySignedTiles, 4 * lanes)
          ->intrinsic;
  tiles::call(b, loc, "llvm.x86.tilezero", number);
  for (int64_t part = 0; part < all; part += steps) {
    OpFoldResult step = index.add(index.mul(block, all), index.constant(part));
    tiles::move(index, "llvm.x86.tileloadd64", rows, lhs,
                addressOf(lhs, place.row, step), lhs.step[0]);
    // Four steps of all columns lie side by side.
    tiles::move(index, "llvm.x86.tileloadd64", columns, wide,
                index.add(index.mul(step, lanes), index.constant(firstWide)),
                index.constant(tiles::kRowBytes));
    tiles::call(b, loc, multiply, {number, rows, columns});
  }
}

/// Scales the sums of a block, which are in memory, and adds them.
SmallVector<Value> DotEmitter::addOnTiles(const Place &place,
                                          OpFoldResult block, int64_t number,
                                          ValueRange sums) {
  auto broadcast = [&](Value one) {
    return vector::BroadcastOp::create(b, loc, floats, one).getResult();
  };
  Value factors = loadScales(place, block, 0).front(), zeros;
  if (bits == 8 && op.hasZeroPoints())
    zeros = loadScales(place, block, 1).front();
  else if (bits == 8 && int64_t(op.getOffset()) != 0)
    zeros = fill(float(int64_t(op.getOffset())));
  SmallVector<Value> next;
  for (int64_t r = 0; r < place.rows; ++r) {
    OpFoldResult at = index.add(placeOfTileSums(number),
                                index.constant(r * tiles::kRowBytes));
    Value loaded = vector::LoadOp::create(b, loc, bytes, tileMemory.memory,
                                          index.value(at));
    Value dot = arith::SIToFPOp::create(b, loc, floats, cast(words, loaded));
    if (zeros) {
      Value sum = arith::SIToFPOp::create(
          b, loc, b.getF32Type(), loadElement(rowSums, place, r, block));
      Value less = broadcast(arith::NegFOp::create(b, loc, sum));
      dot = vector::FMAOp::create(b, loc, zeros, less, dot);
    }
    Value scale = broadcast(loadElement(rowScales, place, r, block));
    dot = arith::MulFOp::create(b, loc, dot, factors);
    next.push_back(vector::FMAOp::create(b, loc, dot, scale, sums[r]));
  }
  return next;
}

/// 16 rows by one vector of columns.
void DotEmitter::emitOnTiles(const Place &place) {
  int64_t blocks = op.getSteps() / int64_t(op.getBlock()),
          together = std::gcd(blocks, kSums);
  SmallVector<Value> sums(place.rows, fill(0));
  finish(place,
         carryLoop(index, index.constant(0), index.constant(blocks), together,
                   sums, [&](OpFoldResult block, ValueRange carried) {
                     auto number = [&](int64_t i) {
                       return index.add(block, index.constant(i));
                     };
                     // Instructions on tiles wait less if they do not
                     // alternate.
                     for (int64_t i = 0; i < together; ++i)
                       multiplyOnTiles(place, number(i), i);
                     for (int64_t i = 0; i < together; ++i)
                       tiles::move(index, "llvm.x86.tilestored64", i,
                                   tileMemory, placeOfTileSums(i),
                                   index.constant(tiles::kRowBytes));
                     SmallVector<Value> next(carried);
                     for (int64_t i = 0; i < together; ++i)
                       next = addOnTiles(place, number(i), i, next);
                     return next;
                   }));
}

OpFoldResult DotEmitter::coverOnTiles(const Place &place) {
  OpFoldResult count = index.sub(place.endRow, place.firstRow),
               whole =
                   index.mul(index.floorDiv(count, tiles::kRows), tiles::kRows),
               end = index.add(place.firstRow, whole);
  auto forEachVector = [&](Place panel,
                           llvm::function_ref<void(const Place &)> body) {
    firstWide = 0;
    forEachStrip(panel, 1, [&](const Place &strip) {
      body(strip);
      firstWide += countStripBytes();
    });
  };
  auto cover = [&] {
    allocateTiles(place.vectors);
    configureTiles();
    forEachVector(place, [&](const Place &strip) { widenStrip(strip); });
    Place tile = place;
    tile.rows = tiles::kRows;
    // All columns of the panel meet the rows while these are near.
    carryLoop(index, place.firstRow, end, tiles::kRows, {},
              [&](OpFoldResult row, ValueRange) {
                tile.row = row;
                forEachVector(tile,
                              [&](const Place &strip) { emitOnTiles(strip); });
                return SmallVector<Value>();
              });
    tiles::release(b, loc);
  };
  if (std::optional<int64_t> known = getConstantIntValue(count)) {
    if (*known >= tiles::kRows)
      cover();
  } else {
    emitEither(index, arith::CmpIPredicate::sge, count,
               index.constant(tiles::kRows), cover, [] {});
  }
  return end;
}
