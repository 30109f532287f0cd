// RUN: onnx-mlir-opt %s --onnx-fuse-global-pool --canonicalize | FileCheck %s

// CHECK-LABEL: func @average
func.func @average(%x: tensor<?x3x4x5xf32>) -> tensor<?x3x1x1xf32> {
  // CHECK: onnx.GlobalAveragePool(%arg0)
  %y = onnx.AveragePool(%x) {kernel_shape = [4, 5], strides = [2, 2], count_include_pad = 1} : (tensor<?x3x4x5xf32>) -> tensor<?x3x1x1xf32>
  return %y : tensor<?x3x1x1xf32>
}

// CHECK-LABEL: func @greatest
func.func @greatest(%x: tensor<2x3x4xf16>) -> tensor<2x3x1xf16> {
  // CHECK: onnx.GlobalMaxPool(%arg0)
  %y = onnx.MaxPool(%x) {kernel_shape = [4]} : (tensor<2x3x4xf16>) -> tensor<2x3x1xf16>
  return %y : tensor<2x3x1xf16>
}

// CHECK-LABEL: func @mean
func.func @mean(%x: tensor<?x3x5x6xf32>) -> tensor<?x3x1x1xf32> {
  %axes = onnx.Constant() {value = dense<[-1, -2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: onnx.GlobalAveragePool(%arg0)
  %y = onnx.ReduceMean(%x, %axes) : (tensor<?x3x5x6xf32>, tensor<2xi64>) -> tensor<?x3x1x1xf32>
  return %y : tensor<?x3x1x1xf32>
}

// There may be nothing to take the mean of: NaN, and for a pool an error.
// CHECK-LABEL: func @mean_of_nothing
func.func @mean_of_nothing(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x1x1xf32> {
  %a = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  // CHECK: onnx.ReduceMean
  %y = onnx.ReduceMean(%x, %a) {keepdims = 1} : (tensor<?x3x?x?xf32>, tensor<2xi64>) -> tensor<?x3x1x1xf32>
  return %y : tensor<?x3x1x1xf32>
}

// CHECK-LABEL: func @padded
func.func @padded(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x3x1xf32> {
  // CHECK: onnx.AveragePool
  %y = onnx.AveragePool(%x) {kernel_shape = [4, 5], pads = [1, 0, 1, 0]} : (tensor<2x3x4x5xf32>) -> tensor<2x3x3x1xf32>
  return %y : tensor<2x3x3x1xf32>
}

// CHECK-LABEL: func @place_is_asked_for
func.func @place_is_asked_for(%x: tensor<2x3x4xf32>) -> tensor<2x3x1xi64> {
  // CHECK: onnx.MaxPool
  %y, %i = onnx.MaxPool(%x) {kernel_shape = [4]} : (tensor<2x3x4xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xi64>)
  return %i : tensor<2x3x1xi64>
}

// CHECK-LABEL: func @integers_and_other_axes
func.func @integers_and_other_axes(%x: tensor<2x3x4xi32>, %y: tensor<2x3x4xf32>) -> (tensor<2x3x1xi32>, tensor<2x1x1xf32>) {
  %last = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-COUNT-2: onnx.ReduceMean
  %a = onnx.ReduceMean(%x, %last) : (tensor<2x3x4xi32>, tensor<1xi64>) -> tensor<2x3x1xi32>
  %b = onnx.ReduceMean(%y, %two) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x1x1xf32>
  return %a, %b : tensor<2x3x1xi32>, tensor<2x1x1xf32>
}

// CHECK-LABEL: func @tokens
func.func @tokens(%x: tensor<2x3x4xf32>) -> tensor<2x3x1xf32> {
  %last = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: onnx.ReduceMean
  %y = onnx.ReduceMean(%x, %last) : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
  return %y : tensor<2x3x1xf32>
}

// CHECK-LABEL: func @part_of_normalization
func.func @part_of_normalization(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> {
  %axes = onnx.Constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-COUNT-2: onnx.ReduceMean
  %m = onnx.ReduceMean(%x, %axes) : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<2x3x1x1xf32>
  %d = onnx.Sub(%x, %m) : (tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x5xf32>
  %q = onnx.Mul(%d, %d) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %y = onnx.ReduceMean(%q, %axes) : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<2x3x1x1xf32>
  return %y : tensor<2x3x1x1xf32>
}

// Any of the dims may be 0.
// CHECK-LABEL: func @mean_of_perhaps_nothing
func.func @mean_of_perhaps_nothing(%x: tensor<2x3x?x6xf32>, %y: tensor<2x3x6x?xf32>) -> (tensor<2x3x1x1xf32>, tensor<2x3x1x1xf32>) {
  %a = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  // CHECK-COUNT-2: onnx.ReduceMean
  %0 = onnx.ReduceMean(%x, %a) {keepdims = 1} : (tensor<2x3x?x6xf32>, tensor<2xi64>) -> tensor<2x3x1x1xf32>
  %1 = onnx.ReduceMean(%y, %a) {keepdims = 1} : (tensor<2x3x6x?xf32>, tensor<2xi64>) -> tensor<2x3x1x1xf32>
  return %0, %1 : tensor<2x3x1x1xf32>, tensor<2x3x1x1xf32>
}
