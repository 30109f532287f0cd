// RUN: onnx-mlir-opt %s --onnx-fuse-transpose-into-gemm | FileCheck %s

// CHECK-LABEL: func @both
func.func @both(%x: tensor<3x2xf32>, %y: tensor<4x3xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm(%arg0, %arg1) {transA = 1, transB = 1}
  %v0 = onnx.Transpose(%x) : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %v1 = onnx.Transpose(%y) {perm = [1, 0]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %v2 = onnx.Gemm(%v0, %v1) {transB = 0} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %v2 : tensor<2x4xf32>
}

// CHECK-LABEL: func @nothing_swapped
func.func @nothing_swapped(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) -> (tensor<3x3xf32>) {
  // CHECK: onnx.Transpose
  // CHECK: onnx.Gemm
  %v0 = onnx.Transpose(%x) {perm = [0, 1]} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %v1 = onnx.Gemm(%v0, %y) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %v1 : tensor<3x3xf32>
}
