//===- Normalization.cpp - The ops of Normalization.td --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Normalization.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Normalization.cpp.inc"

void ONNXDialect::registerNormalizationOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Normalization.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// Per-channel parameters of a normalization: vectors of the length of dim 1.
static void requirePerChannel(ShapeBuilder &s, ValueRange parameters,
                              Dim channels, llvm::StringRef op) {
  for (Value parameter : parameters) {
    if (!s.ranked(parameter))
      continue;
    if (s.require(s.rank(parameter) == 1,
                  op + "_parameters: must have rank 1, has " +
                      llvm::Twine(s.rank(parameter))))
      s.same(s.dim(parameter, 0), channels,
             op + "_parameters: one element per channel");
  }
}

LogicalResult BatchNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getX();
  Dim channels = s.unknown();
  if (s.ranked(x)) {
    if (!s.require(s.rank(x) >= 1, "batchnormalization_x: must have at least "
                                   "rank 1"))
      return failure();
    // A vector is N samples of one channel.
    channels = s.rank(x) == 1 ? s.constant(1) : s.dim(x, 1);
  } else if (s.ranked(op.getScale()) && s.rank(op.getScale()) == 1) {
    channels = s.dim(op.getScale(), 0);
  }
  requirePerChannel(
      s, {op.getScale(), op.getB(), op.getInputMean(), op.getInputVar()},
      channels, "batchnormalization");
  Type statistics = s.elementType(op.getInputMean());
  if (failed(s.result(1, statistics, channels)) ||
      failed(s.result(2, statistics, channels)))
    return failure();
  return s.sameAsOperand(0);
}

LogicalResult InstanceNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getInput();
  if (s.ranked(x)) {
    if (!s.require(s.rank(x) >= 2, "instancenormalization_input: must have a "
                                   "batch and a channel dimension, has rank " +
                                       llvm::Twine(s.rank(x))))
      return failure();
    requirePerChannel(s, {op.getScale(), op.getB()}, s.dim(x, 1),
                      "instancenormalization");
  }
  return s.sameAsOperand(0);
}

LogicalResult GroupNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getX();
  int64_t groups = op.getNumGroups();
  s.require(groups >= 1, "groupnormalization_num_groups: must be positive");
  if (s.ranked(x)) {
    if (!s.require(s.rank(x) >= 2, "groupnormalization_x: must have a batch "
                                   "and a channel dimension, has rank " +
                                       llvm::Twine(s.rank(x))))
      return failure();
    Dim channels = s.dim(x, 1);
    if (channels.isKnown() && groups >= 1)
      s.require(*channels.getKnown() % groups == 0,
                "groupnormalization_num_groups: must divide the number of "
                "channels");
    requirePerChannel(s, {op.getScale(), op.getBias()}, channels,
                      "groupnormalization");
  }
  return s.sameAsOperand(0);
}

LogicalResult LayerNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getX();
  Type stash = getElementType(s.getContext(), op.getStashType());
  s.require(static_cast<bool>(stash),
            "layernormalization_stash_type: is not a tensor element type");
  if (!s.ranked(x)) {
    if (failed(s.unranked(1, stash)) || failed(s.unranked(2, stash)))
      return failure();
    return s.sameAsOperand(0);
  }
  int64_t axis = s.axis(op.getAxis(), s.rank(x), "layernormalization_axis");
  Dims dims = s.dims(x);
  for (Value parameter : {op.getScale(), op.getB()})
    if (parameter && s.ranked(parameter))
      s.broadcastTo(s.dims(parameter), dims, "layernormalization_parameters");
  Dims statistics(dims);
  for (Dim &dim : llvm::MutableArrayRef(statistics).drop_front(axis))
    dim = s.constant(1);
  if (failed(s.result(1, stash, statistics)) ||
      failed(s.result(2, stash, statistics)))
    return failure();
  return s.sameAsOperand(0);
}

LogicalResult RMSNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getX();
  Type elementType = s.elementType(op.getScale());
  if (!s.ranked(x))
    return s.unranked(0, elementType);
  s.axis(op.getAxis(), s.rank(x), "rmsnormalization_axis");
  Dims dims = s.dims(x);
  if (s.ranked(op.getScale()))
    s.broadcastTo(s.dims(op.getScale()), dims, "rmsnormalization_scale");
  return s.result(0, elementType, dims);
}

LogicalResult LRNOp::shape(ShapeBuilder &s, Adaptor op) {
  s.require(static_cast<int64_t>(op.getSize()) >= 1,
            "lrn_size: must be positive");
  if (s.ranked(op.getX()))
    s.require(s.rank(op.getX()) >= 2, "lrn_x: must have a batch and a channel "
                                      "dimension");
  return s.sameAsOperand(0);
}

LogicalResult LpNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  if (s.ranked(op.getInput()))
    s.axis(op.getAxis(), s.rank(op.getInput()), "lpnormalization_axis");
  return s.sameAsOperand(0);
}

LogicalResult MeanVarianceNormalizationOp::shape(ShapeBuilder &s, Adaptor op) {
  if (s.ranked(op.getX()))
    s.axes(op.getAxes(), s.rank(op.getX()), "meanvariancenormalization_axes");
  return s.sameAsOperand(0);
}

static LogicalResult sameWithAxis(ShapeBuilder &s, Value input, int64_t axis,
                                  const llvm::Twine &tag) {
  if (s.ranked(input))
    s.axis(axis, s.rank(input), tag);
  return s.sameAsOperand(0);
}
LogicalResult SoftmaxOp::shape(ShapeBuilder &s, Adaptor op) {
  return sameWithAxis(s, op.getInput(), op.getAxis(), "softmax_axis");
}
LogicalResult LogSoftmaxOp::shape(ShapeBuilder &s, Adaptor op) {
  return sameWithAxis(s, op.getInput(), op.getAxis(), "logsoftmax_axis");
}
LogicalResult HardmaxOp::shape(ShapeBuilder &s, Adaptor op) {
  return sameWithAxis(s, op.getInput(), op.getAxis(), "hardmax_axis");
}
