// RUN: onnx-mlir-opt %s --onnx-extract-constant-to-initializer | FileCheck %s

// CHECK-LABEL: func @graph
// CHECK: onnx.Constant() {onnx.initializer, value = dense<[1, 2]> : tensor<2xi64>}
func.func @graph() -> tensor<2xi64> {
  %0 = onnx.Constant() {value_ints = [1, 2]} : () -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// Functions have no initializers.
// CHECK-LABEL: func private @function
// CHECK-NOT: onnx.initializer
func.func private @function() -> tensor<2xi64> attributes {onnx.function = {name = "f"}} {
  %0 = onnx.Constant() {value_ints = [1, 2]} : () -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
