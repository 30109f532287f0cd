// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade-reversibly)" | FileCheck %s

// Only what has a way back to what it was is brought to the newest form.

module attributes {onnx.opset_imports = {ai.onnx = 9 : i64}} {
// CHECK-LABEL: @upgraded
// CHECK: onnx.Squeeze(
func.func @upgraded(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %0 = onnx.node "Squeeze" domain "" version 1(%x) {axes = array<i64: 0>} : (tensor<1x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Inputs that are left out at the end are not missed.
// CHECK-LABEL: @with_an_absent_input
// CHECK: onnx.Squeeze(
func.func @with_an_absent_input(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %none = onnx.none
  %0 = onnx.node "Squeeze" domain "" version 1(%x, %none) {axes = array<i64: 0>} : (tensor<1x2xf32>, none) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Its own name comes back.
// CHECK-LABEL: @under_another_name
// CHECK: onnx.Resize({{.*}}) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}
func.func @under_another_name(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x2xf32> {
  %s = onnx.Constant() {value = dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = onnx.node "Upsample" domain "" version 9(%x, %s) {mode = "nearest"} : (tensor<1x1x2x2xf32>, tensor<4xf32>) -> tensor<1x1x4x2xf32>
  return %0 : tensor<1x1x4x2xf32>
}

// Several ops would stand for it.
// CHECK-LABEL: @flattened
// CHECK-NEXT: onnx.node "Softmax"
// CHECK-NEXT: return
func.func @flattened(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = onnx.node "Softmax" domain "" version 1(%x) {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A form of another opset would come back as another one.
// CHECK-LABEL: @of_another_opset
// CHECK-NEXT: onnx.node "Cast" domain "" version 1
func.func @of_another_opset(%x: tensor<2xf32>) -> tensor<2xi64> {
  %0 = onnx.node "Cast" domain "" version 1(%x) {to = "INT64"} : (tensor<2xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// It is unknown.
// CHECK-LABEL: @unknown
// CHECK-NEXT: onnx.node "Op" domain "some.where"
func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.node "Op" domain "some.where" version 1(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
