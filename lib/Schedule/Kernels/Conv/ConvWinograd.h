//===- ConvWinograd.h - kernel.conv by minimal filtering ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVWINOGRAD_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVWINOGRAD_H

#include "ConvOperands.h"
#include "Kernels/Winograd/WinogradLoops.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

namespace onnxc::conv {

/// The strip that squares are transformed from stays in the first level of the
/// cache.
constexpr int64_t kStripBytes = 16 << 10;

/// Channels of a group that are multiplied at a time, from its number `first`
/// and its block `block` on, of the pixels that the taps from `tap` on meet:
/// one along the depth, and those of a part of the window.
struct Share {
  mlir::OpFoldResult first, block, tap[kAxes];
};

class ConvWinograd : ConvOperands, winograd::WinogradLoops {
public:
  ConvWinograd(mlir::OpBuilder &b, kernel::ConvOp op,
               kernel::WinogradScheduleAttr schedule)
      : ConvOperands(b, op),
        WinogradLoops(index, schedule,
                      winograd::WindowFiltering::get(op.getFilteredTaps())),
        schedule(schedule) {}

  void emit(TargetAttr target);

private:
  Sizes prepare();
  Share shareOf(mlir::OpFoldResult number);
  mlir::OpFoldResult panelOf(const winograd::Panel &panel);
  void transformSquares(const winograd::Run &run, const winograd::RowPart &part,
                        mlir::OpFoldResult group,
                        mlir::OpFoldResult share) override;
  void copyStrip(const winograd::RowPart &part, const Share &share,
                 mlir::OpFoldResult block, mlir::Value strip);
  void transformWeights(const winograd::Panel &panel, mlir::OpFoldResult share,
                        mlir::OpFoldResult at) override;
  mlir::Value multiplyAdd(mlir::Value pixels, mlir::Value weights,
                          mlir::Value sum) override;
  mlir::Value addSums(mlir::Value x, mlir::Value y) override;
  mlir::Value sumAsDefined(const winograd::Panel &panel, const Pixel &pixel,
                           mlir::OpFoldResult j);
  llvm::SmallVector<mlir::Value> keepFinite(const winograd::Panel &panel,
                                            const winograd::Corner &corner,
                                            mlir::OpFoldResult j,
                                            mlir::OpFoldResult row,
                                            mlir::ValueRange pixels);
  void finishSquare(const winograd::Panel &panel, mlir::OpFoldResult square,
                    const winograd::Corner &corner) override;
  void finishRow(const winograd::Panel &panel, const winograd::Corner &corner,
                 mlir::OpFoldResult j, mlir::OpFoldResult row,
                 mlir::ValueRange halves, llvm::ArrayRef<mlir::Value> shared);
  void finishPixel(const winograd::Panel &panel, const Pixel &pixel,
                   mlir::OpFoldResult j, mlir::Value sum,
                   llvm::ArrayRef<mlir::Value> shared);

  mlir::OpFoldResult placeOfTap(mlir::OpFoldResult start, const Share &share,
                                int64_t row, int64_t column,
                                mlir::Value &isTap);
  mlir::Value loadTap(mlir::OpFoldResult start, const Share &share, int64_t row,
                      int64_t column);
  void prefetchTaps(mlir::OpFoldResult start, const Share &share);
  void prefetchNextShare(const winograd::Panel &panel, mlir::OpFoldResult share,
                         mlir::OpFoldResult place) override;
  bool areWeightsFar();

  kernel::WinogradScheduleAttr schedule;
  int64_t groups = 1, channels = 0; // those of a group
  int64_t depth = 0, shares = 1; // channels at a time; of all parts of a window
  int64_t sharesOfPart = 1;
  int64_t parts[kAxes] = {1, 1, 1}; // of a window along each axis
  int64_t channelsPerSquare = 0;    // of a share, in whole blocks
  int64_t stripColumns = 0;         // pixels
};

} // namespace onnxc::conv

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVWINOGRAD_H
