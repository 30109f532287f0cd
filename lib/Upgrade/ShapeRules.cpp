//===- ShapeRules.cpp - Split and Tile ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Upgrade/VersionForm.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

/// In the first version the lengths could come as an input of the data's type.
LogicalResult rules::splitLengths(NodeUpgrade &node) {
  Value lengths = node.getInput(1);
  if (!lengths)
    return success();
  if (std::optional<SmallVector<int64_t>> values = getIntegers(lengths))
    node.setInput(1, node.ints(*values));
  else
    node.setInput(1, node.castToInt64(lengths));
  return success();
}

/// The lengths are an attribute by now.
LogicalResult inverses::splitLengths(NodeDowngrade &node) { return success(); }

/// Since 18, parts that are not given lengths must be counted.
LogicalResult rules::splitEqually(NodeUpgrade &node) {
  if (node.getInput(1))
    return success();
  int64_t count = static_cast<int64_t>(node.outputs.size());
  node.setInt("num_outputs", count);
  // The last part may be smaller only now.
  int64_t axis = node.getInt("axis", 0);
  std::optional<int64_t> size = getDim(node.getInput(0), axis);
  if (!size || count == 0 || *size % count == 0)
    return success();
  return node.emitError() << "its input has " << *size
                          << " elements along axis " << axis
                          << ", which are not " << count << " equal parts";
}

LogicalResult inverses::splitEqually(NodeDowngrade &node) {
  int64_t count = node.getInt("num_outputs", -1);
  node.attributes.erase("num_outputs");
  if (node.getInput(1))
    return success();
  // A last part that is smaller than the others came with the count.
  auto oldVersion = node.op->getAttrOfType<IntegerAttr>(model::oldVersion);
  bool wereEqual = node.source || (oldVersion && oldVersion.getInt() < 18);
  std::optional<int64_t> size =
      getDim(node.getInput(0), node.getInt("axis", 0));
  if (count <= 0 || count != static_cast<int64_t>(node.outputs.size()) ||
      (size ? *size % count != 0 : !wereEqual))
    return node.fail("its parts must be equal there");
  return success();
}

/// In the first version the data was repeated along one axis, both numbers
/// being inputs of the data's type; now there is a number for each axis.
LogicalResult rules::tileAlongAxis(NodeUpgrade &node) {
  Value x = node.getInput(0), tiles = node.getInput(1), axis = node.getInput(2);
  if (!x || !tiles || !axis)
    return node.emitError() << "takes three inputs in this version";
  std::optional<int64_t> rank = getRank(x);
  std::optional<SmallVector<int64_t>> count = getIntegers(tiles);
  std::optional<SmallVector<int64_t>> at = getIntegers(axis);
  if (rank && count && at) {
    if (count->size() != 1 || at->size() != 1 || at->front() < -*rank ||
        at->front() >= *rank)
      return node.emitError()
             << "its axis is not one of the " << *rank << " axes of the input";
    SmallVector<int64_t> repeats(*rank, 1);
    repeats[at->front() + (at->front() < 0 ? *rank : 0)] = count->front();
    node.inputs = {x, node.ints(repeats)};
    return success();
  }
  auto one = DenseElementsAttr::get(
      RankedTensorType::get({1}, node.builder.getI64Type()), int64_t(1));
  Value ones = node.make<ConstantOfShapeOp>(node.shapeOf(node.shapeOf(x)),
                                            node.attribute("value", one));
  auto toIndex = [&](Value value) {
    return node.reshape(node.castToInt64(value), 1);
  };
  Value repeats = node.make<ScatterElementsOp>(
      {ones, toIndex(axis), toIndex(tiles)}, node.attribute("axis", 0));
  node.inputs = {x, repeats};
  return success();
}
