// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(onnx-set-opset{opsets=18,ai.onnx.ml=3})" | FileCheck %s

// The IR version is the one that came with the opset.
// CHECK: module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 18 : i64, ai.onnx.ml = 3 : i64, my = 1 : i64}}
module attributes {onnx.ir_version = 3 : i64, onnx.opset_imports = {ai.onnx = 7 : i64, ai.onnx.ml = 1 : i64, my = 1 : i64}} {
// CHECK: @has_another_version
// CHECK-SAME: opset_imports = {ai.onnx = 18 : i64}
// CHECK-NOT: verbatim
func.func private @has_another_version(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "F", opset_imports = {ai.onnx = 7 : i64}}, onnx.verbatim} {
  %0 = onnx.Add(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}

// -----

// A function whose operators are the same at both opsets stays as it came.
module attributes {onnx.opset_imports = {ai.onnx = 17 : i64, ai.onnx.ml = 3 : i64}} {
// CHECK: @same_versions
// CHECK-SAME: opset_imports = {ai.onnx = 17 : i64}
// CHECK-SAME: onnx.verbatim
func.func private @same_versions(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.function = {name = "F", opset_imports = {ai.onnx = 17 : i64}}, onnx.verbatim} {
  %0 = onnx.Add(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}

// -----

// expected-error@below {{the model does not import domain 'ai.onnx.ml', whose opset is to be changed}}
module attributes {onnx.opset_imports = {ai.onnx = 17 : i64}} {
}

// -----

// Older, but for what the model has besides operators.
// CHECK: module attributes {onnx.ir_version = 8 : i64
module attributes {onnx.ir_version = 13 : i64, onnx.opset_imports = {ai.onnx = 25 : i64, ai.onnx.ml = 3 : i64}} {
}

// -----

// What is of the same version at both opsets is marked; a Constant may be no node.
module attributes {onnx.opset_imports = {ai.onnx = 14 : i64, ai.onnx.ml = 3 : i64}} {
// CHECK-LABEL: @of_same_version
// CHECK: onnx.Constant() {value
// CHECK-NEXT: onnx.Add(%arg0, %{{.*}}) {onnx.same_version}
// CHECK-NEXT: onnx.LeakyRelu(%{{.*}}) :
func.func @of_same_version(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = onnx.Constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = onnx.Add(%x, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.LeakyRelu(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
}
