//===- WinogradLoops.h - The loops of minimal filtering ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all convolutions by minimal filtering have in common: squares, runs of
// them, the order of loops and scratch memory. A kernel derives from this and
// says where pixels, weights and results lie, and what a product is.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_WINOGRADLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_WINOGRADLOOPS_H

#include "Kernels/KernelLoops.h"
#include "MinimalFiltering.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc::winograd {

/// Transformed pixels, weights and sums are elements of 32 bits.
constexpr int64_t kElementBytes = 4;

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

/// Weights or sums of panel `number` of a group of filters, of `vectors`
/// blocks.
struct Panel {
  mlir::OpFoldResult group, number;
  int64_t vectors;
};

/// A square of the result: its first pixel and how many there are.
struct Corner {
  mlir::OpFoldResult batch, slice, row, column;
  mlir::OpFoldResult rows, columns;
};

class WinogradLoops {
protected:
  /// Vector instructions of one transform, for the estimates of parallel loops.
  static constexpr int64_t kCyclesOfTransform = 100;

  WinogradLoops(IndexMath &math, kernel::WinogradScheduleAttr schedule,
                WindowFiltering filtering)
      : filtering(filtering), places(filtering.places()), math(math),
        plan(schedule) {}
  virtual ~WinogradLoops() = default;

  /// What a kernel says first.
  struct Sizes {
    /// Of the result; a slice is one of an image of three dimensions.
    mlir::OpFoldResult batches, slices, rows, columns;
    /// Groups of filters, which meet channels of their own, and blocks of one,
    /// each of which is a vector of `vectorType`.
    int64_t groups, blocks;
    mlir::VectorType vectorType;
    /// Parts of a group's channels, each of which is multiplied by itself;
    /// elements that a square has of one.
    int64_t shares, elementsOfSquare;
    /// Squares that are transformed together.
    int64_t perPiece;
  };
  /// Emits all loops; `emitDirect` those of the sums as they are defined, where
  /// the run chooses.
  void emitLoops(const Sizes &sizes, llvm::function_ref<void()> emitDirect);

  /// Transforms the pixels that squares of a row read, of one share of a
  /// group's channels, to [shares, places, squares of the run, elements of the
  /// share].
  virtual void transformSquares(const Run &run, const RowPart &part,
                                mlir::OpFoldResult group,
                                mlir::OpFoldResult share) = 0;
  /// Transforms the weights of a panel for one share of its group, to
  /// [places, elements of the share, filters of the panel] from `at` on.
  virtual void transformWeights(const Panel &panel, mlir::OpFoldResult share,
                                mlir::OpFoldResult at) = 0;
  /// `sum` + the product of an element of pixels, in all lanes, and weights.
  virtual mlir::Value multiplyAdd(mlir::Value pixels, mlir::Value weights,
                                  mlir::Value sum) = 0;
  virtual mlir::Value addSums(mlir::Value x, mlir::Value y) = 0;
  /// From the sums of the square at place `square` of a run to its results.
  virtual void finishSquare(const Panel &panel, mlir::OpFoldResult square,
                            const Corner &corner) = 0;
  /// Fetches a part of what the next share needs, while products of a place are
  /// made.
  virtual void prefetchNextShare(const Panel & /*panel*/,
                                 mlir::OpFoldResult /*share*/,
                                 mlir::OpFoldResult /*place*/) {}

  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::OpFoldResult x,
                      mlir::OpFoldResult y);
  mlir::Value makeScratch(int64_t elements);
  mlir::Value loadBlock(mlir::Value memory, mlir::OpFoldResult at);
  void storeBlock(mlir::Value vector, mlir::Value memory,
                  mlir::OpFoldResult at);
  void overRange(mlir::OpFoldResult to,
                 llvm::function_ref<void(mlir::OpFoldResult)> body);
  void overRange(mlir::OpFoldResult from, mlir::OpFoldResult to,
                 llvm::function_ref<void(mlir::OpFoldResult)> body);
  /// Whether all squares along an axis have all pixels, as far as is known.
  static bool areWhole(mlir::OpFoldResult extent, int64_t outputs);

  int64_t blockLanes() const { return sizes.vectorType.getNumElements(); }
  /// Elements of one of the places of a square, of pixels of one share, weights
  /// and sums.
  int64_t pixelsOfPlace() const {
    return spread(mostSquares * sizes.elementsOfSquare);
  }
  int64_t weightsOf(const Panel &panel) const {
    return spread(plan.getDepth() * panel.vectors * blockLanes());
  }
  int64_t sumsOf(const Panel &panel) const {
    return spread(mostSquares * panel.vectors * blockLanes());
  }

  WindowFiltering filtering;
  int64_t places; // products of a square
  /// The transformed operands, and sums.
  mlir::Value pixels, weights, sums;

private:
  void cutRuns();
  void emitWeightsFirst();
  void emitPanelByPanel();
  void emitGroupByGroup();
  mlir::OpFoldResult countParts();
  mlir::Value emitPays();
  void overPanels(llvm::function_ref<void(mlir::OpFoldResult first,
                                          int64_t count, int64_t vectors)>
                      body);
  void multiplyShares(
      const Run &run, const Panel &panel,
      llvm::function_ref<mlir::OpFoldResult(mlir::OpFoldResult share)> prepare);
  Run runOf(mlir::OpFoldResult number);
  mlir::OpFoldResult allRuns();
  void overRows(mlir::OpFoldResult from, mlir::OpFoldResult to,
                llvm::function_ref<void(const RowPart &)> body);
  mlir::OpFoldResult countMultiplied(const Run &run);
  mlir::OpFoldResult countPieces(const Run &run);
  void transformPiece(const Run &run, mlir::OpFoldResult piece,
                      mlir::OpFoldResult group, mlir::OpFoldResult share);
  void transformGroup(const Run &run, mlir::OpFoldResult group);
  int64_t weightsOfGroup();
  mlir::OpFoldResult placeOfTransformed(const Panel &panel,
                                        mlir::OpFoldResult share);
  void multiplyGroup(const Run &run, mlir::OpFoldResult group);
  void clearSquares(mlir::OpFoldResult from, mlir::OpFoldResult to,
                    mlir::OpFoldResult share);
  void multiplyShare(const Panel &panel, const Run &run,
                     mlir::OpFoldResult share, mlir::OpFoldResult atWeights);
  void prefetchSquares(mlir::OpFoldResult at, int64_t count);
  void multiplySquares(const Panel &panel, mlir::OpFoldResult atPixels,
                       mlir::OpFoldResult atWeights, mlir::OpFoldResult atSums,
                       mlir::OpFoldResult share, int64_t count);
  void finish(const Run &run, const Panel &panel);

  /// An odd number of cache lines, for so many elements: a transform writes or
  /// reads all places at once, which must not meet in one set of the cache.
  static int64_t spread(int64_t elements) {
    constexpr int64_t line = kCacheLine / kElementBytes;
    int64_t lines = llvm::divideCeil(elements, line);
    return (lines | 1) * line;
  }

  IndexMath &math;
  kernel::WinogradScheduleAttr plan;
  Sizes sizes;
  mlir::OpFoldResult squareRows, perRow, ofImage; // squares
  /// Squares that are cut into `runs` runs of `perRun`: those of all images, or
  /// of one if `isByImage`.
  mlir::OpFoldResult total;
  bool isByImage = false;
  mlir::OpFoldResult runs, perRun;
  int64_t mostSquares = 0; // of a run
  int64_t tileBlocks = 1;
};

} // namespace onnxc::winograd

#endif // ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_WINOGRADLOOPS_H
