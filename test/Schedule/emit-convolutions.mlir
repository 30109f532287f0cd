// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-select-schedule --onnxc-emit-kernels --canonicalize | FileCheck %s

#channel = affine_map<(n, f, h, w, l) -> (f, l)>

// Seven pixels by two vectors; rows are clipped by the bounds of their loop, the border's
// columns at compile time; the epilogue stands before the store.
// CHECK-LABEL: @window
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (2, 28)
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: memref.load
// CHECK: vector.broadcast
// CHECK: vector.fma
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK-NOT: kernel.conv
func.func @window(%x: memref<1x2x28x28x16xf32>, %w: memref<2x2x3x3x16x32xf32>, %b: memref<4x16xf32>, %y: memref<1x4x28x28x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x28x28x16xf32>, memref<2x2x3x3x16x32xf32>) extras(%b : memref<4x16xf32>)
      outs(%y : memref<1x4x28x28x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      epilogue_maps = [#channel], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 7>} epilogue {
  ^bb0(%sum: f32, %bias: f32):
    %r = arith.addf %sum, %bias : f32
    kernel.yield %r : f32
  }
  return
}

// One tap: all pixels are one row, which threads share as there is one panel, and the next
// tile's pixels are fetched ahead.
// CHECK-LABEL: @pointwise
// CHECK: scf.forall (%{{.*}}) in (15)
// CHECK: memref.prefetch
// CHECK: vector.fma
func.func @pointwise(%x: memref<1x2x28x28x16xf32>, %w: memref<1x2x1x1x16x64xf32>, %y: memref<1x4x28x28x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x28x28x16xf32>, memref<1x2x1x1x16x64xf32>)
      outs(%y : memref<1x4x28x28x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 6, prefetch_image = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Tiles of seven pixels by two vectors: of a block's 16 channels eight are
// written out, in a loop.
// CHECK-LABEL: @narrow
// CHECK: scf.for {{.*}} = %c0 to %c16 step %c8
// CHECK-COUNT-112: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield
func.func @narrow(%x: memref<1x2x1x14x16xf32>, %w: memref<1x2x1x1x16x32xf32>, %y: memref<1x2x1x14x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x1x14x16xf32>, memref<1x2x1x1x16x32xf32>)
      outs(%y : memref<1x2x1x14x16xf32>) {channels = 32 : i64, filters = 32 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 9>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Channels are the lanes: no element is broadcast.
// CHECK-LABEL: @depthwise
// CHECK-NOT: vector.broadcast
// CHECK: vector.fma
func.func @depthwise(%x: memref<1x2x28x28x16xf32>, %w: memref<2x3x3x16xf32>, %y: memref<1x2x28x28x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x28x28x16xf32>, memref<2x3x3x16xf32>)
      outs(%y : memref<1x2x28x28x16xf32>) {channels = 32 : i64, filters = 32 : i64, group = 32 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Squares of 16 pixels by 16 channels are transposed in registers.
// CHECK-LABEL: @reorder
// CHECK-COUNT-64: vector.shuffle
func.func @reorder(%x: memref<1x16x4x4xf32>, %y: memref<1x1x4x4x16xf32>) {
  kernel.reorder ins(%x : memref<1x16x4x4xf32>) outs(%y : memref<1x1x4x4x16xf32>)
  return
}

// Three zeros between two pixels, and two taps: of four phases two meet a pixel, with one tap
// each; in the other two there is the epilogue alone. Each writes every fourth place.
// CHECK-LABEL: @spread
// CHECK-COUNT-2: vector.fma
// CHECK-NOT: vector.fma
// CHECK: arith.muli %{{.*}}, %c64
// CHECK: vector.store
func.func @spread(%x: memref<1x1x6x16xf32>, %w: memref<1x1x2x16x16xf32>, %y: memref<1x1x22x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x1x6x16xf32>, memref<1x1x2x16x16xf32>)
      outs(%y : memref<1x1x22x16xf32>) {channels = 16 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 1, 1>,
      spread = array<i64: 4>, epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 1>} epilogue {
  ^bb0(%sum: f32):
    %r = math.absf %sum : f32
    kernel.yield %r : f32
  }
  return
}

// A row of unknown length begins and ends with tiles of seven widths, which have the same code at
// both ends and for all taps; a full one goes over its middle. What makes results of sums is
// written out once for these and once for that.
// CHECK-LABEL: @open_ends
// CHECK-COUNT-28: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK-COUNT-7: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @open_ends(%x: memref<1x2x28x?x16xf32>, %w: memref<2x2x3x3x16x16xf32>, %y: memref<1x2x28x?x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x28x?x16xf32>, memref<2x2x3x3x16x16xf32>)
      outs(%y : memref<1x2x28x?x16xf32>) {channels = 32 : i64, filters = 32 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 7>} epilogue {
  ^bb0(%sum: f32):
    %r = math.exp %sum : f32
    kernel.yield %r : f32
  }
  return
}

// Four phases of two taps each, of a result of unknown length: the code of one, with tiles of one,
// two and three columns at the ends, and of three between.
// CHECK-LABEL: @open_phases
// CHECK-COUNT-9: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @open_phases(%x: memref<1x1x?x16xf32>, %w: memref<1x1x8x16x16xf32>, %y: memref<1x1x?x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x1x?x16xf32>, memref<1x1x8x16x16xf32>)
      outs(%y : memref<1x1x?x16xf32>) {channels = 16 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 5, 5>,
      spread = array<i64: 4>, epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 3>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Few panels of a small map: threads share the rows of each; those whose tiles need known taps
// or fetch weights have code of their own.
// CHECK-LABEL: @shared
// CHECK: scf.forall (%{{.*}}, %[[ROWS:.*]]) in (2, 4) {
// CHECK: scf.index_switch %[[ROWS]]
// CHECK: case 2
// CHECK: default
// CHECK: onnxc.work = 3456
// CHECK-NOT: scf.forall
func.func @shared(%x: memref<1x2x7x7x16xf32>, %w: memref<2x2x3x3x16x32xf32>, %y: memref<1x4x7x7x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x7x7x16xf32>, memref<2x2x3x3x16x32xf32>)
      outs(%y : memref<1x4x7x7x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 2, columns = 7, prefetch_filter = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// The greatest of each column of the windows first: nine columns are loaded for seven pixels,
// in a loop over rows; then there are two comparisons for each pixel.
// CHECK-LABEL: @maximum
// CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[LOW]],
// CHECK-COUNT-9: arith.maximumf {{.*}} fastmath<nsz>
// CHECK-NOT: arith.maximumf
// CHECK: scf.yield
// CHECK-COUNT-14: arith.maximumf
// CHECK-NOT: arith.maximumf
// CHECK: return
func.func @maximum(%x: memref<1x2x8x9x16xf32>, %w: memref<1x3x3x16xf32>, %y: memref<1x2x8x7x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x8x9x16xf32>, memref<1x3x3x16xf32>)
      outs(%y : memref<1x2x8x7x16xf32>) {channels = 32 : i64, filters = 32 : i64, group = 32 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 0>, maximum,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 7>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// One block of channels: threads share its pixels; the last ones belong to the last part.
// CHECK-LABEL: @blocked
// CHECK: scf.forall (%[[PART:.*]]) in (7) {
// CHECK: %[[FROM:.*]] = arith.muli %[[PART]], %c144
// CHECK: vector.shuffle
// CHECK: scf.if
// CHECK: onnxc.work = 1152
// CHECK-NOT: scf.forall
func.func @blocked(%x: memref<1x16x30x33xf32>, %y: memref<1x1x30x33x16xf32>) {
  kernel.reorder ins(%x : memref<1x16x30x33xf32>) outs(%y : memref<1x1x30x33x16xf32>)
  return
}

// Weights that are halves are widened a vector at a time; the result is rounded before it is stored.
// CHECK-LABEL: @halves
// CHECK: %[[W:.*]] = vector.load {{.*}} vector<16xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[W]] : vector<16xf16> to vector<16xf32>
// CHECK: vector.fma %{{.*}}, %[[WIDE]], %{{.*}} : vector<16xf32>
// CHECK: %[[Y:.*]] = arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: vector.store %[[Y]]
func.func @halves(%x: memref<1x2x28x28x16xf32>, %w: memref<4x2x1x1x16x16xf16>, %y: memref<1x4x28x28x16xf16>) {
  kernel.conv ins(%x, %w : memref<1x2x28x28x16xf32>, memref<4x2x1x1x16x16xf16>)
      outs(%y : memref<1x4x28x28x16xf16>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 7>} epilogue {
  ^bb0(%sum: f32):
    %half = arith.truncf %sum : f32 to f16
    kernel.yield %half : f16
  }
  return
}

// So it is in a small map, whose tiles are not shared out in rows.
// CHECK-LABEL: @few_pixels_of_halves
// CHECK-NOT: memref.alloc
// CHECK: %[[W:.*]] = vector.load {{.*}} vector<16xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[W]]
// CHECK: vector.fma %{{.*}}, %[[WIDE]], %{{.*}} : vector<16xf32>
// CHECK-NOT: memref.alloc
// CHECK-LABEL: @widened
func.func @few_pixels_of_halves(%x: memref<1x2x7x7x16xf32>, %w: memref<4x2x1x1x16x16xf16>, %y: memref<1x4x7x7x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x7x7x16xf32>, memref<4x2x1x1x16x16xf16>)
      outs(%y : memref<1x4x7x7x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 7>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// A panel that several tiles read is widened before, by each part of the pixels; tiles load floats.
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (4, 7)
// CHECK: %[[FLOATS:.*]] = memref.alloc() {{.*}} : memref<512xf32>
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: vector.store {{.*}}, %[[FLOATS]]
// CHECK: %[[W:.*]] = vector.load %[[FLOATS]]{{.*}} vector<16xf32>
// CHECK-NOT: arith.extf
// CHECK: vector.fma %{{.*}}, %[[W]], %{{.*}} : vector<16xf32>
func.func @widened(%x: memref<1x2x56x56x16xf32>, %w: memref<4x2x1x1x16x16xf16>, %y: memref<1x4x56x56x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x56x56x16xf32>, memref<4x2x1x1x16x16xf16>)
      outs(%y : memref<1x4x56x56x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 7, widen = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Slices of larger buffers: pixels of one row follow each other in steps, rows are walked one by one.
// CHECK-LABEL: @blocked_slices
// CHECK: scf.forall (%[[ROW:.*]]) in (5) {
// CHECK: arith.muli %[[ROW]], %c40
// CHECK: arith.muli %[[ROW]], %c320
// CHECK: scf.for %[[PIXEL:.*]] = %c0 to %c6 step %c1 {
// CHECK: arith.muli %[[PIXEL]], %c2 :
// CHECK: arith.muli %[[PIXEL]], %c32 :
func.func @blocked_slices(%x: memref<1x16x5x6xf32, strided<[4000, 200, 40, 2]>>, %y: memref<1x1x5x6x16xf32, strided<[3200, 3200, 320, 32, 1]>>) {
  kernel.reorder ins(%x : memref<1x16x5x6xf32, strided<[4000, 200, 40, 2]>>) outs(%y : memref<1x1x5x6x16xf32, strided<[3200, 3200, 320, 32, 1]>>)
  return
}

// 433 pixels in three parts: 145 of them, rounded up to whole vectors.
// CHECK-LABEL: @parts
// CHECK: scf.forall (%[[PART:.*]]) in (3) {
// CHECK: arith.muli %[[PART]], %c160
func.func @parts(%x: memref<1x16x433xf32>, %y: memref<1x1x433x16xf32>) {
  kernel.reorder ins(%x : memref<1x16x433xf32>) outs(%y : memref<1x1x433x16xf32>)
  return
}

#pixel = affine_map<(n, f, w, l) -> (n, f, w, l)>

// A row of unknown length: up to six columns are a tile; others two tiles, of which the second leaves out
// the pixels that the first has written over what the epilogue reads.
// CHECK-LABEL: @open_row
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[DONE:.*]] = %c0) -> (index) {
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[DONE]] : index
// CHECK: %[[STORED:.*]] = arith.subi %[[DONE]], %[[AT]] : index
// CHECK: scf.index_switch
// CHECK: case 5 {
// CHECK: default {
// CHECK: %[[OWN:.*]] = arith.cmpi sle, %[[STORED]], %c0
// CHECK-NEXT: scf.if %[[OWN]] {
// CHECK: vector.load
// CHECK: vector.store
func.func @open_row(%x: memref<1x1x?x16xf32>, %w: memref<1x1x3x16x16xf32>, %r: memref<1x1x?x16xf32>, %y: memref<1x1x?x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x1x?x16xf32>, memref<1x1x3x16x16xf32>) extras(%r : memref<1x1x?x16xf32>)
      outs(%y : memref<1x1x?x16xf32>) {channels = 16 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 1, 1>,
      epilogue_maps = [#pixel], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 6>} epilogue {
  ^bb0(%sum: f32, %more: f32):
    %z = arith.addf %sum, %more : f32
    kernel.yield %z : f32
  }
  return
}

// -----

// A long row with strides is shared by threads in parts, each with code of its own: sixteen, however many tiles it has.
// CHECK-LABEL: func.func @long_row
// CHECK: scf.forall ({{.*}}) in (16)
// CHECK: scf.index_switch
// CHECK: case 14
// CHECK-NOT: case
// CHECK: default
// CHECK: return
func.func @long_row(%x: memref<1x1x4001x16xf32>, %w: memref<1x1x1x16x16xf32>, %y: memref<1x1x2001x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x1x4001x16xf32>, memref<1x1x1x16x16xf32>)
      outs(%y : memref<1x1x2001x16xf32>) {channels = 16 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = [],
      onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
