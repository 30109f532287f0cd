// RUN: onnx-mlir-opt %s --onnxc-share-code --split-input-file | FileCheck %s

// Ops that differ only in their buffers have one function. Memory that no op
// else reaches is said to be so, as long as that holds for all calls.
// CHECK-LABEL: func.func @twice
// CHECK:         call @kernel(%[[A:.*]], %[[B:.*]]) :
// CHECK-NEXT:    call @kernel(%[[B]], %{{.*}}) :
// CHECK:       func.func private @kernel(%{{.*}}: memref<100xf32>, %{{.*}}: memref<100xf32> {llvm.noalias})
// CHECK-SAME:    llvm.bareptr, passthrough = ["noinline"]
// CHECK:         linalg.exp
// CHECK-NOT:   func.func
func.func @twice(%p: memref<100xf32>) {
  %in = builtin.unrealized_conversion_cast %p : memref<100xf32> to memref<100xf32>
  %a = memref.alloc() : memref<100xf32>
  %b = memref.alloc() : memref<100xf32>
  linalg.exp ins(%in : memref<100xf32>) outs(%a : memref<100xf32>)
  linalg.exp ins(%a : memref<100xf32>) outs(%b : memref<100xf32>)
  return
}

// -----

// Where an operand lies in its buffer, as a part of a Concat does, is passed: the
// buffer as a pointer as before, and the offset. What lies at one place in all
// calls has it in its type. The stride of one element says nothing.
// CHECK-LABEL: func.func @parts
// CHECK-DAG:     %[[AT:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[FIRST:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 100], strides: [100, 1] : memref<1x100xf32, strided<[300, 1]>>
// CHECK:         call @kernel(%[[IN:.*]], %[[FIRST]], %[[AT]]) :
// CHECK-DAG:     %[[BEHIND:.*]] = arith.constant 100 : index
// CHECK-DAG:     %[[SECOND:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 100], strides: [100, 1] : memref<1x100xf32, strided<[200, 1], offset: 100>>
// CHECK:         call @kernel(%[[IN]], %[[SECOND]], %[[BEHIND]]) :
// CHECK:         call @kernel_0(%{{.*}}, %{{.*}}) : (memref<1x100xf32>, memref<1x100xf32, strided<[300, 1], offset: 200>>)
// CHECK:       func.func private @kernel(%[[X:.*]]: memref<1x100xf32>, %[[BASE:.*]]: memref<1x100xf32, strided<[100, 1]>> {llvm.noalias}, %[[OFFSET:.*]]: index)
// CHECK-SAME:    llvm.bareptr
// CHECK:         %[[Y:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [1, 100], strides: [100, 1]
// CHECK:         linalg.exp ins(%[[X]] : memref<1x100xf32>) outs(%[[Y]] : memref<1x100xf32, strided<[100, 1], offset: ?>>)
// CHECK:       func.func private @kernel_0(%{{.*}}: memref<1x100xf32>, %{{.*}}: memref<1x100xf32, strided<[300, 1], offset: 200>> {llvm.noalias})
func.func @parts(%p: memref<1x100xf32>) {
  %in = builtin.unrealized_conversion_cast %p : memref<1x100xf32> to memref<1x100xf32>
  %whole = memref.alloc() : memref<1x300xf32>
  %other = memref.alloc() : memref<1x200xf32>
  %a = memref.subview %whole[0, 0] [1, 100] [1, 1] : memref<1x300xf32> to memref<1x100xf32, strided<[300, 1]>>
  %b = memref.subview %other[0, 100] [1, 100] [1, 1] : memref<1x200xf32> to memref<1x100xf32, strided<[200, 1], offset: 100>>
  %c = memref.subview %whole[0, 200] [1, 100] [1, 1] : memref<1x300xf32> to memref<1x100xf32, strided<[300, 1], offset: 200>>
  linalg.exp ins(%in : memref<1x100xf32>) outs(%a : memref<1x100xf32, strided<[300, 1]>>)
  linalg.exp ins(%in : memref<1x100xf32>) outs(%b : memref<1x100xf32, strided<[200, 1], offset: 100>>)
  linalg.abs ins(%in : memref<1x100xf32>) outs(%c : memref<1x100xf32, strided<[300, 1], offset: 200>>)
  return
}

// -----

// In place is another pattern of buffers. The sizes go with the buffers.
// CHECK-LABEL: func.func @in_place
// CHECK:         call @kernel(%[[A:.*]], %{{.*}}) :
// CHECK-NEXT:    call @kernel_0(%[[A]]) :
// CHECK:       func.func private @kernel(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>) attributes {passthrough
// CHECK:       func.func private @kernel_0(%{{.*}}: memref<?xf32>) attributes {passthrough
func.func @in_place(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%a : memref<?xf32>)
  return
}

// -----

// Constants are part of a function, other numbers are passed.
// CHECK-LABEL: func.func @constants
// CHECK:         call @kernel(%{{[^,]*}}) :
// CHECK-NEXT:    call @kernel_0(%{{[^,]*}}) :
// CHECK-NEXT:    call @kernel(%{{[^,]*}}) :
// CHECK-NEXT:    call @kernel_1(%{{.*}}, %{{.*}}) : (f32, memref<100xf32>)
func.func @constants(%a: memref<100xf32>, %x: f32) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%one : f32) outs(%a : memref<100xf32>)
  linalg.fill ins(%two : f32) outs(%a : memref<100xf32>)
  linalg.fill ins(%one : f32) outs(%a : memref<100xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<100xf32>)
  return
}

// -----

