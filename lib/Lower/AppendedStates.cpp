//===- AppendedStates.cpp - States that rows are appended to --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendedStates.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

/// Why `value`, the next value of `state`, is not the value before and rows
/// behind it; "" if it is.
static StringRef findObstacle(Value state, Value value, int64_t axis) {
  if (axis < 0)
    return "it does not grow";
  auto isPast = [&](Value operand) {
    while (auto identity = operand.getDefiningOp<IdentityOp>())
      operand = identity.getInput();
    return operand == state;
  };
  while (auto identity = value.getDefiningOp<IdentityOp>())
    value = identity.getInput();
  if (auto attention = value.getDefiningOp<AttentionOp>()) {
    bool isKey = value == attention.getPresentKey();
    Value past = isKey ? attention.getPastKey() : attention.getPastValue();
    return axis == 2 && past && isPast(past) ? ""
                                             : "its Attention has another past";
  }
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat)
    return "its next value is not a Concat";
  if (static_cast<int64_t>(concat.getAxis()) != axis)
    return "its Concat is along another dimension";
  if (!isPast(concat.getInputs().front()))
    return "its Concat does not begin with the value before";
  return "";
}

bool onnxc::isAppended(ArrayRef<func::FuncOp> entries, StringRef name) {
  Value next;
  for (func::FuncOp entry : entries) {
    unsigned count = 0, place = 0;
    std::optional<unsigned> state;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (auto output = entry.getArgAttrOfType<StringAttr>(i, model::state)) {
        if (output == name) {
          state = i;
          place = count;
        }
        ++count;
      }
    assert(state && "all entries have the same states");
    auto axis = entry.getArgAttrOfType<IntegerAttr>(*state, model::stateAxis);
    next = entry.front().getTerminator()->getOperand(entry.getNumResults() -
                                                     count + place);
    StringRef obstacle = findObstacle(entry.getArgument(*state), next,
                                      axis ? axis.getInt() : -1);
    if (obstacle.empty())
      continue;
    emitRemark(next.getLoc())
        << "state '" << name << "': each run writes all of it: " << obstacle;
    return false;
  }
  emitRemark(next.getLoc())
      << "state '" << name << "': new rows are appended in place";
  return true;
}
