// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-squeeze-unsqueeze | FileCheck %s

// CHECK-LABEL: func @cancelled
func.func @cancelled(%x: tensor<2x1x3x1xf32>) -> (tensor<2x1x3x1xf32>) {
  // CHECK: return %arg0
  %v0 = onnx.Constant() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.Squeeze(%x, %v0) : (tensor<2x1x3x1xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %v3 = onnx.Unsqueeze(%v2, %v1) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x1x3x1xf32>
  return %v3 : tensor<2x1x3x1xf32>
}

// CHECK-LABEL: func @other_places
func.func @other_places(%x: tensor<2x1x3x1xf32>) -> (tensor<1x2x3x1xf32>) {
  // CHECK: onnx.Squeeze
  // CHECK: onnx.Unsqueeze
  %v0 = onnx.Constant() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<[0, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.Squeeze(%x, %v0) : (tensor<2x1x3x1xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %v3 = onnx.Unsqueeze(%v2, %v1) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<1x2x3x1xf32>
  return %v3 : tensor<1x2x3x1xf32>
}

// CHECK-LABEL: func @more_inserted
func.func @more_inserted(%x: tensor<2x3xf32>) -> (tensor<1x2x3xf32>) {
  // CHECK: dense<0>
  // CHECK: onnx.Unsqueeze(%arg0,
  // CHECK-NOT: onnx.Squeeze
  %v0 = onnx.Constant() {value = dense<[0, 1, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %v1 = onnx.Constant() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.Unsqueeze(%x, %v0) : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<1x1x2x1x3xf32>
  %v3 = onnx.Squeeze(%v2, %v1) : (tensor<1x1x2x1x3xf32>, tensor<2xi64>) -> tensor<1x2x3xf32>
  return %v3 : tensor<1x2x3xf32>
}

// CHECK-LABEL: func @more_removed
func.func @more_removed(%x: tensor<2x1x3xf32>) -> (tensor<2x3xf32>) {
  // CHECK: dense<1>
  // CHECK: onnx.Squeeze(%arg0,
  %v0 = onnx.Constant() {value = dense<[0, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<[0, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %v2 = onnx.Unsqueeze(%x, %v0) : (tensor<2x1x3xf32>, tensor<2xi64>) -> tensor<1x2x1x1x3xf32>
  %v3 = onnx.Squeeze(%v2, %v1) : (tensor<1x2x1x1x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return %v3 : tensor<2x3xf32>
}
