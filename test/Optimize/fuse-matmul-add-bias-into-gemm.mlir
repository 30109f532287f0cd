// RUN: onnx-mlir-opt %s --onnx-fuse-matmul-add-bias-into-gemm | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-matmul-add-bias-into-gemm=upstream-compatible | FileCheck %s --check-prefix=COMPAT

// CHECK-LABEL: func @bias_of_columns
func.func @bias_of_columns(%x: tensor<?x3xf32>, %y: tensor<3x4xf32>, %z: tensor<4xf32>) -> (tensor<?x4xf32>) {
  // CHECK: onnx.Gemm(%arg0, %arg1, %arg2)
  %v0 = onnx.MatMul(%x, %y) : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %v1 = onnx.Add(%z, %v0) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %v1 : tensor<?x4xf32>
}

// CHECK-LABEL: func @bias_grows
func.func @bias_grows(%x: tensor<1x3xf32>, %y: tensor<3x4xf32>, %z: tensor<5x4xf32>) -> (tensor<5x4xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Add
  %v0 = onnx.MatMul(%x, %y) : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
  %v1 = onnx.Add(%v0, %z) : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %v1 : tensor<5x4xf32>
}

// Few runtimes have a Gemm of integers.
// CHECK-LABEL: func @integers
func.func @integers(%x: tensor<5x3xi32>, %y: tensor<3x4xi32>, %z: tensor<4xi32>) -> (tensor<5x4xi32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Add
  %v0 = onnx.MatMul(%x, %y) : (tensor<5x3xi32>, tensor<3x4xi32>) -> tensor<5x4xi32>
  %v1 = onnx.Add(%v0, %z) : (tensor<5x4xi32>, tensor<4xi32>) -> tensor<5x4xi32>
  return %v1 : tensor<5x4xi32>
}

// CHECK-LABEL: func @itself
func.func @itself(%x: tensor<5x5xf32>) -> (tensor<5x5xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Add
  %v0 = onnx.MatMul(%x, %x) : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %v1 = onnx.Add(%v0, %v0) : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  return %v1 : tensor<5x5xf32>
}

// The MatMul stays.
// COMPAT-LABEL: func @compatible
func.func @compatible(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %z: tensor<4xf32>) -> (tensor<2x4xf32>) {
  // COMPAT: onnx.MatMul
  // COMPAT: onnx.Gemm(%arg0, %arg1, %arg2) {alpha = 1.0, beta = 1.0, transA = 0, transB = 0}
  %v0 = onnx.MatMul(%x, %y) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %v1 = onnx.Add(%v0, %z) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %v1 : tensor<2x4xf32>
}

// Rows may still become bytes.
// CHECK-LABEL: func @int8_block
func.func @int8_block(%x: tensor<2x32xf32>, %y: tensor<32x4xf32>, %z: tensor<4xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm(%arg0, %arg1, %arg2) {onnx.int8_block = 16}
  %v0 = onnx.MatMul(%x, %y) {onnx.int8_block = 16 : i64} : (tensor<2x32xf32>, tensor<32x4xf32>) -> tensor<2x4xf32>
  %v1 = onnx.Add(%v0, %z) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %v1 : tensor<2x4xf32>
}
