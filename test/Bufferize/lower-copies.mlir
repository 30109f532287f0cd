// RUN: onnx-mlir-opt %s -onnxc-lower-copies | FileCheck %s

// CHECK-LABEL: func.func @contiguous_stays
// CHECK: memref.copy
func.func @contiguous_stays(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}

// CHECK-LABEL: func.func @strided_becomes_loops
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store
func.func @strided_becomes_loops(%a: memref<3x4xf32, strided<[6, 1], offset: 7>>, %b: memref<3x4xf32>) {
  memref.copy %a, %b : memref<3x4xf32, strided<[6, 1], offset: 7>> to memref<3x4xf32>
  return
}

// CHECK-LABEL: func.func @nothing_to_copy
// CHECK-NEXT: return
func.func @nothing_to_copy(%a: memref<4xf32>, %b: memref<0x4xf32, strided<[8, 1]>>, %c: memref<0x4xf32>) {
  memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  memref.copy %b, %c : memref<0x4xf32, strided<[8, 1]>> to memref<0x4xf32>
  return
}
