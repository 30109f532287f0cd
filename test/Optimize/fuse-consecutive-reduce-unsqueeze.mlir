// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-reduce-unsqueeze | FileCheck %s

// CHECK-LABEL: func @kept
func.func @kept(%x: tensor<2x3x4xf32>) -> (tensor<1x3x1xf32>) {
  // CHECK: %[[Y:.*]] = onnx.ReduceSum(%arg0, %{{.*}}) {keepdims = 1}
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<[0, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.ReduceSum(%x, %v0) {keepdims = 0} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<3xf32>
  %v3 = onnx.Unsqueeze(%v2, %v1) : (tensor<3xf32>, tensor<2xi64>) -> tensor<1x3x1xf32>
  return %v3 : tensor<1x3x1xf32>
}

// CHECK-LABEL: func @arg_max
func.func @arg_max(%x: tensor<2x3x4xf32>) -> (tensor<2x3x1xi64>) {
  // CHECK: %[[Y:.*]] = onnx.ArgMax(%arg0) {axis = -1, keepdims = 1}
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.ArgMax(%x) {axis = -1, keepdims = 0} : (tensor<2x3x4xf32>) -> tensor<2x3xi64>
  %v2 = onnx.Unsqueeze(%v1, %v0) : (tensor<2x3xi64>, tensor<1xi64>) -> tensor<2x3x1xi64>
  return %v2 : tensor<2x3x1xi64>
}

// CHECK-LABEL: func @all_axes
func.func @all_axes(%x: tensor<2x3x4xf32>) -> (tensor<1x1x1xf32>) {
  // CHECK: %[[Y:.*]] = onnx.ReduceMax(%arg0) {keepdims = 1}
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<[1, 0, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %v1 = onnx.ReduceMax(%x) {keepdims = 0} : (tensor<2x3x4xf32>) -> tensor<f32>
  %v2 = onnx.Unsqueeze(%v1, %v0) : (tensor<f32>, tensor<3xi64>) -> tensor<1x1x1xf32>
  return %v2 : tensor<1x1x1xf32>
}

// CHECK-LABEL: func @all_axes_but_none_inserted
func.func @all_axes_but_none_inserted(%x: tensor<2x3x4xf32>) -> (tensor<f32>) {
  // CHECK: onnx.ReduceSum
  // CHECK: onnx.Unsqueeze
  %v0 = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %v1 = onnx.ReduceSum(%x, %v0) {keepdims = 0} : (tensor<2x3x4xf32>, tensor<0xi64>) -> tensor<f32>
  %v2 = onnx.Unsqueeze(%v1, %v0) : (tensor<f32>, tensor<0xi64>) -> tensor<f32>
  return %v2 : tensor<f32>
}

// CHECK-LABEL: func @already_kept
func.func @already_kept(%x: tensor<2x3x4xf32>) -> (tensor<2x1x1x4xf32>) {
  // CHECK: onnx.ReduceSum
  // CHECK: onnx.Unsqueeze
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.ReduceSum(%x, %v0) {keepdims = 1} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
  %v2 = onnx.Unsqueeze(%v1, %v0) : (tensor<2x1x4xf32>, tensor<1xi64>) -> tensor<2x1x1x4xf32>
  return %v2 : tensor<2x1x1x4xf32>
}

// CHECK-LABEL: func @other_uses
func.func @other_uses(%x: tensor<2x3x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x4xf32>) {
  // CHECK: onnx.ReduceSum
  // CHECK: onnx.Unsqueeze
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.ReduceSum(%x, %v0) {keepdims = 0} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
  %v2 = onnx.Unsqueeze(%v1, %v0) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
  return %v2, %v1 : tensor<2x1x4xf32>, tensor<2x4xf32>
}

// Of any rank, if both count axes alike.
// CHECK-LABEL: func @unknown_rank
func.func @unknown_rank(%x: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  // CHECK: %[[Y:.*]] = onnx.ReduceSum(%arg0, %{{.*}}) {keepdims = 1}
  // CHECK: %[[Z:.*]] = onnx.Unsqueeze
  // CHECK: return %[[Y]], %[[Z]]
  %v0 = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.ReduceSum(%x, %v0) {keepdims = 0} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %v3 = onnx.Unsqueeze(%v2, %v0) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %v4 = onnx.ReduceSum(%x, %v0) {keepdims = 0} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %v5 = onnx.Unsqueeze(%v4, %v1) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %v3, %v5 : tensor<*xf32>, tensor<*xf32>
}
