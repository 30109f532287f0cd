// RUN: onnx-mlir-opt %s --onnxc-merge-functions="min-instructions=1 short-instructions=1" --split-input-file | FileCheck %s

// The buffer of @whole begins at its pointer: it is @moved with an offset of 0, which its callers pass.
// CHECK-LABEL: llvm.func @both
// CHECK-COUNT-2: llvm.call @whole
// CHECK:       llvm.func @whole(%{{.*}}: !llvm.ptr, %[[P:.*]]: !llvm.ptr, %[[OFFSET:[a-z0-9]*]]: i64,
// CHECK-NEXT:    %[[BEGIN:.*]] = llvm.getelementptr %[[P]][%[[OFFSET]]] : {{.*}}, f32
// CHECK-NEXT:    llvm.getelementptr %[[BEGIN]][%{{.*}}] : {{.*}}, f32
// CHECK-NOT:   llvm.func @moved
llvm.func @both(%p: !llvm.ptr, %n: i64) {
  %zero = llvm.mlir.constant(0 : index) : i64
  llvm.call @whole(%p, %p, %zero, %n, %n) : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
  llvm.call @moved(%p, %p, %n, %n, %n) : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
  llvm.return
}
llvm.func @whole(%a: !llvm.ptr, %p: !llvm.ptr, %offset: i64, %i: i64, %s: i64) attributes {onnxc.zero_offsets = array<i64: 2>, sym_visibility = "private"} {
  %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %q : !llvm.ptr -> f32
  llvm.store %x, %p : f32, !llvm.ptr
  llvm.return
}
llvm.func @moved(%a: !llvm.ptr, %p: !llvm.ptr, %offset: i64, %i: i64, %s: i64) attributes {onnxc.offsets = array<i64: 2>, sym_visibility = "private"} {
  %from = llvm.getelementptr %p[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %q = llvm.getelementptr %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %q : !llvm.ptr -> f32
  %to = llvm.getelementptr %p[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %x, %to : f32, !llvm.ptr
  llvm.return
}

// -----

// Alone, it adds nothing, also in the descriptor and the call that it makes.
// CHECK-LABEL: llvm.func @one
// CHECK:       llvm.func @alone(%{{.*}}: !llvm.ptr, %[[P:.*]]: !llvm.ptr,
// CHECK-NOT:   onnxc.
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0 : index) : i64
// CHECK-NOT:     llvm.getelementptr
// CHECK:         llvm.insertvalue %[[ZERO]], %{{.*}}[2]
// CHECK:         llvm.load %[[P]]
// CHECK:         llvm.call @outside(%{{.*}}, %[[P]], %[[ZERO]])
llvm.func @outside(!llvm.ptr, !llvm.ptr, i64)
llvm.func @one(%p: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : index) : i64
  llvm.call @alone(%p, %p, %zero) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
llvm.func @alone(%a: !llvm.ptr, %p: !llvm.ptr, %offset: i64) attributes {onnxc.zero_offsets = array<i64: 2>, sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %none = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
  %d0 = llvm.insertvalue %a, %none[0] : !llvm.struct<(ptr, ptr, i64)>
  %d1 = llvm.insertvalue %p, %d0[1] : !llvm.struct<(ptr, ptr, i64)>
  %d2 = llvm.insertvalue %zero, %d1[2] : !llvm.struct<(ptr, ptr, i64)>
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.store %d2, %a : !llvm.struct<(ptr, ptr, i64)>, !llvm.ptr
  llvm.call @outside(%a, %p, %zero) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
