//===- WinogradSchedule.cpp - Whether and how to transform ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quarter of the products is left, and transforms are added: of the pixels
// for each channel, of the sums for each filter, and of the weights for both.
// They pay where there are many channels and filters to share them.
//
//===----------------------------------------------------------------------===//

#include "WinogradSchedule.h"
#include "ConvSchedule.h"
#include "Kernels/Winograd/FilteringChoice.h"
#include "onnxc/Support/SaturatingInt.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::winograd;

/// Transformed weights of so many channels and a tile of filters lie in the
/// second level of the cache; their sums stay in registers meanwhile.
static constexpr int64_t kMostDepth = 64;
/// A share that is not of whole blocks would be read twice.
static constexpr int64_t kMostWholeDepth = 256;

int64_t onnxc::selectWinogradDepth(int64_t channels, int64_t block) {
  return selectDepth(channels, block, kMostDepth);
}

llvm::SmallVector<std::pair<int64_t, int64_t>>
onnxc::listFilterings(int64_t rows, int64_t columns) {
  auto listTaps = [](int64_t taps) {
    SmallVector<int64_t> list;
    if (taps == 1)
      list.push_back(1);
    for (int64_t n = kernel::ConvOp::kLeastFilteredTaps;
         n <= std::min(taps, kernel::ConvOp::kMostFilteredTaps); ++n)
      list.push_back(n);
    return list;
  };
  SmallVector<std::pair<int64_t, int64_t>> all;
  for (int64_t r : listTaps(rows))
    for (int64_t c : listTaps(columns))
      if (r * c > 1)
        all.push_back({r, c});
  // Of each pixel of the result.
  auto productsOf = [&](std::pair<int64_t, int64_t> taps) {
    WindowFiltering f = WindowFiltering::get(taps);
    return double(llvm::divideCeil(rows, taps.first) *
                  llvm::divideCeil(columns, taps.second) * f.places()) /
           double(f.outputs());
  };
  llvm::stable_sort(
      all, [&](auto x, auto y) { return productsOf(x) < productsOf(y); });
  return all;
}

/// Vector instructions of a transform: loads, stores and arithmetic of one
/// block of channels, of which two or three are done in a cycle; of each place
/// of a tile, and besides for each axis and its points: measured for windows of
/// 3 x 3, where pixels take 280 and sums 170.
static constexpr double kOfPixels = 3, kOfSums = 4.7, kOfAxisPoint = 0.4,
                        kPerCycle = 2.5;
/// Transformed weights go in and out of the second level of the cache, and come
/// from memory where there are many, ahead of time: bytes count, and vectors of
/// 32 take so many instructions for each place and tap.
static constexpr double kOfWeights = 2.2, kOfFarTap = 4, kUsualVector = 32;
/// The weights of a group have few squares to share them, so that their stores
/// are waited for.
static constexpr double kOfGroupWeights = 1.5;

namespace {
/// What is filtered: windows, each of which has channels of its own for each of
/// its slices and parts.
struct Filtered {
  kernel::ConvOp op;
  WindowFiltering filtering;
  /// Slices and parts of a window.
  SaturatingInt parts;

  explicit Filtered(kernel::ConvOp op)
      : op(op), filtering(WindowFiltering::get(op.getFilteredTaps())) {
    auto filter = cast<ShapedType>(op.getFilter().getType());
    auto [rows, columns] = op.getWindow();
    parts = llvm::divideCeil(rows, filtering.rows.taps) *
            llvm::divideCeil(columns, filtering.columns.taps);
    ofPixel = 0.5 * 1.2 * double(rows * columns) / double(parts.get());
    for (unsigned i = 0; i + 2 < op.getNumSpatial(); ++i)
      parts *= filter.getDimSize(2 + i);
  }

  /// The time of a pixel's sums as they are defined, for each channel of each
  /// part.
  double ofPixel = 0;
  double places() const { return double(filtering.places()); }
  /// Vector instructions of the arithmetic of a transform, for each place.
  double ofTransform() const {
    double points = 0;
    for (const MinimalFiltering *f : {&filtering.rows, &filtering.columns})
      points += f->taps > 1 ? double(f->points()) : 0;
    return kOfAxisPoint * points;
  }
};
} // namespace

/// Times in that of two vectors of multiply-adds for each channel and block of
/// filters.
static Layer describeLayer(const Filtered &f, TargetAttr target, int64_t depth,
                           int64_t blocks) {
  kernel::ConvOp op = f.op;
  auto image = cast<ShapedType>(op.getImage().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  unsigned spatial = op.getNumSpatial();
  // Of one group, as all take the same.
  double channels = double((f.parts * op.getGroupChannels()).get()),
         filters = double(op.getFilters()) / double(op.getGroup()),
         products = 0.5 * f.places(),
         ofPixels = f.places() * (kOfPixels + f.ofTransform()),
         ofResults = f.places() * kOfSums,
         wide = target.getVectorBytes() / kUsualVector,
         ofWeights = f.places() * (kOfWeights * wide + f.ofTransform());
  double taps = double(f.filtering.taps());
  if (taps * channels * double(op.getFilters()) * sizeof(float) >
      double(kNearWeightBytes))
    ofWeights += taps * kOfFarTap * wide;
  if (op.getGroup() > 1)
    ofWeights *= kOfGroupWeights;
  return {f.filtering,
          Squares::count(f.filtering, result.getDimSize(0),
                         image.getShape().slice(2, spatial),
                         result.getShape().slice(2, spatial)),
          int64_t(op.getGroup()),
          /*elements=*/f.parts *
              llvm::alignTo(op.getGroupChannels(), op.getBlock()),
          depth,
          /*filters=*/int64_t(op.getFilters()) / int64_t(op.getGroup()),
          // One register for a transformed pixel, and a row of weights.
          /*tile=*/
          std::max<int64_t>((target.getRegisters() - blocks - 1) / blocks, 1),
          blocks, int64_t(op.getBlock()),
          /*ofSquare=*/products * 1.1 +
              (ofPixels / filters + ofResults / channels) / kPerCycle,
          /*ofTile=*/products * 0.8,
          /*ofWeights=*/ofWeights / kPerCycle, f.ofPixel};
}

/// What is not filtered of images of open size is too little for pieces of
/// channels, which would be more code.
static kernel::ConvScheduleAttr withoutPieces(kernel::ConvScheduleAttr direct,
                                              const Squares &squares) {
  if (!squares.isOpen())
    return direct;
  return kernel::ConvScheduleAttr::get(
      direct.getContext(), direct.getRows(), direct.getColumns(),
      direct.getBlocks(), /*depth=*/0, direct.getPrefetchFilter(),
      direct.getPrefetchImage(), direct.getWiden(), direct.getByElement(),
      direct.getPrefetchBlocks());
}

kernel::WinogradScheduleAttr onnxc::selectWinograd(kernel::ConvOp op,
                                                   TargetAttr target) {
  FloatAttr error = op.getWinogradErrorAttr();
  // Buffers of a machine without an operating system are its user's.
  if (!error || target.getFreestanding() ||
      !(error.getValueAsDouble() <= kMostWinogradError))
    return {};
  int64_t depth = selectWinogradDepth(op.getGroupChannels(), op.getBlock());
  if (depth > kMostWholeDepth)
    return {};
  Layer layer =
      describeLayer(Filtered(op), target, depth, selectTileBlocks(op, target));
  return selectFiltering(
      op.getContext(), layer, target, [&]() -> kernel::ScheduleInterface {
        return withoutPieces(selectSchedule(op, target), layer.squares);
      });
}
