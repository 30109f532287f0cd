//===- Recurrent.cpp - The ops of Recurrent.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Recurrent.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Recurrent.cpp.inc"

void ONNXDialect::registerRecurrentOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Recurrent.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// RNN, GRU and LSTM: Y has every step's output, the other results (`states` of
/// them) the last one's.
static LogicalResult recurrent(ShapeBuilder &s, Value x, Value r,
                               std::optional<int64_t> hiddenSize,
                               llvm::StringRef direction, int64_t layout,
                               unsigned states, llvm::StringRef op) {
  s.require(direction == "forward" || direction == "reverse" ||
                direction == "bidirectional",
            op + "_direction: must be forward, reverse or bidirectional, is '" +
                direction + "'");
  s.require(layout == 0 || layout == 1, op + "_layout: must be 0 or 1");
  Dims input = dimsOfRank(s, x, 3, op + "_x");
  Dims recurrence = dimsOfRank(s, r, 3, op + "_r");
  Dim directions = s.constant(direction == "bidirectional" ? 2 : 1);
  s.same(recurrence[0], directions, op + "_r: directions");
  Dim hidden = recurrence[2];
  if (hiddenSize)
    hidden = s.same(s.constant(*hiddenSize), hidden, op + "_hidden_size");
  if (s.hasFailed())
    return failure();
  Type elementType = s.elementType(x);
  Dim sequence = input[layout], batch = input[1 - layout];
  for (unsigned i = 0; i < states; ++i)
    if (failed(layout == 0
                   ? s.result(1 + i, elementType, {directions, batch, hidden})
                   : s.result(1 + i, elementType, {batch, directions, hidden})))
      return failure();
  return layout == 0
             ? s.result(0, elementType, {sequence, directions, batch, hidden})
             : s.result(0, elementType, {batch, sequence, directions, hidden});
}

LogicalResult RNNOp::shape(ShapeBuilder &s, Adaptor op) {
  return recurrent(s, op.getX(), op.getR(), op.getHiddenSize(),
                   op.getDirection(), op.getLayout(), 1, "rnn");
}
LogicalResult GRUOp::shape(ShapeBuilder &s, Adaptor op) {
  return recurrent(s, op.getX(), op.getR(), op.getHiddenSize(),
                   op.getDirection(), op.getLayout(), 1, "gru");
}
LogicalResult LSTMOp::shape(ShapeBuilder &s, Adaptor op) {
  return recurrent(s, op.getX(), op.getR(), op.getHiddenSize(),
                   op.getDirection(), op.getLayout(), 2, "lstm");
}
