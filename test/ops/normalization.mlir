// The shape law of normalizations.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @batch
// CHECK-SAME: -> (tensor<?x3x4xf32>, tensor<3xf32>, tensor<7xf32>)
func.func @batch(%x: tensor<?x3x4xf32>, %p: tensor<3xf32>, %v: tensor<7xf32>, %q: tensor<1xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0, %m, %s = onnx.BatchNormalization(%x, %p, %p, %p, %p) {training_mode = 1}
      : (tensor<?x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  // A vector is of one channel.
  %1, %n, %t = onnx.BatchNormalization(%v, %q, %q, %q, %q) {training_mode = 1}
      : (tensor<7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %0, %m, %1 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @layer
// CHECK-SAME: -> (tensor<2x?x8xf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
func.func @layer(%x: tensor<2x?x8xf16>, %s: tensor<8xf16>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0, %1, %2 = onnx.LayerNormalization(%x, %s, _) {axis = -2} : (tensor<2x?x8xf16>, tensor<8xf16>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @dropout
// CHECK-SAME: -> (tensor<?x2xf32>, tensor<?x2xi1>)
func.func @dropout(%x: tensor<?x2xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0, %1 = onnx.Dropout(%x, _, _) : (tensor<?x2xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @batch_channels(%x: tensor<1x3x4xf32>, %p: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @below {{batchnormalization_parameters: one element per channel: dimensions 4 and 3 must be equal}}
  %0 = onnx.BatchNormalization(%x, %p, %p, %p, %p) : (tensor<1x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @layer_scale(%x: tensor<2x8xf32>, %s: tensor<7xf32>) -> !onnx.unknown {
  // expected-error @below {{layernormalization_parameters: dimensions 7 and 8 must be equal}}
  %0 = onnx.LayerNormalization(%x, %s, _) : (tensor<2x8xf32>, tensor<7xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @groups(%x: tensor<2x8x2xf32>, %s: tensor<8xf32>) -> !onnx.unknown {
  // expected-error @below {{groupnormalization_num_groups: must divide the number of channels}}
  %0 = onnx.GroupNormalization(%x, %s, %s) {num_groups = 3} : (tensor<2x8x2xf32>, tensor<8xf32>, tensor<8xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
