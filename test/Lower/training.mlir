// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// The rate is computed once, in f64; the tensors of each variable go together.
// CHECK-LABEL: @adagrad_two
// CHECK: arith.divf {{.*}} : f64
// CHECK: linalg.generic {{.*}} ins(%arg2, %arg4, %arg6 :
// CHECK: linalg.generic {{.*}} ins(%arg3, %arg5, %arg7 :
func.func @adagrad_two(%r: tensor<f32>, %t: tensor<i64>, %x: tensor<2xf32>, %y: tensor<3xf32>, %gx: tensor<2xf32>, %gy: tensor<3xf32>, %hx: tensor<2xf32>, %hy: tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) {
  %0:4 = onnx.preview.training.Adagrad(%r, %t, %x, %y, %gx, %gy, %hx, %hy) : (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>
}
