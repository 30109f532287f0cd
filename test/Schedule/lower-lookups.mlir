// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vbmi},onnxc-lower-lookups)' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},onnxc-lower-lookups)' | FileCheck %s --check-prefix=ROWS

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

// Without that instruction: of 16 rows those that differ from the one before
// them, and the first of each half.
// ROWS-LABEL: @rows
// ROWS-NOT: gather
// ROWS: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.*}}, %arg0)
// ROWS: %[[AT:.*]] = llvm.intr.ssub.sat(%arg0, %{{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<32xi8>
// ROWS: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.*}}, %[[AT]])
// ROWS: %[[HIGH:.*]] = arith.xori %arg0, %{{.*}} : vector<32xi8>
// ROWS: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.*}}, %[[HIGH]])
// ROWS-NOT: pshuf.b
// ROWS: return
func.func @rows(%i: vector<32xi8>) -> vector<32xi8> {
  %r = kernel.lookup %i in dense<"0x01010101010101010101010101010101020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303"> : tensor<256xi8> : vector<32xi8> -> vector<32xi8>
  return %r : vector<32xi8>
}

// Half of a register has a shorter one; fewer indices are loaded one by one.
// ROWS-LABEL: @sixteen
// ROWS: llvm.x86.ssse3.pshuf.b.128
// ROWS-LABEL: @eight
// ROWS: llvm.intr.masked.gather
func.func @sixteen(%i: vector<16xi8>) -> vector<16xi8> {
  %r = kernel.lookup %i in dense<7> : tensor<256xi8> : vector<16xi8> -> vector<16xi8>
  return %r : vector<16xi8>
}
func.func @eight(%i: vector<8xi8>) -> vector<8xi8> {
  %r = kernel.lookup %i in dense<7> : tensor<256xi8> : vector<8xi8> -> vector<8xi8>
  return %r : vector<8xi8>
}

// ROWS-LABEL: @many
// ROWS-COUNT-4: llvm.x86.avx2.pshuf.b
// ROWS-NOT: pshuf.b
// ROWS: return
func.func @many(%i: vector<64xi8>) -> vector<64xi8> {
  %r = kernel.lookup %i in dense<7> : tensor<256xi8> : vector<64xi8> -> vector<64xi8>
  return %r : vector<64xi8>
}
