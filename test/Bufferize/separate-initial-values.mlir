// RUN: onnx-mlir-opt %s -onnxc-separate-initial-values | FileCheck %s

// One filled tensor for each op that adds to it.
// CHECK-LABEL: func.func @fills_are_not_shared
// CHECK: %[[F0:.*]] = linalg.fill
// CHECK: linalg.dot {{.*}} outs(%[[F0]]
// CHECK: %[[F1:.*]] = linalg.fill
// CHECK: linalg.dot {{.*}} outs(%[[F1]]
func.func @fills_are_not_shared(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.dot ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %1 = linalg.dot ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
