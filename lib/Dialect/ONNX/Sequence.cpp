//===- Sequence.cpp - The ops of Sequence.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Sequence.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

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
    element = element ? generalizeTypes(element, type) : type;
    if (!s.require(static_cast<bool>(element),
                   "sequenceconstruct_inputs: must be of one type"))
      return failure();
  }
  return s.resultType(0, sequenceOf(element));
}

LogicalResult SequenceEmptyOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = Float32Type::get(s.getContext());
  if (op.getDtype())
    elementType = getElementType(s.getContext(), *op.getDtype());
  if (!s.require(static_cast<bool>(elementType),
                 "sequenceempty_dtype: is no element type"))
    return failure();
  return s.resultType(0, sequenceOf(UnrankedTensorType::get(elementType)));
}

LogicalResult SequenceAtOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.resultType(0, elementOf(s, op.getInputSequence()));
}

LogicalResult SequenceInsertOp::shape(ShapeBuilder &s, Adaptor op) {
  Type element = elementOf(s, op.getInputSequence());
  Type tensor = s.type(op.getTensor());
  if (!element || !tensor)
    return s.asDeclared();
  Type both = generalizeTypes(element, tensor);
  if (!s.require(static_cast<bool>(both),
                 "sequenceinsert_tensor: must have the type of the elements"))
    return failure();
  return s.resultType(0, sequenceOf(both));
}

LogicalResult SequenceEraseOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.resultType(0, sequenceOf(elementOf(s, op.getInputSequence())));
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
