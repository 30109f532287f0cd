// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-flatten | FileCheck %s

// CHECK-LABEL: func @matrices
// CHECK-NEXT: return %arg0, %arg0, %arg1, %arg2
func.func @matrices(%x: tensor<?x?xf32>, %r: tensor<1x?xf32>, %c: tensor<?x1xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<1x?xf32>, tensor<?x1xf32>) {
  %0 = onnx.Flatten(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = onnx.Flatten(%x) {axis = -1} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = onnx.Flatten(%r) {axis = 0} : (tensor<1x?xf32>) -> tensor<1x?xf32>
  %3 = onnx.Flatten(%c) {axis = 2} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<1x?xf32>, tensor<?x1xf32>
}

// CHECK-LABEL: func @others
// CHECK-COUNT-2: onnx.Flatten
func.func @others(%x: tensor<?x3xf32>, %y: tensor<2x3x1xf32>) -> (tensor<1x?xf32>, tensor<6x1xf32>) {
  %0 = onnx.Flatten(%x) {axis = 0} : (tensor<?x3xf32>) -> tensor<1x?xf32>
  %1 = onnx.Flatten(%y) {axis = 2} : (tensor<2x3x1xf32>) -> tensor<6x1xf32>
  return %0, %1 : tensor<1x?xf32>, tensor<6x1xf32>
}
