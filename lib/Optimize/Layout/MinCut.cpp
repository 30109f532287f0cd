//===- MinCut.cpp - The cheapest of all choices ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dinic's algorithm: flow along shortest paths, all of one length at a time.
//
//===----------------------------------------------------------------------===//

#include "MinCut.h"

#include <algorithm>
#include <queue>

using namespace onnxc::optimize;

MinCut::MinCut() : outgoing(2) {}

int MinCut::add() {
  outgoing.emplace_back();
  return static_cast<int>(outgoing.size()) - 1;
}

void MinCut::addCost(int yes, int no, int64_t cost) {
  outgoing[yes].push_back(static_cast<int>(edges.size()));
  edges.push_back({no, cost});
  outgoing[no].push_back(static_cast<int>(edges.size()));
  edges.push_back({yes, 0});
}

bool MinCut::findLevels() {
  levels.assign(outgoing.size(), -1);
  levels[source] = 0;
  std::queue<int> queue({source});
  while (!queue.empty()) {
    int at = queue.front();
    queue.pop();
    for (int index : outgoing[at]) {
      const Edge &edge = edges[index];
      if (edge.capacity == 0 || levels[edge.to] >= 0)
        continue;
      levels[edge.to] = levels[at] + 1;
      queue.push(edge.to);
    }
  }
  return levels[sink] >= 0;
}

int64_t MinCut::push(int from, int64_t limit) {
  if (from == sink)
    return limit;
  for (size_t &i = next[from]; i < outgoing[from].size(); ++i) {
    int index = outgoing[from][i];
    if (edges[index].capacity == 0 ||
        levels[edges[index].to] != levels[from] + 1)
      continue;
    int64_t pushed =
        push(edges[index].to, std::min(limit, edges[index].capacity));
    if (pushed == 0)
      continue;
    edges[index].capacity -= pushed;
    edges[index ^ 1].capacity += pushed;
    return pushed;
  }
  return 0;
}

std::vector<bool> MinCut::solve() {
  while (findLevels()) {
    next.assign(outgoing.size(), 0);
    while (push(source, never) > 0) {
    }
  }
  std::vector<bool> isYes(outgoing.size());
  for (size_t i = 0; i < outgoing.size(); ++i)
    isYes[i] = levels[i] >= 0;
  return isYes;
}
