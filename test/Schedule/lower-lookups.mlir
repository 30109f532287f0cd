// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vbmi},onnxc-lower-lookups)' | FileCheck %s

// One table for all that read it; of four registers, two halves.
// CHECK-COUNT-1: llvm.mlir.global internal constant @onnxc_table_{{.*}}(dense<7> : tensor<256xi8>)
// CHECK-LABEL: @permuted
// CHECK: arith.extui %arg0 : vector<16xi8> to vector<16xi32>
// CHECK-COUNT-2: llvm.x86.avx512.vpermi2var.qi.512
// CHECK: arith.select
// CHECK: arith.trunci
func.func @permuted(%i: vector<16xi8>) -> vector<16xi8> {
  %r = kernel.lookup %i in dense<7> : tensor<256xi8> : vector<16xi8> -> vector<16xi8>
  return %r : vector<16xi8>
}

// CHECK-LABEL: @gathered
// CHECK: llvm.intr.masked.gather {{.*}} {alignment = 4 : i32} : {{.*}} -> vector<8xf32>
func.func @gathered(%i: vector<8xi8>) -> vector<8xf32> {
  %r = kernel.lookup %i in dense<7.0> : tensor<256xf32> : vector<8xi8> -> vector<8xf32>
  return %r : vector<8xf32>
}

// CHECK-LABEL: @loaded
// CHECK: llvm.load {{.*}} -> i8
func.func @loaded(%i: i8) -> i8 {
  %r = kernel.lookup %i in dense<7> : tensor<256xi8> : i8 -> i8
  return %r : i8
}
