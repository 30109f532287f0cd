// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-separate-defaults)" -split-input-file | FileCheck %s

// Without overrides the defaults are constants; with them they are the last
// arguments, whose rank is that of the default where none is declared.
// CHECK: func.func @main_graph(%[[X:.*]]: tensor<2xf32> {onnx.name = "x"}) -> tensor<?xf32> attributes {onnx.entry}
// CHECK-DAG: %[[W:.*]] = onnx.Constant() {value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32>
// CHECK-DAG: %[[V:.*]] = onnx.Constant() {value = dense<2.000000e+00> : tensor<1xf32>} : () -> tensor<1xf32>
// CHECK: %[[A:.*]] = onnx.Add(%[[W]], %[[X]])
// CHECK: onnx.Mul(%[[A]], %[[V]])
// CHECK: func.func @main_graph_overridden(%[[X:.*]]: tensor<2xf32> {onnx.name = "x"}, %[[W:.*]]: tensor<2xf32> {onnx.default = dense<1.000000e+00> : tensor<2xf32>, onnx.name = "w"}, %[[V:.*]]: tensor<?xf32> {onnx.default = dense<2.000000e+00> : tensor<1xf32>, onnx.name = "v"}) -> tensor<?xf32> attributes {onnx.entry, onnx.overridden}
// CHECK-NEXT: %[[A:.*]] = onnx.Add(%[[W]], %[[X]])
// CHECK-NEXT: onnx.Mul(%[[A]], %[[V]])
func.func @main_graph(%w: tensor<2xf32> {onnx.default = dense<1.0> : tensor<2xf32>, onnx.name = "w"}, %x: tensor<2xf32> {onnx.name = "x"}, %v: tensor<*xf32> {onnx.default = dense<2.0> : tensor<1xf32>, onnx.name = "v"}) -> tensor<?xf32> attributes {onnx.entry} {
  %0 = onnx.Add(%w, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Mul(%0, %v) : (tensor<2xf32>, tensor<*xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: @nothing_to_override
// CHECK-NOT: func.func
func.func @nothing_to_override(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.entry} {
  return %x : tensor<2xf32>
}
