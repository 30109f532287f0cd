// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" -split-input-file -verify-diagnostics | FileCheck %s

// Numbers: experimental-results.test.

// CHECK-LABEL: @crop_to_size
//   CHECK-DAG: %[[STARTS:.*]] = onnx.Constant() {value = dense<[2, 1]>
//   CHECK-DAG: %[[ENDS:.*]] = onnx.Constant() {value = dense<5>
//   CHECK-DAG: %[[AXES:.*]] = onnx.Constant() {value = dense<[2, 3]>
//       CHECK: onnx.Slice(%arg0, %[[STARTS]], %[[ENDS]], %[[AXES]])
func.func @crop_to_size(%x: tensor<1x1x9x9xf32>) -> tensor<*xf32> {
  %0 = onnx.node "Crop" domain "" version 8(%x) {border = array<i64: 1, 2, 3, 4>, scale = array<i64: 3, 4>} : (tensor<1x1x9x9xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// It had the version 10 later, which is not meant here.
// CHECK-LABEL: @thresholded_relu
//       CHECK: onnx.ThresholdedRelu(%arg0) {alpha = 2.0}
func.func @thresholded_relu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = onnx.node "ThresholdedRelu" domain "" version 6(%x) {alpha = 2.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @crop_border(%x: tensor<1x1x9x9xf32>) -> tensor<*xf32> {
  // expected-error @below {{attribute 'border' must have the elements left, top, right, bottom}}
  %0 = onnx.node "Crop" domain "" version 8(%x) {border = array<i64: 1>} : (tensor<1x1x9x9xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @fill_without_shape() -> tensor<*xf32> {
  // expected-error @below {{input 0 is missing}}
  %0 = onnx.node "ConstantFill" domain "" version 8() {value = 1.0 : f32} : () -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
