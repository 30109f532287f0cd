//===- Sequence.cpp - The ops of Sequence.td ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Sequence.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Sequence.cpp.inc"

void ONNXDialect::registerSequenceOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Sequence.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// The type that all elements of a sequence have; null if not known.
static Type elementOf(ShapeBuilder &s, Value sequence) {
  auto type = dyn_cast_or_null<SeqType>(s.type(sequence));
  return type && !isa<UnknownType>(type.getElementType())
             ? type.getElementType()
             : Type();
}

static Type sequenceOf(Type element) {
  return element ? SeqType::get(element.getContext(), element) : Type();
}

LogicalResult SequenceConstructOp::shape(ShapeBuilder &s, Adaptor op) {
  Type element;
  for (Value input : op.getInputs()) {
    Type type = s.type(input);
    if (!type)
      return s.asDeclared();
    // Of one element type: their type variable says so.
    element = element ? generalizeTypes(element, type) : type;
    if (!element)
      return s.asDeclared();
  }
  return s.resultType(0, sequenceOf(element));
}

LogicalResult SequenceEmptyOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = Float32Type::get(s.getContext());
  if (op.getDtype())
    elementType = getElementType(s.getContext(), *op.getDtype());
  if (!s.require(static_cast<bool>(elementType),
                 "sequenceempty_dtype: is not a tensor element type"))
    return failure();
  return s.resultType(0, sequenceOf(UnrankedTensorType::get(elementType)));
}

LogicalResult SequenceAtOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.resultType(0, elementOf(s, op.getInputSequence()));
}

LogicalResult SequenceInsertOp::shape(ShapeBuilder &s, Adaptor op) {
  Type tensor = s.type(op.getTensor());
  auto sequence = dyn_cast_or_null<SeqType>(s.type(op.getInputSequence()));
  if (!sequence || !tensor)
    return s.asDeclared();
  Type element = sequence.getElementType();
  // Elements of no known type are none.
  Type both =
      isa<UnknownType>(element) ? tensor : generalizeTypes(element, tensor);
  if (!s.require(static_cast<bool>(both),
                 "sequenceinsert_tensor: must have the type of the elements"))
    return failure();
  return s.resultType(
      0, sequenceOf(isEmptySequence(op.getInputSequence()) ? tensor : both));
}

LogicalResult SequenceEraseOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.resultType(0, sequenceOf(elementOf(s, op.getInputSequence())));
}

/// The dims of the parts along `axis`, which `size` elements are cut at.
static Dim getPartSize(ShapeBuilder &s, Value split, Dim size) {
  std::optional<llvm::SmallVector<int64_t>> parts = s.constants(split);
  if (!parts)
    return s.unknown();
  for (int64_t part : *parts)
    if (!s.require(part >= 0, "splittosequence_split: parts must not be "
                              "negative, one is " +
                                  llvm::Twine(part)))
      return s.unknown();
  if (s.rank(split) == 0) {
    int64_t part = parts->front();
    if (!s.require(part > 0, "splittosequence_split: parts must have elements"))
      return s.unknown();
    std::optional<int64_t> all = size.getKnown();
    // The last part may be smaller.
    return all && (*all % part == 0 || *all <= part)
               ? s.constant(std::min(part, *all))
               : s.unknown();
  }
  Dim sum = s.constant(0);
  for (int64_t part : *parts)
    sum = sum + part;
  s.same(sum, size, "splittosequence_sum");
  bool isUniform = !parts->empty() && llvm::all_equal(*parts);
  return isUniform ? s.constant(parts->front()) : s.unknown();
}

LogicalResult SplitToSequenceOp::shape(ShapeBuilder &s, Adaptor op) {
  Value input = op.getInput(), split = op.getSplit();
  Type elementType = s.elementType(input);
  if (!elementType)
    return s.asDeclared();
  if (!s.ranked(input))
    return s.resultType(0, sequenceOf(UnrankedTensorType::get(elementType)));
  int64_t axis = s.axis(op.getAxis(), s.rank(input), "splittosequence_axis");
  if (s.hasFailed())
    return failure();
  if (split && s.ranked(split) &&
      !s.require(s.rank(split) <= 1,
                 "splittosequence_split: must have rank 0 or 1"))
    return failure();
  llvm::SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  if (!split && op.getKeepdims() == 0) {
    shape.erase(shape.begin() + axis);
  } else {
    Dim part =
        split ? getPartSize(s, split, s.dim(input, axis)) : s.constant(1);
    shape[axis] = part.getKnown().value_or(ShapedType::kDynamic);
  }
  if (s.hasFailed())
    return failure();
  return s.resultType(0, sequenceOf(RankedTensorType::get(shape, elementType)));
}

LogicalResult ConcatFromSequenceOp::shape(ShapeBuilder &s, Adaptor op) {
  bool stacks = op.getNewAxis() != 0;
  auto element =
      dyn_cast_or_null<TensorType>(elementOf(s, op.getInputSequence()));
  if (!element)
    return s.asDeclared();
  if (!element.hasRank())
    return s.unranked(0, element.getElementType());
  int64_t rank = element.getRank() + (stacks ? 1 : 0);
  if (!s.require(rank >= 1, "concatfromsequence_rank: scalars can be joined "
                            "along a new axis only"))
    return failure();
  int64_t axis = s.axis(op.getAxis(), rank, "concatfromsequence_axis");
  if (s.hasFailed())
    return failure();
  Dims dims;
  for (int64_t size : element.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? s.unknown()
                                               : s.constant(size));
  if (stacks)
    dims.insert(dims.begin() + axis, s.unknown());
  else
    dims[axis] = s.unknown();
  return s.result(0, element.getElementType(), dims);
}

LogicalResult SequenceLengthOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.result(0, IntegerType::get(s.getContext(), 64), {});
}

LogicalResult OptionalHasElementOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.result(0, IntegerType::get(s.getContext(), 1), {});
}

LogicalResult OptionalGetElementOp::shape(ShapeBuilder &s, Adaptor op) {
  Type type = s.type(op.getInput());
  if (auto optional = dyn_cast_or_null<OptType>(type))
    type = optional.getElementType();
  return s.resultType(0, type && !isa<UnknownType>(type) ? type : Type());
}

LogicalResult OptionalOp::shape(ShapeBuilder &s, Adaptor op) {
  Type type = op.getType() ? *op.getType() : s.type(op.getInput());
  return s.resultType(0, type ? OptType::get(type.getContext(), type) : Type());
}
