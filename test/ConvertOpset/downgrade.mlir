// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(onnx-downgrade)" | FileCheck %s

// Steps backwards, on ops that rewrites made.

module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
// CHECK-LABEL: @constant_becomes_the_attribute
// CHECK-NEXT: onnx.node "Unsqueeze" domain "" version 11(%arg0) {axes = array<i64: 0, 2>}
// CHECK-NEXT: return
func.func @constant_becomes_the_attribute(%x: tensor<2xf32>) -> tensor<1x2x1xf32> {
  %axes = onnx.Constant() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = onnx.Unsqueeze(%x, %axes) : (tensor<2xf32>, tensor<2xi64>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}

// CHECK-LABEL: @absent_stays_absent
// CHECK-NEXT: onnx.node "Squeeze" domain "" version 11(%arg0) {}
func.func @absent_stays_absent(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %0 = onnx.Squeeze(%x) : (tensor<1x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The constant is used by another op, too.
// CHECK-LABEL: @shared_constant
// CHECK: onnx.Constant()
// CHECK: onnx.node "ReduceSum" domain "" version 11(%arg0) {axes = array<i64: 0>, keepdims = 0 : i64}
func.func @shared_constant(%x: tensor<2xf32>) -> (tensor<f32>, tensor<1xi64>) {
  %axes = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.ReduceSum(%x, %axes) {keepdims = 0} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
  return %0, %axes : tensor<f32>, tensor<1xi64>
}

// CHECK-LABEL: @same_form
// CHECK-NEXT: onnx.Relu(%arg0)
func.func @same_form(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @split_equally
// CHECK-NEXT: onnx.node "Split" domain "" version 11(%arg0) {axis = 0 : i64}
func.func @split_equally(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = onnx.Split(%x) {axis = 0, num_outputs = 2} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @softmax_over_the_last
// CHECK-NEXT: onnx.node "Softmax" domain "" version 11(%arg0) {axis = 2 : i64}
func.func @softmax_over_the_last(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = onnx.Softmax(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 6 : i64}} {
// What is absent is no bound, which is not what the attribute's default says.
// CHECK-LABEL: @no_bound
// CHECK-NEXT: onnx.node "Clip" domain "" version 6(%arg0) {max = 0x7F800000 : f32, min = 0.000000e+00 : f32}
func.func @no_bound(%x: tensor<2xf32>) -> tensor<2xf32> {
  %min = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.Clip(%x, %min) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @broadcast_is_said
// CHECK-NEXT: onnx.node "Add" domain "" version 6(%arg0, %arg1) {broadcast = 1 : i64}
func.func @broadcast_is_said(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @equal_shapes
// CHECK-NEXT: onnx.node "Add" domain "" version 6(%arg0, %arg0) {}
func.func @equal_shapes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.Add(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @inference
// CHECK-NEXT: onnx.node "BatchNormalization" domain "" version 6({{.*}}) {is_test = 1 : i64}
func.func @inference(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.BatchNormalization(%x, %s, %s, %s, %s) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
}

// -----

// A function has opsets of its own.
module attributes {onnx.opset_imports = {ai.onnx = 17 : i64}} {
// CHECK-LABEL: @newer
// CHECK: onnx.Unsqueeze
func.func @newer(%x: tensor<2xf32>) -> tensor<1x2xf32> {
  %axes = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %axes) : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
// CHECK-LABEL: @older
// CHECK: onnx.node "Unsqueeze"
func.func private @older(%x: tensor<2xf32>) -> tensor<1x2xf32> attributes {onnx.function = {name = "F", domain = "d", opset_imports = {ai.onnx = 12 : i64}}} {
  %axes = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Unsqueeze(%x, %axes) : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
func.func @softmax_over_another(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // expected-error @below {{has no form at opset 11, where Softmax is of version 11: all dimensions from the axis on are meant there}}
  %0 = onnx.Softmax(%x) {axis = 1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @no_constant(%x: tensor<2xf32>, %axes: tensor<1xi64>) -> tensor<1x2xf32> {
  // expected-error @below {{has no form at opset 11, where Unsqueeze is of version 11: its input 'axes' is an attribute at the target opset, but is not a constant}}
  %0 = onnx.Unsqueeze(%x, %axes) : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 6 : i64}} {
func.func @first_operand(%x: tensor<3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{has no form at opset 6, where Mul is of version 6: the second input has more dimensions than the first}}
  %0 = onnx.Mul(%x, %y) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
}

// -----

// What a rewrite makes has the types of the newest version.
module attributes {onnx.opset_imports = {ai.onnx = 12 : i64}} {
func.func @type_of_a_newer_version(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  // expected-error @below {{has no form at opset 12: input 0 (A) is of type tensor(bfloat16), which version 7 does not take}}
  %0 = onnx.Mul(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 12 : i64}} {
func.func @type_of_a_newer_version_with_a_rule(%x: tensor<2x3xbf16>) -> tensor<2x1xbf16> {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{has no form at opset 12, where ReduceSum is of version 11: input 0 (data) is of type tensor(bfloat16), which version 11 does not take}}
  %0 = onnx.ReduceSum(%x, %axes) : (tensor<2x3xbf16>, tensor<1xi64>) -> tensor<2x1xbf16>
  return %0 : tensor<2x1xbf16>
}
}

// -----

// Each of the two statistics is a matter of training, also alone.
module attributes {onnx.opset_imports = {ai.onnx = 9 : i64}} {
func.func @statistics(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // expected-error @below {{has no form at opset 9, where BatchNormalization is of version 9: training has other outputs there}}
  %y, %v = onnx.BatchNormalization(%x, %s, %s, %s, %s) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, _, tensor<3xf32>)
  // expected-error @below {{has no form at opset 9, where BatchNormalization is of version 9: training has other outputs there}}
  %z, %m = onnx.BatchNormalization(%x, %s, %s, %s, %s) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, _)
  return %v, %m : tensor<3xf32>, tensor<3xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 3 : i64}} {
// Absent in the model, the axis was 1; a rewrite has made it another one.
// CHECK-LABEL: @default_of_the_version
// CHECK-NEXT: onnx.node "Concat" domain "" version 1(%arg0, %arg0) {}
// CHECK-NEXT: onnx.node "Concat" domain "" version 1(%{{.*}}, %{{.*}}) {axis = 0 : i64}
func.func @default_of_the_version(%x: tensor<2x3xf32>) -> tensor<4x6xf32> {
  %0 = onnx.Concat(%x, %x) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32> loc(fused<#onnx.source<name = "a", op = "Concat", outputs = ["a"]>>["f":1:0])
  %1 = onnx.Concat(%0, %0) {axis = 0} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32> loc(fused<#onnx.source<name = "b", op = "Concat", outputs = ["b"]>>["f":1:0])
  return %1 : tensor<4x6xf32>
}

// An empty list, which stands in the model, stays there.
// CHECK-LABEL: @stated_empty
// CHECK-NEXT: onnx.node "Squeeze" domain "" version 1(%arg0) {axes = array<i64>}
func.func @stated_empty(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %0 = onnx.Squeeze(%x) : (tensor<1x2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "s", op = "Squeeze", outputs = ["s"], attributes = ["axes"]>>["f":1:0])
  return %0 : tensor<2xf32>
}
}
