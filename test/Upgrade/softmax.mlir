// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

// CHECK-LABEL: @last_axis
// CHECK-NEXT: onnx.Softmax(%arg0) {axis = -1}
func.func @last_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = onnx.node "Softmax" domain "" version 1(%x) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @dimensions_of_one
// CHECK-NEXT: onnx.LogSoftmax(%arg0) {axis = 1}
func.func @dimensions_of_one(%x: tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32> {
  %0 = onnx.node "LogSoftmax" domain "" version 1(%x) {} : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  return %0 : tensor<2x3x1x1xf32>
}

// CHECK-LABEL: @several_axes
// CHECK-DAG: %[[SHAPE:.*]] = onnx.Shape(%arg0)
// CHECK-DAG: %[[FLAT:.*]] = onnx.Flatten(%arg0) {axis = 2} : (tensor<2x3x4x5xf32>) -> tensor<6x20xf32>
// CHECK: %[[SOFT:.*]] = onnx.Hardmax(%[[FLAT]]) {axis = -1}
// CHECK-NEXT: %[[Y:.*]] = onnx.Reshape(%[[SOFT]], %[[SHAPE]])
// CHECK-NEXT: return %[[Y]]
func.func @several_axes(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = onnx.node "Hardmax" domain "" version 11(%x) {axis = -2 : i64} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @rank_not_known
// CHECK: onnx.Flatten(%arg0) {axis = 1}
// CHECK: onnx.Reshape
func.func @rank_not_known(%x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = onnx.node "Softmax" domain "" version 1(%x) {axis = 1 : i64} : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
