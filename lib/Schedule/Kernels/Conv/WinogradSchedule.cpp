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
#include "MinimalFiltering.h"
#include "onnxc/Support/SaturatingInt.h"

#include "llvm/Support/MathExtras.h"

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
/// Transformed pixels that stay near: of a band, and of an image.
static constexpr int64_t kBandBytes = 576 << 10, kImageBytes = 8 << 20;
/// The sums of so many squares stay near, too.
static constexpr int64_t kSquaresOfBand = 64, kSquaresOfImage = 256;
/// Below so much less time the transforms are not worth their code.
static constexpr double kLeastGain = 0.85;

int64_t onnxc::selectWinogradDepth(int64_t channels, int64_t block) {
  for (int64_t shares = llvm::divideCeil(channels, kMostDepth);
       shares <= 2 * llvm::divideCeil(channels, kMostDepth); ++shares)
    if (channels % (shares * block) == 0)
      return channels / shares;
  return channels;
}

namespace {
/// What decides, all sizes known.
struct Sizes {
  int64_t channels, filters, lanes, registers, rows, columns, squareRows,
      squares;
};
} // namespace

/// Vector instructions of a transform: loads, stores and arithmetic of one
/// block of channels, of which two or three are done in a cycle. Weights come
/// from memory, and in and out of the second level of the cache: measured.
static constexpr double kOfPixels = 280, kOfSums = 170, kOfWeights = 450,
                        kPerCycle = 2.5;

/// Cycles of one image by the transforms, in units of those of two
/// multiply-adds.
static double cyclesOf(const Sizes &s, int64_t tile) {
  double perVector = 1.0 / double(s.lanes);
  double products = 0.5 * kPoints * kPoints * double(s.squares) *
                    double(s.channels) * double(s.filters) * perVector;
  // Few squares share a row of weights that is loaded for them.
  double sharing = double(std::min<int64_t>(s.squares, tile));
  products *= 1.1 + 0.8 / sharing;
  double transforms = double(s.squares) * (double(s.channels) * kOfPixels +
                                           double(s.filters) * kOfSums) +
                      double(s.channels) * double(s.filters) * kOfWeights;
  return products + transforms * perVector / kPerCycle;
}

static double directCyclesOf(const Sizes &s) {
  return 0.5 * 1.2 * kTaps * kTaps * double(s.rows * s.columns) *
         double(s.channels) * double(s.filters) / double(s.lanes);
}

/// Rows of squares that are transformed at a time; 0: the image.
static int64_t selectBand(const Sizes &s, int64_t perRow) {
  SaturatingInt rowBytes = kPoints * kPoints * int64_t(sizeof(float));
  rowBytes *= perRow;
  rowBytes *= llvm::alignTo(s.channels, s.lanes);
  if (s.squares <= kSquaresOfImage && rowBytes * s.squareRows <= kImageBytes)
    return 0;
  // All bands are alike.
  int64_t band = 1;
  for (int64_t rows = 2; rows < s.squareRows; ++rows)
    if (s.squareRows % rows == 0 && rowBytes * rows <= kBandBytes &&
        SaturatingInt(perRow) * rows <= kSquaresOfBand)
      band = rows;
  return band;
}

kernel::WinogradScheduleAttr
onnxc::selectWinograd(kernel::ConvOp op, TargetAttr target, int64_t blocks) {
  FloatAttr error = op.getWinogradErrorAttr();
  // Buffers of a machine without an operating system are its user's.
  if (!error || target.getFreestanding() ||
      !(error.getValueAsDouble() <= kMostError))
    return {};
  auto image = cast<ShapedType>(op.getImage().getType()),
       result = cast<ShapedType>(op.getInit().getType());
  if (ShapedType::isDynamicShape(image.getShape().drop_front(2)) ||
      ShapedType::isDynamicShape(result.getShape().drop_front(2)))
    return {};
  int64_t lanes = op.getBlock(), registers = target.getRegisters();
  Sizes s{int64_t(op.getChannels()), int64_t(op.getFilters()), lanes, registers,
          result.getDimSize(2),      result.getDimSize(3)};
  s.squareRows = llvm::divideCeil(s.rows, kOutputs);
  int64_t perRow = llvm::divideCeil(s.columns, kOutputs);
  s.squares = s.squareRows * perRow; // no overflow: fewer than the pixels
  int64_t depth = selectWinogradDepth(s.channels, lanes);
  if (depth > kMostWholeDepth || s.squares == 0)
    return {};
  // One register for a transformed pixel, and a row of weights.
  int64_t tile = std::max<int64_t>((registers - blocks - 1) / blocks, 1);
  if (cyclesOf(s, tile) > kLeastGain * directCyclesOf(s))
    return {};
  int64_t band = selectBand(s, perRow);
  return kernel::WinogradScheduleAttr::get(
      op.getContext(), std::min(tile, s.squares), blocks, depth, band);
}
