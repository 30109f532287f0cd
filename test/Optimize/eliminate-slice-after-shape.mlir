// RUN: onnx-mlir-opt %s --onnx-eliminate-slice-after-shape | FileCheck %s

// CHECK-LABEL: func @known
// CHECK-DAG: %[[A:.*]] = onnx.Constant() {value = dense<3> : tensor<1xi64>}
// CHECK-DAG: %[[B:.*]] = onnx.Constant() {value = dense<[5, 3]> : tensor<2xi64>}
// CHECK: return %[[A]], %[[B]]
func.func @known(%x: tensor<?x3x5xf32>) -> (tensor<1xi64>, tensor<?xi64>) attributes {onnx.entry} {
  %s = onnx.Shape(%x) {start = 1} : (tensor<?x3x5xf32>) -> tensor<2xi64>
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %o = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %m = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %least = onnx.Constant() {value_ints = [-9223372036854775808]} : () -> tensor<1xi64>
  %0 = onnx.Slice(%s, %z, %o, _, _) : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %1 = onnx.Slice(%s, %m, %least, %z, %m) : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  return %0, %1 : tensor<1xi64>, tensor<?xi64>
}

// CHECK-LABEL: func @not_known
// CHECK: onnx.Slice
func.func @not_known(%x: tensor<?x3x5xf32>) -> tensor<1xi64> {
  %s = onnx.Shape(%x) : (tensor<?x3x5xf32>) -> tensor<3xi64>
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %o = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %0 = onnx.Slice(%s, %z, %o, _, _) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// What numpy takes of a start before the first element, backwards, is not what
// the standard says.
// CHECK-LABEL: func @before_the_start
// CHECK: %[[FIRST:.*]] = onnx.Constant() {value = dense<[5, 3, 2]> : tensor<3xi64>}
// CHECK: %[[S:.*]] = onnx.Slice
// CHECK: return %[[FIRST]], %[[S]]
func.func @before_the_start(%x: tensor<2x3x5xf32>) -> (tensor<?xi64>, tensor<?xi64>) attributes {onnx.entry} {
  %s = onnx.Shape(%x) : (tensor<2x3x5xf32>) -> tensor<3xi64>
  %z = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %m = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %before = onnx.Constant() {value_ints = [-4]} : () -> tensor<1xi64>
  %end = onnx.Constant() {value_ints = [-9]} : () -> tensor<1xi64>
  %0 = onnx.Slice(%s, %m, %end, %z, %m) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %1 = onnx.Slice(%s, %before, %end, %z, %m) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}