// What is over at once stays; so do copies that are a memcpy.
// CHECK-LABEL: func.func @small
// CHECK:         linalg.exp
// CHECK:         memref.copy
// CHECK:         call @kernel(
// CHECK:       func.func private @kernel(
// CHECK-NEXT:    memref.copy
func.func @small(%a: memref<4x4xf32>, %b: memref<100x4xf32, strided<[8, 1]>>, %c: memref<100x4xf32>, %d: memref<100x4xf32>) {
  linalg.exp ins(%a : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  memref.copy %c, %d : memref<100x4xf32> to memref<100x4xf32>
  memref.copy %b, %c : memref<100x4xf32, strided<[8, 1]>> to memref<100x4xf32>
  return
}

// -----

// A body that reads a buffer by itself.
// CHECK-LABEL: func.func @captures
// CHECK:         call @kernel_look_up(%{{.*}}, %{{.*}}, %{{.*}}) :
func.func @captures(%at: memref<100xindex>, %table: memref<9xf32>, %out: memref<100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : memref<100xindex>) outs(%out : memref<100xf32>) {
  ^bb0(%i: index, %o: f32):
    %x = memref.load %table[%i] : memref<9xf32>
    linalg.yield %x : f32
  } loc("look/up")
  return
}

// -----

// A loop over rows is one function, with all that it does.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT:    call @kernel(%arg0, %arg1) :
// CHECK-NEXT:    call @kernel(%arg1, %arg0) :
// CHECK-NEXT:    return
// CHECK:       func.func private @kernel(
// CHECK:         scf.forall
// CHECK:         linalg.exp
// CHECK:         linalg.abs
// CHECK-NOT:   func.func
func.func @rows(%a: memref<8x100xf32>, %b: memref<8x100xf32>) {
  scf.forall (%i) in (8) {
    %x = memref.subview %a[%i, 0] [1, 100] [1, 1] : memref<8x100xf32> to memref<100xf32, strided<[1], offset: ?>>
    %y = memref.subview %b[%i, 0] [1, 100] [1, 1] : memref<8x100xf32> to memref<100xf32, strided<[1], offset: ?>>
    linalg.exp ins(%x : memref<100xf32, strided<[1], offset: ?>>) outs(%y : memref<100xf32, strided<[1], offset: ?>>)
    linalg.abs ins(%y : memref<100xf32, strided<[1], offset: ?>>) outs(%y : memref<100xf32, strided<[1], offset: ?>>)
  }
  scf.forall (%i) in (8) {
    %x = memref.subview %b[%i, 0] [1, 100] [1, 1] : memref<8x100xf32> to memref<100xf32, strided<[1], offset: ?>>
    %y = memref.subview %a[%i, 0] [1, 100] [1, 1] : memref<8x100xf32> to memref<100xf32, strided<[1], offset: ?>>
    linalg.exp ins(%x : memref<100xf32, strided<[1], offset: ?>>) outs(%y : memref<100xf32, strided<[1], offset: ?>>)
    linalg.abs ins(%y : memref<100xf32, strided<[1], offset: ?>>) outs(%y : memref<100xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----

// The items of an open batch are as far apart as the items of the buffer that
// they are parts of: that is passed, too, where it differs.
// CHECK-LABEL: func.func @batches
// CHECK-DAG:     %[[FAR:.*]] = arith.constant 300 : index
// CHECK-DAG:     %[[WIDE:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, 100], strides: [%[[FAR]], 1] : {{.*}} to memref<?x100xf32, strided<[?, 1], offset: ?>>
// CHECK-DAG:     call @kernel(%[[IN:.*]], %[[WIDE]]) :
// CHECK:         call @kernel(%[[IN]], %{{.*}}) :
// CHECK-NOT:     call
// CHECK:       func.func private @kernel(%{{.*}}: memref<?x100xf32>, %{{.*}}: memref<?x100xf32, strided<[?, 1], offset: ?>>)
// CHECK-NOT:   func.func
func.func @batches(%in: memref<?x100xf32>, %whole: memref<?x300xf32>, %other: memref<?x100xf32>, %n: index) {
  %a = memref.subview %whole[0, 200] [%n, 100] [1, 1] : memref<?x300xf32> to memref<?x100xf32, strided<[300, 1], offset: 200>>
  linalg.exp ins(%in : memref<?x100xf32>) outs(%a : memref<?x100xf32, strided<[300, 1], offset: 200>>)
  linalg.exp ins(%in : memref<?x100xf32>) outs(%other : memref<?x100xf32>)
  return
}

// -----

// Parts of the items of one buffer need no distance.
// CHECK-LABEL: func.func @parts_of_batch
// CHECK-COUNT-2: call @kernel(
// CHECK:       func.func private @kernel(%{{.*}}: memref<?x100xf32>, %{{.*}}: memref<?x100xf32, strided<[300, 1], offset: ?>>)
// CHECK-NOT:   func.func
func.func @parts_of_batch(%in: memref<?x100xf32>, %whole: memref<?x300xf32>, %n: index) {
  %a = memref.subview %whole[0, 0] [%n, 100] [1, 1] : memref<?x300xf32> to memref<?x100xf32, strided<[300, 1]>>
  %b = memref.subview %whole[0, 200] [%n, 100] [1, 1] : memref<?x300xf32> to memref<?x100xf32, strided<[300, 1], offset: 200>>
  linalg.exp ins(%in : memref<?x100xf32>) outs(%a : memref<?x100xf32, strided<[300, 1]>>)
  linalg.exp ins(%in : memref<?x100xf32>) outs(%b : memref<?x100xf32, strided<[300, 1], offset: 200>>)
  return
}
