// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

!c = tensor<3xf32>

// CHECK-LABEL: @inference
// CHECK-NEXT: %[[Y:.*]] = onnx.BatchNormalization(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 1.0e-05} :
// CHECK-SAME: -> tensor<2x3x4xf32>
func.func @inference(%x: tensor<2x3x4xf32>, %c: !c) -> tensor<2x3x4xf32> {
  %0 = onnx.node "BatchNormalization" domain "" version 7(%x, %c, %c, %c, %c) {epsilon = 1.0e-5 : f32, spatial = 1 : i64} : (tensor<2x3x4xf32>, !c, !c, !c, !c) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @is_test
// CHECK-NEXT: onnx.BatchNormalization(%arg0, %arg1, %arg1, %arg1, %arg1) :
func.func @is_test(%x: tensor<2x3x4xf32>, %c: !c) -> tensor<2x3x4xf32> {
  %0:3 = onnx.node "BatchNormalization" domain "" version 1(%x, %c, %c, %c, %c) {consumed_inputs = array<i64: 0>, is_test = 1 : i64} : (tensor<2x3x4xf32>, !c, !c, !c, !c) -> (tensor<2x3x4xf32>, !c, !c)
  return %0#0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @training
// CHECK-NEXT: %{{.*}}, %[[MEAN:.*]], %[[VAR:.*]] = onnx.BatchNormalization({{.*}}) {training_mode = 1}
// CHECK-NEXT: return %[[MEAN]], %[[VAR]]
func.func @training(%x: tensor<2x3x4xf32>, %c: !c) -> (!c, !c) {
  %0:3 = onnx.node "BatchNormalization" domain "" version 9(%x, %c, %c, %c, %c) {} : (tensor<2x3x4xf32>, !c, !c, !c, !c) -> (tensor<2x3x4xf32>, !c, !c)
  return %0#1, %0#2 : !c, !c
}

// CHECK-LABEL: @saved_statistics
// CHECK: %[[AXES:.*]] = onnx.Constant() {value = dense<[0, 2]> : tensor<2xi64>}
// CHECK-NEXT: %[[MEAN:.*]] = onnx.ReduceMean(%arg0, %[[AXES]]) : {{.*}} -> tensor<1x3x1xf32>
// CHECK-NEXT: %[[SAVED:.*]] = onnx.Squeeze(%[[MEAN]], %[[AXES]]) : {{.*}} -> tensor<3xf32>
// CHECK-NEXT: %[[DIFF:.*]] = onnx.Sub(%arg0, %[[MEAN]])
// CHECK-NEXT: %[[SQUARE:.*]] = onnx.Mul(%[[DIFF]], %[[DIFF]])
// CHECK-NEXT: %[[VAR:.*]] = onnx.ReduceMean(%[[SQUARE]], %[[AXES]]) {keepdims = 0} : {{.*}} -> tensor<3xf32>
// CHECK-NEXT: return %[[SAVED]], %[[VAR]]
func.func @saved_statistics(%x: tensor<2x3x4xf32>, %c: !c) -> (!c, !c) {
  %0:5 = onnx.node "BatchNormalization" domain "" version 9(%x, %c, %c, %c, %c) {} : (tensor<2x3x4xf32>, !c, !c, !c, !c) -> (tensor<2x3x4xf32>, !c, !c, !c, !c)
  return %0#3, %0#4 : !c, !c
}

// CHECK-LABEL: @per_activation
// CHECK-DAG: %[[SHAPE:.*]] = onnx.Shape(%arg0)
// CHECK-DAG: %[[FLAT:.*]] = onnx.Flatten(%arg0) {axis = 1} : {{.*}} -> tensor<2x12xf32>
// CHECK: %[[Y:.*]] = onnx.BatchNormalization(%[[FLAT]],
// CHECK: onnx.Reshape(%[[Y]], %[[SHAPE]]) : {{.*}} -> tensor<2x3x4xf32>
func.func @per_activation(%x: tensor<2x3x4xf32>, %c: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = onnx.node "BatchNormalization" domain "" version 7(%x, %c, %c, %c, %c) {spatial = 0 : i64} : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @group_parameters_per_channel
// CHECK: %[[TARGET:.*]] = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>}
// CHECK: %[[COLUMN:.*]] = onnx.Reshape(%arg1, %{{.*}}) : {{.*}} -> tensor<2x1xf16>
// CHECK: onnx.Expand(%[[COLUMN]], %[[TARGET]]) : {{.*}} -> tensor<2x2xf16>
// CHECK: onnx.GroupNormalization({{.*}}) {num_groups = 2, stash_type = 10} : {{.*}} -> tensor<1x4x5xf16>
func.func @group_parameters_per_channel(%x: tensor<1x4x5xf16>, %c: tensor<2xf16>) -> tensor<1x4x5xf16> {
  %0 = onnx.node "GroupNormalization" domain "" version 18(%x, %c, %c) {num_groups = 2 : i64} : (tensor<1x4x5xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<1x4x5xf16>
  return %0 : tensor<1x4x5xf16>
}

// CHECK-LABEL: @mask_of_the_input_type
// CHECK: %[[Y:.*]], %[[MASK:.*]] = onnx.Dropout(%arg0, %{{.*}}) : {{.*}} -> (tensor<2xf16>, tensor<2xi1>)
// CHECK-NEXT: %[[CAST:.*]] = onnx.Cast(%[[MASK]]) {to = 10} : (tensor<2xi1>) -> tensor<2xf16>
// CHECK-NEXT: return %[[Y]], %[[CAST]]
func.func @mask_of_the_input_type(%x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %0:2 = onnx.node "Dropout" domain "" version 7(%x) {ratio = 0.5 : f32} : (tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>)
  return %0#0, %0#1 : tensor<2xf16>, tensor<2xf16>
}

// Three groups, and as many channels as a run brings: each parameter stands for
// its share of them.
// CHECK-LABEL: @group_parameters_of_open_channels
// CHECK: %[[C:.*]] = onnx.Shape(%arg0) {end = 2, start = 1}
// CHECK: %[[ONE:.*]] = onnx.Constant() {value = dense<1> : tensor<1xi64>}
// CHECK: %[[THREE:.*]] = onnx.Constant() {value = dense<3> : tensor<1xi64>}
// CHECK: %[[SHARE:.*]] = onnx.Div(%[[C]], %[[THREE]])
// CHECK: %[[TARGET:.*]] = onnx.Concat(%[[ONE]], %[[SHARE]]) {axis = 0}
// CHECK: onnx.Expand(%{{.*}}, %[[TARGET]])
// CHECK: onnx.GroupNormalization({{.*}}) {num_groups = 3}
func.func @group_parameters_of_open_channels(%x: tensor<1x?x5xf32>, %c: tensor<3xf32>) -> tensor<1x?x5xf32> {
  %0 = onnx.node "GroupNormalization" domain "" version 18(%x, %c, %c) {num_groups = 3 : i64} : (tensor<1x?x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x?x5xf32>
  return %0 : tensor<1x?x5xf32>
}
