//===- WinogradSchedule.h - Whether and how to transform ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_WINOGRADSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_WINOGRADSCHEDULE_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

namespace onnxc {

/// How many channels are multiplied at a time: equal shares of whole blocks of
/// `block` channels, or all of them.
int64_t selectWinogradDepth(int64_t channels, int64_t block);

/// How many taps of a window of `rows` x `columns` a filtering can take at a
/// time (rows and columns), those with the fewest products first. Empty if
/// there is no filtering of such windows.
llvm::SmallVector<std::pair<int64_t, int64_t>> listFilterings(int64_t rows,
                                                              int64_t columns);

/// Sums may have rounding errors so many times as large as those of the
/// definition: about what another order of the same sums changes.
constexpr double kMostWinogradError = 4;

/// More weights come from memory each time.
constexpr int64_t kNearWeightBytes = 1 << 20;

/// The schedule of Winograd's filtering, if `op` allows it, its rounding errors
/// are small enough, and it takes less time than the sums as they are defined;
/// null otherwise. Works on tensors and on buffers.
kernel::WinogradScheduleAttr selectWinograd(kernel::ConvOp op,
                                            TargetAttr target);

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. The schedule holds for it.
void emitWinograd(mlir::OpBuilder &b, kernel::ConvOp op,
                  kernel::WinogradScheduleAttr schedule, TargetAttr target);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_WINOGRADSCHEDULE_H
