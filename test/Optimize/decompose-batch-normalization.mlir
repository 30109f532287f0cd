// RUN: onnx-mlir-opt %s --onnx-decompose-batch-normalization | FileCheck %s

// CHECK-LABEL: func @inference
func.func @inference(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>) {
  // CHECK: %[[T:.*]] = onnx.Mul(%arg0
  // CHECK: onnx.Add(%[[T]]
  %v0 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %Y = onnx.BatchNormalization(%x, %v0, %v1, %v1, %v2) : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %Y : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func @training
func.func @training(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>) {
  // CHECK: onnx.BatchNormalization
  %v0 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %Y, %running_mean, %running_var = onnx.BatchNormalization(%x, %v0, %v1, %v1, %v2) {training_mode = 1} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %Y : tensor<2x3x4x5xf32>
}
