//===- DropoutRules.cpp - The mask of Dropout -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

/// Before 10, the mask was of the input's type; now it is bool.
LogicalResult rules::dropoutMask(NodeUpgrade &node) {
  if (!node.hasOutput(1))
    return success();
  if (node.op.getResult(1).use_empty()) {
    node.outputs[1] = UnknownType::get(node.builder.getContext());
    return success();
  }
  Value x = node.getInput(0);
  node.finish.push_back([&node, x](MutableArrayRef<Value> results) {
    results[1] = node.castLike(results[1], x);
    return success(static_cast<bool>(results[1]));
  });
  return success();
}

LogicalResult inverses::dropoutMask(NodeDowngrade &node) {
  // A mask that is not read is written all the same, if the node had it.
  if (node.hasOutput(1)) {
    if (!node.op->getResult(1).use_empty())
      return node.fail("its mask is of another type there");
    node.outputs[1] = UnknownType::get(node.builder.getContext());
  }
  if (Value training = node.getInput(2)) {
    std::optional<SmallVector<int64_t>> value = getIntegers(training);
    if (!value || value->size() != 1 || value->front() != 0)
      return node.fail("the target opset has no training mode");
    node.inputs[2] = {};
  }
  return node.refuse("seed");
}
