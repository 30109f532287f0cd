// RUN: onnx-mlir-opt %s --onnx-eliminate-zero-bias=nsz=true | FileCheck %s

// CHECK-LABEL: func @zeros
func.func @zeros(%x: tensor<2x3xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm(%arg0, %{{[^,]*}}) 
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %v1 = onnx.Constant() {value = dense<0.000000e+00> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
  %v2 = onnx.Gemm(%x, %v0, %v1) {beta = 3.0} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %v2 : tensor<2x4xf32>
}

// CHECK-LABEL: func @not_zeros
func.func @not_zeros(%x: tensor<1x1x3x3xf32>) -> (tensor<1x1x3x3xf32>) {
  // CHECK: onnx.Conv(%arg0, %{{.*}}, %{{.*}})
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e-30> : tensor<1xf32>} : () -> tensor<1xf32>
  %v2 = onnx.Conv(%x, %v0, %v1) : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  return %v2 : tensor<1x1x3x3xf32>
}

// CHECK-LABEL: func @no_constant
func.func @no_constant(%x: tensor<1x1x3x3xf32>, %y: tensor<1xf32>) -> (tensor<1x1x3x3xf32>) {
  // CHECK: onnx.Conv(%arg0, %{{.*}}, %arg1)
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %v1 = onnx.Conv(%x, %v0, %y) : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  return %v1 : tensor<1x1x3x3xf32>
}
