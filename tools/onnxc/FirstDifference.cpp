//===- FirstDifference.cpp - The node where results part ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstDifference.h"

#include "onnxc/Support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace onnxc;

using Node = ModelMessage::Node;

static std::string describe(const Node &node) {
  bool isNamed = !node.name.empty() || node.outputs.empty();
  return describeNode(
      {isNamed ? node.name : node.outputs.front(), node.opType});
}

/// The arrays of a value: one, or those that its parts are.
static NamedArrays arraysOf(StringRef name, const NamedArrays &all) {
  NamedArrays mine;
  for (const auto &entry : all) {
    StringRef rest = entry.first;
    if (rest.consume_front(name) &&
        (rest.empty() || rest.front() == '[' || rest.front() == '.'))
      mine.push_back(entry);
  }
  return mine;
}

namespace {

class Search {
public:
  Search(const ModelMessage &model, ComputeModel compute, StringRef oracleName,
         const Tolerance &tolerance, raw_ostream &os)
      : model(model), compute(compute), oracleName(oracleName),
        tolerance(tolerance), os(os) {}

  Error run(ComputeModel oracle);

private:
  /// What differs of the node's outputs.
  std::string compare(const Node &node, const NamedArrays &got,
                      double &worst) const;
  Error halve();

  const ModelMessage &model;
  ComputeModel compute;
  StringRef oracleName;
  const Tolerance &tolerance;
  raw_ostream &os;
  NamedArrays expected;
};

} // namespace

std::string Search::compare(const Node &node, const NamedArrays &got,
                            double &worst) const {
  std::string wrong;
  for (StringRef name : node.outputs)
    wrong += describeDifferences("value", got, arraysOf(name, expected),
                                 oracleName, tolerance, worst);
  return wrong;
}

Error Search::run(ComputeModel oracle) {
  SmallVector<StringRef> names;
  for (const Node &node : model.nodes())
    append_range(names, node.outputs);
  std::string exposed = model.withOutputs(names, /*beside=*/true);
  Expected<NamedArrays> want = oracle(exposed);
  if (!want)
    return want.takeError();
  expected = std::move(*want);
  Expected<NamedArrays> got = compute(exposed);
  if (!got)
    return got.takeError();
  double before = 0;
  for (const Node &node : model.nodes()) {
    double worst = 0;
    std::string wrong = compare(node, *got, worst);
    if (!wrong.empty()) {
      os << "first differing node: " << describe(node) << ": "
         << StringRef(wrong).rtrim()
         << format("\n  values before it differ by %.3g of their greatest "
                   "number at most\n",
                   before);
      return Error::success();
    }
    before = std::max(before, worst);
  }
  os << format("each node is right where all values are outputs (%.3g)\n",
               before);
  return halve();
}

/// Of values that come to be wrong and stay so, finds the first in as many
/// compiles as the logarithm of the nodes.
Error Search::halve() {
  SmallVector<const Node *> nodes;
  for (const Node &node : model.nodes())
    if (!node.outputs.empty())
      nodes.push_back(&node);
  std::string said;
  size_t low = 0, high = nodes.size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    SmallVector<StringRef> outputs(nodes[middle]->outputs.begin(),
                                   nodes[middle]->outputs.end());
    Expected<NamedArrays> got =
        compute(model.withOutputs(outputs, /*beside=*/false));
    if (!got)
      return got.takeError();
    double worst = 0;
    std::string wrong = compare(*nodes[middle], *got, worst);
    if (wrong.empty()) {
      low = middle + 1;
    } else {
      high = middle;
      said = std::move(wrong);
    }
  }
  if (low == nodes.size())
    os << "nor does a value differ that is the only output\n";
  else
    os << "first node that differs as the only output, together with those "
          "before it: "
       << describe(*nodes[low]) << ": " << StringRef(said).rtrim() << "\n";
  return Error::success();
}

Error onnxc::reportFirstDifference(const ModelMessage &model,
                                   ComputeModel compute, ComputeModel oracle,
                                   StringRef oracleName,
                                   const Tolerance &tolerance,
                                   raw_ostream &os) {
  return Search(model, compute, oracleName, tolerance, os).run(oracle);
}
