// RUN: onnx-mlir-opt %s --verify-each=false --pass-pipeline='builtin.module(func.func(canonicalize,onnxc-move-empty-views))' | FileCheck %s

// The buffer turns out to end where the view starts, of a size that is not known.
// CHECK-LABEL: func.func @at_the_end
// CHECK-NOT: memref.subview
// CHECK: memref.reinterpret_cast {{.*}} to offset: [4], sizes: [%arg0], strides: [1]
func.func @at_the_end(%n: index) -> memref<?xi64, strided<[1], offset: 4>> {
  %c4 = arith.constant 4 : index
  %all = memref.alloc(%c4) : memref<?xi64>
  %view = memref.subview %all[4] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1], offset: 4>>
  return %view : memref<?xi64, strided<[1], offset: 4>>
}

// CHECK-LABEL: func.func @before_the_end
// CHECK: memref.subview
func.func @before_the_end(%n: index) -> memref<?xi64, strided<[1], offset: 3>> {
  %c4 = arith.constant 4 : index
  %all = memref.alloc(%c4) : memref<?xi64>
  %view = memref.subview %all[3] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1], offset: 3>>
  return %view : memref<?xi64, strided<[1], offset: 3>>
}
