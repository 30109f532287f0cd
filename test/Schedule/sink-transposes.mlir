// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-sink-transposes))' | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Between the two, the sum is computed as both operands lie in memory.
// CHECK-LABEL: @elementwise
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x6x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @elementwise(%x: tensor<1x6x4xf32>, %y: tensor<1x6x4xf32>) -> tensor<1x6x4xf32> {
  %e = tensor.empty() : tensor<1x4x6xf32>
  %e1 = tensor.empty() : tensor<1x6x4xf32>
  %a = linalg.transpose ins(%x : tensor<1x6x4xf32>) outs(%e : tensor<1x4x6xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %b = linalg.transpose ins(%y : tensor<1x6x4xf32>) outs(%e : tensor<1x4x6xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<1x4x6xf32>, tensor<1x4x6xf32>) outs(%e : tensor<1x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<1x4x6xf32>
  %t = linalg.transpose ins(%s : tensor<1x4x6xf32>) outs(%e1 : tensor<1x6x4xf32>) permutation = [0, 2, 1]
  return %t : tensor<1x6x4xf32>
}

// CHECK-LABEL: @pad
// CHECK: tensor.pad %arg0 low[0, 2, 0] high[0, 3, 0]
// CHECK: linalg.transpose
func.func @pad(%x: tensor<1x6x4xf32>) -> tensor<1x4x11xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x4x6xf32>
  %a = linalg.transpose ins(%x : tensor<1x6x4xf32>) outs(%e : tensor<1x4x6xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %p = tensor.pad %a low[0, 0, 2] high[0, 0, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %c : f32
  } : tensor<1x4x6xf32> to tensor<1x4x11xf32>
  return %p : tensor<1x4x11xf32>
}

// Of two that are laid out differently, the result is laid out as the first.
// CHECK-LABEL: @first_leads
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: linalg.transpose ins(%[[SUM]] : {{.*}} permutation = [0, 2, 1]
func.func @first_leads(%x: tensor<4x4x4xf32>, %y: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %e = tensor.empty() : tensor<4x4x4xf32>
  %a = linalg.transpose ins(%x : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %b = linalg.transpose ins(%y : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) permutation = [2, 0, 1] {onnxc.sinks}
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4xf32>
  return %s : tensor<4x4x4xf32>
}

// An input of fewer dimensions is read in place; the result is laid out as before.
// CHECK-LABEL: @not_leading
// CHECK-NOT: linalg.transpose
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[ID:.*]], #{{.*}}, #[[ID]]], {{.*}} ins(%arg0, %arg1 : tensor<2x4x6xf32>, tensor<6x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return %[[R]]
func.func @not_leading(%x: tensor<2x4x6xf32>, %y: tensor<6x4xf32>) -> tensor<2x4x6xf32> {
  %e2 = tensor.empty() : tensor<4x6xf32>
  %e = tensor.empty() : tensor<2x4x6xf32>
  %b = linalg.transpose ins(%y : tensor<6x4xf32>) outs(%e2 : tensor<4x6xf32>) permutation = [1, 0] {onnxc.sinks}
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1, d2) -> (d1, d2)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<2x4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<2x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6xf32>
  return %s : tensor<2x4x6xf32>
}

// Sums of windows: the loops are those of the result in its new order, and the window's behind them.
// CHECK-LABEL: @window
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : tensor<1x6x4xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %{{.*}} : tensor<1x8x4xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<1x6x4xf32>)
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
func.func @window(%x: tensor<1x8x4xf32>) -> tensor<1x4x6xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x8xf32>
  %e1 = tensor.empty() : tensor<1x4x6xf32>
  %a = linalg.transpose ins(%x : tensor<1x8x4xf32>) outs(%e : tensor<1x4x8xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %f = linalg.fill ins(%c : f32) outs(%e1 : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %w = tensor.empty() : tensor<3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(k, n, c, w) -> (n, c, w + k)>, affine_map<(k, n, c, w) -> (k)>, affine_map<(k, n, c, w) -> (n, c, w)>],
      iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
      ins(%a, %w : tensor<1x4x8xf32>, tensor<3xf32>) outs(%f : tensor<1x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x4x6xf32>
  return %s : tensor<1x4x6xf32>
}

// What the sums start from is not laid out anew.
// CHECK-LABEL: @starts
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4x6xf32>) outs(%arg1 : tensor<6x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @starts(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %a = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0] {onnxc.sinks}
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<6x4xf32>) outs(%y : tensor<6x4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<6x4xf32>
  return %s : tensor<6x4xf32>
}

// Two in a row are one, which goes on below the exponential.
// CHECK-LABEL: @joined
// CHECK-NOT: linalg.transpose
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4x5x6xf32>)
// CHECK: linalg.transpose ins(%[[EXP]] : {{.*}} permutation = [2, 1, 0]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @joined(%x: tensor<4x5x6xf32>) -> tensor<6x5x4xf32> {
  %e = tensor.empty() : tensor<6x4x5xf32>
  %e1 = tensor.empty() : tensor<6x5x4xf32>
  %a = linalg.transpose ins(%x : tensor<4x5x6xf32>) outs(%e : tensor<6x4x5xf32>) permutation = [2, 0, 1] {onnxc.sinks}
  %b = linalg.transpose ins(%a : tensor<6x4x5xf32>) outs(%e1 : tensor<6x5x4xf32>) permutation = [0, 2, 1]
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<6x5x4xf32>) outs(%e1 : tensor<6x5x4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<6x5x4xf32>
  return %s : tensor<6x5x4xf32>
}

// One that is not around a kernel stays.
// CHECK-LABEL: @stays
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0
// CHECK: linalg.generic {{.*}} ins(%[[T]] :
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @stays(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %a = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<6x4xf32>
  return %s : tensor<6x4xf32>
}
