//===- PoolingRules.cpp - Pools and convolutions --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Pooling.h"

using namespace mlir;
using namespace onnxc;

/// In the first version the exponent was a float, and LpPool without a kernel
/// was over all of the image.
LogicalResult rules::lpPoolExponent(NodeUpgrade &node) {
  if (auto number = dyn_cast_or_null<FloatAttr>(node.attributes.get("p"))) {
    double p = number.getValueAsDouble();
    if (p != std::floor(p) || !(std::abs(p) < 0x1p53))
      return node.emitError()
             << "the exponent p = " << p << " is not a whole number";
    node.setInt("p", static_cast<int64_t>(p));
  }
  if (node.op.getOpType() != LpPoolOp::getOnnxName() ||
      node.attributes.get("kernel_shape"))
    return success();
  std::optional<ArrayRef<int64_t>> shape = getShape(node.getInput(0));
  if (!shape || shape->size() < 3 ||
      llvm::any_of(shape->drop_front(2), ShapedType::isDynamic))
    return node.emitError() << "kernel_shape is missing, and the spatial shape "
                               "that it stands for is not known";
  node.attributes.set("kernel_shape",
                      node.builder.getDenseI64ArrayAttr(shape->drop_front(2)));
  return success();
}

LogicalResult inverses::lpPoolExponent(NodeDowngrade &node) {
  if (auto p = dyn_cast_or_null<IntegerAttr>(node.attributes.get("p")))
    node.attributes.set(
        "p", node.builder.getF32FloatAttr(static_cast<float>(p.getInt())));
  if (failed(node.refuse("ceil_mode")) || failed(node.refuse("dilations")))
    return failure();
  return success();
}

/// Until the text said otherwise, some wrote batch and channels into
/// `output_shape`.
LogicalResult rules::convTransposeOutputShape(NodeUpgrade &node) {
  std::optional<ArrayRef<int64_t>> output = node.getInts("output_shape");
  std::optional<int64_t> rank = getRank(node.getInput(0));
  if (output && rank && output->size() > 2 &&
      static_cast<int64_t>(output->size()) == *rank)
    node.attributes.set("output_shape", node.builder.getDenseI64ArrayAttr(
                                            output->drop_front(2)));
  return success();
}

LogicalResult inverses::convTransposeOutputShape(NodeDowngrade &node) {
  node.restore("output_shape");
  return success();
}
