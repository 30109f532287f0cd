//===- BlockMatmulSchedule.h - The decision on one product ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULSCHEDULE_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// Vectors of one register tile whose weights were widened before. Where there
/// are 32 registers, wide tiles of few rows load less for each multiply-add.
inline int64_t getWideVectors(TargetAttr target) {
  return target.getRegisters() >= 32 ? 4 : 2;
}

/// To split fewer rows into bf16, or to widen the columns for them, takes as
/// long as the product in vectors.
constexpr int64_t kLeastRowsOfTiles = 32;

/// Whether the weights are multiplied in tile registers, where there are more
/// than a few rows.
bool takesTiles(kernel::BlockMatmulOp op, TargetAttr target);

/// From the op and the target alone.
kernel::BlockMatmulScheduleAttr selectSchedule(kernel::BlockMatmulOp op,
                                               TargetAttr target);

/// What names `op` in a file of tuned decisions; see KernelCodegenInterface.
std::string getTuningKey(kernel::BlockMatmulOp op, TargetAttr target);

/// Visits decisions by which `op` computes the same bits.
void visitChoices(kernel::BlockMatmulOp op, TargetAttr target,
                  llvm::function_ref<void(kernel::ScheduleInterface)> visit);

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target.
void emitVectors(mlir::OpBuilder &b, kernel::BlockMatmulOp op,
                 kernel::BlockMatmulScheduleAttr schedule, TargetAttr target);

/// The same for any form, element by element.
void emitPlainLoops(mlir::OpBuilder &b, kernel::BlockMatmulOp op);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKMATMULSCHEDULE_H
