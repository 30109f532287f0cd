//===- Fault.cpp - onnx.fault ---------------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fault.h"

#include "Handles.h"
#include "Lowering.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace onnxc;

/// Behind the check, which ends the run, a value of the type.
static Value makeUnreached(Lowering &l, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(l.convert(type));
  if (!tensor && isa<TensorType>(type)) {
    Type element = cast<TensorType>(type).getElementType();
    return l.box(l.empty(l.attr(0), getStorageType(element)),
                 getDataType(element));
  }
  if (!tensor)
    return callOnHandles(
        l, isa<OptType>(type) ? "optional_none" : "sequence_new", {});
  Sizes sizes;
  for (int64_t size : tensor.getShape())
    sizes.push_back(l.attr(ShapedType::isDynamic(size) ? 0 : size));
  return l.castTo(l.empty(sizes, tensor.getElementType()), tensor);
}

static LogicalResult lowerFault(FaultOp op, FaultOp::Adaptor, Lowering &l) {
  cf::AssertOp::create(l.b, l.loc, l.constant(l.b.getBoolAttr(false)),
                       op.getMessage());
  SmallVector<Value> values;
  for (Type type : op->getResultTypes())
    values.push_back(makeUnreached(l, type));
  return l.replace(values);
}

void onnxc::populateFault(Lowerings &lowerings) {
  lowerings.addWithHandles<FaultOp>(lowerFault);
}
