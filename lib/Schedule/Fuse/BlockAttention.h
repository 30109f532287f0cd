//===- BlockAttention.h - Attention without a matrix of scores --*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_FUSE_BLOCKATTENTION_H
#define ONNXC_LIB_SCHEDULE_FUSE_BLOCKATTENTION_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace onnxc {

/// What a dimension of the scores is to the loops.
struct ScoreDim {
  enum Kind { Batch, Row, Column } kind = Batch;
  /// Of a batch: the loop over rows' variable; null if it has one step.
  mlir::Value variable;
};

/// Where a block lies in a tensor, and what of its dimensions is left.
struct ScorePlace {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  llvm::SmallVector<int64_t> shape;
};

/// A block of the scores of one matrix: some rows, of all columns or some.
struct ScoreBlock {
  /// The batch's variables, by those of the loop over rows.
  mlir::IRMapping variables;
  mlir::OpFoldResult firstRow, rows;
  /// Null: all columns.
  mlir::OpFoldResult firstColumn, columns;
};

/// Blocks of rows, one behind the other: `count` of `size` rows each, from row
/// `from` on.
struct RowBlocks {
  int64_t from;
  mlir::OpFoldResult count, size;
};

/// What a number has to be beside another one.
struct Bound {
  mlir::OpFoldResult number;
  mlir::arith::CmpIPredicate how;
  int64_t other;
};

/// A product of scores, a loop over their rows, and a product of what that
/// makes of them by values: `last` is the latter.
class BlockedAttention {
public:
  explicit BlockedAttention(kernel::MatmulOp last) : last(last) {}

  /// Finds the three ops; says why if they are not there.
  const char *match();
  void replace(mlir::OpBuilder &b);

private:
  using InsertOp = mlir::tensor::ParallelInsertSliceOp;
  const char *matchScores(InsertOp insert);
  const char *matchUses(InsertOp insert);
  const char *matchDims(InsertOp insert);
  const char *matchDim(unsigned i, ScoreDim::Kind kind, InsertOp insert);
  bool isRowOf(mlir::tensor::ExtractSliceOp slice, InsertOp insert);
  bool isOpen() const {
    return mlir::ShapedType::isDynamic(numRows) ||
           mlir::ShapedType::isDynamic(numColumns);
  }
  int64_t elementBytes() const { return scoreType.isF32() ? 4 : 2 + 4; }
  int64_t nearScores() const;
  int64_t mostScores() const;
  int64_t mostRows(int64_t columns) const;
  int64_t chooseRows();
  void replaceKnown(mlir::OpBuilder &b);
  void replaceOpen(mlir::OpBuilder &b);
  void replaceBy(mlir::Value result);
  void moveBefore(mlir::Operation *place);
  RowBlocks chooseOpenRows(IndexMath index);
  mlir::Value emitScratch(mlir::OpBuilder &b, const ScoreBlock &block,
                          mlir::Type element);
  mlir::Value emitBlocks(mlir::OpBuilder &b, const RowBlocks &blocks,
                         mlir::Value init);
  llvm::SmallVector<mlir::OpFoldResult>
  batchBounds(llvm::SmallVectorImpl<mlir::Value> &variables);
  /// A loop over batches and `blocks` blocks; `block` gets the batch.
  mlir::scf::ForallOp makeLoop(mlir::OpBuilder &b, mlir::OpFoldResult blocks,
                               mlir::Value init, ScoreBlock &block);
  ScorePlace placeOf(mlir::OpBuilder &b, const ScoreBlock &block,
                     mlir::Value value, mlir::AffineMap map);
  mlir::Value sliceOf(mlir::OpBuilder &b, const ScoreBlock &block,
                      mlir::Value value, mlir::AffineMap map);
  mlir::AffineMap mapOf(mlir::AffineMap map,
                        llvm::ArrayRef<mlir::AffineExpr> left);
  mlir::AffineMap toDims(kernel::MatmulOp op, unsigned operand,
                         llvm::ArrayRef<mlir::AffineExpr> ofLoops);
  mlir::Value emitProduct(mlir::OpBuilder &b, const ScoreBlock &block,
                          kernel::MatmulOp op, mlir::Value lhs,
                          mlir::Value init,
                          llvm::ArrayRef<mlir::AffineExpr> ofLoops,
                          bool sumsOnly = false);
  mlir::Value emitSoftmax(mlir::OpBuilder &b, const ScoreBlock &block,
                          mlir::Value scores, mlir::Value weights);
  void dropTinyWeights(mlir::scf::ForallOp loop);

  // Blocks of columns.
  llvm::SmallVector<Bound> boundsOfSharing(IndexMath index);
  bool mayShareColumns(llvm::ArrayRef<Bound> bounds);
  using Inserted = std::pair<mlir::Value, ScorePlace>;
  mlir::Value
  emitColumnBlocks(mlir::OpBuilder &b, mlir::Value init,
                   llvm::function_ref<Inserted(const ScoreBlock &, mlir::Value,
                                               mlir::OpFoldResult)>
                       body);
  mlir::Value emitAllScores(mlir::OpBuilder &b);
  mlir::Value emitPartialSums(mlir::OpBuilder &b, mlir::Value weights);
  mlir::Value addPartialSums(mlir::OpBuilder &b, mlir::Value partial);
  void shareColumns(mlir::OpBuilder &b, llvm::ArrayRef<Bound> bounds);

  kernel::MatmulOp first, last;
  mlir::scf::ForallOp rows;
  llvm::SmallVector<ScoreDim> dims;
  mlir::Value rowVariable;
  /// The loops of the products as dimensions of the scores; the loop that is
  /// none of them gets the number behind.
  llvm::SmallVector<mlir::AffineExpr> ofFirst, ofLast;
  int64_t numRows = 0, numColumns = 0;
  /// The same, where they are not known too.
  mlir::OpFoldResult rowCount, columnCount;
  mlir::Type scoreType; // of the weights: f32
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_FUSE_BLOCKATTENTION_H
