// RUN: onnx-mlir-opt %s --onnx-optimize=passes=recurrent_simplify,recurrent_simplify | FileCheck %s

// CHECK-LABEL: func @zeros_of_a_shape
func.func @zeros_of_a_shape(%x: tensor<?x2x3xf32>, %w: tensor<1x20x3xf32>, %r: tensor<1x20x5xf32>, %s: tensor<3xi64>) -> tensor<?x1x2x5xf32> {
  %0 = onnx.ConstantOfShape(%s) : (tensor<3xi64>) -> tensor<?x?x?xf32>
  // CHECK: onnx.LSTM(%arg0, %arg1, %arg2)
  %y = onnx.LSTM(%x, %w, %r, _, _, %0, %0) {hidden_size = 5} : (tensor<?x2x3xf32>, tensor<1x20x3xf32>, tensor<1x20x5xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x1x2x5xf32>
  return %y : tensor<?x1x2x5xf32>
}

// A bias and one state that begins otherwise stay.
// CHECK-LABEL: func @one_of_two
func.func @one_of_two(%x: tensor<4x2x3xf32>, %w: tensor<1x20x3xf32>, %r: tensor<1x20x5xf32>, %b: tensor<1x40xf32>, %c: tensor<1x2x5xf32>) -> tensor<4x1x2x5xf32> {
  %h = onnx.Constant() {value = dense<0.0> : tensor<1x2x5xf32>} : () -> tensor<1x2x5xf32>
  // CHECK: onnx.LSTM(%arg0, %arg1, %arg2, %arg3, _, _, %arg4)
  %y = onnx.LSTM(%x, %w, %r, %b, _, %h, %c) {hidden_size = 5} : (tensor<4x2x3xf32>, tensor<1x20x3xf32>, tensor<1x20x5xf32>, tensor<1x40xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> tensor<4x1x2x5xf32>
  return %y : tensor<4x1x2x5xf32>
}

// CHECK-LABEL: func @full_lengths
func.func @full_lengths(%x: tensor<4x2x3xf32>, %w: tensor<1x5x3xf32>, %r: tensor<1x5x5xf32>) -> tensor<4x1x2x5xf32> {
  %n = onnx.Constant() {value = dense<4> : tensor<2xi32>} : () -> tensor<2xi32>
  // CHECK: onnx.RNN(%arg0, %arg1, %arg2) {
  %y = onnx.RNN(%x, %w, %r, _, %n) {hidden_size = 5} : (tensor<4x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>, tensor<2xi32>) -> tensor<4x1x2x5xf32>
  return %y : tensor<4x1x2x5xf32>
}

// Minus zero, ones, lengths that are shorter or of an unknown number of steps.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<?x2x3xf32>, %w: tensor<1x15x3xf32>, %r: tensor<1x15x5xf32>, %s: tensor<3xi64>) -> (tensor<?x1x2x5xf32>, tensor<?x1x2x5xf32>) {
  %m = onnx.Constant() {value = dense<-0.0> : tensor<1x2x5xf32>} : () -> tensor<1x2x5xf32>
  %n = onnx.Constant() {value = dense<4> : tensor<2xi32>} : () -> tensor<2xi32>
  %1 = onnx.ConstantOfShape(%s) {value = dense<1.0> : tensor<1xf32>} : (tensor<3xi64>) -> tensor<?x?x?xf32>
  // CHECK: onnx.GRU(%arg0, %arg1, %arg2, _, %{{.*}}, %{{.*}}) {
  %y = onnx.GRU(%x, %w, %r, _, %n, %m) {hidden_size = 5} : (tensor<?x2x3xf32>, tensor<1x15x3xf32>, tensor<1x15x5xf32>, tensor<2xi32>, tensor<1x2x5xf32>) -> tensor<?x1x2x5xf32>
  // CHECK: onnx.GRU(%arg0, %arg1, %arg2, _, _, %{{.*}}) {
  %z = onnx.GRU(%x, %w, %r, _, _, %1) {hidden_size = 5} : (tensor<?x2x3xf32>, tensor<1x15x3xf32>, tensor<1x15x5xf32>, tensor<?x?x?xf32>) -> tensor<?x1x2x5xf32>
  return %y, %z : tensor<?x1x2x5xf32>, tensor<?x1x2x5xf32>
}
