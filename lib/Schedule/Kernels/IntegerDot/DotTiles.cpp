//===- DotTiles.cpp - Dot products in tile registers ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction multiplies 16 rows by 64 channels of the image by as many
// channels of 16 columns (TileInstructions.h): the packed filter, with four
// channels of 16 columns side by side, is what it reads. Sums of up to two by
// four registers go through memory to the epilogue.
//
//===----------------------------------------------------------------------===//

#include "DotLoops.h"
#include "Kernels/TileInstructions.h"

#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;

namespace {
constexpr int64_t kRegisterBytes = tiles::kRowBytes;
/// Dot products of four channels in a row of a register.
constexpr int64_t kDots = kRegisterBytes / 4;
constexpr int64_t kConfigBytes = tiles::kConfigBytes;
/// Rows that the epilogue takes at once.
constexpr int64_t kEpilogueRows = 4;
} // namespace

TileRegisters TileRegisters::choose(int64_t dots, int64_t vectors) {
  TileRegisters chosen;
  chosen.vectors = vectors;
  chosen.dots = std::min(dots, kDots);
  chosen.rest = dots > kDots ? dots % kDots : 0;
  // Of each kind of factor at least one.
  int64_t kinds = chosen.rest ? 4 : 2;
  chosen.rowTiles = vectors * 2 + kinds <= kCount ? 2 : 1;
  chosen.image = chosen.rowTiles * vectors;
  int64_t left = kCount - chosen.image;
  chosen.numImage = chosen.rest ? 1 : std::min(chosen.rowTiles, left - 1);
  chosen.filter = chosen.image + chosen.numImage;
  chosen.numFilter =
      chosen.rest ? 1 : std::min(vectors, left - chosen.numImage);
  chosen.restImage = chosen.filter + chosen.numFilter;
  chosen.restFilter = chosen.restImage + 1;
  return chosen;
}

/// The loops of the sum, those that walk image and filter as one loop would
/// joined.
SmallVector<Tap> DotLoops::joinTaps() {
  SmallVector<Tap> joined(taps);
  while (joined.size() > 1) {
    Tap inner = joined.pop_back_val();
    Tap &outer = joined.back();
    std::optional<int64_t> step = getConstantIntValue(inner.image);
    SaturatingInt all = inner.extent, bytes = inner.extent;
    if (!step || !isIndex(outer.image, all *= *step) ||
        (bytes *= inner.filter) != outer.filter) {
      joined.push_back(inner);
      break;
    }
    SaturatingInt extent = outer.extent;
    outer = {extent *= inner.extent, inner.image, inner.filter};
  }
  return joined;
}

TileRegisters DotLoops::chooseRegisters(int64_t vectors) {
  return TileRegisters::choose(joinTaps().back().extent, vectors);
}

/// Memory for the configuration and the sums of a tile.
void DotLoops::allocateTiles(int64_t vectors) {
  TileRegisters registers = chooseRegisters(vectors);
  // no overflow: at most eight registers
  int64_t bytes = kConfigBytes + registers.image * kTileRows * kRegisterBytes;
  tileMemory.element = b.getI8Type();
  tileMemory.memory = memref::AllocOp::create(
      b, loc, MemRefType::get({bytes}, tileMemory.element),
      b.getI64IntegerAttr(kRegisterBytes));
}

/// Of `rows`, what a register has: half of them where there are two tiles.
OpFoldResult DotLoops::getRowsOfTile(OpFoldResult rows) {
  std::optional<int64_t> known = getConstantIntValue(rows);
  if (!known || *known <= kTileRows)
    return rows;
  return index.constant(llvm::divideCeil(*known, 2));
}

