// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4},func.func(onnxc-form-block-matmuls))' \
// RUN:   | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 8, d1)>

// Eight steps are a word, and a block. What a byte has above its four bits does
// not matter: 29 is -3. There are 20 of 32 columns.
// CHECK-LABEL: @signed
// CHECK-DAG: %[[W:.*]] = arith.constant dense_resource<packed> : tensor<1x2x32xi32>
// CHECK-DAG: %[[S:.*]] = arith.constant dense_resource<{{.*}}> : tensor<1x2x1x32xf32>
// CHECK: kernel.block_matmul ins(%arg0, %[[W]], %[[S]] :
// CHECK-SAME: {bits = 4 : i64, block = 8 : i64, epilogue_maps = [], offset = 0 : i64}
// CHECK-NOT: linalg.matmul
// CHECK: packed: "0x40000000DDDDDDDD{{(DDDDDDDD)+(00000000)+DDDDDDDD}}
func.func @signed(%x: tensor<?x16xf32>, %rows: index) -> tensor<?x20xf32> {
  %w = arith.constant dense<29> : tensor<16x20xi8>
  %s = arith.constant dense<2.0> : tensor<2x20xf32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<16x20xf32>
  %d = linalg.generic {indexing_maps = [#id, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<16x20xi8>, tensor<2x20xf32>) outs(%de : tensor<16x20xf32>) {
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

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0, d1 floordiv 8)>

// Columns lie in rows, and have zero points: a second row of scales. Unsigned
// numbers lose half of their range: 9 is 1.
// CHECK-LABEL: @unsigned
// CHECK-DAG: %[[W:.*]] = arith.constant dense_resource<packed> : tensor<1x2x16xi32>
// CHECK-DAG: %[[S:.*]] = arith.constant dense_resource<[[NAME:.*]]> : tensor<1x2x2x16xf32>
// CHECK: kernel.block_matmul ins(%arg0, %[[W]], %[[S]] :
// CHECK-DAG: packed: "0x4000000011111111
// 2.0 for all columns, then -3.0 and 1.0 for the first ones.
// CHECK-DAG: [[NAME]]: "0x40000000{{(00000040)+(00000000)+}}000040C00000803F
func.func @unsigned(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %w = arith.constant dense<9> : tensor<8x16xi8>
  %s = arith.constant dense<2.0> : tensor<8x2xf32>
  %z = arith.constant dense<[[5, 8], [9, 8], [8, 8], [8, 8], [8, 8], [8, 8], [8, 8], [8, 8]]> : tensor<8x2xi8>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<8x16xf32>
  %d = linalg.generic {indexing_maps = [#id, #blocks, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z : tensor<8x16xi8>, tensor<8x2xf32>, tensor<8x2xi8>) outs(%de : tensor<8x16xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %a = arith.trunci %in : i8 to i4
    %b = arith.extui %a : i4 to i32
    %f = arith.trunci %zero : i8 to i4
    %g = arith.extui %f : i4 to i32
    %h = arith.subi %b, %g : i32
    %c = arith.sitofp %h : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<8x16xf32>
  %t = tensor.empty() : tensor<16x8xf32>
  %dt = linalg.transpose ins(%d : tensor<8x16xf32>) outs(%t : tensor<16x8xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<4x8xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul ins(%x, %dt : tensor<4x16xf32>, tensor<16x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (0, d1)>

// Bytes below 16, as MatMulNBits has them, are numbers of four bits; one block
// has all steps.
// CHECK-LABEL: @bytes
// CHECK: kernel.block_matmul
// CHECK-SAME: {bits = 4 : i64, block = 16 : i64, epilogue_maps = [], offset = -8 : i64}
func.func @bytes(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = arith.constant dense<9> : tensor<16x16xi8>
  %s = arith.constant dense<2.0> : tensor<1x16xf32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<16x16xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<16x16xi8>, tensor<1x16xf32>) outs(%de : tensor<16x16xf32>) {
  ^bb0(%in: i8, %scale: f32, %out: f32):
    %b = arith.extui %in : i8 to i32
    %c = arith.sitofp %b : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.matmul ins(%x, %d : tensor<4x16xf32>, tensor<16x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>

// Blocks of two steps are no whole words.
// CHECK-LABEL: @short_blocks
// CHECK: linalg.matmul
func.func @short_blocks(%x: tensor<4x4xf32>) -> tensor<4x16xf32> {
  %w = arith.constant dense<9> : tensor<4x16xi8>
  %s = arith.constant dense<2.0> : tensor<2x16xf32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<4x16xf32>
  %d = linalg.generic {indexing_maps = [#id, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<4x16xi8>, tensor<2x16xf32>) outs(%de : tensor<4x16xf32>) {
  ^bb0(%in: i8, %scale: f32, %out: f32):
    %b = arith.extsi %in : i8 to i32
    %c = arith.sitofp %b : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<4x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.matmul ins(%x, %d : tensor<4x4xf32>, tensor<4x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 8, d1)>

// A zero point that is not as wide as the weights, or is known only when the model runs, is not the
// kernel's.
// CHECK-LABEL: @other_zero_point
// CHECK-NOT: kernel.block_matmul
// CHECK: linalg.matmul
func.func @other_zero_point(%x: tensor<4x16xf32>) -> tensor<4x20xf32> {
  %w = arith.constant dense<29> : tensor<16x20xi8>
  %s = arith.constant dense<2.0> : tensor<2x20xf32>
  %z = arith.constant dense<3> : tensor<2x20xi32>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<16x20xf32>
  %d = linalg.generic {indexing_maps = [#id, #blocks, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z : tensor<16x20xi8>, tensor<2x20xf32>, tensor<2x20xi32>) outs(%de : tensor<16x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i32, %out: f32):
    %a = arith.trunci %in : i8 to i4
    %b = arith.extsi %a : i4 to i32
    %g = arith.subi %b, %zero : i32
    %c = arith.sitofp %g : i32 to f32
    %e = arith.mulf %c, %scale : f32
    linalg.yield %e : f32
  } -> tensor<16x20xf32>
  %e = tensor.empty() : tensor<4x20xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32>
  %r = linalg.matmul ins(%x, %d : tensor<4x16xf32>, tensor<16x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  return %r : tensor<4x20xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 8, d1)>

// Zero points that differ in one column, of one block or of all, stand between
// the scales; one that is the same all over is the offset.
// CHECK-LABEL: @zero_points
// CHECK: kernel.block_matmul {{.*}} tensor<1x2x2x32xf32>) {{.*}} offset = 0
// CHECK: kernel.block_matmul {{.*}} tensor<1x2x2x32xf32>) {{.*}} offset = 0
// CHECK: kernel.block_matmul {{.*}} tensor<1x2x1x32xf32>) {{.*}} offset = 3
func.func @zero_points(%x: tensor<4x16xf32>) -> (tensor<4x20xf32>, tensor<4x20xf32>, tensor<4x20xf32>) {
  %w = arith.constant dense<7> : tensor<16x20xi8>
  %s = arith.constant dense<2.0> : tensor<2x20xf32>
  %z0 = arith.constant dense<[[3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2], [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2]]> : tensor<2x20xi8>
  %z1 = arith.constant dense<[[3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2]]> : tensor<2x20xi8>
  %z2 = arith.constant dense<3> : tensor<2x20xi8>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<16x20xf32>
  %e = tensor.empty() : tensor<4x20xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32>
  %d0 = linalg.generic {indexing_maps = [#id, #blocks, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z0 : tensor<16x20xi8>, tensor<2x20xf32>, tensor<2x20xi8>) outs(%de : tensor<16x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %b = arith.extsi %in : i8 to i32
    %y = arith.extsi %zero : i8 to i32
    %g = arith.subi %b, %y : i32
    %c = arith.sitofp %g : i32 to f32
    %m = arith.mulf %c, %scale : f32
    linalg.yield %m : f32
  } -> tensor<16x20xf32>
  %r0 = linalg.matmul ins(%x, %d0 : tensor<4x16xf32>, tensor<16x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  %d1 = linalg.generic {indexing_maps = [#id, #blocks, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z1 : tensor<16x20xi8>, tensor<2x20xf32>, tensor<2x20xi8>) outs(%de : tensor<16x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %b = arith.extsi %in : i8 to i32
    %y = arith.extsi %zero : i8 to i32
    %g = arith.subi %b, %y : i32
    %c = arith.sitofp %g : i32 to f32
    %m = arith.mulf %c, %scale : f32
    linalg.yield %m : f32
  } -> tensor<16x20xf32>
  %r1 = linalg.matmul ins(%x, %d1 : tensor<4x16xf32>, tensor<16x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  %d2 = linalg.generic {indexing_maps = [#id, #blocks, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z2 : tensor<16x20xi8>, tensor<2x20xf32>, tensor<2x20xi8>) outs(%de : tensor<16x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %b = arith.extsi %in : i8 to i32
    %y = arith.extsi %zero : i8 to i32
    %g = arith.subi %b, %y : i32
    %c = arith.sitofp %g : i32 to f32
    %m = arith.mulf %c, %scale : f32
    linalg.yield %m : f32
  } -> tensor<16x20xf32>
  %r2 = linalg.matmul ins(%x, %d2 : tensor<4x16xf32>, tensor<16x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  return %r0, %r1, %r2 : tensor<4x20xf32>, tensor<4x20xf32>, tensor<4x20xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0 floordiv 16, d1)>
#shorter = affine_map<(d0, d1) -> (d0 floordiv 8, d1)>

// Unsigned bytes below 4, and zero points below 4, are numbers of 2 bits, 16 in a word: 3 is 1. There are 19 steps: the second
// block has 3, in a word of its own. Blocks of 8 steps leave the upper half of each 4 bits unused.
// CHECK-LABEL: @two_bits
// CHECK: kernel.block_matmul {{.*}}tensor<1x2x16xi32>, tensor<1x2x1x16xf32>) {{.*}}bits = 2 : i64, block = 16 : i64, {{.*}}offset = 1
// CHECK: kernel.block_matmul {{.*}}tensor<1x3x16xi32>, tensor<1x3x1x16xf32>) {{.*}}bits = 4 : i64, block = 8 : i64, {{.*}}offset = 1
// CHECK: packed: "0x40000000{{(55555555)+(15000000)+}}"
func.func @two_bits(%x: tensor<4x19xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %w = arith.constant dense<3> : tensor<19x16xi8>
  %s = arith.constant dense<2.0> : tensor<2x16xf32>
  %z = arith.constant dense<3> : tensor<2x16xi8>
  %s3 = arith.constant dense<2.0> : tensor<3x16xf32>
  %z3 = arith.constant dense<3> : tensor<3x16xi8>
  %c0 = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<19x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %d = linalg.generic {indexing_maps = [#id, #blocks, #blocks, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z : tensor<19x16xi8>, tensor<2x16xf32>, tensor<2x16xi8>) outs(%de : tensor<19x16xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %h = arith.subi %a, %b : i32
    %c = arith.sitofp %h : i32 to f32
    %m = arith.mulf %c, %scale : f32
    linalg.yield %m : f32
  } -> tensor<19x16xf32>
  %r = linalg.matmul ins(%x, %d : tensor<4x19xf32>, tensor<19x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  %d3 = linalg.generic {indexing_maps = [#id, #shorter, #shorter, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s3, %z3 : tensor<19x16xi8>, tensor<3x16xf32>, tensor<3x16xi8>) outs(%de : tensor<19x16xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %h = arith.subi %a, %b : i32
    %c = arith.sitofp %h : i32 to f32
    %m = arith.mulf %c, %scale : f32
    linalg.yield %m : f32
  } -> tensor<19x16xf32>
  %r3 = linalg.matmul ins(%x, %d3 : tensor<4x19xf32>, tensor<19x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r, %r3 : tensor<4x16xf32>, tensor<4x16xf32>
}
