//===- BlockDotLoops.h - The loops of kernel.block_dot ----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKDOT_BLOCKDOTLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKDOT_BLOCKDOTLOOPS_H

#include "BlockDotSchedule.h"
#include "Kernels/BlockMatmul/PanelLoops.h"
#include "Kernels/TileInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace onnxc::blockdot {

using Place = PanelPlace;

/// How a lane multiplies four bytes by four.
enum class Dots {
  /// Unsigned ones by signed ones, to sums of 32 bits.
  Unsigned,
  /// Signed ones by signed ones.
  Signed,
  /// Unsigned ones by signed ones, as two sums of 16 bits, which are added.
  Pairs,
  /// One by one, as 32 bits.
  Single
};

Dots selectDots(TargetAttr target);

/// Four consecutive weights of each column of a vector, as the instruction
/// takes them.
struct Columns {
  mlir::Value weights;
  mlir::Value magnitudes; // where they are multiplied by rows with their signs
};

/// So many rows take weights as they lie in words.
constexpr int64_t kFewRows = 4;

class DotEmitter : PanelLoops {
public:
  DotEmitter(mlir::OpBuilder &b, kernel::BlockDotOp op,
             kernel::BlockDotScheduleAttr schedule, TargetAttr target)
      : PanelLoops(b, op, op.getLhs(), op.getWeights(), op.getScales(),
                   op.getPanelWidth(), target),
        op(op), schedule(schedule), dots(selectDots(target)),
        bits(op.getBits()), mask((1 << bits) - 1),
        bytes(mlir::VectorType::get(4 * lanes, b.getI8Type())),
        pairs(mlir::VectorType::get(2 * lanes, b.getI16Type())) {
    mlir::AffineMap matrix =
        mlir::AffineMap::getMultiDimIdentityMap(2, b.getContext());
    rowScales = makeLoopOperand(index, op.getRowScales(), matrix);
    rowSums = makeLoopOperand(index, op.getRowSums(), matrix);
  }

  using PanelLoops::emitAll;

private:
  void coverPanel(Place place) override;
  int64_t countNearRows() override { return schedule.getNearRows(); }
  void emitTile(const Place &place) override;
  int64_t countSteps() override { return op.getSteps(); }

  llvm::SmallVector<mlir::Value> emitBlock(const Place &place,
                                           mlir::OpFoldResult block,
                                           mlir::ValueRange sums);
  /// What a row's sums of a block start from: what the weights are greater
  /// than meant, times the sum of the row's bytes.
  mlir::Value startOf(mlir::Value rowSum);
  /// Adds the products of `count` words to sums of 32 bits.
  llvm::SmallVector<mlir::Value> addWords(const Place &place,
                                          mlir::OpFoldResult first,
                                          int64_t count, mlir::ValueRange sums);
  /// The same where sums of 16 bits hold the products of all these words.
  llvm::SmallVector<mlir::Value> addNarrowWords(const Place &place,
                                                mlir::OpFoldResult first,
                                                int64_t count,
                                                mlir::ValueRange sums);
  /// Four consecutive weights of each column, as the instruction takes them: a
  /// vector for each four of a word.
  llvm::SmallVector<mlir::Value> splitWord(mlir::Value word);
  /// Of word number `word`: for each vector of columns, those of each four
  /// steps; from where splitStrip left them, if the place says so.
  llvm::SmallVector<llvm::SmallVector<Columns>>
  loadColumns(const Place &place, mlir::OpFoldResult word);
  /// Memory for what a strip's words are split into, which all rows read: of
  /// each four steps the vectors of columns, magnitudes behind weights.
  mlir::Value allocateSplit();
  mlir::Value placeOfSplit(mlir::OpFoldResult word, int64_t v, int64_t part,
                           int64_t copy);
  void splitStrip(Place strip);
  bool hasMagnitudes() const { return dots == Dots::Pairs && bits == 8; }
  /// Four bytes of a row from `step` on, in all lanes.
  mlir::Value loadRow(const Place &place, int64_t row, mlir::OpFoldResult step);
  mlir::Value addProducts(mlir::Value sum, const Columns &columns,
                          mlir::Value row);
  /// Bytes, negated where those of `weights` are negative.
  mlir::Value negateWhere(mlir::Value value, mlir::Value weights);
  llvm::SmallVector<mlir::Value> addSingleWords(const Place &place,
                                                mlir::OpFoldResult first,
                                                int64_t count,
                                                mlir::ValueRange sums);
  mlir::Value loadElement(const LoopOperand &operand, const Place &place,
                          int64_t row, mlir::OpFoldResult column) {
    mlir::OpFoldResult at =
        addressOf(operand, index.add(place.row, index.constant(row)), column);
    return mlir::memref::LoadOp::create(b, loc, operand.memory,
                                        index.value(at));
  }
  mlir::Value splat(mlir::VectorType type, int64_t value) {
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::DenseElementsAttr::get(
            type, llvm::APInt(type.getElementTypeBitWidth(), value,
                              /*isSigned=*/true)));
  }
  mlir::Value cast(mlir::VectorType type, mlir::Value vector) {
    return b.createOrFold<mlir::vector::BitCastOp>(loc, type, vector);
  }
  //===--------------------------------------------------------------------===//
  // In tile registers (BlockDotTiles.cpp)
  //===--------------------------------------------------------------------===//

  /// Rows from `place.firstRow` on, as many as fill registers; returns the
  /// first one that is left.
  mlir::OpFoldResult coverOnTiles(const Place &place);
  void allocateTiles(int64_t vectors);
  /// Weights of a vector of columns.
  int64_t countStripBytes() { return op.getSteps() * lanes; }
  void configureTiles();
  llvm::SmallVector<mlir::Value>
  splitSigned(const Place &strip, mlir::OpFoldResult word, mlir::Value zeros);
  void widenStrip(const Place &strip);
  void emitOnTiles(const Place &place);
  void multiplyOnTiles(const Place &place, mlir::OpFoldResult block,
                       int64_t number);
  llvm::SmallVector<mlir::Value> addOnTiles(const Place &place,
                                            mlir::OpFoldResult block,
                                            int64_t number,
                                            mlir::ValueRange sums);
  /// The bytes of a block's steps that one register holds.
  int64_t countTileSteps() {
    return std::min<int64_t>(op.getBlock(), tiles::kRowBytes);
  }
  mlir::OpFoldResult placeOfTileSums(int64_t number) {
    return index.constant(tiles::kConfigBytes +
                          number * tiles::kRows * tiles::kRowBytes);
  }

  /// The signed weights are made unsigned: each is greater by 128.
  bool isMoved() const { return dots == Dots::Unsigned && bits == 8; }

  kernel::BlockDotOp op;
  kernel::BlockDotScheduleAttr schedule;
  Dots dots;
  int64_t bits, mask; // of a weight
  mlir::VectorType bytes, pairs;
  LoopOperand rowScales, rowSums;
  /// Bytes of a thread: the configuration of registers and sums; signed
  /// weights of a panel, without zero points.
  FlatBuffer tileMemory, wide;
  /// Where the weights of a vector of columns begin there.
  int64_t firstWide = 0;
};

} // namespace onnxc::blockdot

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKDOT_BLOCKDOTLOOPS_H
