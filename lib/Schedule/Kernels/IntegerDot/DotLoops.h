//===- DotLoops.h - The loops of kernel.integer_dot ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTLOOPS_H

#include "IntegerDotSchedule.h"
#include "Kernels/KernelLoops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

namespace onnxc::dots {

/// A loop of the sum: windows, then channels.
struct Tap {
  int64_t extent;
  mlir::OpFoldResult image;
  int64_t filter;
};

/// Where a tile stands.
struct Place {
  llvm::SmallVector<mlir::OpFoldResult>
      base; // of the image, the extras, the result
  mlir::OpFoldResult filter, column;
  mlir::OpFoldResult wide;     // in the description of the filter's pairs
  mlir::OpFoldResult order;    // of the panel, in the filter's order
  mlir::OpFoldResult ahead;    // what to fetch, in the filter
  mlir::OpFoldResult prepared; // in the weights as 16-bit numbers
};

/// How four bytes are multiplied: as two pairs of 16-bit numbers, of bytes or
/// of an image that has such, as bytes, or as the filter's description says.
enum class Pairs { Words, Widened, Bytes, Described };

/// Rows of a tile register, and how many of them pay.
constexpr int64_t kTileRows = 16, kLeastTileRows = 5;

/// Which tile registers hold what: sums come first, those of a row of registers
/// side by side.
struct TileRegisters {
  static constexpr int64_t kCount = 8;
  int64_t rowTiles, vectors; // of the sums
  int64_t dots, rest;        // that one register has, and those that are left
  int64_t image, numImage, filter, numFilter; // the first one, and how many
  int64_t restImage, restFilter; // for the dot products that are left

  /// For so many dot products of four channels, and vectors of columns.
  static TileRegisters choose(int64_t dots, int64_t vectors);
};

/// Rows of a tile and taps of a window's row, by the place of what they read.
using Readers = std::map<std::pair<int64_t, int64_t>,
                         llvm::SmallVector<std::pair<int64_t, int64_t>>>;

class DotLoops {
public:
  DotLoops(mlir::OpBuilder &b, kernel::IntegerDotOp op,
           kernel::IntegerDotScheduleAttr schedule, TargetAttr target)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op), schedule(schedule),
        target(target), lanes(target.getVectorBytes() / 4),
        group(op.getGroup()), pairs(selectPairs()) {}

