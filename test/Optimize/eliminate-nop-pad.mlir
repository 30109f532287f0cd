// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-pad | FileCheck %s

// CHECK-LABEL: func @by_nothing
// CHECK: return %arg0, %arg1
func.func @by_nothing(%x: tensor<?xf32>, %y: tensor<i8>) -> (tensor<?xf32>, tensor<i8>) {
  %p = onnx.Constant() {value_ints = [0, 0]} : () -> tensor<2xi64>
  %e = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %0 = onnx.Pad(%x, %p, _, _) {mode = "reflect"} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?xf32>
  %1 = onnx.Pad(%y, %e, _, _) : (tensor<i8>, tensor<0xi64>) -> tensor<i8>
  return %0, %1 : tensor<?xf32>, tensor<i8>
}

// CHECK-LABEL: func @moves
// CHECK-COUNT-2: onnx.Pad
func.func @moves(%x: tensor<3xf32>, %p: tensor<2xi64>) -> (tensor<3xf32>, tensor<?xf32>) {
  %c = onnx.Constant() {value_ints = [-1, 1]} : () -> tensor<2xi64>
  %0 = onnx.Pad(%x, %c, _, _) : (tensor<3xf32>, tensor<2xi64>) -> tensor<3xf32>
  %1 = onnx.Pad(%x, %p, _, _) : (tensor<3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return %0, %1 : tensor<3xf32>, tensor<?xf32>
}
