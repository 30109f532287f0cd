// The shape law of pools.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @floor_and_ceil
// CHECK-SAME: -> (tensor<1x2x2xf32>, tensor<1x2x3xf32>)
func.func @floor_and_ceil(%x: tensor<1x2x6xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0, %i = onnx.MaxPool(%x) {kernel_shape = [3], strides = [2]} : (tensor<1x2x6xf32>) -> (!onnx.unknown, !onnx.unknown)
  %1 = onnx.MaxPool(%x) {kernel_shape = [3], strides = [2], ceil_mode = 1} : (tensor<1x2x6xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// The third window would start at 4, behind the 2 + 1 elements that are input
// or padding before it.
// CHECK-LABEL: @ceil_window_in_padding
// CHECK-SAME: -> tensor<1x1x2x2xf32>
func.func @ceil_window_in_padding(%x: tensor<1x1x2x2xf32>) -> !onnx.unknown {
  %0 = onnx.AveragePool(%x) {kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], ceil_mode = 1} : (tensor<1x1x2x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @auto_pad
// CHECK-SAME: -> (tensor<1x1x4xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
func.func @auto_pad(%x: tensor<1x1x7xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.AveragePool(%x) {kernel_shape = [2], strides = [2], auto_pad = "SAME_LOWER"} : (tensor<1x1x7xf32>) -> !onnx.unknown
  %1 = onnx.AveragePool(%x) {kernel_shape = [2], strides = [2], auto_pad = "VALID"} : (tensor<1x1x7xf32>) -> !onnx.unknown
  // VALID has one formula, with ceil_mode or without.
  %2 = onnx.AveragePool(%x) {kernel_shape = [2], strides = [2], auto_pad = "VALID", ceil_mode = 1} : (tensor<1x1x7xf32>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Indices have the shape of the output; kernel_shape tells the rank.
// CHECK-LABEL: @indices_unranked
// CHECK-SAME: -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xi64>)
func.func @indices_unranked(%x: tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0, %1 = onnx.MaxPool(%x) {kernel_shape = [2, 2]} : (tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @global
// CHECK-SAME: -> (tensor<?x3x1x1xf32>, tensor<2x3xf32>)
func.func @global(%x: tensor<?x3x?x7xf32>, %y: tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.GlobalAveragePool(%x) : (tensor<?x3x?x7xf32>) -> !onnx.unknown
  %1 = onnx.GlobalMaxPool(%y) : (tensor<2x3xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @unpool
// CHECK-SAME: -> (tensor<1x1x4x4xf32>, tensor<1x1x5x5xf32>)
func.func @unpool(%x: tensor<1x1x2x2xf32>, %i: tensor<1x1x2x2xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.MaxUnpool(%x, %i) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> !onnx.unknown
  %s = onnx.Constant() {value_ints = [1, 1, 5, 5]} : () -> tensor<4xi64>
  %1 = onnx.MaxUnpool(%x, %i, %s) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>, tensor<4xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @kernel_rank(%x: tensor<1x1x7xf32>) -> !onnx.unknown {
  // expected-error @below {{maxpool_kernel_shape: must have one element per spatial dimension of the input, whose rank is 3; has 2}}
  %0 = onnx.MaxPool(%x) {kernel_shape = [2, 2]} : (tensor<1x1x7xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @too_large(%x: tensor<1x1x2xf32>) -> !onnx.unknown {
  // expected-error @below {{averagepool_kernel_shape: the window is larger than the padded input (spatial dimension 0)}}
  %0 = onnx.AveragePool(%x) {kernel_shape = [4]} : (tensor<1x1x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @far_too_large(%x: tensor<1x1x2xf32>) -> !onnx.unknown {
  // expected-error @below {{maxpool_kernel_shape: elements must be at most 2147483648}}
  %0 = onnx.MaxPool(%x) {kernel_shape = [2147483649], pads = [1073741824, 1073741824]} : (tensor<1x1x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @global_rank(%x: tensor<3xf32>) -> !onnx.unknown {
  // expected-error @below {{globalaveragepool_x: must have a batch and a channel dimension, has rank 1}}
  %0 = onnx.GlobalAveragePool(%x) : (tensor<3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @pads(%x: tensor<1x1x7x7xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // What counts is the window that the dilated kernel spans.
  %0 = onnx.MaxPool(%x) {kernel_shape = [2, 2], dilations = [1, 2], pads = [1, 2, 1, 2]} : (tensor<1x1x7x7xf32>) -> !onnx.unknown
  // expected-error @below {{lppool_pads: must be smaller than the kernel (spatial dimension 1)}}
  %1 = onnx.LpPool(%x) {kernel_shape = [3, 2], pads = [2, 0, 2, 2]} : (tensor<1x1x7x7xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}
