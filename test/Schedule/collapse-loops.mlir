// RUN: onnx-mlir-opt %s -onnxc-collapse-loops -canonicalize | FileCheck %s

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#c = affine_map<(n, c, h, w) -> (c)>
#x = affine_map<(n, o, h, w, c, i, j) -> (n, c, h + i, w + j)>
#k = affine_map<(n, o, h, w, c, i, j) -> (o, c, i, j)>
#y = affine_map<(n, o, h, w, c, i, j) -> (n, o, h, w)>

// CHECK-LABEL: func.func @identity_is_flat
// CHECK: iterator_types = ["parallel"]
func.func @identity_is_flat(%x: tensor<?x3x5x7xf32>, %y: tensor<?x3x5x7xf32>) -> tensor<?x3x5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x3x5x7xf32>) outs(%y : tensor<?x3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<?x3x5x7xf32>
  return %0 : tensor<?x3x5x7xf32>
}

// CHECK-LABEL: func.func @bias_keeps_its_loop
// CHECK: iterator_types = ["parallel", "parallel", "parallel"]
func.func @bias_keeps_its_loop(%x: tensor<2x3x5x7xf32>, %bias: tensor<3xf32>) -> tensor<2x3x5x7xf32> {
  %0 = linalg.generic {indexing_maps = [#c, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<3xf32>) outs(%x : tensor<2x3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x3x5x7xf32>
  return %0 : tensor<2x3x5x7xf32>
}

// A 1x1 convolution is a matrix product over all pixels.
// CHECK-LABEL: func.func @pointwise_convolution
// CHECK: ins(%{{.*}} : tensor<1x8x196xf32>, tensor<4x8x1xf32>) outs(%{{.*}} : tensor<1x4x196xf32>)
func.func @pointwise_convolution(%x: tensor<1x8x14x14xf32>, %k: tensor<4x8x1x1xf32>, %y: tensor<1x4x14x14xf32>) -> tensor<1x4x14x14xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #k, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %k : tensor<1x8x14x14xf32>, tensor<4x8x1x1xf32>) outs(%y : tensor<1x4x14x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x4x14x14xf32>
  return %0 : tensor<1x4x14x14xf32>
}

// The destination is an empty tensor itself, no reshape of one: then it can be
// the memory of the model's result.
// CHECK-LABEL: func @destination
// CHECK: %[[TO:.*]] = tensor.empty() : tensor<64xf32>
// CHECK: linalg.generic {{.*}} outs(%[[TO]] : tensor<64xf32>)
func.func @destination(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = math.sqrt %in : f32
      linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
