//===- MatmulEmitter.h - The loops of kernel.matmul ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULEMITTER_H
#define ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULEMITTER_H

#include "Kernels/KernelLoops.h"
#include "MatmulSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace onnxc {

/// A panel of columns, and where its part of rhs lies.
struct MatmulPanel {
  mlir::OpFoldResult column;
  int64_t vectors = 1;
  mlir::Value mask; // of the last vector; null if it is full
  mlir::Value memory;
  mlir::Type element;
  mlir::OpFoldResult base, rowStep;
  /// Of packed columns: from one panel of those to the next.
  std::optional<mlir::OpFoldResult> panelStep;
  bool padded = false;     // dead lanes may be read
  mlir::OpFoldResult next; // the next panel, if it is to be fetched
};

/// Steps of the sum.
struct MatmulDepth {
  mlir::OpFoldResult from, count;
};

/// Where the sums of a tile come from and where they go.
struct MatmulSums {
  mlir::Value partial;    // a scratch buffer, or null
  mlir::OpFoldResult row; // the tile's first row in it
  bool load = false, store = false;
};

/// What a tile fetches of the next panel: `lines` lines each `apart` steps; 0:
/// nothing.
struct MatmulFetch {
  mlir::OpFoldResult tile; // its number
  int64_t apart = 0, lines = 1;
  /// The tile's own panel is read here alone: what of it comes soon is fetched.
  bool streams = false;
};

/// Columns whose steps lie side by side: a vector of each is multiplied by one
/// of a row.
struct MatmulDots {
  mlir::Value memory;
  mlir::Type element;
  llvm::SmallVector<mlir::OpFoldResult> starts;
  /// Where the first row leaves them for others, widened; null: nowhere. The
  /// distance of two columns there.
  mlir::Value widened;
  int64_t apart = 0;
};

/// Writes the loops of one product.
class MatmulEmitter {
public:
  MatmulEmitter(mlir::OpBuilder &b, kernel::MatmulOp op,
                kernel::MatmulScheduleAttr schedule, TargetAttr target)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op), s(schedule),
        m(op.getNumBatchLoops()), n(m + 1), k(m + 2),
        sum(op.getAccumulatorType()),
        lanes(target.getVectorBytes() * 8 / sum.getIntOrFloatBitWidth()) {}

  void emit();

