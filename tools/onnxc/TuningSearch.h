//===- TuningSearch.h - Which decisions to measure next ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_TUNINGSEARCH_H
#define ONNXC_TOOLS_ONNXC_TUNINGSEARCH_H

#include "onnxc/Pipelines/Tune.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace onnxc {

/// Times of two things that were run in turn.
struct Ratio {
  /// The median of the quotients of times that were measured one after the
  /// other, and how far it may be off (one standard deviation).
  double value = 1, error = 0;

  static Ratio of(llvm::ArrayRef<double> times, llvm::ArrayRef<double> basis);
  /// Whether less time was taken, by more than `least` of it and than the
  /// measurement may be off.
  bool isFaster(double least) const { return value + 2 * error < 1 - least; }
};

/// The search for the best decision for the kernels of one key. A decision
/// differs from the best one so far in one part: the one that was changed least
/// often.
class TuningSearch {
public:
  TuningSearch(std::string key, const TunableKernel &kernel);

  /// What to measure next; null if nothing is left.
  kernel::ScheduleInterface next();
  /// What came out of it.
  void note(kernel::ScheduleInterface choice, Ratio ratio);
  /// Nothing was better after all.
  void forget() { isKept = false; }
  /// The ratio of another measurement.
  void correct(Ratio ratio) { bestRatio = ratio; }

  const std::string &getKey() const { return key; }
  kernel::ScheduleInterface getBasis() const { return basis; }
  kernel::ScheduleInterface getBest() const { return best; }
  Ratio getRatio() const { return bestRatio; }
  /// Whether there is a better decision, and it was not forgotten.
  bool hasBetter() const { return isKept && best != basis; }
  /// The shortest time that was measured, by noise or not.
  kernel::ScheduleInterface getFastest() const { return fastest; }
  double getFastestRatio() const { return fastestRatio; }
  size_t countMeasured() const { return measured.size() - 1; }

private:
  std::string key;
  kernel::ScheduleInterface basis, best, fastest;
  Ratio bestRatio;
  double fastestRatio = 1;
  bool isKept = true;
  std::vector<kernel::ScheduleInterface> choices;
  llvm::DenseSet<mlir::Attribute> measured;
  /// How often each part was changed.
  std::vector<unsigned> changes;
  uint64_t random;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_TUNINGSEARCH_H
