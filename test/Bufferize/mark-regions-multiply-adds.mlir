// RUN: onnx-mlir-opt %s --onnxc-mark-regions | FileCheck %s

#id = affine_map<(i) -> (i)>

// A multiply-add is two operations, of which 100 are done; four bytes of each of
// four buffers are read or written.
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 200 : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1600 : i64
// CHECK: linalg.generic
// CHECK: llvm.call @onnxc_rt_profile_end(%{{[^,]*}}, %[[FLOPS]], %[[BYTES]])
func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr)
    -> i32 attributes {onnxc.entry} {
  %x = memref.alloc() : memref<100xf32>
  %y = memref.alloc() : memref<100xf32>
  %z = memref.alloc() : memref<100xf32>
  %to = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y, %z : memref<100xf32>, memref<100xf32>, memref<100xf32>) outs(%to : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %0 = math.fma %a, %b, %c : f32
    linalg.yield %0 : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
