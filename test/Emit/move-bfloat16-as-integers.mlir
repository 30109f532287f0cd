// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(llvm.func(onnxc-move-bfloat16-as-integers))' | FileCheck %s

// Arguments, constants, masks and results: nothing is left for which a float would be widened.
// CHECK-LABEL: llvm.func @moved
// CHECK-SAME: i16{{.*}}) -> vector<8xi16>
// CHECK-NOT: bf16
// CHECK: llvm.mlir.constant(dense<16256> : vector<8xi16>)
// CHECK: llvm.intr.masked.load {{.*}} -> vector<8xi16>
// CHECK: llvm.select {{.*}} : vector<8xi1>, vector<8xi16>
// CHECK: llvm.store {{.*}} : i16, !llvm.ptr
// CHECK: llvm.return
llvm.func @moved(%p: !llvm.ptr, %m: vector<8xi1>, %s: bf16) -> vector<8xbf16> {
  %one = llvm.mlir.constant(dense<1.0> : vector<8xbf16>) : vector<8xbf16>
  %x = llvm.intr.masked.load %p, %m, %one {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  %y = llvm.select %m, %x, %one : vector<8xi1>, vector<8xbf16>
  llvm.store %s, %p : bf16, !llvm.ptr
  llvm.return %y : vector<8xbf16>
}

// What computes keeps its types.
// CHECK-LABEL: llvm.func @computed
// CHECK: %[[X:.*]] = llvm.bitcast %{{.*}} : i16 to bf16
// CHECK: %[[WIDE:.*]] = llvm.fpext %[[X]] : bf16 to f64
// CHECK: %[[Y:.*]] = llvm.fptrunc %[[WIDE]] : f64 to bf16
// CHECK: llvm.bitcast %[[Y]] : bf16 to i16
llvm.func @computed(%x: bf16) -> bf16 {
  %0 = llvm.fpext %x : bf16 to f64
  %1 = llvm.fptrunc %0 : f64 to bf16
  llvm.return %1 : bf16
}
