//===- CodeSearch.h - Scales and zero points of numbers ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic only: which scale and zero point represent given numbers with the
// least squared error.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_CODESEARCH_H
#define ONNXC_QUANTIZE_CODESEARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace onnxc::quantize {

/// The integers that numbers become.
struct IntegerRange {
  int32_t least, most;

  static IntegerRange ofSigned(unsigned bits) {
    return {-(1 << (bits - 1)), (1 << (bits - 1)) - 1};
  }
  static IntegerRange ofUnsigned(unsigned bits) { return {0, (1 << bits) - 1}; }
  /// As many below zero as above.
  static IntegerRange ofBalanced(unsigned bits) {
    return {1 - (1 << (bits - 1)), (1 << (bits - 1)) - 1};
  }
  /// Of activations of 8 bits.
  static IntegerRange ofActivations(bool isUnsigned) {
    return isUnsigned ? ofUnsigned(8) : ofBalanced(8);
  }
};

/// A number is (integer - zeroPoint) * scale.
struct Code {
  float scale = 1;
  int32_t zeroPoint = 0;

  /// The nearest integer; ties to even, as QuantizeLinear.
  int32_t encode(float value, IntegerRange range) const;
  float decode(int32_t integer) const {
    return static_cast<float>(integer - zeroPoint) * scale;
  }
};

/// Rounds a scale to the type in which it is stored.
using RoundScale = llvm::function_ref<float(float)>;

/// The code without zero point that has the least sum of
/// weight * (value - decoded)^2; all weights are 1 if there are none. The scale
/// may be negative: the range of signed integers has one more below zero.
Code searchSymmetric(llvm::ArrayRef<float> values,
                     llvm::ArrayRef<float> weights, IntegerRange range,
                     RoundScale round);

/// The same with a zero point, of unsigned integers; the scale is positive.
Code searchAsymmetric(llvm::ArrayRef<float> values,
                      llvm::ArrayRef<float> weights, IntegerRange range,
                      RoundScale round);

/// The positive scale for integers -most..most, of which the error is least; at
/// least `leastScale`.
Code searchSymmetricPositive(llvm::ArrayRef<float> values, IntegerRange range,
                             float leastScale);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_CODESEARCH_H
