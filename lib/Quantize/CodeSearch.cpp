//===- CodeSearch.cpp - Scales and zero points of numbers -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/CodeSearch.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace llvm;
using namespace onnxc::quantize;

/// A number below 2^22 plus that, minus it, is the nearest integer, ties to
/// even: what std::nearbyint gives, without a call.
static constexpr float roundingBias = 12582912; // 1.5 * 2^23

/// Several numbers at once: a search of scales reads each weight tens of times.
static constexpr size_t numLanes = 4;
using Lanes = float __attribute__((vector_size(numLanes * sizeof(float))));

int32_t Code::encode(float value, IntegerRange range) const {
  const auto zero = static_cast<float>(zeroPoint);
  float inRange =
      std::clamp(value / scale, static_cast<float>(range.least) - zero,
                 static_cast<float>(range.most) - zero);
  return static_cast<int32_t>((inRange + roundingBias) - roundingBias) +
         zeroPoint;
}

/// A scale by which nothing overflows or is divided by zero.
static bool isUsable(float scale) {
  return std::isfinite(scale) && std::fabs(scale) >= FLT_MIN;
}

namespace {
/// The best of the codes that are tried.
class Search {
public:
  Search(ArrayRef<float> values, ArrayRef<float> weights, IntegerRange range,
         RoundScale round)
      : range(range), round(round) {
    for (size_t i = 0; i < values.size(); i += numLanes) {
      // What fills the last lanes has no weight.
      Lanes value = {}, weight = {};
      for (size_t k = 0; k < std::min(numLanes, values.size() - i); ++k) {
        value[k] = values[i + k];
        weight[k] = weights.empty() ? 1 : weights[i + k];
      }
      lanes.emplace_back(value, weight);
    }
  }

  /// Takes the code, and the one that has the scale of least squares for the
  /// integers that it makes.
  void tryAround(float scale, int32_t zeroPoint) {
    float refined = tryCode({round(scale), zeroPoint});
    if (refined != 0)
      tryCode({round(refined), zeroPoint});
  }

  bool isFound() const { return error < HUGE_VAL; }
  Code get() const { return best; }

private:
  /// The scale of least squares for the integers of this code; 0 if there is
  /// none.
  float tryCode(Code code) {
    if (!isUsable(code.scale))
      return 0;
    const auto zero = static_cast<float>(code.zeroPoint);
    const float inverse = 1 / code.scale;
    const auto least = static_cast<float>(range.least) - zero;
    const auto most = static_cast<float>(range.most) - zero;
    Lanes sums = {}, products = {}, squares = {};
    for (const auto &[value, weight] : lanes) {
      Lanes scaled = value * inverse;
      scaled = scaled < least ? spread(least) : scaled;
      scaled = scaled > most ? spread(most) : scaled;
      Lanes integer = (scaled + roundingBias) - roundingBias;
      Lanes off = value - integer * code.scale;
      sums += weight * off * off;
      products += weight * integer * value;
      squares += weight * integer * integer;
    }
    double sum = addUp(sums);
    if (sum < error) {
      error = sum;
      best = code;
    }
    double all = addUp(squares);
    return all > 0 ? static_cast<float>(addUp(products) / all) : 0;
  }

  static Lanes spread(float value) { return Lanes{} + value; }
  static double addUp(Lanes lanes) {
    double sum = 0;
    for (size_t k = 0; k < numLanes; ++k)
      sum += lanes[k];
    return sum;
  }

  SmallVector<std::pair<Lanes, Lanes>, 8> lanes;
  IntegerRange range;
  RoundScale round;
  Code best;
  double error = HUGE_VAL;
};
} // namespace

Code onnxc::quantize::searchSymmetric(ArrayRef<float> values,
                                      ArrayRef<float> weights,
                                      IntegerRange range, RoundScale round) {
  float largest = 0;
  for (float value : values)
    if (std::fabs(value) > std::fabs(largest))
      largest = value;
  if (largest == 0)
    return {};
  Search search(values, weights, range, round);
  // The largest number is the last integer on one side or on the other, or up
  // to a third beyond it, where it is cut off. Of many bits that does not pay.
  bool isNarrow = range.most - range.least < 64;
  const int numSteps = isNarrow ? 9 : 3;
  const float reach = isNarrow ? 1.0f / 3 : 1.0f / 32;
  for (int32_t end : {range.least, range.most})
    for (int step = isNarrow ? -2 : 0; step < numSteps; ++step) {
      float part = 1 - reach * static_cast<float>(step) /
                           static_cast<float>(numSteps - 1);
      search.tryAround(largest * part / static_cast<float>(end), 0);
    }
  return search.isFound() ? search.get() : Code();
}

Code onnxc::quantize::searchAsymmetric(ArrayRef<float> values,
                                       ArrayRef<float> weights,
                                       IntegerRange range, RoundScale round) {
  // Zero is representable: its integer is the zero point.
  float low = 0, high = 0;
  for (float value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low == high)
    return {1, range.least};
  Search search(values, weights, range, round);
  const int numSteps = range.most - range.least < 64 ? 7 : 2;
  const auto steps = static_cast<float>(range.most - range.least);
  for (int below = 0; below < numSteps; ++below)
    for (int above = 0; above < numSteps; ++above) {
      float from = low * (1 - 0.06f * static_cast<float>(below)),
            to = high * (1 - 0.06f * static_cast<float>(above));
      float scale = (to - from) / steps;
      if (!isUsable(scale))
        continue;
      float zero = std::nearbyint(-from / scale);
      search.tryAround(scale, range.least + static_cast<int32_t>(
                                                std::clamp(zero, 0.0f, steps)));
    }
  // Scales are divided by, and a refined one may have changed its sign only
  // where the numbers are not finite.
  return search.isFound() ? search.get() : Code{1, range.least};
}

Code onnxc::quantize::searchSymmetricPositive(ArrayRef<float> values,
                                              IntegerRange range,
                                              float leastScale) {
  float largest = 0;
  for (float value : values)
    largest = std::max(largest, std::fabs(value));
  IntegerRange even{-range.most, range.most};
  const float full = largest / static_cast<float>(range.most);
  leastScale = std::max(leastScale, FLT_MIN);
  if (!(full > leastScale))
    return {leastScale == FLT_MIN ? 1.0f : leastScale, 0};
  Code best{full, 0};
  double error = HUGE_VAL;
  for (int step = 0; step < 12; ++step) {
    Code code{
        std::max(full * (1 - 0.025f * static_cast<float>(step)), leastScale),
        0};
    double sum = 0;
    for (float value : values) {
      float off = value - code.decode(code.encode(value, even));
      sum += off * off;
    }
    if (sum < error) {
      error = sum;
      best = code;
    }
  }
  return best;
}
