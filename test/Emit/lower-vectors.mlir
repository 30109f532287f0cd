// RUN: onnx-mlir-opt %s --onnxc-lower-vectors | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-llvm)' | FileCheck %s --check-prefix=LLVM

// Everything ends in the llvm dialect, and nothing goes over the stack.
// LLVM-NOT: unrealized_conversion_cast
// LLVM-NOT: llvm.alloca
// LLVM-NOT: vector.

// A register tile of a matmul: fused multiply-adds of rows.
// CHECK-LABEL: func @contract
// CHECK-NOT: vector.contract
// CHECK-COUNT-8: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
func.func @contract(%a: vector<4x2xf32>, %b: vector<2x16xf32>,
                    %c: vector<4x16xf32>) -> vector<4x16xf32> {
  %0 = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %a, %b, %c
    : vector<4x2xf32>, vector<2x16xf32> into vector<4x16xf32>
  return %0 : vector<4x16xf32>
}

// CHECK-LABEL: func @transfers
// CHECK-NOT: memref.alloca
// CHECK-NOT: vector.transfer
// CHECK-COUNT-4: vector.load {{.*}} : memref<4x8xf32>, vector<8xf32>
// CHECK-NOT: vector.transfer
// CHECK-COUNT-4: vector.store {{.*}} : memref<4x8xf32>, vector<8xf32>
func.func @transfers(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]}
    : memref<4x8xf32>, vector<4x8xf32>
  vector.transfer_write %0, %b[%c0, %c0] {in_bounds = [true, true]}
    : vector<4x8xf32>, memref<4x8xf32>
  return
}

// Tails are masked.
// CHECK-LABEL: func @tail
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
func.func @tail(%a: memref<?xf32>, %b: memref<?xf32>, %i: index, %n: index) {
  %zero = arith.constant 0.0 : f32
  %mask = vector.create_mask %n : vector<8xi1>
  %0 = vector.transfer_read %a[%i], %zero, %mask {in_bounds = [true]}
    : memref<?xf32>, vector<8xf32>
  vector.transfer_write %0, %b[%i], %mask {in_bounds = [true]}
    : vector<8xf32>, memref<?xf32>
  return
}

// CHECK-LABEL: func @reduce
// CHECK-NOT: multi_reduction
func.func @reduce(%a: vector<4x8xf32>, %init: vector<4xf32>) -> vector<4xf32> {
  %0 = vector.multi_reduction <add>, %a, %init [1]
    : vector<4x8xf32> to vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func @transpose
// CHECK: vector.shuffle
func.func @transpose(%a: vector<4x8xf32>) -> vector<8x4xf32> {
  %0 = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  return %0 : vector<8x4xf32>
}
