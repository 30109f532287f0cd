// RUN: onnx-mlir-opt %s --onnxc-merge-functions="short-instructions=1 short-loop=4 max-inner-numbers=0" | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-merge-functions="short-instructions=1 short-loop=4 inner-instructions=1" | FileCheck %s --check-prefix=INNER
// RUN: onnx-mlir-opt %s --onnxc-merge-functions="short-instructions=1 short-loop=4" | FileCheck %s

// In short functions only the numbers of outer loops and the ends of loops that are not written out are
// arguments; here 4 and 8. The distance of what the inner loop reads takes no register: with another one
// the function is another one, and so it is with another end of a short loop, or another divisor.
// CHECK-LABEL: llvm.func @calls
// CHECK:         llvm.call @four(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK:         llvm.call @four(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK:         llvm.call @far(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @further(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @short_four(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @short_eight(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @third(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @fifth(%{{.*}}) : (!llvm.ptr) -> ()

// A few distances may differ, of functions that are the same otherwise; ends of short loops and divisors may not.
// INNER-LABEL: llvm.func @calls
// INNER:         llvm.call @four(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// INNER:         llvm.call @four(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// INNER:         %[[NEAR:.*]] = llvm.mlir.constant(32 : i64) : i64
// INNER:         llvm.call @far(%{{.*}}, %[[NEAR]]) : (!llvm.ptr, i64) -> ()
// INNER:         %[[FAR:.*]] = llvm.mlir.constant(64 : i64) : i64
// INNER:         llvm.call @far(%{{.*}}, %[[FAR]]) : (!llvm.ptr, i64) -> ()
// INNER:         llvm.call @short_four(%{{.*}}) : (!llvm.ptr) -> ()
// INNER:         llvm.call @short_eight(%{{.*}}) : (!llvm.ptr) -> ()
// INNER:         llvm.call @third(%{{.*}}) : (!llvm.ptr) -> ()
// INNER:         llvm.call @fifth(%{{.*}}) : (!llvm.ptr) -> ()
llvm.func @calls(%p: !llvm.ptr) {
  llvm.call @four(%p) : (!llvm.ptr) -> ()
  llvm.call @eight(%p) : (!llvm.ptr) -> ()
  llvm.call @far(%p) : (!llvm.ptr) -> ()
  llvm.call @further(%p) : (!llvm.ptr) -> ()
  llvm.call @short_four(%p) : (!llvm.ptr) -> ()
  llvm.call @short_eight(%p) : (!llvm.ptr) -> ()
  llvm.call @third(%p) : (!llvm.ptr) -> ()
  llvm.call @fifth(%p) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @four(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(4 : index) : i64
  %stride = llvm.mlir.constant(16 : index) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^start, ^end
^start:
  %row = llvm.mul %i, %n : i64
  %q = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %more = llvm.icmp "slt" %k, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %at = llvm.mul %k, %stride : i64
  %r = llvm.getelementptr %q[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %r : !llvm.ptr -> f32
  llvm.store %x, %q : f32, !llvm.ptr
  %nextk = llvm.add %k, %one : i64
  llvm.br ^inner(%nextk : i64)
^done:
  %next = llvm.add %i, %one : i64
  llvm.br ^outer(%next : i64)
^end:
  llvm.return
}
llvm.func @eight(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(8 : index) : i64
  %stride = llvm.mlir.constant(16 : index) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^start, ^end
^start:
  %row = llvm.mul %i, %n : i64
  %q = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %more = llvm.icmp "slt" %k, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %at = llvm.mul %k, %stride : i64
  %r = llvm.getelementptr %q[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %r : !llvm.ptr -> f32
  llvm.store %x, %q : f32, !llvm.ptr
  %nextk = llvm.add %k, %one : i64
  llvm.br ^inner(%nextk : i64)
^done:
  %next = llvm.add %i, %one : i64
  llvm.br ^outer(%next : i64)
^end:
  llvm.return
}
llvm.func @far(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(8 : index) : i64
  %stride = llvm.mlir.constant(32 : index) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^start, ^end
^start:
  %row = llvm.mul %i, %n : i64
  %q = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %more = llvm.icmp "slt" %k, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %at = llvm.mul %k, %stride : i64
  %r = llvm.getelementptr %q[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %r : !llvm.ptr -> f32
  llvm.store %x, %q : f32, !llvm.ptr
  %nextk = llvm.add %k, %one : i64
  llvm.br ^inner(%nextk : i64)
^done:
  %next = llvm.add %i, %one : i64
  llvm.br ^outer(%next : i64)
^end:
  llvm.return
}
llvm.func @further(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(8 : index) : i64
  %stride = llvm.mlir.constant(64 : index) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^start, ^end
^start:
  %row = llvm.mul %i, %n : i64
  %q = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %more = llvm.icmp "slt" %k, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %at = llvm.mul %k, %stride : i64
  %r = llvm.getelementptr %q[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %r : !llvm.ptr -> f32
  llvm.store %x, %q : f32, !llvm.ptr
  %nextk = llvm.add %k, %one : i64
  llvm.br ^inner(%nextk : i64)
^done:
  %next = llvm.add %i, %one : i64
  llvm.br ^outer(%next : i64)
^end:
  llvm.return
}
llvm.func @short_four(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %n = llvm.mlir.constant(4 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %next = llvm.add %i, %i : i64
  llvm.store %next, %p : i64, !llvm.ptr
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^loop(%next : i64), ^end
^end:
  llvm.return
}
llvm.func @short_eight(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %n = llvm.mlir.constant(8 : index) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %next = llvm.add %i, %i : i64
  llvm.store %next, %p : i64, !llvm.ptr
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^loop(%next : i64), ^end
^end:
  llvm.return
}
llvm.func @third(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(4 : index) : i64
  %stride = llvm.mlir.constant(16 : index) : i64
  %d = llvm.mlir.constant(3 : index) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^start, ^end
^start:
  %row = llvm.udiv %i, %d : i64
  %q = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %more = llvm.icmp "slt" %k, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %at = llvm.mul %k, %stride : i64
  %r = llvm.getelementptr %q[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %r : !llvm.ptr -> f32
  llvm.store %x, %q : f32, !llvm.ptr
  %nextk = llvm.add %k, %one : i64
  llvm.br ^inner(%nextk : i64)
^done:
  %next = llvm.add %i, %one : i64
  llvm.br ^outer(%next : i64)
^end:
  llvm.return
}
llvm.func @fifth(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(4 : index) : i64
  %stride = llvm.mlir.constant(16 : index) : i64
  %d = llvm.mlir.constant(5 : index) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %go = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %go, ^start, ^end
^start:
  %row = llvm.udiv %i, %d : i64
  %q = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %more = llvm.icmp "slt" %k, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %at = llvm.mul %k, %stride : i64
  %r = llvm.getelementptr %q[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %r : !llvm.ptr -> f32
  llvm.store %x, %q : f32, !llvm.ptr
  %nextk = llvm.add %k, %one : i64
  llvm.br ^inner(%nextk : i64)
^done:
  %next = llvm.add %i, %one : i64
  llvm.br ^outer(%next : i64)
^end:
  llvm.return
}
