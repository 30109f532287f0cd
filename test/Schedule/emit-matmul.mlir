// RUN: onnx-mlir-opt %s -split-input-file -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" -onnxc-select-schedule -onnxc-emit-kernels -canonicalize -cse | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#rows = affine_map<(m, n, k) -> (k, n)>
#columns = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#bias = affine_map<(m, n) -> (n)>

// Sums stay in registers along k; the epilogue is done before they are stored.
// CHECK-LABEL: func.func @packed
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: vector.load
// CHECK-NOT: vector.load
// CHECK: memref.load
// CHECK-COUNT-4: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-4: arith.addf {{.*}} : vector<16xf32>
func.func @packed(%x: memref<2x100xf32>, %w: memref<2x100x32xf32>, %b: memref<64xf32>, %y: memref<2x64xf32>) {
  kernel.matmul ins(%x, %w : memref<2x100xf32>, memref<2x100x32xf32>) extras(%b : memref<64xf32>)
      outs(%y : memref<2x64xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [#bias],
      onnxc.schedule = #kernel.matmul_schedule<rows = 2, columns = 32>} epilogue {
  ^bb0(%s: f32, %e: f32):
    %r = arith.addf %s, %e : f32
    kernel.yield %r : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rows = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A row count that is known when it runs: full tiles, then smaller ones. Only
// the last vector of a row of results is masked.
// CHECK-LABEL: func.func @rows_left_over
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.store
// CHECK: vector.maskedstore
func.func @rows_left_over(%x: memref<?x8xf32>, %w: memref<8x20xf32>, %y: memref<?x20xf32>) {
  kernel.matmul ins(%x, %w : memref<?x8xf32>, memref<8x20xf32>)
      outs(%y : memref<?x20xf32>) {indexing_maps = [#lhs, #rows, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 32>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// Columns that lie in rows of memory: transposed in registers if many rows use
// them, otherwise sums lie in the lanes.
// CHECK-LABEL: func.func @columns
// CHECK: scf.if
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: else
// CHECK: memref.alloc() {{.*}} memref<1024xf32>
// CHECK: vector.shuffle
// CHECK: vector.fma
func.func @columns(%x: memref<?x64xf32>, %w: memref<16x64xf32>, %y: memref<?x16xf32>) {
  kernel.matmul ins(%x, %w : memref<?x64xf32>, memref<16x64xf32>)
      outs(%y : memref<?x16xf32>) {indexing_maps = [#lhs, #columns, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 8, columns = 16, copy = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>

// A long sum is cut; sums lie in a scratch buffer between the pieces. The next
// panel is fetched by the first tile.
// CHECK-LABEL: func.func @depth
// CHECK: memref.alloc() {{.*}} : memref<128xf32>
// CHECK: memref.prefetch {{.*}} locality<2>
func.func @depth(%x: memref<8x4096xf32>, %w: memref<2x4096x16xf32>, %y: memref<8x32xf32>) {
  kernel.matmul ins(%x, %w : memref<8x4096xf32>, memref<2x4096x16xf32>)
      outs(%y : memref<8x32xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 8, columns = 16, depth = 1024, block = 8, prefetch = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rows = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A layout that the decision on tensors did not foresee.
// CHECK-LABEL: func.func @columns_apart
// CHECK: memref.alloc()
// CHECK: vector.fma
// CHECK: vector.scatter
func.func @columns_apart(%x: memref<4x8xf32>, %w: memref<8x32xf32, strided<[64, 2]>>, %y: memref<4x32xf32, strided<[64, 2]>>) {
  kernel.matmul ins(%x, %w : memref<4x8xf32>, memref<8x32xf32, strided<[64, 2]>>)
      outs(%y : memref<4x32xf32, strided<[64, 2]>>) {indexing_maps = [#lhs, #rows, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 32>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#out = affine_map<(m, n, k) -> (m, n)>

// The last panel has fewer columns; it belongs to the loop of the others. Three panels are no
// even shares: threads share their rows as well.
// CHECK-LABEL: func.func @odd
// CHECK: scf.forall (%[[PANEL:.*]], %[[ROWS:.*]]) in (3, 2) {
// CHECK: arith.cmpi eq, %[[PANEL]]
// CHECK: scf.if
// CHECK: vector.constant_mask [10]
// CHECK: scf.index_switch %[[ROWS]]
// CHECK: else
// CHECK: scf.index_switch %[[ROWS]]
// CHECK-NOT: scf.forall
// CHECK: return
func.func @odd(%x: memref<24x100xf32>, %w: memref<3x100x32xf32>, %y: memref<24x90xf32>) {
  kernel.matmul ins(%x, %w : memref<24x100xf32>, memref<3x100x32xf32>)
      outs(%y : memref<24x90xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 6, columns = 32>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>

// Panels of halves are widened for many rows; few rows widen what they read.
// CHECK-LABEL: func.func @widened
// CHECK: %[[FLOATS:.*]] = memref.alloc() {{.*}} : memref<1024xf32>
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: vector.store {{.*}}, %[[FLOATS]]
// CHECK: %[[W:.*]] = vector.load %[[FLOATS]]{{.*}} vector<16xf32>
// CHECK: vector.fma %{{.*}}, %[[W]], %{{.*}} : vector<16xf32>
// CHECK: else
// CHECK-NOT: %[[FLOATS]]
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: vector.fma
func.func @widened(%x: memref<?x64xf32>, %w: memref<2x64x16xf16>, %y: memref<?x32xf32>) {
  kernel.matmul ins(%x, %w : memref<?x64xf32>, memref<2x64x16xf16>)
      outs(%y : memref<?x32xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 8, columns = 16, widen = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#keys = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// Keys that are halves are read once for all rows: the first one scales, rounds and widens them, and leaves that for others. Of
// many rows, a copy of keys is wide.
// CHECK-LABEL: func.func @keys_of_halves
// CHECK-DAG: %[[BY:.*]] = arith.constant dense<0.297{{.*}}> : vector<16xf32>
// CHECK: %[[FLOATS:.*]] = memref.alloc() {{.*}} : memref<2048xf32>
// CHECK: %[[HALF:.*]] = vector.load {{.*}} vector<16xf16>
// CHECK: %[[X:.*]] = arith.extf %[[HALF]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[BY]]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[PRODUCT]] : vector<16xf32> to vector<16xf16>
// CHECK: %[[KEY:.*]] = arith.extf %[[ROUNDED]]
// CHECK: vector.store %[[KEY]], %[[FLOATS]]
// CHECK: scf.for
// CHECK: vector.load %[[FLOATS]]
// CHECK-NOT: arith.extf
// CHECK: else
// CHECK: memref.alloc() {{.*}} : memref<{{.*}}xf32>
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: vector.shuffle
func.func @keys_of_halves(%x: memref<?x128xf32>, %k: memref<?x128xf16>, %y: memref<?x?xf32>) {
  kernel.matmul ins(%x, %k : memref<?x128xf32>, memref<?x128xf16>)
      outs(%y : memref<?x?xf32>) {indexing_maps = [#lhs, #keys, #out], epilogue_maps = [], rhs_factor = 0.297363281 : f32} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#out = affine_map<(m, n, k) -> (m, n)>

// A last panel of whole vectors needs no mask; of less than a vector, it does.
// CHECK-LABEL: func.func @last_panel_whole
// CHECK-NOT: mask
// CHECK: return
func.func @last_panel_whole(%x: memref<4x8xf32>, %w: memref<2x8x32xf32>, %y: memref<4x48xf32>) {
  kernel.matmul ins(%x, %w : memref<4x8xf32>, memref<2x8x32xf32>)
      outs(%y : memref<4x48xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 32>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @last_panel_of_three
// CHECK: vector.constant_mask [3]
// CHECK-COUNT-4: vector.maskedstore
// CHECK-NOT: vector.maskedstore
// CHECK: return
func.func @last_panel_of_three(%x: memref<4x8xf32>, %w: memref<2x8x32xf32>, %y: memref<4x35xf32>) {
  kernel.matmul ins(%x, %w : memref<4x8xf32>, memref<2x8x32xf32>)
      outs(%y : memref<4x35xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 32>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 64, k, n mod 64)>
#out = affine_map<(m, n, k) -> (m, n)>

// One row waits for memory: of each step, four cache lines are fetched ahead.
// CHECK-LABEL: func.func @stream
// CHECK-COUNT-4: memref.prefetch {{.*}} locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @stream(%x: memref<1x8xf32>, %w: memref<1x8x64xf32>, %y: memref<1x64xf32>) {
  kernel.matmul ins(%x, %w : memref<1x8xf32>, memref<1x8x64xf32>)
      outs(%y : memref<1x64xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 1, columns = 64, prefetch = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#out = affine_map<(m, n, k) -> (m, n)>

// A single row, where the run may have one: eight sums of four panels at once, in a tile of many rows it would have two. The
// schedule says so.
// CHECK-LABEL: func.func @single_row
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[ROWS]], %c1
// CHECK: scf.if %[[ONE]] {
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
func.func @single_row(%x: memref<?x100xf32>, %w: memref<4x100x32xf32>, %y: memref<?x128xf32>) {
  kernel.matmul ins(%x, %w : memref<?x100xf32>, memref<4x100x32xf32>)
      outs(%y : memref<?x128xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 6, columns = 32, single_row = 128>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>

// One row has four panels side by side, and so have two rows, of four sums each; more have tiles of four rows, and what is left
// of them is done by the tile for that number.
// CHECK-LABEL: func.func @two_rows
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: arith.cmpi eq, %[[ROWS]], %c1
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: arith.cmpi eq, %[[ROWS]], %c2
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: arith.floordivsi %[[ROWS]], %c4
// CHECK: scf.index_switch
// CHECK: case 1 {
// CHECK: case 2 {
// CHECK: case 3 {
// CHECK: iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
func.func @two_rows(%x: memref<?x20xf32>, %w: memref<4x20x16xf32>, %y: memref<?x64xf32>) {
  kernel.matmul ins(%x, %w : memref<?x20xf32>, memref<4x20x16xf32>)
      outs(%y : memref<?x64xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 16, single_row = 64, two_rows = 64, each_rest = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>

// Four panels are read side by side, and of each the line is fetched that it will read soon.
// CHECK-LABEL: func.func @streams
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-COUNT-4: memref.prefetch {{.*}} locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: scf.yield
func.func @streams(%x: memref<1x1001xf32>, %w: memref<8x1001x16xf32>, %y: memref<1x128xf32>) {
  kernel.matmul ins(%x, %w : memref<1x1001xf32>, memref<8x1001x16xf32>)
      outs(%y : memref<1x128xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 1, columns = 64, prefetch = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>
#rows = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>

// What the epilogue reads for each row is fetched before the sums of a tile; what it reads for each column is near.
// CHECK-LABEL: func.func @residual
// CHECK-SAME: %[[MORE:[a-z0-9]+]]: memref<1500x384xf32>
// CHECK: %[[ALL:.*]] = memref.reinterpret_cast %[[MORE]]
// CHECK-COUNT-4: memref.prefetch %[[ALL]]
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
// CHECK: vector.load %[[ALL]]
func.func @residual(%more: memref<1500x384xf32>, %x: memref<1500x64xf32>, %w: memref<24x64x16xf32>, %bias: memref<384xf32>, %y: memref<1500x384xf32>) {
  kernel.matmul ins(%x, %w : memref<1500x64xf32>, memref<24x64x16xf32>) extras(%more, %bias : memref<1500x384xf32>, memref<384xf32>)
      outs(%y : memref<1500x384xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [#rows, #columns],
      onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 16>} epilogue {
  ^bb0(%s: f32, %r: f32, %c: f32):
    %0 = arith.addf %s, %r : f32
    %1 = arith.addf %0, %c : f32
    kernel.yield %1 : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#keys = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// What comes behind a step of 16 short keys is that of the next 16, 1,024 numbers ahead; behind that of long ones, their own steps.
// CHECK-LABEL: func.func @short_keys
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c1024
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]]], read, locality<3>
// CHECK-NOT: locality<2>
// CHECK: vector.fma
// CHECK-LABEL: func.func @long_keys
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[FAR:.*]] = arith.addi %{{.*}}, %c768
// CHECK: memref.prefetch %{{.*}}[%[[FAR]]], read, locality<2>
// CHECK: %[[NEAR:.*]] = arith.addi %{{.*}}, %c192
// CHECK: memref.prefetch %{{.*}}[%[[NEAR]]], read, locality<3>
// CHECK: vector.fma
func.func @short_keys(%x: memref<1x64xf32>, %k: memref<?x64xf32>, %y: memref<1x?xf32>) {
  kernel.matmul ins(%x, %k : memref<1x64xf32>, memref<?x64xf32>)
      outs(%y : memref<1x?xf32>) {indexing_maps = [#lhs, #keys, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @long_keys(%x: memref<1x320xf32>, %k: memref<?x320xf32>, %y: memref<1x?xf32>) {
  kernel.matmul ins(%x, %k : memref<1x320xf32>, memref<?x320xf32>)
      outs(%y : memref<1x?xf32>) {indexing_maps = [#lhs, #keys, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
