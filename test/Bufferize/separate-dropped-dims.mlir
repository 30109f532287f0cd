// RUN: onnx-mlir-opt %s -onnxc-separate-dropped-dims -canonicalize -expand-strided-metadata | FileCheck %s
// RUN: onnx-mlir-opt %s -onnxc-separate-dropped-dims | FileCheck %s --check-prefix=TWO

// Dimensions 0 and 2 have size 1, and the first is dropped; the strides of the
// source are 16, 1, 1 and those of the result 4, 1. LLVM's lowering crashes there.
// CHECK-LABEL: func.func @steps_beside_two_of_one
// CHECK: memref.reinterpret_cast {{.*}} to offset: [65], sizes: [4, 1], strides: [4, 1]
// TWO-LABEL: func.func @steps_beside_two_of_one
// TWO: %[[ALL:.*]] = memref.subview %arg0[4, 1, 0] [1, 4, 1] [1, 4, 1] : memref<6x16x1xf32> to memref<1x4x1xf32,
// TWO: memref.collapse_shape %[[ALL]] {{\[\[}}0, 1], [2]] {{.*}} into memref<4x1xf32, strided<[4, 1], offset: 65>>
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

// Dimension 2 is dropped, and dimension 0, of size 1 too, stays: 1 has the stride
// of 1, and not that of 2.
// CHECK-LABEL: func.func @strides_of_the_run
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:4, %[[STRIDES:.*]]:4 = memref.extract_strided_metadata %arg0
// CHECK: memref.reinterpret_cast %[[BASE]] {{.*}} sizes: [1, %arg1, %arg2], strides: [%[[STRIDES]]#0, %[[STRIDES]]#1, 1]
// TWO-LABEL: func.func @strides_of_the_run
// TWO: memref.collapse_shape {{.*}} {{\[\[}}0], [1, 2], [3]]
func.func @strides_of_the_run(%x: memref<1x?x?x?xf32>, %n: index, %m: index) -> memref<1x?x?xf32, strided<[?, ?, 1]>> {
  %y = memref.subview %x[0, 0, 0, 0] [1, %n, 1, %m] [1, 1, 1, 1] : memref<1x?x?x?xf32> to memref<1x?x?xf32, strided<[?, ?, 1]>>
  return %y : memref<1x?x?xf32, strided<[?, ?, 1]>>
}

// The size of dimension 0 may turn out to be 1 when constants are folded.
// TWO-LABEL: func.func @size_of_the_run
// TWO: memref.collapse_shape {{.*}} {{\[\[}}0], [1, 2], [3]]
func.func @size_of_the_run(%x: memref<?x?x?x?xf32>, %a: index, %n: index, %m: index) -> memref<?x?x?xf32, strided<[?, ?, 1]>> {
  %y = memref.subview %x[0, 0, 0, 0] [%a, %n, 1, %m] [1, 1, 1, 1] : memref<?x?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, 1]>>
  return %y : memref<?x?x?xf32, strided<[?, ?, 1]>>
}

// Nothing lies between the two dimensions, strides differ, nothing or everything
// is dropped: a view stays.
// TWO-LABEL: func.func @one_view
// TWO-COUNT-5: memref.subview
// TWO-NOT: memref.{{subview|collapse_shape}}
func.func @one_view(%x: memref<6x16x1xf32>, %d: memref<?x?x?xf32>, %n: index)
    -> (memref<4x1xf32, strided<[1, 1], offset: 64>>, memref<1x4x1xf32, strided<[16, 4, 1], offset: 64>>,
        memref<f32, strided<[]>>, memref<1x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>) {
  %y = memref.subview %x[4, 0, 0] [1, 4, 1] [1, 1, 1] : memref<6x16x1xf32> to memref<4x1xf32, strided<[1, 1], offset: 64>>
  %z = memref.subview %x[4, 0, 0] [1, 4, 1] [1, 4, 1] : memref<6x16x1xf32> to memref<1x4x1xf32, strided<[16, 4, 1], offset: 64>>
  %u = memref.subview %d[0, 0, 0] [1, 1, 1] [1, 1, 1] : memref<?x?x?xf32> to memref<f32, strided<[]>>
  %v = memref.subview %d[0, 0, 0] [1, 1, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<1x?xf32, strided<[?, 1]>>
  %w = memref.subview %d[0, 0, 0] [1, %n, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  return %y, %z, %u, %v, %w : memref<4x1xf32, strided<[1, 1], offset: 64>>, memref<1x4x1xf32, strided<[16, 4, 1], offset: 64>>,
        memref<f32, strided<[]>>, memref<1x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>
}
