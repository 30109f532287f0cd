// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-squeezes | FileCheck %s

// CHECK-LABEL: func @joined
func.func @joined(%x: tensor<1x1x2x3x1x5x1xf32>) -> (tensor<2x3x5xf32>) {
  // CHECK: dense<[0, 1, 4, 6]>
  // CHECK: onnx.Squeeze(%arg0,
  %v0 = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<[0, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.Squeeze(%x, %v0) : (tensor<1x1x2x3x1x5x1xf32>, tensor<2xi64>) -> tensor<1x2x3x5x1xf32>
  %v3 = onnx.Squeeze(%v2, %v1) : (tensor<1x2x3x5x1xf32>, tensor<2xi64>) -> tensor<2x3x5xf32>
  return %v3 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @negative
func.func @negative(%x: tensor<1x1x2x3x1x5x1xf32>) -> (tensor<2x3x5xf32>) {
  // CHECK: dense<[0, 1, 4, 6]>
  // CHECK: onnx.Squeeze(%arg0,
  %v0 = onnx.Constant() {value = dense<[-1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<[0, -2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.Squeeze(%x, %v0) : (tensor<1x1x2x3x1x5x1xf32>, tensor<2xi64>) -> tensor<1x2x3x1x5xf32>
  %v3 = onnx.Squeeze(%v2, %v1) : (tensor<1x2x3x1x5xf32>, tensor<2xi64>) -> tensor<2x3x5xf32>
  return %v3 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @all_that_is_left
func.func @all_that_is_left(%x: tensor<1x1x2x3x1x5x1xf32>) -> (tensor<2x3x5xf32>) {
  // CHECK: dense<[0, 1, 4, 6]>
  // CHECK: onnx.Squeeze(%arg0,
  %v0 = onnx.Constant() {value = dense<[-1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Squeeze(%x, %v0) : (tensor<1x1x2x3x1x5x1xf32>, tensor<2xi64>) -> tensor<1x2x3x1x5xf32>
  %v2 = onnx.Squeeze(%v1) : (tensor<1x2x3x1x5xf32>) -> tensor<2x3x5xf32>
  return %v2 : tensor<2x3x5xf32>
}

// An empty list squeezes nothing.
// CHECK-LABEL: func @none
func.func @none(%x: tensor<1x2x3x1xf32>) -> (tensor<2x3x1xf32>) {
  // CHECK: dense<0>
  // CHECK: onnx.Squeeze(%arg0,
  %v0 = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %v1 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Squeeze(%x, %v0) : (tensor<1x2x3x1xf32>, tensor<0xi64>) -> tensor<1x2x3x1xf32>
  %v3 = onnx.Squeeze(%v2, %v1) : (tensor<1x2x3x1xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
  return %v3 : tensor<2x3x1xf32>
}

// CHECK-LABEL: func @unknown_sizes
func.func @unknown_sizes(%x: tensor<1x?x?xf32>) -> (tensor<?xf32>) {
  // CHECK: onnx.Squeeze(%arg0,
  // CHECK: onnx.Squeeze
  %v0 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Squeeze(%x, %v0) : (tensor<1x?x?xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %v2 = onnx.Squeeze(%v1) : (tensor<?x?xf32>) -> tensor<?xf32>
  return %v2 : tensor<?xf32>
}
