// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -verify-diagnostics

// All that cannot be lowered, in one report.
// expected-error@+1 {{2 operators are not supported by this version of onnxc:}}
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
}
