//===- BlockMatmulChoices.cpp - Schedules that a product may have ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many rows are so few that weights are widened in registers decides how
// products are rounded; rows of a tile do not.
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulSchedule.h"
#include "onnxc/Schedule/Tuning.h"

using namespace mlir;
using namespace onnxc;

std::string onnxc::getTuningKey(kernel::BlockMatmulOp op, TargetAttr) {
  return makeTuningKey(cast<kernel::KernelOpInterface>(op.getOperation()));
}

void onnxc::visitChoices(kernel::BlockMatmulOp op, TargetAttr target,
                         function_ref<void(kernel::ScheduleInterface)> visit) {
  kernel::BlockMatmulScheduleAttr basis = selectSchedule(op, target);
  for (int64_t rows = 1; rows <= 14; ++rows)
    if (rows * getWideVectors(target) <= target.getRegisters())
      visit(kernel::BlockMatmulScheduleAttr::get(
          op.getContext(), basis.getRows(), rows, basis.getNearRows(),
          basis.getDepth(), basis.getTiles()));
  for (int64_t rows : {64, 96, 128, 192, 256})
    visit(kernel::BlockMatmulScheduleAttr::get(
        op.getContext(), basis.getRows(), basis.getWideRows(), rows,
        basis.getDepth(), basis.getTiles()));
}
