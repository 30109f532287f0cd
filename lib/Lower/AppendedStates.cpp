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

static Value skipIdentities(Value value) {
  while (auto identity = value.getDefiningOp<IdentityOp>())
    value = identity.getInput();
  return value;
}

/// Whether `value` is the first of the parts that `state` is split into along
/// `axis`.
static bool isFirstPart(Value value, Value state, int64_t axis) {
  auto split = value.getDefiningOp<SplitOp>();
  return split && value == split.getOutputs().front() &&
         skipIdentities(split.getInput()) == state &&
         static_cast<int64_t>(split.getAxis()) == axis;
}

/// What becomes of the rows of `state`, whose next value is `value`. `obstacle`
/// is why nothing is known.
static StateRows classify(Value state, Value value, int64_t axis,
                          StringRef &obstacle) {
  auto fail = [&](StringRef why) {
    obstacle = why;
    return StateRows::Made;
  };
  if (axis < 0)
    return fail("it does not grow");
  value = skipIdentities(value);
  if (auto attention = value.getDefiningOp<AttentionOp>()) {
    bool isKey = value == attention.getPresentKey();
    Value past = isKey ? attention.getPastKey() : attention.getPastValue();
    return axis == 2 && past && skipIdentities(past) == state
               ? StateRows::Appended
               : fail("its Attention has another past");
  }
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat)
    return fail("its next value is not a Concat");
  if (static_cast<int64_t>(concat.getAxis()) != axis)
    return fail("its Concat is along another dimension");
  Value first = skipIdentities(concat.getInputs().front());
  if (first == state)
    return StateRows::Appended;
  return isFirstPart(first, state, axis)
             ? StateRows::Rewritten
             : fail("its Concat does not begin with the value before");
}

StateRows onnxc::classifyState(ArrayRef<func::FuncOp> entries, StringRef name) {
  Value next;
  StateRows rows = StateRows::Appended;
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
    StringRef obstacle;
    StateRows ofEntry = classify(entry.getArgument(*state), next,
                                 axis ? axis.getInt() : -1, obstacle);
    if (ofEntry == StateRows::Made) {
      emitRemark(next.getLoc())
          << "state '" << name << "': each run writes all of it: " << obstacle;
      return ofEntry;
    }
    if (ofEntry == StateRows::Rewritten)
      rows = ofEntry;
  }
  emitRemark(next.getLoc())
      << "state '" << name << "': new rows are appended in place"
      << (rows == StateRows::Rewritten
              ? ", unless a run writes rows before them"
              : "");
  return rows;
}
