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
void onnxc::visitChoices(kernel::BlockDotOp op, TargetAttr,
                         function_ref<void(kernel::ScheduleInterface)> visit) {
  for (int64_t rows = 1; rows <= 12; ++rows)
    visit(kernel::BlockDotScheduleAttr::get(op.getContext(), rows));
}