  void emit();

protected:
  /// Fills in what is below.
  void prepareOperands();
  Pairs selectPairs();
  void addOperand(mlir::Value value, mlir::AffineMap map);
  bool isMergeable(unsigned loop);
  void mergeRows();
  int64_t chooseRows(int64_t vectors);
  void emitPanels(int64_t first, int64_t count, int64_t vectors, int64_t live);
  void emitPrepared(int64_t first, int64_t count, int64_t vectors,
                    int64_t live);
  void emitAllColumns();
  void emitColumns(bool isPrepared);
  Place placeOfPanel(mlir::OpFoldResult inGroup, mlir::OpFoldResult tile,
                     int64_t first, int64_t vectors);
  std::pair<unsigned, int64_t> chooseParts(int64_t tiles);
  int64_t getPreparedStep(int64_t vectors);
  mlir::Value widenWeights(mlir::Value bytes, int64_t half);
  void widenPanel(Place place, int64_t vectors);
  llvm::SmallVector<mlir::Value>
  visitDots(unsigned level, const Place &place, mlir::ValueRange carried,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(const Place &,
                                                              mlir::ValueRange)>
                visit);
  void storePlace(const Place &place, mlir::OpFoldResult number);
  void separatePanel(const Place &panel, int64_t vectors);
  void readOrder(const Place &panel);
  bool usesOrder(int64_t vectors) {
    return op.getOrder() && vectors <= panelVectors;
  }
  llvm::SmallVector<mlir::Value> sumInOrder(const Place &place, int64_t rows,
                                            int64_t vectors,
                                            mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> multiplyWidened(const Place &place,
                                                 int64_t rows, int64_t vectors,
                                                 mlir::ValueRange sums);
  void coverRows(const Place &place, int64_t vectors, int64_t live);
  mlir::OpFoldResult coverOnTiles(const Place &place, mlir::OpFoldResult from,
                                  int64_t vectors, int64_t live);
  void emitTile(const Place &place, int64_t rows, int64_t vectors,
                int64_t live);
  mlir::Value join(llvm::ArrayRef<mlir::Value> parts);
  void storeTile(const Place &place, int64_t rows, int64_t vectors,
                 int64_t live, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> sum(unsigned level, const Place &place,
                                     int64_t rows, int64_t vectors,
                                     int64_t live, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> multiply(const Place &place, int64_t rows,
                                          int64_t vectors,
                                          mlir::ValueRange sums);
  Readers findReaders(int64_t rows);
  int64_t countStacked(int64_t rows);
  mlir::Value loadStack(const FlatBuffer &from, mlir::OpFoldResult at,
                        mlir::OpFoldResult next, int64_t stacked, int64_t live,
                        bool isUnsigned);
  llvm::SmallVector<mlir::Value> sumStacked(const Place &place, int64_t rows,
                                            int64_t live,
                                            mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value>
  multiplyDepthwise(const Place &place, int64_t rows, int64_t stacked,
                    int64_t live, mlir::ValueRange sums);
  int64_t placeOfVector(int64_t vector);
  mlir::Value loadWeights(const Place &place, int64_t vector);
  mlir::Value loadPixels(const Place &place, int64_t row);
  mlir::Value spread(mlir::Value bytes);
  mlir::Value repeat(mlir::Value bits);
  mlir::OpFoldResult placeOfRow(const Place &place, int64_t row);
  Place step(const Place &place, const Tap &tap, mlir::OpFoldResult at);
  llvm::SmallVector<mlir::Value> multiplyElements(const Place &place,
                                                  int64_t rows, int64_t vectors,
                                                  mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> loadBlocks(const Place &place, int64_t rows);
  llvm::SmallVector<mlir::Value> multiplyBlocks(const Place &place,
                                                int64_t rows, int64_t vectors,
                                                mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> exchangeHalves(int64_t rows, int64_t vectors,
                                                mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> sumChannels(const Place &place, int64_t rows,
                                             int64_t vectors,
                                             mlir::ValueRange sums);
  bool usesBlocks(int64_t rows) {
    return schedule.getBlocks() && rows % 2 == 0;
  }
  llvm::SmallVector<mlir::Value> multiplyWords(const Place &place, int64_t rows,
                                               int64_t vectors,
                                               mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> multiplyDots(const Place &place, int64_t rows,
                                              int64_t vectors,
                                              mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value>
  multiplyExchanged(const Place &place, llvm::ArrayRef<int64_t> channels,
                    int64_t rows, int64_t vectors, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> multiplyTogether(llvm::ArrayRef<Place> places,
                                                  int64_t rows, int64_t vectors,
                                                  mlir::ValueRange sums);
  mlir::Value isWide(const Place &place, int64_t vectors);
  void fetch(const Place &place, int64_t rows);
  std::pair<mlir::Value, mlir::Value> splitWeights(mlir::Value bytes);
  std::pair<mlir::Value, mlir::Value> splitPixels(mlir::Value bytes);
  mlir::Value multiplyPairs(mlir::Value first, mlir::Value second);
  mlir::Value multiplyBytes(mlir::Value image, mlir::Value filter);
  mlir::Value addPairs(mlir::Value sum, mlir::Value pairs);
  mlir::Value dot(mlir::Value sum, mlir::Value image, mlir::Value filter);
  const Instruction *findDotBytes();
  mlir::Value dotBytes(mlir::Value sum, mlir::Value image, mlir::Value filter);

  llvm::SmallVector<Tap> joinTaps();
  TileRegisters chooseRegisters(int64_t vectors);
  void allocateTiles(int64_t vectors);
  mlir::OpFoldResult getRowsOfTile(mlir::OpFoldResult rows);
  void configureTiles(int64_t vectors, mlir::OpFoldResult rows);
  bool keepsTiles();
  void prepareTiles(int64_t vectors);
  void releaseTiles();
  void multiplyTile(const Place &place, const TileRegisters &registers,
                    bool isRest, mlir::OpFoldResult secondRow);
  void sumTiles(llvm::ArrayRef<Tap> loops, const Place &place,
                const TileRegisters &registers, mlir::OpFoldResult secondRow);
  void emitOnTiles(const Place &place, mlir::OpFoldResult rows, int64_t vectors,
                   int64_t live);
  bool usesTiles(int64_t rows) {
    return schedule.getTiles() && rows >= kLeastTileRows;
  }

  bool startsFromColumns();
  llvm::SmallVector<mlir::Value> startTile(const Place &place, int64_t rows,
                                           int64_t vectors, int64_t live);
  Place advance(const Place &place, unsigned loop, mlir::OpFoldResult position);
  mlir::VectorType vectorOf(mlir::Type element, int64_t count) {
    return mlir::VectorType::get(count, element);
  }
  mlir::Value load(const FlatBuffer &from, mlir::OpFoldResult at, int64_t count,
                   int64_t live) {
    return loadLanes(index, from, at, count, live);
  }
  /// What the epilogue reads for `live` columns: a scalar if they share it.
  mlir::Value readExtra(const LoopOperand &extra, mlir::OpFoldResult at,
                        int64_t live) {
    return readLanes(index, extra, at, extra.step.back(), lanes, live);
  }
  mlir::Value maskOf(int64_t live) { return makeMask(index, lanes, live); }

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath index;
  kernel::IntegerDotOp op;
  kernel::IntegerDotScheduleAttr schedule;
  TargetAttr target;
  int64_t lanes, group;
  Pairs pairs;
  FlatBuffer filter, wide, order;
  llvm::SmallVector<LoopOperand> operands; // image, extras, result
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::OpFoldResult> extents; // of all loops but columns
  llvm::SmallVector<Tap> taps;
  int64_t panelBytes = 0;
  int64_t panelVectors = 1; // of one panel
  /// What is made of the weights of a tile's columns, while its rows are
  /// emitted: for so many vectors.
  FlatBuffer prepared;
  int64_t preparedVectors = 0;
  /// Where the parts of the panel's order end but the last, which is wide.
  llvm::SmallVector<mlir::Value> ends;
  /// Bytes of a thread: the configuration of tile registers, then sums.
  FlatBuffer tileMemory;
  bool areTilesConfigured = false; // for all rows of the loop
};

} // namespace onnxc::dots

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTLOOPS_H
