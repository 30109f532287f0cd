// RUN: onnx-mlir-opt %s --split-input-file --onnxc-select-schedule --onnxc-emit-kernels | FileCheck %s
// RUN: onnx-mlir-opt %s --split-input-file --onnxc-select-schedule --onnxc-emit-kernels=strict --verify-diagnostics -o /dev/null
// A kernel that there is no vector code for becomes scalar loops. Builds with assertions find it an error.

// A panel of 16 filters would belong to two groups of 24.
// CHECK-LABEL: @panel_of_two_groups
// CHECK-NOT: vector
// CHECK: %[[X:.*]] = memref.load %arg0
// CHECK: %[[W:.*]] = memref.load %arg1
// CHECK: arith.mulf %[[X]], %[[W]] : f32
// CHECK: memref.store {{.*}}, %arg2
// CHECK-NOT: kernel.conv
func.func @panel_of_two_groups(%x: memref<1x2x9x8xf32>, %w: memref<4x1x1x8x16xf32>, %y: memref<1x6x9x8xf32>) {
  // expected-error @below {{has no vector code for this form: the filters of a group end within a panel}}
  kernel.conv ins(%x, %w : memref<1x2x9x8xf32>, memref<4x1x1x8x16xf32>) outs(%y : memref<1x6x9x8xf32>)
      {channels = 16 : i64, filters = 48 : i64, group = 2 : i64, strides = array<i64: 1>, dilations = array<i64: 1>,
       pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Dead lanes would divide by whatever they hold.
// CHECK-LABEL: @divides
// CHECK-NOT: vector
// CHECK: arith.ceildivsi
// CHECK: memref.store
func.func @divides(%x: memref<5x7xi8>, %w: memref<7x9xi8>, %b: memref<9xi32>, %y: memref<5x9xi32>) {
  // expected-error @below {{has no vector code for this form: 'arith.ceildivsi' has no vector form}}
  kernel.matmul ins(%x, %w : memref<5x7xi8>, memref<7x9xi8>) extras(%b : memref<9xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %d: i32):
    %q = arith.ceildivsi %sum, %d : i32
    kernel.yield %q : i32
  }
  return
}

// -----

// CHECK-LABEL: @narrow_panel
// CHECK-NOT: vector
// CHECK: arith.extui
func.func @narrow_panel(%x: memref<3x4xi8>, %w: memref<1x1x6x4xi8>, %y: memref<3x6xi32>) {
  // expected-error @below {{expected panels of whole vectors}}
  kernel.integer_dot ins(%x, %w : memref<3x4xi8>, memref<1x1x6x4xi8>) outs(%y : memref<3x6xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// CHECK-LABEL: @narrow_words
// CHECK-NOT: vector
// CHECK: arith.shrsi
func.func @narrow_words(%x: memref<3x8xf32>, %w: memref<1x1x6xi32>, %s: memref<1x1x1x6xf32>, %y: memref<3x6xf32>) {
  // expected-error @below {{expected panels of whole vectors}}
  kernel.block_matmul ins(%x, %w, %s : memref<3x8xf32>, memref<1x1x6xi32>, memref<1x1x1x6xf32>) outs(%y : memref<3x6xf32>)
      {bits = 4 : i64, block = 8 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Elements of one of the operands are half a byte.
// CHECK-LABEL: @half_bytes
// CHECK-NOT: vector
// CHECK: arith.extsi %{{.*}} : i4 to i32
// CHECK: memref.store
func.func @half_bytes(%x: memref<5x8xi8>, %w: memref<8x16xi4>, %y: memref<5x16xi32>) {
  // expected-error @below {{has no vector code for this form: elements are not whole bytes}}
  kernel.matmul ins(%x, %w : memref<5x8xi8>, memref<8x16xi4>) outs(%y : memref<5x16xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
