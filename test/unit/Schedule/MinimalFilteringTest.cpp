//===- MinimalFilteringTest.cpp - Winograd's short convolutions -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/Winograd/MinimalFiltering.h"
#include "Kernels/Conv/WinogradSchedule.h"

#include "gtest/gtest.h"

#include <array>
#include <random>

using namespace onnxc::winograd;

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
  for (int64_t taps : {1, 3, 4, 5}) {
    const MinimalFiltering &f = MinimalFiltering::get(taps);
    EXPECT_EQ(f.taps, taps);
    EXPECT_EQ(f.outputs, taps == 1 ? 1 : 4);
    const double someOf[] = {3, -1, 4, 1, -5, 9, 2, -6},
                 g[] = {2, -7, 1, 8, -2};
    llvm::ArrayRef<double> pixels(someOf, f.points()), weights(g, taps);
    std::vector<double> d = multiply(f.image, pixels),
                        w = multiply(f.filter, weights);
    ASSERT_EQ(d.size(), size_t(f.points()));
    ASSERT_EQ(w.size(), size_t(f.points()));
    for (size_t i = 0; i < d.size(); ++i)
      d[i] *= w[i];
    std::vector<double> results = multiply(f.sums, d);
    ASSERT_EQ(results.size(), size_t(f.outputs));
    for (int64_t i = 0; i < f.outputs; ++i) {
      double expected = 0;
      for (int64_t k = 0; k < taps; ++k)
        expected += pixels[i + k] * weights[k];
      EXPECT_NEAR(results[i], expected, 1e-11) << taps;
    }
  }
}

TEST(MinimalFiltering, ComputesMultiplesInWholeNumbers) {
  const MinimalFiltering &f = MinimalFiltering::getWhole();
  const std::vector<double> pixels{255, 0, 17, 254, 128, 3},
      taps{-128, 127, 64};
  std::vector<double> d = multiply(f.image, pixels),
                      w = multiply(f.filter, taps);
  for (size_t i = 0; i < d.size(); ++i) {
    EXPECT_EQ(d[i], std::round(d[i]));
    EXPECT_EQ(w[i], std::round(w[i]));
    d[i] *= w[i];
  }
  std::vector<double> results = multiply(f.sums, d);
  ASSERT_EQ(results.size(), 4u);
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], double(f.multiple) *
                              (pixels[i] * taps[0] + pixels[i + 1] * taps[1] +
                               pixels[i + 2] * taps[2]));
}

TEST(MinimalFiltering, WholeNumbersOfTwoAxesFitInto16Bits) {
  const MinimalFiltering &f = MinimalFiltering::getWhole();
  auto greatest = [](const Matrix &matrix) {
    double most = 0;
    for (const auto &row : matrix) {
      double sum = 0;
      for (double factor : row)
        sum += std::abs(factor);
      most = std::max(most, sum);
    }
    return most;
  };
  EXPECT_EQ(greatest(f.image), 10);
  EXPECT_EQ(greatest(f.filter), 12);
  EXPECT_LT(255 * greatest(f.image) * greatest(f.image), 1 << 15);
  EXPECT_LT(128 * greatest(f.filter) * greatest(f.filter), 1 << 15);
}

/// rows * values * columns^T, rows first, each rounded to float32.
std::vector<float> multiplyTwice(const Matrix &rows, const Matrix &columns,
                                 llvm::ArrayRef<float> values) {
  int64_t height = rows.front().size(), width = columns.front().size();
  std::vector<float> half, all;
  for (const auto &row : rows)
    for (int64_t j = 0; j < width; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < height; ++k)
        sum = std::fma(float(row[k]), values[k * width + j], sum);
      half.push_back(sum);
    }
  for (size_t i = 0; i < rows.size(); ++i)
    for (const auto &column : columns) {
      float sum = 0;
      for (int64_t k = 0; k < width; ++k)
        sum = std::fma(float(column[k]), half[i * width + k], sum);
      all.push_back(sum);
    }
  return all;
}

