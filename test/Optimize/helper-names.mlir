// RUN: onnx-mlir-opt %s --onnx-slices-to-split --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// What a rewrite adds is called by the first output with a name, or else by the
// node, or else by the operator.
// CHECK-LABEL: func @by_output
// CHECK: onnx.Constant() {value = dense<[1, 2]>{{.*}}loc(fused<#onnx.source<name = "b_split", op = "Initializer", outputs = ["b_split"]>>
// CHECK-LABEL: func @by_node
// CHECK: onnx.Constant() {value = dense<[1, 2]>{{.*}}loc(fused<#onnx.source<name = "n_split", op = "Initializer", outputs = ["n_split"]>>
// CHECK-LABEL: func @by_operator
// CHECK: onnx.Constant() {value = dense<[1, 2]>{{.*}}loc(fused<#onnx.source<name = "Slice_split", op = "Initializer", outputs = ["Slice_split"]>>
func.func @by_output(%x: tensor<3xf32>) -> (tensor<1xf32>, tensor<2xf32>) {
  %0 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = onnx.Slice(%x, %0, %1, _, _) : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32> loc(fused<#onnx.source<name = "n", op = "Slice", outputs = ["", "b"]>>["m":1:0])
  %b = onnx.Slice(%x, %1, %3, _, _) : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32> loc(fused<#onnx.source<name = "o", op = "Slice", outputs = ["c"]>>["m":2:0])
  return %a, %b : tensor<1xf32>, tensor<2xf32>
}
func.func @by_node(%x: tensor<3xf32>) -> (tensor<1xf32>, tensor<2xf32>) {
  %0 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = onnx.Slice(%x, %0, %1, _, _) : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32> loc(fused<#onnx.source<name = "n", op = "Slice", outputs = [""]>>["m":1:0])
  %b = onnx.Slice(%x, %1, %3, _, _) : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32> loc(fused<#onnx.source<name = "o", op = "Slice", outputs = ["c"]>>["m":2:0])
  return %a, %b : tensor<1xf32>, tensor<2xf32>
}
func.func @by_operator(%x: tensor<3xf32>) -> (tensor<1xf32>, tensor<2xf32>) {
  %0 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = onnx.Slice(%x, %0, %1, _, _) : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32> loc(fused<#onnx.source<name = "", op = "Slice">>["m":1:0])
  %b = onnx.Slice(%x, %1, %3, _, _) : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32> loc("m":2:0)
  return %a, %b : tensor<1xf32>, tensor<2xf32>
}
