//===- SoftmaxRules.cpp - Softmax, LogSoftmax, Hardmax --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

/// Before 13, the input was seen as a matrix, all dimensions from `axis` on
/// being its rows, and a row was normalized as a whole; now only one axis is.
LogicalResult rules::flattenSoftmax(NodeUpgrade &node) {
  Value x = node.getInput(0);
  if (!x)
    return success(); // reported as missing where the op is made
  int64_t axis = node.getInt("axis", 1);
  if (axis == -1)
    return success();
  if (std::optional<ArrayRef<int64_t>> shape = getShape(x)) {
    int64_t rank = shape->size();
    // What comes before the axis may be all dimensions until version 11 says
    // that the axis is one of them.
    if (axis < -rank || axis > rank ||
        (axis == rank && node.op.getVersion() >= 11))
      return node.emitError()
             << "axis " << axis << " is outside of the input's rank " << rank;
    if (axis < 0)
      axis += rank;
    // Nothing to flatten: the dimensions after the axis are 1.
    bool isOneAxis = axis < rank && llvm::all_of(
                                        shape->drop_front(axis + 1),
                                        [](int64_t dim) { return dim == 1; });
    if (isOneAxis) {
      node.setInt("axis", axis == rank - 1 ? -1 : axis);
      return success();
    }
  }
  Value shape = node.shapeOf(x);
  node.setInput(0, node.flatten(x, axis));
  node.setInt("axis", -1);
  node.finish.push_back([&node, shape](MutableArrayRef<Value> results) {
    results[0] = node.make<ReshapeOp>({results[0], shape});
    return success(static_cast<bool>(results[0]));
  });
  return success();
}

/// The same where nothing but dimensions of 1 comes after the axis.
LogicalResult inverses::flattenSoftmax(NodeDowngrade &node) {
  std::optional<ArrayRef<int64_t>> shape = getShape(node.getInput(0));
  int64_t axis = node.getInt("axis", -1);
  if (!shape) {
    if (axis != -1)
      return node.fail("all dimensions from the axis on are meant there, and "
                       "the rank of the input is not known");
    node.setInt("axis", -1);
    return success();
  }
  int64_t rank = static_cast<int64_t>(shape->size());
  if (axis < 0)
    axis += rank;
  bool isOneAxis =
      axis >= 0 && axis < rank &&
      llvm::all_of(
          shape->drop_front(axis + 1), [](int64_t dim) { return dim == 1; });
  if (!isOneAxis)
    return node.fail("all dimensions from the axis on are meant there");
  auto old = dyn_cast_or_null<IntegerAttr>(node.getOld("axis"));
  bool wasNegative = old && old.getInt() < 0 && old.getInt() + rank == axis;
  node.setInt("axis", wasNegative ? old.getInt() : axis);
  return success();
}
