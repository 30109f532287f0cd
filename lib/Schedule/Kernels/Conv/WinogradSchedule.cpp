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
#include "Kernels/CacheShares.h"
#include "MinimalFiltering.h"
#include "onnxc/Support/SaturatingInt.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

/// Transformed weights of so many channels and a tile of filters lie in the
/// second level of the cache; their sums stay in registers meanwhile.
static constexpr int64_t kMostDepth = 64;
/// A share that is not of whole blocks would be read twice.
static constexpr int64_t kMostWholeDepth = 256;
/// Transformed pixels of all threads that stay near.
static constexpr int64_t kSharedBytes = 8 << 20;
/// The sums of so many squares of 36 products stay near, too: those for a panel
/// of filters, whose width is that of the target's vectors. Tiles of fewer
/// products may be more.
static constexpr int64_t kMostOwnSquares = 64, kMostSharedSquares = 256,
                         kProductsOfSquare = 36;
/// Fewer squares of a thread share too little of what is loaded for them.
static constexpr int64_t kFewOwnSquares = 32;
/// Below so much less time the transforms are not worth their code.
static constexpr double kLeastGain = 0.85;
/// Sizes that are not known should often make use of the code for many squares.
static constexpr double kMostOpenShare = 0.9;

int64_t onnxc::selectWinogradDepth(int64_t channels, int64_t block) {
  for (int64_t shares = llvm::divideCeil(channels, kMostDepth);
       shares <= 2 * llvm::divideCeil(channels, kMostDepth); ++shares)
    if (channels % (shares * block) == 0)
      return channels / shares;
  return channels;
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

namespace {
/// Squares of pixels, as far as they are known.
struct Squares {
  int64_t ofImage = 0, batch = 0; // or kDynamic
  /// Pixels of a square on average, or all of them where that is not known.
  double pixels = 1;

  bool isOpen() const { return ShapedType::isDynamic(ofImage); }
  std::optional<int64_t> all() const {
    if (isOpen() || ShapedType::isDynamic(batch))
      return std::nullopt;
    return SaturatingInt(ofImage) * batch;
  }
};

/// How a convolution is cut, and times in that of two vectors of multiply-adds
/// for each channel and block of filters.
struct Plan {
  int64_t tile, run;
  bool weightsFirst;
  double ofSquare, ofWeights;
  /// Of a tile besides: squares share a row of weights that is loaded.
  double ofTile;

  double timeOf(int64_t squares) const {
    double tiles = std::max(double(squares) / double(tile), 1.0);
    int64_t runs = weightsFirst ? 1 : llvm::divideCeil(squares, run);
    return ofSquare * double(squares) + ofTile * tiles +
           ofWeights * double(runs);
  }
};
} // namespace

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
  /// part, and what is worth it.
  double ofPixel = 0;
  double worth() const { return kLeastGain * ofPixel; }
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

static Squares countSquares(const Filtered &f) {
  kernel::ConvOp op = f.op;
  auto image = cast<ShapedType>(op.getImage().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  Squares s;
  SaturatingInt ofImage = 1;
  unsigned spatial = op.getNumSpatial();
  bool isOpen = ShapedType::isDynamicShape(image.getShape().slice(2, spatial));
  for (auto [i, size] : llvm::enumerate(result.getShape().slice(2, spatial))) {
    // Slices count one by one.
    int64_t outputs = i + 1 == spatial   ? f.filtering.columns.outputs
                      : i + 2 == spatial ? f.filtering.rows.outputs
                                         : 1;
    if (ShapedType::isDynamic(size)) {
      isOpen = true;
      s.pixels *= double(outputs);
      continue;
    }
    int64_t squares = llvm::divideCeil(size, outputs);
    ofImage *= squares;
    s.pixels *= double(size) / double(std::max<int64_t>(squares, 1));
  }
  s.ofImage = isOpen && ofImage != 0 ? ShapedType::kDynamic : int64_t(ofImage);
  s.batch = result.getDimSize(0);
  return s;
}

/// The length of runs of at most `most` squares: a divisor, if there is one
/// that is not much shorter.
static int64_t selectRun(int64_t squares, int64_t most, int64_t tile) {
  most = std::max(most, tile);
  if (ShapedType::isDynamic(squares))
    return most / tile * tile;
  if (squares <= most)
    return squares;
  for (int64_t run = most; run > most / 2; --run)
    if (squares % run == 0)
      return run;
  return most / tile * tile;
}

static Plan makePlan(const Filtered &f, TargetAttr target,
                     const Squares &squares, int64_t tile, int64_t blocks) {
  kernel::ConvOp op = f.op;
  int64_t places = f.filtering.places(),
          ofChannel = places * int64_t(sizeof(float)),
          more = std::max<int64_t>(kProductsOfSquare / places, 1);
  SaturatingInt bytes = ofChannel;
  bytes *= f.parts * llvm::alignTo(op.getChannels(), op.getBlock());
  int64_t ofSums = ofChannel * blocks * op.getBlock();
  int64_t own = std::min(nearBytes(target) / bytes, more * kMostOwnSquares),
          shared = std::min(kSharedBytes / bytes, more * kMostSharedSquares),
          ofRun = std::min(shared, nearBytes(target) / ofSums);
  Plan plan;
  plan.tile = tile;
  // Threads share panels where an image is small, and runs otherwise.
  plan.weightsFirst = squares.isOpen() ? own >= more * kFewOwnSquares
                                       : squares.ofImage > shared;
  int64_t together = squares.all().value_or(squares.ofImage);
  plan.run = selectRun(together, plan.weightsFirst ? own : ofRun, tile);
  double channels = double((f.parts * int64_t(op.getChannels())).get()),
         filters = double(op.getFilters()), products = 0.5 * f.places(),
         ofPixels = f.places() * (kOfPixels + f.ofTransform()),
         ofResults = f.places() * kOfSums,
         wide = target.getVectorBytes() / kUsualVector,
         ofWeights = f.places() * (kOfWeights * wide + f.ofTransform());
  plan.ofSquare =
      products * 1.1 + (ofPixels / filters + ofResults / channels) / kPerCycle;
  plan.ofTile = products * 0.8;
  double taps = double(f.filtering.taps());
  if (taps * channels * filters * sizeof(float) > double(kNearWeightBytes))
    ofWeights += taps * kOfFarTap * wide;
  plan.ofWeights = ofWeights / kPerCycle;
  return plan;
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
      direct.getPrefetchImage(), direct.getWiden(), direct.getByElement());
}

kernel::WinogradScheduleAttr
onnxc::selectWinograd(kernel::ConvOp op, TargetAttr target, int64_t blocks) {
  FloatAttr error = op.getWinogradErrorAttr();
  // Buffers of a machine without an operating system are its user's.
  if (!error || target.getFreestanding() ||
      !(error.getValueAsDouble() <= kMostWinogradError))
    return {};
  int64_t depth = selectWinogradDepth(op.getChannels(), op.getBlock());
  Filtered f(op);
  Squares squares = countSquares(f);
  if (depth > kMostWholeDepth || squares.ofImage == 0 || squares.batch == 0)
    return {};
  // One register for a transformed pixel, and a row of weights.
  int64_t tile =
      std::max<int64_t>((target.getRegisters() - blocks - 1) / blocks, 1);
  Plan plan = makePlan(f, target, squares, tile, blocks);
  auto get = [&](int64_t squareCost, int64_t fixedCost,
                 kernel::ConvScheduleAttr direct) {
    return kernel::WinogradScheduleAttr::get(
        op.getContext(), std::min(tile, plan.run), blocks, depth, plan.run,
        plan.weightsFirst, squareCost, fixedCost, direct);
  };
  // An open batch has one image at least. Small ones should share the weights
  // that are transformed.
  if (!squares.isOpen()) {
    int64_t known = squares.all().value_or(squares.ofImage);
    bool isLarge = squares.all() || 2 * plan.ofWeights <= plan.timeOf(known);
    if (isLarge &&
        plan.timeOf(known) <= f.worth() * squares.pixels * double(known))
      return get(0, 0, {});
    if (squares.all())
      return {};
    plan =
        makePlan(f, target, Squares{ShapedType::kDynamic, 1, 1}, tile, blocks);
  }
  double ofSquare = plan.ofSquare + plan.ofTile / double(tile) +
                    (plan.weightsFirst ? 0 : plan.ofWeights / double(plan.run));
  if (ofSquare > kMostOpenShare * f.worth() * squares.pixels)
    return {};
  double unit = 16 / f.worth();
  return get(int64_t(std::ceil(ofSquare * unit)),
             int64_t(std::ceil((plan.ofWeights + plan.ofTile) * unit)),
             withoutPieces(selectSchedule(op, target), squares));
}
