// RUN: onnx-mlir-opt %s -onnxc-place-weights=min-bytes=16 | FileCheck %s

// The defaults of inputs are weights, small ones too, in one place with equal
// constants; those of texts and without elements have no place.
// CHECK: inputs = [#onnxc.value_info<name = "x", dtype = 1>,
// CHECK-SAME: name = "w", dtype = 1, default_value = dense<[1.0{{.*}}]> : tensor<4xf32>, default_offset = 0>
// CHECK-SAME: name = "k", dtype = 7, default_value = dense<7> : tensor<i64>, default_offset = 64>
// CHECK-SAME: name = "none", dtype = 1, default_value = dense<> : tensor<0xf32>>
// CHECK-SAME: name = "flags", dtype = 9, default_value = dense<[true, false]> : tensor<2xi1>, default_offset = 128>
// CHECK: onnxc.weights = [{offset = 0 : i64, value = dense<[1.0{{.*}}]> : tensor<4xf32>}, {offset = 64 : i64, value = dense<7> : tensor<i64>}, {offset = 128 : i64, value = dense<[1, 0]> : tensor<2xi8>}]
module attributes {onnxc.signature = #onnxc.signature<
  inputs = [
    #onnxc.value_info<name = "x", dtype = 1>,
    #onnxc.value_info<name = "w", dtype = 1, default_value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>>,
    #onnxc.value_info<name = "k", dtype = 7, default_value = dense<7> : tensor<i64>>,
    #onnxc.value_info<name = "none", dtype = 1, default_value = dense<> : tensor<0xf32>>,
    #onnxc.value_info<name = "flags", dtype = 9, default_value = dense<[true, false]> : tensor<2xi1>>],
  outputs = []>} {
  memref.global "private" constant @a : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  func.func @use() -> memref<4xf32> {
    %0 = memref.get_global @a : memref<4xf32>
    return %0 : memref<4xf32>
  }
}
