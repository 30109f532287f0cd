//===- MinimalFiltering.cpp - Winograd's short convolutions ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinimalFiltering.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::winograd;

//===----------------------------------------------------------------------===//
// The matrices
//===----------------------------------------------------------------------===//

/// Where the polynomials are evaluated, beside infinity. For three taps, 1 and
/// 2, whose matrices have whole numbers, would double the rounding errors.
static ArrayRef<double> placesFor(int64_t taps) {
  static constexpr double ofThree[] = {0, M_SQRT1_2, -M_SQRT1_2, M_SQRT2,
                                       -M_SQRT2},
                          ofFour[] = {0, 0.5, -0.5, 1, -1, 3},
                          ofFive[] = {0, 0.5, -0.5, 1, -1, 2, -2};
  switch (taps) {
  case 1:
    return {};
  case 3:
    return ofThree;
  case 4:
    return ofFour;
  case 5:
    return ofFive;
  default:
    llvm_unreachable("kernel.conv has no filtering of so many taps");
  }
}

/// The coefficients of the product of (x - p) over all places but number
/// `left`, lowest first. Roundings of what is a whole number or a half go.
static SmallVector<double> productWithout(ArrayRef<double> places,
                                          size_t left) {
  SmallVector<double> polynomial{1};
  for (auto [i, place] : llvm::enumerate(places)) {
    if (i == left)
      continue;
    polynomial.insert(polynomial.begin(), 0);
    for (size_t k = 0; k + 1 < polynomial.size(); ++k)
      polynomial[k] -= place * polynomial[k + 1];
  }
  for (double &c : polynomial)
    if (double half = std::round(2 * c) / 2; std::abs(c - half) < 1e-12)
      c = half;
  polynomial.resize(places.size() + 1);
  return polynomial;
}

static MinimalFiltering makeFiltering(int64_t taps) {
  ArrayRef<double> places = placesFor(taps);
  MinimalFiltering f;
  f.taps = taps;
  f.outputs = int64_t(places.size()) + 2 - taps;
  f.sums.assign(f.outputs, {});
  for (auto [i, place] : llvm::enumerate(places)) {
    f.image.push_back(productWithout(places, i));
    double scale = 1;
    for (auto [j, other] : llvm::enumerate(places))
      if (j != i)
        scale *= place - other;
    SmallVector<double> &row = f.filter.emplace_back();
    for (int64_t k = 0; k < taps; ++k)
      row.push_back(std::pow(place, k) / scale);
    for (int64_t k = 0; k < f.outputs; ++k)
      f.sums[k].push_back(std::pow(place, k));
  }
  f.image.push_back(productWithout(places, places.size()));
  f.filter.emplace_back(taps, 0).back() = 1;
  for (int64_t k = 0; k < f.outputs; ++k)
    f.sums[k].push_back(k == f.outputs - 1);
  return f;
}

const MinimalFiltering &MinimalFiltering::get(int64_t taps) {
  constexpr int64_t least = kernel::ConvOp::kLeastFilteredTaps,
                    most = kernel::ConvOp::kMostFilteredTaps;
  static const MinimalFiltering one = makeFiltering(1);
  // A filtering is several matrices: none of them is kept inline.
  static const SmallVector<MinimalFiltering, 0> several =
      llvm::map_to_vector<0>(llvm::seq_inclusive(least, most), makeFiltering);
  return taps == 1 ? one : several[taps - least];
}

static MinimalFiltering makeWhole() {
  static constexpr double places[] = {0, 1, -1, 2, -2};
  constexpr int64_t taps = 3;
  MinimalFiltering f;
  f.taps = taps;
  f.outputs = int64_t(std::size(places)) + 2 - taps;
  // The least common multiple of what weights are divided by at these places:
  // 4, -6 and 24.
  f.multiple = 24;
  f.sums.assign(f.outputs, {});
  for (auto [i, place] : llvm::enumerate(places)) {
    f.image.push_back(productWithout(places, i));
    double factor = f.multiple;
    for (auto [j, other] : llvm::enumerate(places))
      if (j != i)
        factor /= place - other;
    SmallVector<double> &row = f.filter.emplace_back();
    for (int64_t k = 0; k < taps; ++k)
      row.push_back(std::round(factor * std::pow(place, k)));
    for (int64_t k = 0; k < f.outputs; ++k)
      f.sums[k].push_back(std::pow(place, k));
  }
  // Of the greatest factor, weights take a part that keeps them small.
  constexpr double ofWeights = 6;
  f.image.push_back(productWithout(places, std::size(places)));
  f.filter.emplace_back(taps, 0).back() = ofWeights;
  for (int64_t k = 0; k < f.outputs; ++k)
    f.sums[k].push_back(k == f.outputs - 1 ? double(f.multiple) / ofWeights
                                           : 0);
  return f;
}

