// RUN: onnx-mlir-opt %s --onnx-rewrite-where | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-rewrite-where=upstream-compatible=true | FileCheck %s --check-prefix=UPSTREAM

// Onnx-optimizer erases the Not.
// UPSTREAM-LABEL: func @inverted
// UPSTREAM-NOT: onnx.Not
// UPSTREAM: onnx.Where(%arg0, %arg2, %arg1)

// CHECK-LABEL: func @inverted
// CHECK: onnx.Where(%arg0, %arg2, %arg1)
func.func @inverted(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %n = onnx.Not(%c) : (tensor<2xi1>) -> tensor<2xi1>
  %0 = onnx.Where(%n, %x, %y) : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @not_inverted
// CHECK: onnx.Where(%arg0, %arg1, %arg2)
func.func @not_inverted(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %0 = onnx.Where(%c, %x, %y) : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
