// What the shape rules of recurrent ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @lstm_direction(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32>) {
  // expected-error @below {{lstm_direction: must be forward, reverse or bidirectional, is 'up'}}
  %0 = onnx.LSTM(%a, %b, %c) {direction = "up", hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gru_layout(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32>) {
  // expected-error @below {{attribute 'layout' is 2, expected 0 or 1}}
  %0 = onnx.GRU(%a, %b, %c) {layout = 2, hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lstm_r(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x12x4xf32>) {
  // expected-error @below {{lstm_r: rows: dimensions 12 and 16 must be equal}}
  %0 = onnx.LSTM(%a, %b, %c) {hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x12x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lstm_w(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x16x4xf32>) {
  // expected-error @below {{lstm_w: rows: dimensions 12 and 16 must be equal}}
  %0 = onnx.LSTM(%a, %b, %c) {hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x16x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lstm_b(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32>, %d: tensor<1x16xf32>) {
  // expected-error @below {{lstm_b: elements: dimensions 16 and 32 must be equal}}
  %0 = onnx.LSTM(%a, %b, %c, %d) {hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lstm_p(%a: tensor<5x2x3xf32>, %b: tensor<1x16x3xf32>, %c: tensor<1x16x4xf32>, %h: tensor<1x4xf32>) {
  // expected-error @below {{lstm_p: elements: dimensions 4 and 12 must be equal}}
  %0 = onnx.LSTM(%a, %b, %c, _, _, _, _, %h) {hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gru_sequence_lens(%a: tensor<5x2x3xf32>, %b: tensor<1x12x3xf32>, %c: tensor<1x12x4xf32>, %e: tensor<5xi32>) {
  // expected-error @below {{gru_sequence_lens: one per sequence: dimensions 5 and 2 must be equal}}
  %0 = onnx.GRU(%a, %b, %c, _, %e) {hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<5xi32>) -> !onnx.unknown
  return
}

// -----

func.func @rnn_initial_state(%a: tensor<5x2x3xf32>, %b: tensor<1x4x3xf32>, %c: tensor<1x4x4xf32>, %f: tensor<1x5x4xf32>) {
  // expected-error @below {{rnn_initial_state: dimensions 5 and 2 must be equal}}
  %0 = onnx.RNN(%a, %b, %c, _, _, %f) {hidden_size = 4} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x5x4xf32>) -> !onnx.unknown
  return
}
