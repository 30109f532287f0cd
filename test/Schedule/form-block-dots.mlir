// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4},func.func(onnxc-form-block-dots))' \
// RUN:   | FileCheck %s

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 8, d1)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#perBlock = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// Weights of 4 bits become unsigned, so that -3 is 5, with steps 0 to 3 in lower halves of bytes (here all are the same); the
// zero point is 8. Sums of blocks are computed before; there are 20 of 32 columns.
// CHECK-LABEL: @dots
// CHECK-SAME: %[[Q:.*]]: tensor<?x2x8xi8>, %[[S:.*]]: tensor<?x2x1xf32>
// CHECK-DAG: %[[ROWS:.*]] = tensor.collapse_shape %[[Q]] {{\[\[}}0], [1, 2]] : tensor<?x2x8xi8> into tensor<?x16xi8>
// CHECK-DAG: %[[SCALES:.*]] = tensor.collapse_shape %[[S]] {{.*}} into tensor<?x2xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[Q]] : tensor<?x2x8xi8>)
// CHECK: %[[W:.*]] = arith.constant dense_resource<packed> : tensor<1x2x32xi32>
// CHECK: %[[WS:.*]] = arith.constant dense_resource<{{.*}}> : tensor<1x2x1x32xf32>
// CHECK: kernel.block_dot rows(%[[ROWS]], %[[SCALES]], %[[SUMS]] : {{.*}}) weights(%[[W]], %[[WS]] : {{.*}}) outs(
// CHECK-SAME: {bits = 4 : i64, block = 8 : i64, epilogue_maps = [], offset = 8 : i64}
// CHECK-NOT: linalg.matmul
// CHECK: packed: "0x4000000055555555{{(55555555)+(00000000)+55555555}}
func.func @dots(%q: tensor<?x2x8xi8>, %s: tensor<?x2x1xf32>, %rows: index) -> tensor<?x20xf32> {
  %fe = tensor.empty(%rows) : tensor<?x2x8xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<?x2x8xi8>) outs(%fe : tensor<?x2x8xf32>) {
  ^bb0(%in: i8, %out: f32):
    %a = arith.sitofp %in : i8 to f32
    linalg.yield %a : f32
  } -> tensor<?x2x8xf32>
  %n = linalg.generic {indexing_maps = [#id, #perBlock, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%f, %s : tensor<?x2x8xf32>, tensor<?x2x1xf32>) outs(%fe : tensor<?x2x8xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %a = arith.mulf %in, %scale : f32
    linalg.yield %a : f32
  } -> tensor<?x2x8xf32>
  %x = tensor.collapse_shape %n [[0], [1, 2]] : tensor<?x2x8xf32> into tensor<?x16xf32>
  %w = arith.constant dense<29> : tensor<16x20xi8>
  %ws = arith.constant dense<2.0> : tensor<2x20xf32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<16x20xf32>
  %d = linalg.generic {indexing_maps = [#id2, #blocks, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %ws : tensor<16x20xi8>, tensor<2x20xf32>) outs(%de : tensor<16x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %out: f32):
    %a = arith.trunci %in : i8 to i4
    %b = arith.extsi %a : i4 to i32
    %c = arith.sitofp %b : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<16x20xf32>
  %e = tensor.empty(%rows) : tensor<?x20xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32>
  %r = linalg.matmul ins(%x, %d : tensor<?x16xf32>, tensor<16x20xf32>) outs(%i : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (0, d1)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#perBlock = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// The blocks of the weights are longer than those of the rows.
// CHECK-LABEL: @other_blocks
// CHECK-NOT: kernel.block_dot
// CHECK: linalg.matmul
func.func @other_blocks(%q: tensor<4x2x8xi8>, %s: tensor<4x2x1xf32>) -> tensor<4x20xf32> {
  %fe = tensor.empty() : tensor<4x2x8xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<4x2x8xi8>) outs(%fe : tensor<4x2x8xf32>) {
  ^bb0(%in: i8, %out: f32):
    %a = arith.sitofp %in : i8 to f32
    linalg.yield %a : f32
  } -> tensor<4x2x8xf32>
  %n = linalg.generic {indexing_maps = [#id, #perBlock, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%f, %s : tensor<4x2x8xf32>, tensor<4x2x1xf32>) outs(%fe : tensor<4x2x8xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %a = arith.mulf %in, %scale : f32
    linalg.yield %a : f32
  } -> tensor<4x2x8xf32>
  %x = tensor.collapse_shape %n [[0], [1, 2]] : tensor<4x2x8xf32> into tensor<4x16xf32>
  %w = arith.constant dense<29> : tensor<16x20xi8>
  %ws = arith.constant dense<2.0> : tensor<1x20xf32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<16x20xf32>
  %d = linalg.generic {indexing_maps = [#id2, #all, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %ws : tensor<16x20xi8>, tensor<1x20xf32>) outs(%de : tensor<16x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %out: f32):
    %b = arith.extsi %in : i8 to i32
    %c = arith.sitofp %b : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<16x20xf32>
  %e = tensor.empty() : tensor<4x20xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32>
  %r = linalg.matmul ins(%x, %d : tensor<4x16xf32>, tensor<16x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  return %r : tensor<4x20xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 16, d1)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#perBlock = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// The rows have 19 of the 32 steps of two blocks. The kernel multiplies all of them, of weights that are 0 behind the last one; of 2
// bits, -1 is 1, four steps in each byte. A slice that begins later is none.
// CHECK-LABEL: @beginning
// CHECK-SAME: %[[Q:.*]]: tensor<4x2x16xi8>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[Q]] {{.*}} into tensor<4x32xi8>
// CHECK: kernel.block_dot rows(%[[ROWS]], {{.*}}bits = 2 : i64, block = 16 : i64, {{.*}}offset = 2
// CHECK: linalg.matmul
// CHECK: packed: "0x40000000{{(55555555)+(01010100)+}}"
func.func @beginning(%q: tensor<4x2x16xi8>, %s: tensor<4x2x1xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %fe = tensor.empty() : tensor<4x2x16xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<4x2x16xi8>) outs(%fe : tensor<4x2x16xf32>) {
  ^bb0(%in: i8, %out: f32):
    %a = arith.sitofp %in : i8 to f32
    linalg.yield %a : f32
  } -> tensor<4x2x16xf32>
  %n = linalg.generic {indexing_maps = [#id, #perBlock, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%f, %s : tensor<4x2x16xf32>, tensor<4x2x1xf32>) outs(%fe : tensor<4x2x16xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %a = arith.mulf %in, %scale : f32
    linalg.yield %a : f32
  } -> tensor<4x2x16xf32>
  %all = tensor.collapse_shape %n [[0], [1, 2]] : tensor<4x2x16xf32> into tensor<4x32xf32>
  %x = tensor.extract_slice %all[0, 0] [4, 19] [1, 1] : tensor<4x32xf32> to tensor<4x19xf32>
  %y = tensor.extract_slice %all[0, 1] [4, 19] [1, 1] : tensor<4x32xf32> to tensor<4x19xf32>
  %w = arith.constant dense<3> : tensor<19x16xi8>
  %ws = arith.constant dense<2.0> : tensor<2x16xf32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<19x16xf32>
  %d = linalg.generic {indexing_maps = [#id2, #blocks, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %ws : tensor<19x16xi8>, tensor<2x16xf32>) outs(%de : tensor<19x16xf32>) {
  ^bb0(%in: i8, %scale: f32, %out: f32):
    %a = arith.trunci %in : i8 to i2
    %b = arith.extsi %a : i2 to i32
    %c = arith.sitofp %b : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<19x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.matmul ins(%x, %d : tensor<4x19xf32>, tensor<19x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  %t = linalg.matmul ins(%y, %d : tensor<4x19xf32>, tensor<19x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r, %t : tensor<4x16xf32>, tensor<4x16xf32>
}
