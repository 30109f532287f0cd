// RUN: onnx-mlir-opt %s -onnxc-place-weights=min-bytes=16 -canonicalize | FileCheck %s

// Equal bytes have one place, whatever their type; places are 64-byte aligned;
// booleans become bytes; small constants stay, but for booleans that are a
// resource: LLVM has no such constant. A resource without elements becomes a
// dense attribute, since the translation to LLVM IR divides by its size.
// CHECK: onnxc.weights = [{offset = 0 : i64, value = dense_resource<a> : tensor<4xf32>}, {offset = 64 : i64, value = dense_resource<b> : tensor<4xf32>}, {offset = 128 : i64, value = dense<{{.*}}> : tensor<16xi8>}, {offset = 192 : i64, value = dense_resource<bits> : tensor<2xi8>}, {offset = 256 : i64, value = dense<[1, 2, 3, 4]> : tensor<4xi32>}]
// CHECK: memref.global "private" constant @onnxc_weights : memref<320xi8> {alignment = 64 : i64}
// CHECK: memref.global "private" constant @small
// CHECK: memref.global "private" constant @nothing : memref<2x0xi8> = dense<>
// CHECK-NOT: memref.global
memref.global "private" constant @a : memref<4xf32> = dense_resource<a>
memref.global "private" constant @b : memref<4xf32> = dense_resource<b>
memref.global "private" constant @same_as_a : memref<2x2xi32> = dense_resource<same_as_a>
memref.global "private" constant @flags : memref<16xi1> = dense<[1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0]>
memref.global "private" constant @small : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" constant @bits : memref<2xi1> = dense_resource<bits>
memref.global "private" constant @nothing : memref<2x0xi8> = dense_resource<nothing>
memref.global "private" constant @numbers : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global "private" constant @same_numbers : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>

// CHECK-LABEL: func.func @views
// CHECK-DAG: %[[O0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[O128:.*]] = arith.constant 128 : index
// CHECK: memref.view %{{.*}}[%[[O0]]][] : memref<320xi8> to memref<2x2xi32>
// CHECK: memref.view %{{.*}}[%[[O128]]][] : memref<320xi8> to memref<16xi1>
// CHECK: memref.get_global @small
func.func @views() -> (memref<2x2xi32>, memref<16xi1>, memref<2xf32>) {
  %0 = memref.get_global @same_as_a : memref<2x2xi32>
  %1 = memref.get_global @flags : memref<16xi1>
  %2 = memref.get_global @small : memref<2xf32>
  return %0, %1, %2 : memref<2x2xi32>, memref<16xi1>, memref<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      a: "0x040000000000803F000000400000404000008040",
      b: "0x040000000000803F000000400000404000009040",
      same_as_a: "0x040000000000803F000000400000404000008040",
      bits: "0x010000000100",
      nothing: "0x01000000"
    }
  }
#-}
