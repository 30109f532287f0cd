//===- TreeEnsemble.cpp - Ensembles of decision trees ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes of either form become one forest (Forest.cpp), which is laid
// out as constant tables for the kernels of the runtime (TreeEnsemble.c).
//
//===----------------------------------------------------------------------===//

#include "Forest.h"
#include "Texts.h"

#include "onnxc/Dialect/ONNX/TreeEnsemble.h"
#include "onnxc/Runtime/ClassicML.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

/// The numbers of an attribute that may be floats or, as tensor, doubles.
/// `isDouble` becomes true where they are.
static FailureOr<SmallVector<double>>
readWeights(Lowering &l, std::optional<ElementsAttr> tensor, FloatList floats,
            bool &isDouble) {
  if (!tensor) {
    ArrayRef<float> given = elementsOf(floats);
    return SmallVector<double>(given.begin(), given.end());
  }
  isDouble |= tensor->getElementType().isF64();
  return readNumbers(l, *tensor);
}

//===----------------------------------------------------------------------===//
// From attributes
//===----------------------------------------------------------------------===//

namespace {

/// Attributes of the forms before ai.onnx.ml 5.
struct NodeLists {
  ArrayRef<int64_t> trees, ids, features, yes, no, missing;
  SmallVector<double> values;
  SmallVector<StringRef> modes;
  ArrayRef<int64_t> weightTrees, weightNodes, weightTargets;
  SmallVector<double> weights;
};

} // namespace

static FailureOr<Forest> readForest(Lowering &l, const NodeLists &lists) {
  size_t count = lists.ids.size();
  for (size_t size :
       {lists.trees.size(), lists.features.size(), lists.yes.size(),
        lists.no.size(), lists.values.size(), lists.modes.size()})
    if (size != count)
      return l.invalid("the lists of its nodes must be of equal length");
  for (size_t size : {lists.weightNodes.size(), lists.weightTargets.size(),
                      lists.weights.size()})
    if (size != lists.weightTrees.size())
      return l.invalid("the lists of its weights must be of equal length");

  Forest forest;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> places;
  for (size_t i = 0; i < count; ++i) {
    std::pair<int64_t, int64_t> id(lists.trees[i], lists.ids[i]);
    if (!places.try_emplace(id, i).second)
      return l.invalid("tree " + Twine(lists.trees[i]) + " has node " +
                       Twine(lists.ids[i]) + " twice");
    if (i == 0 || lists.trees[i] != lists.trees[i - 1])
      forest.roots.push_back(i);
  }
  auto find = [&](int64_t tree, int64_t id) -> FailureOr<int64_t> {
    auto it = places.find({tree, id});
    if (it == places.end())
      return l.invalid("tree " + Twine(tree) + " has no node " + Twine(id));
    return it->second;
  };
  for (size_t i = 0; i < count; ++i) {
    TreeNode node;
    int mode = llvm::StringSwitch<int>(lists.modes[i])
                   .Case("BRANCH_LEQ", TreeNode::LessOrEqual)
                   .Case("BRANCH_LT", TreeNode::Less)
                   .Case("BRANCH_GTE", TreeNode::GreaterOrEqual)
                   .Case("BRANCH_GT", TreeNode::Greater)
                   .Case("BRANCH_EQ", TreeNode::Equal)
                   .Case("BRANCH_NEQ", TreeNode::NotEqual)
                   .Case("LEAF", TreeNode::Leaf)
                   .Default(-1);
    if (mode < 0)
      return l.invalid("node " + Twine(lists.ids[i]) + " of tree " +
                       Twine(lists.trees[i]) + " has mode '" + lists.modes[i] +
                       "', expected LEAF or BRANCH_ and LEQ, LT, GTE, GT, EQ "
                       "or NEQ");
    node.mode = static_cast<TreeNode::Mode>(mode);
    if (node.mode != TreeNode::Leaf) {
      FailureOr<int64_t> yes = find(lists.trees[i], lists.yes[i]);
      FailureOr<int64_t> no = find(lists.trees[i], lists.no[i]);
      if (failed(yes) || failed(no))
        return failure();
      node.yes = *yes;
      node.no = *no;
      node.feature = lists.features[i];
      node.split = lists.values[i];
      node.isMissingYes = i < lists.missing.size() && lists.missing[i] == 1;
    }
    forest.nodes.push_back(node);
  }
  for (auto [tree, id, target, weight] :
       llvm::zip(lists.weightTrees, lists.weightNodes, lists.weightTargets,
                 lists.weights)) {
    FailureOr<int64_t> place = find(tree, id);
    if (failed(place))
      return failure();
    // Old converters gave weights to inner nodes too: they mean nothing.
    if (forest.nodes[*place].mode == TreeNode::Leaf)
      forest.nodes[*place].weights.push_back({target, weight});
  }
  return forest;
}

