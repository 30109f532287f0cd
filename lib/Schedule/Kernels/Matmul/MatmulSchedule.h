//===- MatmulSchedule.h - The decision on one matrix product -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULSCHEDULE_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

namespace onnxc {

/// The table: shape, types, layout and target to schedule. `op` may be on
/// tensors or on buffers; the width of its panels, if it is packed, is kept.
kernel::MatmulScheduleAttr selectSchedule(kernel::MatmulOp op,
                                          TargetAttr target);

/// What names `op` in a file of tuned decisions; see KernelCodegenInterface.
std::string getTuningKey(kernel::MatmulOp op, TargetAttr target);

/// Visits decisions by which `op` computes the same bits.
void visitChoices(kernel::MatmulOp op, TargetAttr target,
                  llvm::function_ref<void(kernel::ScheduleInterface)> visit);

/// How wide panels of rhs, which is not packed yet, have to be for the tuned
/// decision `by`, which may be null; nothing if it does not say.
std::optional<int64_t> getTunedPanelWidth(kernel::MatmulOp op,
                                          kernel::ScheduleInterface by,
                                          TargetAttr target);

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target.
void emitVectors(mlir::OpBuilder &b, kernel::MatmulOp op,
                 kernel::MatmulScheduleAttr schedule, TargetAttr target);

/// The same for any form, element by element.
void emitPlainLoops(mlir::OpBuilder &b, kernel::MatmulOp op);

/// Products of fewer rows than this (known only when they run) take rhs as it
/// lies in memory.
constexpr int64_t kFewRows = 4;

/// How many columns a tile of a row alone has: so many tiles of `columns`, in
/// whole panels or parts of one, that its sums hide how long a multiply-add
/// takes; or, where `streams`, that several panels come from memory side by
/// side. 0: no more than any tile.
int64_t selectSingleRow(int64_t panel, int64_t columns, int64_t lanes,
                        bool streams);

/// Whether what is left by tiles of `rows` rows, if their number is open, has a
/// tile for each number.
bool takesEachRest(kernel::MatmulOp op, int64_t rows, TargetAttr target);

/// The columns of a tile of two rows, of which a tile of `columns` has too few
/// sums; 0 where it has not.
int64_t selectTwoRows(kernel::MatmulOp op, int64_t columns, int64_t lanes,
                      TargetAttr target);

/// How many columns the panels have that rhs, which is not packed yet, is to be
/// packed in: those of a tile, or, for several processors, what tiles take
/// whole ones or a part of.
int64_t selectPanelWidth(kernel::MatmulOp op, TargetAttr target);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_MATMUL_MATMULSCHEDULE_H
