//===- SaturatingInt.h - Sizes, counts and costs of a model --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may state any 64-bit number as a size, a trip count or an attribute.
// Products and sums of them that are compared with a budget are of this type:
// where the exact result has more than 64 bits it is the greatest (or least)
// number, and so beyond any budget. utils/check_products.py finds products that
// are not.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_SATURATINGINT_H
#define ONNXC_SUPPORT_SATURATINGINT_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace onnxc {

class SaturatingInt {
public:
  constexpr SaturatingInt(int64_t value = 0) : value(value) {}

  constexpr operator int64_t() const { return value; }
  constexpr int64_t get() const { return value; }

  SaturatingInt &operator*=(SaturatingInt other) {
    bool isNegative = (value < 0) != (other.value < 0);
    if (llvm::MulOverflow(value, other.value, value))
      value = limit(isNegative);
    return *this;
  }
  SaturatingInt &operator+=(SaturatingInt other) {
    bool isNegative = other.value < 0;
    if (llvm::AddOverflow(value, other.value, value))
      value = limit(isNegative);
    return *this;
  }

  friend SaturatingInt operator*(SaturatingInt a, SaturatingInt b) {
    return a *= b;
  }
  friend SaturatingInt operator+(SaturatingInt a, SaturatingInt b) {
    return a += b;
  }
  // Without these, an operand of another type would make the built-in operator
  // as good a choice.
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  friend SaturatingInt operator*(SaturatingInt a, T b) {
    return a *= SaturatingInt(b);
  }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  friend SaturatingInt operator*(T a, SaturatingInt b) {
    return b *= SaturatingInt(a);
  }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  friend SaturatingInt operator+(SaturatingInt a, T b) {
    return a += SaturatingInt(b);
  }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  friend SaturatingInt operator+(T a, SaturatingInt b) {
    return b += SaturatingInt(a);
  }

private:
  static constexpr int64_t limit(bool isNegative) {
    return isNegative ? std::numeric_limits<int64_t>::min()
                      : std::numeric_limits<int64_t>::max();
  }

  int64_t value;
};

} // namespace onnxc

#endif // ONNXC_SUPPORT_SATURATINGINT_H
