// RUN: onnx-mlir-opt %s --onnxc-flush-subnormals | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#packed = affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>
#result = affine_map<(m, n, k) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>

// The least normal number stays, as do infinities; signs are kept. Where all
// numbers are that small, they are what the sums are made of.
// CHECK-LABEL: @weights
// CHECK-DAG: %[[W:.*]] = arith.constant dense_resource<[[NAME:flushed.*]]> : tensor<1x2x4xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<1.401300e-45> : tensor<4xf32>
// CHECK: kernel.matmul ins(%{{.*}}, %[[W]] : {{.*}}) extras(%[[B]] :
func.func @weights(%x: tensor<8x2xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %w = arith.constant dense<[[[1.0, 0x00400000, 0x807FFFFF, 0x00800000], [0x7F800000, 0x80000000, 0x00000001, -2.0]]]> : tensor<1x2x4xf32>
  %b = arith.constant dense<0x00000001> : tensor<4xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<8x2xf32>, tensor<1x2x4xf32>) extras(%b : tensor<4xf32>) outs(%o : tensor<8x4xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = [#columns]} epilogue {
    ^bb0(%sum: f32, %bias: f32):
      %y = arith.addf %sum, %bias : f32
      kernel.yield %y : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Numbers are that small below 2^24 times the least normal one, which is
// 0x0C800000.
// CHECK-LABEL: @small
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<1x2x4xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense_resource<[[BOUND:flushed.*]]> : tensor<4xf32>
// CHECK: kernel.matmul ins(%{{.*}}, %[[W]] : {{.*}}) extras(%[[B]] :
func.func @small(%x: tensor<8x2xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %w = arith.constant dense<[[[0x0C7FFFFF, 0x00400000, 0.0, 0x8C7FFFFF], [0.0, 0.0, 0x00000001, 0.0]]]> : tensor<1x2x4xf32>
  %b = arith.constant dense<[0x8C800000, 0x00000001, 0.0, 0.0]> : tensor<4xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<8x2xf32>, tensor<1x2x4xf32>) extras(%b : tensor<4xf32>) outs(%o : tensor<8x4xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = [#columns]} epilogue {
    ^bb0(%sum: f32, %bias: f32):
      %y = arith.addf %sum, %bias : f32
      kernel.yield %y : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// What is no operand of a kernel is a number like others.
// CHECK-LABEL: @others
// CHECK: arith.constant dense<1.401300e-45> : tensor<4xf32>
func.func @others() -> tensor<4xf32> {
  %c = arith.constant dense<0x00000001> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK: [[NAME]]: "0x400000000000803F00000000000000800000800{{0*}}0000807F0000008000000000000000C0"
// CHECK: [[BOUND]]: "0x400000000000808C{{0*}}"
