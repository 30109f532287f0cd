// RUN: onnx-mlir-opt %s -onnxc-lower-copies | FileCheck %s

// Once some of the sizes become known, the layout would not be the identity.
// CHECK-LABEL: func.func @contiguous_stays
// CHECK: %[[A:.*]] = memref.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK: %[[B:.*]] = memref.collapse_shape %arg1 {{\[\[}}0, 1]]
// CHECK: memref.copy %[[A]], %[[B]] : memref<?xf32> to memref<?xf32>
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

// One side's sizes are known: whole rows are copied all the same.
// CHECK-LABEL: func.func @to_known_sizes
// CHECK-DAG: memref.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK-DAG: memref.collapse_shape %arg1 {{\[\[}}0, 1]]
// CHECK: memref.copy
// CHECK-DAG: memref.collapse_shape %arg1 {{\[\[}}0, 1]]
// CHECK-DAG: memref.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK: memref.copy
// CHECK-LABEL: func.func @known_sizes
// CHECK-NEXT: memref.copy %arg0, %arg1 : memref<2x4xf32> to memref<2x4xf32>
func.func @to_known_sizes(%a: memref<?x4xf32>, %b: memref<2x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<2x4xf32>
  memref.copy %b, %a : memref<2x4xf32> to memref<?x4xf32>
  return
}
func.func @known_sizes(%a: memref<2x4xf32>, %b: memref<2x4xf32>) {
  memref.copy %a, %b : memref<2x4xf32> to memref<2x4xf32>
  return
}
