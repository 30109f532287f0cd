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

// What is transposed alike and inserted side by side is inserted as it lies; a
// part that is not is transposed, and stays so.
// CHECK-LABEL: @insertions
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x6x12xi8>
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %[[E]][0, 0, 0] [1, 6, 4] [1, 1, 1]
// CHECK: %[[Z:.*]] = linalg.transpose ins(%arg2 : tensor<1x4x6xi8>)
// CHECK: %[[B:.*]] = tensor.insert_slice %[[Z]] into %[[A]][0, 0, 4] [1, 6, 4] [1, 1, 1]
// CHECK: %[[C:.*]] = tensor.insert_slice %arg1 into %[[B]][0, 0, 8] [1, 6, 4] [1, 1, 1]
// CHECK-NOT: linalg.transpose
// CHECK: return %[[C]]
func.func @insertions(%x: tensor<1x6x4xi8>, %y: tensor<1x6x4xi8>, %z: tensor<1x4x6xi8>) -> tensor<1x6x12xi8> {
  %e = tensor.empty() : tensor<1x4x6xi8>
  %a = linalg.transpose ins(%x : tensor<1x6x4xi8>) outs(%e : tensor<1x4x6xi8>) permutation = [0, 2, 1] {onnxc.sinks}
  %b = linalg.transpose ins(%y : tensor<1x6x4xi8>) outs(%e : tensor<1x4x6xi8>) permutation = [0, 2, 1] {onnxc.sinks}
  %all = tensor.empty() : tensor<1x12x6xi8>
  %0 = tensor.insert_slice %a into %all[0, 0, 0] [1, 4, 6] [1, 1, 1] : tensor<1x4x6xi8> into tensor<1x12x6xi8>
  %1 = tensor.insert_slice %z into %0[0, 4, 0] [1, 4, 6] [1, 1, 1] : tensor<1x4x6xi8> into tensor<1x12x6xi8>
  %2 = tensor.insert_slice %b into %1[0, 8, 0] [1, 4, 6] [1, 1, 1] : tensor<1x4x6xi8> into tensor<1x12x6xi8>
  %to = tensor.empty() : tensor<1x6x12xi8>
  %t = linalg.transpose ins(%2 : tensor<1x12x6xi8>) outs(%to : tensor<1x6x12xi8>) permutation = [0, 2, 1]
  return %t : tensor<1x6x12xi8>
}

// Not into a tensor that holds something, nor where most lies otherwise.
// CHECK-LABEL: @insertions_stay
// CHECK-COUNT-2: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @insertions_stay(%x: tensor<6x4xi8>, %z: tensor<4x6xi8>, %full: tensor<12x6xi8>) -> (tensor<12x6xi8>, tensor<12x6xi8>) {
  %e = tensor.empty() : tensor<4x6xi8>
  %a = linalg.transpose ins(%x : tensor<6x4xi8>) outs(%e : tensor<4x6xi8>) permutation = [1, 0] {onnxc.sinks}
  %0 = tensor.insert_slice %a into %full[0, 0] [4, 6] [1, 1] : tensor<4x6xi8> into tensor<12x6xi8>
  %b = linalg.transpose ins(%x : tensor<6x4xi8>) outs(%e : tensor<4x6xi8>) permutation = [1, 0] {onnxc.sinks}
  %all = tensor.empty() : tensor<12x6xi8>
  %1 = tensor.insert_slice %z into %all[0, 0] [4, 6] [1, 1] : tensor<4x6xi8> into tensor<12x6xi8>
  %2 = tensor.insert_slice %z into %1[4, 0] [4, 6] [1, 1] : tensor<4x6xi8> into tensor<12x6xi8>
  %3 = tensor.insert_slice %b into %2[8, 0] [4, 6] [1, 1] : tensor<4x6xi8> into tensor<12x6xi8>
  return %0, %3 : tensor<12x6xi8>, tensor<12x6xi8>
}
