// RUN: onnx-mlir-opt %s --onnxc-bound-stack --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: llvm.func @loop
// CHECK-NEXT: %[[SIZE:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-NEXT: llvm.alloca %[[SIZE]] x i64
// CHECK-NEXT: llvm.br
// CHECK-NOT: alloca
llvm.func @use(!llvm.ptr) -> i1
llvm.func @loop() {
  llvm.br ^body
^body:
  %two = llvm.mlir.constant(2 : i64) : i64
  %0 = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
  %1 = llvm.call @use(%0) : (!llvm.ptr) -> i1
  llvm.cond_br %1, ^body, ^end
^end:
  llvm.return
}

// -----

llvm.func @unknown(%n: i64) {
  // expected-error@+1 {{takes memory of the stack whose size is known only at run time}}
  %0 = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @large() {
  %n = llvm.mlir.constant(5000 : i64) : i64
  %0 = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  // expected-error@+1 {{takes more than 65536 bytes of the stack in this function}}
  %1 = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @overflow() {
  %n = llvm.mlir.constant(9223372036854775807 : i64) : i64
  // expected-error@+1 {{takes more than 65536 bytes}}
  %0 = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  llvm.return
}
