// RUN: onnx-mlir-opt %s -pass-pipeline='builtin.module(func.func(onnxc-lower-reshapes))' | FileCheck %s

// One dimension into two unknown ones and a known one: row-major strides.
// CHECK-LABEL: func @two_unknown
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK:         %[[S:.*]] = affine.apply {{.*}}%[[M]]
// CHECK:         memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[N]], %[[M]], 64], strides: [%[[S]], 64, 1]
func.func @two_unknown(%a: memref<?xf32>, %n: index, %m: index) -> memref<?x?x64xf32> {
  %r = memref.expand_shape %a [[0, 1, 2]] output_shape [%n, %m, 64] : memref<?xf32> into memref<?x?x64xf32>
  return %r : memref<?x?x64xf32>
}

// What upstream lowers stays.
// CHECK-LABEL: func @one_unknown
// CHECK:         memref.expand_shape
func.func @one_unknown(%a: memref<?x8xf32>, %n: index) -> memref<?x2x8xf32> {
  %r = memref.expand_shape %a [[0, 1], [2]] output_shape [%n, 2, 8] : memref<?x8xf32> into memref<?x2x8xf32>
  return %r : memref<?x2x8xf32>
}

// The stride of a buffer with gaps is that of the last of its dimensions.
// CHECK-LABEL: func @strided
// CHECK-SAME:    %[[A:.*]]: memref<?x3xf32, strided<[?, 4], offset: ?>>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[S:.*]] = affine.apply {{.*}}%[[STRIDES]]#0, %[[M]]
// CHECK:         memref.reinterpret_cast %[[A]] to offset: [%[[OFFSET]]], sizes: [%[[N]], %[[M]], 3], strides: [%[[S]], %[[STRIDES]]#0, 4]
func.func @strided(%a: memref<?x3xf32, strided<[?, 4], offset: ?>>, %n: index, %m: index) -> memref<?x?x3xf32, strided<[?, ?, 4], offset: ?>> {
  %r = memref.expand_shape %a [[0, 1], [2]] output_shape [%n, %m, 3] : memref<?x3xf32, strided<[?, 4], offset: ?>> into memref<?x?x3xf32, strided<[?, ?, 4], offset: ?>>
  return %r : memref<?x?x3xf32, strided<[?, ?, 4], offset: ?>>
}

// The strides of the parts are multiples of the source's; the offset stays.
// CHECK-LABEL: func @strided_parts
// CHECK-SAME:    %[[A:.*]]: memref<?x5xf32, strided<[4, ?], offset: ?>>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[S:.*]] = affine.apply {{.*}}%[[M]]
// CHECK:         memref.reinterpret_cast %[[A]] to offset: [%[[OFFSET]]], sizes: [%[[N]], %[[M]], 5], strides: [%[[S]], 4, %[[STRIDES]]#1]
func.func @strided_parts(%a: memref<?x5xf32, strided<[4, ?], offset: ?>>, %n: index, %m: index) -> memref<?x?x5xf32, strided<[?, 4, ?], offset: ?>> {
  %r = memref.expand_shape %a [[0, 1], [2]] output_shape [%n, %m, 5] : memref<?x5xf32, strided<[4, ?], offset: ?>> into memref<?x?x5xf32, strided<[?, 4, ?], offset: ?>>
  return %r : memref<?x?x5xf32, strided<[?, 4, ?], offset: ?>>
}
