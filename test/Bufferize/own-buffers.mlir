// RUN: onnx-mlir-opt %s -onnxc-own-buffers -split-input-file | FileCheck %s

func.func private @use(memref<?xf32>)

// What an iteration got goes back when it has made the next one; what comes out
// goes back after its last use.
// CHECK-LABEL: func.func @carried
// CHECK: %[[I:.*]] = memref.alloc(%{{.*}}) {onnxc.owned}
// CHECK: memref.copy %arg0, %[[I]]
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[M:.*]] = %[[I]])
// CHECK:   %[[N:.*]] = memref.alloc(%{{.*}}) {onnxc.owned}
// CHECK-NOT: memref.copy
// CHECK:   memref.dealloc %[[M]]
// CHECK-NEXT: scf.yield %[[N]]
// CHECK: call @use(%[[R]])
// CHECK-NEXT: memref.dealloc %[[R]]
func.func @carried(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %x) -> memref<?xf32> {
    %next = memref.alloc(%i) : memref<?xf32>
    func.call @use(%next) : (memref<?xf32>) -> ()
    scf.yield %next : memref<?xf32>
  }
  call @use(%r) : (memref<?xf32>) -> ()
  return
}

// -----

// One buffer for the whole loop.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @in_place(%x: memref<?xf32>, %n: index, %v: f32) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %x) -> memref<?xf32> {
    memref.store %v, %m[%i] : memref<?xf32>
    scf.yield %m : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// -----

func.func private @use(memref<?xf32>)

// Arguments that change places are both copied before either goes back.
// CHECK-LABEL: func.func @swap
// CHECK: scf.while (%{{.*}}, %{{.*}}) : (memref<?xf32>, memref<?xf32>)
// CHECK: ^bb0(%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>):
// CHECK:   memref.copy %[[B]], %[[NB:.*]] :
// CHECK:   memref.copy %[[A]], %[[NA:.*]] :
// CHECK:   memref.dealloc %[[A]]
// CHECK:   memref.dealloc %[[B]]
// CHECK:   scf.yield %[[NB]], %[[NA]]
func.func @swap(%x: memref<?xf32>, %y: memref<?xf32>, %goes: i1) {
  %r:2 = scf.while (%a = %x, %b = %y) : (memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, memref<?xf32>) {
    scf.condition(%goes) %a, %b : memref<?xf32>, memref<?xf32>
  } do {
  ^bb0(%a: memref<?xf32>, %b: memref<?xf32>):
    func.call @use(%a) : (memref<?xf32>) -> ()
    scf.yield %b, %a : memref<?xf32>, memref<?xf32>
  }
  call @use(%r#0) : (memref<?xf32>) -> ()
  return
}

// -----

func.func private @use(memref<?xf32>)

// One branch makes a buffer, the other has one of outside: nothing is copied,
// and a flag says which it was.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: memref.copy
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK:   memref.alloc(%{{.*}}) {onnxc.owned}
// CHECK:   scf.yield %{{.*}}, %true
// CHECK:   scf.yield %arg0, %false
// CHECK: call @use(%[[R]]#0)
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @branches(%x: memref<?xf32>, %n: index, %c: i1) {
  %r = scf.if %c -> (memref<?xf32>) {
    %y = memref.alloc(%n) : memref<?xf32>
    func.call @use(%y) : (memref<?xf32>) -> ()
    scf.yield %y : memref<?xf32>
  } else {
    scf.yield %x : memref<?xf32>
  }
  call @use(%r) : (memref<?xf32>) -> ()
  return
}

// -----

func.func private @use(memref<?xf32>)

// Inside of a branch, a view is no buffer of its own.
// CHECK-LABEL: func.func @view
// CHECK: scf.if
// CHECK:   %[[V:.*]] = memref.subview
// CHECK:   memref.copy %[[V]], %[[C:.*]] :
// CHECK:   %[[T:.*]] = memref.cast %[[C]]
// CHECK:   scf.yield %[[T]]
func.func @view(%n: index, %c: i1) {
  %r = scf.if %c -> (memref<?xf32, strided<[1], offset: ?>>) {
    %y = memref.alloc(%n) : memref<?xf32>
    func.call @use(%y) : (memref<?xf32>) -> ()
    %v = memref.subview %y[%n] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    scf.yield %v : memref<?xf32, strided<[1], offset: ?>>
  } else {
    %y = memref.alloc(%n) : memref<?xf32>
    %v = memref.subview %y[%n] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    scf.yield %v : memref<?xf32, strided<[1], offset: ?>>
  }
  %t = memref.cast %r : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
  return
}