const MinimalFiltering &MinimalFiltering::getWhole() {
  static const MinimalFiltering whole = makeWhole();
  return whole;
}

//===----------------------------------------------------------------------===//
// Rounding errors
//===----------------------------------------------------------------------===//

/// What else is rounded, in units of the rounding of a sum of one product: the
/// transformed pixels and weights, and the sums of products.
static constexpr double kOtherRoundings = 6;

/// The expected square of a result, as a quadratic form of the taps along one
/// axis, in units of the square of a pixel.
static Matrix makeForm(const MinimalFiltering &f) {
  Matrix form(f.taps, SmallVector<double>(f.taps, 0));
  for (int64_t i = 0; i < f.points(); ++i) {
    double pixels = 0, taken = 0;
    for (double x : f.image[i])
      pixels += x * x;
    for (const auto &row : f.sums)
      taken += row[i] * row[i] / double(f.outputs);
    for (int64_t k = 0; k < f.taps; ++k)
      for (int64_t l = 0; l < f.taps; ++l)
        form[k][l] += taken * pixels * f.filter[i][k] * f.filter[i][l];
  }
  return form;
}

/// Each step of a sum rounds what it has so far, whose square is expected to
/// grow with the squares of the weights. So n steps with weights w cost
/// n / 2 * sum of w^2, in units of the squares of a pixel and of a rounding.
/// Here the same is said of the sums of each place, whose weights are filter g
/// filter^T and whose pixels have the squares of image's rows, and of the
/// numbers that the results take of them.
double WindowFiltering::estimateError(
    int64_t channels, int64_t depth,
    function_ref<double(int64_t, int64_t)> tap) const {
  Matrix ofRows = makeForm(rows), ofColumns = makeForm(columns);
  int64_t m = rows.taps, n = columns.taps;
  SmallVector<double> g(m * n), half(m * n);
  double squares = 0, transformed = 0, steps = 0, live = 0;
  for (int64_t c = 0; c < channels; ++c) {
    bool isLive = false;
    for (int64_t k = 0; k < m * n; ++k) {
      double w = g[k] = tap(c, k);
      squares += w * w;
      steps += w != 0;
      isLive |= w != 0;
    }
    live += isLive;
    // The trace of ofRows g ofColumns g^T.
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        half[i * n + j] = 0;
        for (int64_t k = 0; k < m; ++k)
          half[i * n + j] += ofRows[i][k] * g[k * n + j];
      }
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < n; ++k)
          transformed += half[i * n + j] * ofColumns[j][k] * g[i * n + k];
  }
  if (squares == 0)
    return 0;
  double inShare = std::min<double>(live, double(depth)) / 2;
  double shares = double(channels) / double(depth);
  return std::sqrt((inShare + shares + kOtherRoundings) * transformed /
                   (std::max(steps, 1.0) / 2 * squares));
}

//===----------------------------------------------------------------------===//
// Products of a matrix and vectors
//===----------------------------------------------------------------------===//

namespace {
/// A sum of values, each times a number.
struct Sum {
  OpBuilder &b;
  Location loc;
  SmallVector<std::pair<double, Value>> terms = {};

  bool isZero() const { return terms.empty(); }
  void add(double factor, Value value) {
    if (factor != 0)
      terms.push_back({factor, value});
  }
  bool isInteger() const {
    return getElementTypeOrSelf(terms.front().second).isInteger();
  }
  Value constant(double factor) {
    auto type = cast<VectorType>(terms.front().second.getType());
    if (isInteger())
      return arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              type, b.getIntegerAttr(type.getElementType(), int64_t(factor))));
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, static_cast<float>(factor)));
  }
  Value times(double factor, Value value) {
    if (factor == 1)
      return value;
    if (isInteger())
      return arith::MulIOp::create(b, loc, value, constant(factor));
    return arith::MulFOp::create(b, loc, value, constant(factor));
  }
  /// `value` * factor + to.
  Value addTo(double factor, Value value, Value to) {
    if (isInteger()) {
      Value product = times(std::abs(factor), value);
      if (factor < 0)
        return arith::SubIOp::create(b, loc, to, product);
      return arith::AddIOp::create(b, loc, to, product);
    }
    if (factor == 1)
      return arith::AddFOp::create(b, loc, to, value);
    if (factor == -1)
      return arith::SubFOp::create(b, loc, to, value);
    return vector::FMAOp::create(b, loc, value, constant(factor), to);
  }
  /// Terms with a factor of 1 are first, as they need no product.
  Value emit() {
    llvm::stable_sort(terms, [](const auto &x, const auto &y) {
      return (x.first == 1) > (y.first == 1);
    });
    Value sum = times(terms.front().first, terms.front().second);
    for (auto [factor, value] : ArrayRef(terms).drop_front())
      sum = addTo(factor, value, sum);
    return sum;
  }
  /// A factor, and the sum divided by it: the first one, or of integers one
  /// that divides all.
  std::pair<double, Value> emitScaled() {
    double scale = terms.front().first;
    if (isInteger())
      for (const auto &[factor, value] : terms)
        scale = double(std::gcd(int64_t(scale), int64_t(factor)));
    for (auto &[factor, value] : terms)
      factor /= scale;
    return {scale, emit()};
  }
};