/// For tiles of so many rows.
void DotLoops::configureTiles(int64_t vectors, OpFoldResult rows) {
  TileRegisters registers = chooseRegisters(vectors);
  rows = getRowsOfTile(rows);
  std::optional<int64_t> known = getConstantIntValue(rows);
  tiles::Configuration sizes;
  SmallVector<int64_t> ofRows;
  auto describe = [&](int64_t first, int64_t count, int64_t rowBytes,
                      std::optional<int64_t> numRows) {
    for (int64_t number : llvm::seq(first, first + count)) {
      sizes.setSize(number, numRows.value_or(0), rowBytes);
      if (!numRows)
        ofRows.push_back(number);
    }
  };
  describe(0, registers.image, kRegisterBytes, known);
  describe(registers.image, registers.numImage, registers.dots * 4, known);
  describe(registers.filter, registers.numFilter, kRegisterBytes,
           registers.dots);
  if (registers.rest) {
    describe(registers.restImage, 1, registers.rest * 4, known);
    describe(registers.restFilter, 1, kRegisterBytes, registers.rest);
  }
  VectorType type = vectorOf(b.getI8Type(), kConfigBytes);
  Value config = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, sizes.getBytes()));
  vector::StoreOp::create(b, loc, config, tileMemory.memory,
                          index.value(index.constant(0)));
  if (!known) {
    Value number =
        arith::IndexCastOp::create(b, loc, b.getI8Type(), index.value(rows));
    for (int64_t tile : ofRows)
      memref::StoreOp::create(
          b, loc, number, tileMemory.memory,
          index.value(index.constant(tiles::placeOfNumRows(tile))));
  }
  tiles::configure(index, tileMemory, index.constant(0));
}

/// Whether a thread can have all rows of a tile of columns, or an even part of
/// them, after the registers are configured once.
bool DotLoops::keepsTiles() {
  return schedule.getTiles() &&
         llvm::all_of(ArrayRef(extents).drop_back(), [](OpFoldResult extent) {
           return getConstantIntValue(extent).has_value();
         });
}

void DotLoops::prepareTiles(int64_t vectors) {
  allocateTiles(vectors);
  int64_t rows = chooseRows(vectors);
  std::optional<int64_t> known = getConstantIntValue(extents.back());
  if (!known || *known % rows != 0 || !usesTiles(rows))
    return;
  configureTiles(vectors, index.constant(rows));
  areTilesConfigured = true;
}

/// Rows from `from` on, less than a register has; returns what is left: very
/// few rows are left to vectors.
OpFoldResult DotLoops::coverOnTiles(const Place &place, OpFoldResult from,
                                    int64_t vectors, int64_t live) {
  OpFoldResult to = extents.back();
  Value rest = index.value(index.sub(to, from)),
        least = index.value(index.constant(kLeastTileRows));
  Value isEnough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rest, least);
  Value all = index.value(to), none = index.value(from);
  OpFoldResult end =
      arith::SelectOp::create(b, loc, isEnough, all, none).getResult();
  carryLoop(index, from, end, kTileRows, {}, [&](OpFoldResult at, ValueRange) {
    emitOnTiles(advance(place, extents.size() - 1, at), index.sub(to, at),
                vectors, live);
    return SmallVector<Value>();
  });
  return end;
}

void DotLoops::releaseTiles() { tiles::release(b, loc); }

/// The products of all rows by all columns of a tile, of the channels that a
/// register holds, or of the last ones.
void DotLoops::multiplyTile(const Place &place, const TileRegisters &registers,
                            bool isRest, OpFoldResult secondRow) {
  const LoopOperand &image = operands.front();
  OpFoldResult rowStep = image.step[extents.size() - 1],
               filterStep = index.constant(op.getPanelWidth() * group);
  int64_t firstImage = isRest ? registers.restImage : registers.image,
          numImage = isRest ? 1 : registers.numImage,
          firstFilter = isRest ? registers.restFilter : registers.filter,
          numFilter = isRest ? 1 : registers.numFilter;
  StringRef multiply = findMultiplyTiles(op, target)->intrinsic;
  SmallVector<int64_t> columnsIn(numFilter, -1);
  for (int64_t tile = 0; tile < registers.rowTiles; ++tile) {
    int64_t rows = firstImage + tile % numImage;
    OpFoldResult at = place.base[0];
    if (tile > 0)
      at = index.add(at, index.mul(rowStep, secondRow));
    tiles::move(index, "llvm.x86.tileloadd64", rows, image, at, rowStep);
    for (int64_t i = 0; i < registers.vectors; ++i) {
      // Back and forth: the columns that were last are there.
      int64_t v = tile % 2 ? registers.vectors - 1 - i : i;
      int64_t columns = v % numFilter;
      if (columnsIn[columns] != v)
        tiles::move(index, "llvm.x86.tileloadd64", firstFilter + columns,
                    filter,
                    index.add(place.filter, index.constant(placeOfVector(v))),
                    filterStep);
      columnsIn[columns] = v;
      tiles::call(b, loc, multiply,
                  {tile * registers.vectors + v, rows, firstFilter + columns});
    }
  }
}

