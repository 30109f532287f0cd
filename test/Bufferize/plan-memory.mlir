// RUN: onnx-mlir-opt %s -split-input-file -onnxc-plan-memory -canonicalize | FileCheck %s

func.func private @use(memref<16xf32>)
func.func private @use2(memref<16xf32>, memref<16xf32>)
func.func private @big(memref<32xf32>)

// %c starts when %a is done: 64 + 64 bytes live at most, plus %d alone.
// CHECK: onnxc.workspace = 128 : i64, onnxc.workspace_lower_bound = 128 : i64
// CHECK-LABEL: func.func @memory_is_shared_over_time
// CHECK-DAG: %[[O0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[O64:.*]] = arith.constant 64 : index
// CHECK: llvm.call @onnxc_rt_workspace
// CHECK: cf.assert %{{.*}}, ""
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[O0]]]
// CHECK: %[[B:.*]] = memref.view %{{.*}}[%[[O64]]]
// CHECK: call @use2(%[[A]], %[[B]])
// CHECK: %[[C:.*]] = memref.view %{{.*}}[%[[O0]]]
// CHECK: call @use2(%[[B]], %[[C]])
// CHECK: %[[D:.*]] = memref.view %{{.*}}[%[[O0]]]{{.*}} to memref<32xf32>
// CHECK: call @big(%[[D]])
func.func @memory_is_shared_over_time(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  call @use2(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  %c = memref.alloc() : memref<16xf32>
  call @use2(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  %d = memref.alloc() : memref<32xf32>
  call @big(%d) : (memref<32xf32>) -> ()
  return %zero : i32
}

// -----

func.func private @use(memref<16xf32>)
func.func private @part(memref<4xf32, strided<[1], offset: 4>>)

// A view keeps its buffer alive, and so does a loop that uses it: no sharing.
// CHECK: onnxc.workspace = 192 : i64
// CHECK-LABEL: func.func @alive_through_views_and_loops
func.func @alive_through_views_and_loops(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = memref.alloc() : memref<16xf32>
  %v = memref.subview %a[4] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: 4>>
  call @use(%a) : (memref<16xf32>) -> ()
  %outer = memref.alloc() : memref<16xf32>
  call @use(%outer) : (memref<16xf32>) -> ()
  scf.for %i = %c0 to %c9 step %c1 {
    func.call @use(%outer) : (memref<16xf32>) -> ()
    %inner = memref.alloc() : memref<16xf32>
    func.call @use(%inner) : (memref<16xf32>) -> ()
  }
  call @part(%v) : (memref<4xf32, strided<[1], offset: 4>>) -> ()
  return %zero : i32
}

// -----

func.func private @use(memref<16xf32>)

// Of the next iteration's buffer and this one's, none may be the other.
// CHECK-LABEL: func.func @escapes_from_loop
// CHECK: scf.for
// CHECK: llvm.call @onnxc_rt_alloc
func.func @escapes_from_loop(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = memref.alloc() : memref<16xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%m = %a) -> memref<16xf32> {
    %n = memref.alloc() : memref<16xf32>
    func.call @use(%m) : (memref<16xf32>) -> ()
    func.call @use(%n) : (memref<16xf32>) -> ()
    scf.yield %n : memref<16xf32>
  }
  call @use(%r) : (memref<16xf32>) -> ()
  return %zero : i32
}

// -----

func.func private @use(memref<?x?xf32>)

// Sizes are multiplied with care; the memory goes back after the last use,
// inside the loop.
// CHECK: onnxc.workspace = 0 : i64
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for
// CHECK-COUNT-2: llvm.intr.smul.with.overflow
// CHECK: %[[P:.*]] = llvm.call @onnxc_rt_alloc
// CHECK: cf.assert
// CHECK: call @use
// CHECK: call @use
// CHECK-NEXT: llvm.call @onnxc_rt_free(%{{.*}}, %[[P]])
func.func @dynamic(%ctx: !llvm.ptr, %n: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = llvm.load %n : !llvm.ptr -> i64
  %d = arith.index_cast %l : i64 to index
  scf.for %i = %c0 to %d step %c1 {
    %a = memref.alloc(%d, %i) : memref<?x?xf32>
    func.call @use(%a) : (memref<?x?xf32>) -> ()
    func.call @use(%a) : (memref<?x?xf32>) -> ()
  }
  return %zero : i32
}

// -----

func.func private @use(memref<?xf32>)

// An owned buffer goes back where its owner says so, and only there.
// CHECK-LABEL: func.func @owned
// CHECK: llvm.call @onnxc_rt_alloc
// CHECK: call @use
// CHECK-NEXT: scf.if
// CHECK: llvm.inttoptr
// CHECK-NEXT: llvm.call @onnxc_rt_free
// CHECK-NOT: llvm.call @onnxc_rt_free
func.func @owned(%ctx: !llvm.ptr, %n: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %l = llvm.load %n : !llvm.ptr -> i64
  %d = arith.index_cast %l : i64 to index
  %c = arith.trunci %l : i64 to i1
  %a = memref.alloc(%d) {onnxc.owned} : memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  scf.if %c {
    memref.dealloc %a : memref<?xf32>
  }
  return %zero : i32
}
