// RUN: onnx-mlir-opt %s --onnx-fuse-affine-into-bn | FileCheck %s

// CHECK-LABEL: func @scale_and_shift
func.func @scale_and_shift(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  // CHECK: dense<[3.000000e+00, 6.000000e+00, 1.200000e+01]>
  // CHECK: dense<[2.000000e+00, 4.000000e+00, 8.000000e+00]>
  // CHECK: %[[Y:[^,]*]] = onnx.BatchNormalization(%arg0
  // CHECK-NEXT: return %[[Y]]
  %s = onnx.Constant() {value = dense<3.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %b = onnx.Constant() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %k = onnx.Constant() {value = dense<[[[1.0]], [[2.0]], [[4.0]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %t = onnx.BatchNormalization(%x, %s, %b, %b, %b) : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  %u = onnx.Mul(%t, %k) : (tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) -> tensor<2x3x4x5xf32>
  %y = onnx.Add(%k, %u) : (tensor<3x1x1xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func @last_dimension
func.func @last_dimension(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  // CHECK: onnx.BatchNormalization
  // CHECK: onnx.Mul
  %s = onnx.Constant() {value = dense<3.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %k = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>} : () -> tensor<5xf32>
  %t = onnx.BatchNormalization(%x, %s, %s, %s, %s) : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  %y = onnx.Mul(%t, %k) : (tensor<2x3x4x5xf32>, tensor<5xf32>) -> tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func @other_uses
func.func @other_uses(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: onnx.BatchNormalization
  // CHECK: onnx.Mul
  %s = onnx.Constant() {value = dense<3.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %t = onnx.BatchNormalization(%x, %s, %s, %s, %s) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %y = onnx.Mul(%t, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %t, %y : tensor<2x3xf32>, tensor<2x3xf32>
}
