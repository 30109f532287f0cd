//===- DotWinogradSchedule.cpp - Whether to filter windows of bytes -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quarter of the products is left, of 16-bit numbers: without an instruction
// that adds up four bytes, those as they are defined are not faster.
//
//===----------------------------------------------------------------------===//

#include "DotWinogradSchedule.h"
#include "IntegerDotSchedule.h"
#include "Kernels/Winograd/FilteringChoice.h"

#include "onnxc/Target/Instructions.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::dots;
using namespace onnxc::winograd;

/// Elements of pixels and weights that are multiplied at a time: those of a
/// panel of filters stay in the second level of the cache.
static constexpr int64_t kMostDepth = 128;

/// Cycles of transforms (instructions by three, and what was measured above
/// that): of a vector of a square's pixels and of sums, and of weights of four
/// channels, whose bytes count: in vectors of 32.
static constexpr double kOfPixels = 110, kOfSums = 90, kOfWeights = 80,
                        kUsualVector = 32;
/// The share of the time of pairs that groups of products in one sum of 16 bits
/// take.
static constexpr double kOfGroups = 0.85;

kernel::WinogradScheduleAttr onnxc::selectWinograd(kernel::IntegerDotOp op,
                                                   TargetAttr target) {
  WindowFiltering filtering = WindowFiltering::getWhole();
  std::optional<int64_t> largest = op.getLargestSum();
  bool dotsPairs = supports(target, Capability::DotPairs);
  // Buffers of a machine without an operating system are its user's.
  if (!largest || *largest > kernel::IntegerDotOp::kLargestFilteredSum ||
      target.getFreestanding() ||
      (!dotsPairs && !supports(target, Capability::MultiplyPairs)) ||
      isOfTiles(op, target))
    return {};
  auto image = cast<ShapedType>(op.getImage().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  int64_t lanes = target.getVectorBytes() / 4, elements = op.countPairs(),
          groups = op.getGroups(), columns = result.getShape().back() / groups,
          depth = selectDepth(elements, lanes, kMostDepth);
  if (elements < lanes || columns % lanes != 0 || op.getPanelWidth() % lanes)
    return {};
  int64_t blocks = std::min<int64_t>(2, columns / lanes);
  // Beside sums and weights there is a transformed pixel, and without an
  // instruction that adds products up two of those.
  int64_t left = target.getRegisters() - blocks - (dotsPairs ? 1 : 3);
  // Of one group, as all take the same.
  double vectors = double(columns / lanes),
         // Two multiplications in a cycle.
      products = 0.5 * double(elements) * vectors,
         // Those of a dot product of four channels: one, two, or less than two.
      ofDot = dotsBytes(op, target) ? 0.5
              : op.getOrder()       ? kOfGroups
                                    : 1,
         wide = target.getVectorBytes() / kUsualVector;
  Layer layer{
      filtering,
      Squares::count(filtering, result.getDimSize(0),
                     image.getShape().slice(1, 2),
                     result.getShape().slice(1, 2)),
      groups,
      elements,
      depth,
      /*filters=*/columns,
      /*tile=*/std::max<int64_t>(left / blocks, 1),
      blocks,
      lanes,
      /*ofSquare=*/double(filtering.places()) * products +
          kOfPixels * double(elements) / double(lanes) + kOfSums * vectors,
      /*ofTile=*/double(filtering.places()) * products,
      /*ofWeights=*/kOfWeights / kPair * wide * double(elements) * vectors,
      /*ofPixel=*/double(filtering.taps()) * double(elements) / kPair *
          vectors * ofDot};
  return selectFiltering(op.getContext(), layer, target,
                         [&]() -> kernel::ScheduleInterface {
                           return selectSchedule(op, target);
                         });
}
