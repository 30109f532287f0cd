// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-transpose | FileCheck %s

// CHECK-LABEL: func @unmoved
// CHECK-NEXT: return %arg0, %arg1, %arg2
func.func @unmoved(%x: tensor<*xf32>, %v: tensor<?xf32>, %o: tensor<1x?x1xf32>) -> (tensor<*xf32>, tensor<?xf32>, tensor<1x?x1xf32>) {
  %0 = onnx.Transpose(%x) {perm = [0, 1]} : (tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Transpose(%v) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = onnx.Transpose(%o) {perm = [2, 1, 0]} : (tensor<1x?x1xf32>) -> tensor<1x?x1xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<?xf32>, tensor<1x?x1xf32>
}

// CHECK-LABEL: func @moved
// CHECK-COUNT-2: onnx.Transpose
func.func @moved(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = onnx.Transpose(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = onnx.Transpose(%x) {perm = [1, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}
