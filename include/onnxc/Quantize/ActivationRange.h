//===- ActivationRange.h - Scales of what a run computes ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_ACTIVATIONRANGE_H
#define ONNXC_QUANTIZE_ACTIVATIONRANGE_H

#include "onnxc/Quantize/CodeSearch.h"

#include <cmath>
#include <vector>

namespace onnxc::quantize {

/// How the range of a tensor's values is chosen.
enum class RangeMethod {
  /// From the least to the greatest value.
  MinMax,
  /// Without the outermost values on both sides.
  Percentile,
  /// The range of least squared error.
  LeastError,
};

/// The values of a tensor over all runs of the calibration: their range in a
/// first pass, how many are where in it in a second one.
class ActivationRange {
public:
  void addRange(llvm::ArrayRef<float> values);
  /// After all calls of addRange, with the same values.
  void addCounts(llvm::ArrayRef<float> values);

  /// Whether a value was NaN or infinite.
  bool hasOther() const { return isOther; }
  bool isEmpty() const { return !(low <= high); }

  /// The values between which integers are used; zero is among them.
  struct Bounds {
    float low = 0, high = 0;
  };
  Bounds choose(RangeMethod method, double percentile, IntegerRange range,
                bool isSymmetric) const;

private:
  static constexpr size_t numBins = 4096;

  double getError(Bounds bounds, IntegerRange range, bool isSymmetric) const;
  float getCenter(size_t bin) const;

  float low = HUGE_VALF, high = -HUGE_VALF;
  bool isOther = false;
  /// Zeros are apart: they are exact in any code, and there may be many.
  std::vector<uint64_t> counts;
};

/// The code of a range: of unsigned integers with a zero point, of signed ones
/// (`isSymmetric`) without.
Code makeCode(ActivationRange::Bounds bounds, IntegerRange range,
              bool isSymmetric);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_ACTIVATIONRANGE_H
