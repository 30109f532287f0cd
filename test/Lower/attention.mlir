// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// Query heads of one group are the rows of one matrix.
// CHECK-LABEL: @grouped_heads
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<2x8x16xf32>, tensor<2x16x6xf32>)
// NaN is no greatest element, and what is far below the greatest is dropped.
// CHECK: arith.maxnumf
// CHECK: %[[E:.*]] = math.exp
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[E]]
// CHECK: linalg.batch_matmul ins({{.*}} : tensor<2x8x6xf32>, tensor<2x6x16xf32>)
func.func @grouped_heads(%q: tensor<1x4x4x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = onnx.Attention(%q, %k, %v) : (tensor<1x4x4x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}
