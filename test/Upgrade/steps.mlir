// RUN: onnx-mlir-opt %s --split-input-file --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

// The steps that every rule is made of.

// CHECK-LABEL: @attribute_dropped
// CHECK-NEXT: onnx.Relu(%arg0) : (tensor<2xf32>)
func.func @attribute_dropped(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.node "Relu" domain "" version 1(%x) {consumed_inputs = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @default_written_out
// CHECK-NEXT: onnx.Concat(%arg0, %arg0) {axis = 1}
func.func @default_written_out(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = onnx.node "Concat" domain "" version 1(%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK-LABEL: @default_is_overruled
// CHECK-NEXT: onnx.Concat(%arg0, %arg0) {axis = 0}
func.func @default_is_overruled(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = onnx.node "Concat" domain "" version 1(%x, %x) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @integers_become_an_input
// CHECK-NEXT: %[[AXES:.*]] = onnx.Constant() {value = dense<0> : tensor<1xi64>}
// CHECK-NEXT: onnx.Unsqueeze(%arg0, %[[AXES]]) :
func.func @integers_become_an_input(%x: tensor<2xf32>) -> tensor<1x2xf32> {
  %0 = onnx.node "Unsqueeze" domain "" version 11(%x) {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// An empty list of a reduction means all axes, as does absence.
// CHECK-LABEL: @empty_list_is_absence
// CHECK-NEXT: onnx.ReduceSum(%arg0) :
func.func @empty_list_is_absence(%x: tensor<2x3xf32>) -> tensor<1x1xf32> {
  %0 = onnx.node "ReduceSum" domain "" version 11(%x) {axes = array<i64>} : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// The shape of a scalar is an empty list, too, but a list.
// CHECK-LABEL: @empty_list_is_a_shape
// CHECK-NEXT: %[[SHAPE:.*]] = onnx.Constant() {value = dense<> : tensor<0xi64>}
// CHECK-NEXT: onnx.Reshape(%arg0, %[[SHAPE]]) : (tensor<1xf32>, tensor<0xi64>) -> tensor<f32>
func.func @empty_list_is_a_shape(%x: tensor<1xf32>) -> tensor<f32> {
  %0 = onnx.node "Reshape" domain "" version 1(%x) {shape = array<i64>} : (tensor<1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// A bound has the type of what it bounds.
// CHECK-LABEL: @number_of_the_input_type
// CHECK-NEXT: %[[MIN:.*]] = onnx.Constant() {value = dense<0.000000e+00> : tensor<f16>}
// CHECK-NEXT: onnx.Clip(%arg0, %[[MIN]]) :
func.func @number_of_the_input_type(%x: tensor<2xf16>) -> tensor<2xf16> {
  %0 = onnx.node "Clip" domain "" version 1(%x) {min = 0.0 : f32} : (tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// Version 6 of Clip had the largest float as default.
// CHECK-LABEL: @default_becomes_an_input
// CHECK-NEXT: %[[MIN:.*]] = onnx.Constant() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK-NEXT: %[[MAX:.*]] = onnx.Constant() {value = dense<3.40282347E+38> : tensor<f32>}
// CHECK-NEXT: onnx.Clip(%arg0, %[[MIN]], %[[MAX]]) :
func.func @default_becomes_an_input(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.node "Clip" domain "" version 6(%x) {min = 0.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @number_of_an_unknown_type
// CHECK: %[[ONE:.*]] = onnx.Constant() {value = dense<1.000000e+00> : tensor<f32>}
// CHECK-NEXT: %[[MAX:.*]] = onnx.CastLike(%[[ONE]], %arg0)
// CHECK-NEXT: onnx.Clip(%arg0, _, %[[MAX]]) :
func.func @number_of_an_unknown_type(%x: !onnx.unknown) -> !onnx.unknown {
  %0 = onnx.node "Clip" domain "" version 1(%x) {max = 1.0 : f32} : (!onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @renamed
// CHECK: %[[PADS:.*]] = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>}
// CHECK: %[[VALUE:.*]] = onnx.Constant() {value = dense<5.000000e-01> : tensor<f32>}
// CHECK: onnx.Pad(%arg0, %[[PADS]], %[[VALUE]]) {mode = "constant"} : {{.*}} -> tensor<3xf32>
func.func @renamed(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = onnx.node "Pad" domain "" version 1(%x) {mode = "constant", paddings = array<i64: 0, 1>, value = 0.5 : f32} : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @slice
// CHECK: onnx.Slice(%arg0, %{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> tensor<1xf32>
func.func @slice(%x: tensor<2xf32>) -> tensor<1xf32> {
  %0 = onnx.node "Slice" domain "" version 1(%x) {axes = array<i64: 0>, ends = array<i64: 2>, starts = array<i64: 1>} : (tensor<2xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Another operator's record may hold the rule.
// CHECK-LABEL: @replaced
// CHECK-NEXT: onnx.ScatterElements(%arg0, %arg1, %arg0) {axis = 0}
func.func @replaced(%x: tensor<2xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %0 = onnx.node "Scatter" domain "" version 9(%x, %i, %x) {axis = 0 : i64} : (tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The shape rules tell the rank that the second Softmax needs.
// CHECK-LABEL: @types_are_inferred_on_the_way
// CHECK: %[[FIRST:.*]] = onnx.Softmax(%arg0) {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: onnx.Softmax(%[[FIRST]]) {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @types_are_inferred_on_the_way(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.node "Softmax" domain "" version 1(%x) {} : (tensor<2x3xf32>) -> !onnx.unknown
  %1 = onnx.node "Softmax" domain "" version 1(%0) {} : (!onnx.unknown) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @absent_inputs
// CHECK-NOT: onnx.none
// CHECK: onnx.Resize(%arg0, _, %{{.*}})
func.func @absent_inputs(%x: tensor<1x1x2x2xf32>, %s: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.none
  %0 = onnx.node "Resize" domain "" version 11(%x, %none, %s) {} : (tensor<1x1x2x2xf32>, none, tensor<4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// Of an output shape its batch and channels go; without one nothing changes.
// CHECK-LABEL: @conv_transpose
// CHECK: onnx.ConvTranspose(%arg0, %arg1) {output_shape = [6]}
// CHECK: onnx.ConvTranspose(%arg0, %arg1) :
func.func @conv_transpose(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) -> (tensor<1x1x6xf32>, tensor<1x1x6xf32>) {
  %0 = onnx.node "ConvTranspose" domain "" version 1(%x, %w) {output_shape = array<i64: 1, 1, 6>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
  %1 = onnx.node "ConvTranspose" domain "" version 1(%x, %w) {} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
  return %0, %1 : tensor<1x1x6xf32>, tensor<1x1x6xf32>
}
