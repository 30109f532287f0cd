// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-unsqueezes | FileCheck %s

// CHECK-LABEL: func @joined
func.func @joined(%x: tensor<2x3xf32>) -> (tensor<2x1x1x3x1xf32>) {
  // CHECK: dense<[1, 2, 4]>
  // CHECK: onnx.Unsqueeze(%arg0,
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Unsqueeze(%x, %v0) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  %v3 = onnx.Unsqueeze(%v2, %v1) : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<2x1x3x1xf32>
  %v4 = onnx.Unsqueeze(%v3, %v0) : (tensor<2x1x3x1xf32>, tensor<1xi64>) -> tensor<2x1x1x3x1xf32>
  return %v4 : tensor<2x1x1x3x1xf32>
}