template <typename OpTy>
static FailureOr<NodeLists> readNodes(OpTy op, Lowering &l, bool &isDouble) {
  NodeLists lists;
  lists.trees = elementsOf(op.getNodesTreeids());
  lists.ids = elementsOf(op.getNodesNodeids());
  lists.features = elementsOf(op.getNodesFeatureids());
  lists.yes = elementsOf(op.getNodesTruenodeids());
  lists.no = elementsOf(op.getNodesFalsenodeids());
  lists.missing = elementsOf(op.getNodesMissingValueTracksTrue());
  lists.modes = getStrings(op.getNodesModes());
  FailureOr<SmallVector<double>> values = readWeights(
      l, op.getNodesValuesAsTensor(), op.getNodesValues(), isDouble);
  if (failed(values))
    return failure();
  lists.values = std::move(*values);
  return lists;
}

/// The form of ai.onnx.ml 5: leaves have lists of their own.
static FailureOr<Forest> readForest(TreeEnsembleOp op, Lowering &l) {
  FailureOr<SmallVector<double>> modes = readNumbers(l, op.getNodesModes());
  FailureOr<SmallVector<double>> splits = readNumbers(l, op.getNodesSplits());
  FailureOr<SmallVector<double>> weights = readNumbers(l, op.getLeafWeights());
  if (failed(modes) || failed(splits) || failed(weights))
    return failure();
  SmallVector<double> members;
  if (std::optional<ElementsAttr> given = op.getMembershipValues()) {
    FailureOr<SmallVector<double>> values = readNumbers(l, *given);
    if (failed(values))
      return failure();
    members = std::move(*values);
  }
  int64_t count = modes->size(), leaves = weights->size();
  if (static_cast<int64_t>(op.getLeafTargetids().size()) != leaves)
    return l.invalid("leaf_targetids must have an element per leaf");
  Forest forest;
  ArrayRef<int64_t> missing = elementsOf(op.getNodesMissingValueTracksTrue());
  // A child is a node, or with a flag a leaf, which come behind all nodes.
  auto child = [&](int64_t id, int64_t isLeaf) -> int64_t {
    if (id < 0 || id >= (isLeaf ? leaves : count))
      return -1;
    return isLeaf ? count + id : id;
  };
  const double *next = members.data(), *last = next + members.size();
  for (int64_t i = 0; i < count; ++i) {
    TreeNode node;
    int64_t mode = static_cast<int64_t>((*modes)[i]);
    if (mode < TreeNode::LessOrEqual || mode > TreeNode::Member)
      return l.invalid("node " + Twine(i) + " has mode " + Twine(mode) +
                       ", expected 0 to 6");
    node.mode = static_cast<TreeNode::Mode>(mode);
    node.yes = child(op.getNodesTruenodeids()[i], op.getNodesTrueleafs()[i]);
    node.no = child(op.getNodesFalsenodeids()[i], op.getNodesFalseleafs()[i]);
    if (node.yes < 0 || node.no < 0)
      return l.invalid("node " + Twine(i) + " has a child that does not exist");
    node.feature = op.getNodesFeatureids()[i];
    node.split = (*splits)[i];
    node.isMissingYes = i < int64_t(missing.size()) && missing[i] == 1;
    // The sets stand one after the other, each ended by NaN.
    if (node.mode == TreeNode::Member) {
      const double *end =
          std::find_if(next, last, [](double value) { return value != value; });
      node.members.assign(next, end);
      next = end == last ? end : end + 1;
    }
    forest.nodes.push_back(node);
  }
  for (auto [target, weight] : llvm::zip(op.getLeafTargetids(), *weights)) {
    TreeNode leaf;
    leaf.weights.push_back({target, weight});
    forest.nodes.push_back(leaf);
  }
  for (int64_t root : op.getTreeRoots()) {
    if (root < 0 || root >= count)
      return l.invalid("tree_roots has node " + Twine(root) +
                       ", which does not exist");
    forest.roots.push_back(root);
  }
  return forest;
}

//===----------------------------------------------------------------------===//
// To calls
//===----------------------------------------------------------------------===//

