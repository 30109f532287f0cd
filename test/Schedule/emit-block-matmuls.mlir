// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=V3

// One row: all four vectors of a panel, eight numbers from each word. The sums
// of a block are scaled. Weights are fetched in two stages. Without a table,
// numbers stay in the highest bits: 2^28 times as large, so the row is less.
// CHECK-LABEL: @one_row
// CHECK: scf.forall
// CHECK-NOT: arith.mulf
// CHECK: memref.prefetch {{.*}} locality<2>
// CHECK: memref.prefetch {{.*}} locality<3>
// CHECK-COUNT-32: llvm.x86.avx512.permvar.sf.512
// CHECK-NOT: llvm.x86
// CHECK: %[[BLOCK:.*]] = arith.addf
// CHECK: vector.fma %[[BLOCK]]
// V3-LABEL: @one_row
// V3-NOT: arith.shrsi
// V3: arith.shli
// V3: arith.andi
// V3: vector.shuffle
// V3: arith.sitofp
// V3: dense<3.72529{{[0-9]*}}E-9>
// V3: arith.mulf
// V3-NOT: arith.shrsi
// V3: return
func.func @one_row(%x: memref<1x64xf32>, %w: memref<2x8x64xi32>, %s: memref<2x2x1x64xf32>, %out: memref<1x128xf32>) {
  kernel.block_matmul ins(%x, %w, %s : memref<1x64xf32>, memref<2x8x64xi32>, memref<2x2x1x64xf32>)
      outs(%out : memref<1x128xf32>)
      {bits = 4 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A few rows: weights are scaled before all rows are multiplied by them, two
// vectors at a time. Zero points are subtracted first; bytes need no table.
// CHECK-LABEL: @few_rows
// CHECK-NOT: memref.alloc
// CHECK: arith.shrsi
// CHECK: arith.sitofp
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK-COUNT-24: vector.fma
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
#columns = affine_map<(d0, d1) -> (d1)>
func.func @few_rows(%x: memref<12x64xf32>, %w: memref<1x16x64xi32>, %s: memref<1x2x2x64xf32>, %bias: memref<64xf32>,
                    %out: memref<12x64xf32>) {
  kernel.block_matmul ins(%x, %w, %s : memref<12x64xf32>, memref<1x16x64xi32>, memref<1x2x2x64xf32>)
      extras(%bias : memref<64xf32>) outs(%out : memref<12x64xf32>)
      {bits = 8 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = [#columns]} epilogue {
  ^bb0(%sum: f32, %b: f32):
    %y = arith.addf %sum, %b : f32
    kernel.yield %y : f32
  }
  return
}

// -----

// Any number of rows: one widens its weights in registers. For more than one the
// weights of two vectors become floats in memory, and then all tiles read those.
// CHECK-LABEL: @rows
// CHECK: %[[WIDE:.*]] = memref.alloc() {{.*}} : memref<2048xf32>
// CHECK: scf.index_switch
// CHECK: case 1
// CHECK: vector.shuffle
// CHECK: vector.fma
// CHECK: default
// CHECK: arith.shrsi
// CHECK: arith.mulf
// CHECK: vector.store %{{.*}}, %[[WIDE]]
// CHECK-NOT: vector.fma
// CHECK: scf.for {{.*}} step %c12
// CHECK-NOT: arith.shrsi
// CHECK: vector.load %[[WIDE]]
// CHECK: vector.fma
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
#columns = affine_map<(d0, d1) -> (d1)>
func.func @rows(%x: memref<?x64xf32>, %w: memref<1x16x64xi32>, %s: memref<1x2x2x64xf32>, %bias: memref<64xf32>,
                %out: memref<?x64xf32>) {
  kernel.block_matmul ins(%x, %w, %s : memref<?x64xf32>, memref<1x16x64xi32>, memref<1x2x2x64xf32>)
      extras(%bias : memref<64xf32>) outs(%out : memref<?x64xf32>)
      {bits = 8 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = [#columns]} epilogue {
  ^bb0(%sum: f32, %b: f32):
    %y = arith.addf %sum, %b : f32
    kernel.yield %y : f32
  }
  return
}
