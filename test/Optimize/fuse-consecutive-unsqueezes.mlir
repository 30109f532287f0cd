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

// CHECK-LABEL: func @inner_with_other_uses
func.func @inner_with_other_uses(%x: tensor<2x3xf32>) -> (tensor<1x2x1x3xf32>, tensor<2x1x3xf32>) {
  // CHECK: onnx.Unsqueeze
  // CHECK: dense<[0, 2]>
  // CHECK: onnx.Unsqueeze(%arg0,
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Unsqueeze(%x, %v0) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  %v3 = onnx.Unsqueeze(%v2, %v1) : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<1x2x1x3xf32>
  return %v3, %v2 : tensor<1x2x1x3xf32>, tensor<2x1x3xf32>
}

// CHECK-LABEL: func @no_constant
func.func @no_constant(%x: tensor<2x3xf32>, %y: tensor<1xi64>) -> (tensor<?x?x?x?xf32>) {
  // CHECK: onnx.Unsqueeze
  // CHECK: onnx.Unsqueeze
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Unsqueeze(%x, %v0) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
  %v2 = onnx.Unsqueeze(%v1, %y) : (tensor<2x1x3xf32>, tensor<1xi64>) -> tensor<?x?x?x?xf32>
  return %v2 : tensor<?x?x?x?xf32>
}
