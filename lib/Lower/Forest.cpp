//===- Forest.cpp - Decision trees as tables ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All comparisons of order become x <= split, so that one loop takes them all:
// x < s is x <= (the number before s), and what holds for greater numbers has
// its children exchanged. Trees are laid out breadth first, the two children of
// a node side by side.
//
//===----------------------------------------------------------------------===//

#include "Forest.h"

#include "onnxc/Runtime/ClassicML.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace onnxc;

FailureOr<SmallVector<double>> onnxc::readNumbers(Lowering &l,
                                                  ElementsAttr elements) {
  FailureOr<DenseElementsAttr> dense = readDense(l, elements);
  if (failed(dense))
    return failure();
  SmallVector<double> numbers;
  if (isa<FloatType>(dense->getElementType())) {
    for (llvm::APFloat value : dense->getValues<llvm::APFloat>()) {
      bool losesInfo;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      numbers.push_back(value.convertToDouble());
    }
    return numbers;
  }
  for (const llvm::APInt &value : dense->getValues<llvm::APInt>())
    numbers.push_back(value.roundToDouble());
  return numbers;
}

Value onnxc::numberTable(Lowering &l, ArrayRef<double> numbers, bool isDouble) {
  if (isDouble)
    return tableOf(l, numbers);
  return tableOf(l, ArrayRef<float>(SmallVector<float>(numbers)));
}

namespace {

/// A node as kernels compare: left if x <= split, or as `kind` says.
struct Comparison {
  double split;
  int64_t left, right;
  int32_t kind;
};

template <typename T> double numberBefore(double x) {
  // Nothing is less than -inf, and nothing is less or equal to NaN.
  if (x == -std::numeric_limits<double>::infinity())
    return std::numeric_limits<double>::quiet_NaN();
  return std::nextafter(static_cast<T>(x), -std::numeric_limits<T>::infinity());
}

template <typename T> Comparison normalize(const TreeNode &node) {
  Comparison result = {static_cast<T>(node.split), node.yes, node.no,
                       ONNXC_RT_NODE_INNER};
  bool isNaNLeft = node.isMissingYes;
  switch (node.mode) {
  case TreeNode::Leaf:
    return {0, 0, 0, 0};
  case TreeNode::LessOrEqual:
    break;
  case TreeNode::Less:
    result.split = numberBefore<T>(result.split);
    break;
  case TreeNode::GreaterOrEqual:
  case TreeNode::Greater:
    if (std::isnan(result.split))
      break;
    if (node.mode == TreeNode::GreaterOrEqual)
      result.split = numberBefore<T>(result.split);
    std::swap(result.left, result.right);
    isNaNLeft = !node.isMissingYes;
    break;
  case TreeNode::NotEqual:
    // NaN differs from everything.
    result.kind |= ONNXC_RT_NODE_EQUAL;
    std::swap(result.left, result.right);
    isNaNLeft = false;
    break;
  case TreeNode::Equal:
    result.kind |= ONNXC_RT_NODE_EQUAL;
    break;
  case TreeNode::Member:
    result.kind |= ONNXC_RT_NODE_MEMBER;
    break;
  }
  if (isNaNLeft)
    result.kind |= ONNXC_RT_NODE_NAN_LEFT;
  return result;
}

/// Lays a forest out. `Node` is the runtime's, `T` its element type.
template <typename Node, typename T> class Layout {
public:
  Layout(Lowering &l, const Forest &forest, MutableArrayRef<int64_t> parameters)
      : l(l), forest(forest), parameters(parameters),
        targets(parameters[ONNXC_RT_TREES_TARGETS]) {}

  FailureOr<ForestTables> run();

private:
  LogicalResult checkWeights();
  LogicalResult add(int64_t root);
  LogicalResult write(size_t place, const TreeNode &node);
  void writeLeaf(Node &entry, const TreeNode &leaf);

  /// A node to come: which one, and how deep below the root.
  struct Pending {
    int64_t node;
    size_t depth;
  };

  Lowering &l;
  const Forest &forest;
  MutableArrayRef<int64_t> parameters;
  int64_t targets;
  std::vector<Node> nodes;
  SmallVector<int32_t> roots;
  SmallVector<double> weights;
  SmallVector<int32_t> weightTargets;
  SmallVector<int32_t> leafStarts{0};
  SmallVector<double> members;
  SmallVector<int32_t> setStarts{0};
  std::vector<Pending> queue;
};

} // namespace

/// Also decides how leaves add to the scores.
template <typename Node, typename T>
LogicalResult Layout<Node, T>::checkWeights() {
  bool isDirect = targets == 1, isSparse = false;
  for (const TreeNode &node : forest.nodes) {
    if (node.mode != TreeNode::Leaf)
      continue;
    llvm::SmallBitVector named(targets);
    for (auto [target, weight] : node.weights) {
      if (target < 0 || target >= targets)
        return l.invalid("a weight is for target " + Twine(target) +
                         ", there are " + Twine(targets));
      named.set(target);
    }
    isDirect &= node.weights.size() == 1;
    isSparse |= !named.all();
  }
  parameters[ONNXC_RT_TREES_DIRECT] = isDirect && !forest.roots.empty();
  parameters[ONNXC_RT_TREES_SPARSE] = isSparse || forest.roots.empty();
  return success();
}

