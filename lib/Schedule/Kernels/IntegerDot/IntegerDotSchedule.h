//===- IntegerDotSchedule.h - The decision on one product ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_INTEGERDOTSCHEDULE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_INTEGERDOTSCHEDULE_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Target/Instructions.h"

namespace onnxc {

/// From the op and the target alone.
kernel::IntegerDotScheduleAttr selectSchedule(kernel::IntegerDotOp op,
                                              TargetAttr target);

/// Vectors of columns in a tile of a matrix product, or of sums over windows.
int64_t selectTileVectors(bool isProduct, int64_t columns, TargetAttr target);

/// Whether the image had better be widened before.
bool paysToWidenImage(kernel::IntegerDotOp op, TargetAttr target);

/// Whether one instruction multiplies four bytes of the image by four of the
/// filter and adds them up.
bool dotsBytes(kernel::IntegerDotOp op, TargetAttr target);

/// The same, or one of pairs of bytes to sums of 16 bits for all of the filter
/// or where these are large enough.
bool multipliesBytes(kernel::IntegerDotOp op, TargetAttr target);

/// What multiplies two rows by two columns of bytes; null if the target has
/// nothing.
const Instruction *findMultiplyBlocks(kernel::IntegerDotOp op,
                                      TargetAttr target);

/// Whether it can do so with the image and the filter.
bool isOfBlocks(kernel::IntegerDotOp op, TargetAttr target);

/// What multiplies bytes in tile registers; null if the target has nothing.
const Instruction *findMultiplyTiles(kernel::IntegerDotOp op,
                                     TargetAttr target);

/// Whether it can do so with the image and the filter.
bool isOfTiles(kernel::IntegerDotOp op, TargetAttr target);

/// So many vectors of sums go through the epilogue as one: instructions that
/// narrow integers, and tables of bytes, fill a vector with the elements of
/// several.
int64_t countJoinedVectors(kernel::IntegerDotOp op, TargetAttr target);

/// Tiles of a multiple of so many rows leave no part of a vector empty that is
/// read from a table; 1 if there is no table.
int64_t countTableRows(kernel::IntegerDotOp op, int64_t vectors,
                       TargetAttr target);

/// What names `op` in a file of tuned decisions; see KernelCodegenInterface.
std::string getTuningKey(kernel::IntegerDotOp op, TargetAttr target);

/// Visits decisions by which `op` computes the same bits.
void visitChoices(kernel::IntegerDotOp op, TargetAttr target,
                  llvm::function_ref<void(kernel::ScheduleInterface)> visit);

/// Emits what `op` (on buffers) does at the builder's insertion point. `op`
/// stays. It must have vector code for the target.
void emitVectors(mlir::OpBuilder &b, kernel::IntegerDotOp op,
                 kernel::IntegerDotScheduleAttr schedule, TargetAttr target);

/// The same for any form, element by element.
void emitPlainLoops(mlir::OpBuilder &b, kernel::IntegerDotOp op);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_INTEGERDOT_INTEGERDOTSCHEDULE_H
