//===- TuningSearch.cpp - Which decisions to measure next -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningSearch.h"
#include "Median.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace onnxc;

Ratio Ratio::of(ArrayRef<double> times, ArrayRef<double> basis) {
  std::vector<double> quotients, distances;
  // One of the libraries may not have come to the kernel.
  if (times.size() != basis.size())
    return {};
  for (auto [time, other] : zip_equal(times, basis))
    if (other > 0)
      quotients.push_back(time / other);
  if (quotients.empty())
    return {};
  double median = medianOf(quotients);
  for (double quotient : quotients)
    distances.push_back(std::abs(quotient - median));
  // Of normally distributed numbers the standard deviation is 1.4826 times the
  // median distance, and that of their median 1.2533 / sqrt(n) times theirs.
  double deviation = 1.4826 * 1.2533 * medianOf(distances) /
                     std::sqrt(static_cast<double>(quotients.size()));
  return {median, deviation};
}

TuningSearch::TuningSearch(std::string name, const TunableKernel &kernel)
    : key(std::move(name)), basis(kernel.basis), best(kernel.basis),
      fastest(kernel.basis), choices(kernel.choices),
      changes(kernel.basis.getParts().size()), random(xxh3_64bits(key)) {
  measured.insert(basis);
}

kernel::ScheduleInterface TuningSearch::next() {
  SmallVector<SmallVector<int64_t>> own = best.getParts();
  kernel::ScheduleInterface chosen;
  std::pair<unsigned, uint64_t> least;
  size_t changed = 0;
  for (kernel::ScheduleInterface choice : choices) {
    if (measured.contains(choice) || choice.getTypeID() != best.getTypeID())
      continue;
    SmallVector<SmallVector<int64_t>> parts = choice.getParts();
    size_t differing = 0, part = 0;
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i] != own[i])
        ++differing, part = i;
    if (differing != 1)
      continue;
    // Among equals any, but the same in each search.
    random = random * 6364136223846793005 + 1442695040888963407;
    std::pair<unsigned, uint64_t> rank(changes[part], random >> 32);
    if (!chosen || rank < least) {
      chosen = choice;
      least = rank;
      changed = part;
    }
  }
  if (chosen)
    ++changes[changed];
  return chosen;
}

void TuningSearch::note(kernel::ScheduleInterface choice, Ratio ratio) {
  measured.insert(choice);
  if (ratio.value < fastestRatio) {
    fastest = choice;
    fastestRatio = ratio.value;
  }
  // What is hardly faster is noise more often than not.
  constexpr double leastGain = 0.015;
  if (ratio.isFaster(leastGain) && ratio.value < bestRatio.value) {
    best = choice;
    bestRatio = ratio;
  }
}
