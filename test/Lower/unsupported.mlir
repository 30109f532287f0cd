// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -verify-diagnostics

// All that cannot be lowered, in one report.
// expected-error@+1 {{4 operators are not supported by this version of onnxc:}}
module {
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-note@+1 {{Foo of domain 'com.example' version 1: 2 nodes, this is the first: its operator is not known}}
  %0 = onnx.node "Foo" domain "com.example" version 1 (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.node "Foo" domain "com.example" version 1 (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = onnx.Relu(%1) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{Gradient of domain 'ai.onnx.preview.training' version 1: 1 node}}
  %3 = onnx.preview.training.Gradient(%x) {xs = ["x"], y = "y"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
// The version is that of the operator, and what has no rank is no scalar.
func.func @g(%x: tensor<*xf32>, %s: !onnx.seq<tensor<2xf32>>) -> (tensor<*xf32>, tensor<*xi64>) {
  // expected-note@+1 {{Relu of domain 'ai.onnx' version 14: 1 node}}
  %0 = onnx.Relu(%x) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note@+1 {{SequenceLength of domain 'ai.onnx' version 11: 1 node: its output must be a scalar}}
  %1 = onnx.SequenceLength(%s) : (!onnx.seq<tensor<2xf32>>) -> tensor<*xi64>
  return %0, %1 : tensor<*xf32>, tensor<*xi64>
}
}
