// RUN: onnx-mlir-opt %s --onnxc-promote-accumulators | FileCheck %s

memref.global "private" constant @onnxc_weights : memref<4096xi8> {alignment = 64 : i64}
memref.global "private" @scratch : memref<64xf32>
llvm.func @onnxc_rt_workspace(!llvm.ptr) -> !llvm.ptr
llvm.func @work()

// Two loops deep: one load before both, one store after.
// CHECK-LABEL: func @main_graph
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[FIRST:.*]] = memref.load %[[SUM:.*]][%[[I]]]
// CHECK-NEXT: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[FIRST]])
// CHECK-NEXT:   %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[OUTER]])
// CHECK-NOT:      memref.store
// CHECK:          %[[NEXT:.*]] = arith.addf %[[CARRIED]]
// CHECK:          scf.yield %[[NEXT]]
// CHECK:        scf.yield %[[INNER]]
// CHECK:      memref.store %[[LAST]], %[[SUM]][%[[I]]]

// Views of the workspace that overlap: as it was.
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: memref.store
// CHECK: return
func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %ws = llvm.call @onnxc_rt_workspace(%ctx) : (!llvm.ptr) -> !llvm.ptr
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %1 = llvm.insertvalue %ws, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %2 = llvm.insertvalue %ws, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %3 = builtin.unrealized_conversion_cast %2 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<512xi8>
  %a = memref.view %3[%c0][] : memref<512xi8> to memref<32xf32>
  %sum = memref.view %3[%c128][] : memref<512xi8> to memref<8xf32>
  %both = memref.view %3[%c0][] : memref<512xi8> to memref<64xf32>
  %wb = memref.get_global @onnxc_weights : memref<4096xi8>
  %w = memref.view %wb[%c0][] : memref<4096xi8> to memref<8x8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c8 step %c1 {
        %x = memref.load %a[%k] : memref<32xf32>
        %y = memref.load %w[%j, %k] : memref<8x8xf32>
        %z = memref.load %sum[%i] : memref<8xf32>
        %xy = arith.mulf %x, %y : f32
        %s = arith.addf %z, %xy : f32
        memref.store %s, %sum[%i] : memref<8xf32>
      }
    }
  }
  scf.for %k = %c0 to %c8 step %c1 {
    %x = memref.load %both[%k] : memref<64xf32>
    %z = memref.load %sum[%c0] : memref<8xf32>
    %s = arith.addf %z, %x : f32
    memref.store %s, %sum[%c0] : memref<8xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// Buffers of unknown origin, and calls, may touch anything.
// CHECK-LABEL: func @unknown
// CHECK-NOT: iter_args
// CHECK: return
func.func @unknown(%a: memref<8xf32>, %b: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = memref.get_global @scratch : memref<64xf32>
  scf.for %k = %c0 to %c8 step %c1 {
    %x = memref.load %a[%k] : memref<8xf32>
    %z = memref.load %b[] : memref<f32>
    %y = arith.addf %z, %x : f32
    memref.store %y, %b[] : memref<f32>
  }
  scf.for %k = %c0 to %c8 step %c1 {
    llvm.call @work() : () -> ()
    %z = memref.load %b[] : memref<f32>
    %y = arith.addf %z, %z : f32
    memref.store %y, %b[] : memref<f32>
  }
  return
}
