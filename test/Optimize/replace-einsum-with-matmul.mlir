// RUN: onnx-mlir-opt %s --onnx-replace-einsum-with-matmul | FileCheck %s

// CHECK-LABEL: func @matmul
func.func @matmul(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x5x6xf32>) -> (tensor<2x3x4x6xf32>) {
  // CHECK: onnx.MatMul(%arg0, %arg1)
  %v0 = onnx.Einsum(%x, %y) {equation = "bhij,bhjd->bhid"} : (tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32>
  return %v0 : tensor<2x3x4x6xf32>
}

// CHECK-LABEL: func @transposed
func.func @transposed(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x6x5xf32>) -> (tensor<2x3x4x6xf32>) {
  // CHECK: %[[T:.*]] = onnx.Transpose(%arg1) {perm = [0, 1, 3, 2]}
  // CHECK: onnx.MatMul(%arg0, %[[T]])
  %v0 = onnx.Einsum(%x, %y) {equation = "bhid,bhjd->bhij"} : (tensor<2x3x4x5xf32>, tensor<2x3x6x5xf32>) -> tensor<2x3x4x6xf32>
  return %v0 : tensor<2x3x4x6xf32>
}

// CHECK-LABEL: func @swapped
func.func @swapped(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> (tensor<4x2xf32>) {
  // CHECK: %[[P:.*]] = onnx.MatMul(%arg0, %arg1)
  // CHECK: onnx.Transpose(%[[P]])
  %v0 = onnx.Einsum(%x, %y) {equation = "ij,jk->ki"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %v0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @ellipsis
func.func @ellipsis(%x: tensor<2x3x4x5xf32>, %y: tensor<5x6xf32>) -> (tensor<2x3x4x6xf32>) {
  // CHECK: onnx.MatMul(%arg0, %arg1)
  %v0 = onnx.Einsum(%x, %y) {equation = "...ij, ...jk"} : (tensor<2x3x4x5xf32>, tensor<5x6xf32>) -> tensor<2x3x4x6xf32>
  return %v0 : tensor<2x3x4x6xf32>
}

// CHECK-LABEL: func @outer
func.func @outer(%x: tensor<3xf32>, %y: tensor<4xf32>) -> (tensor<3x4xf32>) {
  // CHECK: %[[U:.*]] = onnx.Unsqueeze(%arg0
  // CHECK: onnx.Mul(%[[U]], %arg1)
  %v0 = onnx.Einsum(%x, %y) {equation = "i,j->ij"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %v0 : tensor<3x4xf32>
}

// CHECK-LABEL: func @merged
func.func @merged(%x: tensor<2x3x4x5xf32>, %y: tensor<5x4x2x3xf32>) -> (tensor<3x2x3x2xf32>) {
  // CHECK: onnx.Reshape
  // CHECK: onnx.Reshape
  // CHECK: onnx.MatMul
  // CHECK: onnx.Reshape
  %v0 = onnx.Einsum(%x, %y) {equation = "abcd,dcef->feba"} : (tensor<2x3x4x5xf32>, tensor<5x4x2x3xf32>) -> tensor<3x2x3x2xf32>
  return %v0 : tensor<3x2x3x2xf32>
}

// CHECK-LABEL: func @vectors
func.func @vectors(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<f32>) {
  // CHECK: onnx.MatMul(%arg0, %arg1)
  %v0 = onnx.Einsum(%x, %y) {equation = "i,i->"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %v0 : tensor<f32>
}

// CHECK-LABEL: func @one_operand
func.func @one_operand(%x: tensor<2x3x4xf32>) -> (tensor<4x3xf32>) {
  // CHECK: %[[S:.*]] = onnx.ReduceSum(%arg0
  // CHECK: onnx.Transpose(%[[S]])
  %v0 = onnx.Einsum(%x) {equation = "ijk->kj"} : (tensor<2x3x4xf32>) -> tensor<4x3xf32>
  return %v0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @diagonal
func.func @diagonal(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) -> (tensor<3x3xf32>) {
  // CHECK: onnx.Einsum
  %v0 = onnx.Einsum(%x, %y) {equation = "ii,ij->ij"} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %v0 : tensor<3x3xf32>
}

// A dimension of 1 is stretched to 3, and summed.
// CHECK-LABEL: func @stretched
func.func @stretched(%x: tensor<2x1xf32>, %y: tensor<3x4xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Einsum
  %v0 = onnx.Einsum(%x, %y) {equation = "ij,jk->ik"} : (tensor<2x1xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %v0 : tensor<2x4xf32>
}

// It may turn out to be 1.
// CHECK-LABEL: func @unknown
func.func @unknown(%x: tensor<2x?xf32>, %y: tensor<3x4xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Einsum
  %v0 = onnx.Einsum(%x, %y) {equation = "ij,jk->ik"} : (tensor<2x?xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %v0 : tensor<2x4xf32>
}
