// RUN: onnx-mlir-opt %s -split-input-file -onnxc-outline-parallel -canonicalize -cse | FileCheck %s
// RUN: onnx-mlir-opt %s -split-input-file "-onnxc-outline-parallel=remarks" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS: remark: threads: share {{[0-9]+}} pieces
// REMARKS: remark: threads: not parallel: too little work

// The buffer goes by its address, and is still known to be alone; what the
// part can find out itself, it does not get.

// CHECK-LABEL: func.func @main_graph(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr
// CHECK:         call @kernel(%{{.*}}, %{{.*}}, %[[CTX]])
// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<4096x64xf32> {llvm.noalias}, %[[X:[a-z0-9]+]]: f32, %[[CTX:[a-z0-9]+]]: !llvm.ptr)
// CHECK-DAG:     %[[COUNT:.*]] = arith.constant 4096 : i64
// CHECK-DAG:     %[[CYCLES:.*]] = arith.constant 100 : i64
// CHECK-DAG:     %[[TASK:[a-z0-9_]+]] = constant @kernel_task
// CHECK-DAG:     %[[DATA:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(f32, ptr)>
// CHECK:         %[[P:.*]] = builtin.unrealized_conversion_cast %[[TASK]] :
// CHECK:         llvm.call @onnxc_rt_parallel_for(%[[CTX]], %[[COUNT]], %[[CYCLES]], %[[P]], %[[DATA]])
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func private @kernel_part(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[A:[a-z0-9]+]]: memref<4096x64xf32> {llvm.noalias}, %[[B:[a-z0-9]+]]: index, %[[E:[a-z0-9]+]]: index)
// CHECK-SAME:    attributes {llvm.bareptr, passthrough = ["noinline"]
// CHECK:         %[[ROW:.*]] = memref.subview %[[A]]
// CHECK:         scf.for %[[I:.*]] = %[[B]] to %[[E]] step
// CHECK:           memref.store %[[X]], %[[ROW]][%[[I]]]
// CHECK-LABEL: func.func private @kernel_task(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:         call @kernel_part
func.func @main_graph(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = arith.constant 0 : i32
  %a = memref.alloca() : memref<4096x64xf32>
  %x = llvm.load %in : !llvm.ptr -> f32
  call @kernel(%a, %x) : (memref<4096x64xf32>, f32) -> ()
  return %zero : i32
}
func.func private @kernel(%a: memref<4096x64xf32> {llvm.noalias}, %x: f32) attributes {llvm.bareptr} {
  %row = memref.subview %a[0, 7] [4096, 1] [1, 1] : memref<4096x64xf32> to memref<4096xf32, strided<[64], offset: 7>>
  scf.forall (%i) in (4096) {
    memref.store %x, %row[%i] : memref<4096xf32, strided<[64], offset: 7>>
  } {onnxc.work = 100 : i64}
  return
}

// -----

// Each thread has its own scratch; two indices come out of one; a buffer of
// unknown size goes with its sizes.

// CHECK: module attributes {{.*}}onnxc.scratch = 320 : i64
// CHECK-LABEL: func.func private @kernel(
// CHECK:         llvm.alloca %{{.*}} x !llvm.struct<(struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK:         %[[ROWS:.*]] = memref.dim
// CHECK:         arith.muli %[[ROWS]], %c2
// CHECK-LABEL: func.func private @kernel_part(
// CHECK-SAME:    memref<?x2xf32>, {{.*}}: memref<64xf32> {onnxc.scratch}, %{{[a-z0-9]+}}: memref<3xf32> {onnxc.scratch}, %[[B:[a-z0-9]+]]: index, %[[E:[a-z0-9]+]]: index)
// CHECK:         scf.for %[[I:.*]] = %[[B]] to %[[E]] step
// CHECK-DAG:       %[[COLUMN:.*]] = arith.remui %[[I]], %c2
// CHECK-DAG:       %[[ROW:.*]] = arith.divui %[[I]], %c2
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]]
func.func @main_graph(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = arith.constant 0 : i32
  %a = memref.alloca() : memref<8x2xf32>
  %b = memref.cast %a : memref<8x2xf32> to memref<?x2xf32>
  call @kernel(%b) : (memref<?x2xf32>) -> ()
  return %zero : i32
}
func.func private @kernel(%a: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x2xf32>
  scf.forall (%i, %k) in (%n, 2) {
    %s = memref.alloc() : memref<64xf32>
    %t = memref.alloc() : memref<3xf32>
    %x = memref.load %a[%i, %k] : memref<?x2xf32>
    memref.store %x, %s[%k] : memref<64xf32>
    memref.store %x, %t[%k] : memref<3xf32>
    %y = memref.load %s[%k] : memref<64xf32>
    memref.store %y, %a[%i, %k] : memref<?x2xf32>
  }
  return
}

// -----

// A loop that is known to be short, and one inside another, stay loops.

// CHECK-LABEL: func.func private @kernel(
// CHECK-NOT:     onnxc_rt_parallel_for
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT: @kernel_part
func.func @main_graph(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = arith.constant 0 : i32
  %a = memref.alloca() : memref<8x2xf32>
  call @kernel(%a) : (memref<8x2xf32>) -> ()
  return %zero : i32
}
func.func private @kernel(%a: memref<8x2xf32>) {
  %x = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    scf.forall (%k) in (2) {
      memref.store %x, %a[%i, %k] : memref<8x2xf32>
    }
  }
  return
}

// -----

// Where sizes decide whether a loop is worth a thread, a short one is run here:
// 100 cycles each, up to 80 of them. What is long goes by the runtime, which
// knows how many threads there are.

// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?xf32>
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[A]]
// CHECK-DAG:     %[[COUNT:.*]] = arith.index_cast %[[ROWS]] : index to i64
// CHECK-DAG:     %[[SHORT:.*]] = arith.cmpi slt, %[[COUNT]], %c80_i64
// CHECK:         scf.if %[[SHORT]] {
// CHECK-NEXT:      call @kernel_part(%{{.*}}, %c0, %[[ROWS]])
// CHECK-NEXT:    } else {
// CHECK-NOT:       call @kernel_part
// CHECK:           llvm.call @onnxc_rt_parallel_for(%{{.*}}, %[[COUNT]],
func.func @main_graph(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = arith.constant 0 : i32
  %a = memref.alloca() : memref<8xf32>
  %b = memref.cast %a : memref<8xf32> to memref<?xf32>
  call @kernel(%b) : (memref<?xf32>) -> ()
  return %zero : i32
}
func.func private @kernel(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %x, %a[%i] : memref<?xf32>
  } {onnxc.work = 100 : i64}
  return
}

// -----

// What an iteration takes depends on a size: the product, which may not
// overflow. One iteration is always short.

// CHECK-LABEL: func.func private @kernel(
// CHECK:         %[[COST:.*]] = arith.mulf
// CHECK:         %[[CHEAP:.*]] = arith.cmpf olt, %[[COST]], %cst
// CHECK:         %[[SHORT:.*]] = arith.ori %[[CHEAP]],
// CHECK:         scf.if %[[SHORT]] {
// CHECK:           call @kernel_part
func.func @main_graph(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = arith.constant 0 : i32
  %a = memref.alloca() : memref<8x2xf32>
  %b = memref.cast %a : memref<8x2xf32> to memref<?x?xf32>
  call @kernel(%b) : (memref<?x?xf32>) -> ()
  return %zero : i32
}
func.func private @kernel(%a: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  scf.forall (%i) in (%n) {
    scf.for %k = %c0 to %m step %c1 {
      memref.store %x, %a[%i, %k] : memref<?x?xf32>
    }
  }
  return
}
