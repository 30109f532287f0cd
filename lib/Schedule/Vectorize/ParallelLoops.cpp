//===- ParallelLoops.cpp - Which loops threads share ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoops.h"

#include "onnxc/Support/SaturatingInt.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

/// Blocks that a loop nest should have: several for each of a few threads.
static constexpr int64_t kEnough = 32;
static constexpr int64_t kMost = 2 * kEnough;
/// Blocks of a loop whose size is not known, for want of better.
static constexpr int64_t kTypicalBlocks = 8;
/// Blocks of what is read along its rows: each is a part of all rows, and long
/// parts are read faster.
static constexpr int64_t kMostOfRows = 8;
/// Tiles in a block of an innermost loop whose size is not known.
static constexpr int64_t kTilesPerBlock = 16;
/// Operations that an access takes as long as: data comes from far, as a rule.
static constexpr int64_t kAccess = 4;
/// Below so many operations on vectors, one thread is done in some 5 us.
static constexpr int64_t kLeastOperations = 10000;

static bool isTooShort(linalg::LinalgOp op, const Schedule &schedule,
                       ArrayRef<int64_t> extents) {
  if (llvm::is_contained(extents, 0))
    return true;
  if (llvm::is_contained(extents, ShapedType::kDynamic))
    return false;
  double operations =
      op.getBlock()->getOperations().size() + kAccess * op->getNumOperands();
  for (int64_t extent : extents)
    operations *= double(extent);
  return operations / double(schedule.lanes()) < kLeastOperations;
}

/// At most `most` of the tiles of a loop, and a divisor of them if there is one
/// that is not much smaller: then all blocks are alike.
static int64_t chooseTilesPerBlock(int64_t tiles, int64_t most) {
  most = std::clamp<int64_t>(most, 1, tiles);
  for (int64_t n = most; n > most / 2; --n)
    if (tiles % n == 0)
      return n;
  return most;
}

SmallVector<ParallelLoop>
onnxc::chooseParallelLoops(linalg::LinalgOp op, const Schedule &schedule,
                           ArrayRef<int64_t> extents) {
  SmallVector<ParallelLoop> loops;
  if (isTooShort(op, schedule, extents))
    return loops;
  // Along the last loop, a packed input is used again and again.
  ArrayRef<int64_t> order = schedule.order;
  if (schedule.pack >= 0)
    order = order.drop_back();
  SaturatingInt count = 1;
  for (int64_t d : order) {
    if (count >= kEnough)
      break;
    int64_t tile = schedule.tile[d];
    if (ShapedType::isDynamic(extents[d])) {
      bool isLast = d == schedule.laneLoop();
      loops.push_back({unsigned(d), isLast ? tile * kTilesPerBlock : tile});
      count *= kTypicalBlocks;
      continue;
    }
    int64_t tiles = llvm::divideCeil(extents[d], tile);
    if (tiles == 1)
      continue;
    int64_t most = schedule.band > 0 ? kMostOfRows : kMost;
    int64_t perBlock = chooseTilesPerBlock(tiles, tiles * count / most);
    loops.push_back({unsigned(d), perBlock * tile});
    count *= llvm::divideCeil(tiles, perBlock);
  }
  if (count == 1)
    loops.clear();
  return loops;
}