/// The inputs of a call: rows of x, and the tables of the forest.
static FailureOr<SmallVector<Value>>
makeInputs(Lowering &l, Value x, const Forest &forest, bool isDouble,
           ArrayRef<double> bases, MutableArrayRef<int64_t> parameters) {
  isDouble |= Lowering::elementType(x).isF64();
  FailureOr<Value> rows =
      getRows(l, x, isDouble ? Type(l.b.getF64Type()) : l.b.getF32Type());
  if (failed(rows))
    return failure();
  FailureOr<ForestTables> tables = layOut(l, forest, isDouble, parameters);
  if (failed(tables))
    return failure();
  parameters[ONNXC_RT_TREES_BASES] = bases.size();
  SmallVector<Value> inputs{*rows};
  llvm::append_range(inputs, tables->values);
  inputs.push_back(numberTable(l, bases, isDouble));
  inputs.push_back(tableOf(l, ArrayRef<int64_t>(parameters)));
  return inputs;
}

/// Regression, up to the result.
static LogicalResult lowerRegression(Lowering &l, Value x, const Forest &forest,
                                     bool isDouble, ArrayRef<double> bases,
                                     int64_t aggregate, int64_t targets,
                                     int64_t transform) {
  if (aggregate < ONNXC_RT_TREES_AVERAGE || aggregate > ONNXC_RT_TREES_MAX)
    return l.invalid("aggregate_function " + Twine(aggregate) +
                     ", expected 0 to 3");
  if (transform < ONNXC_RT_SCORES_AS_IS || transform > ONNXC_RT_SCORES_PROBIT)
    return l.invalid("post_transform " + Twine(transform) +
                     ", expected 0 to 4");
  if (!bases.empty() && static_cast<int64_t>(bases.size()) != targets)
    return l.invalid("base_values must have one element per target");
  int64_t parameters[ONNXC_RT_TREES_PARAMETERS] = {};
  parameters[ONNXC_RT_TREES_AGGREGATE] = aggregate;
  parameters[ONNXC_RT_TREES_TARGETS] = targets;
  FailureOr<SmallVector<Value>> inputs =
      makeInputs(l, x, forest, isDouble, bases, parameters);
  if (failed(inputs))
    return failure();
  Value rows = inputs->front();
  Value scores = l.call("tree_regress", *inputs,
                        l.empty({l.dim(rows, 0), l.attr(targets)},
                                Lowering::elementType(rows)))
                     .front();
  if (transform != ONNXC_RT_SCORES_AS_IS)
    scores =
        transformScores(l, l.castElements(scores, l.b.getF32Type()), transform);
  return l.replace(l.castElements(scores, l.resultType().getElementType()));
}

static LogicalResult lowerTreeEnsemble(TreeEnsembleOp op,
                                       TreeEnsembleOp::Adaptor operands,
                                       Lowering &l) {
  FailureOr<Forest> forest = readForest(op, l);
  if (failed(forest))
    return failure();
  int64_t named = 0;
  for (int64_t target : op.getLeafTargetids())
    named = std::max(named, target + 1);
  return lowerRegression(
      l, operands.getX(), *forest, op.getNodesSplits().getElementType().isF64(),
      {}, op.getAggregateFunction(), op.getNTargets().value_or(named),
      op.getPostTransform());
}

namespace {

/// What the forms before ai.onnx.ml 5 have in common.
struct OldEnsemble {
  Forest forest;
  SmallVector<double> bases;
  /// The targets or classes that leaves name.
  llvm::SmallDenseSet<int64_t> named;
  bool isDouble = false;
  bool hasNegativeWeights = false;
  int64_t transform = 0;
};

} // namespace

/// `lists` has what leaves add to; their weights are `floats` or `tensor`.
template <typename OpTy>
static FailureOr<OldEnsemble>
readEnsemble(OpTy op, Lowering &l, std::optional<ElementsAttr> tensor,
             FloatList floats, IntList trees, IntList nodes, IntList targets) {
  OldEnsemble result;
  FailureOr<NodeLists> lists = readNodes(op, l, result.isDouble);
  FailureOr<SmallVector<double>> weights =
      readWeights(l, tensor, floats, result.isDouble);
  FailureOr<SmallVector<double>> bases = readWeights(
      l, op.getBaseValuesAsTensor(), op.getBaseValues(), result.isDouble);
  FailureOr<int64_t> transform = getTransform(l, op.getPostTransform());
  if (failed(lists) || failed(weights) || failed(bases) || failed(transform))
    return failure();
  lists->weights = std::move(*weights);
  lists->weightTrees = elementsOf(trees);
  lists->weightNodes = elementsOf(nodes);
  lists->weightTargets = elementsOf(targets);
  FailureOr<Forest> forest = readForest(l, *lists);
  if (failed(forest))
    return failure();
  result.forest = std::move(*forest);
  result.bases = std::move(*bases);
  result.named.insert(lists->weightTargets.begin(), lists->weightTargets.end());
  result.hasNegativeWeights =
      !llvm::all_of(lists->weights, [](double w) { return w >= 0; });
  result.transform = *transform;
  return result;
}

