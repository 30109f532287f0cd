// RUN: onnx-mlir-opt %s -onnxc-separate-steps -canonicalize -expand-strided-metadata | FileCheck %s
// RUN: onnx-mlir-opt %s -onnxc-separate-steps | FileCheck %s --check-prefix=TWO

// Dimensions 0 and 2 have size 1, and the first is dropped; the strides of the
// source are 16, 1, 1 and those of the result 4, 1. LLVM's lowering crashes there.
// CHECK-LABEL: func.func @steps_beside_two_of_one
// CHECK: memref.reinterpret_cast {{.*}} to offset: [65], sizes: [4, 1], strides: [4, 1]
// TWO-LABEL: func.func @steps_beside_two_of_one
// TWO: %[[ALL:.*]] = memref.subview %arg0[4, 1, 0] [1, 4, 1] [1, 4, 1] : memref<6x16x1xf32> to memref<1x4x1xf32,
// TWO: memref.subview %[[ALL]][0, 0, 0] [1, 4, 1] [1, 1, 1] {{.*}} to memref<4x1xf32, strided<[4, 1], offset: 65>>
func.func @steps_beside_two_of_one(%x: memref<6x16x1xf32>) -> memref<4x1xf32, strided<[4, 1], offset: 65>> {
  %y = memref.subview %x[4, 1, 0] [1, 4, 1] [1, 4, 1] : memref<6x16x1xf32> to memref<4x1xf32, strided<[4, 1], offset: 65>>
  return %y : memref<4x1xf32, strided<[4, 1], offset: 65>>
}

// A step that the run gives.
// CHECK-LABEL: func.func @step_of_the_run
// CHECK: memref.reinterpret_cast {{.*}} sizes: [%arg2, 1], strides:
func.func @step_of_the_run(%x: memref<6x?x1xf32>, %step: index, %n: index) -> memref<?x1xf32, strided<[?, 1], offset: ?>> {
  %y = memref.subview %x[4, 0, 0] [1, %n, 1] [1, %step, 1] : memref<6x?x1xf32> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  return %y : memref<?x1xf32, strided<[?, 1], offset: ?>>
}

// Without steps, or with all of its dimensions, a view stays.
// TWO-LABEL: func.func @one_view
// TWO-COUNT-2: memref.subview
// TWO-NOT: memref.subview
func.func @one_view(%x: memref<6x16x1xf32>) -> (memref<4x1xf32, strided<[1, 1], offset: 64>>, memref<1x4x1xf32, strided<[16, 4, 1], offset: 64>>) {
  %y = memref.subview %x[4, 0, 0] [1, 4, 1] [1, 1, 1] : memref<6x16x1xf32> to memref<4x1xf32, strided<[1, 1], offset: 64>>
  %z = memref.subview %x[4, 0, 0] [1, 4, 1] [1, 4, 1] : memref<6x16x1xf32> to memref<1x4x1xf32, strided<[16, 4, 1], offset: 64>>
  return %y, %z : memref<4x1xf32, strided<[1, 1], offset: 64>>, memref<1x4x1xf32, strided<[16, 4, 1], offset: 64>>
}
