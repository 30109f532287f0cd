// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -split-input-file -verify-diagnostics

// Faults of the model are errors of their nodes, all of which are told.
func.func @faults(%x: tensor<3x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %i = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error@+1 {{index 7 is out of range for size 3}}
  %0 = onnx.Gather(%x, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %j = onnx.Constant() {value = dense<-4> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error@+1 {{index -4 is out of range for size 3}}
  %1 = onnx.Gather(%x, %j) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// They do not hide what is not supported.
// expected-error@+1 {{1 operator is not supported by this version of onnxc:}}
module {
func.func @both(%x: tensor<3x4xf32>) -> tensor<1x4xf32> {
  %i = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-note@+1 {{Foo of domain 'com.example' version 1: 1 node}}
  %0 = onnx.node "Foo" domain "com.example" version 1 (%x) {} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  // expected-error@+1 {{index 7 is out of range for size 3}}
  %1 = onnx.Gather(%0, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
}