/// The root mean square of float32 errors, of the sums as they are defined and
/// of the filtering, for one filter over many tiles of pixels. Shares of
/// `depth` channels are summed up by themselves.
std::pair<double, double> measureErrors(const WindowFiltering &f,
                                        llvm::ArrayRef<float> weights,
                                        int64_t channels, int64_t depth) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  int64_t width = f.columns.points(), taps = f.taps();
  double direct = 0, filtered = 0;
  for (int64_t tile = 0; tile < 6400 / f.outputs(); ++tile) {
    std::vector<float> sums(f.places()), share(f.places()), plain(f.outputs());
    std::vector<double> exact(f.outputs());
    for (int64_t c = 0; c < channels; ++c) {
      std::vector<float> pixels(f.places());
      for (float &x : pixels)
        x = normal(random);
      llvm::ArrayRef<float> own = weights.slice(c * taps, taps);
      std::vector<float> d = multiplyTwice(f.rows.image, f.columns.image,
                                           pixels),
                         g = multiplyTwice(f.rows.filter, f.columns.filter,
                                           own);
      for (int64_t i = 0; i < f.places(); ++i)
        share[i] = std::fma(d[i], g[i], share[i]);
      if ((c + 1) % depth == 0)
        for (int64_t i = 0; i < f.places(); ++i) {
          sums[i] += share[i];
          share[i] = 0;
        }
      for (int64_t i = 0; i < f.outputs(); ++i)
        for (int64_t k = 0; k < taps; ++k) {
          int64_t row = i / f.columns.outputs + k / f.columns.taps,
                  column = i % f.columns.outputs + k % f.columns.taps;
          float pixel = pixels[row * width + column];
          plain[i] = std::fma(pixel, own[k], plain[i]);
          exact[i] += double(pixel) * own[k];
        }
    }
    std::vector<float> results =
        multiplyTwice(f.rows.sums, f.columns.sums, sums);
    for (int64_t i = 0; i < f.outputs(); ++i) {
      direct += std::pow(plain[i] - exact[i], 2);
      filtered += std::pow(results[i] - exact[i], 2);
    }
  }
  return {std::sqrt(direct), std::sqrt(filtered)};
}

double estimateFor(const WindowFiltering &f, llvm::ArrayRef<float> weights,
                   int64_t channels, int64_t depth) {
  return f.estimateError(channels, depth, [&](int64_t c, int64_t k) {
    return weights[c * f.taps() + k];
  });
}

TEST(MinimalFiltering, EstimatesItsErrors) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (auto [rows, columns, channels, depth] :
       {std::array<int64_t, 4>{3, 3, 16, 16},
        {3, 3, 64, 64},
        {3, 3, 256, 64},
        {3, 3, 128, 32},
        {1, 3, 64, 64},
        {1, 4, 64, 64},
        {4, 1, 256, 64},
        {1, 5, 64, 32},
        {5, 5, 128, 64},
        {3, 5, 64, 64}}) {
    auto f = WindowFiltering::get({rows, columns});
    std::vector<float> weights(f.taps() * channels);
    for (float &w : weights)
      w = normal(random);
    auto [direct, filtered] = measureErrors(f, weights, channels, depth);
    double estimate = estimateFor(f, weights, channels, depth);
    EXPECT_NEAR(estimate, filtered / direct, 0.15 * estimate)
        << rows << " x " << columns << ", " << channels;
  }
}

TEST(MinimalFiltering, EstimatesTheErrorsOfFewLiveChannels) {
  // Sums of channels without weights are not rounded.
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  auto f = WindowFiltering::get({3, 3});
  int64_t channels = 64, live = 8;
  std::vector<float> weights(9 * channels);
  for (int64_t i = 0; i < 9 * live; ++i)
    weights[i] = normal(random);
  auto [direct, filtered] = measureErrors(f, weights, channels, channels);
  double estimate = estimateFor(f, weights, channels, channels);
  EXPECT_NEAR(estimate, filtered / direct, 0.15 * estimate);
}

TEST(MinimalFiltering, CountsWeightsThatAreThere) {
  // A single tap is rounded once by definition.
  auto one = [](int64_t c, int64_t k) { return c == 0 && k == 4; };
  auto all = [](int64_t c, int64_t k) { return 1.0; };
  auto f = WindowFiltering::get({3, 3});
  EXPECT_GT(f.estimateError(64, 64, one), 4);
  EXPECT_LT(f.estimateError(64, 64, all), 4);
  EXPECT_EQ(f.estimateError(64, 64, [](int64_t, int64_t) { return 0.0; }), 0);
}

TEST(MinimalFiltering, ListsTheFewestProductsFirst) {
  using Taps = std::pair<int64_t, int64_t>;
  EXPECT_EQ(onnxc::listFilterings(3, 3), llvm::ArrayRef<Taps>({{3, 3}}));
  // 16 products for 9 taps, 21 with three parts, 18 of three taps each.
  EXPECT_EQ(onnxc::listFilterings(1, 9),
            llvm::ArrayRef<Taps>({{1, 5}, {1, 3}, {1, 4}}));
  EXPECT_EQ(onnxc::listFilterings(7, 1).front(), Taps(4, 1));
  EXPECT_EQ(onnxc::listFilterings(5, 5).front(), Taps(5, 5));
  EXPECT_TRUE(onnxc::listFilterings(1, 1).empty());
  EXPECT_TRUE(onnxc::listFilterings(2, 3).empty());
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
