// RUN: onnx-mlir-opt %s --onnx-pad-simplify | FileCheck %s

// CHECK-LABEL: func @merged
// CHECK: %[[P:.*]] = onnx.Constant() {value = dense<[1, 2, 0, 3]> : tensor<4xi64>}
// CHECK: onnx.Pad(%arg0, %[[P]])
func.func @merged(%x: tensor<2x3xf32>) -> tensor<3x8xf32> {
  %a = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %p = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  %q = onnx.Constant() {value_ints = [1, 0, 0, 0]} : () -> tensor<4xi64>
  %0 = onnx.Pad(%x, %p, _, %a) : (tensor<2x3xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<2x8xf32>
  %1 = onnx.Pad(%0, %q, _, _) : (tensor<2x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// What is removed is not added again; another value.
// CHECK-LABEL: func @near_misses
// CHECK-COUNT-4: onnx.Pad
func.func @near_misses(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<5xf32>) {
  %v = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %p = onnx.Constant() {value_ints = [-1, 0]} : () -> tensor<2xi64>
  %q = onnx.Constant() {value_ints = [1, 0]} : () -> tensor<2xi64>
  %0 = onnx.Pad(%x, %p, _, _) : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  %1 = onnx.Pad(%0, %q, _, _) : (tensor<2xf32>, tensor<2xi64>) -> tensor<3xf32>
  %2 = onnx.Pad(%x, %q, %v, _) : (tensor<3xf32>, tensor<2xi64>, tensor<f32>) -> tensor<4xf32>
  %3 = onnx.Pad(%2, %q, _, _) : (tensor<4xf32>, tensor<2xi64>) -> tensor<5xf32>
  return %1, %3 : tensor<3xf32>, tensor<5xf32>
}
