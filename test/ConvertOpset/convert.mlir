// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(onnx-convert-nodes,onnx-infer-shapes{lenient=true},onnx-downgrade{convert=true})" | FileCheck %s

// The module imports the opset that its nodes are to be brought to.

module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
// Only the steps before the version in force are taken.
// CHECK-LABEL: @forwards
// CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00]>
// CHECK: %[[N:.*]] = onnx.Constant() {value = dense<> : tensor<0xf32>}
// CHECK: onnx.node "Resize" domain "" version 11(%arg0, %[[N]], %[[S]]) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}
func.func @forwards(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %scales = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = onnx.node "Resize" domain "" version 10(%x, %scales) {mode = "nearest"} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK-LABEL: @in_force
// CHECK-NEXT: onnx.node "Softmax" domain "" version 11(%arg0) {axis = 0 : i64}
func.func @in_force(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.node "Softmax" domain "" version 11(%x) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// An operator that another one has replaced becomes that.
// CHECK-LABEL: @replaced
// CHECK: onnx.ScatterElements(%arg0, %arg1, %arg0)
func.func @replaced(%x: tensor<2xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %0 = onnx.node "Scatter" domain "" version 9(%x, %i, %x) {} : (tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// An attribute that came later is left out if it says nothing.
// CHECK-LABEL: @says_nothing
// CHECK-NEXT: onnx.Cast(%arg0) {to = 7}
func.func @says_nothing(%x: tensor<2xf32>) -> tensor<2xi64> {
  %0 = onnx.Cast(%x) {to = 7, saturate = 1} : (tensor<2xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @not_equal_known
// CHECK-NEXT: onnx.node "Split" domain "" version 11(%arg0) {axis = 0 : i64}
func.func @not_equal_known(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = onnx.node "Split" domain "" version 13(%x) {axis = 0 : i64} : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 11 : i64}} {
func.func @refused(%x: tensor<2x3xf32>, %n: tensor<i64>, %s: tensor<2xi16>) {
  // expected-error@below {{has no form at opset 11: the operator exists from opset 20 on}}
  %0 = onnx.Gelu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error@below {{has no form at opset 11, where Add is of version 7: input 0 (A) is of type tensor(int16), which version 7 does not take}}
  %1 = onnx.Add(%s, %s) : (tensor<2xi16>, tensor<2xi16>) -> tensor<2xi16>
  // expected-error@below {{has no form at opset 11, where Softmax is of version 11: all dimensions from the axis on are meant there}}
  %2 = onnx.Softmax(%x) {axis = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error@below {{has no form at opset 11, where Shape is of version 1: attribute 'start' is unknown to version 1, which has none}}
  %3 = onnx.Shape(%x) {start = 1} : (tensor<2x3xf32>) -> tensor<1xi64>
  // expected-error@below {{has no form at opset 11, where Unsqueeze is of version 11: its input 'axes' is an attribute at the target opset}}
  %4 = onnx.Unsqueeze(%x, %n) : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
  return
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 6 : i64}} {
// Axes were counted from the front.
// CHECK-LABEL: @from_the_front
// CHECK-NEXT: onnx.Concat(%arg0, %arg0) {axis = 1}
func.func @from_the_front(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = onnx.Concat(%x, %x) {axis = -1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 6 : i64}} {
func.func @limits(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error@below {{has no form at opset 6, where Max is of version 6: its inputs must be of one known shape there}}
  %0 = onnx.Max(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 28 : i64}} {
// The absent input goes with the node.
// CHECK-LABEL: @scan
// CHECK: onnx.Scan(%arg0) body {
// CHECK: onnx.Scan
func.func @scan(%x: tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  %none = onnx.none
  %0 = onnx.node "Scan" domain "" version 8(%none, %x) {num_scan_inputs = 1 : i64} graphs ["body"] {
  ^bb0(%a: tensor<2xf32>):
    %neg = onnx.Neg(%a) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %neg : tensor<2xf32>
  } : (none, tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  return %0 : tensor<1x3x2xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 9 : i64}} {
// One rule takes both versions, but the form is another.
// CHECK-LABEL: @another_form_of_one_rule
// CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00]>
// CHECK: onnx.node "Upsample" domain "" version 9(%arg0, %[[S]]) {mode = "nearest"}
func.func @another_form_of_one_rule(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = onnx.node "Upsample" domain "" version 7(%x) {mode = "nearest", scales = array<f32: 1.0, 2.0>} : (tensor<2x3xf32>) -> tensor<2x6xf32> loc(fused<#onnx.source<name = "u", op = "Upsample", outputs = ["y"]>>["f":1:0])
  return %0 : tensor<2x6xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 6 : i64}} {
// What was of this version has its limits, known or not.
// CHECK-LABEL: @same_version
// CHECK-NEXT: onnx.Max(%arg0, %arg1) : (tensor<?xf32>, tensor<?xf32>)
func.func @same_version(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = onnx.Max(%x, %y) {onnx.same_version} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The older version had the same limits.
// CHECK-LABEL: @had_limits
// CHECK-NEXT: onnx.Max(%arg0, %arg1) : (tensor<?xf32>, tensor<?xf32>)
func.func @had_limits(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = onnx.node "Max" domain "" version 1(%x, %y) {consumed_inputs = array<i64: 0, 0>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The type of what an older node gives is known, though that stays.
// CHECK-LABEL: @behind_an_older_node
// CHECK-NEXT: %[[S:.*]] = onnx.node "Slice" domain "" version 1(%arg0) {{.*}} -> tensor<2x2xf32>
// CHECK-NEXT: onnx.node "Clip" domain "" version 6(%[[S]]) {max = 1.000000e+00 : f32, min = 0.000000e+00 : f32}
// CHECK-NOT: onnx.Slice
func.func @behind_an_older_node(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = onnx.node "Slice" domain "" version 1(%x) {axes = array<i64: 1>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<2x3xf32>) -> !onnx.unknown
  %1 = onnx.node "Clip" domain "" version 1(%0) {max = 1.0 : f32, min = 0.0 : f32} : (!onnx.unknown) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
}

// -----

module attributes {onnx.opset_imports = {ai.onnx = 13 : i64}} {
// The opset that the model had decides which forms are possible, not the one to
// which it is brought.
// CHECK-LABEL: @other_form
// CHECK: %[[P:.*]] = onnx.Constant() {{.*}}dense<[0, 0, 1, 1]>
// CHECK: onnx.Pad(%arg0, %[[P]]
func.func @other_form(%x: tensor<2x3xf32>) -> tensor<3x4xf32> {
  %0 = onnx.node "Pad" domain "" version 1(%x) {pads = array<i64: 0, 0, 1, 1>} : (tensor<2x3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
}
