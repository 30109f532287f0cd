// RUN: onnx-mlir-opt %s --onnx-rnn-simplify | FileCheck %s

// CHECK-LABEL: func @zeros
// CHECK: onnx.GRU(%arg0, %arg1, %arg2) {
func.func @zeros(%x: tensor<5x?x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %s: tensor<3xi64>) -> tensor<5x1x?x4xf32> {
  %b = onnx.Constant() {value = dense<0.0> : tensor<1x24xf32>} : () -> tensor<1x24xf32>
  %h = onnx.ConstantOfShape(%s) : (tensor<3xi64>) -> tensor<?x?x?xf32>
  %y, %z = onnx.GRU(%x, %w, %r, %b, _, %h) {hidden_size = 4} : (tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<?x?x?xf32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
  return %y : tensor<5x1x?x4xf32>
}

// CHECK-LABEL: func @not_zeros
// CHECK: onnx.GRU(%arg0, %arg1, %arg2, %{{.*}}, _, %{{.*}})
func.func @not_zeros(%x: tensor<5x?x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %s: tensor<3xi64>) -> tensor<5x1x?x4xf32> {
  %b = onnx.Constant() {value = dense<1.0> : tensor<1x24xf32>} : () -> tensor<1x24xf32>
  %h = onnx.ConstantOfShape(%s) {value = dense<1.0> : tensor<1xf32>} : (tensor<3xi64>) -> tensor<?x?x?xf32>
  %y, %z = onnx.GRU(%x, %w, %r, %b, _, %h) {hidden_size = 4} : (tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<?x?x?xf32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
  return %y : tensor<5x1x?x4xf32>
}