template <typename Node, typename T>
void Layout<Node, T>::writeLeaf(Node &entry, const TreeNode &leaf) {
  entry.split = std::numeric_limits<T>::infinity();
  entry.kind = static_cast<int32_t>(leafStarts.size() - 1)
               << ONNXC_RT_NODE_SHIFT;
  for (auto [target, weight] : leaf.weights) {
    weightTargets.push_back(static_cast<int32_t>(target));
    weights.push_back(weight);
  }
  leafStarts.push_back(static_cast<int32_t>(weights.size()));
}

template <typename Node, typename T>
LogicalResult Layout<Node, T>::write(size_t place, const TreeNode &node) {
  Comparison comparison = normalize<T>(node);
  Node entry;
  std::memset(&entry, 0, sizeof entry);
  entry.left = static_cast<int32_t>(place);
  if (node.mode == TreeNode::Leaf) {
    writeLeaf(entry, node);
    nodes[place] = entry;
    return success();
  }
  if (node.feature < 0 || node.feature >= INT32_MAX)
    return l.invalid("a node reads feature " + Twine(node.feature) +
                     ", which cannot exist");
  entry.split = static_cast<T>(comparison.split);
  entry.feature = static_cast<int32_t>(node.feature);
  entry.left = static_cast<int32_t>(nodes.size());
  entry.kind = comparison.kind;
  if (node.mode == TreeNode::Member) {
    entry.kind |= static_cast<int32_t>(setStarts.size() - 1)
                  << ONNXC_RT_NODE_SHIFT;
    llvm::append_range(members, node.members);
    setStarts.push_back(static_cast<int32_t>(members.size()));
  }
  nodes[place] = entry;
  nodes.resize(nodes.size() + 2);
  int64_t &features = parameters[ONNXC_RT_TREES_FEATURES];
  features = std::max(features, node.feature + 1);
  if (comparison.kind & (ONNXC_RT_NODE_EQUAL | ONNXC_RT_NODE_MEMBER))
    parameters[ONNXC_RT_TREES_MIXED] = 1;
  return success();
}

/// Breadth first. A node with several parents is there several times.
template <typename Node, typename T>
LogicalResult Layout<Node, T>::add(int64_t root) {
  // Beyond this, sharing has made far more of the nodes than there were.
  size_t most = std::min<size_t>(64 * forest.nodes.size() + 1024, 1 << 23);
  size_t place = nodes.size();
  roots.push_back(static_cast<int32_t>(place));
  nodes.resize(place + 1);
  queue.assign(1, {root, 0});
  for (size_t next = 0; next < queue.size(); ++next) {
    Pending pending = queue[next];
    const TreeNode &node = forest.nodes[pending.node];
    if (pending.depth >= forest.nodes.size())
      return l.invalid("its nodes lead back to themselves");
    if (nodes.size() > most)
      return l.fail("its trees are larger than " + Twine(most) +
                    " nodes, counting shared ones each time");
    if (failed(write(place + next, node)))
      return failure();
    if (node.mode == TreeNode::Leaf)
      continue;
    Comparison comparison = normalize<T>(node);
    queue.push_back({comparison.left, pending.depth + 1});
    queue.push_back({comparison.right, pending.depth + 1});
  }
  return success();
}

template <typename Node, typename T>
FailureOr<ForestTables> Layout<Node, T>::run() {
  if (targets <= 0)
    return l.invalid("the number of targets must be positive");
  if (failed(checkWeights()))
    return failure();
  for (int64_t root : forest.roots)
    if (failed(add(root)))
      return failure();
  if (roots.empty())
    return l.invalid("it has no trees");
  // Neither is read then.
  if (parameters[ONNXC_RT_TREES_DIRECT]) {
    weightTargets.clear();
    leafStarts.clear();
  }
  // Words, since no element type is a node.
  SmallVector<int32_t> words(nodes.size() * sizeof(Node) / sizeof(int32_t));
  std::memcpy(words.data(), nodes.data(), nodes.size() * sizeof(Node));
  constexpr bool isDouble = std::is_same_v<T, double>;
  return ForestTables{
      {tableOf(l, words), tableOf(l, roots), numberTable(l, weights, isDouble),
       tableOf(l, weightTargets), tableOf(l, leafStarts),
       numberTable(l, members, isDouble), tableOf(l, setStarts)}};
}

FailureOr<ForestTables> onnxc::layOut(Lowering &l, const Forest &forest,
                                      bool isDouble,
                                      MutableArrayRef<int64_t> parameters) {
  if (isDouble)
    return Layout<onnxc_rt_node_double, double>(l, forest, parameters).run();
  return Layout<onnxc_rt_node_float, float>(l, forest, parameters).run();
}
