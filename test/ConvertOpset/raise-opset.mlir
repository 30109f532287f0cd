// RUN: onnx-mlir-opt %s --split-input-file --pass-pipeline="builtin.module(onnx-downgrade{raise-opset=true})" | FileCheck %s

// The least opset that has everything; nodes of an older form get the one in force there.
// CHECK: module attributes {onnx.ir_version = 9 : i64, onnx.opset_imports = {ai.onnx = 20 : i64, my = 1 : i64}}
module attributes {onnx.ir_version = 6 : i64, onnx.opset_imports = {ai.onnx = 11 : i64, my = 1 : i64}} {
// CHECK-LABEL: @raised
// CHECK: onnx.Squeeze(%arg0, %{{.*}})
// CHECK: onnx.Gelu
// CHECK: onnx.node "Op" domain "my"
func.func @raised(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %0 = onnx.node "Squeeze" domain "" version 11(%x) {axes = array<i64: 0>} : (tensor<1x2xf32>) -> tensor<2xf32>
  %1 = onnx.Gelu(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.node "Op" domain "my" version 1(%1) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
}

// -----

// Everything has a form: nothing is raised.
// CHECK: module attributes {onnx.ir_version = 6 : i64, onnx.opset_imports = {ai.onnx = 11 : i64}}
module attributes {onnx.ir_version = 6 : i64, onnx.opset_imports = {ai.onnx = 11 : i64}} {
// CHECK-LABEL: @enough
// CHECK: onnx.node "Squeeze"
func.func @enough(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %a = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Squeeze(%x, %a) : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
