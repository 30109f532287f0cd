//===- MinimalFilteringTest.cpp - Winograd's short convolutions -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/Conv/MinimalFiltering.h"
#include "Kernels/Conv/WinogradSchedule.h"

#include "gtest/gtest.h"

#include <random>

using namespace onnxc::conv;

namespace {

std::vector<double> multiply(const Matrix &matrix,
                             llvm::ArrayRef<double> values) {
  std::vector<double> results;
  for (const auto &row : matrix) {
    double sum = 0;
    for (size_t k = 0; k < row.size(); ++k)
      sum += row[k] * values[k];
    results.push_back(sum);
  }
  return results;
}

TEST(MinimalFiltering, ComputesTheConvolution) {
  const MinimalFiltering &f = MinimalFiltering::get();
  std::vector<double> pixels = {3, -1, 4, 1, -5, 9}, taps = {2, -7, 1};
  std::vector<double> d = multiply(f.image, pixels),
                      g = multiply(f.filter, taps);
  ASSERT_EQ(d.size(), size_t(kPoints));
  ASSERT_EQ(g.size(), size_t(kPoints));
  for (size_t i = 0; i < d.size(); ++i)
    d[i] *= g[i];
  std::vector<double> results = multiply(f.sums, d);
  ASSERT_EQ(results.size(), size_t(kOutputs));
  for (int64_t i = 0; i < kOutputs; ++i)
    EXPECT_NEAR(results[i],
                pixels[i] * taps[0] + pixels[i + 1] * taps[1] +
                    pixels[i + 2] * taps[2],
                1e-12);
}

/// The root mean square of float32 errors, of the sums as they are defined and
/// of the filtering, for one filter over many squares of pixels. Shares of
/// `depth` channels are summed up by themselves.
std::pair<double, double> measureErrors(llvm::ArrayRef<float> weights,
                                        int64_t channels, int64_t depth) {
  const MinimalFiltering &f = MinimalFiltering::get();
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  auto twice = [](const Matrix &matrix, llvm::ArrayRef<float> square,
                  int64_t n) {
    // Rows, then columns, each rounded to float32.
    int64_t m = matrix.size();
    std::vector<float> half(m * n), all(m * m);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < n; ++k)
          sum = std::fma(float(matrix[i][k]), square[k * n + j], sum);
        half[i * n + j] = sum;
      }
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < m; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < n; ++k)
          sum = std::fma(float(matrix[j][k]), half[i * n + k], sum);
        all[i * m + j] = sum;
      }
    return all;
  };
  double direct = 0, filtered = 0;
  for (int64_t square = 0; square < 400; ++square) {
    std::vector<float> sums(kPoints * kPoints), share(kPoints * kPoints),
        plain(kOutputs * kOutputs);
    std::vector<double> exact(kOutputs * kOutputs);
    for (int64_t c = 0; c < channels; ++c) {
      std::vector<float> pixels(kPoints * kPoints);
      for (float &x : pixels)
        x = normal(random);
      llvm::ArrayRef<float> taps = weights.slice(c * 9, 9);
      std::vector<float> d = twice(f.image, pixels, kPoints),
                         g = twice(f.filter, taps, kTaps);
      for (int64_t i = 0; i < kPoints * kPoints; ++i)
        share[i] = std::fma(d[i], g[i], share[i]);
      if ((c + 1) % depth == 0)
        for (int64_t i = 0; i < kPoints * kPoints; ++i) {
          sums[i] += share[i];
          share[i] = 0;
        }
      for (int64_t y = 0; y < kOutputs; ++y)
        for (int64_t x = 0; x < kOutputs; ++x)
          for (int64_t k = 0; k < 9; ++k) {
            float pixel = pixels[(y + k / 3) * kPoints + x + k % 3];
            float &sum = plain[y * kOutputs + x];
            sum = std::fma(pixel, taps[k], sum);
            exact[y * kOutputs + x] += double(pixel) * taps[k];
          }
    }
    std::vector<float> results = twice(f.sums, sums, kPoints);
    for (int64_t i = 0; i < kOutputs * kOutputs; ++i) {
      direct += std::pow(plain[i] - exact[i], 2);
      filtered += std::pow(results[i] - exact[i], 2);
    }
  }
  return {std::sqrt(direct), std::sqrt(filtered)};
}

TEST(MinimalFiltering, EstimatesItsErrors) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (auto [channels, depth] :
       {std::pair<int64_t, int64_t>{16, 16}, {64, 64}, {256, 64}, {128, 32}}) {
    std::vector<float> weights(9 * channels);
    for (float &w : weights)
      w = normal(random);
    auto [direct, filtered] = measureErrors(weights, channels, depth);
    double estimate = MinimalFiltering::get().estimateError(
        channels, depth,
        [&](int64_t c, int64_t k) { return weights[c * 9 + k]; });
    EXPECT_NEAR(estimate, filtered / direct, 0.15 * estimate) << channels;
  }
}

TEST(MinimalFiltering, EstimatesTheErrorsOfFewLiveChannels) {
  // Sums of channels without weights are not rounded.
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  int64_t channels = 64, live = 8;
  std::vector<float> weights(9 * channels);
  for (int64_t i = 0; i < 9 * live; ++i)
    weights[i] = normal(random);
  auto [direct, filtered] = measureErrors(weights, channels, channels);
  double estimate = MinimalFiltering::get().estimateError(
      channels, channels,
      [&](int64_t c, int64_t k) { return weights[c * 9 + k]; });
  EXPECT_NEAR(estimate, filtered / direct, 0.15 * estimate);
}

TEST(MinimalFiltering, CountsWeightsThatAreThere) {
  // A single tap is rounded once by definition.
  auto one = [](int64_t c, int64_t k) { return c == 0 && k == 4; };
  auto all = [](int64_t c, int64_t k) { return 1.0; };
  const MinimalFiltering &f = MinimalFiltering::get();
  EXPECT_GT(f.estimateError(64, 64, one), 4);
  EXPECT_LT(f.estimateError(64, 64, all), 4);
  EXPECT_EQ(f.estimateError(64, 64, [](int64_t, int64_t) { return 0.0; }), 0);
}

TEST(MinimalFiltering, SharesOfChannelsAreWholeBlocks) {
  EXPECT_EQ(onnxc::selectWinogradDepth(64, 16), 64);
  EXPECT_EQ(onnxc::selectWinogradDepth(128, 16), 64);
  EXPECT_EQ(onnxc::selectWinogradDepth(192, 16), 64);
  EXPECT_EQ(onnxc::selectWinogradDepth(160, 16), 32);
  // 5 blocks are no 2, 3 or 4 alike.
  EXPECT_EQ(onnxc::selectWinogradDepth(80, 16), 80);
  // 130 blocks, at least 33 shares and at most 66: 65 of them.
  EXPECT_EQ(onnxc::selectWinogradDepth(2080, 16), 32);
}

} // namespace
