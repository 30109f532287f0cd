// Code for another level of processors has placed some already: they stay where
// they are, equal contents share a place, and what is new comes behind them.
// RUN: onnx-mlir-opt %s -onnxc-place-weights=min-bytes=16 -canonicalize | FileCheck %s

// CHECK: onnxc.weights = [{offset = 0 : i64, value = dense<[1, 2, 3, 4]> : tensor<4xi32>}, {offset = 64 : i64, value = dense<{{.*}}> : tensor<4xi32>}, {offset = 128 : i64, value = dense<[9, 9, 9, 8]> : tensor<4xi32>}]
// CHECK: memref.global "private" constant @onnxc_weights : memref<192xi8>
// CHECK: memref.view %{{.*}}[%c64][] : memref<192xi8> to memref<2x2xi32>
// CHECK: memref.view %{{.*}}[%c128][] : memref<192xi8> to memref<4xi32>
module attributes {onnxc.weights = [{offset = 0 : i64, value = dense<[1, 2, 3, 4]> : tensor<4xi32>}, {offset = 64 : i64, value = dense<[5, 6, 7, 8]> : tensor<4xi32>}]} {
  memref.global "private" constant @known : memref<2x2xi32> = dense<[[5, 6], [7, 8]]>
  memref.global "private" constant @new : memref<4xi32> = dense<[9, 9, 9, 8]>

  func.func @views() -> (memref<2x2xi32>, memref<4xi32>) {
    %0 = memref.get_global @known : memref<2x2xi32>
    %1 = memref.get_global @new : memref<4xi32>
    return %0, %1 : memref<2x2xi32>, memref<4xi32>
  }
}
