// RUN: onnx-mlir-opt %s --onnx-rnn-simplify | FileCheck %s

// A bias stays even if it is zeros.
// CHECK-LABEL: func @zeros
// CHECK: onnx.GRU(%arg0, %arg1, %arg2, %{{[a-z0-9_]+}}) {
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

// CHECK-LABEL: func @full_lengths
func.func @full_lengths(%x: tensor<4x2x3xf32>, %w: tensor<1x5x3xf32>, %r: tensor<1x5x5xf32>) -> tensor<4x1x2x5xf32> {
  %n = onnx.Constant() {value = dense<4> : tensor<2xi32>} : () -> tensor<2xi32>
  // CHECK: onnx.RNN(%arg0, %arg1, %arg2) {
  %y = onnx.RNN(%x, %w, %r, _, %n) {hidden_size = 5} : (tensor<4x2x3xf32>, tensor<1x5x3xf32>, tensor<1x5x5xf32>, tensor<2xi32>) -> tensor<4x1x2x5xf32>
  return %y : tensor<4x1x2x5xf32>
}

// Ones, lengths that are shorter or of an unknown number of steps.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<?x2x3xf32>, %w: tensor<1x15x3xf32>, %r: tensor<1x15x5xf32>, %s: tensor<3xi64>) -> (tensor<?x1x2x5xf32>, tensor<?x1x2x5xf32>) {
  %m = onnx.Constant() {value = dense<2.0> : tensor<1x2x5xf32>} : () -> tensor<1x2x5xf32>
  %n = onnx.Constant() {value = dense<4> : tensor<2xi32>} : () -> tensor<2xi32>
  %1 = onnx.ConstantOfShape(%s) {value = dense<1.0> : tensor<1xf32>} : (tensor<3xi64>) -> tensor<?x?x?xf32>
  // CHECK: onnx.GRU(%arg0, %arg1, %arg2, _, %{{.*}}, %{{.*}}) {
  %y = onnx.GRU(%x, %w, %r, _, %n, %m) {hidden_size = 5} : (tensor<?x2x3xf32>, tensor<1x15x3xf32>, tensor<1x15x5xf32>, tensor<2xi32>, tensor<1x2x5xf32>) -> tensor<?x1x2x5xf32>
  // CHECK: onnx.GRU(%arg0, %arg1, %arg2, _, _, %{{.*}}) {
  %z = onnx.GRU(%x, %w, %r, _, _, %1) {hidden_size = 5} : (tensor<?x2x3xf32>, tensor<1x15x3xf32>, tensor<1x15x5xf32>, tensor<?x?x?xf32>) -> tensor<?x1x2x5xf32>
  return %y, %z : tensor<?x1x2x5xf32>, tensor<?x1x2x5xf32>
}
