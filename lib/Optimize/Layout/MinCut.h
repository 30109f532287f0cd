//===- MinCut.h - The cheapest of all choices ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_MINCUT_H
#define ONNXC_LIB_OPTIMIZE_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onnxc::optimize {

/// A set of yes-or-no choices, where a choice costs something together with
/// another: finds the choices whose costs have the least sum.
class MinCut {
public:
  /// More than all costs together.
  static constexpr int64_t never = int64_t(1) << 60;

  MinCut();

  /// A new choice.
  int add();
  /// What it costs to choose `yes` but not `no`.
  void addCost(int yes, int no, int64_t cost);
  void addCostOfYes(int choice, int64_t cost) { addCost(choice, sink, cost); }
  void addCostOfNo(int choice, int64_t cost) { addCost(source, choice, cost); }

  /// Of each choice whether it is yes in the best solution; where several are
  /// best, the one with the least of them.
  std::vector<bool> solve();

private:
  struct Edge {
    int to;
    int64_t capacity;
  };

  bool findLevels();
  int64_t push(int from, int64_t limit);

  static constexpr int source = 0, sink = 1;
  /// Edge i ^ 1 is edge i backwards.
  std::vector<Edge> edges;
  std::vector<std::vector<int>> outgoing;
  std::vector<int> levels;
  std::vector<size_t> next;
};

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_MINCUT_H
