// RUN: onnx-mlir-opt %s -onnxc-unfold-convolutions | FileCheck %s

#x = affine_map<(n, o, h, w, c, i, j) -> (n, c, h * 2 + i, w * 2 + j)>
#k = affine_map<(n, o, h, w, c, i, j) -> (o, c, i, j)>
#y = affine_map<(n, o, h, w, c, i, j) -> (n, o, h, w)>
#dx = affine_map<(n, c, h, w, i, j) -> (n, c, h + i, w + j)>
#dk = affine_map<(n, c, h, w, i, j) -> (c, i, j)>
#dy = affine_map<(n, c, h, w, i, j) -> (n, c, h, w)>

// The windows of 7x7 pixels: 72 values for each.
// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4 * 2 + d2, d5 * 2 + d3)>
// CHECK-DAG: #[[OF:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d5, d6, d2, d3)>
// CHECK-LABEL: func.func @small_map
// CHECK: %[[U:.*]] = linalg.generic {indexing_maps = [#[[FROM]],
// CHECK-SAME: outs(%{{.*}} : tensor<1x8x3x3x7x7xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[OF]],
// CHECK-SAME: ins(%[[U]],
func.func @small_map(%x: tensor<1x8x15x15xf32>, %k: tensor<16x8x3x3xf32>, %y: tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #k, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %k : tensor<1x8x15x15xf32>, tensor<16x8x3x3xf32>) outs(%y : tensor<1x16x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x16x7x7xf32>
  return %0 : tensor<1x16x7x7xf32>
}

// Each element would be used once: nothing is gained.
// CHECK-LABEL: func.func @depthwise
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @depthwise(%x: tensor<1x64x9x9xf32>, %k: tensor<64x3x3xf32>, %y: tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32> {
  %0 = linalg.generic {indexing_maps = [#dx, #dk, #dy],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %k : tensor<1x64x9x9xf32>, tensor<64x3x3xf32>) outs(%y : tensor<1x64x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x64x7x7xf32>
  return %0 : tensor<1x64x7x7xf32>
}

// Without a batch, in the order of the window: the first loop slides.
// CHECK-LABEL: func.func @rows_first
// CHECK: %[[U:.*]] = linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<15x8xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[U]],
func.func @rows_first(%x: tensor<15x8xf32>, %k: tensor<16x8x3xf32>, %y: tensor<7x16xf32>) -> tensor<7x16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(h, o, c, i) -> (h * 2 + i, c)>, affine_map<(h, o, c, i) -> (o, c, i)>, affine_map<(h, o, c, i) -> (h, o)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %k : tensor<15x8xf32>, tensor<16x8x3xf32>) outs(%y : tensor<7x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<7x16xf32>
  return %0 : tensor<7x16xf32>
}
