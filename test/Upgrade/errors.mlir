// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(onnx-upgrade)"

// All unsupported operators are listed at once.
// expected-error@+1 {{2 operators are not supported by this version of onnxc:}}
module {
  func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-note@+1 {{Strange of domain 'ai.onnx' version 13: 2 nodes, this is the first}}
    %0 = onnx.node "Strange" domain "" version 13(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note@+1 {{Custom of domain 'my', of which the model imports no version: 1 node}}
    %1 = onnx.node "Custom" domain "my" version 0(%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = onnx.node "Strange" domain "" version 13(%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}

// -----

func.func @unknown_attribute(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{attribute 'beta' is unknown to version 1, which has alpha, consumed_inputs}}
  %0 = onnx.node "LeakyRelu" domain "" version 1(%x) {beta = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @wrong_kind(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{attribute 'axes' is of type STRING, expected INTS}}
  %0 = onnx.node "Unsqueeze" domain "" version 11(%x) {axes = "0"} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @missing_input(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{input 1 (B) is missing}}
  %0 = onnx.node "Add" domain "" version 6(%x) {axis = 0 : i64, broadcast = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @no_input() -> tensor<2xf32> {
  // expected-error@+1 {{input 0 (input) is missing}}
  %0 = onnx.node "Softmax" domain "" version 1() {} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @attribute_and_input(%x: tensor<2xf32>, %a: tensor<1xi64>) -> tensor<2x1xf32> {
  // expected-error@+1 {{has 2 inputs, version 11 has at most 1}}
  %0 = onnx.node "Unsqueeze" domain "" version 11(%x, %a) {axes = array<i64: 1>} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// -----

func.func @axis_outside(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{axis 2 puts the second input, of rank 1, outside of the first one, of rank 2}}
  %0 = onnx.node "Add" domain "" version 6(%x, %b) {axis = 2 : i64, broadcast = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @softmax_axis_outside(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{axis 5 is outside of the input's rank 2}}
  %0 = onnx.node "Softmax" domain "" version 1(%x) {axis = 5 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @no_such_type(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{attribute 'to' is 'FLOAT17', which is not a tensor element type}}
  %0 = onnx.node "Cast" domain "" version 1(%x) {to = "FLOAT17"} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @no_count(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{attribute 'k' is missing}}
  %0:2 = onnx.node "TopK" domain "" version 1(%x) {} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @float_like_nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  %none = onnx.none
  // expected-error@+1 {{attribute 'ratio' is of type FLOAT, which is not allowed here}}
  %0 = onnx.node "Dropout" domain "" version 10(%none) {ratio = 0.5 : f32} : (none) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @no_inputs(%x: tensor<2xf32>) -> tensor<2xi64> {
  %none = onnx.none
  // expected-error@+1 {{input 0 (input) is missing}}
  %0 = onnx.node "Cast" domain "" version 1(%none) {to = "INT64"} : (none) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
