// RUN: onnx-mlir-opt %s -onnxc-place-weights=min-bytes=16 | FileCheck %s

// The defaults of inputs are weights, small ones too, in one place with equal
// constants; those of texts and without elements have no place.
// CHECK: inputs = [{name = "x"},
// CHECK-SAME: {default = dense<[1.0{{.*}}]> : tensor<4xf32>, default_offset = 0 : i64, name = "w"}
// CHECK-SAME: {default = dense<7> : tensor<i64>, default_offset = 64 : i64, name = "k"}
// CHECK-SAME: {default = dense<> : tensor<0xf32>, name = "none"}
// CHECK-SAME: {default = dense<[true, false]> : tensor<2xi1>, default_offset = 128 : i64, name = "flags"}
// CHECK: onnxc.weights = [{offset = 0 : i64, value = dense<[1.0{{.*}}]> : tensor<4xf32>}, {offset = 64 : i64, value = dense<7> : tensor<i64>}, {offset = 128 : i64, value = dense<[1, 0]> : tensor<2xi8>}]
module attributes {onnxc.model = {inputs = [{name = "x"}, {name = "w", default = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}, {name = "k", default = dense<7> : tensor<i64>}, {name = "none", default = dense<> : tensor<0xf32>}, {name = "flags", default = dense<[true, false]> : tensor<2xi1>}], outputs = []}} {
  memref.global "private" constant @a : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  func.func @use() -> memref<4xf32> {
    %0 = memref.get_global @a : memref<4xf32>
    return %0 : memref<4xf32>
  }
}
