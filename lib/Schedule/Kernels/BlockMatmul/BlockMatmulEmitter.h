//===- BlockMatmulEmitter.h - The loops of kernel.block_matmul --*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULEMITTER_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULEMITTER_H

#include "BlockMatmulSchedule.h"
#include "PanelLoops.h"

namespace onnxc {
struct Instruction;
} // namespace onnxc

namespace onnxc::blockmatmul {

using Place = PanelPlace;

/// Writes the loops of one product.
class Emitter : PanelLoops {
public:
  Emitter(mlir::OpBuilder &b, kernel::BlockMatmulOp op,
          kernel::BlockMatmulScheduleAttr schedule, TargetAttr target)
      : PanelLoops(b, op, op.getLhs(), op.getWeights(), op.getScales(),
                   op.getPanelWidth(), target),
        op(op), schedule(schedule), wideVectors(getWideVectors(target)) {}

  using PanelLoops::emitAll;
  /// In tile registers, if the schedule says so and it can be done.
  bool emitOnTiles();

private:
  friend class Tiles;

  mlir::Type f32() { return b.getF32Type(); }
  void coverPanel(Place place) override;
  void emitTile(const Place &place) override;
  int64_t countSteps() override { return op.getSteps(); }
  int64_t countNearRows() override { return schedule.getNearRows(); }
  void coverStrip(const Place &place);
  void widenPiece(const Place &place);
  /// Makes new sums of those before: of so many steps from a place on.
  using StepsBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpFoldResult, int64_t, mlir::ValueRange)>;
  /// All blocks, and the last one, which may be shorter.
  llvm::SmallVector<mlir::Value> forEachBlock(mlir::ValueRange carried,
                                              StepsBody body);
  /// The words of `count` steps, from word `first` on; the last one may hold
  /// more than these.
  llvm::SmallVector<mlir::Value> overWords(mlir::OpFoldResult first,
                                           int64_t count,
                                           mlir::ValueRange carried,
                                           StepsBody body);
  mlir::OpFoldResult firstWordOf(mlir::OpFoldResult block) {
    return index.mul(block, int64_t(op.getBlock()) / op.getPerWord());
  }
  /// Vector `v` of row `row` of a buffer as wide as a strip.
  mlir::Value placeInStrip(mlir::OpFoldResult row, int64_t v) {
    return index.value(index.add(index.mul(row, wideVectors * lanes),
                                 index.constant(v * lanes)));
  }
  llvm::SmallVector<mlir::Value> emitBlock(const Place &place,
                                           mlir::OpFoldResult block,
                                           int64_t count,
                                           mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value>
  multiply(const Place &place, mlir::OpFoldResult word, int64_t count,
           llvm::ArrayRef<mlir::Value> zeros,
           llvm::ArrayRef<mlir::Value> scales, mlir::ValueRange sums,
           int64_t copies);
  llvm::SmallVector<mlir::Value> multiplyWide(const Place &place,
                                              mlir::OpFoldResult step,
                                              int64_t count,
                                              mlir::ValueRange sums);
  void addProducts(const Place &place, mlir::OpFoldResult step,
                   llvm::ArrayRef<mlir::Value> columns,
                   llvm::MutableArrayRef<mlir::Value> sums);
  mlir::Value scaleRow(mlir::OpFoldResult row, float factor);
  llvm::SmallVector<mlir::Value> columnsOf(llvm::ArrayRef<mlir::Value> loaded,
                                           int64_t i,
                                           llvm::ArrayRef<mlir::Value> zeros,
                                           llvm::ArrayRef<mlir::Value> scales);
  mlir::Value widen(mlir::Value word, int64_t i);
  mlir::Value widenHigh(mlir::Value word, int64_t i);
  const Instruction *findTable();
  int64_t shiftOf(llvm::ArrayRef<mlir::Value> scales);

  kernel::BlockMatmulOp op;
  kernel::BlockMatmulScheduleAttr schedule;
  int64_t wideVectors;
  /// The steps whose weights are floats now, and whether they are the last.
  struct Piece {
    mlir::OpFoldResult first;
    int64_t count = 0;
    bool isLast = true;
  } piece;
  /// Sums of the rows of a strip, between pieces.
  mlir::Value partialSums;
  /// The only row of a tile, divided by what its columns are multiplied by;
  /// null: it is read where it is.
  mlir::Value scaledRow;
};

} // namespace onnxc::blockmatmul

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULEMITTER_H
