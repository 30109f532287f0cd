//===- ConvSchedule.cpp - The table of convolutions' schedules ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile has so many pixels that its sums, one row of weights and one
// broadcast pixel fill the registers. Wide tiles of channels save loads of
// pixels, long rows of pixels save loads of weights.
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "Kernels/CacheShares.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelLoops.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Instructions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

/// Maps up to this size lie in the cache; their weights do not.
constexpr int64_t kSmallMap = 14;
/// A depthwise tile keeps its row of weights in registers too.
constexpr int64_t kDepthwiseWeights = 8;
/// What a maximum with NaN is computed of.
constexpr int64_t kMaximumParts = 4;
/// A wide panel pays where the pixels come from far away.
constexpr int64_t kFarPixels = 400;
constexpr int64_t kLineBytes = 64;

/// What of a panel stays in the first level of the cache beside pixels.
static int64_t firstLevelPanel(TargetAttr target) {
  return target.getFirstLevelCache() / 2;
}

/// Whether tiles of so many blocks of channels have whole panels each, or a
/// panel has whole tiles.
static bool isWholePanels(kernel::ConvOp op, int64_t blocks) {
  int64_t panel = op.getPanelBlocks();
  return !op.isDepthwise() && (blocks % panel == 0 || panel % blocks == 0);
}

bool onnxc::isPointwise(kernel::ConvOp op) {
  auto filter = cast<ShapedType>(op.getFilter().getType());
  unsigned first = op.isImageBlocked() && !op.isDepthwise() ? 2 : 1;
  auto isOne = [](int64_t x) { return x == 1; };
  return llvm::all_of(filter.getShape().slice(first, op.getNumSpatial()),
                      isOne) &&
         llvm::all_of(op.getStrides(), isOne) && !op.getSpread() &&
         llvm::all_of(op.getPads(), [](int64_t x) { return x == 0; });
}

/// As many pixels as registers can hold sums of.
static int64_t tilePixels(int64_t vectors, int64_t registers) {
  return std::max<int64_t>((registers - vectors - 1) / vectors, 1);
}

int64_t onnxc::selectPanelVectors(const FilterShape &shape, int64_t lanes,
                                  int64_t registers) {
  int64_t blocks = llvm::divideCeil(shape.filters, lanes);
  // A single pixel: sums of many channels, or each would wait for the one
  // before.
  if (shape.pixels == 1)
    for (int64_t vectors = 8; vectors > 2; --vectors)
      if (blocks % vectors == 0)
        return vectors;
  bool isFar = ShapedType::isDynamic(shape.pixels) || shape.pixels > kFarPixels;
  if (registers >= 32) {
    if (shape.isPointwise && isFar && blocks % 4 == 0)
      return 4;
    if (blocks == 3)
      return 3;
  }
  if (!shape.isGrouped)
    return std::min<int64_t>(blocks, 2);
  // No panel reaches into the next group.
  for (int64_t vectors : {2, 3, 5, 7})
    if (blocks % vectors == 0 &&
        vectors * tilePixels(vectors, registers) >= kEnoughSums)
      return vectors;
  return 1;
}

/// How many blocks of channels a tile has, of panels that are packed for
/// several processors.
static int64_t selectBlocks(kernel::ConvOp op, int64_t registers) {
  auto filter = cast<ShapedType>(op.getFilter().getType());
  unsigned first = op.isImageBlocked() ? 2 : 1;
  FilterShape shape{int64_t(op.getFilters() / op.getGroup()), true, 1,
                    op.getGroup() > 1};
  for (unsigned i = 0; i < op.getNumSpatial(); ++i) {
    shape.isPointwise &= op.getStrides()[i] == 1 &&
                         filter.getDimSize(first + i) <= op.getSpreadOf(i);
    int64_t size = cast<ShapedType>(op.getInit().getType()).getDimSize(i + 2);
    shape.pixels =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(shape.pixels)
            ? ShapedType::kDynamic
            : shape.pixels * size; // no overflow: of a tensor
  }
  int64_t blocks = selectPanelVectors(shape, op.getBlock(), registers);
  // What widens halves widens whole panels.
  if (isHalf(filter.getElementType()))
    blocks = std::max(blocks, op.getPanelBlocks());
  while (!isWholePanels(op, blocks))
    --blocks;
  return blocks;
}

