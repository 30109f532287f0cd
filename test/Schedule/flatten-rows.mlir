// Between two products, a loop over rows takes them from the product's own
// matrices.
// RUN: onnx-mlir-opt %s -onnxc-flatten-rows -split-input-file | FileCheck %s
// Then they are an attention.
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" -onnxc-flatten-rows -onnxc-block-attention -split-input-file | FileCheck %s --check-prefix=BLOCKS

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>

// 6 heads in 3 groups, an open number of queries. The mask is read by query.
// CHECK-LABEL: func @groups
// CHECK-SAME: %[[S:[a-z0-9]+]]: index)
// CHECK: %[[SCORES:.*]] = kernel.matmul
// CHECK-NOT: tensor.expand_shape
// CHECK: %[[W:.*]] = scf.forall (%[[G:.*]], %[[R:.*]]) in (3, %{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<3x?x?xf32>)
// CHECK: %[[ROWS:.*]] = tensor.dim %[[OUT]], %{{.*}}
// CHECK: %[[FIRST:.*]] = arith.muli %[[G]], %[[ROWS]]
// CHECK: %[[N:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK: %[[MOST:.*]] = arith.maxsi %[[S]]
// CHECK: %[[QUERY:.*]] = arith.remui %[[N]], %[[MOST]]
// CHECK: %[[HEAD:.*]] = arith.divui %[[N]], %[[MOST]]
// CHECK: tensor.extract_slice %[[SCORES]][%[[G]], %[[R]], 0]
// CHECK: tensor.extract_slice %{{.*}}[%[[HEAD]], %[[QUERY]], 0]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[G]], %[[R]], 0]
// CHECK-NOT: tensor.collapse_shape
// CHECK: kernel.matmul ins(%[[W]],
// BLOCKS-LABEL: func @groups
// BLOCKS: scf.if
// BLOCKS: scf.forall
// BLOCKS: kernel.matmul {{.*}} outs({{.*}} : tensor<?x?xf32>)
// BLOCKS: arith.remui
// BLOCKS: kernel.matmul {{.*}} outs({{.*}} : tensor<?x16xf32>)
func.func @groups(%q: tensor<3x?x16xf32>, %k: tensor<3x?x16xf32>, %v: tensor<3x?x16xf32>, %mask: tensor<6x?x?xf32>, %s: index) -> tensor<3x?x16xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c1 : tensor<3x?x16xf32>
  %n = tensor.dim %k, %c1 : tensor<3x?x16xf32>
  %i = tensor.empty(%m, %n) : tensor<3x?x?xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<3x?x16xf32>, tensor<3x?x16xf32>) outs(%i : tensor<3x?x?xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<3x?x?xf32>
  %flat = tensor.collapse_shape %scores [[0, 1], [2]] : tensor<3x?x?xf32> into tensor<?x?xf32>
  %heads = tensor.expand_shape %flat [[0, 1], [2]] output_shape [6, %s, %n] : tensor<?x?xf32> into tensor<6x?x?xf32>
  %e = tensor.empty(%s, %n) : tensor<6x?x?xf32>
  %weights = scf.forall (%h, %r) in (6, %s) shared_outs(%out = %e) -> (tensor<6x?x?xf32>) {
    %d0 = tensor.dim %heads, %c2 : tensor<6x?x?xf32>
    %in = tensor.extract_slice %heads[%h, %r, 0] [1, 1, %d0] [1, 1, 1] : tensor<6x?x?xf32> to tensor<?xf32>
    %d1 = tensor.dim %mask, %c2 : tensor<6x?x?xf32>
    %bias = tensor.extract_slice %mask[%h, %r, 0] [1, 1, %d1] [1, 1, 1] : tensor<6x?x?xf32> to tensor<?xf32>
    %d2 = tensor.dim %out, %c2 : tensor<6x?x?xf32>
    %to = tensor.extract_slice %out[%h, %r, 0] [1, 1, %d2] [1, 1, 1] : tensor<6x?x?xf32> to tensor<?xf32>
    %w = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]} ins(%in, %bias : tensor<?xf32>, tensor<?xf32>) outs(%to : tensor<?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%h, %r, 0] [1, 1, %d2] [1, 1, 1] : tensor<?xf32> into tensor<6x?x?xf32>
    }
  }
  %flat2 = tensor.collapse_shape %weights [[0, 1], [2]] : tensor<6x?x?xf32> into tensor<?x?xf32>
  %lhs = tensor.expand_shape %flat2 [[0, 1], [2]] output_shape [3, %m, %n] : tensor<?x?xf32> into tensor<3x?x?xf32>
  %e2 = tensor.empty(%m) : tensor<3x?x16xf32>
  %y = kernel.matmul ins(%lhs, %v : tensor<3x?x?xf32>, tensor<3x?x16xf32>) outs(%e2 : tensor<3x?x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<3x?x16xf32>
  return %y : tensor<3x?x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>

// Rows that are written in another order than they are read stay as they are.
// CHECK-LABEL: func @other_order
// CHECK: scf.forall {{.*}} -> (tensor<4x4x50xf32>)
// CHECK-NOT: arith.remui
func.func @other_order(%q: tensor<2x8x16xf32>, %k: tensor<2x50x16xf32>, %v: tensor<2x50x16xf32>) -> tensor<2x8x16xf32> {
  %i = tensor.empty() : tensor<2x8x50xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x50x16xf32>) outs(%i : tensor<2x8x50xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<2x8x50xf32>
  %flat = tensor.collapse_shape %scores [[0, 1], [2]] : tensor<2x8x50xf32> into tensor<16x50xf32>
  %heads = tensor.expand_shape %flat [[0, 1], [2]] output_shape [4, 4, 50] : tensor<16x50xf32> into tensor<4x4x50xf32>
  %e = tensor.empty() : tensor<4x4x50xf32>
  %weights = scf.forall (%h, %r) in (4, 4) shared_outs(%out = %e) -> (tensor<4x4x50xf32>) {
    %in = tensor.extract_slice %heads[%r, %h, 0] [1, 1, 50] [1, 1, 1] : tensor<4x4x50xf32> to tensor<50xf32>
    %to = tensor.extract_slice %out[%h, %r, 0] [1, 1, 50] [1, 1, 1] : tensor<4x4x50xf32> to tensor<50xf32>
    %w = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%in : tensor<50xf32>) outs(%to : tensor<50xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.negf %x : f32
      linalg.yield %z : f32
    } -> tensor<50xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%h, %r, 0] [1, 1, 50] [1, 1, 1] : tensor<50xf32> into tensor<4x4x50xf32>
    }
  }
  %flat2 = tensor.collapse_shape %weights [[0, 1], [2]] : tensor<4x4x50xf32> into tensor<16x50xf32>
  %lhs = tensor.expand_shape %flat2 [[0, 1], [2]] output_shape [2, 8, 50] : tensor<16x50xf32> into tensor<2x8x50xf32>
  %e2 = tensor.empty() : tensor<2x8x16xf32>
  %y = kernel.matmul ins(%lhs, %v : tensor<2x8x50xf32>, tensor<2x50x16xf32>) outs(%e2 : tensor<2x8x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// A scalar has no rows.
// CHECK-LABEL: func @scalar
// CHECK: tensor.expand_shape %arg0 []
func.func @scalar(%x: tensor<f32>, %w: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %lhs = tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %e = tensor.empty() : tensor<1x16xf32>
  %y = kernel.matmul ins(%lhs, %w : tensor<1x1xf32>, tensor<1x16xf32>) outs(%e : tensor<1x16xf32>) {indexing_maps = [#x, #w, #y], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}
