// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-emit-kernels --canonicalize | FileCheck %s

// Two shares of the channels: the pixels of the image are transformed first, in tasks of a
// row of squares and a share. Then a task is a panel: it transforms the weights of a share,
// multiplies them for 36 places by 16 squares, in tiles of five and six, and adds to the sums
// of the share before. The last squares of the 14 pixels of a row have two.
// CHECK-LABEL: @image
// CHECK: memref.alloc() {{.*}} : memref<148608xf32>
// CHECK: scf.forall (%[[ROW:.*]], %[[SHARE:.*]]) in (4, 2)
// CHECK: arith.muli %[[SHARE]], %c16 : index
// CHECK: arith.muli %[[ROW]], %c4 : index
// CHECK: arith.cmpi ult
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: memref.alloc() {{.*}} : memref<74304xf32>
// All 36 * 17 * 16 sums start at 0.
// CHECK: memref.alloc() {{.*}} : memref<9792xf32>
// CHECK-NEXT: scf.for {{.*}} = %c0 to %c9792 step %c8
// CHECK: vector.load
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12: vector.fma
// CHECK: arith.maximumf
// CHECK: vector.store
// CHECK-NOT: kernel.conv
func.func @image(%x: memref<1x32x14x14x8xf32>, %w: memref<2x16x3x3x16x16xf32>, %y: memref<1x4x14x14x8xf32>) {
  kernel.conv ins(%x, %w : memref<1x32x14x14x8xf32>, memref<2x16x3x3x16x16xf32>)
      outs(%y : memref<1x4x14x14x8xf32>) {channels = 256 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 128>} epilogue {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// All weights first, in one task for each panel; then tasks are bands of two rows of squares.
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
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 32, band = 2>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Two images, 8 * 32 * 32 * 8 numbers apart.
// CHECK-LABEL: @images
// CHECK: scf.for %[[BATCH:.*]] = %c0 to %c2 step %c1
// CHECK-NEXT: scf.forall
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c8 step %c1
// CHECK-NEXT: arith.muli %[[BATCH]], %c65536 : index
// CHECK-NEXT: arith.muli %[[BLOCK]], %c8192 : index
// CHECK-NOT: kernel.conv
func.func @images(%x: memref<2x8x32x32x8xf32>, %w: memref<2x4x3x3x16x16xf32>, %y: memref<2x4x32x32x8xf32>) {
  kernel.conv ins(%x, %w : memref<2x8x32x32x8xf32>, memref<2x4x3x3x16x16xf32>)
      outs(%y : memref<2x4x32x32x8xf32>) {channels = 64 : i64, filters = 32 : i64, group = 1 : i64, winograd_error = 1.5 : f32,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
