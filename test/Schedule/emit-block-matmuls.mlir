// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=V3
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+amx-bf16},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=TILES

// One row: all four vectors of a panel, eight numbers from each word. The sums
// of a block are scaled. Weights are fetched in two stages. Without a table,
// numbers stay in the highest bits: 2^28 times as large, so a copy of the row is less.
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
// V3: %[[ROW:.*]] = memref.alloc() {{.*}} memref<64xf32>
// V3: dense<3.72529{{[0-9]*}}E-9>
// V3: arith.mulf
// V3: vector.store {{.*}}, %[[ROW]]
// V3-NOT: arith.mulf
// V3-NOT: arith.shrsi
// V3: arith.shli
// V3: arith.andi
// V3: vector.shuffle
// V3: arith.sitofp
// V3: memref.load %[[ROW]]
// V3-NOT: arith.mulf
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
// weights of four vectors become floats in memory, and then all tiles read those,
// 16 steps ahead.
// CHECK-LABEL: @rows
// CHECK: %[[WIDE:.*]] = memref.alloc() {{.*}} : memref<4096xf32>
// CHECK: scf.index_switch
// CHECK: case 1
// CHECK: vector.shuffle
// CHECK: vector.fma
// CHECK: default
// CHECK: arith.shrsi
// CHECK: arith.mulf
// CHECK: vector.store %{{.*}}, %[[WIDE]]
// CHECK-NOT: vector.fma
// CHECK: scf.for {{.*}} step %c6
// CHECK-NOT: arith.shrsi
// CHECK: vector.load %[[WIDE]]
// CHECK: memref.prefetch %[[WIDE]]
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

// -----

// A long sum of many rows: the floats of 2,048 steps, and sums of 258 rows between these and the next ones. Without whole lines in a
// vector, 8,192 steps have room, and all rows meet a panel.
// CHECK-LABEL: @pieces
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (2, 2)
// CHECK: memref.alloc() {{.*}} : memref<131072xf32>
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<16512xf32>
// CHECK: vector.store {{.*}}, %[[SUMS]]
// CHECK: vector.load %[[SUMS]]
// CHECK: vector.fma
// CHECK: vector.store {{.*}}, %[[SUMS]]
// CHECK: return
// V3-LABEL: @pieces
// V3: scf.forall (%{{.*}}) in (2)
// V3: memref.alloc() {{.*}} : memref<65536xf32>
// V3-NOT: memref.alloc
// V3-NOT: memref.prefetch
// V3: return
func.func @pieces(%x: memref<300x4096xf32>, %w: memref<2x512x64xi32>, %s: memref<2x128x1x64xf32>, %out: memref<300x128xf32>) {
  kernel.block_matmul ins(%x, %w, %s : memref<300x4096xf32>, memref<2x512x64xi32>, memref<2x128x1x64xf32>)
      outs(%out : memref<300x128xf32>)
      {bits = 4 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Numbers of 2 bits: what chooses one of 8 floats has others above them. Of 18 steps the last word holds two.
// CHECK-LABEL: @two_bits
// CHECK-COUNT-18: llvm.x86.avx512.permvar.sf.512
// CHECK-NOT: permvar
// CHECK: return
// V3-LABEL: @two_bits
// V3: dense<[0.000000e+00, 1.000000e+00, -2.000000e+00, -1.000000e+00, 0.000000e+00, 1.000000e+00, -2.000000e+00, -1.000000e+00]>
// V3: llvm.x86.avx2.permps
// V3-NOT: vector.shuffle
// V3: return
func.func @two_bits(%x: memref<1x18xf32>, %w: memref<1x2x16xi32>, %s: memref<1x2x1x16xf32>, %out: memref<1x16xf32>) {
  kernel.block_matmul ins(%x, %w, %s : memref<1x18xf32>, memref<1x2x16xi32>, memref<1x2x1x16xf32>)
      outs(%out : memref<1x16xf32>)
      {bits = 2 : i64, block = 16 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// In tile registers: rows are split into three bf16 and weights are one. The
// sums of two blocks are scaled, and added to those before; what is not a
// number is computed again in vectors. Fewer rows than 32 stay there.
// TILES-LABEL: @open_rows
// TILES: arith.cmpi sge, %{{.*}}, %c32
// TILES: scf.forall
// TILES-COUNT-2: arith.subf
// TILES: scf.forall
// TILES: llvm.x86.ldtilecfg
// TILES: llvm.x86.avx512.permvar.sf.512
// TILES-COUNT-2: llvm.x86.tilezero
// TILES-COUNT-32: vector.fma
// TILES: llvm.x86.tilerelease
// TILES: arith.cmpf uno
// TILES: vector.fma
// TILES: else
// TILES-NOT: tilezero
// TILES: return
func.func @open_rows(%x: memref<?x64xf32>, %w: memref<1x8x64xi32>, %s: memref<1x2x1x64xf32>, %out: memref<?x64xf32>) {
  kernel.block_matmul ins(%x, %w, %s : memref<?x64xf32>, memref<1x8x64xi32>, memref<1x2x1x64xf32>)
      outs(%out : memref<?x64xf32>)
      {bits = 4 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
