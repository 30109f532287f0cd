// RUN: onnx-mlir-opt %s --onnxc-record-offsets | FileCheck %s

// Of buffers that begin somewhere, and of those that begin at their pointers, by the arguments that
// they become. What others call, and what takes bare pointers, stays as it is.
// CHECK:     func.func private @kernel
// CHECK-SAME:  onnxc.offsets = array<i64: 3>, onnxc.zero_offsets = array<i64: 10>
func.func private @kernel(%n: index, %a: memref<?x4xf32, strided<[4, 1], offset: ?>>, %b: memref<4xf32>, %c: memref<4xf32, strided<[1], offset: 8>>) {
  return
}
// CHECK-NOT: onnxc.
func.func private @bare(%b: memref<4xf32>) attributes {llvm.bareptr} {
  return
}
func.func @entry(%b: memref<4xf32>) {
  return
}
