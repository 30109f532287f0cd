//===- BlockMatmulTiles.cpp - kernel.block_matmul in tile registers -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside:
//
//   runs of rows
//     in parallel: the rows are split into bf16 (FloatTiles.h)
//     bands of rows and groups of columns, in parallel
//       pieces of the sum, of one block or several
//         the group's weights of the piece become bf16
//           registers of rows, of which the nearest cache holds a piece, by
//           two vectors of columns: sums of blocks, which are scaled and added
//       the epilogue, row by row
//
// Sums of all rows wait in memory between the pieces, and are in vector
// registers while blocks are added: of a piece these are several, so that
// instructions on tiles and on vectors overlap.
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulEmitter.h"
#include "Kernels/FloatTiles.h"

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

namespace {

constexpr int64_t kSteps = FloatTiles::kSteps, kRows = FloatTiles::kRows,
                  kColumns = FloatTiles::kColumns, kParts = FloatTiles::kParts,
                  kPairs = FloatTiles::kPairs, kTile = kRows * kColumns;

constexpr int64_t kLeastColumns = 32;
/// Groups of kSteps steps in a piece, where a block has no more: the first
/// level of the cache holds those of a register of rows.
constexpr int64_t kGroups = 4, kMostGroups = 16;
/// Vectors of columns that meet a register of rows, of a piece of kGroups.
constexpr int64_t kVectors = 16;
/// Rows that a group of columns is widened for, and rows that are split before
/// any is multiplied.
constexpr int64_t kBandRows = 256, kRunRows = 512;
/// Cycles of the products of a group of steps, and of splitting two vectors.
constexpr int64_t kGroupCycles = 64, kSplitCycles = 8;

/// How the product is cut.
struct Cut {
  int64_t groups; // of kSteps steps
  int64_t groupsOfBlock;
  int64_t piece;    // groups at a time, of whole blocks
  int64_t vectors;  // of columns
  int64_t together; // vectors of a group of columns
  int64_t bandRows; // a multiple of kRows
  int64_t runRows;  // a multiple of bandRows
};

Cut chooseCut(kernel::BlockMatmulOp op, std::optional<int64_t> rows) {
  Cut cut;
  int64_t steps = op.getSteps(), block = op.getBlock(),
          columns = cast<ShapedType>(op.getInit().getType()).getDimSize(1);
  cut.groups = steps / kSteps;
  // Columns with one scale have it for each piece.
  cut.groupsOfBlock = block < steps ? block / kSteps : 1;
  cut.piece = std::max(cut.groupsOfBlock,
                       kGroups / cut.groupsOfBlock * cut.groupsOfBlock);
  cut.piece = std::min(cut.piece, cut.groups);
  cut.vectors = llvm::divideCeil(columns, kColumns);
  cut.together = std::min(cut.vectors,
                          std::max<int64_t>(1, kVectors * kGroups / cut.piece));
  int64_t ofRun = std::min(rows.value_or(kRunRows), kRunRows);
  int64_t bands = llvm::divideCeil(ofRun, kBandRows);
  cut.bandRows = llvm::alignTo(llvm::divideCeil(ofRun, bands), kRows);
  cut.runRows = bands * cut.bandRows;
  return cut;
}

/// Blocks of a piece of the sum.
struct Blocks {
  OpFoldResult first;
  int64_t count;  // of blocks, kGroups at most
  int64_t groups; // of steps in each
};

/// Rows of a run, and columns.
struct Band {
  OpFoldResult firstRow, count;      // rows
  OpFoldResult firstTile, rowTiles;  // registers of them in the run
  OpFoldResult firstVector, vectors; // of columns
};

} // namespace

