//===- ConvOperands.h - Where the operands of kernel.conv lie - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVOPERANDS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVOPERANDS_H

#include "Kernels/KernelLoops.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc::conv {

enum AxisName : unsigned { kDepth, kRow, kColumn, kAxes };

/// One spatial dimension.
struct Axis {
  mlir::OpFoldResult in, out;
  /// `before` and `after` are below zero where no tap meets the border.
  int64_t taps = 1, stride = 1, dilation = 1, before = 0, after = 0;
  /// How far a step moves in the image, the filter and the result.
  mlir::OpFoldResult ofImage, ofFilter, ofResult;
  /// Zeros between the pixels of the image: as long as it is more than 1, the
  /// rest says what holds for the image with zeros.
  int64_t spread = 1;
  /// Where the phase starts in the filter and the result.
  mlir::OpFoldResult firstTap, firstResult;
  /// So many less than `before` lie outside, if the run chooses the phase.
  mlir::OpFoldResult shift;

  bool isClipped = false; // some tap of some pixel lies outside
};

/// An operand of the epilogue: how far a step in each dimension of the result
/// moves in it. Dimensions: batch, block, axes, lane.
struct Extra {
  mlir::Value scalar;
  FlatBuffer buffer;
  mlir::OpFoldResult offset, batch, block, axes[kAxes], lane;
  /// Where the phase starts.
  mlir::OpFoldResult first[kAxes];
};

/// A pixel of the result.
struct Pixel {
  mlir::OpFoldResult batch, at[kAxes];
};

/// The operands of one convolution on buffers. One to three spatial dimensions
/// are all seen as three.
class ConvOperands {
protected:
  ConvOperands(mlir::OpBuilder &b, kernel::ConvOp op)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op), lanes(op.getBlock()),
        isDepthwise(op.isDepthwise()) {}

  /// Fills in what is below. A tile has `tileBlocks` blocks of channels (0:
  /// those of a packed panel).
  void prepareOperands(int64_t tileBlocks);

  mlir::Value loadVector(const FlatBuffer &from, mlir::OpFoldResult at);
  mlir::Value broadcast(mlir::Value scalar);
  /// Fetches a cache line: into the first level (3) or the second one (2).
  void prefetch(const FlatBuffer &from, mlir::OpFoldResult at,
                unsigned locality);
  /// Where the weights of the tile's panel `panel` start in the filter.
  mlir::OpFoldResult startOfPanel(mlir::OpFoldResult panel);
  /// What the epilogue reads for a block of channels of a pixel, which lies
  /// `row` rows and `column` columns behind `from`: a vector, or a scalar for
  /// all lanes.
  mlir::Value readExtra(const Extra &extra, const Pixel &from,
                        mlir::OpFoldResult block, mlir::OpFoldResult row,
                        mlir::OpFoldResult column);
  /// Whether all pixels of a block of channels read the same.
  static bool isSharedByPixels(const Extra &extra);

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath index;
  kernel::ConvOp op;
  int64_t lanes;
  bool isDepthwise;

  Axis axes[kAxes];
  bool isSpread = false;
  mlir::OpFoldResult batches;
  /// A panel is of so many vectors: one panel of the packed filter, which is of
  /// `packedVectors`, or several, or a part of one.
  int64_t panelVectors = 1, packedVectors = 1, panels = 1, blocks = 1;
  /// Blocks of the image that one block of the filter's channels has.
  int64_t channelBlocks = 1;
  FlatBuffer image, filter, result;
  /// Steps in the image: a block of channels and a channel in it.
  mlir::OpFoldResult imageBlock, imageChannel;
  mlir::OpFoldResult filterPanel, filterBlock, filterChannel;
  llvm::SmallVector<Extra> extras;
  mlir::VectorType vectorType;

private:
  void prepareExtras();
};

} // namespace onnxc::conv

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVOPERANDS_H
