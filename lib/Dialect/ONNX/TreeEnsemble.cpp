//===- TreeEnsemble.cpp - The ops of TreeEnsemble.td ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/TreeEnsemble.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/TreeEnsemble.cpp.inc"

void ONNXDialect::registerTreeEnsembleOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/TreeEnsemble.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// The features that nodes read are columns of `x`.
static void requireFeature(ShapeBuilder &s, Value x, int64_t feature,
                           llvm::StringRef op) {
  if (!s.require(feature >= 0,
                 op + "_nodes_featureids: must not be negative, there is " +
                     llvm::Twine(feature)))
    return;
  s.requireLess(s.constant(feature), featureDims(s, x, op).second,
                op + "_nodes_featureids: there is " + llvm::Twine(feature) +
                    ", which is not a column of the input");
}

/// The same for operators in which leaves are nodes too: they read none.
template <typename Adaptor>
static void requireFeatures(ShapeBuilder &s, Adaptor op, llvm::StringRef name) {
  std::optional<ArrayAttr> modes = op.getNodesModes();
  std::optional<llvm::ArrayRef<int64_t>> features = op.getNodesFeatureids();
  if (!modes || !features)
    return;
  int64_t least = 0, greatest = -1;
  for (auto [mode, feature] : llvm::zip(*modes, *features))
    if (cast<StringAttr>(mode).getValue() != "LEAF") {
      least = std::min(least, feature);
      greatest = std::max(greatest, feature);
    }
  if (greatest >= 0 || least < 0)
    requireFeature(s, op.getX(), least < 0 ? least : greatest, name);
}

/// [N, targets], of the rows of `x`. Where the number of targets is not given,
/// it is as many as the leaves name.
static LogicalResult regression(ShapeBuilder &s, Value x, Type elementType,
                                std::optional<int64_t> targets,
                                std::optional<llvm::ArrayRef<int64_t>> ids,
                                llvm::StringRef op) {
  int64_t named = ids && !ids->empty() ? *llvm::max_element(*ids) : 0;
  s.require(!targets || named < *targets,
            op + "_n_targets: must be more than the greatest target " +
                llvm::Twine(named) + ", is " +
                llvm::Twine(targets.value_or(0)));
  s.require(named >= 0 && named < INT64_MAX,
            op + "_targets: must not be negative");
  return s.result(0, elementType,
                  {featureDims(s, x, op).first,
                   targets ? s.constant(*targets) : s.constant(named) + 1});
}

LogicalResult TreeEnsembleOp::shape(ShapeBuilder &s, Adaptor op) {
  size_t nodes = op.getNodesFeatureids().size();
  s.require(
      op.getNodesFalseleafs().size() == nodes &&
          op.getNodesTrueleafs().size() == nodes &&
          op.getNodesFalsenodeids().size() == nodes &&
          op.getNodesTruenodeids().size() == nodes &&
          op.getNodesModes().getNumElements() == static_cast<int64_t>(nodes) &&
          op.getNodesSplits().getNumElements() == static_cast<int64_t>(nodes),
      "treeensemble_nodes: all lists must have an element per node");
  s.require(op.getLeafWeights().getNumElements() ==
                static_cast<int64_t>(op.getLeafTargetids().size()),
            "treeensemble_leaves: all lists must have an element per leaf");
  if (nodes > 0)
    for (int64_t feature : {*llvm::min_element(op.getNodesFeatureids()),
                            *llvm::max_element(op.getNodesFeatureids())})
      requireFeature(s, op.getX(), feature, "treeensemble");
  return regression(s, op.getX(), s.elementType(op.getX()), op.getNTargets(),
                    op.getLeafTargetids(), "treeensemble");
}

LogicalResult TreeEnsembleRegressorOp::shape(ShapeBuilder &s, Adaptor op) {
  requireFeatures(s, op, "treeensembleregressor");
  return regression(s, op.getX(), Float32Type::get(s.getContext()),
                    op.getNTargets(), op.getTargetIds(),
                    "treeensembleregressor");
}

LogicalResult TreeEnsembleClassifierOp::shape(ShapeBuilder &s, Adaptor op) {
  requireFeatures(s, op, "treeensembleclassifier");
  std::optional<ArrayAttr> strings = op.getClasslabelsStrings();
  std::optional<llvm::ArrayRef<int64_t>> integers = op.getClasslabelsInt64s();
  bool hasStrings = strings && !strings->empty();
  bool hasIntegers = integers && !integers->empty();
  s.require(hasStrings != hasIntegers,
            "treeensembleclassifier_classlabels: must be given as either "
            "integers or strings");
  Dim rows = featureDims(s, op.getX(), "treeensembleclassifier").first;
  int64_t labels = hasStrings    ? strings->size()
                   : hasIntegers ? integers->size()
                                 : 0;
  if (failed(s.result(1, Float32Type::get(s.getContext()),
                      {rows, s.constant(labels)})))
    return failure();
  Type integer = IntegerType::get(s.getContext(), 64);
  return s.result(
      0, hasStrings ? Type(StringType::get(s.getContext())) : integer, rows);
}
