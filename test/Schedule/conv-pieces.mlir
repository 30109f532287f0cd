// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-select-schedule | FileCheck %s --check-prefix=SELECT
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-select-schedule --onnxc-emit-kernels --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-select-schedule | FileCheck %s --check-prefix=WIDE

// 1,024 channels of 16 filters are 64 KiB: a quarter of them at a time, in which
// the sums of 196 pixels wait. Vectors of whole lines read panels from the second level.
// SELECT-LABEL: @pieces
// SELECT: #kernel.conv_schedule<rows = 1, columns = 6, depth = 32
// WIDE-LABEL: @pieces
// WIDE-NOT: depth
// CHECK-LABEL: func.func @pieces
// CHECK: scf.forall
// CHECK: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<[[N:[0-9]+]]xf32>
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %c128 step %c32
// CHECK: scf.for
// CHECK: vector.load %[[SUMS]]
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %c32
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: memref.prefetch
// CHECK: vector.fma
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// The pixels that no whole tile has are in the last group.
// CHECK: scf.if
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// The epilogue, when all pieces are done.
// CHECK: vector.load %[[SUMS]]
// CHECK: arith.maximumf
func.func @pieces(%x: memref<1x128x14x14x8xf32>, %w: memref<16x128x1x1x8x16xf32>, %y: memref<1x32x14x14x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x128x14x14x8xf32>, memref<16x128x1x1x8x16xf32>)
      outs(%y : memref<1x32x14x14x8xf32>) {channels = 1024 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %sum, %zero : f32
    kernel.yield %relu : f32
  }
  return
}

