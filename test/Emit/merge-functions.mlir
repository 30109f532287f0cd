// RUN: onnx-mlir-opt %s --onnxc-merge-functions="min-instructions=1" --split-input-file | FileCheck %s

// How far a loop goes and what it multiplies by are arguments, the same number once; what is the
// same in both functions stays.
// CHECK-LABEL: llvm.func @twice
// CHECK-DAG:     %[[FOUR:.*]] = llvm.mlir.constant(4 : i64) : i64
// CHECK:         llvm.call @four(%{{.*}}, %[[FOUR]]) : (!llvm.ptr, i64) -> ()
// CHECK-DAG:     %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64) : i64
// CHECK:         llvm.call @four(%{{.*}}, %[[EIGHT]]) : (!llvm.ptr, i64) -> ()
// CHECK:       llvm.func @four(%{{.*}}: !llvm.ptr, %[[N:.*]]: i64)
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : index) : i64
// CHECK:         llvm.icmp "slt" %{{.*}}, %[[N]] : i64
// CHECK:         llvm.mul %{{.*}}, %[[N]] : i64
// CHECK:         llvm.add %{{.*}}, %[[ONE]] : i64
// CHECK-NOT:   llvm.func
llvm.func @twice(%p: !llvm.ptr) {
  llvm.call @four(%p) : (!llvm.ptr) -> ()
  llvm.call @eight(%p) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @four(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(4 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^body, ^end
^body:
  %at = llvm.mul %i, %n : i64
  %q = llvm.getelementptr %p[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %q : !llvm.ptr -> f32
  llvm.store %x, %p : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^loop(%next : i64)
^end:
  llvm.return
}
llvm.func @eight(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(8 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %zero = llvm.mlir.constant(0 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^body, ^end
^body:
  %at = llvm.mul %i, %n : i64
  %q = llvm.getelementptr %p[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %q : !llvm.ptr -> f32
  llvm.store %x, %p : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^loop(%next : i64)
^end:
  llvm.return
}

// -----

// Not where other operations differ, nor what has to be a constant, nor what something else refers to.
// CHECK-LABEL: llvm.func @apart
// CHECK:         llvm.call @add(%{{.*}}) :
// CHECK:         llvm.call @sub(%{{.*}}) :
// CHECK:         llvm.call @slot(%{{.*}}) :
// CHECK:         llvm.call @slots(%{{.*}}) :
// CHECK:         llvm.call @two(%{{.*}}) :
// CHECK:         llvm.call @three(%{{.*}}) :
llvm.func @apart(%x: i64) -> !llvm.ptr {
  %0 = llvm.call @add(%x) : (i64) -> i64
  %1 = llvm.call @sub(%x) : (i64) -> i64
  llvm.call @slot(%x) : (i64) -> ()
  llvm.call @slots(%x) : (i64) -> ()
  %2 = llvm.call @two(%x) : (i64) -> i64
  %3 = llvm.call @three(%x) : (i64) -> i64
  %p = llvm.mlir.addressof @two : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
llvm.func @add(%x: i64) -> i64 attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(1 : index) : i64
  %r = llvm.add %x, %n : i64
  llvm.return %r : i64
}
llvm.func @sub(%x: i64) -> i64 attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(1 : index) : i64
  %r = llvm.sub %x, %n : i64
  llvm.return %r : i64
}
llvm.func @slot(%x: i64) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(1 : index) : i64
  %p = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  llvm.store %x, %p : i64, !llvm.ptr
  llvm.return
}
llvm.func @slots(%x: i64) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(2 : index) : i64
  %p = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  llvm.store %x, %p : i64, !llvm.ptr
  llvm.return
}
llvm.func @two(%x: i64) -> i64 attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(2 : index) : i64
  %r = llvm.mul %x, %n : i64
  llvm.return %r : i64
}
llvm.func @three(%x: i64) -> i64 attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(3 : index) : i64
  %r = llvm.mul %x, %n : i64
  llvm.return %r : i64
}

// -----

// Calls are written anew, so that what a call or a function says beside its operands keeps both functions.
// CHECK-LABEL: llvm.func @conventions
// CHECK:         llvm.call fastcc @fast_four
// CHECK:         llvm.call fastcc @fast_eight
// CHECK:         llvm.call @told_four
// CHECK:         llvm.call @told_eight
llvm.func @conventions(%p: !llvm.ptr) {
  llvm.call fastcc @fast_four(%p) : (!llvm.ptr) -> ()
  llvm.call fastcc @fast_eight(%p) : (!llvm.ptr) -> ()
  llvm.call @told_four(%p) : (!llvm.ptr {llvm.noalias}) -> ()
  llvm.call @told_eight(%p) : (!llvm.ptr {llvm.noalias}) -> ()
  llvm.return
}
llvm.func fastcc @fast_four(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(4 : i64) : i64
  %m = llvm.mul %n, %n : i64
  llvm.store %m, %p : i64, !llvm.ptr
  llvm.return
}
llvm.func fastcc @fast_eight(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(8 : i64) : i64
  %m = llvm.mul %n, %n : i64
  llvm.store %m, %p : i64, !llvm.ptr
  llvm.return
}
llvm.func @told_four(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(4 : i64) : i64
  %m = llvm.mul %n, %n : i64
  llvm.store %m, %p : i64, !llvm.ptr
  llvm.return
}
llvm.func @told_eight(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %n = llvm.mlir.constant(8 : i64) : i64
  %m = llvm.mul %n, %n : i64
  llvm.store %m, %p : i64, !llvm.ptr
  llvm.return
}

// -----

// The numbers of addresses are arguments as others are, but not those that say which field of a structure is meant.
// CHECK-LABEL: llvm.func @places
// CHECK:         llvm.call @at_four(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK:         llvm.call @at_four(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK:         llvm.call @field_one(%{{.*}}) :
// CHECK:         llvm.call @field_two(%{{.*}}) :
// CHECK:       llvm.func @at_four(%[[P:.*]]: !llvm.ptr, %[[N:.*]]: i64)
// CHECK:         llvm.getelementptr %[[P]][%[[N]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
llvm.func @places(%p: !llvm.ptr) {
  llvm.call @at_four(%p) : (!llvm.ptr) -> ()
  llvm.call @at_eight(%p) : (!llvm.ptr) -> ()
  llvm.call @field_one(%p) : (!llvm.ptr) -> ()
  llvm.call @field_two(%p) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @at_four(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %q = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %p, %q : !llvm.ptr, !llvm.ptr
  llvm.return
}
llvm.func @at_eight(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %q = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %p, %q : !llvm.ptr, !llvm.ptr
  llvm.return
}
llvm.func @field_one(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %q = llvm.getelementptr %p[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i64, i64)>
  llvm.store %p, %q : !llvm.ptr, !llvm.ptr
  llvm.return
}
llvm.func @field_two(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %q = llvm.getelementptr %p[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i64, i64)>
  llvm.store %p, %q : !llvm.ptr, !llvm.ptr
  llvm.return
}
