//===- NormalizationRules.cpp - BatchNormalization and its like -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

static bool hasStatistics(const NodeUpgrade &node) {
  for (unsigned i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i])
      return true;
  return false;
}

/// Before 7, `is_test` distinguished inference from training, and training was
/// the default. Exporters left it out of models for inference, so a node that
/// asks for no statistics is taken as inference whatever it says.
LogicalResult rules::batchNormalizationIsTest(NodeUpgrade &node) {
  bool isTest = node.getInt("is_test", 0) != 0;
  node.attributes.erase("is_test");
  if (isTest)
    node.outputs.resize(std::min<size_t>(node.outputs.size(), 1));
  else if (!hasStatistics(node))
    mlir::emitRemark(node.getLoc())
        << "is_test is 0, but only the first output is used: taken as "
           "inference";
  return success();
}

LogicalResult inverses::batchNormalizationIsTest(NodeDowngrade &node) {
  if (node.source)
    node.restore("is_test");
  else
    node.setInt("is_test", 1);
  return success();
}

/// Before 9, `spatial` = 0 asked for statistics of each element instead of each
/// channel: those of the channels of the flattened input.
LogicalResult rules::batchNormalizationSpatial(NodeUpgrade &node) {
  bool isSpatial = node.getInt("spatial", 1) != 0;
  node.attributes.erase("spatial");
  if (isSpatial)
    return success();
  if (hasStatistics(node))
    return node.emitError() << "spatial = 0 in training is not supported";
  Value x = node.getInput(0);
  if (!x)
    return success(); // reported as missing where the op is made
  Value shape = node.shapeOf(x);
  node.setInput(0, node.flatten(x, 1));
  Value flat = node.ints(-1);
  for (unsigned i = 1; i < 5; ++i)
    if (Value parameter = node.getInput(i))
      node.setInput(i, node.make<ReshapeOp>({parameter, flat}));
  node.finish.push_back([&node, shape](MutableArrayRef<Value> results) {
    results[0] = node.make<ReshapeOp>({results[0], shape});
    return success(static_cast<bool>(results[0]));
  });
  return success();
}

LogicalResult inverses::batchNormalizationSpatial(NodeDowngrade &node) {
  node.restore("spatial");
  return success();
}

/// Before 14, asking for statistics made it training; outputs 3 and 4, the
/// statistics of this batch, are gone.
LogicalResult rules::batchNormalizationTraining(NodeUpgrade &node) {
  if (!hasStatistics(node)) {
    node.outputs.resize(std::min<size_t>(node.outputs.size(), 1));
    return success();
  }
  node.setInt("training_mode", 1);
  bool wantsMean = node.hasOutput(3), wantsVariance = node.hasOutput(4);
  Value x = node.getInput(0);
  node.outputs.resize(std::min<size_t>(node.outputs.size(), 3));
  if (!wantsMean && !wantsVariance)
    return success();
  std::optional<int64_t> rank = getRank(x);
  if (!rank)
    return node.emitError() << "the rank of the input must be known to compute "
                               "saved_mean and saved_var";
  SmallVector<int64_t> axes = {0};
  for (int64_t axis = 2; axis < *rank; ++axis)
    axes.push_back(axis);
  node.finish.push_back([=, &node](MutableArrayRef<Value> results) {
    Value axesInput = node.ints(axes);
    Value mean = node.make<ReduceMeanOp>({x, axesInput});
    if (wantsMean)
      results[3] = node.make<SqueezeOp>({mean, axesInput});
    if (wantsVariance) {
      Value difference = node.sub(x, mean);
      results[4] =
          node.make<ReduceMeanOp>({node.mul(difference, difference), axesInput},
                                  node.attribute("keepdims", 0));
    }
    return success();
  });
  return success();
}

LogicalResult inverses::batchNormalizationTraining(NodeDowngrade &node) {
  if (node.getInt("training_mode", 0) != 0 || node.hasOutput(1) ||
      node.hasOutput(2))
    return node.fail("training has other outputs there");
  node.attributes.erase("training_mode");
  return success();
}

/// Before 21, scale and bias were per group; now they are per channel, and the
/// precision of the computation is an attribute.
LogicalResult rules::groupNormalizationPerChannel(NodeUpgrade &node) {
  Value x = node.getInput(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (!x)
    return success(); // reported as missing where the op is made
  if (groups <= 0)
    return node.emitError()
           << "num_groups is " << groups << ", expected at least 1";
  std::optional<ArrayRef<int64_t>> shape = getShape(x);
  if (shape && shape->size() < 2)
    return node.emitError()
           << "the input has rank " << shape->size() << ", expected at least 2";
  Value target;
  if (std::optional<int64_t> channels = getDim(x, 1)) {
    target = node.ints({1, *channels / groups});
  } else {
    Value size = node.sizeOf(x, 1);
    target = node.concat({node.ints(1), node.div(size, node.ints(groups))}, 0);
  }
  for (unsigned i = 1; i < 3; ++i)
    if (Value parameter = node.getInput(i)) {
      Value column = node.reshape(parameter, {-1, 1});
      node.setInput(i, node.reshape(node.make<ExpandOp>({column, target}), -1));
    }
  Type element = getElementType(x);
  if (element && !element.isF32())
    node.setInt("stash_type", getDataType(element));
  return success();
}
