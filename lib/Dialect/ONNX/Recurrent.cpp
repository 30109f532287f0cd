//===- Recurrent.cpp - The ops of Recurrent.td ----------------------------===//
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

/// RNN, GRU and LSTM: Y has every step's output, the other results (one per
/// initial state) the last one's. `gates` blocks of weights lie in W, R and B.
template <typename Adaptor>
static LogicalResult recurrent(ShapeBuilder &s, Adaptor op, int64_t gates,
                               ValueRange initialStates, llvm::StringRef name) {
  llvm::StringRef direction = op.getDirection();
  int64_t layout = op.getLayout();
  s.require(direction == "forward" || direction == "reverse" ||
                direction == "bidirectional",
            name +
                "_direction: must be forward, reverse or bidirectional, "
                "is '" +
                direction + "'");
  s.require(!op.getClip() || !op.getClip()->isNegative(),
            name + "_clip: must not be negative");
  Dims x = dimsOfRank(s, op.getX(), 3, name + "_x");
  Dims w = dimsOfRank(s, op.getW(), 3, name + "_w");
  Dims r = dimsOfRank(s, op.getR(), 3, name + "_r");
  Dim directions = s.constant(direction == "bidirectional" ? 2 : 1);
  s.same(w[0], directions, name + "_w: directions");
  s.same(r[0], directions, name + "_r: directions");
  Dim hidden = r[2];
  if (op.getHiddenSize())
    hidden =
        s.same(s.constant(*op.getHiddenSize()), hidden, name + "_hidden_size");
  s.same(w[1], hidden * gates, name + "_w: rows");
  s.same(r[1], hidden * gates, name + "_r: rows");
  s.same(w[2], x[2], name + "_w: columns and features of the input");
  if (op.getB()) {
    Dims b = dimsOfRank(s, op.getB(), 2, name + "_b");
    s.same(b[0], directions, name + "_b: directions");
    s.same(b[1], hidden * (2 * gates), name + "_b: elements");
  }
  Dim sequence = x[layout], batch = x[1 - layout];
  if (op.getSequenceLens())
    s.same(dimsOfRank(s, op.getSequenceLens(), 1, name + "_sequence_lens")[0],
           batch, name + "_sequence_lens: one per sequence");
  Dims state = {directions, batch, hidden};
  if (layout == 1)
    std::swap(state[0], state[1]);
  for (Value initial : initialStates)
    if (initial)
      for (auto [a, b] : llvm::zip_equal(
               dimsOfRank(s, initial, 3, name + "_initial_state"), state))
        s.same(a, b, name + "_initial_state");
  if (s.hasFailed())
    return failure();

  Type elementType = s.elementType(op.getX());
  for (unsigned i = 0; i < initialStates.size(); ++i)
    if (failed(s.result(1 + i, elementType, state)))
      return failure();
  return layout == 0
             ? s.result(0, elementType, {sequence, directions, batch, hidden})
             : s.result(0, elementType, {batch, sequence, directions, hidden});
}

LogicalResult RNNOp::shape(ShapeBuilder &s, Adaptor op) {
  return recurrent(s, op, 1, op.getInitialH(), "rnn");
}
LogicalResult GRUOp::shape(ShapeBuilder &s, Adaptor op) {
  return recurrent(s, op, 3, op.getInitialH(), "gru");
}
LogicalResult LSTMOp::shape(ShapeBuilder &s, Adaptor op) {
  if (op.getP()) {
    Dims p = dimsOfRank(s, op.getP(), 2, "lstm_p");
    Dims r = dimsOfRank(s, op.getR(), 3, "lstm_r");
    s.same(p[0], r[0], "lstm_p: directions");
    s.same(p[1], r[2] * 3, "lstm_p: elements");
  }
  return recurrent(s, op, 4, {op.getInitialH(), op.getInitialC()}, "lstm");
}
