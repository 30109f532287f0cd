// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @matrices
// CHECK: %[[ZERO:.+]] = linalg.fill
// CHECK: linalg.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x5xf32>) outs(%[[ZERO]]
func.func @matrices(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %0 = onnx.MatMul(%x, %y) : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// One matrix product for the whole batch.
// CHECK-LABEL: @shared_right_side
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape {{.*}} into tensor<2x4x5xf32>
func.func @shared_right_side(%x: tensor<2x4x8xf32>, %y: tensor<8x5xf32>) -> tensor<2x4x5xf32> {
  %0 = onnx.MatMul(%x, %y) : (tensor<2x4x8xf32>, tensor<8x5xf32>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}

// -----

// CHECK-LABEL: @batches
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<6x4x8xf32>, tensor<6x8x5xf32>)
func.func @batches(%x: tensor<2x3x4x8xf32>, %y: tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = onnx.MatMul(%x, %y) : (tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// -----

// CHECK: #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (0, d1, d2, d4)>
// CHECK-LABEL: @stretched_batch
// CHECK: linalg.generic {indexing_maps = [#[[X]],
func.func @stretched_batch(%x: tensor<1x3x4x8xf32>, %y: tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = onnx.MatMul(%x, %y) : (tensor<1x3x4x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// -----

// Sums of halves are accumulated in f32.
// CHECK-LABEL: @half
// CHECK: linalg.matmul ins({{.*}} : tensor<4x8xf16>, tensor<8x5xf16>) outs({{.*}} : tensor<4x5xf32>)
// CHECK: arith.truncf
func.func @half(%x: tensor<4x8xf16>, %y: tensor<8x5xf16>) -> tensor<4x5xf16> {
  %0 = onnx.MatMul(%x, %y) : (tensor<4x8xf16>, tensor<8x5xf16>) -> tensor<4x5xf16>
  return %0 : tensor<4x5xf16>
}

// -----

// The sum starts from C.
// CHECK: #[[T:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: @gemm
// CHECK-NOT: linalg.fill
// CHECK: linalg.matmul indexing_maps = [#{{.+}}, #[[T]], #{{.+}}]
func.func @gemm(%x: tensor<?x8xf32>, %y: tensor<5x8xf32>, %z: tensor<5xf32>) -> tensor<?x5xf32> {
  %0 = onnx.Gemm(%x, %y, %z) {transB = 1} : (tensor<?x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

// What is stretched for sure is read at 0; what may be is expanded if it is.
// CHECK: #[[X:.+]] = affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK: #[[Y:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: @einsum_stretched
// CHECK: %[[Y_EXPANDED:.+]] = scf.if {{.*}} -> (tensor<4x?xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[Y]]
// CHECK-SAME: %[[Y_EXPANDED]]
func.func @einsum_stretched(%x: tensor<1x4xf32>, %y: tensor<?x?xf32>, %z: tensor<3xf32>) -> tensor<3x?xf32> {
  %0 = onnx.Einsum(%x, %y, %z) {equation = "ij,jk,i->ik"} : (tensor<1x4xf32>, tensor<?x?xf32>, tensor<3xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
