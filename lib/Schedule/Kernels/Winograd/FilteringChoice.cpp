//===- FilteringChoice.cpp - Whether minimal filtering pays ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilteringChoice.h"
#include "Kernels/CacheShares.h"
#include "WinogradLoops.h"
#include "onnxc/Schedule/Tuning.h"
#include "onnxc/Support/SaturatingInt.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::winograd;

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

int64_t winograd::selectDepth(int64_t elements, int64_t block, int64_t most) {
  for (int64_t shares = llvm::divideCeil(elements, most);
       shares <= 2 * int64_t(llvm::divideCeil(elements, most)); ++shares)
    if (elements % (shares * block) == 0)
      return elements / shares;
  return elements;
}

std::optional<int64_t> Squares::all() const {
  if (isOpen() || ShapedType::isDynamic(batch))
    return std::nullopt;
  return SaturatingInt(ofImage) * batch;
}

Squares Squares::count(const WindowFiltering &filtering, int64_t batch,
                       ArrayRef<int64_t> image, ArrayRef<int64_t> result) {
  Squares s;
  SaturatingInt ofImage = 1;
  bool isOpen = ShapedType::isDynamicShape(image);
  for (auto [i, size] : llvm::enumerate(result)) {
    int64_t outputs = i + 1 == result.size()   ? filtering.columns.outputs
                      : i + 2 == result.size() ? filtering.rows.outputs
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
  s.batch = batch;
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

namespace {
/// How squares are cut into runs.
struct Runs {
  int64_t run;
  bool weightsFirst;

  Runs(const Layer &layer, const Squares &squares, TargetAttr target);
  double timeOf(const Layer &layer, int64_t squares) const {
    double tiles = std::max(double(squares) / double(layer.tile), 1.0);
    int64_t runs = weightsFirst ? 1 : llvm::divideCeil(squares, run);
    return layer.ofSquare * double(squares) + layer.ofTile * tiles +
           layer.ofWeights * double(runs);
  }
};
} // namespace

Runs::Runs(const Layer &layer, const Squares &squares, TargetAttr target) {
  int64_t places = layer.filtering.places(), ofElement = places * kElementBytes,
          more = std::max<int64_t>(kProductsOfSquare / places, 1);
  SaturatingInt bytes = ofElement;
  bytes *= layer.elements;
  int64_t ofSums = ofElement * layer.blocks * layer.lanes;
  int64_t own = std::min(nearBytes(target) / bytes, more * kMostOwnSquares),
          shared = std::min(kSharedBytes / bytes, more * kMostSharedSquares),
          ofRun = std::min(shared, nearBytes(target) / ofSums);
  // Threads share panels where an image is small, and runs otherwise.
  weightsFirst = squares.isOpen() ? own >= more * kFewOwnSquares
                                  : squares.ofImage > shared;
  // Of groups, where weights of one stay in the second level: pixels and sums
  // of a run of some tiles are in the first one.
  if (layer.groups > 1) {
    SaturatingInt ofWeights = bytes * layer.filters;
    weightsFirst = ofWeights.get() <= nearBytes(target);
    own = std::max<int64_t>(target.getFirstLevelCache() / (bytes + ofSums),
                            2 * layer.tile);
  }
  int64_t most = weightsFirst ? own : ofRun;
  int64_t together = squares.all().value_or(squares.ofImage);
  run = selectRun(together, most, layer.tile);
}

kernel::WinogradScheduleAttr
winograd::selectFiltering(MLIRContext *context, const Layer &layer,
                          TargetAttr target,
                          function_ref<kernel::ScheduleInterface()> direct) {
  const Squares &squares = layer.squares;
  if (squares.ofImage == 0 || squares.batch == 0)
    return {};
  double worth = kLeastGain * layer.ofPixel;
  auto get = [&](const Runs &runs, int64_t squareCost, int64_t fixedCost,
                 kernel::ScheduleInterface direct) {
    return kernel::WinogradScheduleAttr::get(
        context, std::min(layer.tile, runs.run), layer.blocks, layer.depth,
        runs.run, runs.weightsFirst, squareCost, fixedCost, direct);
  };
  Runs runs(layer, squares, target);
  // An open batch has one image at least. Small ones should share the weights
  // that are transformed.
  if (!squares.isOpen()) {
    int64_t known = squares.all().value_or(squares.ofImage);
    double time = runs.timeOf(layer, known);
    bool isLarge = squares.all() || 2 * layer.ofWeights <= time;
    if (isLarge && time <= worth * squares.pixels * double(known))
      return get(runs, 0, 0, {});
    if (squares.all())
      return {};
    runs = Runs(layer, Squares{ShapedType::kDynamic, 1, 1}, target);
  }
  // Tiles and runs that have begun count as whole ones: n squares are at most
  // 1 + (n - 1) / m of m.
  double ofTile = layer.ofTile / double(layer.tile),
         ofRun = runs.weightsFirst ? 0 : layer.ofWeights / double(runs.run),
         ofSquare = layer.ofSquare + ofTile + ofRun,
         fixed = layer.ofWeights - ofRun + layer.ofTile - ofTile;
  if (ofSquare > kMostOpenShare * worth * squares.pixels)
    return {};
  double unit = 16 / worth;
  return get(runs, int64_t(std::ceil(ofSquare * unit)),
             int64_t(std::ceil(fixed * unit)), direct());
}

void winograd::visitFilterings(
    kernel::WinogradScheduleAttr basis, ArrayRef<int64_t> blocks,
    int64_t registers, function_ref<void(kernel::ScheduleInterface)> visit) {
  for (int64_t ofTile : blocks) {
    int64_t most = std::max<int64_t>((registers - ofTile) / ofTile, 1);
    for (int64_t squares : listCounts(basis.getRun(), most)) {
      if (squares > basis.getRun())
        continue;
      // Scratch memory is that of the run: no longer ones than estimated.
      for (int64_t parts : {1, 2, 4}) {
        int64_t run =
            llvm::alignTo(llvm::divideCeil(basis.getRun(), parts), squares);
        if (run > basis.getRun())
          run = parts == 1 ? basis.getRun() : run - squares;
        if (run < squares)
          continue;
        visit(kernel::WinogradScheduleAttr::get(
            basis.getContext(), squares, ofTile, basis.getDepth(), run,
            basis.getWeightsFirst(), basis.getSquareCost(),
            basis.getFixedCost(), basis.getDirect()));
      }
    }
  }
}
