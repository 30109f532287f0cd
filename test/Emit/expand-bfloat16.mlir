// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-expand-bfloat16))' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-llvm)' | FileCheck %s --check-prefix=WITHOUT
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512bf16},onnxc-llvm)' | FileCheck %s --check-prefix=WITH

// What lies in the middle goes to the even neighbour: the last bit that is kept is added to the half.
// CHECK-LABEL: func @vector
// CHECK-NOT: arith.truncf
// CHECK: arith.cmpf une
// CHECK: arith.shrui
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xi16>
// CHECK: arith.bitcast {{.*}} : vector<16xi16> to vector<16xbf16>

// WITHOUT-NOT: llvm.fptrunc {{.*}} to vector<16xbf16>
// WITH: llvm.fptrunc {{.*}} : vector<16xf32> to vector<16xbf16>
func.func @vector(%x: vector<16xf32>) -> vector<16xbf16> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %y : vector<16xbf16>
}

// A double has a float's bits: the two steps lose nothing.
// CHECK-LABEL: func @double
// CHECK-NOT: arith.extf {{.*}} : vector<4xbf16>
// CHECK: arith.shli
// CHECK: arith.extf {{.*}} : vector<4xf32> to vector<4xf64>
func.func @double(%x: vector<4xbf16>) -> vector<4xf64> {
  %y = arith.extf %x : vector<4xbf16> to vector<4xf64>
  return %y : vector<4xf64>
}

// Others have instructions or functions of their own.
// CHECK-LABEL: func @half
// CHECK: arith.truncf
func.func @half(%x: vector<16xf32>) -> vector<16xf16> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xf16>
  return %y : vector<16xf16>
}

// Arithmetic is that on float32.
// CHECK-LABEL: func @arithmetic
// CHECK-NOT: arith.{{[a-z]*}}f {{.*}}bf16
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: arith.maximumf {{.*}} : f32
func.func @arithmetic(%x: vector<16xbf16>, %y: bf16, %z: bf16) -> (vector<16xbf16>, bf16) {
  %0 = arith.mulf %x, %x : vector<16xbf16>
  %1 = arith.maximumf %y, %z : bf16
  return %0, %1 : vector<16xbf16>, bf16
}
