// RUN: onnx-mlir-opt %s --onnx-resize-simplify | FileCheck %s

// CHECK-LABEL: func @same_size
// CHECK: return %arg0, %arg1
func.func @same_size(%x: tensor<1x1x?x?xf32>, %y: tensor<1x1x2x3xf32>) -> (tensor<1x1x?x?xf32>, tensor<1x1x2x3xf32>) {
  %s = onnx.Constant() {value_floats = [1.0, 1.0, 1.0, 1.0]} : () -> tensor<4xf32>
  %n = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  %0 = onnx.Resize(%x, _, %s, _) {mode = "linear"} : (tensor<1x1x?x?xf32>, tensor<4xf32>) -> tensor<1x1x?x?xf32>
  %1 = onnx.Resize(%y, _, _, %n) {axes = [2, 3]} : (tensor<1x1x2x3xf32>, tensor<2xi64>) -> tensor<1x1x2x3xf32>
  return %0, %1 : tensor<1x1x?x?xf32>, tensor<1x1x2x3xf32>
}

// Another size, or a part that is cut out.
// CHECK-LABEL: func @near_misses
// CHECK-COUNT-2: onnx.Resize
func.func @near_misses(%y: tensor<1x1x2x3xf32>, %r: tensor<8xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x3xf32>) {
  %n = onnx.Constant() {value_ints = [1, 1, 2, 4]} : () -> tensor<4xi64>
  %m = onnx.Constant() {value_ints = [1, 1, 2, 3]} : () -> tensor<4xi64>
  %0 = onnx.Resize(%y, _, _, %n) : (tensor<1x1x2x3xf32>, tensor<4xi64>) -> tensor<1x1x2x4xf32>
  %1 = onnx.Resize(%y, %r, _, %m) {coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<1x1x2x3xf32>, tensor<8xf32>, tensor<4xi64>) -> tensor<1x1x2x3xf32>
  return %0, %1 : tensor<1x1x2x4xf32>, tensor<1x1x2x3xf32>
}
