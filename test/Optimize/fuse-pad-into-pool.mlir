// RUN: onnx-mlir-opt %s --onnx-fuse-pad-into-pool | FileCheck %s

// CHECK-LABEL: func @average
func.func @average(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: onnx.AveragePool(%arg0) {count_include_pad = 1, kernel_shape = [3, 3], pads = [1, 2, 0, 1]}
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v2 = onnx.AveragePool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %v2 : tensor<1x2x4x7xf32>
}

// CHECK-LABEL: func @average_counting_its_own
func.func @average_counting_its_own(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x5x8xf32>) {
  // CHECK: onnx.AveragePool(%arg0) {count_include_pad = 1, kernel_shape = [4, 4], pads = [2, 3, 1, 2]}
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v2 = onnx.AveragePool(%v1) {count_include_pad = 1, kernel_shape = [4, 4], pads = [1, 1, 1, 1]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x5x8xf32>
  return %v2 : tensor<1x2x5x8xf32>
}

// CHECK-LABEL: func @average_not_counting_its_own
func.func @average_not_counting_its_own(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x5x8xf32>) {
  // CHECK: onnx.Pad(%arg0
  // CHECK: onnx.AveragePool
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v2 = onnx.AveragePool(%v1) {kernel_shape = [4, 4], pads = [1, 1, 1, 1]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x5x8xf32>
  return %v2 : tensor<1x2x5x8xf32>
}

// CHECK-LABEL: func @average_ceil
func.func @average_ceil(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: onnx.Pad(%arg0
  // CHECK: onnx.AveragePool
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v2 = onnx.AveragePool(%v1) {ceil_mode = 1, kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %v2 : tensor<1x2x4x7xf32>
}

// MaxPool pads with minus infinity, the Pad with zeros.
// CHECK-LABEL: func @max_of_zeros
func.func @max_of_zeros(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: onnx.Pad(%arg0
  // CHECK: onnx.MaxPool
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %Y = onnx.MaxPool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %Y : tensor<1x2x4x7xf32>
}

// CHECK-LABEL: func @max_of_infinity
func.func @max_of_infinity(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: onnx.MaxPool(%arg0)
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Pad(%x, %v0, %v1) : (tensor<1x2x5x6xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x2x6x9xf32>
  %Y = onnx.MaxPool(%v2) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %Y : tensor<1x2x4x7xf32>
}

// CHECK-LABEL: func @max_of_zeros_not_negative
func.func @max_of_zeros_not_negative(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: %[[R:.*]] = onnx.Relu
  // CHECK: onnx.MaxPool(%[[R]])
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Relu(%x) : (tensor<1x2x5x6xf32>) -> tensor<1x2x5x6xf32>
  %v2 = onnx.Pad(%v1, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %Y = onnx.MaxPool(%v2) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %Y : tensor<1x2x4x7xf32>
}

// CHECK-LABEL: func @max_of_zeros_in_another_order
func.func @max_of_zeros_in_another_order(%x: tensor<1x8x5x6xf32>) -> (tensor<1x2x9x13xf32>) {
  // CHECK: %[[D:.*]] = onnx.DepthToSpace
  // CHECK: onnx.MaxPool(%[[D]])
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Softplus(%x) : (tensor<1x8x5x6xf32>) -> tensor<1x8x5x6xf32>
  %v2 = onnx.DepthToSpace(%v1) {blocksize = 2} : (tensor<1x8x5x6xf32>) -> tensor<1x2x10x12xf32>
  %v3 = onnx.Pad(%v2, %v0) : (tensor<1x2x10x12xf32>, tensor<8xi64>) -> tensor<1x2x11x15xf32>
  %Y = onnx.MaxPool(%v3) {kernel_shape = [3, 3]} : (tensor<1x2x11x15xf32>) -> tensor<1x2x9x13xf32>
  return %Y : tensor<1x2x9x13xf32>
}

// CHECK-LABEL: func @max_of_zeros_and_norms
func.func @max_of_zeros_and_norms(%x: tensor<1x2x5x6x3xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: %[[N:.*]] = onnx.ReduceL2
  // CHECK: onnx.MaxPool(%[[N]])
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %axis = onnx.Constant() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.ReduceL2(%x, %axis) {keepdims = 0} : (tensor<1x2x5x6x3xf32>, tensor<1xi64>) -> tensor<1x2x5x6xf32>
  %v2 = onnx.Pad(%v1, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %Y = onnx.MaxPool(%v2) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %Y : tensor<1x2x4x7xf32>
}

// CHECK-LABEL: func @window_in_padding
func.func @window_in_padding(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x5x8xf32>) {
  // CHECK: onnx.Pad
  // CHECK: onnx.MaxPool
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Relu(%x) : (tensor<1x2x5x6xf32>) -> tensor<1x2x5x6xf32>
  %v2 = onnx.Pad(%v1, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %Y = onnx.MaxPool(%v2) {kernel_shape = [2, 2]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x5x8xf32>
  return %Y : tensor<1x2x5x8xf32>
}

// CHECK-LABEL: func @unsigned
func.func @unsigned(%x: tensor<1x2x5x6xui8>) -> (tensor<1x2x4x7xui8>) {
  // CHECK: onnx.MaxPool(%arg0)
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xui8>, tensor<8xi64>) -> tensor<1x2x6x9xui8>
  %Y = onnx.MaxPool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xui8>) -> tensor<1x2x4x7xui8>
  return %Y : tensor<1x2x4x7xui8>
}

// CHECK-LABEL: func @signed
func.func @signed(%x: tensor<1x2x5x6xi8>) -> (tensor<1x2x4x7xi8>) {
  // CHECK: onnx.Pad(%arg0
  // CHECK: onnx.MaxPool
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xi8>, tensor<8xi64>) -> tensor<1x2x6x9xi8>
  %Y = onnx.MaxPool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xi8>) -> tensor<1x2x4x7xi8>
  return %Y : tensor<1x2x4x7xi8>
}

// CHECK-LABEL: func @lp
func.func @lp(%x: tensor<1x2x5x6xf32>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: onnx.LpPool(%arg0)
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v2 = onnx.LpPool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %v2 : tensor<1x2x4x7xf32>
}

// CHECK-LABEL: func @indices
func.func @indices(%x: tensor<1x2x5x6xui8>) -> (tensor<1x2x4x7xui8>, tensor<1x2x4x7xi64>) {
  // CHECK: onnx.Pad(%arg0
  // CHECK: onnx.MaxPool
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xui8>, tensor<8xi64>) -> tensor<1x2x6x9xui8>
  %Y, %Indices = onnx.MaxPool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xui8>) -> (tensor<1x2x4x7xui8>, tensor<1x2x4x7xi64>)
  return %Y, %Indices : tensor<1x2x4x7xui8>, tensor<1x2x4x7xi64>
}

// Along one and along three axes as well.
// CHECK-LABEL: func @other_ranks
func.func @other_ranks(%x: tensor<1x2x5xf32>, %y: tensor<1x2x5x5x5xf32>) -> (tensor<1x2x6xf32>, tensor<1x2x4x4x5xf32>) {
  // CHECK: onnx.AveragePool(%arg0) {count_include_pad = 1, kernel_shape = [3], pads = [1, 2]}
  // CHECK: onnx.AveragePool(%arg1) {count_include_pad = 1, kernel_shape = [3, 3, 3], pads = [1, 0, 2, 0, 1, 0]}
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 0, 0, 2]> : tensor<6xi64>} : () -> tensor<6xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5xf32>, tensor<6xi64>) -> tensor<1x2x8xf32>
  %v2 = onnx.AveragePool(%v1) {kernel_shape = [3]} : (tensor<1x2x8xf32>) -> tensor<1x2x6xf32>
  %v3 = onnx.Constant() {value = dense<[0, 0, 1, 0, 2, 0, 0, 0, 1, 0]> : tensor<10xi64>} : () -> tensor<10xi64>
  %v4 = onnx.Pad(%y, %v3) : (tensor<1x2x5x5x5xf32>, tensor<10xi64>) -> tensor<1x2x6x6x7xf32>
  %v5 = onnx.AveragePool(%v4) {kernel_shape = [3, 3, 3]} : (tensor<1x2x6x6x7xf32>) -> tensor<1x2x4x4x5xf32>
  return %v2, %v5 : tensor<1x2x6xf32>, tensor<1x2x4x4x5xf32>
}

// A window that lies in padding only.
// CHECK-LABEL: func @outside
func.func @outside(%x: tensor<1x2x5xf32>) -> tensor<1x2x6xf32> {
  // CHECK: onnx.Pad
  // CHECK: onnx.AveragePool
  %v0 = onnx.Constant() {value = dense<[0, 0, 3, 0, 0, 0]> : tensor<6xi64>} : () -> tensor<6xi64>
  %v1 = onnx.Pad(%x, %v0) : (tensor<1x2x5xf32>, tensor<6xi64>) -> tensor<1x2x8xf32>
  %v2 = onnx.AveragePool(%v1) {kernel_shape = [3]} : (tensor<1x2x8xf32>) -> tensor<1x2x6xf32>
  return %v2 : tensor<1x2x6xf32>
}

// What is picked of numbers that are not negative is not negative.
// CHECK-LABEL: func @max_of_gathered
func.func @max_of_gathered(%x: tensor<1x2x5x6xf32>, %i: tensor<2xi64>) -> (tensor<1x2x4x7xf32>) {
  // CHECK: %[[G:.*]] = onnx.Gather
  // CHECK: onnx.MaxPool(%[[G]]) {kernel_shape = [3, 3], pads = [1, 2, 0, 1]}
  %r = onnx.Relu(%x) : (tensor<1x2x5x6xf32>) -> tensor<1x2x5x6xf32>
  %g = onnx.Gather(%r, %i) {axis = 1} : (tensor<1x2x5x6xf32>, tensor<2xi64>) -> tensor<1x2x5x6xf32>
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Pad(%g, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v2 = onnx.MaxPool(%v1) {kernel_shape = [3, 3]} : (tensor<1x2x6x9xf32>) -> tensor<1x2x4x7xf32>
  return %v2 : tensor<1x2x4x7xf32>
}
