// The shape law of Attention and of the recurrent networks.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// Keys and values of the past come before the present ones; grouped heads.
// CHECK-LABEL: @cache
// CHECK-SAME: -> (tensor<2x8x3x5xf32>, tensor<2x4x11x4xf32>, tensor<2x4x11x5xf32>)
func.func @cache(%q: tensor<2x8x3x4xf32>, %k: tensor<2x4x6x4xf32>, %v: tensor<2x4x6x5xf32>, %pk: tensor<2x4x5x4xf32>, %pv: tensor<2x4x5x5xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0, %1, %2 = onnx.Attention(%q, %k, %v, _, %pk, %pv, _)
      : (tensor<2x8x3x4xf32>, tensor<2x4x6x4xf32>, tensor<2x4x6x5xf32>, tensor<2x4x5x4xf32>, tensor<2x4x5x5xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Packed heads: the output packs the heads of the queries.
// CHECK-LABEL: @packed
// CHECK-SAME: -> tensor<?x3x40xf32>
func.func @packed(%q: tensor<?x3x32xf32>, %k: tensor<?x6x16xf32>, %v: tensor<?x6x20xf32>) -> !onnx.unknown {
  %0 = onnx.Attention(%q, %k, %v, _, _, _, _) {q_num_heads = 8, kv_num_heads = 4} : (tensor<?x3x32xf32>, tensor<?x6x16xf32>, tensor<?x6x20xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @lstm
// CHECK-SAME: -> (tensor<7x2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>)
func.func @lstm(%x: tensor<7x?x3xf32>, %w: tensor<2x16x3xf32>, %r: tensor<2x16x4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0, %1, %2 = onnx.LSTM(%x, %w, %r, _, _, _, _, _) {direction = "bidirectional"} : (tensor<7x?x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @gru_batch_first
// CHECK-SAME: -> (tensor<2x7x1x4xf32>, tensor<2x1x4xf32>)
func.func @gru_batch_first(%x: tensor<2x7x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0, %1 = onnx.GRU(%x, %w, %r, _, _, _) {layout = 1, hidden_size = 4} : (tensor<2x7x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @head_size(%q: tensor<2x8x3x4xf32>, %k: tensor<2x8x6x5xf32>) -> !onnx.unknown {
  // expected-error @below {{attention_head_size: of queries and keys: dimensions 4 and 5 must be equal}}
  %0 = onnx.Attention(%q, %k, %k, _, _, _, _) : (tensor<2x8x3x4xf32>, tensor<2x8x6x5xf32>, tensor<2x8x6x5xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @packed_without_heads(%q: tensor<2x3x32xf32>) -> !onnx.unknown {
  // expected-error @below {{attention_q: packed heads need their number as an attribute}}
  %0 = onnx.Attention(%q, %q, %q, _, _, _, _) : (tensor<2x3x32xf32>, tensor<2x3x32xf32>, tensor<2x3x32xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @hidden_size(%x: tensor<7x1x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> !onnx.unknown {
  // expected-error @below {{rnn_hidden_size: dimensions 5 and 4 must be equal}}
  %0 = onnx.RNN(%x, %w, %r, _, _, _) {hidden_size = 5} : (tensor<7x1x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
