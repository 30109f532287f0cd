//===- BlockDotSchedule.cpp - The decision on one product -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockDotSchedule.h"
#include "Kernels/BlockMatmul/BlockMatmulSchedule.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

kernel::BlockDotScheduleAttr onnxc::selectSchedule(kernel::BlockDotOp op,
                                                   TargetAttr target) {
  // Beside the sums of floats and those of integers: two parts of the words of
  // one step, and bytes of a row.
  int64_t free = target.getRegisters() - 2 * kTileVectors - 1;
  return kernel::BlockDotScheduleAttr::get(
      op.getContext(),
      /*rows=*/std::clamp<int64_t>(free / (2 * kTileVectors), 1, 8));
}
