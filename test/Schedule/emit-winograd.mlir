// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-emit-kernels --canonicalize | FileCheck %s

// Two shares of the channels: the pixels of the image are transformed first, in tasks of a
// row of squares and a share. Then a task is a panel: it transforms the weights of a share,
// multiplies them for 36 places by 16 squares, in tiles of five and six, and adds to the sums
// of the share before. Of the 14 pixels of a row three whole squares are made, then the others.
// CHECK-LABEL: @image
// CHECK: memref.alloc() {{.*}} : memref<148608xf32>
// CHECK: scf.forall (%[[ROW:.*]], %[[SHARE:.*]]) in (4, 2)
// CHECK: %[[FROM:.*]] = arith.muli %[[ROW]], %c4 : index
// CHECK: arith.floordivsi %[[FROM]], %c4 : index
// CHECK: arith.muli %[[SHARE]], %c74304 : index
// CHECK: arith.cmpi ult
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: memref.alloc() {{.*}} : memref<74304xf32>
// CHECK: memref.alloc() {{.*}} : memref<9792xf32>
// While a tile is multiplied, the next one's pixels are fetched. The channels of a share are
// summed up by themselves.
// CHECK: scf.for %{{.*}} = %c0 to %c768 step %c16
// CHECK: memref.prefetch
// CHECK: scf.for {{.*}} iter_args({{.*}} = %[[ZERO:cst[_0-9]*]], {{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12: vector.fma
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0 : index
// CHECK: %[[BEFORE:.*]] = arith.select %[[FIRST]], %[[ZERO]], %{{.*}} : vector<8xf32>
// CHECK: arith.addf %[[BEFORE]], %{{.*}} : vector<8xf32>
// CHECK: %[[WHOLE:.*]] = arith.minsi %{{.*}}, %c3 : index
// CHECK: arith.cmpi slt, %{{.*}}, %c3 : index
// CHECK: arith.maximumf
// CHECK: vector.store
// CHECK: arith.minsi %{{.*}}, %c4 : index
// CHECK-NOT: kernel.conv
func.func @image(%x: memref<1x32x14x14x8xf32>, %w: memref<2x16x3x3x16x16xf32>, %y: memref<1x4x14x14x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x32x14x14x8xf32>, memref<2x16x3x3x16x16xf32>)
      outs(%y : memref<1x4x14x14x8xf32>) {channels = 256 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 128, run = 16>} epilogue {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// Weights that come from memory: for each of 36 places a part of the next share is fetched, 16 of its 576 lines, before products are made.
// CHECK-LABEL: @far_weights
// CHECK: scf.for %[[PLACE:.*]] = %c0 to %c36 step %c1
// CHECK: arith.muli %[[PLACE]], %c256 : index
// CHECK-COUNT-16: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: locality<2>
// CHECK: vector.fma
func.func @far_weights(%x: memref<1x32x7x7x8xf32>, %w: memref<16x16x3x3x16x16xf32>, %y: memref<1x32x7x7x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x32x7x7x8xf32>, memref<16x16x3x3x16x16xf32>)
      outs(%y : memref<1x32x7x7x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 2, depth = 64, run = 4>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Three slices of a window, each with two shares of the channels: a task has the pixels of a slice
// of the image, if there is one, and transforms those of the share.
// CHECK-LABEL: @slices
// CHECK: scf.forall (%{{.*}}, %[[SHARE:.*]]) in (5, 6)
// CHECK: %[[SLICE:.*]] = arith.floordivsi %[[SHARE]], %c2 : index
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[SLICE]] : index
// CHECK: %[[PLACE:.*]] = arith.subi %[[AT]], %c1 : index
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[PLACE]], %c5 : index
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %{{.*}}, %c4 : index
// CHECK: arith.andi %[[ROW]], %[[HAS]] : i1
// CHECK-NOT: kernel.conv
func.func @slices(%x: memref<1x32x5x4x4x8xf32>, %w: memref<2x16x3x3x3x16x16xf32>, %y: memref<1x4x5x4x4x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x32x5x4x4x8xf32>, memref<2x16x3x3x3x16x16xf32>)
      outs(%y : memref<1x4x5x4x4x8xf32>) {channels = 256 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 128, run = 5>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Two groups of two shares and two blocks of channels, one after the other: pixels are those of the group's own blocks, and its
// panel is behind the first one's.
// CHECK-LABEL: @groups
// CHECK: scf.for %[[GROUP:.*]] = %c0 to %c2 step %c1
// CHECK: scf.forall (%{{.*}}, %[[SHARE:.*]]) in (2, 2)
// CHECK: %[[BEFORE:.*]] = arith.muli %[[GROUP]], %c2 : index
// CHECK: %[[BLOCK:.*]] = arith.addi %[[SHARE]], %[[BEFORE]] : index
// CHECK: arith.muli %[[BLOCK]], %c512 : index
// CHECK: arith.muli %[[GROUP]], %c2304 : index
// CHECK-NOT: kernel.conv
func.func @groups(%x: memref<1x4x8x8x8xf32>, %w: memref<2x2x3x3x8x16xf32>, %y: memref<1x4x8x8x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x4x8x8x8xf32>, memref<2x2x3x3x8x16xf32>)
      outs(%y : memref<1x4x8x8x8xf32>) {channels = 32 : i64, filters = 32 : i64, group = 2 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 2, depth = 8, run = 4>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// A task is a group, and a part of its 13 runs of four squares (of the 64 that it should have, there are none): it transforms the weights
// of its own panel first. Four channels are written out, of four squares and two vectors each.
// CHECK-LABEL: @group_by_group
// CHECK: scf.forall (%[[GROUP:.*]]) in (2)
// CHECK: arith.muli %[[GROUP]], %c2304 : index
// CHECK: scf.for %{{.*}} = %c0 to %c13 step %c1
// CHECK: arith.muli %[[GROUP]], %c2 : index
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4 iter_args
// CHECK-COUNT-32: vector.fma
// CHECK: scf.yield
// CHECK-NOT: kernel.conv
func.func @group_by_group(%x: memref<1x4x26x26x8xf32>, %w: memref<2x2x3x3x8x16xf32>, %y: memref<1x4x26x26x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x4x26x26x8xf32>, memref<2x2x3x3x8x16xf32>)
      outs(%y : memref<1x4x26x26x8xf32>) {channels = 32 : i64, filters = 32 : i64, group = 2 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 2, depth = 16, run = 4, weights_first = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// All weights first, in one task for each panel; then tasks are runs of 16 squares.
// CHECK-LABEL: @bands
// CHECK: memref.alloc() {{.*}} : memref<38016xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: memref.alloc() {{.*}} : memref<19008xf32>
// CHECK-NOT: kernel.conv
func.func @bands(%x: memref<1x4x32x32x8xf32>, %w: memref<2x2x3x3x16x16xf32>, %y: memref<1x4x32x32x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x4x32x32x8xf32>, memref<2x2x3x3x16x16xf32>)
      outs(%y : memref<1x4x32x32x8xf32>) {channels = 32 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 32, run = 16, weights_first = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Two images, 8 * 32 * 32 * 8 numbers apart, whose 128 squares have products together: in rows
// of eight, of which each image has eight.
// CHECK-LABEL: @images
// CHECK: scf.forall (%[[ROW:.*]]) in (16)
// CHECK: arith.muli %[[ROW]], %c8 : index
// CHECK: scf.for %[[NUMBER:.*]] = %{{.*}} to
// CHECK: %[[BATCH:.*]] = arith.floordivsi %[[NUMBER]], %c8 : index
// CHECK: arith.muli %[[BATCH]], %c65536 : index
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.for %{{.*}} = %c0 to %c108 step %c6
// CHECK: scf.for %{{.*}} = %c108 to %c128 step %c5
// CHECK-NOT: kernel.conv
func.func @images(%x: memref<2x8x32x32x8xf32>, %w: memref<2x4x3x3x16x16xf32>, %y: memref<2x4x32x32x8xf32>) {
  kernel.conv ins(%x, %w : memref<2x8x32x32x8xf32>, memref<2x4x3x3x16x16xf32>)
      outs(%y : memref<2x4x32x32x8xf32>) {channels = 64 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 128>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Whether it pays is known with the sizes. Runs of at most 60 squares are of about the same
// length, in whole tiles; the last one ends with a tile of two, four or six squares, and zeros
// are what it has behind the last square.
// CHECK-LABEL: @open_size
// CHECK: %[[IMAGE:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: %[[RUNS:.*]] = arith.maxsi %{{.*}}, %c1 : index
// CHECK: %[[SQUARES:.*]] = arith.muli %[[IMAGE]], %c176 : index
// CHECK: %[[COST:.*]] = arith.addi %[[SQUARES]], %c500 : index
// CHECK: %[[DIRECT:.*]] = arith.muli %{{.*}}, %c16 : index
// CHECK: %[[PAYS:.*]] = arith.cmpi slt, %[[COST]], %[[DIRECT]] : index
// CHECK: scf.if %[[PAYS]] {
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.forall (%{{.*}}) in (%{{.*}})
// CHECK: memref.alloc() {{.*}} : memref<69696xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c36 step %c1
// CHECK: vector.store %cst
// CHECK: scf.index_switch
// CHECK: case 1
// CHECK: case 2
// CHECK: default
// CHECK: } else {
// CHECK: scf.forall
// CHECK-NOT: kernel.conv
func.func @open_size(%x: memref<1x4x?x?x8xf32>, %w: memref<2x2x3x3x16x16xf32>, %y: memref<1x4x?x?x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x4x?x?x8xf32>, memref<2x2x3x3x16x16xf32>)
      outs(%y : memref<1x4x?x?x8xf32>) {channels = 32 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 32, run = 60, weights_first = true,
      square_cost = 176, fixed_cost = 500, direct = #kernel.conv_schedule<rows = 1, columns = 6>>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Images whose number alone is open have runs of their own, of known length.
// CHECK-LABEL: @open_batch
// CHECK: scf.for %[[STEP:.*]] = %c0 to %{{.*}} step %c1
// CHECK: arith.muli %[[STEP]], %c64 : index
// CHECK-NOT: scf.index_switch
// CHECK-NOT: kernel.conv
func.func @open_batch(%x: memref<?x8x32x32x8xf32>, %w: memref<2x4x3x3x16x16xf32>, %y: memref<?x4x32x32x8xf32>) {
  kernel.conv ins(%x, %w : memref<?x8x32x32x8xf32>, memref<2x4x3x3x16x16xf32>)
      outs(%y : memref<?x4x32x32x8xf32>) {channels = 64 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 64>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// A window of seven taps in a row is two parts of four and three. A task transforms the pixels of
// a part, which begin four pixels behind those of the first one; of the last part the fourth tap's
// weights are zeros. Tiles of four pixels have seven products.
// CHECK-LABEL: @parts_of_a_row
// CHECK: scf.forall (%[[PART:.*]]) in (2)
// CHECK: %[[TAP:.*]] = arith.muli %[[PART]], %c4 : index
// CHECK: arith.subi %[[TAP]], %c3 : index
// CHECK: scf.forall
// CHECK: scf.for %[[SHARE:.*]] = %c0 to %c2 step %c1
// CHECK: %[[IS:.*]] = arith.cmpi ule, %{{.*}}, %c6 : index
// CHECK: %[[AT:.*]] = arith.minsi %{{.*}}, %c6 : index
// CHECK: arith.select %[[IS]], %{{.*}}, %cst{{.*}} : vector<8xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c7 step %c1
// CHECK-NOT: kernel.conv
func.func @parts_of_a_row(%x: memref<1x8x40x8xf32>, %w: memref<2x4x7x16x16xf32>, %y: memref<1x4x40x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x8x40x8xf32>, memref<2x4x7x16x16xf32>)
      outs(%y : memref<1x4x40x8xf32>) {channels = 64 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32, winograd_taps = array<i64: 4>,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 3, 3>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 64, run = 10>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
