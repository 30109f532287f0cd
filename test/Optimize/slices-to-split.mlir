// RUN: onnx-mlir-opt %s --onnx-slices-to-split | FileCheck %s

// CHECK-LABEL: func @three_parts
func.func @three_parts(%x: tensor<?x9xf32>) -> (tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x3xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %5 = onnx.Constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<[100]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: %[[L:.*]] = onnx.Constant() {value = dense<[2, 3, 4]>
  // CHECK: %[[S:.*]]:3 = onnx.Split(%arg0, %[[L]]) {axis = 1}
  // CHECK: return %[[S]]#2, %[[S]]#0, %[[S]]#1
  %a = onnx.Slice(%x, %5, %end, %1, _) : (tensor<?x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %b = onnx.Slice(%x, %0, %2, %1, _) : (tensor<?x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x2xf32>
  %c = onnx.Slice(%x, %2, %5, %1, _) : (tensor<?x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return %a, %b, %c : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x3xf32>
}

// A gap, an overlap.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %4 = onnx.Constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK-NOT: onnx.Split
  %a = onnx.Slice(%x, %0, %1, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  %b = onnx.Slice(%x, %2, %4, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %c = onnx.Slice(%y, %0, %3, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  %d = onnx.Slice(%y, %2, %4, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %a, %b, %c, %d : tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
}
