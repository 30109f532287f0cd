//===- Handles.cpp - Values that are not ranked tensors -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace onnxc;

Value onnxc::callOnHandles(Lowering &l, llvm::StringRef name,
                           ValueRange inputs) {
  return l.call(name, inputs, {}, getHandleType(l.b.getContext())).front();
}

Value onnxc::integer(Lowering &l, int64_t value) {
  return l.constant(l.b.getI64IntegerAttr(value));
}

Value onnxc::operandHandle(Lowering &l, unsigned index) {
  Value operand = l.operands[index];
  return isHandle(operand) ? operand : l.box(operand, l.operandDtype(index));
}

Value onnxc::operandInteger(Lowering &l, unsigned index) {
  Value operand = l.operands[index];
  if (isHandle(operand))
    return callOnHandles(l, "integer_of", operand);
  l.checkEqual(l.product(l.sizes(operand)), l.attr(1),
               "expected one integer as input " + Twine(index));
  Value element = l.scalar(operand);
  if (element.getType().isInteger(64))
    return element;
  return l.b.createOrFold<arith::ExtSIOp>(l.loc, l.b.getI64Type(), element);
}

Value onnxc::asResult(Lowering &l, Value handle, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(l.resultValueType(index));
  return type ? l.unbox(handle, type, l.resultDtype(index)) : handle;
}

LogicalResult onnxc::replaceByHandle(Lowering &l, Value handle) {
  return l.replace(asResult(l, handle));
}
