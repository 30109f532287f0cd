//===- BlockDotSchedule.cpp - The decision on one product -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockDotSchedule.h"
#include "BlockDotLoops.h"
#include "Kernels/BlockMatmul/PanelLoops.h"
#include "Kernels/CacheShares.h"
#include "Kernels/TileInstructions.h"
#include "onnxc/Target/Instructions.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

kernel::BlockDotScheduleAttr onnxc::selectSchedule(kernel::BlockDotOp op,
                                                   TargetAttr target) {
  int64_t steps = op.getSteps();
  bool onTiles =
      supports(target, Capability::MultiplySignedTiles) && op.fillsTiles();
  // Rows wait in the second level of the cache for the next columns.
  constexpr int64_t kFewestRows = 128, kMostRows = 1024;
  int64_t nearRows =
      std::clamp(nearBytes(target) / steps, kFewestRows, kMostRows);
  blockdot::Dots dots = blockdot::selectDots(target);
  bool magnitudes = dots == blockdot::Dots::Pairs && op.getBits() == 8;
  // What is split stays in the second level of the cache, too.
  int64_t splitBytes = steps * kTileVectors * (target.getVectorBytes() / 4) *
                       (magnitudes ? 2 : 1);
  bool split = !onTiles && dots != blockdot::Dots::Single &&
               splitBytes <= nearBytes(target);
  // Beside the sums of integers: the weights of one step (of words that are
  // split for each tile: both parts of one), bytes of a row, a product, and
  // what pairs are added by. The sums of floats are read and written once for
  // each block.
  int64_t free = target.getRegisters() - (split ? 1 : 2) * kTileVectors - 2 -
                 (split && magnitudes ? 2 : 0);
  int64_t rows = std::clamp<int64_t>(free / kTileVectors, 1, 8),
          unit = onTiles ? tiles::kRows : rows;
  return kernel::BlockDotScheduleAttr::get(
      op.getContext(), rows, nearRows / unit * unit, onTiles, split);
}
