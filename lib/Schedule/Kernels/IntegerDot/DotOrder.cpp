//===- DotOrder.cpp - Dot products that share sums of 16 bits -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without an instruction for four bytes, sums of two products are 16-bit
// numbers, which vpmaddwd adds to 32 bits. Where weights are small, several dot
// products may be added up before: unsigned bytes times weights of one sign are
// at most 255 times the sum of their magnitudes, and those of the other sign
// only take from that. So 16 bits hold any part of a sum whose positive and
// whose negative weights add up to 128 each at most. Columns are lanes: a group
// has to suit all of a panel's. Of a dot product that 16 bits do not hold,
// other channels may be neighbours.
//
//===----------------------------------------------------------------------===//

#include "DotOrder.h"

#include <limits>

using namespace onnxc;

static constexpr int64_t kGroup = 4;
static constexpr int64_t kMost = kernel::IntegerDotOp::kMostTogether,
                         kParts = kernel::IntegerDotOp::kOrderParts;
/// The largest sum of magnitudes: 255 * 128 < 2^15.
static constexpr int kLargest = 128;

namespace {

/// Of each pair of channels of each column, the sums of the positive weights,
/// then of the magnitudes of the negative ones.
class Magnitudes {
public:
  explicit Magnitudes(llvm::ArrayRef<char> dot,
                      llvm::ArrayRef<int64_t> channels = {0, 1, 2, 3})
      : sums(dot.size()) {
    for (size_t i = 0; i < dot.size(); ++i) {
      int weight = static_cast<signed char>(
          dot[i / kGroup * kGroup + channels[i % kGroup]]);
      sums[i / 2 * 2 + (weight < 0)] += std::abs(weight);
    }
  }
  bool fits() const {
    return llvm::all_of(sums, [](int sum) { return sum <= kLargest; });
  }
  bool fitsWith(const Magnitudes &other) const {
    for (auto [mine, its] : llvm::zip_equal(sums, other.sums))
      if (mine + its > kLargest)
        return false;
    return true;
  }
  void add(const Magnitudes &other) {
    for (auto [mine, its] : llvm::zip_equal(sums, other.sums))
      mine += its;
  }

private:
  llvm::SmallVector<int16_t, 64> sums;
};

} // namespace

DotOrder::DotOrder(llvm::ArrayRef<char> packed, int64_t panels, int64_t width) {
  int64_t ofPanel = packed.size() / panels, dots = ofPanel / (width * kGroup);
  numDots = panels * dots;
  if (dots > std::numeric_limits<uint16_t>::max())
    return;
  for (int64_t i = 0; i < panels; ++i)
    orderPanel(packed.slice(i * ofPanel, ofPanel), dots, width);
}

/// Each dot product takes the next ones that fit: near ones are read together,
/// and a bounded search finds nearly as many groups as a full one.
void DotOrder::orderPanel(llvm::ArrayRef<char> panel, int64_t dots,
                          int64_t width) {
  constexpr int64_t kSearched = 48;
  int64_t ofDot = width * kGroup;
  llvm::SmallVector<Magnitudes> magnitudes;
  for (int64_t i = 0; i < dots; ++i)
    magnitudes.emplace_back(panel.slice(i * ofDot, ofDot));
  std::array<llvm::SmallVector<int64_t>, kParts + 1> parts;
  llvm::SmallVector<bool> isTaken(dots);
  for (int64_t i = 0; i < dots; ++i) {
    if (isTaken[i])
      continue;
    if (!magnitudes[i].fits()) {
      int64_t part = kMost;
      for (const auto &channels : kernel::IntegerDotOp::kExchanges) {
        if (Magnitudes(panel.slice(i * ofDot, ofDot), channels).fits())
          break;
        ++part;
      }
      parts[part].push_back(i);
      // In quarters of instructions, of which some are shared.
      instructions += part < kParts ? 15 : 26;
      continue;
    }
    Magnitudes all = magnitudes[i];
    llvm::SmallVector<int64_t, kMost> group{i};
    for (int64_t next = i + 1, left = kSearched;
         next < dots && left > 0 && int64_t(group.size()) < kMost; ++next) {
      if (isTaken[next])
        continue;
      --left;
      if (!all.fitsWith(magnitudes[next]))
        continue;
      all.add(magnitudes[next]);
      isTaken[next] = true;
      group.push_back(next);
    }
    llvm::append_range(parts[kMost - group.size()], group);
    instructions += 4 * (2 * group.size() + 1);
  }
  size_t first = numbers.size();
  numbers.resize(first + kParts + dots);
  int64_t place = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    for (int64_t dot : part)
      numbers[first + kParts + dot] = place++;
    if (int64_t(i) < kParts)
      numbers[first + i] = place;
  }
}
