//===- ActivationRange.cpp - Scales of what a run computes ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/ActivationRange.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

using namespace llvm;
using namespace onnxc::quantize;

void ActivationRange::addRange(ArrayRef<float> values) {
  for (float value : values) {
    if (!std::isfinite(value)) {
      isOther = true;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

void ActivationRange::addCounts(ArrayRef<float> values) {
  counts.resize(numBins);
  const double width = (double(high) - low) / numBins;
  if (!(width > 0))
    return;
  for (float value : values) {
    if (value == 0 || !std::isfinite(value))
      continue;
    auto bin = static_cast<int64_t>((double(value) - low) / width);
    ++counts[std::clamp<int64_t>(bin, 0, numBins - 1)];
  }
}

float ActivationRange::getCenter(size_t bin) const {
  return static_cast<float>(low + (double(high) - low) * (double(bin) + 0.5) /
                                      numBins);
}

double ActivationRange::getError(Bounds bounds, IntegerRange range,
                                 bool isSymmetric) const {
  Code code = makeCode(bounds, range, isSymmetric);
  double sum = 0;
  for (size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] == 0)
      continue;
    float center = getCenter(bin);
    double off = double(center) - code.decode(code.encode(center, range));
    sum += static_cast<double>(counts[bin]) * off * off;
  }
  return sum;
}

ActivationRange::Bounds ActivationRange::choose(RangeMethod method,
                                                double percentile,
                                                IntegerRange range,
                                                bool isSymmetric) const {
  if (isEmpty())
    return {};
  Bounds all{std::min(low, 0.0f), std::max(high, 0.0f)};
  if (method == RangeMethod::MinMax || counts.empty() || !(low < high))
    return all;
  if (method == RangeMethod::Percentile) {
    uint64_t total = 0;
    for (uint64_t count : counts)
      total += count;
    const double outside = static_cast<double>(total) * (1 - percentile / 100);
    size_t first = 0, last = numBins - 1;
    for (double left = outside; first < last && left >= counts[first]; ++first)
      left -= static_cast<double>(counts[first]);
    for (double left = outside; last > first && left >= counts[last]; --last)
      left -= static_cast<double>(counts[last]);
    const double width = (double(high) - low) / numBins;
    return {std::min(0.0f, static_cast<float>(low + width * double(first))),
            std::max(0.0f, static_cast<float>(low + width * double(last + 1)))};
  }
  // Each side is cut in turn, as long as that lessens the error.
  constexpr int numSteps = 40;
  auto cut = [&](int below, int above) {
    return Bounds{all.low * (1 - static_cast<float>(below) / numSteps),
                  all.high * (1 - static_cast<float>(above) / numSteps)};
  };
  std::array<int, 2> best = {0, 0};
  double least = getError(all, range, isSymmetric);
  for (int round = 0; round < 3; ++round) {
    bool isBetter = false;
    for (int side = 0; side < 2; ++side)
      for (int step = 0; step < numSteps; ++step) {
        std::array<int, 2> tried = best;
        tried[side] = step;
        double error = getError(cut(tried[0], tried[1]), range, isSymmetric);
        if (error < least) {
          least = error;
          best = tried;
          isBetter = true;
        }
      }
    if (!isBetter)
      break;
  }
  return cut(best[0], best[1]);
}

Code onnxc::quantize::makeCode(ActivationRange::Bounds bounds,
                               IntegerRange range, bool isSymmetric) {
  if (isSymmetric) {
    float largest = std::max(-bounds.low, bounds.high);
    float scale = largest / static_cast<float>(range.most);
    return {scale >= FLT_MIN ? scale : 1.0f, 0};
  }
  const auto steps = static_cast<float>(range.most - range.least);
  float scale = (bounds.high - bounds.low) / steps;
  if (!(scale >= FLT_MIN) || !std::isfinite(scale))
    return {1, range.least};
  float zero =
      std::nearbyint(static_cast<float>(range.least) - bounds.low / scale);
  return {scale,
          static_cast<int32_t>(std::clamp(zero, static_cast<float>(range.least),
                                          static_cast<float>(range.most)))};
}
