//===- Profile.h - What the runs of a profile add up to ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_PROFILE_H
#define ONNXC_TOOLS_ONNXC_PROFILE_H

#include "Peak.h"

#include "onnxc/profile.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace onnxc {

/// One run of a model that was compiled with --profile.
struct ProfiledRun {
  /// By the clock of the events.
  int64_t begin, end;
  std::vector<onnxc_profile_event> events;
};

/// What one region does in a run.
struct RegionCost {
  int32_t region;
  double nanoseconds = 0;
  double flops = 0, bytes = 0;
  /// How often it runs.
  double count = 0;
};

/// The regions that are named after the same node.
struct NodeCost {
  std::string name, op;
  std::vector<RegionCost> regions;
  /// What was fused into these regions.
  std::vector<std::pair<std::string, std::string>> fused;
  double nanoseconds = 0, flops = 0, bytes = 0;
};

class Profile {
public:
  /// `runs` has at least one. With `least`, a region's time is that of its
  /// fastest run, else the median.
  Profile(std::string title, const onnxc_profile &table,
          std::vector<ProfiledRun> runs, const onnxc_peak &peak, bool least);

  /// A table, the slowest node first; at most `limit` nodes unless it is 0.
  void printText(llvm::raw_ostream &os, size_t limit) const;
  /// An object; nodes in the order in which they run.
  void printJson(llvm::raw_ostream &os) const;
  /// The events of a typical run, as chrome://tracing and ui.perfetto.dev read
  /// them.
  void printTrace(llvm::raw_ostream &os) const;

private:
  const ProfiledRun &typicalRun() const;

  std::string title;
  const onnxc_profile &table;
  /// The shortest first.
  std::vector<ProfiledRun> runs;
  onnxc_peak peak;
  bool least;
  /// In the order in which they first run.
  std::vector<NodeCost> nodes;
  /// All nodes, and what lies between the regions.
  double total = 0, other = 0;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_PROFILE_H
