//===- TreeEnsemble.cpp - The ops of TreeEnsemble.td -*- C++ -*-===//
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
  return regression(s, op.getX(), s.elementType(op.getX()), op.getNTargets(),
                    op.getLeafTargetids(), "treeensemble");
}

LogicalResult TreeEnsembleRegressorOp::shape(ShapeBuilder &s, Adaptor op) {
  return regression(s, op.getX(), Float32Type::get(s.getContext()),
                    op.getNTargets(), op.getTargetIds(),
                    "treeensembleregressor");
}

LogicalResult TreeEnsembleClassifierOp::shape(ShapeBuilder &s, Adaptor op) {
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
