//===- WinogradLoops.h - What Winograd's emitter knows -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_WINOGRADLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_WINOGRADLOOPS_H

#include "ConvOperands.h"
#include "MinimalFiltering.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc::conv {

/// Vector instructions of one transform, for the estimates of parallel loops.
constexpr int64_t kCyclesOfTransform = 100;
/// The strip that squares are transformed from stays in the first level of the
/// cache.
constexpr int64_t kStripBytes = 16 << 10;

/// Squares whose products are made together, from number `first` on.
struct Run {
  mlir::OpFoldResult first, count;
};

/// Those of a row of one image's slice from column `low` to `high`.
struct RowPart {
  mlir::OpFoldResult batch, slice, row, low, high;
  /// The number of the row's first square.
  mlir::OpFoldResult start;
};

/// Channels that are multiplied at a time, from number `first` and block
/// `block` on, of the pixels that the taps from `tap` on meet: one along the
/// depth, and those of a part of the window.
struct Share {
  mlir::OpFoldResult first, block, tap[kAxes];
};

/// Weights or sums of a panel of `vectors` blocks of filters.
struct Panel {
  mlir::OpFoldResult number;
  int64_t vectors;
};

/// A square of the result: its first pixel and how many there are.
struct Corner : Pixel {
  mlir::OpFoldResult rows, columns;
};

class WinogradLoops : ConvOperands {
public:
  WinogradLoops(mlir::OpBuilder &b, kernel::ConvOp op,
                kernel::WinogradScheduleAttr schedule)
      : ConvOperands(b, op), schedule(schedule),
        filtering(WindowFiltering::get(op.getFilteredTaps())),
        places(filtering.places()) {}

  void emit(TargetAttr target);

private:
  void prepare();
  void cutRuns();
  void emitWeightsFirst();
  void emitPanelByPanel();
  mlir::Value emitPays();
  void overPanels(llvm::function_ref<void(mlir::OpFoldResult first,
                                          int64_t count, int64_t vectors)>
                      body);

  void multiplyShares(
      const Run &run, const Panel &panel,
      llvm::function_ref<mlir::OpFoldResult(mlir::OpFoldResult share)> prepare);

  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::OpFoldResult x,
                      mlir::OpFoldResult y);
  mlir::Value makeScratch(int64_t elements);
  mlir::Value load(mlir::Value memory, mlir::OpFoldResult at);
  void store(mlir::Value vector, mlir::Value memory, mlir::OpFoldResult at);
  void overRange(mlir::OpFoldResult to,
                 llvm::function_ref<void(mlir::OpFoldResult)> body);
  void overRange(mlir::OpFoldResult from, mlir::OpFoldResult to,
                 llvm::function_ref<void(mlir::OpFoldResult)> body);

  Share shareOf(mlir::OpFoldResult number);
  Run runOf(mlir::OpFoldResult number);
  mlir::OpFoldResult allRuns();
  void overRows(mlir::OpFoldResult from, mlir::OpFoldResult to,
                llvm::function_ref<void(const RowPart &)> body);
  mlir::OpFoldResult countMultiplied(const Run &run);
  mlir::OpFoldResult countPieces(const Run &run);
  void transformPiece(const Run &run, mlir::OpFoldResult piece,
                      mlir::OpFoldResult share);
  void transformSquares(const Run &run, const RowPart &part,
                        mlir::OpFoldResult share);
  void copyStrip(const RowPart &part, const Share &share,
                 mlir::OpFoldResult block, mlir::Value strip);
  void clearSquares(mlir::OpFoldResult from, mlir::OpFoldResult to,
                    mlir::OpFoldResult share);
  void transformWeights(const Panel &panel, mlir::OpFoldResult share,
                        mlir::OpFoldResult at);
  void multiply(const Panel &panel, const Run &run, mlir::OpFoldResult share,
                mlir::OpFoldResult atWeights);
  void prefetchSquares(mlir::OpFoldResult at, int64_t count);
  void multiplySquares(const Panel &panel, mlir::OpFoldResult atPixels,
                       mlir::OpFoldResult atWeights, mlir::OpFoldResult atSums,
                       mlir::OpFoldResult share, int64_t count);
  mlir::Value sumAsDefined(const Panel &panel, const Pixel &pixel,
                           mlir::OpFoldResult j);
  llvm::SmallVector<mlir::Value>
  keepFinite(const Panel &panel, const Corner &corner, mlir::OpFoldResult j,
             mlir::OpFoldResult row, mlir::ValueRange pixels);
  void finish(const Run &run, const Panel &panel);
  void finishSquare(const Panel &panel, mlir::OpFoldResult square,
                    const Corner &corner);
  void finishRow(const Panel &panel, const Corner &corner, mlir::OpFoldResult j,
                 mlir::OpFoldResult row, mlir::ValueRange halves,
                 llvm::ArrayRef<mlir::Value> shared);
  void finishPixel(const Panel &panel, const Pixel &pixel, mlir::OpFoldResult j,
                   mlir::Value sum, llvm::ArrayRef<mlir::Value> shared);

  mlir::OpFoldResult placeOfTap(mlir::OpFoldResult start, const Share &share,
                                int64_t row, int64_t column,
                                mlir::Value &isTap);
  mlir::Value loadTap(mlir::OpFoldResult start, const Share &share, int64_t row,
                      int64_t column);
  void prefetchTaps(mlir::OpFoldResult start, const Share &share);
  void prefetchNextShare(const Panel &panel, mlir::OpFoldResult share,
                         mlir::OpFoldResult place);
  bool areWeightsFar();

  /// Elements of one of the places of a square, of pixels of one share, weights
  /// and sums.
  int64_t pixelsOfPlace() const {
    return spread(mostSquares * channelsPerSquare);
  }
  int64_t weightsOf(const Panel &panel) const {
    return spread(depth * panel.vectors * lanes);
  }
  int64_t sumsOf(const Panel &panel) const {
    return spread(mostSquares * panel.vectors * lanes);
  }
  /// An odd number of cache lines, for so many elements: a transform writes or
  /// reads all places at once, which must not meet in one set of the cache.
  static int64_t spread(int64_t elements) {
    constexpr int64_t line = kCacheLine / sizeof(float);
    int64_t lines = llvm::divideCeil(elements, line);
    return (lines | 1) * line;
  }

  kernel::WinogradScheduleAttr schedule;
  WindowFiltering filtering;
  int64_t places;                                 // products of a square
  mlir::OpFoldResult rows, columns;               // pixels of the result
  mlir::OpFoldResult slices;                      // of the result
  mlir::OpFoldResult squareRows, perRow, ofImage; // squares
  /// Squares that are cut into `runs` runs of `perRun`: those of all images, or
  /// of one if `isByImage`.
  mlir::OpFoldResult total;
  bool isByImage = false;
  mlir::OpFoldResult runs, perRun;
  int64_t mostSquares = 0;       // of a run
  int64_t perPiece = 1;          // squares
  int64_t depth = 0, shares = 1; // channels at a time; of all parts of a window
  int64_t sharesOfPart = 1;
  int64_t parts[kAxes] = {1, 1, 1}; // of a window along each axis
  int64_t channelsPerSquare = 0;    // of a share, in whole blocks
  int64_t stripColumns = 0;         // pixels
  /// The transformed operands, and sums.
  mlir::Value pixels, weights, sums;
};

} // namespace onnxc::conv

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_WINOGRADLOOPS_H