/// All taps of `loops`.
void DotLoops::sumTiles(ArrayRef<Tap> loops, const Place &place,
                        const TileRegisters &registers,
                        OpFoldResult secondRow) {
  const Tap &tap = loops.front();
  auto repeat = [&](int64_t from, int64_t to, int64_t by,
                    function_ref<void(const Place &)> body) {
    carryLoop(index, index.constant(from), index.constant(to), by, {},
              [&](OpFoldResult at, ValueRange) {
                body(step(place, tap, at));
                return SmallVector<Value>();
              });
  };
  if (loops.size() > 1)
    return repeat(0, tap.extent, 1, [&](const Place &here) {
      sumTiles(loops.drop_front(), here, registers, secondRow);
    });
  int64_t whole = tap.extent - registers.rest;
  repeat(0, whole, registers.dots, [&](const Place &here) {
    multiplyTile(here, registers, /*isRest=*/false, secondRow);
  });
  if (registers.rest)
    multiplyTile(step(place, tap, index.constant(whole)), registers,
                 /*isRest=*/true, secondRow);
}

/// So many rows, in one tile of registers where their number is not known.
/// Rows of two tiles may meet: both write the same there.
void DotLoops::emitOnTiles(const Place &place, OpFoldResult rows,
                           int64_t vectors, int64_t live) {
  TileRegisters registers = chooseRegisters(vectors);
  std::optional<int64_t> known = getConstantIntValue(rows);
  if (known.value_or(1) <= kTileRows)
    registers.rowTiles = 1;
  OpFoldResult secondRow = index.constant(0);
  if (registers.rowTiles == 2)
    secondRow = index.sub(rows, getRowsOfTile(rows));
  if (!areTilesConfigured)
    configureTiles(vectors, rows);

  for (int64_t sum = 0; sum < registers.rowTiles * vectors; ++sum)
    tiles::call(b, loc, "llvm.x86.tilezero", sum);
  SmallVector<Tap> loops = joinTaps();
  sumTiles(loops, place, registers, secondRow);

  // The sums of a row lie side by side.
  int64_t rowBytes = vectors * kRegisterBytes;
  auto placeOfSum = [&](OpFoldResult row, int64_t v) {
    return index.add(index.mul(row, rowBytes),
                     index.constant(kConfigBytes + v * kRegisterBytes));
  };
  for (int64_t tile = 0; tile < registers.rowTiles; ++tile)
    for (int64_t v = 0; v < vectors; ++v)
      tiles::move(index, "llvm.x86.tilestored64", tile * vectors + v,
                  tileMemory,
                  placeOfSum(tile ? secondRow : index.constant(0), v),
                  index.constant(rowBytes));

  SmallVector<Value> starts = startTile(place, 1, vectors, live);
  VectorType words = vectorOf(b.getI32Type(), lanes);
  auto store = [&](OpFoldResult from, OpFoldResult to, int64_t count) {
    carryLoop(index, from, to, count, {}, [&](OpFoldResult at, ValueRange) {
      SmallVector<Value> sums;
      for (int64_t r = 0; r < count; ++r)
        for (int64_t v = 0; v < vectors; ++v) {
          OpFoldResult row = index.add(at, index.constant(r));
          Value bytes = load(tileMemory, placeOfSum(row, v), kRegisterBytes,
                             kRegisterBytes);
          Value sum = vector::BitCastOp::create(b, loc, words, bytes);
          sums.push_back(arith::AddIOp::create(b, loc, sum, starts[v]));
        }
      storeTile(advance(place, extents.size() - 1, at), count, vectors, live,
                sums);
      return SmallVector<Value>();
    });
  };
  OpFoldResult whole =
      index.mul(index.floorDiv(rows, kEpilogueRows), kEpilogueRows);
  store(index.constant(0), whole, kEpilogueRows);
  if (!known)
    store(whole, rows, 1);
  else if (*known % kEpilogueRows)
    store(whole, rows, *known % kEpilogueRows);
}
