// The shape law of Resize and GridSample.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// floor(input * scale), per dimension or per axis.
// CHECK-LABEL: @scales
// CHECK-SAME: -> (tensor<1x?x6x2xf32>, tensor<1x?x9x4xf32>)
func.func @scales(%x: tensor<1x?x3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %s = onnx.Constant() {value_floats = [1.0, 1.0, 2.0, 0.7]} : () -> tensor<4xf32>
  %0 = onnx.Resize(%x, _, %s, _) : (tensor<1x?x3x4xf32>, tensor<4xf32>) -> !onnx.unknown
  %t = onnx.Constant() {value_floats = [3.0]} : () -> tensor<1xf32>
  %1 = onnx.Resize(%x, _, %t, _) {axes = [-2]} : (tensor<1x?x3x4xf32>, tensor<1xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @sizes
// CHECK-SAME: -> (tensor<1x1x7x8xf32>, tensor<1x1x6x8xf32>, tensor<1x1x7x9xf32>)
func.func @sizes(%x: tensor<1x1x3x4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %s = onnx.Constant() {value_ints = [7, 8]} : () -> tensor<2xi64>
  %0 = onnx.Resize(%x, _, _, %s) {axes = [2, 3]} : (tensor<1x1x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %1 = onnx.Resize(%x, _, _, %s) {axes = [2, 3], keep_aspect_ratio_policy = "not_larger"} : (tensor<1x1x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %2 = onnx.Resize(%x, _, _, %s) {axes = [2, 3], keep_aspect_ratio_policy = "not_smaller"} : (tensor<1x1x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Run-time sizes leave the other axes known.
// CHECK-LABEL: @runtime_sizes
// CHECK-SAME: -> tensor<1x1x?x?xf32>
func.func @runtime_sizes(%x: tensor<1x1x3x4xf32>, %s: tensor<2xi64>) -> !onnx.unknown {
  %0 = onnx.Resize(%x, _, _, %s) {axes = [2, 3]} : (tensor<1x1x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @grid_sample
// CHECK-SAME: -> tensor<2x3x5x6xf32>
func.func @grid_sample(%x: tensor<?x3x4x4xf32>, %g: tensor<2x5x6x2xf32>) -> !onnx.unknown {
  %0 = onnx.GridSample(%x, %g) : (tensor<?x3x4x4xf32>, tensor<2x5x6x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @neither(%x: tensor<1x1x3x4xf32>) -> !onnx.unknown {
  // expected-error @below {{resize_c1: needs either scales or sizes}}
  %0 = onnx.Resize(%x, _, _, _) : (tensor<1x1x3x4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @negative_scale(%x: tensor<3xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_floats = [-1.0]} : () -> tensor<1xf32>
  // expected-error @below {{resize_scales: must be positive and not huge}}
  %0 = onnx.Resize(%x, _, %s, _) : (tensor<3xf32>, tensor<1xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
