// RUN: onnx-mlir-opt %s --onnxc-mark-regions | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-mark-regions --mlir-print-debuginfo | FileCheck %s --check-prefix=REGIONS

// What runs, and the locations of all that was fused into it.
// REGIONS-DAG: #[[PRODUCT:.*]] = loc("product")
// REGIONS-DAG: #[[SUM:.*]] = loc("sum")
// REGIONS-DAG: #[[SCALE:.*]] = loc("scale")
// REGIONS: onnxc.regions = [
// REGIONS-SAME: {kind = "kernel", locations = [#[[PRODUCT]]]}
// REGIONS-SAME: {kind = "copy"
// REGIONS-SAME: {kind = "topk"
// REGIONS-SAME: {kind = "kernel", locations = [#[[SUM]], #[[SCALE]]]}
// REGIONS-SAME: {kind = "loop"
// REGIONS-SAME: ]

#map = affine_map<(i, j) -> (i, j)>

// A multiply and an add for each of 8x16x32 steps; each buffer once.
// CHECK-LABEL: func.func @main_graph(
// CHECK-SAME: %[[CTX:[a-z0-9]+]]: !llvm.ptr,
// CHECK-NEXT: llvm.call @onnxc_rt_profile_start(%[[CTX]])
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 8192 : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 3584 : i64
// CHECK-DAG: %[[ID:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call @onnxc_rt_profile_begin(%[[CTX]], %[[ID]])
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: llvm.call @onnxc_rt_profile_end(%[[CTX]], %[[FLOPS]], %[[BYTES]])
func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr)
    -> i32 attributes {onnxc.entry} {
  %a = memref.alloc() : memref<8x32xf32>
  %b = memref.alloc() : memref<32x16xf32>
  %c = memref.alloc() : memref<8x16xf32>
  linalg.matmul ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>)
      outs(%c : memref<8x16xf32>) loc("product")
  // CHECK: profile_begin
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: profile_end
  %d = memref.alloc() : memref<8x16xf32>
  memref.copy %c, %d : memref<8x16xf32> to memref<8x16xf32>
  // What takes no longer than the look at the clock is not marked.
  // CHECK-NOT: profile_begin
  // CHECK: linalg.fill
  %zero = arith.constant 0.0 : f32
  %tiny = memref.alloc() : memref<63xf32>
  linalg.fill ins(%zero : f32) outs(%tiny : memref<63xf32>)
  // CHECK: profile_begin
  // CHECK-NEXT: rt.call "topk"
  // CHECK-NEXT: profile_end
  rt.call "topk"(%d : memref<8x16xf32>) {stateful}
  // A loop with work in it is no region, but the work is; a plain loop is one.
  // CHECK: scf.for
  // CHECK: profile_begin
  // CHECK-NEXT: linalg.generic
  // CHECK: profile_end
  // CHECK: profile_begin
  // CHECK-NEXT: scf.for
  // CHECK-NOT: profile_begin
  // CHECK: profile_end
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %i = %0 to %n step %1 {
    linalg.generic {indexing_maps = [#map, #map],
                    iterator_types = ["parallel", "parallel"]}
        ins(%c : memref<8x16xf32>) outs(%d : memref<8x16xf32>) {
    ^bb0(%x: f32, %y: f32):
      %scaled = arith.mulf %x, %x : f32 loc("scale")
      %sum = arith.addf %scaled, %y : f32 loc("sum")
      linalg.yield %sum : f32 loc("sum")
    } loc("sum")
  }
  scf.for %i = %0 to %n step %1 {
    memref.store %zero, %tiny[%0] : memref<63xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