bool onnxc::takesTiles(kernel::BlockMatmulOp op, TargetAttr target) {
  auto lhs = cast<ShapedType>(op.getLhs().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  int64_t steps = op.getSteps(), block = op.getBlock(),
          rows = lhs.getDimSize(0);
  bool isOfTiles =
      block >= steps || (block % kSteps == 0 && steps % block == 0 &&
                         block <= kMostGroups * kSteps);
  return supports(target, Capability::MultiplyHalfTiles) &&
         lhs.getElementType().isF32() && isOfTiles && steps % kSteps == 0 &&
         kSteps / 2 % op.getPerWord() == 0 &&
         result.getDimSize(1) >= kLeastColumns &&
         (ShapedType::isDynamic(rows) || rows >= kLeastRowsOfTiles);
}

namespace onnxc::blockmatmul {

/// Writes the loops of one product in tile registers.
class Tiles {
public:
  explicit Tiles(Emitter &product)
      : product(product), b(product.b), loc(product.loc), index(product.index),
        op(product.op), tiles(index), rows(product.result.sizes[0]),
        cut(chooseCut(op, getConstantIntValue(rows))) {}

  void emit();

private:
  void splitRows(OpFoldResult first, OpFoldResult count);
  void multiplyRun(OpFoldResult first, OpFoldResult count);
  void multiplyBand(const Band &band);
  void multiplyPiece(const Band &band, OpFoldResult first, int64_t groups);
  void widenVector(OpFoldResult vector, OpFoldResult first, OpFoldResult to,
                   int64_t groups);
  void multiplyTiles(OpFoldResult rows, ArrayRef<OpFoldResult> columns,
                     const Blocks &blocks);
  void addBlocks(int64_t number, int64_t across, OpFoldResult sumsAt,
                 const Place &place, const Blocks &blocks);
  Blocks blocksOf(OpFoldResult first, int64_t groups);
  void finishBand(const Band &band);
  void finishVector(const Band &band, OpFoldResult r, OpFoldResult vector,
                    int64_t live);
  Place placeOf(OpFoldResult vector);
  /// Columns have a scale each.
  bool hasOneScale() { return op.getBlock() >= op.getSteps(); }
  OpFoldResult blockOf(OpFoldResult group);
  /// In the sums of a band.
  OpFoldResult placeOfSums(OpFoldResult row, OpFoldResult vector) {
    OpFoldResult ofRow = index.mul(row, cut.together * kColumns);
    return index.add(ofRow, index.mul(vector, kColumns));
  }

  OpFoldResult zero() { return index.constant(0); }
  OpFoldResult limit(OpFoldResult from, OpFoldResult all, int64_t each);
  void overRange(OpFoldResult from, OpFoldResult to,
                 function_ref<void(OpFoldResult)> body, int64_t by = 1) {
    carryLoop(index, from, to, by, {}, [&](OpFoldResult at, ValueRange) {
      body(at);
      return SmallVector<Value>();
    });
  }
  Value loadVector(const FlatBuffer &from, OpFoldResult at) {
    return vector::LoadOp::create(b, loc, product.floats, from.memory,
                                  index.value(at));
  }
  void storeVector(Value value, const FlatBuffer &to, OpFoldResult at) {
    vector::StoreOp::create(b, loc, value, to.memory, index.value(at));
  }

  Emitter &product;
  OpBuilder &b;
  Location loc;
  IndexMath &index;
  kernel::BlockMatmulOp op;
  FloatTiles tiles;
  OpFoldResult rows;
  Cut cut;
  /// Parts of rows, [registers of a run, groups, kParts, kPairs]; weights of a
  /// piece, [vectors, groups, kPairs].
  FlatBuffer split, wide;
  /// Sums of a band, [rows, vectors, kColumns]; those of blocks of a register
  /// of rows.
  FlatBuffer sums, ofBlocks;
};

} // namespace onnxc::blockmatmul

using namespace onnxc::blockmatmul;

/// What of a loop from 0 to `all` by `each` is left at `from`, `each` at most.
OpFoldResult Tiles::limit(OpFoldResult from, OpFoldResult all, int64_t each) {
  std::optional<int64_t> known = getConstantIntValue(all);
  if (known && *known % each == 0)
    return index.constant(each);
  return index.min(index.constant(each), index.sub(all, from));
}

/// A vector of columns.
Place Tiles::placeOf(OpFoldResult vector) {
  Place place;
  int64_t inPanel = product.width / kColumns;
  OpFoldResult panel = index.floorDiv(vector, inPanel);
  OpFoldResult inside = index.sub(vector, index.mul(panel, inPanel));
  OpFoldResult column = index.mul(inside, kColumns);
  place.column = index.mul(vector, kColumns);
  place.weights =
      index.add(index.mul(panel, product.weights.strides[0]), column);
  place.scales = index.add(index.mul(panel, product.scales.strides[0]), column);
  place.live = kColumns;
  // What follows is not fetched ahead, as it is for a single row.
  place.rows = kRows;
  return place;
}

/// Rows from `first` on, those of a register in each iteration. What lies
/// behind the last one repeats it.
void Tiles::splitRows(OpFoldResult first, OpFoldResult count) {
  int64_t work = kRows * cut.groups * kSplitCycles;
  parallelLoop(
      index, {index.ceilDiv(count, kRows)}, work,
      [&](ArrayRef<OpFoldResult> at) {
        OpFoldResult last = index.sub(count, index.constant(1)),
                     ofTile = index.mul(at[0], cut.groups * kParts * kPairs);
        overRange(zero(), index.constant(kRows), [&](OpFoldResult r) {
          OpFoldResult row =
              index.min(index.add(index.mul(at[0], kRows), r), last);
          row = index.add(first, row);
          OpFoldResult to = index.add(ofTile, index.mul(r, kSteps / 2));
          overRange(
              zero(), index.constant(cut.groups), [&](OpFoldResult group) {
                OpFoldResult step = index.mul(group, kSteps);
                OpFoldResult from = product.addressOf(product.lhs, row, step);
                Value x = loadVector(product.lhs, from);
                Value y = loadVector(
                    product.lhs, index.add(from, index.constant(kSteps / 2)));
                tiles.split(x, y, kParts, split,
                            index.add(to, index.mul(group, kParts * kPairs)));
              });
        });
      });
}

/// The block that a group of steps is in.
OpFoldResult Tiles::blockOf(OpFoldResult group) {
  return hasOneScale() ? zero() : index.floorDiv(group, cut.groupsOfBlock);
}

/// The weights of `groups` groups of steps from group `first` on, without their
/// zero points: whole numbers below 256, each of which is a bf16.
void Tiles::widenVector(OpFoldResult vector, OpFoldResult first,
                        OpFoldResult to, int64_t groups) {
  Place place = placeOf(vector);
  int64_t perWord = op.getPerWord(), words = kSteps / perWord, half = words / 2;
  overRange(zero(), index.constant(groups), [&](OpFoldResult group) {
    OpFoldResult from = index.add(first, group);
    OpFoldResult word = index.mul(from, words);
    OpFoldResult ofGroup = index.add(to, index.mul(group, kPairs));
    Value zeroPoint;
    if (op.hasZeroPoints())
      zeroPoint = product.loadScales(place, blockOf(from), 1).front();
    auto load = [&](int64_t number) {
      OpFoldResult at = index.add(word, index.constant(number));
      return product.loadWords(place, at).front();
    };
    auto widen = [&](Value loaded, int64_t i) -> Value {
      Value number = product.widen(loaded, i);
      return zeroPoint ? arith::SubFOp::create(b, loc, number, zeroPoint)
                       : number;
    };
    for (int64_t w = 0; w < half; ++w) {
      Value low = load(w), high = load(half + w);
      for (int64_t i = 0; i < perWord; ++i) {
        Value x = widen(low, i), y = widen(high, i);
        OpFoldResult at = index.constant((w * perWord + i) * kColumns);
        tiles.split(x, y, /*parts=*/1, wide, index.add(ofGroup, at));
      }
    }
  });
}

/// A register of rows by one of columns, or by two: the sums of the blocks of a
/// piece go to memory, in the order of blocks, registers and rows.
void Tiles::multiplyTiles(OpFoldResult rows, ArrayRef<OpFoldResult> columns,
                          const Blocks &blocks) {
  int64_t across = columns.size();
  for (int64_t block = 0; block < blocks.count; ++block) {
    // Those of two blocks in turn do not wait for each other.
    int64_t first = block * across % FloatTiles::kSums;
    for (int64_t i = 0; i < across; ++i)
      tiles.clearSums(first + i);
    for (int64_t inBlock = 0; inBlock < blocks.groups; ++inBlock) {
      int64_t group = block * blocks.groups + inBlock;
      OpFoldResult ofRows =
          index.add(rows, index.constant(group * kParts * kPairs));
      SmallVector<OpFoldResult> ofColumns;
      for (OpFoldResult column : columns)
        ofColumns.push_back(index.add(column, index.constant(group * kPairs)));
      tiles.multiply(first, split, ofRows, wide, ofColumns);
    }
    for (int64_t i = 0; i < across; ++i)
      tiles.storeSums(first + i, ofBlocks,
                      index.constant((block * across + i) * kTile));
  }
}

/// Register `number` of `across` that multiplyTiles multiplied: the sums of
/// blocks, scaled, are added to those at `sumsAt`.
void Tiles::addBlocks(int64_t number, int64_t across, OpFoldResult sumsAt,
                      const Place &place, const Blocks &blocks) {
  SmallVector<Value> scales;
  for (int64_t block = 0; block < blocks.count; ++block) {
    OpFoldResult at = index.add(blocks.first, index.constant(block));
    scales.push_back(product.loadScales(place, at, 0).front());
  }
  for (int64_t r = 0; r < kRows; ++r) {
    OpFoldResult at =
        index.add(sumsAt, index.constant(r * cut.together * kColumns));
    Value sum = loadVector(sums, at);
    for (int64_t block = 0; block < blocks.count; ++block) {
      int64_t tile = block * across + number;
      Value part =
          loadVector(ofBlocks, index.constant(tile * kTile + r * kColumns));
      sum = vector::FMAOp::create(b, loc, part, scales[block], sum);
    }
    storeVector(sum, sums, at);
  }
}

/// The blocks of `groups` groups of steps from group `first` on.
Blocks Tiles::blocksOf(OpFoldResult first, int64_t groups) {
  if (hasOneScale())
    return {blockOf(first), 1, groups};
  return {blockOf(first), groups / cut.groupsOfBlock, cut.groupsOfBlock};
}

/// All rows of a band by its columns, `groups` groups of steps from `first` on.
void Tiles::multiplyPiece(const Band &band, OpFoldResult first,
                          int64_t groups) {
  overRange(zero(), band.vectors, [&](OpFoldResult vector) {
    OpFoldResult number = index.add(band.firstVector, vector);
    OpFoldResult to = index.mul(vector, cut.piece * kPairs);
    widenVector(number, first, to, groups);
  });
  Blocks blocks = blocksOf(first, groups);
  overRange(zero(), band.rowTiles, [&](OpFoldResult tile) {
    OpFoldResult ofTile =
        index.mul(index.add(band.firstTile, tile), cut.groups);
    OpFoldResult rows = index.mul(index.add(ofTile, first), kParts * kPairs);
    auto multiply = [&](OpFoldResult vector, int64_t across) {
      SmallVector<OpFoldResult> numbers, columns;
      for (int64_t i = 0; i < across; ++i) {
        numbers.push_back(index.add(vector, index.constant(i)));
        columns.push_back(index.mul(numbers.back(), cut.piece * kPairs));
      }
      multiplyTiles(rows, columns, blocks);
      for (int64_t i = 0; i < across; ++i) {
        OpFoldResult sumsAt = placeOfSums(index.mul(tile, kRows), numbers[i]);
        Place place = placeOf(index.add(band.firstVector, numbers[i]));
        addBlocks(i, across, sumsAt, place, blocks);
      }
    };
    constexpr int64_t kAcross = FloatTiles::kAcross;
    OpFoldResult even =
        index.mul(index.floorDiv(band.vectors, kAcross), kAcross);
    overRange(
        zero(), even, [&](OpFoldResult vector) { multiply(vector, kAcross); },
        kAcross);
    overRange(even, band.vectors,
              [&](OpFoldResult vector) { multiply(vector, 1); });
  });
}

void Tiles::multiplyBand(const Band &band) {
  int64_t all = cut.bandRows * cut.together * kColumns;
  sums = tiles.allocate(all, b.getF32Type());
  ofBlocks =
      tiles.allocate(kGroups * FloatTiles::kAcross * kTile, b.getF32Type());
  wide = tiles.allocate(cut.together * cut.piece * kPairs, tiles.getPairType());
  overRange(
      zero(), index.constant(all),
      [&](OpFoldResult at) { storeVector(product.fill(0), sums, at); },
      kColumns);
  tiles.configure();
  int64_t rest = cut.groups % cut.piece;
  OpFoldResult whole = index.constant(cut.groups - rest);
  overRange(
      zero(), whole,
      [&](OpFoldResult first) { multiplyPiece(band, first, cut.piece); },
      cut.piece);
  if (rest)
    multiplyPiece(band, whole, rest);
  tiles.release();
  finishBand(band);
}

/// The epilogue of row `r` of a band, of one vector of columns.
void Tiles::finishVector(const Band &band, OpFoldResult r, OpFoldResult vector,
                         int64_t live) {
  Place place = placeOf(index.add(band.firstVector, vector));
  place.row = index.add(band.firstRow, r);
  place.rows = 1;
  place.live = live;
  Value sum = loadVector(sums, placeOfSums(r, vector));
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, sum, sum);
  Value any =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isNaN);
  auto choice = scf::IfOp::create(b, loc, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  product.emitTile(place);
  b.setInsertionPointToStart(choice.elseBlock());
  product.finish(place, sum);
}

