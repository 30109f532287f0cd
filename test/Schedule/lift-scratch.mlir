// RUN: onnx-mlir-opt %s --onnxc-lift-scratch | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[FIRST:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
// CHECK-NEXT:    call @kernel(%{{.*}}, %[[FIRST]])
// CHECK-NEXT:    %[[SECOND:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
// CHECK-NEXT:    call @kernel(%{{.*}}, %[[SECOND]])
func.func @main(%a: memref<8xf32>) {
  call @kernel(%a) : (memref<8xf32>) -> ()
  call @kernel(%a) : (memref<8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %[[SCRATCH:.*]]: memref<32xf32> {llvm.noalias})
// CHECK-NOT:     memref.alloc
// CHECK:         memref.store %{{.*}}, %[[SCRATCH]]
func.func private @kernel(%a: memref<8xf32>) attributes {llvm.bareptr} {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<8xf32>
  %true = arith.constant true
  scf.if %true {
    %scratch = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
    memref.store %x, %scratch[%c0] : memref<32xf32>
  }
  return
}

// Others may call what is public, and what is called in other ways than by name:
// their arguments stay as they are.
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    %{{[^:]*}}: memref<8xf32>)
// CHECK:         memref.alloc
func.func @public(%a: memref<8xf32>) {
  %scratch = memref.alloc() : memref<8xf32>
  memref.copy %a, %scratch : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: func.func private @referenced(
// CHECK-SAME:    %{{[^:]*}}: memref<8xf32>)
// CHECK:         memref.alloc
func.func private @referenced(%a: memref<8xf32>) {
  %scratch = memref.alloc() : memref<8xf32>
  memref.copy %a, %scratch : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: func.func @users
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @users(%a: memref<8xf32>) -> ((memref<8xf32>) -> ()) {
  call @public(%a) : (memref<8xf32>) -> ()
  call @referenced(%a) : (memref<8xf32>) -> ()
  %f = constant @referenced : (memref<8xf32>) -> ()
  return %f : (memref<8xf32>) -> ()
}
