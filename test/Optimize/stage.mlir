// Ops that do nothing go, the signature stays.
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-optimize)' | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-NEXT: return %arg0
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Identity(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.Transpose(%0) {perm = [0, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = onnx.Cast(%1) {to = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = onnx.Constant() {value_ints = [2, -1]} : () -> tensor<2xi64>
  %3 = onnx.Reshape(%2, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %4 = onnx.Flatten(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = onnx.Concat(%4) {axis = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = onnx.Sum(%5) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = onnx.Dropout(%6, _, _) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}

// What a known shape leaves as it was is nothing; a fed one may be another, which
// the run has to refuse.
// CHECK-LABEL: @dynamic_reshape
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[Y:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<2xi64>)
// CHECK-NEXT: %[[R:.*]] = onnx.Reshape(%[[Y]], %[[S]])
// CHECK-NEXT: return %[[X]], %[[R]]
func.func @dynamic_reshape(%x: tensor<?x3xf32>, %y: tensor<?x?xf32>, %s: tensor<2xi64>) -> (tensor<?x3xf32>, tensor<?x?xf32>) {
  %same = onnx.Constant() {value_ints = [-1, 3]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %same) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = onnx.Reshape(%y, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: @transposes
// CHECK-NEXT: onnx.Transpose(%arg0) {perm = [1, 2, 0]}
// CHECK-NEXT: return
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = onnx.Transpose(%x) {perm = [2, 0, 1]} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = onnx.Transpose(%0) {perm = [2, 0, 1]} : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

// Dropout stays where it may train.
// CHECK-LABEL: @dropout
// CHECK: onnx.Dropout
// CHECK-NOT: onnx.Dropout
// CHECK: return
func.func @dropout(%x: tensor<2xf32>, %t: tensor<i1>) -> (tensor<2xf32>, tensor<2xi1>, tensor<2xf32>) {
  %0 = onnx.Dropout(%x, _, %t) : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  %1, %m = onnx.Dropout(%x, _, _) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>)
  %f = onnx.Constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %2, %n = onnx.Dropout(%x, _, %f) : (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xi1>)
  return %0, %m, %2 : tensor<2xf32>, tensor<2xi1>, tensor<2xf32>
}

// CHECK-LABEL: @common_subexpression
// CHECK-COUNT-1: onnx.Exp
// CHECK-NOT: onnx.Exp
func.func @common_subexpression(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Add(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
