// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// What moves only keeps its byte.
// CHECK-LABEL: @transpose_float8
// CHECK-SAME: tensor<2x3xi8>
// CHECK: linalg.transpose ins(%{{.+}} : tensor<2x3xi8>)
func.func @transpose_float8(%x: tensor<2x3xf8E4M3FN>) -> tensor<3x2xf8E4M3FN> {
  %0 = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (tensor<2x3xf8E4M3FN>) -> tensor<3x2xf8E4M3FN>
  return %0 : tensor<3x2xf8E4M3FN>
}

// -----

// CHECK-LABEL: @complex
// CHECK-SAME: tensor<2x3xi64>, %{{.+}}: tensor<2x3xi128>
func.func @complex(%x: tensor<2x3xcomplex<f32>>, %y: tensor<2x3xcomplex<f64>>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f64>>) {
  return %x, %y : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f64>>
}

// -----

// The low four bits count, by their sign.
// CHECK-LABEL: @int4_to_float
// CHECK: arith.trunci %{{.+}} : i8 to i4
// CHECK: arith.extsi %{{.+}} : i4 to i8
// CHECK: arith.sitofp %{{.+}} : i8 to f32
func.func @int4_to_float(%x: tensor<20xi4>) -> tensor<20xf32> {
  %0 = onnx.Cast(%x) {to = 1} : (tensor<20xi4>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// -----

// Rounded once, in f64: the last bit of a subnormal is that of 2^43.
// CHECK-LABEL: @double_to_float8
// CHECK: arith.constant 0x42A0000000000000 : f64
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci %{{.+}} : i64 to i8
func.func @double_to_float8(%x: tensor<20xf64>) -> tensor<20xf8E4M3FN> {
  %0 = onnx.Cast(%x) {to = 17} : (tensor<20xf64>) -> tensor<20xf8E4M3FN>
  return %0 : tensor<20xf8E4M3FN>
}

// -----

// CHECK-LABEL: @constant_int4
// CHECK: arith.constant dense<[1, 15]> : tensor<2xi8>
func.func @constant_int4() -> tensor<2xi4> {
  %0 = onnx.Constant() {value = dense<[1, -1]> : tensor<2xi4>} : () -> tensor<2xi4>
  return %0 : tensor<2xi4>
}

// -----

// What keeps its type keeps its bits, of a NaN, too: only the size is checked.
// CHECK-LABEL: @same_float8
// CHECK-NOT: arith.select
// CHECK: return %{{.+}} : tensor<3xi8>
func.func @same_float8(%x: tensor<?xf8E5M2>) -> tensor<3xf8E5M2> {
  %0 = onnx.Cast(%x) {to = 19} : (tensor<?xf8E5M2>) -> tensor<3xf8E5M2>
  return %0 : tensor<3xf8E5M2>
}