private:
  void prepare();

  mlir::OpFoldResult baseOf(const LoopOperand &operand,
                            llvm::ArrayRef<mlir::OpFoldResult> batch);
  void enter(llvm::ArrayRef<mlir::OpFoldResult> batch);

  void emitProduct();
  void emitWithFewRows();
  MatmulPanel panelAt(mlir::OpFoldResult from, mlir::OpFoldResult number,
                      int64_t width, int64_t vectors, bool masked);
  int64_t countRowParts(mlir::OpFoldResult count);
  using EmitPanel = llvm::function_ref<void(MatmulPanel)>;
  void
  sharePanels(mlir::OpFoldResult count, int64_t vectors,
              llvm::function_ref<void(mlir::OpFoldResult, EmitPanel)> panelOf);
  void emitPanel(const MatmulPanel &panel, mlir::OpFoldResult from,
                 mlir::OpFoldResult count);
  void emitDepths(const MatmulPanel &panel, mlir::OpFoldResult from,
                  mlir::OpFoldResult count);
  void emitBlocks(const MatmulPanel &panel, mlir::OpFoldResult from,
                  mlir::OpFoldResult count);
  mlir::Value copyScratch(const MatmulPanel &panel, int64_t depth);
  MatmulPanel copyPanel(const MatmulPanel &panel, mlir::Value scratch,
                        MatmulDepth depth);
  void copyRows(const MatmulPanel &panel, mlir::Value scratch,
                MatmulDepth depth);
  void copyTransposed(const MatmulPanel &panel, mlir::Value scratch,
                      MatmulDepth depth);
  void copyElements(const MatmulPanel &panel, mlir::Value scratch,
                    MatmulDepth depth);
  void emitRows(const MatmulPanel &panel, mlir::OpFoldResult from,
                mlir::OpFoldResult count, MatmulDepth depth,
                const MatmulSums &sums);
  mlir::OpFoldResult offsetIn(const MatmulPanel &panel, int64_t column);
  void emitTile(const MatmulPanel &panel, mlir::OpFoldResult row, int64_t rows,
                MatmulDepth depth, const MatmulSums &sums,
                const MatmulFetch &fetch);
  mlir::OpFoldResult emitFetchingTiles(
      const MatmulPanel &panel, mlir::OpFoldResult tiles, MatmulDepth depth,
      llvm::function_ref<void(mlir::OpFoldResult, mlir::OpFoldResult, int64_t,
                              int64_t)>
          cover);
  void emitPrefetch(const MatmulPanel &panel, const MatmulFetch &fetch,
                    MatmulDepth depth, mlir::OpFoldResult step);
  void emitStreamPrefetch(const MatmulPanel &panel, mlir::OpFoldResult at);
  void prefetchExtras(const MatmulPanel &panel, mlir::OpFoldResult row,
                      int64_t rows);
  mlir::Value broadcast(mlir::Value vector, int64_t element);
  llvm::SmallVector<mlir::Value>
  sumStep(const MatmulPanel &panel, mlir::OpFoldResult at, int64_t rows,
          llvm::function_ref<mlir::Value(int64_t)> ofRow,
          mlir::ValueRange carried);
  int64_t stepsTogether(int64_t products, MatmulDepth depth, int64_t apart);
  llvm::SmallVector<mlir::Value>
  sumTile(const MatmulPanel &panel, mlir::OpFoldResult row, int64_t rows,
          MatmulDepth depth, const MatmulFetch &fetch, mlir::ValueRange sums);
  void finishTile(const MatmulPanel &panel, mlir::OpFoldResult row,
                  int64_t rows, llvm::ArrayRef<mlir::Value> values);
  void finish(const MatmulPanel &panel, mlir::OpFoldResult row, int64_t vector,
              mlir::Value value);
  void emitDots();
  mlir::Value emitDot(mlir::OpFoldResult row, const MatmulDots &columns,
                      bool isFirst);
  MatmulDots widenForOthers(MatmulDots &first);

  mlir::VectorType vectorOf(mlir::Type element) {
    return mlir::VectorType::get(lanes, element);
  }
  mlir::Value zeros(mlir::Type element) {
    return mlir::arith::ConstantOp::create(b, loc,
                                           b.getZeroAttr(vectorOf(element)));
  }
  mlir::Value maskOf(mlir::OpFoldResult live) {
    return mlir::vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type()),
                                              index.value(live));
  }
  mlir::Value load(mlir::Value memory, mlir::Type element,
                   mlir::OpFoldResult address, mlir::Value mask);
  mlir::Value extend(mlir::Value value, bool isUnsigned);
  mlir::Value extendRhs(mlir::Value value);
  /// Copies of halves are widened; others have the elements as they are.
  mlir::Type copiedElement() { return isHalf(rhs.element) ? sum : rhs.element; }
  mlir::Value toCopy(mlir::Value value) {
    return isHalf(rhs.element) ? extendRhs(value) : value;
  }
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value acc);
  mlir::OpFoldResult vectorAt(int64_t vector) {
    return index.constant(vector * lanes);
  }
  mlir::Value scratch(int64_t elements, mlir::Type element) {
    return mlir::memref::AllocOp::create(
        b, loc, mlir::MemRefType::get({elements}, element),
        b.getI64IntegerAttr(kCacheLine));
  }
  bool isMasked(const MatmulPanel &panel, int64_t vector) {
    return panel.mask && vector + 1 == panel.vectors;
  }
  int64_t width(const MatmulPanel &panel) { return panel.vectors * lanes; }
  bool isPacked() { return op.getPanelWidth() > 0; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath index;
  kernel::MatmulOp op;
  kernel::MatmulScheduleAttr s;
  unsigned m, n, k;
  mlir::Type sum;
  int64_t lanes;

  llvm::SmallVector<mlir::OpFoldResult> extent;
  LoopOperand lhs, rhs, result;
  llvm::SmallVector<LoopOperand> extras;
  mlir::OpFoldResult panelStep; // of packed rhs
  bool hasLongEpilogue = false;

  // For the batch that is being emitted.
  mlir::OpFoldResult lhsBase, rhsBase, resultBase;
  llvm::SmallVector<mlir::OpFoldResult> extraBases;
  mlir::Value tileScratch; // for a long epilogue
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULEMITTER_H
