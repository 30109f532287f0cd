// The form of attributes that lowerings rely on.
// RUN: onnx-mlir-opt %s --onnx-normalize-attributes | FileCheck %s

// CHECK-LABEL: @axis
// CHECK: onnx.Softmax{{.*}} {axis = 2}
// CHECK: onnx.Concat{{.*}} {axis = 1}
// CHECK: onnx.LayerNormalization{{.*}} {axis = 1}
// CHECK: onnx.ArgMax{{.*}} {axis = 0}
// CHECK: onnx.Flatten{{.*}} {axis = 2}
func.func @axis(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) {
  %0 = onnx.Softmax(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = onnx.Concat(%x, %x) {axis = -2} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  %2 = onnx.LayerNormalization(%x, %s, _) {axis = -2} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %3 = onnx.ArgMax(%x) : (tensor<2x3x4xf32>) -> tensor<1x3x4xi64>
  %4 = onnx.Flatten(%x) {axis = -1} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return
}

// CHECK-LABEL: @perm
// CHECK: onnx.Transpose{{.*}} {perm = [2, 1, 0]}
// CHECK: onnx.Transpose{{.*}} {perm = [0, 2, 1]}
func.func @perm(%x: tensor<2x3x4xf32>) {
  %0 = onnx.Transpose(%x) : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = onnx.Transpose(%x) {perm = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: @conv
// CHECK: onnx.Conv{{.*}} {auto_pad = "NOTSET", dilations = [1, 1], kernel_shape = [3, 2], pads = [0, 0, 0, 0], strides = [1, 1]}
// The odd element of padding goes to the end, or to the begin.
// CHECK: onnx.Conv{{.*}} {auto_pad = "NOTSET", dilations = [1, 1], kernel_shape = [3, 2], pads = [1, 0, 1, 1], strides = [1, 1]}
// CHECK: onnx.Conv{{.*}} {auto_pad = "NOTSET", dilations = [1, 1], kernel_shape = [3, 2], pads = [1, 1, 1, 0], strides = [1, 1]}
// CHECK: onnx.Conv{{.*}} {auto_pad = "NOTSET", dilations = [1, 1], kernel_shape = [3, 2], pads = [0, 0, 0, 0], strides = [1, 1]}
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x2xf32>) {
  %0 = onnx.Conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<4x3x3x2xf32>) -> tensor<1x4x6x7xf32>
  %1 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER"} : (tensor<1x3x8x8xf32>, tensor<4x3x3x2xf32>) -> tensor<1x4x8x8xf32>
  %2 = onnx.Conv(%x, %w) {auto_pad = "SAME_LOWER"} : (tensor<1x3x8x8xf32>, tensor<4x3x3x2xf32>) -> tensor<1x4x8x8xf32>
  %3 = onnx.Conv(%x, %w) {auto_pad = "VALID"} : (tensor<1x3x8x8xf32>, tensor<4x3x3x2xf32>) -> tensor<1x4x6x7xf32>
  return
}

// Over a dynamic spatial dim SAME_* stays, for code to compute.
// CHECK-LABEL: @dynamic_same
// CHECK: onnx.Conv{{.*}} {auto_pad = "SAME_UPPER", dilations = [1], kernel_shape = [3], pads = [0, 0], strides = [2]}
// CHECK: onnx.Conv{{.*}} {auto_pad = "NOTSET", dilations = [1], kernel_shape = [3], pads = [1, 2], strides = [2]}
func.func @dynamic_same(%x: tensor<1x3x?xf32>, %w: tensor<4x3x3xf32>) {
  %0 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER", strides = [2]} : (tensor<1x3x?xf32>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32>
  %1 = onnx.Conv(%x, %w) {pads = [1, 2], strides = [2]} : (tensor<1x3x?xf32>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32>
  return
}

// CHECK-LABEL: @pool
// CHECK: onnx.MaxPool{{.*}} {auto_pad = "NOTSET", ceil_mode = 0, dilations = [1], kernel_shape = [3], pads = [0, 1], strides = [2]}
// CHECK: onnx.AveragePool{{.*}} {auto_pad = "NOTSET", ceil_mode = 1, dilations = [1], kernel_shape = [3], pads = [0, 0], strides = [2]}
func.func @pool(%x: tensor<1x3x8xf32>) {
  %0 = onnx.MaxPool(%x) {auto_pad = "SAME_UPPER", kernel_shape = [3], strides = [2]} : (tensor<1x3x8xf32>) -> tensor<1x3x4xf32>
  %1 = onnx.AveragePool(%x) {ceil_mode = 1, kernel_shape = [3], strides = [2]} : (tensor<1x3x8xf32>) -> tensor<1x3x4xf32>
  return
}

// CHECK-LABEL: @conv_transpose
// 2 * 3 + 3 - 8 = 1 element is cut off.
// CHECK: onnx.ConvTranspose{{.*}}auto_pad = "NOTSET"{{.*}}output_padding = [0], pads = [0, 1], strides = [2]
// CHECK: onnx.ConvTranspose{{.*}}auto_pad = "NOTSET"{{.*}}output_padding = [0], pads = [1, 0], strides = [2]
// Nothing is added where the kernel is shorter than the stride.
// CHECK: onnx.ConvTranspose{{.*}}output_padding = [0], pads = [0, 0], strides = [2]
// CHECK-NOT: output_shape
// CHECK: return
func.func @conv_transpose(%x: tensor<1x4x4xf32>, %d: tensor<1x4x?xf32>, %w: tensor<4x3x3xf32>, %v: tensor<4x3x1xf32>) {
  %0 = onnx.ConvTranspose(%d, %w) {strides = [2], auto_pad = "SAME_UPPER"} : (tensor<1x4x?xf32>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32>
  %1 = onnx.ConvTranspose(%x, %w) {strides = [2], output_shape = [8]} : (tensor<1x4x4xf32>, tensor<4x3x3xf32>) -> tensor<1x3x8xf32>
  %2 = onnx.ConvTranspose(%x, %v) {strides = [2], auto_pad = "SAME_LOWER"} : (tensor<1x4x4xf32>, tensor<4x3x1xf32>) -> tensor<1x3x7xf32>
  return
}
