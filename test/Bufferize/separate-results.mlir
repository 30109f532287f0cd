// RUN: onnx-mlir-opt %s -pass-pipeline='builtin.module(func.func(onnxc-separate-results))' | FileCheck %s

// Two products of one fill: each gets an empty tensor and a fill of its own.
// CHECK-LABEL: func @shared_fill
// CHECK:         %[[F0:.*]] = linalg.fill
// CHECK:         %[[F1:.*]] = linalg.fill
// CHECK:         linalg.matmul {{.*}} outs(%[[F0]]
// CHECK:         linalg.matmul {{.*}} outs(%[[F1]]
func.func @shared_fill(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %v: tensor<4x3xf32>, %a: memref<2x3xf32>, %b: memref<2x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%fill : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = linalg.matmul ins(%x, %v : tensor<2x4xf32>, tensor<4x3xf32>) outs(%fill : tensor<2x3xf32>) -> tensor<2x3xf32>
  bufferization.materialize_in_destination %0 in restrict writable %a : (tensor<2x3xf32>, memref<2x3xf32>) -> ()
  bufferization.materialize_in_destination %1 in restrict writable %b : (tensor<2x3xf32>, memref<2x3xf32>) -> ()
  return
}

// A result that another result accumulates onto is copied, not computed twice.
// CHECK-LABEL: func @accumulated
// CHECK:         %[[R:.*]] = linalg.matmul
// CHECK:         %[[C:.*]] = linalg.copy ins(%[[R]]
// CHECK:         linalg.matmul {{.*}} outs(%[[C]]
func.func @accumulated(%x: tensor<2x2xf32>, %i: tensor<2x2xf32>, %a: memref<2x2xf32>, %b: memref<2x2xf32>) {
  %0 = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%i : tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
  bufferization.materialize_in_destination %0 in restrict writable %a : (tensor<2x2xf32>, memref<2x2xf32>) -> ()
  bufferization.materialize_in_destination %1 in restrict writable %b : (tensor<2x2xf32>, memref<2x2xf32>) -> ()
  return
}
