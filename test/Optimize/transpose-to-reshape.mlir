// RUN: onnx-mlir-opt %s --onnx-transpose-to-reshape | FileCheck %s

// CHECK-LABEL: func @moves_ones
func.func @moves_ones(%x: tensor<?x1x28x1xf32>) -> tensor<?x28x1x1xf32> {
  // CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[0, 28, 1, 1]>
  // CHECK: onnx.Reshape(%arg0, %[[S]])
  %t = onnx.Transpose(%x) {perm = [0, 2, 3, 1]} : (tensor<?x1x28x1xf32>) -> tensor<?x28x1x1xf32>
  return %t : tensor<?x28x1x1xf32>
}

// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<?x2x28x1xf32>, %y: tensor<*xf32>, %z: tensor<2x?x?xf32>) -> (tensor<?x28x1x2xf32>, tensor<*xf32>, tensor<2x?x?xf32>) {
  // CHECK-COUNT-3: onnx.Transpose
  %t = onnx.Transpose(%x) {perm = [0, 2, 3, 1]} : (tensor<?x2x28x1xf32>) -> tensor<?x28x1x2xf32>
  %u = onnx.Transpose(%y) : (tensor<*xf32>) -> tensor<*xf32>
  %v = onnx.Transpose(%z) {perm = [0, 2, 1]} : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  return %t, %u, %v : tensor<?x28x1x2xf32>, tensor<*xf32>, tensor<2x?x?xf32>
}

// Dims that stay are copied, however many are not known.
// CHECK-LABEL: func @stay
func.func @stay(%x: tensor<?x?x1x4xf32>) -> tensor<?x?x4x1xf32> {
  // CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[0, 0, 4, 1]>
  // CHECK: onnx.Reshape(%arg0, %[[S]])
  %t = onnx.Transpose(%x) {perm = [0, 1, 3, 2]} : (tensor<?x?x1x4xf32>) -> tensor<?x?x4x1xf32>
  return %t : tensor<?x?x4x1xf32>
}

// No shape says which size goes where: one may be copied, the other one moves, too.
// CHECK-LABEL: func @two_unknown_sizes
func.func @two_unknown_sizes(%x: tensor<?x?x1xf32>) -> tensor<1x?x?xf32> {
  // CHECK: onnx.Transpose(%arg0)
  %t = onnx.Transpose(%x) {perm = [2, 0, 1]} : (tensor<?x?x1xf32>) -> tensor<1x?x?xf32>
  return %t : tensor<1x?x?xf32>
}
