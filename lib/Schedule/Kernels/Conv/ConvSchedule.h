//===- ConvSchedule.h - The decision on one convolution ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVSCHEDULE_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// So many sums hide how long a multiply-add takes.
constexpr int64_t kEnoughSums = 8;

/// Pixels that lie one behind the other are as good as rows if they are more
/// than so many tiles.
constexpr int64_t kTilesAsRows = 8;

/// The table: form of the convolution and target to tile. Works on tensors and
/// on buffers.
kernel::ConvScheduleAttr selectSchedule(kernel::ConvOp op, TargetAttr target);

/// How many blocks of channels a register tile has; not of depthwise ones.
int64_t selectTileBlocks(kernel::ConvOp op, TargetAttr target);

/// What names `op` in a file of tuned decisions; see KernelCodegenInterface.
std::string getTuningKey(kernel::ConvOp op, TargetAttr target);

/// Visits decisions by which `op` computes the same bits.
void visitChoices(kernel::ConvOp op, TargetAttr target,
                  llvm::function_ref<void(kernel::ScheduleInterface)> visit);

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target.
void emitVectors(mlir::OpBuilder &b, kernel::ConvOp op,
                 kernel::ConvScheduleAttr schedule, TargetAttr target);

/// The same for any form, element by element.
void emitPlainLoops(mlir::OpBuilder &b, kernel::ConvOp op);

/// What decides about the panels of a filter.
struct FilterShape {
  int64_t filters;  // in one group
  bool isPointwise; // one tap, no stride, no padding
  int64_t pixels;   // of the result, or kDynamic
  bool isGrouped;   // a panel belongs to one of several groups
};

/// How many vectors of output channels one panel has, if the registers hold so
/// many of them.
int64_t selectPanelVectors(const FilterShape &shape, int64_t lanes,
                           int64_t registers);

/// Whether the image's pixels are read once each, in order: one tap, no stride
/// and no padding.
bool isPointwise(kernel::ConvOp op);

/// The channels of a block of an image: the lanes of vectors of f32.
inline int64_t floatLanes(TargetAttr target) {
  return target.getVectorBytes() / 4;
}

/// The channels of a block of weights that several processors share, which is
/// several blocks of an image for those with shorter vectors.
inline int64_t packedLanes(TargetAttr target) {
  return floatLanes(target.getLayoutTarget());
}

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVSCHEDULE_H