int64_t onnxc::selectTileBlocks(kernel::ConvOp op, TargetAttr target) {
  return target.getLayout() ? selectBlocks(op, target.getRegisters())
                            : op.getPanelBlocks();
}

/// The tile of a depthwise convolution, which is a row of pixels.
static int64_t selectDepthwiseColumns(kernel::ConvOp op, int64_t registers) {
  int64_t columns = std::clamp<int64_t>(registers - kDepthwiseWeights, 2, 14);
  if (!op.getMaximum())
    return columns;
  // All columns that the windows reach are carried.
  unsigned last = op.getNumSpatial() - 1;
  auto filter = cast<ShapedType>(op.getFilter().getType());
  int64_t reach = (filter.getDimSize(last + 1) - 1) * op.getDilations()[last];
  int64_t fit =
      (registers - kMaximumParts - reach - 1) / op.getStrides()[last] + 1;
  return std::clamp<int64_t>(fit, 1, columns);
}

/// The pixels of a result, or kDynamic.
static int64_t countPixels(ShapedType result, unsigned spatial) {
  SaturatingInt pixels = 1;
  for (int64_t size : result.getShape().slice(2, spatial)) {
    if (ShapedType::isDynamic(size))
      return size;
    pixels *= size;
  }
  return pixels.get();
}

/// How many blocks of input channels of a panel stay in the first level of the
/// cache, if it does not as a whole, and many pixels read it: of a pointwise
/// convolution, a small map, or rows whose sums are near. With vectors of a
/// whole cache line, sums to memory and back cost more than that.
static int64_t selectDepth(kernel::ConvOp op, bool isSmall, int64_t vectors,
                           TargetAttr target) {
  // The sums of a row have to wait (emitRowsInPieces takes several rows where
  // they are short). The emitter makes columns of another dimension where the
  // last one is short, so that each has to be short enough. Rows of open length
  // are cut when the model runs.
  auto hasShortRows = [&] {
    auto result = cast<ShapedType>(op.getInit().getType());
    int64_t pixelBytes = vectors * op.getBlock() * int64_t(sizeof(float));
    return llvm::all_of(
        result.getShape().slice(2, op.getNumSpatial()), [&](int64_t size) {
          return ShapedType::isDynamic(size) ||
                 SaturatingInt(size) * pixelBytes <= waitingBytes(target);
        });
  };
  if ((!isPointwise(op) && !isSmall && !hasShortRows()) ||
      !op.isImageBlocked() || op.getSpread() || op.getGroup() > 1 ||
      target.getVectorBytes() >= kLineBytes)
    return 0;
  auto filter = cast<ShapedType>(op.getFilter().getType());
  SaturatingInt taps = 1;
  for (unsigned i = 0; i < op.getNumSpatial(); ++i)
    taps *= filter.getDimSize(i + 2);
  int64_t lanes = op.getBlock(),
          blockBytes = (taps * lanes * lanes * vectors * 4).get(),
          most = std::max<int64_t>(firstLevelPanel(target) / blockBytes, 1),
          all = op.getChannels() / lanes;
  // The code for open sizes costs time of its own, which is seen where rows are
  // short: a panel has to be far larger.
  if (!isPointwise(op) &&
      ShapedType::isDynamic(countPixels(
          cast<ShapedType>(op.getInit().getType()), op.getNumSpatial())) &&
      SaturatingInt(all) * blockBytes <= 2 * target.getFirstLevelCache())
    return 0;
  return all > most ? llvm::divideCeil(all, llvm::divideCeil(all, most)) : 0;
}

/// How many consecutive pixels a tile has: `most`, or some fewer where else a
/// last tile of few sums takes as long as one of more.
static int64_t selectWidth(int64_t pixels, int64_t vectors, int64_t most) {
  auto costOf = [&](int64_t width) {
    auto ofTile = [&](int64_t columns) {
      return std::max(columns * vectors, kEnoughSums);
    };
    int64_t rest = pixels % width;
    return SaturatingInt(pixels / width) * ofTile(width) +
           (rest ? ofTile(rest) : 0);
  };
  int64_t best = most;
  for (int64_t width = most - 1;
       width * vectors > kEnoughSums && 4 * width > 3 * most; --width)
    if (50 * costOf(width) < 49 * costOf(best))
      best = width;
  return best;
}

