// RUN: onnx-mlir-opt %s --onnx-fuse-concat-into-reshape | FileCheck %s

// CHECK-LABEL: func @one_unknown
// CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[-1, 2]> : tensor<2xi64>}
// CHECK: onnx.Reshape(%arg0, %[[S]])
func.func @one_unknown(%x: tensor<3x4xf32>, %v: tensor<?xf32>) -> tensor<?x?xf32> {
  %n = onnx.Shape(%v) : (tensor<?xf32>) -> tensor<1xi64>
  %d = onnx.Cast(%n) {to = 6} : (tensor<1xi64>) -> tensor<1xi32>
  %c = onnx.Constant() {value = dense<2> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = onnx.Concat(%d, %c) {axis = -1} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %t = onnx.Cast(%s) {to = 7} : (tensor<2xi32>) -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %t) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Dims that stay at their place are copied, so that two may be unknown.
// CHECK-LABEL: func @copied
// CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[0, -1, 4]> : tensor<3xi64>}
// CHECK: onnx.Reshape(%arg0, %[[S]])
func.func @copied(%x: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?x?x4xf32> {
  %d = onnx.Shape(%v) : (tensor<?xf32>) -> tensor<1xi64>
  %i = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %c = onnx.Constant() {value_ints = [4]} : () -> tensor<1xi64>
  %h = onnx.Shape(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
  %g = onnx.Gather(%h, %i) : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %u = onnx.Unsqueeze(%g, %a) : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %s = onnx.Concat(%u, %d, %c) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x4xf32>
  return %0 : tensor<?x?x4xf32>
}

// Two unknown parts; a 0 beside which nothing can be computed; a dim of another place.
// CHECK-LABEL: func @near_misses
// CHECK: %[[A:.*]] = onnx.Concat
// CHECK: onnx.Reshape(%arg0, %[[A]])
// CHECK: %[[B:.*]] = onnx.Concat
// CHECK: onnx.Reshape(%arg1, %[[B]])
// CHECK: %[[C:.*]] = onnx.Concat
// CHECK: onnx.Reshape(%arg0, %[[C]])
func.func @near_misses(%x: tensor<?x?xf32>, %e: tensor<3x0xf32>, %v: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %d = onnx.Shape(%v) : (tensor<?xf32>) -> tensor<1xi64>
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %o = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %s = onnx.Concat(%d, %d) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %t = onnx.Concat(%d, %z) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %1 = onnx.Reshape(%e, %t) {allowzero = 1} : (tensor<3x0xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %h = onnx.Shape(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
  %g = onnx.Gather(%h, %o) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %u = onnx.Concat(%g, %d) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %2 = onnx.Reshape(%x, %u) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// A number that the run brings may not be what is left: it is checked.
// CHECK-LABEL: func @number_of_run
// CHECK: %[[S:.*]] = onnx.Concat
// CHECK: onnx.Reshape(%arg0, %[[S]])
func.func @number_of_run(%x: tensor<3x4xf32>, %d: tensor<1xi64>) -> tensor<?x?xf32> {
  %c = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %s = onnx.Concat(%d, %c) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A dim that is copied and 0: nothing can be computed beside it, either.
// CHECK-LABEL: func @copied_zero
// CHECK: %[[S:.*]] = onnx.Concat
// CHECK: onnx.Reshape(%arg0, %[[S]])
func.func @copied_zero(%x: tensor<3x0xf32>, %v: tensor<?xf32>) -> tensor<?x?xf32> {
  %d = onnx.Shape(%v) : (tensor<?xf32>) -> tensor<1xi64>
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %t = onnx.Concat(%d, %z) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %t) : (tensor<3x0xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
