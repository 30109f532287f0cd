// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-log-softmax=ninf=true | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-log-softmax | FileCheck %s --check-prefix=STRICT
// RUN: onnx-mlir-opt %s --onnx-optimize | FileCheck %s --check-prefix=STRICT

// Softmax of a number far below the greatest is 0, its logarithm minus infinity.
// STRICT-NOT: LogSoftmax

// CHECK-LABEL: func @fused
func.func @fused(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
  // CHECK: onnx.LogSoftmax(%arg0) {axis = 1}
  %v0 = onnx.Softmax(%x) {axis = 1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v1 = onnx.Log(%v0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %v1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @other_uses
func.func @other_uses(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: onnx.Softmax
  // CHECK: onnx.Log(
  %v0 = onnx.Softmax(%x) {axis = 1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %v1 = onnx.Log(%v0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %v1, %v0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
