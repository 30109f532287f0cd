//===- Logic.cpp - The ops of Logic.td ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Logic.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Logic.cpp.inc"

void ONNXDialect::registerLogicOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Logic.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

std::optional<Dim> NotOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  std::optional<Dim> operand = elements.followBroadcast(getX(), index);
  if (!operand || !operand->isKnown())
    return std::nullopt;
  return elements.getBuilder().constant(operand->is(0));
}

std::optional<Dim> AndOp::followElement(ShapeElements &elements,
                                        int64_t index) {
  return elements.followLogic(*this, index, /*deciding=*/false);
}

std::optional<Dim> OrOp::followElement(ShapeElements &elements, int64_t index) {
  return elements.followLogic(*this, index, /*deciding=*/true);
}

std::optional<Dim> EqualOp::followElement(ShapeElements &elements,
                                          int64_t index) {
  return elements.followComparison(*this, index, /*whenSame=*/true,
                                   std::equal_to<int64_t>());
}

std::optional<Dim> LessOp::followElement(ShapeElements &elements,
                                         int64_t index) {
  return elements.followComparison(*this, index, /*whenSame=*/false,
                                   std::less<int64_t>());
}

std::optional<Dim> GreaterOp::followElement(ShapeElements &elements,
                                            int64_t index) {
  return elements.followComparison(*this, index, /*whenSame=*/false,
                                   std::greater<int64_t>());
}

std::optional<Dim> WhereOp::followElement(ShapeElements &elements,
                                          int64_t index) {
  std::optional<Dim> condition =
      elements.followBroadcast(getCondition(), index);
  if (!condition || !condition->isKnown())
    return std::nullopt;
  return elements.followBroadcast(condition->is(0) ? getY() : getX(), index);
}
