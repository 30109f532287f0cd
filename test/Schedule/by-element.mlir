// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=generic features=+dotprod" --onnxc-select-schedule --onnxc-emit-kernels --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=generic features=+dotprod,+i8mm" --onnxc-select-schedule --onnxc-emit-kernels --canonicalize | FileCheck %s --check-prefix=BLOCKS
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=generic features=+dotprod" --onnxc-select-schedule | FileCheck %s --check-prefix=SCHEDULE

#lhs = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (k, m)>
#rows = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Multiply-adds take one element of a vector: seven rows come by four steps of
// the sum; the two steps that are left, one by one.
// SCHEDULE: #kernel.matmul_schedule<rows = 7, columns = 12, by_element = true>
// CHECK-LABEL: @matmul
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c4
// CHECK-NOT: memref.load
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0]
// CHECK-COUNT-63: vector.fma
// CHECK: vector.shuffle %{{.*}} [3, 3, 3, 3]
// CHECK-COUNT-21: vector.fma
// CHECK: scf.for %{{.*}} = %c8 to %c10 step %c1
// CHECK-NOT: vector.shuffle
// CHECK: memref.load
func.func @matmul(%x: memref<7x10xf32>, %w: memref<10x12xf32>, %y: memref<7x12xf32>) {
  kernel.matmul ins(%x, %w : memref<7x10xf32>, memref<10x12xf32>)
      outs(%y : memref<7x12xf32>) {indexing_maps = [#lhs, #rows, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// Where steps lie apart there is no vector of them.
// SCHEDULE-NOT: by_element
// CHECK-LABEL: @columns_of_lhs
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @columns_of_lhs(%x: memref<10x7xf32>, %w: memref<10x12xf32>, %y: memref<7x12xf32>) {
  kernel.matmul ins(%x, %w : memref<10x7xf32>, memref<10x12xf32>)
      outs(%y : memref<7x12xf32>) {indexing_maps = [#transposed, #rows, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// All channels of a block at once: of nine pixels and two vectors.
// SCHEDULE: @convolution
// SCHEDULE: #kernel.conv_schedule<rows = 1, columns = 9, prefetch_filter = true, by_element = true>
// CHECK-LABEL: @convolution
// CHECK-NOT: memref.load
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0]
// CHECK-COUNT-18: vector.fma
// CHECK: vector.shuffle %{{.*}} [1, 1, 1, 1]
// CHECK: return
func.func @convolution(%x: memref<1x2x1x9x4xf32>, %w: memref<1x2x1x1x4x8xf32>, %y: memref<1x2x1x9x4xf32>) {
  kernel.conv ins(%x, %w : memref<1x2x1x9x4xf32>, memref<1x2x1x1x4x8xf32>)
      outs(%y : memref<1x2x1x9x4xf32>) {channels = 8 : i64, filters = 8 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Bytes: four dot products of each vector, weights first; what is left, apart.
// With instructions for blocks, eight channels of two rows by two columns: sums
// are exchanged behind the loop. The seven rows at the end have none.
// CHECK-LABEL: @dots
// CHECK: vector.load {{.*}} vector<16xi8>
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0]
// CHECK: llvm.aarch64.neon.sdot
// BLOCKS-LABEL: @dots
// BLOCKS: vector.load {{.*}} vector<8xi8>
// BLOCKS: vector.shuffle %{{.*}} [2, 6, 3, 7]
// BLOCKS: llvm.aarch64.neon.smmla
// BLOCKS-NOT: sdot
// BLOCKS: vector.shuffle %{{.*}} [0, 1, 4, 5]
// BLOCKS: vector.shuffle %{{.*}} [0, 0, 0, 0]
// BLOCKS: llvm.aarch64.neon.sdot
// BLOCKS-NOT: smmla
func.func @dots(%x: memref<15x24xi8>, %w: memref<1x6x8x4xi8>, %y: memref<15x8xi32>) {
  kernel.integer_dot ins(%x, %w : memref<15x24xi8>, memref<1x6x8x4xi8>) outs(%y : memref<15x8xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], image_signed} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// Channels that eight does not divide have no blocks.
// BLOCKS-LABEL: @four_channels
// BLOCKS-NOT: mmla
// BLOCKS: llvm.aarch64.neon.usdot
func.func @four_channels(%x: memref<2x20xi8>, %w: memref<1x5x8x4xi8>, %y: memref<2x8xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x20xi8>, memref<1x5x8x4xi8>) outs(%y : memref<2x8xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
