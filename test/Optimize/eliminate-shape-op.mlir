// RUN: onnx-mlir-opt %s --onnx-eliminate-shape-op | FileCheck %s

// CHECK-LABEL: func @known
// CHECK-DAG: %[[A:.*]] = onnx.Constant() {value = dense<[3, 5]> : tensor<2xi64>}
// CHECK-DAG: %[[B:.*]] = onnx.Constant() {value = dense<> : tensor<0xi64>}
// CHECK-DAG: %[[C:.*]] = onnx.Constant() {value = dense<30> : tensor<i64>}
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @known(%x: tensor<?x3x5xf32>, %y: tensor<2x3x5xi4>) -> (tensor<2xi64>, tensor<0xi64>, tensor<i64>) {
  %0 = onnx.Shape(%x) {start = -2, end = 100} : (tensor<?x3x5xf32>) -> tensor<2xi64>
  %1 = onnx.Shape(%x) {start = 2, end = 1} : (tensor<?x3x5xf32>) -> tensor<0xi64>
  %2 = onnx.Size(%y) : (tensor<2x3x5xi4>) -> tensor<i64>
  return %0, %1, %2 : tensor<2xi64>, tensor<0xi64>, tensor<i64>
}

// CHECK-LABEL: func @not_known
// CHECK-COUNT-2: onnx.Shape
// CHECK: onnx.Size
func.func @not_known(%x: tensor<?x3x5xf32>, %u: tensor<*xf32>) -> (tensor<3xi64>, tensor<?xi64>, tensor<i64>) {
  %0 = onnx.Shape(%x) {start = -10} : (tensor<?x3x5xf32>) -> tensor<3xi64>
  %1 = onnx.Shape(%u) : (tensor<*xf32>) -> tensor<?xi64>
  %2 = onnx.Size(%x) : (tensor<?x3x5xf32>) -> tensor<i64>
  return %0, %1, %2 : tensor<3xi64>, tensor<?xi64>, tensor<i64>
}
