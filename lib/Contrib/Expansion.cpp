//===- Expansion.cpp - Nodes that become other operators ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Contrib/Expansion.h"

using namespace mlir;
using namespace onnxc;

LogicalResult onnxc::finish(Value value, SmallVectorImpl<Value> &results) {
  results.push_back(value);
  return success(static_cast<bool>(value));
}

SmallVector<NamedAttribute> onnxc::pick(NodeUpgrade &node,
                                        ArrayRef<StringRef> names) {
  SmallVector<NamedAttribute> picked;
  for (StringRef name : names)
    if (Attribute value = node.attributes.get(name))
      picked.push_back(node.builder.getNamedAttr(name, value));
  return picked;
}

FailureOr<Value> onnxc::require(NodeUpgrade &node, unsigned index) {
  if (Value value = node.getInput(index))
    return value;
  return node.emitError() << "input " << index << " is missing";
}
