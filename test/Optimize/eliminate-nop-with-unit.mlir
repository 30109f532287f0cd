// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-with-unit=nsz=true | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-with-unit | FileCheck %s --check-prefix=STRICT
// RUN: onnx-mlir-opt %s --onnx-optimize | FileCheck %s --check-prefix=STRICT

// CHECK-LABEL: func @units
// CHECK: return %arg0, %arg0, %arg0, %arg0, %arg0
func.func @units(%x: tensor<3x2xf16>) -> (tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>) {
  %z = onnx.Constant() {value = dense<[0.0, -0.0]> : tensor<2xf16>} : () -> tensor<2xf16>
  %o = onnx.Constant() {value = dense<1.0> : tensor<1x2xf16>} : () -> tensor<1x2xf16>
  %i = onnx.Constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %0 = onnx.Add(%z, %x) : (tensor<2xf16>, tensor<3x2xf16>) -> tensor<3x2xf16>
  %1 = onnx.Sub(%x, %z) : (tensor<3x2xf16>, tensor<2xf16>) -> tensor<3x2xf16>
  %2 = onnx.Mul(%o, %x) : (tensor<1x2xf16>, tensor<3x2xf16>) -> tensor<3x2xf16>
  %3 = onnx.Div(%x, %o) : (tensor<3x2xf16>, tensor<1x2xf16>) -> tensor<3x2xf16>
  %4 = onnx.Pow(%x, %i) : (tensor<3x2xf16>, tensor<i32>) -> tensor<3x2xf16>
  return %0, %1, %2, %3, %4 : tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>
}

// CHECK-LABEL: func @bools
// CHECK: return %arg0, %arg0
func.func @bools(%x: tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi1>) {
  %t = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %f = onnx.Constant() {value = dense<false> : tensor<1xi1>} : () -> tensor<1xi1>
  %0 = onnx.And(%t, %x) : (tensor<i1>, tensor<?xi1>) -> tensor<?xi1>
  %1 = onnx.Or(%x, %f) : (tensor<?xi1>, tensor<1xi1>) -> tensor<?xi1>
  return %0, %1 : tensor<?xi1>, tensor<?xi1>
}

// CHECK-LABEL: func @zero_minus
// CHECK: onnx.Neg(%arg0)
// CHECK: onnx.Sub({{.*}}, %arg1)
func.func @zero_minus(%x: tensor<2xf32>, %u: tensor<2xui8>) -> (tensor<2xf32>, tensor<2xui8>) {
  %z = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = onnx.Constant() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
  %0 = onnx.Sub(%z, %x) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Sub(%i, %u) : (tensor<ui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0, %1 : tensor<2xf32>, tensor<2xui8>
}

// CHECK-LABEL: func @concat
// CHECK: onnx.Concat(%arg1, %arg1)
func.func @concat(%e: tensor<0x2xf32>, %x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = onnx.Concat(%x, %e, %x) {axis = 0} : (tensor<?x2xf32>, tensor<0x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// The unit makes the result larger, is on the wrong side, or rounds.
// CHECK-LABEL: func @near_misses
// CHECK: onnx.Mul
// CHECK: onnx.Mul
// CHECK: onnx.Div
// CHECK: onnx.Pow
func.func @near_misses(%x: tensor<3xf32>, %d: tensor<?xf32>, %i: tensor<3xi64>) -> (tensor<1x3xf32>, tensor<?xf32>, tensor<3xf32>, tensor<3xi64>) {
  %o = onnx.Constant() {value = dense<1.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %t = onnx.Constant() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %s = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.Mul(%x, %o) : (tensor<3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  %1 = onnx.Mul(%d, %t) : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  %2 = onnx.Div(%s, %x) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = onnx.Pow(%i, %s) : (tensor<3xi64>, tensor<f32>) -> tensor<3xi64>
  return %0, %1, %2, %3 : tensor<1x3xf32>, tensor<?xf32>, tensor<3xf32>, tensor<3xi64>
}

// -0 + +0 is +0.
// CHECK-LABEL: func @signed_zeros
// CHECK: return %arg0, %arg0, %arg0
// STRICT-LABEL: func @signed_zeros
// STRICT: %[[A:.*]] = onnx.Add
// STRICT-NOT: onnx.Sub
// STRICT: return %[[A]], %arg0, %arg0
func.func @signed_zeros(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %p = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %n = onnx.Constant() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.Add(%x, %p) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = onnx.Add(%x, %n) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = onnx.Sub(%x, %p) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
