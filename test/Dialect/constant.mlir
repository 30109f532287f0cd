// Every form of onnx.Constant is a constant to MLIR.
// RUN: onnx-mlir-opt %s --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-infer | FileCheck %s --check-prefix=INFER

// One of two equal constants stays.
// CHECK-LABEL: func.func @merged
func.func @merged() -> (tensor<2xi64>, tensor<2xi64>) {
  // CHECK: %[[C:.*]] = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  // CHECK: return %[[C]], %[[C]]
  %0 = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  %1 = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}

// CHECK-LABEL: func.func @forms
func.func @forms() -> (tensor<f32>, tensor<2xf32>, tensor<i64>, tensor<!onnx.string>, tensor<2x!onnx.string>, tensor<4xf32>) {
  // CHECK-DAG: {value_float = 0.5}
  // CHECK-DAG: {value_floats = [0.5, 1.5]}
  // CHECK-DAG: {value_int = 7}
  // CHECK-DAG: {value_string = "a"}
  // CHECK-DAG: {value_strings = ["a", "b"]}
  // CHECK-DAG: {sparse_value = #onnx.sparse_elements<
  %0 = onnx.Constant() {value_float = 0.5} : () -> tensor<f32>
  %1 = onnx.Constant() {value_floats = [0.5, 1.5]} : () -> tensor<2xf32>
  %2 = onnx.Constant() {value_int = 7} : () -> tensor<i64>
  %3 = onnx.Constant() {value_string = "a"} : () -> tensor<!onnx.string>
  %4 = onnx.Constant() {value_strings = ["a", "b"]} : () -> tensor<2x!onnx.string>
  %5 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<1.0> : tensor<1xf32>,
      indices = dense<2> : tensor<1xi64>, type = tensor<4xf32>>} : () -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<2xf32>, tensor<i64>, tensor<!onnx.string>, tensor<2x!onnx.string>, tensor<4xf32>
}

// Shapes are read from any form.
// INFER-LABEL: func.func @shapes
func.func @shapes(%x: tensor<6xf32>) -> !onnx.unknown {
  // INFER: onnx.Reshape({{.*}}) : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %shape = onnx.Constant() {value_ints = [2, 3]} : () -> !onnx.unknown
  %0 = onnx.Reshape(%x, %shape) : (tensor<6xf32>, !onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}
