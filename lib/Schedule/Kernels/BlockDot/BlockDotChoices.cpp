//===- BlockDotChoices.cpp - Schedules that a product may have ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockDotSchedule.h"
#include "onnxc/Schedule/Tuning.h"

using namespace mlir;
using namespace onnxc;

std::string onnxc::getTuningKey(kernel::BlockDotOp op, TargetAttr) {
  return makeTuningKey(cast<kernel::KernelOpInterface>(op.getOperation()));
}

/// Sums are of integers, and then of blocks in order.
void onnxc::visitChoices(kernel::BlockDotOp op, TargetAttr target,
                         function_ref<void(kernel::ScheduleInterface)> visit) {
  kernel::BlockDotScheduleAttr basis = selectSchedule(op, target);
  for (bool tiles : {false, true})
    for (int64_t rows = 1; rows <= 12; ++rows)
      if (!tiles || basis.getTiles())
        visit(kernel::BlockDotScheduleAttr::get(op.getContext(), rows,
                                                basis.getNearRows(), tiles,
                                                basis.getSplit()));
  for (int64_t rows : {0, 128, 256, 512, 1024})
    visit(kernel::BlockDotScheduleAttr::get(op.getContext(), basis.getRows(),
                                            rows, basis.getTiles(),
                                            basis.getSplit()));
}
