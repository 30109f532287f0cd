// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-fold-columns))' | FileCheck %s

#column = affine_map<(d0, d1) -> (d1)>

// The quotient of constants is one vector, and the only extra.
// CHECK-LABEL: @scales
// CHECK: %[[F:.*]] = arith.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK: extras(%[[F]] : tensor<2xf32>)
// CHECK-NOT: arith.divf
// CHECK: arith.mulf
func.func @scales(%x: tensor<3x4xi8>, %w: tensor<1x1x16x4xi8>, %out: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %four = arith.constant 4.0 : f32
  %r = kernel.integer_dot ins(%x, %w : tensor<3x4xi8>, tensor<1x1x16x4xi8>) extras(%s : tensor<2xf32>)
      outs(%out : tensor<3x2xf32>) {strides = array<i64>, dilations = array<i64>, epilogue_maps = [#column]} epilogue {
  ^bb0(%sum: i32, %scale: f32):
    %f = arith.divf %scale, %four : f32
    %y = arith.sitofp %sum : i32 to f32
    %z = arith.mulf %y, %f : f32
    kernel.yield %z : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
