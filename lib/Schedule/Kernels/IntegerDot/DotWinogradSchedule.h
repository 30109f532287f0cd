//===- DotWinogradSchedule.h - Filtered windows of bytes ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTWINOGRADSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTWINOGRADSCHEDULE_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

namespace onnxc {

namespace dots {
/// Channels of an element of the transformed operands.
constexpr int64_t kPair = 2;
} // namespace dots

/// The schedule of Winograd's filtering, if `op` allows it, the target
/// multiplies pairs of 16-bit numbers, and it takes less time than the sums as
/// they are defined; null otherwise. Works on tensors and on buffers.
kernel::WinogradScheduleAttr selectWinograd(kernel::IntegerDotOp op,
                                            TargetAttr target);

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. The schedule holds for it.
void emitWinograd(mlir::OpBuilder &b, kernel::IntegerDotOp op,
                  kernel::WinogradScheduleAttr schedule, TargetAttr target);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_DOTWINOGRADSCHEDULE_H