/// Whether one row of all channels is more than the second level of the cache
/// holds: a sound, mostly. A tile then comes back to each block of channels
/// after so many others that the hardware no longer sees its lines follow each
/// other.
static bool areRowsFar(kernel::ConvOp op, TargetAttr target) {
  int64_t columns = cast<ShapedType>(op.getImage().getType())
                        .getDimSize(op.getNumSpatial() + 1);
  SaturatingInt bytes = SaturatingInt(columns) * op.getChannels();
  return !ShapedType::isDynamic(columns) &&
         (bytes * int64_t(sizeof(float))).get() > target.getSecondLevelCache();
}

kernel::ConvScheduleAttr onnxc::selectSchedule(kernel::ConvOp op,
                                               TargetAttr target) {
  auto result = cast<ShapedType>(op.getInit().getType());
  unsigned spatial = op.getNumSpatial();
  // What has a loop of its own: a phase, if there are some.
  auto extentOf = [&](unsigned i) {
    int64_t size = result.getDimSize(i + 2);
    return ShapedType::isDynamic(size)
               ? size
               : int64_t(llvm::divideCeil(size, op.getSpreadOf(i)));
  };
  int64_t columns = extentOf(spatial - 1);
  int64_t rows = spatial > 1 ? extentOf(spatial - 2) : 1;
  int64_t registers = target.getRegisters();
  if (op.isDepthwise())
    return kernel::ConvScheduleAttr::get(
        op.getContext(), /*rows=*/1, selectDepthwiseColumns(op, registers),
        /*blocks=*/0, /*depth=*/0, /*prefetch_filter=*/false,
        /*prefetch_image=*/false,
        /*widen=*/false, /*by_element=*/false, /*prefetch_blocks=*/false);
  auto filter = cast<ShapedType>(op.getFilter().getType());
  int64_t vectors = selectTileBlocks(op, target),
          blocks = target.getLayout() ? vectors : 0;
  bool byElement = op.isImageBlocked() && registers >= 32 &&
                   supports(target, Capability::ByElement);
  // A pixel's channels stay in a register as long as its sums grow.
  int64_t tileRows = 1,
          tileColumns = byElement
                            ? std::max<int64_t>(
                                  (registers - vectors - 1) / (vectors + 1), 1)
                            : tilePixels(vectors, registers);
  // Threads do not share long rows of pixels: 14 is what most maps divide by.
  if (vectors == 2 && tileColumns > 14)
    tileColumns = 14;
  bool isSmall = !ShapedType::isDynamic(columns) && columns <= kSmallMap &&
                 !ShapedType::isDynamic(rows) && rows <= kSmallMap;
  // A phase goes through a part of its panel.
  bool prefetchFilter = isSmall && op.isImageBlocked() && !op.getSpread() &&
                        vectors % op.getPanelBlocks() == 0;
  int64_t depth = selectDepth(op, isSmall, vectors, target);
  bool prefetchImage = isPointwise(op)
                           ? !isSmall && vectors >= 3
                           : !depth && op.isImageBlocked() && !op.getSpread() &&
                                 areRowsFar(op, target);
  // Rows that are shorter than the tile: more of them at once.
  if (!isPointwise(op) && isSmall && 2 * columns <= tileColumns)
    tileRows = std::min(tileColumns / columns, rows);
  // A phase reads only its own taps of what is widened.
  SaturatingInt phases = 1;
  for (unsigned i = 0; i < spatial; ++i)
    phases *= op.getSpreadOf(i);
  int64_t most = (kTilesThatWiden * phases - 1) * tileRows * tileColumns;
  bool widen = isHalf(filter.getElementType()) &&
               (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns) ||
                rows * columns > most);
  if (int64_t pixels = countPixels(result, spatial);
      isPointwise(op) && !widen && pixels > kTilesAsRows * tileColumns)
    tileColumns = selectWidth(pixels, vectors, tileColumns);
  // The products of a block of channels of one tap take little longer than its
  // lines from the second level of the cache, and the hardware does not see
  // that blocks follow each other.
  bool prefetchBlocks = isPointwise(op) && op.isImageBlocked() &&
                        !op.getSpread() && !byElement && !prefetchImage &&
                        isCountingCostly(tileRows * tileColumns * vectors);
  return kernel::ConvScheduleAttr::get(
      op.getContext(), tileRows, tileColumns, blocks, depth, prefetchFilter,
      prefetchImage, widen, byElement, prefetchBlocks);
}
