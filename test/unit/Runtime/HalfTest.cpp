//===- HalfTest.cpp - Conversions of narrow floats ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/BFloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" {
float __extendhfsf2(_Float16 value);
_Float16 __truncsfhf2(float value);
_Float16 __truncdfhf2(double value);
onnxc_bf16 __truncsfbf2(float value);
onnxc_bf16 __truncdfbf2(double value);
float __powisf2(float base, int exponent);
}

namespace {

template <typename To, typename From> To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// A number from its bits, by the definition of the format.
double decode(uint16_t bits, int fractionBits) {
  int exponentBits = 15 - fractionBits;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits & 0x7fff) >> fractionBits;
  int fraction = bits & ((1 << fractionBits) - 1);
  double value;
  if (exponent == (1 << exponentBits) - 1)
    value = fraction ? NAN : INFINITY;
  else if (exponent)
    value = std::ldexp(fraction + (1 << fractionBits),
                       exponent - bias - fractionBits);
  else
    value = std::ldexp(fraction, 1 - bias - fractionBits);
  return bits & 0x8000 ? -value : value;
}

TEST(Half, ExtendsEveryNumber) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double want = decode(static_cast<uint16_t>(bits), 10);
    float got = __extendhfsf2(bitsAs<_Float16>(static_cast<uint16_t>(bits)));
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
    } else {
      EXPECT_EQ(bitsAs<uint32_t>(got),
                bitsAs<uint32_t>(static_cast<float>(want)))
          << bits;
    }
  }
}

/// Each number, what lies halfway to the next, and what is just off halfway.
template <typename Truncate>
void checkRounding(int fractionBits, Truncate truncate) {
  uint16_t infinity =
      static_cast<uint16_t>(0x7fff >> fractionBits << fractionBits);
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    double low = decode(bits, fractionBits);
    // Past the largest number, rounding goes on as if there were one more.
    double high = bits + 1 == infinity
                      ? 2 * low - decode(bits - 1, fractionBits)
                      : decode(bits + 1, fractionBits);
    double middle = low + (high - low) / 2;
    uint16_t even = bits & 1 ? bits + 1 : bits;
    EXPECT_EQ(truncate(low), bits);
    EXPECT_EQ(truncate(-low), bits | 0x8000);
    EXPECT_EQ(truncate(middle), even) << bits;
    EXPECT_EQ(truncate(-middle), even | 0x8000) << bits;
    EXPECT_EQ(truncate(std::nextafter(static_cast<float>(middle), 0.0f)), bits);
    EXPECT_EQ(truncate(std::nextafter(static_cast<float>(middle), INFINITY)),
              bits + 1);
  }
  EXPECT_EQ(truncate(INFINITY), infinity);
  EXPECT_EQ(truncate(-INFINITY), infinity | 0x8000);
  EXPECT_GT(truncate(NAN) & 0x7fff, infinity);
}

TEST(Half, RoundsFloatToHalf) {
  checkRounding(10, [](double x) {
    return bitsAs<uint16_t>(__truncsfhf2(static_cast<float>(x)));
  });
}

TEST(Half, RoundsDoubleToHalf) {
  checkRounding(10, [](double x) { return bitsAs<uint16_t>(__truncdfhf2(x)); });
}

TEST(Half, RoundsDoubleToBfloat) {
  checkRounding(7, [](double x) { return bitsAs<uint16_t>(__truncdfbf2(x)); });
}

TEST(Half, RoundsFloatToBfloat) {
  for (uint32_t high = 0; high < 0x7f80; ++high) {
    auto at = [&](uint32_t low) {
      return bitsAs<uint16_t>(__truncsfbf2(bitsAs<float>((high << 16) | low)));
    };
    EXPECT_EQ(at(0), high);
    EXPECT_EQ(at(0x7fff), high);
    EXPECT_EQ(at(0x8000), high + (high & 1));
    EXPECT_EQ(at(0x8001), high + 1);
    EXPECT_EQ(at(0xffff), high + 1);
  }
}

TEST(Half, TinyNumbersBecomeZero) {
  EXPECT_EQ(bitsAs<uint16_t>(__truncdfhf2(1e-300)), 0);
  EXPECT_EQ(bitsAs<uint16_t>(__truncdfhf2(-4e-324)), 0x8000);
  EXPECT_EQ(bitsAs<uint16_t>(__truncsfhf2(1e-45f)), 0);
}

TEST(Half, IntegerPowers) {
  EXPECT_EQ(__powisf2(3, 4), 81);
  EXPECT_EQ(__powisf2(2, -2), 0.25f);
  EXPECT_EQ(__powisf2(0, 0), 1);
  EXPECT_EQ(__powisf2(1, INT32_MIN), 1);
}

} // namespace
