// RUN: onnx-mlir-opt %s --onnx-fuse-add-into-gemm | FileCheck %s

// CHECK-LABEL: func @no_c
func.func @no_c(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %z: tensor<2x1xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm(%arg0, %arg1, %arg2) {alpha = 2.0}
  %v0 = onnx.Gemm(%x, %y) {alpha = 2.0, beta = 3.0} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %v1 = onnx.Add(%z, %v0) : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %v1 : tensor<2x4xf32>
}

// CHECK-LABEL: func @result_grows
func.func @result_grows(%x: tensor<1x3xf32>, %y: tensor<3x4xf32>, %z: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm
  // CHECK: onnx.Add
  %v0 = onnx.Gemm(%x, %y) : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
  %v1 = onnx.Add(%z, %v0) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %v1 : tensor<2x4xf32>
}

// CHECK-LABEL: func @constant_c
func.func @constant_c(%x: tensor<2x3xf32>) -> (tensor<2x4xf32>) {
  // CHECK: dense<5.000000e+00> : tensor<4xf32>
  // CHECK: onnx.Gemm(%arg0, %{{.*}}, %{{.*}}) :
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4xf32>} : () -> tensor<4xf32>
  %v3 = onnx.Gemm(%x, %v0, %v1) {beta = 3.0} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %v4 = onnx.Sub(%v3, %v2) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %v4 : tensor<2x4xf32>
}

// CHECK-LABEL: func @other_c
func.func @other_c(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm
  // CHECK: onnx.Sub
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4xf32>} : () -> tensor<4xf32>
  %v2 = onnx.Gemm(%x, %v0, %y) {beta = 3.0} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %v3 = onnx.Sub(%v2, %v1) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %v3 : tensor<2x4xf32>
}
