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

// A vector of constants and one number for all of them.
// CHECK-LABEL: @vector
// CHECK: arith.constant dense<[4, 7, 10]> : tensor<3xi32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @vector() -> tensor<3xi32> {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %three = arith.constant dense<[3]> : tensor<1xi32>
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %three : tensor<3xi32>, tensor<1xi32>) outs(%e : tensor<3xi32>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %m = arith.muli %p, %q : i32
    %s = arith.addi %m, %one : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// A number for all columns, and a vector of one for each row: only the first is known for each column. The
// extra that is no longer read is gone; the one that changes with the rows is not.
// CHECK-LABEL: @rows_and_columns
// CHECK: %[[F:.*]] = arith.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK: extras(%[[ROWS:.*]], %[[F]] : tensor<2x1xf32>, tensor<2xf32>)
// CHECK-SAME: epilogue_maps = [#[[BYROW:.*]], #{{.*}}]
// CHECK: ^bb0(%[[SUM:.*]]: i32, %[[ROW:.*]]: f32, %[[COLUMN:.*]]: f32)
// CHECK-NOT: arith.divf
// CHECK: arith.mulf %[[ROW]], %[[COLUMN]]
func.func @rows_and_columns(%x: tensor<2x4xi8>, %w: tensor<1x1x16x4xi8>, %out: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %rows = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %s = arith.constant dense<[2.0]> : tensor<1xf32>
  %four = arith.constant 4.0 : f32
  %r = kernel.integer_dot ins(%x, %w : tensor<2x4xi8>, tensor<1x1x16x4xi8>) extras(%rows, %s : tensor<2x1xf32>, tensor<1xf32>)
      outs(%out : tensor<2x2xf32>) {strides = array<i64>, dilations = array<i64>,
      epilogue_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (0)>]} epilogue {
  ^bb0(%sum: i32, %row: f32, %scale: f32):
    %f = arith.divf %scale, %four : f32
    %g = arith.mulf %row, %f : f32
    %y = arith.sitofp %sum : i32 to f32
    %z = arith.mulf %y, %g : f32
    kernel.yield %z : f32
  } -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// How many columns there are is not known: nothing is computed for each.
// CHECK-LABEL: @open
// CHECK: kernel.matmul
// CHECK: arith.divf
func.func @open(%x: tensor<4x8xf32>, %w: tensor<8x?xf32>, %out: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %s = arith.constant dense<[2.0]> : tensor<1xf32>
  %four = arith.constant 4.0 : f32
  %r = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x?xf32>) extras(%s : tensor<1xf32>) outs(%out : tensor<4x?xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [affine_map<(d0, d1) -> (0)>]} epilogue {
  ^bb0(%sum: f32, %scale: f32):
    %f = arith.divf %scale, %four : f32
    %z = arith.mulf %sum, %f : f32
    kernel.yield %z : f32
  } -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}
