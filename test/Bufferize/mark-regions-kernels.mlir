// RUN: onnx-mlir-opt %s --onnxc-mark-regions --split-input-file | FileCheck %s

// A multiply and an add for each product of a kernel: 14x40 sums of 64, groups
// of four; 4x4x16 sums of 3x3. Bytes: each operand once.
// CHECK-LABEL: func.func @main_graph(
// CHECK-DAG: %[[DOTS:.*]] = arith.constant 71680 : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 7232 : i64
// CHECK: kernel.integer_dot ins({{.*}} : memref<14x64xi8>
// CHECK: llvm.call @onnxc_rt_profile_end(%{{.*}}, %[[DOTS]], %[[BYTES]])
// CHECK: %[[WINDOWS:.*]] = arith.constant 4608 : i64
// CHECK: kernel.integer_dot ins({{.*}} : memref<1x6x6x16xi8>
// CHECK: llvm.call @onnxc_rt_profile_end(%{{.*}}, %[[WINDOWS]], %{{.*}})
func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr)
    -> i32 attributes {onnxc.entry} {
  %x = memref.alloc() : memref<14x64xi8>
  %w = memref.alloc() : memref<2x16x32x4xi8>
  %y = memref.alloc() : memref<14x40xi32>
  kernel.integer_dot ins(%x, %w : memref<14x64xi8>, memref<2x16x32x4xi8>) outs(%y : memref<14x40xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  %p = memref.alloc() : memref<1x6x6x16xi8>
  %q = memref.alloc() : memref<3x3x16xi8>
  %r = memref.alloc() : memref<1x4x4x16xi32>
  kernel.integer_dot ins(%p, %q : memref<1x6x6x16xi8>, memref<3x3x16xi8>) outs(%r : memref<1x4x4x16xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = [], depthwise} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Without an entry there is no run to measure.
// CHECK-NOT: onnxc.regions
// CHECK-LABEL: func.func @no_entry
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: return
func.func @no_entry() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}
