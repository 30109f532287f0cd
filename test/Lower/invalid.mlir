// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -split-input-file -verify-diagnostics

// Faults of the model are errors of their nodes, all of which are told.
func.func @faults(%x: tensor<3x4xf32>, %image: tensor<1x1x4x4xf32>, %grid: tensor<1x2x2x2xf32>) -> (tensor<1x4xf32>, tensor<1x1x2x2xf32>) {
  %i = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error@+1 {{index 7 is out of range for size 3}}
  %0 = onnx.Gather(%x, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  // expected-error@+1 {{mode 'FOO', expected linear, nearest or cubic}}
  %1 = onnx.GridSample(%image, %grid) {mode = "FOO"} : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<1x1x2x2xf32>
}

// -----

// They do not hide what is not supported.
// expected-error@+1 {{1 operator is not supported by this version of onnxc:}}
module {
func.func @both(%x: tensor<1x1x4x4xf32>, %grid: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
  // expected-note@+1 {{Foo of domain 'com.example' version 1: 1 node}}
  %0 = onnx.node "Foo" domain "com.example" version 1 (%x) {} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  // expected-error@+1 {{padding_mode 'FOO', expected zeros, border or reflection}}
  %1 = onnx.GridSample(%0, %grid) {padding_mode = "FOO"} : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %1 : tensor<1x1x2x2xf32>
}
}