static LogicalResult
lowerTreeEnsembleRegressor(TreeEnsembleRegressorOp op,
                           TreeEnsembleRegressorOp::Adaptor operands,
                           Lowering &l) {
  FailureOr<OldEnsemble> ensemble = readEnsemble(
      op, l, op.getTargetWeightsAsTensor(), op.getTargetWeights(),
      op.getTargetTreeids(), op.getTargetNodeids(), op.getTargetIds());
  if (failed(ensemble))
    return failure();
  int64_t aggregate = llvm::StringSwitch<int64_t>(op.getAggregateFunction())
                          .Case("AVERAGE", ONNXC_RT_TREES_AVERAGE)
                          .Case("SUM", ONNXC_RT_TREES_SUM)
                          .Case("MIN", ONNXC_RT_TREES_MIN)
                          .Case("MAX", ONNXC_RT_TREES_MAX)
                          .Default(-1);
  if (aggregate < 0)
    return l.invalid("aggregate_function '" + op.getAggregateFunction() +
                     "', expected AVERAGE, SUM, MIN or MAX");
  int64_t named = 0;
  for (int64_t target : ensemble->named)
    named = std::max(named, target + 1);
  return lowerRegression(l, operands.getX(), ensemble->forest,
                         ensemble->isDouble, ensemble->bases, aggregate,
                         op.getNTargets().value_or(named), ensemble->transform);
}

static LogicalResult
lowerTreeEnsembleClassifier(TreeEnsembleClassifierOp op,
                            TreeEnsembleClassifierOp::Adaptor operands,
                            Lowering &l) {
  FailureOr<OldEnsemble> ensemble = readEnsemble(
      op, l, op.getClassWeightsAsTensor(), op.getClassWeights(),
      op.getClassTreeids(), op.getClassNodeids(), op.getClassIds());
  FailureOr<Labels> labels =
      getLabels(l, op.getClasslabelsInt64s(), op.getClasslabelsStrings());
  if (failed(ensemble) || failed(labels))
    return failure();
  ArrayRef<double> bases = ensemble->bases;
  int64_t classes = labels->count;
  size_t mostBases = std::max<int64_t>(classes, 2);
  if (bases.size() > mostBases ||
      (classes > 2 && !bases.empty() && bases.size() != mostBases))
    return l.invalid("base_values must have one element per class");
  int64_t parameters[ONNXC_RT_TREES_PARAMETERS] = {};
  parameters[ONNXC_RT_TREES_AGGREGATE] = ONNXC_RT_TREES_SUM;
  parameters[ONNXC_RT_TREES_TARGETS] = classes;
  parameters[ONNXC_RT_TREES_TRANSFORM] = ensemble->transform;
  parameters[ONNXC_RT_TREES_BINARY] =
      classes == 2 && ensemble->named.size() == 1;
  parameters[ONNXC_RT_TREES_POSITIVE] = !ensemble->hasNegativeWeights;
  FailureOr<SmallVector<Value>> inputs =
      makeInputs(l, operands.getX(), ensemble->forest, ensemble->isDouble,
                 bases, parameters);
  if (failed(inputs))
    return failure();
  // Of two classes that both have weights, ONNX Runtime names integer labels by
  // their numbers, and of one class whether it is chosen.
  Value table = labels->table;
  if (classes <= 2 && !parameters[ONNXC_RT_TREES_BINARY] &&
      labels->dtype == ONNXC_INT64)
    table = tableOf(l, ArrayRef<int64_t>{0, 1});
  else if (classes == 1) {
    FailureOr<Value> twice =
        texts(l, SmallVector<StringRef>(
                     2, getStrings(op.getClasslabelsStrings()).front()));
    if (failed(twice))
      return failure();
    table = *twice;
  }
  inputs->push_back(table);
  return l.replace(callClassifier(l, "tree_classify", *inputs,
                                  l.dim(inputs->front(), 0), classes));
}

void onnxc::populateTreeEnsemble(Lowerings &lowerings) {
  lowerings.add<TreeEnsembleOp>(lowerTreeEnsemble);
  lowerings.add<TreeEnsembleClassifierOp>(lowerTreeEnsembleClassifier);
  lowerings.add<TreeEnsembleRegressorOp>(lowerTreeEnsembleRegressor);
}