/// Row by row: the rows of a result may lie pages apart.
void Tiles::finishBand(const Band &band) {
  int64_t columns = cast<ShapedType>(op.getInit().getType()).getDimSize(1),
          rest = columns % kColumns;
  OpFoldResult end = band.vectors;
  if (rest)
    end = index.min(
        end, index.sub(index.constant(cut.vectors - 1), band.firstVector));
  overRange(zero(), band.count, [&](OpFoldResult r) {
    overRange(zero(), end, [&](OpFoldResult vector) {
      finishVector(band, r, vector, kColumns);
    });
    // The last one of all has fewer columns.
    if (rest)
      overRange(end, band.vectors, [&](OpFoldResult vector) {
        finishVector(band, r, vector, rest);
      });
  });
}

/// The rows of a run, which are split.
void Tiles::multiplyRun(OpFoldResult first, OpFoldResult count) {
  int64_t groups = llvm::divideCeil(cut.vectors, cut.together);
  int64_t work =
      cut.bandRows / kRows * cut.together * cut.groups * kGroupCycles;
  parallelLoop(
      index, {index.ceilDiv(count, cut.bandRows), index.constant(groups)}, work,
      [&](ArrayRef<OpFoldResult> at) {
        Band band;
        OpFoldResult inRun = index.mul(at[0], cut.bandRows);
        band.firstRow = index.add(first, inRun);
        band.count = limit(inRun, count, cut.bandRows);
        band.firstTile = index.floorDiv(inRun, kRows);
        band.rowTiles = index.ceilDiv(band.count, kRows);
        band.firstVector = index.mul(at[1], cut.together);
        band.vectors =
            limit(band.firstVector, index.constant(cut.vectors), cut.together);
        multiplyBand(band);
      });
}

void Tiles::emit() {
  split = tiles.allocate(cut.runRows / kRows * cut.groups * kParts * kPairs,
                         tiles.getPairType());
  overRange(
      zero(), rows,
      [&](OpFoldResult first) {
        OpFoldResult count = limit(first, rows, cut.runRows);
        splitRows(first, count);
        multiplyRun(first, count);
      },
      cut.runRows);
}

bool Emitter::emitOnTiles() {
  if (!schedule.getTiles() || !isIndex(lhs.step[1], 1) || width % kColumns != 0)
    return false;
  auto emitTiles = [&] { Tiles(*this).emit(); };
  OpFoldResult rows = result.sizes[0];
  if (getConstantIntValue(rows)) {
    emitTiles();
    return true;
  }
  emitEither(index, arith::CmpIPredicate::sge, rows,
             index.constant(kLeastRowsOfTiles), emitTiles, [&] { emitAll(); });
  return true;
}
