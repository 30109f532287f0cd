//===- Loss.cpp - The ops of Loss.td --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Loss.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Loss.cpp.inc"

void ONNXDialect::registerLossOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Loss.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// A loss per target, or one number.
static LogicalResult loss(ShapeBuilder &s, Value scores, Value target,
                          Value weights, llvm::StringRef reduction,
                          llvm::StringRef op) {
  Type elementType = s.elementType(scores);
  if (s.ranked(scores) && s.ranked(target)) {
    Dims input = s.dims(scores), labels = s.dims(target);
    if (!s.require(input.size() >= 2 && labels.size() + 1 == input.size(),
                   op + "_target: must have the dimensions of the scores "
                        "without the classes"))
      return failure();
    if (weights)
      s.same(dimsOfRank(s, weights, 1, op + "_weights")[0], input[1],
             op + "_weights: one per class");
    input.erase(input.begin() + 1);
    for (auto [a, b] : llvm::zip_equal(input, labels))
      s.same(a, b, op + "_target");
  }
  if (reduction != "none")
    return s.result(0, elementType, {});
  return s.ranked(target) ? s.result(0, elementType, s.dims(target))
                          : s.unranked(0, elementType);
}

LogicalResult NegativeLogLikelihoodLossOp::shape(ShapeBuilder &s, Adaptor op) {
  return loss(s, op.getInput(), op.getTarget(), op.getWeight(),
              op.getReduction(), "nllloss");
}

LogicalResult SoftmaxCrossEntropyLossOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getScores());
  if (failed(s.ranked(op.getScores())
                 ? s.result(1, elementType, s.dims(op.getScores()))
                 : s.unranked(1, elementType)))
    return failure();
  return loss(s, op.getScores(), op.getLabels(), op.getWeights(),
              op.getReduction(), "softmaxcrossentropyloss");
}
