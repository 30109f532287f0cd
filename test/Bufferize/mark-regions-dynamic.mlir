// RUN: onnx-mlir-opt %s --onnxc-mark-regions | FileCheck %s

// Open sizes are those of the run: n elements are read and written, each with
// one operation.
// CHECK: %[[N:.*]] = memref.load
// CHECK-DAG: %[[NUMBER:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK-DAG: %[[READ:.*]] = arith.muli %c4_i64{{.*}} : i64
// CHECK-DAG: %[[BOTH:.*]] = arith.addi %[[READ]], %{{.*}} : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.addi %[[BOTH]], %{{.*}} : i64
// CHECK: llvm.call @onnxc_rt_profile_begin
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: llvm.call @onnxc_rt_profile_end(%{{[^,]*}}, %{{[^,]*}}, %[[BYTES]])
func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr)
    -> i32 attributes {onnxc.entry} {
  %sizes = memref.alloc() : memref<1xindex>
  %0 = arith.constant 0 : index
  %n = memref.load %sizes[%0] : memref<1xindex>
  %x = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  %ok = arith.constant 0 : i32
  return %ok : i32
}
