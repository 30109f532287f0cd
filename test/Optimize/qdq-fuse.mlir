// RUN: onnx-mlir-opt %s --onnx-qdq-fuse | FileCheck %s

// CHECK-LABEL: func @as_before
func.func @as_before(%x: tensor<?xui8>) -> tensor<?xui8> {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<?xui8>, tensor<f32>, tensor<ui8>) -> tensor<?xf32>
  %q = onnx.QuantizeLinear(%d, %s, %z) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  // CHECK: return %arg0
  return %q : tensor<?xui8>
}

// Another zero point, type, subnormal or infinite products, a scale that is not
// known, and the other order, which rounds.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<?xui8>, %y: tensor<?xi8>, %t: tensor<f32>, %f: tensor<?xf32>)
    -> (tensor<?xui8>, tensor<?xui8>, tensor<?xi8>, tensor<?xi8>, tensor<?xi8>, tensor<?xf32>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<4> : tensor<ui8>} : () -> tensor<ui8>
  %tiny = onnx.Constant() {value = dense<1.0e-44> : tensor<f32>} : () -> tensor<f32>
  %huge = onnx.Constant() {value = dense<3.0e38> : tensor<f32>} : () -> tensor<f32>
  // CHECK-COUNT-6: onnx.QuantizeLinear
  // CHECK: onnx.DequantizeLinear
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<?xui8>, tensor<f32>, tensor<ui8>) -> tensor<?xf32>
  %b = onnx.QuantizeLinear(%a, %s, %w) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  %c = onnx.DequantizeLinear(%y, %s, _) : (tensor<?xi8>, tensor<f32>) -> tensor<?xf32>
  %d = onnx.QuantizeLinear(%c, %s, _) : (tensor<?xf32>, tensor<f32>) -> tensor<?xui8>
  %e = onnx.DequantizeLinear(%y, %tiny, _) : (tensor<?xi8>, tensor<f32>) -> tensor<?xf32>
  %g = onnx.QuantizeLinear(%e, %tiny, _) {output_dtype = 3} : (tensor<?xf32>, tensor<f32>) -> tensor<?xi8>
  %h = onnx.DequantizeLinear(%y, %huge, _) : (tensor<?xi8>, tensor<f32>) -> tensor<?xf32>
  %i = onnx.QuantizeLinear(%h, %huge, _) {output_dtype = 3} : (tensor<?xf32>, tensor<f32>) -> tensor<?xi8>
  %j = onnx.DequantizeLinear(%y, %t, _) : (tensor<?xi8>, tensor<f32>) -> tensor<?xf32>
  %k = onnx.QuantizeLinear(%j, %t, _) {output_dtype = 3} : (tensor<?xf32>, tensor<f32>) -> tensor<?xi8>
  %l = onnx.QuantizeLinear(%f, %s, %z) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  %m = onnx.DequantizeLinear(%l, %s, %z) : (tensor<?xui8>, tensor<f32>, tensor<ui8>) -> tensor<?xf32>
  return %b, %d, %g, %i, %k, %m : tensor<?xui8>, tensor<?xui8>, tensor<?xi8>, tensor<?xi8>, tensor<?xi8>, tensor<?xf32>
}

// CHECK-LABEL: func @clipped
func.func @clipped(%x: tensor<?xf32>) -> (tensor<?xui8>, tensor<?xui8>, tensor<?xui8>, tensor<?xui8>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<1> : tensor<ui8>} : () -> tensor<ui8>
  %six = onnx.Constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %more = onnx.Constant() {value = dense<25.5> : tensor<f32>} : () -> tensor<f32>
  %none = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  // CHECK: onnx.QuantizeLinear(%arg0
  %a = onnx.Relu(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %b = onnx.QuantizeLinear(%a, %s, %z) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  // CHECK: %[[R:.*]] = onnx.Relu(%arg0)
  // CHECK: onnx.QuantizeLinear(%[[R]]
  %c = onnx.Relu(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %d = onnx.QuantizeLinear(%c, %s, %w) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  // CHECK: onnx.QuantizeLinear(%arg0
  %e = onnx.Clip(%x, %none, %more) : (tensor<?xf32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %f = onnx.QuantizeLinear(%e, %s, %z) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  // CHECK: %[[C:.*]] = onnx.Clip(%arg0
  // CHECK: onnx.QuantizeLinear(%[[C]]
  %g = onnx.Clip(%x, %none, %six) : (tensor<?xf32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %h = onnx.QuantizeLinear(%g, %s, %z) : (tensor<?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?xui8>
  return %b, %d, %f, %h : tensor<?xui8>, tensor<?xui8>, tensor<?xui8>, tensor<?xui8>
}

// CHECK-LABEL: func @greatest
func.func @greatest(%x: tensor<3x?xi8>) -> tensor<1x?xi64> {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  // CHECK: onnx.ArgMax(%arg0)
  %d = onnx.DequantizeLinear(%x, %s, _) : (tensor<3x?xi8>, tensor<f32>) -> tensor<3x?xf32>
  %a = onnx.ArgMax(%d) : (tensor<3x?xf32>) -> tensor<1x?xi64>
  return %a : tensor<1x?xi64>
}

// float32 has room for all of 16 bits, a half for none of them.
// CHECK-LABEL: func @of_16_bits
func.func @of_16_bits(%x: tensor<?xi16>) -> (tensor<?xi16>, tensor<?xi16>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %h = onnx.Constant() {value = dense<0.1> : tensor<f16>} : () -> tensor<f16>
  %z = onnx.Constant() {value = dense<3> : tensor<i16>} : () -> tensor<i16>
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<?xi16>, tensor<f32>, tensor<i16>) -> tensor<?xf32>
  %q = onnx.QuantizeLinear(%d, %s, %z) : (tensor<?xf32>, tensor<f32>, tensor<i16>) -> tensor<?xi16>
  // CHECK: %[[Q:.*]] = onnx.QuantizeLinear
  // CHECK-NOT: onnx.QuantizeLinear
  // CHECK: return %arg0, %[[Q]]
  %e = onnx.DequantizeLinear(%x, %h, %z) : (tensor<?xi16>, tensor<f16>, tensor<i16>) -> tensor<?xf16>
  %r = onnx.QuantizeLinear(%e, %h, %z) : (tensor<?xf16>, tensor<f16>, tensor<i16>) -> tensor<?xi16>
  return %q, %r : tensor<?xi16>, tensor<?xi16>
}