bool isAlike(double x, double y) { return std::abs(x - y) < 1e-12; }

/// Whether one list is the other with some signs changed.
bool isPair(ArrayRef<double> x, ArrayRef<double> y) {
  bool isSame = true;
  for (auto [u, v] : llvm::zip_equal(x, y)) {
    if (!isAlike(std::abs(u), std::abs(v)))
      return false;
    isSame &= isAlike(u, v);
  }
  return !isSame;
}

SmallVector<double> columnOf(const Matrix &matrix, size_t column) {
  SmallVector<double> numbers;
  for (const auto &row : matrix)
    numbers.push_back(row[column]);
  return numbers;
}
} // namespace

/// Pairs of columns become their sum and their difference, of which each row
/// takes one.
static void joinColumns(OpBuilder &b, Location loc, Matrix &matrix,
                        SmallVectorImpl<Value> &values) {
  for (size_t j = 0; j + 1 < values.size(); ++j) {
    if (!isPair(columnOf(matrix, j), columnOf(matrix, j + 1)))
      continue;
    Value x = values[j], y = values[j + 1];
    values[j] = Sum{b, loc, {{1, x}, {1, y}}}.emit();
    values[j + 1] = Sum{b, loc, {{1, x}, {-1, y}}}.emit();
    for (auto &row : matrix) {
      bool isSum = isAlike(row[j], row[j + 1]);
      row[j + 1] = isSum ? 0 : row[j];
      row[j] = isSum ? row[j] : 0;
    }
    ++j;
  }
}

SmallVector<Value> winograd::emitProduct(OpBuilder &b, Location loc,
                                         const Matrix &matrix,
                                         ValueRange values) {
  Matrix rest = matrix;
  SmallVector<Value> inputs(values), results;
  joinColumns(b, loc, rest, inputs);
  for (size_t i = 0; i < rest.size(); ++i) {
    bool isOfPair = i + 1 < rest.size() && isPair(rest[i], rest[i + 1]);
    Sum same{b, loc}, opposite{b, loc};
    for (auto [k, value] : llvm::enumerate(inputs))
      (!isOfPair || isAlike(rest[i][k], rest[i + 1][k]) ? same : opposite)
          .add(rest[i][k], value);
    if (!isOfPair) {
      results.push_back(same.emit());
      continue;
    }
    Value common = same.emit();
    auto [scale, other] = opposite.emitScaled();
    results.push_back(same.addTo(scale, other, common));
    results.push_back(same.addTo(-scale, other, common));
    ++i;
  }
  return results;
}

SmallVector<Value> winograd::emitColumns(OpBuilder &b, Location loc,
                                         const Matrix &matrix,
                                         ValueRange values) {
  size_t inner = matrix.front().size(), columns = values.size() / inner;
  SmallVector<Value> results(matrix.size() * columns);
  for (size_t j = 0; j < columns; ++j) {
    SmallVector<Value> column;
    for (size_t i = 0; i < inner; ++i)
      column.push_back(values[i * columns + j]);
    for (auto [i, value] : llvm::enumerate(emitProduct(b, loc, matrix, column)))
      results[i * columns + j] = value;
  }
  return results;
}

SmallVector<Value> winograd::emitTwice(OpBuilder &b, Location loc,
                                       const Matrix &rows,
                                       const Matrix &columns,
                                       ValueRange values) {
  SmallVector<Value> half = emitColumns(b, loc, rows, values), results;
  size_t inner = columns.front().size();
  for (size_t i = 0; i < rows.size(); ++i)
    llvm::append_range(
        results,
        emitProduct(b, loc, columns, ValueRange(half).slice(i * inner, inner)));
  return results;
}