// All 14 tiles of a small map, and not a few of them, fetch the next piece: 6 of the 72 lines of each block of channels.
// SELECT-LABEL: @small_map
// SELECT: #kernel.conv_schedule<rows = 1, columns = 6, depth = 3, prefetch_filter = true>
// CHECK-LABEL: func.func @small_map
// CHECK: scf.for %{{.*}} = %c0 to %c63 step %c3
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c7 step %c1
// CHECK-COUNT-6: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
// CHECK-COUNT-6: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
func.func @small_map(%x: memref<1x64x14x14x8xf32>, %w: memref<32x64x3x3x8x16xf32>, %y: memref<1x64x7x7x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x64x14x14x8xf32>, memref<32x64x3x3x8x16xf32>)
      outs(%y : memref<1x64x7x7x8xf32>) {channels = 512 : i64, filters = 512 : i64, group = 1 : i64,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// A row of open length with no zeros around it, small enough for no pieces: all tiles of six columns but one, and of
// the columns behind them, fewer than twelve, tiles of about equal width.
// CHECK-LABEL: func.func @ends_of_open_row
// CHECK: %[[TILES:.*]] = arith.floordivsi %[[COLUMNS:.*]], %c6
// CHECK: %[[BUT_ONE:.*]] = arith.subi %[[TILES]], %c1
// CHECK: arith.maxsi %[[BUT_ONE]], %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[FULL:.*]] step %c6
// CHECK: %[[REST:.*]] = arith.subi %[[COLUMNS]], %[[FULL]]
// CHECK: scf.for %{{.*}} = %c0 to %[[COUNT:.*]] step %c1
// CHECK: arith.divui %{{.*}}, %[[COUNT]]
// CHECK: scf.index_switch
// CHECK: case 1 {
// CHECK: case 5 {
func.func @ends_of_open_row(%x: memref<1x2x?x8xf32>, %w: memref<1x2x3x8x16xf32>, %y: memref<1x2x?x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x?x8xf32>, memref<1x2x3x8x16xf32>)
      outs(%y : memref<1x2x?x8xf32>) {channels = 16 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// A row of pixels, along either dimension, may be longer: its sums stay in the second level.
// SELECT-LABEL: @row
// SELECT: #kernel.conv_schedule<rows = 1, columns = 6, depth = 10>
// CHECK-LABEL: func.func @row
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8000xf32>
func.func @row(%x: memref<1x64x502x1x8xf32>, %w: memref<32x64x3x1x8x16xf32>, %y: memref<1x64x500x1x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x64x502x1x8xf32>, memref<32x64x3x1x8x16xf32>)
      outs(%y : memref<1x64x500x1x8xf32>) {channels = 512 : i64, filters = 512 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Of a larger map as many rows as divide it, and whose sums are near, meet one piece after the other.
// SELECT-LABEL: @groups_of_rows
// SELECT: #kernel.conv_schedule<rows = 1, columns = 6, depth = 3
// CHECK-LABEL: func.func @groups_of_rows
// CHECK: scf.forall {{.*}} in (4, 2)
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<6272xf32>
// CHECK: scf.for {{.*}} to %c6 step %c3
// CHECK: vector.fma
func.func @groups_of_rows(%x: memref<1x8x30x30x8xf32>, %w: memref<4x8x3x3x8x16xf32>, %y: memref<1x8x28x28x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x8x30x30x8xf32>, memref<4x8x3x3x8x16xf32>)
      outs(%y : memref<1x8x28x28x8xf32>) {channels = 64 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Channels behind the last whole block are in the last piece. Tiles of a long row fetch the next piece.
// SELECT-LABEL: @rest
// SELECT: #kernel.conv_schedule<rows = 1, columns = 6, depth = 4>
// CHECK-LABEL: func.func @rest
// CHECK: scf.for %{{.*}} = %c0 to %c28 step %c4
// CHECK: memref.prefetch
// CHECK: vector.fma
// CHECK: scf.for %{{.*}} = %c28 to %c31
// CHECK: scf.for %{{.*}} = %c0 to %c7
// CHECK: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c7
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK: vector.fma
func.func @rest(%x: memref<1x32x204x8xf32>, %w: memref<16x32x7x8x16xf32>, %y: memref<1x32x198x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x32x204x8xf32>, memref<16x32x7x8x16xf32>)
      outs(%y : memref<1x32x198x8xf32>) {channels = 250 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// 56 pixels are eight tiles of six and two of four: one of two would take as long. 49 pixels are nine of five and one of four.
// CHECK-LABEL: func.func @last_tiles
// CHECK: scf.for %{{.*}} = %c0 to %c48 step %c6
// CHECK: scf.for %{{.*}} = %c48 to %c56 step %c4
func.func @last_tiles(%x: memref<1x2x60x58x8xf32>, %w: memref<1x2x3x3x8x16xf32>, %y: memref<1x2x58x56x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x60x58x8xf32>, memref<1x2x3x3x8x16xf32>)
      outs(%y : memref<1x2x58x56x8xf32>) {channels = 16 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// CHECK-LABEL: func.func @near_pixels
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
func.func @near_pixels(%x: memref<1x2x7x7x8xf32>, %w: memref<16x2x1x1x8x16xf32>, %y: memref<1x32x7x7x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x7x7x8xf32>, memref<16x2x1x1x8x16xf32>)
      outs(%y : memref<1x32x7x7x8xf32>) {channels = 16 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Of a map of open size a task has as many rows as have room for their sums, 510 pixels, or a part of a
// longer row. Its tiles have about equal widths, which the run chooses among those that have code.
// SELECT-LABEL: @open_map
// SELECT: #kernel.conv_schedule<rows = 1, columns = 6, depth = 3>
// CHECK-LABEL: func.func @open_map
// CHECK: %[[ROWS:.*]] = arith.divui %c510, %{{.*}} : index
// CHECK: arith.maxsi %[[ROWS]], %c1
// CHECK: scf.forall
// CHECK: memref.alloc() {{.*}} : memref<8160xf32>
// CHECK: %[[START:.*]] = arith.divui
// CHECK: scf.index_switch
// CHECK: case 5
// CHECK: default
// CHECK-NOT: kernel.conv
func.func @open_map(%x: memref<1x16x?x?x8xf32>, %w: memref<16x16x3x3x8x16xf32>, %y: memref<1x32x?x?x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x16x?x?x8xf32>, memref<16x16x3x3x8x16xf32>)
      outs(%y : memref<1x32x?x?x8xf32>) {channels = 128 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Of one tap: the three lines of a tile's six pixels are fetched two blocks of channels ahead, once for a block.
// CHECK-LABEL: @block_ahead
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c4 step %c1 iter_args
// CHECK: %[[PLACE:.*]] = arith.muli %[[BLOCK]], %c6272 : index
// CHECK: %[[TILE:.*]] = arith.addi %[[PLACE]], %{{.*}} : index
// CHECK: %[[AHEAD:.*]] = arith.addi %[[TILE]], %c12544 : index
// CHECK: memref.prefetch %{{.*}}[%[[AHEAD]]], read, locality<3>
// CHECK-COUNT-2: memref.prefetch {{.*}} locality<3>
// CHECK-COUNT-96: vector.fma
// CHECK-NEXT: scf.yield
func.func @block_ahead(%x: memref<1x4x28x28x8xf32>, %w: memref<1x4x1x1x8x16xf32>, %y: memref<1x2x28x28x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x4x28x28x8xf32>, memref<1x4x1x1x8x16xf32>)
      outs(%y : memref<1x2x28x28x8xf32>) {channels = 32 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = [],
      onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 6, prefetch_blocks = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
