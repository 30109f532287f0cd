// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// Divided, rounded to even, moved, saturated.
// CHECK-LABEL: @quantize
// CHECK-DAG: arith.constant 0.000000e+00 : f32
// CHECK-DAG: arith.constant 2.550000e+02 : f32
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK: arith.uitofp
// CHECK-COUNT-2: arith.select
// CHECK: arith.fptosi {{.*}} : f32 to i32
func.func @quantize(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2x3xui8> {
  %0 = onnx.QuantizeLinear(%x, %s, %z) : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// -----

// A zero point per column.
// CHECK-LABEL: @matmul_integer
// CHECK: arith.extui {{.*}} : i8 to i32
// CHECK: arith.extsi {{.*}} : i8 to i32
// CHECK: linalg.matmul ins({{.*}} : tensor<2x3xi32>, tensor<3x4xi32>)
func.func @matmul_integer(%x: tensor<2x3xui8>, %y: tensor<3x4xi8>, %xz: tensor<ui8>, %yz: tensor<4xi8>) -> tensor<2x4xi32> {
  %0 = onnx.MatMulInteger(%x, %y, %xz, %yz) : (tensor<2x3xui8>, tensor<3x4xi8>, tensor<ui8>, tensor<4xi8>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}
