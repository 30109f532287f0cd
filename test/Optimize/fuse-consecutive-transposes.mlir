// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-transposes | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-transposes=upstream-compatible | FileCheck %s --check-prefix=COMPAT

// CHECK-LABEL: func @composed
func.func @composed(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>) {
  // CHECK: onnx.Transpose(%arg0) {perm = [1, 0, 2]}
  %v0 = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %v1 = onnx.Transpose(%v0) {perm = [0, 2, 1]} : (tensor<3x4x2xf32>) -> tensor<3x2x4xf32>
  return %v1 : tensor<3x2x4xf32>
}

// CHECK-LABEL: func @cancelled
func.func @cancelled(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
  // CHECK: return %arg0
  %v0 = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %v1 = onnx.Transpose(%v0) {perm = [2, 0, 1]} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %v1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @two_reversals
func.func @two_reversals(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
  // CHECK: return %arg0
  %v0 = onnx.Transpose(%x) : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %v1 = onnx.Transpose(%v0) : (tensor<4x3x2xf32>) -> tensor<2x3x4xf32>
  return %v1 : tensor<2x3x4xf32>
}

// No perm: the dimensions in reverse.
// CHECK-LABEL: func @one_reversal
func.func @one_reversal(%x: tensor<2x3x4xf32>) -> (tensor<2x4x3xf32>) {
  // CHECK: onnx.Transpose(%arg0) {perm = [0, 2, 1]}
  %v0 = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %v1 = onnx.Transpose(%v0) : (tensor<3x4x2xf32>) -> tensor<2x4x3xf32>
  return %v1 : tensor<2x4x3xf32>
}

// CHECK-LABEL: func @inner_with_other_uses
func.func @inner_with_other_uses(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>, tensor<3x4x2xf32>) {
  // CHECK: onnx.Transpose(%arg0) {perm = [1, 2, 0]}
  // CHECK: onnx.Transpose(%arg0) {perm = [1, 0, 2]}
  %v0 = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %v1 = onnx.Transpose(%v0) {perm = [0, 2, 1]} : (tensor<3x4x2xf32>) -> tensor<3x2x4xf32>
  return %v1, %v0 : tensor<3x2x4xf32>, tensor<3x4x2xf32>
}

// COMPAT-LABEL: func @compatible
func.func @compatible(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
  // COMPAT-NEXT: onnx.Transpose(%arg0) {perm = [0, 1, 2]}
  // COMPAT-NEXT: return
  %v0 = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %v1 = onnx.Transpose(%v0) {perm = [2, 0, 1]} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %v1 : tensor<2x3x4xf32>
}
