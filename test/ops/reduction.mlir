// The shape law of reductions, ArgMax and softmaxes.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @axes
// CHECK-SAME: -> (tensor<2x1x4xf32>, tensor<2x4xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<2x?x4xf32>)
func.func @axes(%x: tensor<2x?x4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %a = onnx.Constant() {value_ints = [-2]} : () -> tensor<1xi64>
  %none = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %0 = onnx.ReduceSum(%x, %a) : (tensor<2x?x4xf32>, tensor<1xi64>) -> !onnx.unknown
  %1 = onnx.ReduceMean(%x, %a) {keepdims = 0} : (tensor<2x?x4xf32>, tensor<1xi64>) -> !onnx.unknown
  // Over all axes if none is given.
  %2 = onnx.ReduceMax(%x, %none) : (tensor<2x?x4xf32>, tensor<0xi64>) -> !onnx.unknown
  %3 = onnx.ReduceL2(%x, _) {keepdims = 0} : (tensor<2x?x4xf32>) -> !onnx.unknown
  %4 = onnx.ReduceMin(%x, _) {noop_with_empty_axes = 1} : (tensor<2x?x4xf32>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Run-time axes: their number gives the rank; a dim of 1 stays 1.
// CHECK-LABEL: @runtime_axes
// CHECK-SAME: -> (tensor<?x1x?xf32>, tensor<?xf32>, tensor<?x?x?xf32>, tensor<*xf32>)
func.func @runtime_axes(%x: tensor<2x1x4xf32>, %a: tensor<2xi64>, %u: tensor<?xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ReduceSum(%x, %a) : (tensor<2x1x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %1 = onnx.ReduceSum(%x, %a) {keepdims = 0} : (tensor<2x1x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %2 = onnx.ReduceSum(%x, %u) : (tensor<2x1x4xf32>, tensor<?xi64>) -> !onnx.unknown
  %3 = onnx.ReduceSum(%x, %u) {keepdims = 0} : (tensor<2x1x4xf32>, tensor<?xi64>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @argmax
// CHECK-SAME: -> (tensor<2x3x1xi64>, tensor<2x?xi64>, tensor<2x3x?xf32>)
func.func @argmax(%x: tensor<2x3x?xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ArgMax(%x) {axis = -1} : (tensor<2x3x?xf32>) -> !onnx.unknown
  %1 = onnx.ArgMin(%x) {axis = 1, keepdims = 0} : (tensor<2x3x?xf32>) -> !onnx.unknown
  %2 = onnx.Softmax(%x) : (tensor<2x3x?xf32>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @axis_twice(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %a = onnx.Constant() {value_ints = [1, -1]} : () -> tensor<2xi64>
  // expected-error @below {{reducesum_axes: axis 1 is given twice}}
  %0 = onnx.ReduceSum(%x, %a) : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @axis_range(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %a = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{reducemean_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.ReduceMean(%x, %a) : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @softmax_axis(%x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error @below {{softmax_axis: axis -3 is out of range for rank 2}}
  %0 = onnx.Softmax(%x) {axis = -3} : (tensor<2x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
