//===- Sequence.cpp - Sequences and optionals -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it is calls of the runtime on handles: tensors are boxed where they
// enter a sequence, and unboxed where one of known rank leaves it.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Sequence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace onnxc;

/// A result of one element from an integer.
static LogicalResult replaceByInteger(Lowering &l, Value value) {
  auto type = dyn_cast<RankedTensorType>(l.resultValueType());
  if (!type || type.getRank() != 0)
    return l.fail("its output must be a scalar");
  if (type.getElementType().isInteger(1))
    value = l.b.createOrFold<arith::TruncIOp>(l.loc, l.b.getI1Type(), value);
  return l.replace(l.fromScalars(type, value));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static LogicalResult lowerSequenceEmpty(SequenceEmptyOp,
                                        SequenceEmptyOp::Adaptor, Lowering &l) {
  return l.replace(callOnHandles(l, "sequence_new", {}));
}

static LogicalResult lowerSequenceConstruct(SequenceConstructOp,
                                            SequenceConstructOp::Adaptor,
                                            Lowering &l) {
  Value sequence = callOnHandles(l, "sequence_new", {});
  for (unsigned i = 0; i < l.operands.size(); ++i)
    sequence =
        callOnHandles(l, "sequence_append", {sequence, operandHandle(l, i)});
  return l.replace(sequence);
}

static LogicalResult lowerSequenceAt(SequenceAtOp, SequenceAtOp::Adaptor,
                                     Lowering &l) {
  return replaceByHandle(
      l, callOnHandles(l, "sequence_at",
                       {operandHandle(l, 0), operandInteger(l, 1)}));
}

static LogicalResult lowerSequenceInsert(SequenceInsertOp,
                                         SequenceInsertOp::Adaptor operands,
                                         Lowering &l) {
  Value sequence = operandHandle(l, 0), value = operandHandle(l, 1);
  if (!operands.getPosition())
    return l.replace(callOnHandles(l, "sequence_append", {sequence, value}));
  return l.replace(callOnHandles(l, "sequence_insert",
                                 {sequence, value, operandInteger(l, 2)}));
}

static LogicalResult lowerSequenceErase(SequenceEraseOp,
                                        SequenceEraseOp::Adaptor operands,
                                        Lowering &l) {
  Value position =
      operands.getPosition() ? operandInteger(l, 1) : integer(l, -1);
  return l.replace(
      callOnHandles(l, "sequence_erase", {operandHandle(l, 0), position}));
}

static LogicalResult
lowerSequenceLength(SequenceLengthOp, SequenceLengthOp::Adaptor, Lowering &l) {
  return replaceByInteger(
      l, callOnHandles(l, "sequence_length", operandHandle(l, 0)));
}

static LogicalResult lowerSplitToSequence(SplitToSequenceOp op,
                                          SplitToSequenceOp::Adaptor operands,
                                          Lowering &l) {
  Value split = operands.getSplit() ? operandHandle(l, 1) : integer(l, 0);
  return l.replace(
      callOnHandles(l, "sequence_split",
                    {operandHandle(l, 0), split, integer(l, op.getAxis()),
                     integer(l, op.getKeepdims())}));
}

static LogicalResult lowerConcatFromSequence(ConcatFromSequenceOp op,
                                             ConcatFromSequenceOp::Adaptor,
                                             Lowering &l) {
  return replaceByHandle(
      l, callOnHandles(l, "sequence_concat",
                       {operandHandle(l, 0), integer(l, op.getAxis()),
                        integer(l, op.getNewAxis())}));
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static LogicalResult lowerOptional(OptionalOp, OptionalOp::Adaptor operands,
                                   Lowering &l) {
  if (!operands.getInput())
    return l.replace(callOnHandles(l, "optional_none", {}));
  return l.replace(callOnHandles(l, "optional_some", operandHandle(l, 0)));
}

/// Where a tensor or a sequence stands for an optional, it holds itself.
static LogicalResult lowerOptionalGetElement(OptionalGetElementOp op,
                                             OptionalGetElementOp::Adaptor,
                                             Lowering &l) {
  Type type = op.getInput().getType();
  if (isa<OptType>(type))
    return replaceByHandle(
        l, callOnHandles(l, "optional_get", operandHandle(l, 0)));
  if (!isHandle(l.operands[0]) && !isHandle(l.resultValueType()))
    return l.replace(l.operands[0]);
  return replaceByHandle(l, operandHandle(l, 0));
}

static LogicalResult
lowerOptionalHasElement(OptionalHasElementOp op,
                        OptionalHasElementOp::Adaptor operands, Lowering &l) {
  if (operands.getInput() && isa<OptType>(op.getInput().getType()))
    return replaceByInteger(
        l, callOnHandles(l, "optional_has", operandHandle(l, 0)));
  return replaceByInteger(l, integer(l, operands.getInput() ? 1 : 0));
}

void onnxc::populateSequence(Lowerings &lowerings) {
  lowerings.addWithHandles<ConcatFromSequenceOp>(lowerConcatFromSequence);
  lowerings.addWithHandles<OptionalGetElementOp>(lowerOptionalGetElement);
  lowerings.addWithHandles<OptionalHasElementOp>(lowerOptionalHasElement);
  lowerings.addWithHandles<OptionalOp>(lowerOptional);
  lowerings.addWithHandles<SequenceAtOp>(lowerSequenceAt);
  lowerings.addWithHandles<SequenceConstructOp>(lowerSequenceConstruct);
  lowerings.addWithHandles<SequenceEmptyOp>(lowerSequenceEmpty);
  lowerings.addWithHandles<SequenceEraseOp>(lowerSequenceErase);
  lowerings.addWithHandles<SequenceInsertOp>(lowerSequenceInsert);
  lowerings.addWithHandles<SequenceLengthOp>(lowerSequenceLength);
  lowerings.addWithHandles<SplitToSequenceOp>(lowerSplitToSequence);
}
