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

/// Sums may have rounding errors so many times as large as those of the
/// definition: about what another order of the same sums changes.
static constexpr double kMostError = 4;
/// Transformed weights of so many channels and a tile of filters lie in the
/// second level of the cache; their sums stay in registers meanwhile.
static constexpr int64_t kMostDepth = 64;
/// A share that is not of whole blocks would be read twice.
static constexpr int64_t kMostWholeDepth = 256;
/// Transformed pixels of all threads that stay near.
static constexpr int64_t kSharedBytes = 8 << 20;
/// The sums of so many squares stay near, too: those of all 36 products for a
/// panel of filters, whose width is that of the target's vectors.
static constexpr int64_t kMostOwnSquares = 64, kMostSharedSquares = 256;
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

/// Vector instructions of a transform: loads, stores and arithmetic of one
/// block of channels, of which two or three are done in a cycle. Weights go in
/// and out of the second level of the cache, and come from memory where there
/// are many: measured.
static constexpr double kOfPixels = 280, kOfSums = 170, kOfNearWeights = 250,
                        kOfFarWeights = 450, kPerCycle = 2.5;
static constexpr int64_t kNearWeightBytes = 1 << 20;

namespace {
/// Squares of pixels, as far as they are known.
struct Squares {
  int64_t ofImage = 0, batch = 0; // or kDynamic
  /// Pixels of a square on average, or 16 where that is not known.
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

/// The time of a pixel's sums as they are defined, and what is worth it.
static constexpr double kOfPixel = 0.5 * 1.2 * kTaps * kTaps,
                        kWorth = kLeastGain * kOfPixel;

static Squares countSquares(kernel::ConvOp op) {
  auto image = cast<ShapedType>(op.getImage().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  Squares s;
  SaturatingInt ofImage = 1;
  unsigned spatial = op.getNumSpatial(), row = spatial - 2;
  bool isOpen = ShapedType::isDynamicShape(image.getShape().slice(2, spatial));
  for (auto [i, size] : llvm::enumerate(result.getShape().slice(2, spatial))) {
    if (i < row) { // slices
      if (ShapedType::isDynamic(size))
        isOpen = true;
      else
        ofImage *= size;
      continue;
    }
    if (ShapedType::isDynamic(size)) {
      isOpen = true;
      s.pixels *= kOutputs;
      continue;
    }
    int64_t squares = llvm::divideCeil(size, kOutputs);
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

/// The slices of a window, each of which has channels of its own.
static SaturatingInt countSlices(kernel::ConvOp op) {
  SaturatingInt slices = 1;
  auto filter = cast<ShapedType>(op.getFilter().getType());
  for (unsigned i = 0; i + 2 < op.getNumSpatial(); ++i)
    slices *= filter.getDimSize(2 + i);
  return slices;
}

static Plan makePlan(kernel::ConvOp op, TargetAttr target,
                     const Squares &squares, int64_t tile, int64_t blocks) {
  constexpr int64_t ofChannel = kPoints * kPoints * int64_t(sizeof(float));
  SaturatingInt bytes = ofChannel;
  bytes *= countSlices(op) * llvm::alignTo(op.getChannels(), op.getBlock());
  int64_t ofSums = ofChannel * blocks * op.getBlock();
  int64_t own = std::min(nearBytes(target) / bytes, kMostOwnSquares),
          shared = std::min(kSharedBytes / bytes, kMostSharedSquares),
          ofRun = std::min(shared, nearBytes(target) / ofSums);
  Plan plan;
  plan.tile = tile;
  // Threads share panels where an image is small, and runs otherwise.
  plan.weightsFirst =
      squares.isOpen() ? own >= kFewOwnSquares : squares.ofImage > shared;
  int64_t together = squares.all().value_or(squares.ofImage);
  plan.run = selectRun(together, plan.weightsFirst ? own : ofRun, tile);
  double channels = double((countSlices(op) * int64_t(op.getChannels())).get()),
         filters = double(op.getFilters()), products = 0.5 * kPoints * kPoints;
  plan.ofSquare =
      products * 1.1 + (kOfPixels / filters + kOfSums / channels) / kPerCycle;
  plan.ofTile = products * 0.8;
  bool isNear = kTaps * kTaps * channels * filters * sizeof(float) <=
                double(kNearWeightBytes);
  plan.ofWeights = (isNear ? kOfNearWeights : kOfFarWeights) / kPerCycle;
  return plan;
}

kernel::WinogradScheduleAttr
onnxc::selectWinograd(kernel::ConvOp op, TargetAttr target, int64_t blocks) {
  FloatAttr error = op.getWinogradErrorAttr();
  // Buffers of a machine without an operating system are its user's.
  if (!error || target.getFreestanding() ||
      !(error.getValueAsDouble() <= kMostError))
    return {};
  int64_t depth = selectWinogradDepth(op.getChannels(), op.getBlock());
  Squares squares = countSquares(op);
  if (depth > kMostWholeDepth || squares.ofImage == 0 || squares.batch == 0)
    return {};
  // One register for a transformed pixel, and a row of weights.
  int64_t tile =
      std::max<int64_t>((target.getRegisters() - blocks - 1) / blocks, 1);
  Plan plan = makePlan(op, target, squares, tile, blocks);
  auto get = [&](int64_t squareCost, int64_t fixedCost,
                 kernel::ConvScheduleAttr direct) {
    return kernel::WinogradScheduleAttr::get(
        op.getContext(), std::min(tile, plan.run), blocks, depth, plan.run,
        plan.weightsFirst, squareCost, fixedCost, direct);
  };
  // An open batch has one image at least.
  if (!squares.isOpen()) {
    int64_t known = squares.all().value_or(squares.ofImage);
    if (plan.timeOf(known) <= kWorth * squares.pixels * double(known))
      return get(0, 0, {});
    if (squares.all())
      return {};
    plan =
        makePlan(op, target, Squares{ShapedType::kDynamic, 1, 1}, tile, blocks);
  }
  double ofSquare = plan.ofSquare + plan.ofTile / double(tile) +
                    (plan.weightsFirst ? 0 : plan.ofWeights / double(plan.run));
  if (ofSquare > kMostOpenShare * kWorth * squares.pixels)
    return {};
  constexpr double unit = 16 / kWorth;
  return get(int64_t(std::ceil(ofSquare * unit)),
             int64_t(std::ceil((plan.ofWeights + plan.ofTile) * unit)),
             selectSchedule(op, target));
}
