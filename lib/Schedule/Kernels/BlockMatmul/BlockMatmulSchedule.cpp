//===- BlockMatmulSchedule.cpp - The decision on one product --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulSchedule.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

kernel::BlockMatmulScheduleAttr onnxc::selectSchedule(kernel::BlockMatmulOp op,
                                                      TargetAttr target) {
  // Beside the sums: the weights of one step, their scales, and a table; or the
  // weights alone.
  auto fit = [&](int64_t others) {
    return std::clamp<int64_t>((target.getRegisters() - others) / kTileVectors,
                               1, 12);
  };
  return kernel::BlockMatmulScheduleAttr::get(
      op.getContext(), /*rows=*/fit(2 + 2 * kTileVectors),
      /*wide_rows=*/fit(1 + kTileVectors));
}
