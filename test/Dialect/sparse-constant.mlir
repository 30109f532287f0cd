// RUN: onnx-mlir-opt %s -sccp | FileCheck %s

// Passes of MLIR fold a constant to its value and make that again: a sparse one
// stays, since a new Constant would have no value.
// CHECK-LABEL: func.func @sparse
// CHECK: %[[C:.*]] = onnx.Constant() {sparse_value =
// CHECK: onnx.Relu(%[[C]])
func.func @sparse() -> tensor<4xf32> {
  %0 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<[1.0, 2.0]> : tensor<2xf32>,
      indices = dense<[1, 3]> : tensor<2xi64>, type = tensor<4xf32>>} : () -> tensor<4xf32>
  %1 = onnx.Relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
