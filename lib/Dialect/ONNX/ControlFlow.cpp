//===- ControlFlow.cpp - The ops of ControlFlow.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ControlFlow.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/ControlFlow.cpp.inc"

void ONNXDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/ControlFlow.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult IfOp::shape(ShapeBuilder &s, Adaptor op) {
  // Each output is what both branches can yield.
  auto yielded = [](Region &region) -> Operation * {
    return region.empty() || region.front().empty() ? nullptr
                                                    : &region.front().back();
  };
  Operation *yes = yielded(op.getThenBranch());
  Operation *no = yielded(op.getElseBranch());
  if (!yes || !no)
    return s.asDeclared();
  if (!s.require(yes->getNumOperands() == no->getNumOperands(),
                 "if_c1: the branches must have the same number of outputs"))
    return failure();
  for (auto [i, a, b] :
       llvm::enumerate(yes->getOperandTypes(), no->getOperandTypes())) {
    Type type = isa<UnknownType>(a) || isa<UnknownType>(b)
                    ? Type()
                    : generalizeTypes(a, b);
    if (failed(s.resultType(i, type)))
      return failure();
  }
  return s.asDeclared();
}
