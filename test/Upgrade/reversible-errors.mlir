// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade-reversibly)" -split-input-file -verify-diagnostics

// A node that is wrong is not passed on, also if it would be left as it is.
module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
func.func @attribute(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{attribute 'bogus' is unknown to version 11, which has axis}}
  %0 = onnx.node "Softmax" domain "" version 11(%x) {bogus = 3 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
func.func @missing(%x: tensor<2xf32>) -> tensor<1x2xf32> {
  // expected-error@below {{attribute 'axes' is missing}}
  %0 = onnx.node "Unsqueeze" domain "" version 11(%x) {} : (tensor<2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @inputs(%x: tensor<2xf32>, %axes: tensor<1xi64>) -> tensor<1xf32> {
  // expected-error@below {{has 2 inputs, version 13 has at most 1}}
  %0 = onnx.node "ReduceMax" domain "" version 13(%x, %axes) {} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
}

// -----

// ONNX has no such operator.
// expected-error@below {{1 operator is not supported by this version of onnxc:}}
module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note@below {{Strange of domain 'ai.onnx' version 11: 1 node}}
  %0 = onnx.node "Strange" domain "" version 11(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
