// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @add
//   CHECK-DAG: %[[A:.*]] = onnx.DequantizeLinear(%arg0, %arg1, %arg2)
//   CHECK-DAG: %[[B:.*]] = onnx.DequantizeLinear(%arg0, %arg1, %arg2)
//       CHECK: %[[Y:.*]] = onnx.Add(%[[A]], %[[B]])
//       CHECK: onnx.QuantizeLinear(%[[Y]], %arg1, %arg2)
func.func @add(%x: tensor<2x3xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2x3xui8> {
  %0 = onnx.node "QLinearAdd" domain "com.microsoft" version 1(%x, %s, %z, %x, %s, %z, %s, %z) {} : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// Without a scale for the result, QGemm gives real numbers; the bias is added
// while the sums are integers.
// CHECK-LABEL: @gemm_to_float
//       CHECK: %[[SUM:.*]] = onnx.MatMulInteger(%arg0
//       CHECK: onnx.Add(%[[SUM]], %arg2)
//       CHECK: onnx.Mul
//   CHECK-NOT: onnx.QuantizeLinear
func.func @gemm_to_float(%x: tensor<3x3xi8>, %s: tensor<f32>, %c: tensor<3xi32>, %z: tensor<i8>) -> tensor<3x3xf32> {
  %0 = onnx.node "QGemm" domain "com.microsoft" version 1(%x, %s, %z, %x, %s, %z, %c) {} : (tensor<3x3xi8>, tensor<f32>, tensor<i8>, tensor<3x3xi8>, tensor<f32>, tensor<i8>, tensor<3xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// Two numbers of a byte: the low half is the first. Without zero points these
// are 8.
// CHECK-LABEL: @halves
//   CHECK-DAG: %[[LOW:.*]] = onnx.BitwiseAnd
//   CHECK-DAG: %[[HIGH:.*]] = onnx.BitShift
//       CHECK: onnx.Concat(%[[LOW]], %[[HIGH]])
//       CHECK: %[[W:.*]] = onnx.DequantizeLinear
//       CHECK: %[[T:.*]] = onnx.Transpose(%[[W]])
//       CHECK: onnx.MatMul(%arg0, %[[T]])
func.func @halves(%x: tensor<1x32xf32>, %w: tensor<4x2x8xui8>, %s: tensor<8xf32>) -> tensor<1x4xf32> {
  %0 = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %w, %s) {K = 32 : i64, N = 4 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<1x32xf32>, tensor<4x2x8xui8>, tensor<8xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

func.func @activation(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x1x1xf32> {
  // expected-error @below {{activation 'Sinh' is not one that onnxc knows}}
  %0 = onnx.node "FusedConv" domain "com.microsoft" version 1(%x, %x) {activation = "Sinh"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}
