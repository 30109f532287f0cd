// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(onnxc-lower-reshapes))' | FileCheck %s

// One dimension into two unknown ones and a known one: row-major strides.
// CHECK-LABEL: func @two_unknown
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK:         %[[S:.*]] = affine.apply {{.*}}%[[M]]
// CHECK:         memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[N]], %[[M]], 64], strides: [%[[S]], 64, 1]
func.func @two_unknown(%a: memref<?xf32>, %n: index, %m: index) -> memref<?x?x64xf32> {
  %r = memref.expand_shape %a [[0, 1, 2]] output_shape [%n, %m, 64] : memref<?xf32> into memref<?x?x64xf32>
  return %r : memref<?x?x64xf32>
}

// -----

// What upstream lowers stays.
// CHECK-LABEL: func @one_unknown
// CHECK:         memref.expand_shape
func.func @one_unknown(%a: memref<?x8xf32>, %n: index) -> memref<?x2x8xf32> {
  %r = memref.expand_shape %a [[0, 1], [2]] output_shape [%n, 2, 8] : memref<?x8xf32> into memref<?x2x8xf32>
  return %r : memref<?x2x8xf32>
}

// -----

func.func @strided(%a: memref<?xf32, strided<[4]>>, %n: index, %m: index) {
  // expected-error @below {{a strided buffer cannot be split}}
  %r = memref.expand_shape %a [[0, 1]] output_shape [%n, %m] : memref<?xf32, strided<[4]>> into memref<?x?xf32, strided<[?, 4]>>
  return
}
