// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

// CHECK-LABEL: @equal_shapes
// CHECK-NEXT: onnx.Add(%arg0, %arg0) :
func.func @equal_shapes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.node "Add" domain "" version 6(%x, %x) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @against_the_last
// CHECK-NEXT: onnx.Mul(%arg0, %arg1) :
func.func @against_the_last(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.node "Mul" domain "" version 6(%x, %b) {broadcast = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @along_an_axis
// CHECK-NEXT: %[[AXES:.*]] = onnx.Constant() {value = dense<[1, 2]>
// CHECK-NEXT: %[[B:.*]] = onnx.Unsqueeze(%arg1, %[[AXES]]) : {{.*}} -> tensor<3x1x1xf32>
// CHECK-NEXT: onnx.Add(%arg0, %[[B]])
func.func @along_an_axis(%x: tensor<2x3x4x5xf32>, %b: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = onnx.node "Add" domain "" version 6(%x, %b) {axis = 1 : i64, broadcast = 1 : i64} : (tensor<2x3x4x5xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @along_an_axis_from_the_back
// CHECK: %[[B:.*]] = onnx.Unsqueeze(%arg1, %{{.*}}) : {{.*}} -> tensor<3x1x1xf32>
func.func @along_an_axis_from_the_back(%x: tensor<2x3x4x5xf32>, %b: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = onnx.node "Sub" domain "" version 1(%x, %b) {axis = -3 : i64, broadcast = 1 : i64, consumed_inputs = array<i64: 0>} : (tensor<2x3x4x5xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @one_element
// CHECK-NEXT: onnx.Less(%arg0, %arg1) :
func.func @one_element(%x: tensor<2x3xf32>, %b: tensor<1xf32>) -> tensor<2x3xi1> {
  %0 = onnx.node "Less" domain "" version 1(%x, %b) {axis = 0 : i64, broadcast = 1 : i64} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

// Trailing ones: rank of x - axis - rank of b.
// CHECK-LABEL: @ranks_not_known
// CHECK: %[[RANK:.*]] = onnx.Shape(%{{.*}}) : (tensor<?xi64>) -> tensor<1xi64>
// CHECK: %[[REST:.*]] = onnx.Sub(%[[RANK]], %{{.*}})
// CHECK: %[[COUNT:.*]] = onnx.Sub(%[[REST]], %{{.*}})
// CHECK: %[[ONES:.*]] = onnx.ConstantOfShape(%[[COUNT]]) {value = dense<1> : tensor<1xi64>}
// CHECK: %[[SHAPE:.*]] = onnx.Concat(%{{.*}}, %[[ONES]]) {axis = 0}
// CHECK: %[[B:.*]] = onnx.Reshape(%arg1, %[[SHAPE]])
// CHECK: onnx.Pow(%arg0, %[[B]])
func.func @ranks_not_known(%x: tensor<*xf32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  %0 = onnx.node "Pow" domain "" version 1(%x, %b) {axis = 1 : i64, broadcast = 1 : i64} : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @slope_per_channel
// CHECK: %[[SLOPE:.*]] = onnx.Unsqueeze(%arg1, %{{.*}}) : {{.*}} -> tensor<3x1x1xf32>
// CHECK: onnx.PRelu(%arg0, %[[SLOPE]])
func.func @slope_per_channel(%x: tensor<2x3x4x5xf32>, %s: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = onnx.node "PRelu" domain "" version 6(%x, %s) {} : (tensor<2x3x4x5xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Sizes that are open on either side, or on both, can be the same.
// CHECK-LABEL: @open_sizes
// CHECK-NEXT: onnx.Add(%arg0, %arg1) :
// CHECK-NEXT: onnx.Add(%arg1, %arg0) :
// CHECK-NEXT: onnx.Mul(%arg1, %arg1) :
// CHECK-NEXT: %[[AXES:.*]] = onnx.Constant
// CHECK-NEXT: %[[B:.*]] = onnx.Unsqueeze(%arg2, %[[AXES]]) : {{.*}} -> tensor<?x1xf32>
// CHECK-NEXT: onnx.Sub(%arg0, %[[B]]) :
func.func @open_sizes(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>, %z: tensor<?xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>) {
  %0 = onnx.node "Add" domain "" version 6(%x, %y) {} : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.node "Add" domain "" version 6(%y, %x) {} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = onnx.node "Mul" domain "" version 6(%y, %y) {} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %3 = onnx.node "Sub" domain "" version 6(%x, %z) {axis = 0 : i64, broadcast = 1 : i64} : (tensor<2x3xf32>, tensor<?xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>
}
