// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(llvm.func(onnxc-move-booleans-as-bytes))' | FileCheck %s

// A byte for each, which is 0 or 1. What is no boolean stays.
// CHECK-LABEL: @negate
// CHECK: %[[BYTE:.*]] = llvm.load %arg0 : !llvm.ptr -> i8
// CHECK: %[[IN:.*]] = llvm.trunc %[[BYTE]] overflow<nuw> : i8 to i1
// CHECK: %[[OUT:.*]] = llvm.xor %[[IN]]
// CHECK: %[[WIDE:.*]] = llvm.zext %[[OUT]] : i1 to i8
// CHECK: llvm.store %[[WIDE]], %arg1 : i8, !llvm.ptr
// CHECK: llvm.load %arg0 : !llvm.ptr -> i32
llvm.func @negate(%x: !llvm.ptr, %y: !llvm.ptr) -> i32 {
  %one = llvm.mlir.constant(true) : i1
  %0 = llvm.load %x : !llvm.ptr -> i1
  %1 = llvm.xor %0, %one : i1
  llvm.store %1, %y : i1, !llvm.ptr
  %2 = llvm.load %x : !llvm.ptr -> i32
  llvm.return %2 : i32
}
