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

// Keys and values of before are two operands of ONNX's operator.
// CHECK-LABEL: @cache
//       CHECK: onnx.Attention(%{{.*}}, %{{.*}}, %{{.*}}, _, %arg3, %arg4){{.*}}is_causal = 1
func.func @cache(%q: tensor<2x?x16xf32>, %k: tensor<2x?x16xf32>, %v: tensor<2x?x16xf32>, %pk: tensor<2x2x?x8xf32>, %pv: tensor<2x2x?x8xf32>) -> tensor<2x?x16xf32> {
  %n = onnx.none
  %0, %1, %2 = onnx.node "MultiHeadAttention" domain "com.microsoft" version 1(%q, %k, %v, %n, %n, %n, %pk, %pv) {num_heads = 2 : i64, unidirectional = 1 : i64} : (tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>, none, none, none, tensor<2x2x?x8xf32>, tensor<2x2x?x8xf32>) -> (tensor<2x?x16xf32>, tensor<2x2x?x8xf32>, tensor<2x2x?x8xf32>)
  return %0 : tensor<2x?x16xf32>
}

// The same operator in ONNX's domain, as ONNX Runtime writes it.
// CHECK-LABEL: @borrowed
//       CHECK: onnx.RMSNormalization(%arg0, %arg1)
func.func @borrowed(%x: tensor<2x8xf32>, %s: tensor<8xf32>) -> tensor<2x8xf32> {
  %0 = onnx.node "SimplifiedLayerNormalization" domain "" version 17(%x, %s) {axis = -1 : i64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @activation(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x1x1xf32> {
  // expected-error @below {{attribute 'activation' is 'Sinh' with 0 parameters, which onnxc does not know}}
  %0 = onnx.node "FusedConv" domain "com.microsoft" version 1(%x, %x) {activation = "Sinh"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

// -----

func.func @missing_input(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{input 2 ('gamma') is missing}}
  %0 = onnx.node "SkipLayerNormalization" domain "com.microsoft" version 1(%x, %x) {} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @unknown_attribute(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{attribute 'beta' is not known; expected alpha}}
  %0 = onnx.node "QuickGelu" domain "com.microsoft" version 1(%x) {beta = 1.0 : f32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @attribute_type(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{attribute 'alpha' is of type STRING; expected FLOAT}}
  %0 = onnx.node "QuickGelu" domain "com.microsoft" version 1(%x) {alpha = "1"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @bits(%x: tensor<1x32xf32>, %w: tensor<4x2x8xui8>, %s: tensor<8xf32>) -> tensor<1x4xf32> {
  // expected-error @below {{attribute 'bits' is 5; expected 2, 4 or 8}}
  %0 = onnx.node "MatMulNBits" domain "com.microsoft" version 1(%x, %w, %s) {K = 32 : i64, N = 4 : i64, bits = 5 : i64, block_size = 16 : i64} : (tensor<1x32xf32>, tensor<4x2x8xui8>, tensor<8xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

// expected-error @below {{2 operators are not supported by this version of onnxc:}}
module {
  func.func @refused(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    // expected-note @below {{MurmurHash3 of domain 'com.microsoft' version 1: 1 node: a hash of text; split and hash it outside of the model}}
    %0 = onnx.node "MurmurHash3" domain "com.microsoft" version 1(%x) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    // expected-note @below {{ORT_ENABLE_EXTENDED}}
    %1 = onnx.node "Conv" domain "com.microsoft.nchwc" version 1(%0) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
