//===- RandomTest.cpp - Random numbers ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a seed, the numbers are those of numpy.random.RandomState, which draws
// from the Mersenne Twister that the standard library has, too.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Entry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace {

onnxc_tensor over(std::vector<double> &numbers) {
  int64_t count = int64_t(numbers.size());
  return onnxc_tensor_over(numbers.data(), ONNXC_DOUBLE, 1, &count);
}

/// Of 53 bits, as RandomState.random_sample.
double uniform(std::mt19937 &engine) {
  uint64_t high = engine() >> 5, low = engine() >> 6;
  return double(high << 26 | low) / double(uint64_t(1) << 53);
}

// More than the state has, so that it is renewed.
constexpr int many = 1000;

TEST(Random, UniformNumbersOfASeed) {
  for (uint32_t seed : {0u, 42u, 4294967295u}) {
    std::vector<double> numbers(many);
    onnxc_tensor result = over(numbers);
    ASSERT_EQ(onnxc_rt_random_uniform(nullptr, "", seed, &result), ONNXC_OK);
    std::mt19937 engine(seed);
    for (double number : numbers)
      ASSERT_EQ(number, uniform(engine));
  }
  // numpy.random.RandomState(42).random_sample(2)
  std::vector<double> two(2);
  onnxc_tensor result = over(two);
  ASSERT_EQ(onnxc_rt_random_uniform(nullptr, "", 42, &result), ONNXC_OK);
  EXPECT_EQ(two[0], 0.3745401188473625);
  EXPECT_EQ(two[1], 0.9507143064099162);
}

TEST(Random, NormalNumbersOfASeed) {
  std::vector<double> numbers(many);
  onnxc_tensor result = over(numbers);
  ASSERT_EQ(onnxc_rt_random_normal(nullptr, "", 42, &result), ONNXC_OK);
  // numpy.random.RandomState(42).standard_normal(4)
  EXPECT_NEAR(numbers[0], 0.4967141530112327, 1e-15);
  EXPECT_NEAR(numbers[1], -0.13826430117118466, 1e-15);
  EXPECT_NEAR(numbers[2], 0.6476885381006925, 1e-15);
  EXPECT_NEAR(numbers[3], 1.5230298564080254, 1e-15);
  // Two of a pair are on one ray of the polar method.
  std::mt19937 engine(42);
  for (int i = 0; i < many; i += 2) {
    double x, y, square;
    do {
      x = 2 * uniform(engine) - 1;
      y = 2 * uniform(engine) - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = std::sqrt(-2 * std::log(square) / square);
    ASSERT_NEAR(numbers[i], factor * y, 1e-12);
    ASSERT_NEAR(numbers[i + 1], factor * x, 1e-12);
  }
}

TEST(Random, BernoulliDrawsTheRarerSide) {
  std::vector<double> chances(many), numbers(many);
  for (int i = 0; i < many; ++i)
    chances[i] = i % 11 / 10.0;
  onnxc_tensor from = over(chances), result = over(numbers);
  ASSERT_EQ(onnxc_rt_random_bernoulli(nullptr, "", 7, &from, &result),
            ONNXC_OK);
  std::mt19937 engine(7);
  for (int i = 0; i < many; ++i) {
    double p = chances[i], want = 0;
    if (p > 0.5)
      want = uniform(engine) > 1 - (1 - p) ? 0 : 1;
    else if (p > 0)
      want = uniform(engine) > 1 - p ? 1 : 0;
    ASSERT_EQ(numbers[i], want) << i << ": " << p;
  }
}

TEST(Random, KeysAreThoseOfSplitMix64) {
  onnxc_rt_context context;
  std::memset(&context, 0, sizeof context);
  context.random_keys = 1;
  // The state after which a generator that starts at 0 gives its first number.
  context.random_start = UINT64_C(0x9E3779B97F4A7C15) - 2;
  int64_t key;
  ASSERT_EQ(onnxc_rt_random_key(&context.face, "", &key), ONNXC_OK);
  EXPECT_EQ(uint64_t(key), UINT64_C(0xE220A8397B1DCDAF));
  EXPECT_EQ(context.random_keys, 2u);
}

TEST(Random, KeysStartElsewhereInEachContext) {
  onnxc_rt_context one, other;
  std::memset(&one, 0, sizeof one);
  std::memset(&other, 0, sizeof other);
  int64_t a, b, c;
  ASSERT_EQ(onnxc_rt_random_key(&one.face, "", &a), ONNXC_OK);
  ASSERT_EQ(onnxc_rt_random_key(&one.face, "", &b), ONNXC_OK);
  ASSERT_EQ(onnxc_rt_random_key(&other.face, "", &c), ONNXC_OK);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(one.random_start, other.random_start);
}

} // namespace
