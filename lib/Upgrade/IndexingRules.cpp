//===- IndexingRules.cpp - Counts, indices and classes --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

using namespace mlir;
using namespace onnxc;

/// Before 10, the number of elements was an attribute; now it is an input of
/// shape [1].
LogicalResult rules::topKCount(NodeUpgrade &node) {
  if (!node.attributes.get("k"))
    return node.emitError() << "the attribute 'k' is missing";
  int64_t k = node.getInt("k", -1);
  if (k < 0)
    return node.emitError() << "attribute 'k' is not a count";
  node.attributes.erase("k");
  node.setInput(1, node.ints(k));
  return success();
}

LogicalResult inverses::topKCount(NodeDowngrade &node) {
  std::optional<SmallVector<int64_t>> k = getIntegers(node.getInput(1));
  if (!k || k->size() != 1)
    return node.fail("'k' is an attribute there, but no constant");
  if (failed(node.refuse("largest")) || failed(node.refuse("sorted")))
    return failure();
  node.setInt("k", k->front());
  node.inputs[1] = {};
  return success();
}

/// The first version mapped between strings and their positions in a list, in
/// the direction that the input's type says; now both sides are lists.
LogicalResult rules::labelEncoderClasses(NodeUpgrade &node) {
  auto classes =
      dyn_cast_or_null<ArrayAttr>(node.attributes.erase("classes_strings"));
  if (!classes)
    return node.emitError() << "the attribute 'classes_strings' is missing";
  SmallVector<int64_t> positions = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(classes.size())));
  Attribute numbers = node.builder.getDenseI64ArrayAttr(positions);
  Type element = getElementType(node.getInput(0));
  bool fromStrings =
      element ? !element.isInteger() : !node.attributes.get("default_string");
  node.attributes.set(fromStrings ? "keys_strings" : "values_strings", classes);
  node.attributes.set(fromStrings ? "values_int64s" : "keys_int64s", numbers);
  node.attributes.erase(fromStrings ? "default_string" : "default_int64");
  return success();
}
