//===- BlockDotSchedule.cpp - The decision on one product -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockDotSchedule.h"
#include "Kernels/BlockMatmul/PanelLoops.h"
#include "Kernels/CacheShares.h"
#include "Kernels/TileInstructions.h"
#include "onnxc/Target/Instructions.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

kernel::BlockDotScheduleAttr onnxc::selectSchedule(kernel::BlockDotOp op,
                                                   TargetAttr target) {
  // Beside the sums of integers: two parts of the words of one step, and bytes
  // of a row. The sums of floats are read and written once for each block.
  int64_t free = target.getRegisters() - 2 * kTileVectors - 2;
  int64_t steps = op.getSteps();
  bool onTiles =
      supports(target, Capability::MultiplySignedTiles) && op.fillsTiles();
  // Rows wait in the second level of the cache for the next columns.
  constexpr int64_t kFewestRows = 128, kMostRows = 1024;
  int64_t nearRows =
      std::clamp(nearBytes(target) / steps, kFewestRows, kMostRows);
  return kernel::BlockDotScheduleAttr::get(
      op.getContext(),
      /*rows=*/std::clamp<int64_t>(free / kTileVectors, 1, 8),
      nearRows / tiles::kRows * tiles::kRows, onTiles);
}
