// RUN: onnx-mlir-opt %s --onnxc-merge-functions="min-instructions=1000 short-instructions=1 inner-instructions=1 max-inner-numbers=1" | FileCheck %s

// Two differ in one number of an inner loop, which a difference may take as well as a sum. The
// third one differs from each in two, which are too many: it does not keep the others apart, wherever it stands.
// CHECK-LABEL: llvm.func @all
// CHECK:         llvm.call @far(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @near(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK:         llvm.call @near(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK-DAG:   llvm.func @far(%{{.*}}: !llvm.ptr) attributes
// CHECK-DAG:   llvm.func @near(%{{.*}}: !llvm.ptr, %[[N:.*]]: i64)
// CHECK:         llvm.sub %{{.*}}, %[[N]] : i64
llvm.func @all(%p: !llvm.ptr) {
  llvm.call @far(%p) : (!llvm.ptr) -> ()
  llvm.call @near(%p) : (!llvm.ptr) -> ()
  llvm.call @other(%p) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @far(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(100 : index) : i64
  %less = llvm.mlir.constant(3 : index) : i64
  %stride = llvm.mlir.constant(5 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %at = llvm.sub %i, %less : i64
  %far = llvm.mul %at, %stride : i64
  %q = llvm.getelementptr %p[%far] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %at, %q : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %go = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %go, ^loop(%next : i64), ^end
^end:
  llvm.return
}
llvm.func @near(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(100 : index) : i64
  %less = llvm.mlir.constant(7 : index) : i64
  %stride = llvm.mlir.constant(11 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %at = llvm.sub %i, %less : i64
  %far = llvm.mul %at, %stride : i64
  %q = llvm.getelementptr %p[%far] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %at, %q : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %go = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %go, ^loop(%next : i64), ^end
^end:
  llvm.return
}
llvm.func @other(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(100 : index) : i64
  %less = llvm.mlir.constant(9 : index) : i64
  %stride = llvm.mlir.constant(11 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %at = llvm.sub %i, %less : i64
  %far = llvm.mul %at, %stride : i64
  %q = llvm.getelementptr %p[%far] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %at, %q : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %go = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %go, ^loop(%next : i64), ^end
^end:
  llvm.return
}
