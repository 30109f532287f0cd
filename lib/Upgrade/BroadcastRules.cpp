//===- BroadcastRules.cpp - Operands that lie along axes of others --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

/// `count` ones, as a shape of a length known at run time only.
static Value createOnes(NodeUpgrade &node, Value count) {
  auto one = DenseElementsAttr::get(
      RankedTensorType::get({1}, node.builder.getI64Type()), int64_t(1));
  return node.make<ConstantOfShapeOp>(count, node.attribute("value", one));
}

static std::string spell(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << '?';
    else
      os << dim;
  });
  os << ']';
  return text;
}

/// Whether dimensions that must be the same can be.
static bool canBeSame(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Before 7, only the second input was broadcast, if that was asked for. Only
/// what is known of the shapes can be wrong.
static LogicalResult checkBroadcast(NodeUpgrade &node, bool broadcast,
                                    std::optional<int64_t> axis) {
  std::optional<ArrayRef<int64_t>> a = getShape(node.getInput(0)),
                                   b = getShape(node.getInput(1));
  if (!a || !b)
    return success();
  auto fail = [&](const Twine &why) -> LogicalResult {
    return node.emitError() << why << ": the operands are of shapes "
                            << spell(*a) << " and " << spell(*b);
  };
  // A single number has no place, and was broadcast unasked.
  if (llvm::all_of(*b, [](int64_t dim) { return canBeSame(dim, 1); }))
    return success();
  if (!broadcast) {
    if (a->size() == b->size() && llvm::all_of_zip(*a, *b, canBeSame))
      return success();
    return fail("operands of different shapes need the attribute 'broadcast'");
  }
  if (a->size() < b->size())
    return fail("the first input cannot be broadcast to the second one");
  int64_t rank = static_cast<int64_t>(a->size());
  int64_t size = static_cast<int64_t>(b->size());
  int64_t first = axis ? (*axis < 0 ? *axis + rank : *axis) : rank - size;
  if (first < 0 || first > rank - size)
    return node.emitError()
           << "axis " << *axis << " puts the second input, of rank " << size
           << ", outside of the first one, of rank " << rank;
  for (auto [dimA, dimB] : llvm::zip(a->slice(first, size), *b))
    if (dimB != 1 && !canBeSame(dimA, dimB))
      return fail("the second input cannot be broadcast to the first one" +
                  (axis ? " from axis " + Twine(first) + " on" : Twine()));
  return success();
}

/// Before 7, binary operators broadcast when asked to (`broadcast`), and only
/// the second input: its dimensions lie against the first one's from `axis`
/// on, or against the last ones. Now they always lie against the last ones, so
/// the second input gets trailing dimensions of 1.
LogicalResult rules::legacyBroadcast(NodeUpgrade &node) {
  bool broadcast = node.getInt("broadcast", 0) != 0;
  bool hasAxis = static_cast<bool>(node.attributes.get("axis"));
  int64_t axis = node.getInt("axis", 0);
  node.attributes.erase("broadcast");
  node.attributes.erase("axis");
  if (failed(checkBroadcast(node, broadcast,
                            hasAxis ? std::optional(axis) : std::nullopt)))
    return failure();
  if (!broadcast || !hasAxis)
    return success();
  Value a = node.getInput(0), b = node.getInput(1);
  std::optional<ArrayRef<int64_t>> shape = getShape(b);
  if (shape && llvm::all_of(*shape, [](int64_t dim) { return dim == 1; }))
    return success();

  std::optional<int64_t> rankA = getRank(a), rankB = getRank(b);
  if (rankA && rankB) {
    int64_t first = axis < 0 ? axis + *rankA : axis;
    int64_t trailing = *rankA - first - *rankB;
    if (trailing <= 0)
      return success();
    SmallVector<int64_t> axes;
    for (int64_t i = 0; i < trailing; ++i)
      axes.push_back(*rankB + i);
    node.setInput(1, node.unsqueeze(b, axes));
    return success();
  }
  Value shapeB = node.shapeOf(b);
  Value first = node.ints(axis);
  Value ranksA = node.shapeOf(node.shapeOf(a));
  if (axis < 0)
    first = node.add(first, ranksA);
  Value behind = node.sub(ranksA, first);
  Value trailing = node.sub(behind, node.shapeOf(shapeB));
  Value target = node.concat({shapeB, createOnes(node, trailing)}, 0);
  node.setInput(1, node.make<ReshapeOp>({b, target}));
  return success();
}

/// Shapes that are the same need no `broadcast`, which may be said all the
/// same; the last dimensions of the first input need no `axis`.
LogicalResult inverses::legacyBroadcast(NodeDowngrade &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  std::optional<ArrayRef<int64_t>> shapeA = getShape(a), shapeB = getShape(b);
  auto old = dyn_cast_or_null<IntegerAttr>(node.getOld("broadcast"));
  bool isKnown = shapeA && shapeB &&
                 llvm::none_of(*shapeA, ShapedType::isDynamic) &&
                 llvm::none_of(*shapeB, ShapedType::isDynamic);
  if (!isKnown) {
    // As it was: the operands have the shapes that they had.
    if (!node.source)
      return node.fail("the shapes of its operands must be known there");
    node.restore("broadcast");
    node.restore("axis");
    return success();
  }
  if (*shapeA == *shapeB) {
    node.restore("broadcast");
    node.restore("axis");
    return success();
  }
  if (shapeB->size() > shapeA->size())
    return node.fail("the second input has more dimensions than the first");
  for (auto [dimA, dimB] :
       llvm::zip(llvm::reverse(*shapeA), llvm::reverse(*shapeB)))
    if (dimA != dimB && dimB != 1)
      return node.fail("only the second input can be broadcast there");
  // Dimensions of 1 within others came later.
  bool isUnit = llvm::all_of(*shapeB, [](int64_t dim) { return dim == 1; });
  if (!isUnit && *shapeB != shapeA->take_back(shapeB->size()))
    return node.fail("the second input is not the last dimensions of the "
                     "first one there");
  node.setInt("broadcast", old && old.getInt() ? old.getInt() : 1);
  node.restore("axis");
  return success();
}

/// Before 7, the addend was broadcast only when asked to.
LogicalResult rules::gemmBroadcast(NodeUpgrade &node) {
  node.attributes.erase("broadcast");
  return success();
}

LogicalResult inverses::gemmBroadcast(NodeDowngrade &node) {
  std::optional<ArrayRef<int64_t>> addend = getShape(node.getInput(2));
  std::optional<ArrayRef<int64_t>> sum = getShape(node.op->getResult(0));
  node.restore("broadcast");
  bool isKnown = addend && sum && llvm::none_of(*sum, ShapedType::isDynamic);
  bool isSame = isKnown && *addend == *sum;
  if (isSame || node.getInt("broadcast", 0) != 0 || (node.source && !isKnown))
    return success();
  node.setInt("broadcast", 1);
  return success();
}

/// Before 7, a slope of rank 1 lies along axis 1; now along the last one.
LogicalResult rules::preluChannelSlope(NodeUpgrade &node) {
  Value x = node.getInput(0), slope = node.getInput(1);
  if (!x || !slope)
    return success(); // reported as missing where the op is made
  std::optional<ArrayRef<int64_t>> shape = getShape(slope);
  if (shape && (shape->size() != 1 || shape->front() == 1))
    return success();
  std::optional<int64_t> rank = getRank(x);
  if (shape && rank) {
    if (*rank <= 2)
      return success();
    SmallVector<int64_t> axes;
    for (int64_t i = 1; i < *rank - 1; ++i)
      axes.push_back(i);
    node.setInput(1, node.unsqueeze(slope, axes));
    return success();
  }
  if (!shape)
    return node.emitError() << "the rank of the slope must be known to find "
                               "the axis that it belongs to";
  // As many ones as the input has dimensions after the second; Reshape takes
  // the slope's length from -1.
  Value trailing = node.make<MaxOp>(
      {node.make<SubOp>({node.shapeOf(node.shapeOf(x)), node.ints(2)}),
       node.ints(0)});
  Value target = node.concat({node.ints(-1), createOnes(node, trailing)}, 0);
  node.setInput(1, node.make<ReshapeOp>({slope, target}));
  return success();
}

LogicalResult inverses::preluChannelSlope(NodeDowngrade &node) {
  std::optional<int64_t> rank = getRank(node.getInput(0));
  std::optional<ArrayRef<int64_t>> slope = getShape(node.getInput(1));
  bool isOne = slope && slope->size() <= 1 &&
               llvm::all_of(*slope, [](int64_t dim) { return dim == 1; });
  if (isOne || (rank && *rank <= 2 && slope && slope->size() == 1))
    return success();
  return node.fail("the slope has one number, or one for each channel there");
}
