// What the shape rules of attention ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @attention_k(%a: tensor<1x2x3x4xf32>, %b: tensor<2x3xf32>, %c: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_k: must have rank 3 or 4, has 2}}
  %0 = onnx.Attention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<2x3xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_v(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x3x8xf32>) {
  // expected-error @below {{attention_v: packed heads need their number as an attribute}}
  %0 = onnx.Attention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x3x8xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_kv_sequence(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x2x5x4xf32>) {
  // expected-error @below {{attention_kv_sequence: of keys and values: dimensions 3 and 5 must be equal}}
  %0 = onnx.Attention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_past_key(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x2x3x4xf32>, %e: tensor<2x3x4xf32>, %f: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_past_key: must have rank 4}}
  %0 = onnx.Attention(%a, %b, %c, _, %e, %f) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_q(%a: tensor<2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x2x3x4xf32>) {
  // expected-error @below {{flexattention_q: must have rank 4, has 3}}
  %0 = onnx.preview.FlexAttention(%a, %b, %c) : (tensor<2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_v(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<2x3x4xf32>) {
  // expected-error @below {{flexattention_v: must have rank 4, has 3}}
  %0 = onnx.preview.FlexAttention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @linearattention_heads(%a: tensor<1x2x8xf32>, %b: tensor<1x2x8xf32>, %c: tensor<1x2x8xf32>) {
  // expected-error @below {{linearattention_heads: must be positive}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 0, q_num_heads = 2} : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearattention_query(%a: tensor<2x3xf32>, %b: tensor<1x2x8xf32>, %c: tensor<1x2x8xf32>) {
  // expected-error @below {{linearattention_query: must have rank 3, has 2}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 2, q_num_heads = 2} : (tensor<2x3xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearattention_key(%a: tensor<1x2x8xf32>, %b: tensor<2x3xf32>, %c: tensor<1x2x8xf32>) {
  // expected-error @below {{linearattention_key: must have rank 3, has 2}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 2, q_num_heads = 2} : (tensor<1x2x8xf32>, tensor<2x3xf32>, tensor<1x2x8xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearattention_value(%a: tensor<1x2x8xf32>, %b: tensor<1x2x8xf32>, %c: tensor<2x3xf32>) {
  // expected-error @below {{linearattention_value: must have rank 3, has 2}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 2, q_num_heads = 2} : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}
