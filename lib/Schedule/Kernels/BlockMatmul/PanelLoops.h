//===- PanelLoops.h - Loops over panels of columns and rows ----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What products with weights in blocks share: panels of columns in parallel,
// tiles of rows, and epilogues.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_PANELLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_PANELLOOPS_H

#include "Kernels/Epilogue.h"
#include "Kernels/KernelLoops.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

namespace onnxc {

/// Vectors of one register tile with several rows, of weights as they are.
constexpr int64_t kTileVectors = 2;

/// Where a tile stands.
struct PanelPlace {
  mlir::OpFoldResult row, column;
  mlir::OpFoldResult firstRow, endRow; // of the rows that the panel meets now
  mlir::OpFoldResult weights;          // of the first word
  mlir::OpFoldResult scales;           // of the first block
  int64_t rows = 1, vectors = 1;
  int64_t live = 0; // columns of the last vector
  mlir::Value wide; // weights as floats, scaled: rows of a tile's vectors
};

/// The loops of a kernel whose operands are matrices. Who derives from it says
/// what a panel and a tile are.
class PanelLoops {
protected:
  /// `weights` and `scales` are packed in panels of `width` columns.
  PanelLoops(mlir::OpBuilder &b, kernel::KernelOpInterface op, mlir::Value lhs,
             mlir::Value weights, mlir::Value scales, int64_t width,
             TargetAttr target);
  virtual ~PanelLoops() = default;

  /// Rows of a panel, from `place.firstRow` to `place.endRow`.
  virtual void coverPanel(PanelPlace place) = 0;
  /// The rows that meet all panels before the next ones do; 0: all.
  virtual int64_t countNearRows() { return 0; }
  /// `place.rows` rows of as many vectors as a tile has.
  virtual void emitTile(const PanelPlace &place) = 0;
  /// Steps of the sum, of a row.
  virtual int64_t countSteps() = 0;

  /// All panels in parallel.
  void emitAll();
  /// Tiles of at most `most` rows, of all rows of the panel.
  void coverRows(PanelPlace place, int64_t most);
  /// One row takes all vectors of a panel at once; several take
  /// kTileVectors each, or those of a strip that was widened.
  void emitTiles(const PanelPlace &place);
  void forEachStrip(PanelPlace place, int64_t vectors,
                    llvm::function_ref<void(PanelPlace)> body);
  /// Row `row` of the scales of a block: of scales, or of zero points.
  llvm::SmallVector<mlir::Value>
  loadScales(const PanelPlace &place, mlir::OpFoldResult block, int64_t row);
  /// The words that are number `word` of each column.
  llvm::SmallVector<mlir::Value> loadWords(const PanelPlace &place,
                                           mlir::OpFoldResult word);
  /// The epilogue, and the results to memory.
  void finish(const PanelPlace &place, llvm::ArrayRef<mlir::Value> sums);
  mlir::OpFoldResult addressOf(const LoopOperand &operand,
                               mlir::OpFoldResult row,
                               mlir::OpFoldResult column) {
    mlir::OpFoldResult ofRow = index.mul(row, operand.step[0]);
    return index.add(ofRow, index.mul(column, operand.step[1]));
  }
  mlir::Value fill(float value);

private:
  void emitPanels(int64_t first, int64_t count, int64_t vectors, int64_t live);
  /// Has a single row wait less for what it streams: words of 32 bits from
  /// `at` on, which are vector `vector`.
  void fetchAhead(const PanelPlace &place, const FlatBuffer &from,
                  mlir::OpFoldResult at, int64_t vector);
  mlir::Value readOperand(const LoopOperand &operand, mlir::OpFoldResult row,
                          mlir::OpFoldResult column, int64_t live);

protected:
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath index;
  kernel::KernelOpInterface kernel;
  TargetAttr target;
  int64_t lanes, width;
  mlir::VectorType floats, words;
  LoopOperand lhs, result;
  llvm::SmallVector<LoopOperand> extras;
  FlatBuffer weights, scales;
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_PANELLOOPS_H
