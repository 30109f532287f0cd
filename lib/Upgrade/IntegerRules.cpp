//===- IntegerRules.cpp - Types that operators no longer take -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;

/// In the first version `to` was the name of the type.
LogicalResult rules::castTypeByName(NodeUpgrade &node) {
  auto name = dyn_cast_or_null<StringAttr>(node.attributes.get("to"));
  if (!name)
    return success();
  for (int dataType = 1;
       Type type = getElementType(node.builder.getContext(), dataType);
       ++dataType)
    if (StringRef(getOnnxTypeName(type)).equals_insensitive(name)) {
      node.setInt("to", dataType);
      return success();
    }
  return node.emitError() << "attribute 'to' is '" << name.getValue()
                          << "', which is not a tensor element type";
}

LogicalResult inverses::castTypeByName(NodeDowngrade &node) {
  int64_t to = node.getInt("to", 0);
  Type type = getElementType(node.builder.getContext(), static_cast<int>(to));
  if (!type)
    return node.fail("'to' is not a tensor element type");
  if (failed(node.refuse("saturate")) || failed(node.refuse("round_mode")))
    return failure();
  std::string name = getOnnxTypeName(type);
  auto old = dyn_cast_or_null<StringAttr>(node.getOld("to"));
  if (old && old.getValue().equals_insensitive(name))
    name = old.str();
  else
    name = StringRef(name).upper();
  node.setString("to", name);
  return success();
}

/// Computes in `type` what the operator no longer does on integers. The result
/// of an integer operator is the truncated one.
static LogicalResult computeInFloat(NodeUpgrade &node, Type type) {
  Value x = node.getInput(0);
  if (!x)
    return success(); // reported as missing where the op is made
  Type element = getElementType(x);
  if (!element)
    // What is not known yet is hardly an integer: the two operators are not
    // used on them.
    return success();
  if (!element.isInteger())
    return success();
  node.setInput(0, node.cast(x, type));
  node.finish.push_back([&node, element](MutableArrayRef<Value> results) {
    if (!results.empty() && results[0])
      results[0] = node.cast(results[0], element);
    return success();
  });
  return success();
}

/// Before 13, Erf took integers.
LogicalResult rules::erfOfIntegers(NodeUpgrade &node) {
  return computeInFloat(node, node.builder.getF32Type());
}

/// Before 28, reductions with a logarithm took integers.
LogicalResult rules::reduceIntegers(NodeUpgrade &node) {
  return computeInFloat(node, node.builder.getF64Type());
}

/// Floating-point numbers are computed as they were.
static LogicalResult expectFloat(NodeDowngrade &node) {
  Type element = getElementType(node.getInput(0));
  if (element && element.isInteger())
    return node.fail("integers are computed in another way there");
  return success();
}

LogicalResult inverses::erfOfIntegers(NodeDowngrade &node) {
  return expectFloat(node);
}

LogicalResult inverses::reduceIntegers(NodeDowngrade &node) {
  return expectFloat(node);
}
