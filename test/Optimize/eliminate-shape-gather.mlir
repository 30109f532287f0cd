// RUN: onnx-mlir-opt %s --onnx-eliminate-shape-gather | FileCheck %s

// CHECK-LABEL: func @known
// CHECK-DAG: %[[A:.*]] = onnx.Constant() {value = dense<5> : tensor<i64>}
// CHECK-DAG: %[[B:.*]] = onnx.Constant() {value = dense<{{\[\[}}5, 3{{\]\]}}> : tensor<1x2xi64>}
// CHECK: return %[[A]], %[[B]]
func.func @known(%x: tensor<?x3x5xf32>) -> (tensor<i64>, tensor<1x2xi64>) {
  %s = onnx.Shape(%x) {start = 1} : (tensor<?x3x5xf32>) -> tensor<2xi64>
  %i = onnx.Constant() {value_int = -1} : () -> tensor<i64>
  %j = onnx.Constant() {value = dense<[[1, -2]]> : tensor<1x2xi32>} : () -> tensor<1x2xi32>
  %0 = onnx.Gather(%s, %i) : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %1 = onnx.Gather(%s, %j) {axis = -1} : (tensor<2xi64>, tensor<1x2xi32>) -> tensor<1x2xi64>
  return %0, %1 : tensor<i64>, tensor<1x2xi64>
}

// CHECK-LABEL: func @not_known
// CHECK-COUNT-3: onnx.Gather
func.func @not_known(%x: tensor<?x3x5xf32>, %v: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %s = onnx.Shape(%x) : (tensor<?x3x5xf32>) -> tensor<3xi64>
  %i = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %j = onnx.Constant() {value_int = 3} : () -> tensor<i64>
  %0 = onnx.Gather(%s, %i) : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %1 = onnx.Gather(%s, %v) : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %2 = onnx.Gather(%s, %j) : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  return %0, %1, %2 : tensor<i64>, tensor<i64>, tensor<i64>
}
