//===- Pads.cpp - Padding that windows can do -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pads.h"
#include "Rewriting/Matching.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

std::optional<SmallVector<int64_t>> optimize::getSpatialPads(PadOp pad) {
  std::optional<SmallVector<int64_t>> amounts = getIntegers(pad.getPads());
  if (!amounts || amounts->size() % 2 != 0 || pad.getMode() != "constant")
    return std::nullopt;
  int64_t count = amounts->size() / 2;
  int64_t rank = getRank(pad.getData()).value_or(pad.getAxes() ? -1 : count);
  std::optional<SmallVector<int64_t>> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, count));
  if (pad.getAxes()) {
    axes = getIntegers(pad.getAxes());
    axes = axes && rank >= 0 ? normalizeAxes(*axes, rank) : std::nullopt;
  }
  if (!axes || static_cast<int64_t>(axes->size()) != count || rank < 3 ||
      (!pad.getAxes() && count != rank))
    return std::nullopt;
  int64_t spatialRank = rank - 2;
  SmallVector<int64_t> pads(2 * spatialRank, 0);
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t before = (*amounts)[i], after = (*amounts)[i + count];
    if (before < 0 || after < 0 || (axis < 2 && (before != 0 || after != 0)))
      return std::nullopt;
    if (axis < 2)
      continue;
    pads[axis - 2] = before;
    pads[axis - 2 + spatialRank] = after;
  }
  return pads;
}

std::optional<SmallVector<int64_t>>
optimize::getExplicitPads(std::optional<ArrayRef<int64_t>> pads,
                          StringRef autoPad, size_t spatialRank) {
  if (autoPad == "VALID" || (autoPad == "NOTSET" && !pads))
    return SmallVector<int64_t>(2 * spatialRank, 0);
  if (autoPad != "NOTSET" || pads->size() != 2 * spatialRank)
    return std::nullopt;
  return llvm::to_vector(*pads);
}

/// Pads beyond this make tensors that no machine holds.
static constexpr int64_t maxPad = std::numeric_limits<int32_t>::max();

std::optional<SmallVector<int64_t>> optimize::addPads(ArrayRef<int64_t> a,
                                                      ArrayRef<int64_t> b) {
  SmallVector<int64_t> sums;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    if (x < 0 || y < 0 || x > maxPad || y > maxPad)
      return std::nullopt;
    sums.push_back(x + y);
  }
  return sums;
}
