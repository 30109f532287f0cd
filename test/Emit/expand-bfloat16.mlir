// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-expand-bfloat16))' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512bf16},func.func(onnxc-expand-bfloat16))' | FileCheck %s --check-prefix=NORMAL
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

// An instruction that makes zeros of subnormal numbers gets normal ones.
// NORMAL-LABEL: func @vector
// NORMAL: %[[BITS:.*]] = arith.bitcast %arg0
// NORMAL-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi32>
// NORMAL-DAG: %[[EXPONENT:.*]] = arith.constant dense<2139095040> : vector<16xi32>
// NORMAL: %[[OWN:.*]] = arith.andi %[[BITS]], %[[EXPONENT]]
// NORMAL: %[[SMALL:.*]] = arith.cmpi eq, %[[OWN]], %[[ZERO]]
// NORMAL: %[[ONE:.*]] = arith.constant dense<8388608> : vector<16xi32>
// NORMAL: %[[NORMAL:.*]] = arith.ori %[[BITS]], %[[ONE]]
// NORMAL: %[[FED:.*]] = arith.select %[[SMALL]], %[[NORMAL]], %[[BITS]]
// NORMAL: %[[FLOAT:.*]] = arith.bitcast %[[FED]]
// NORMAL: %[[ROUNDED:.*]] = arith.truncf %[[FLOAT]]
// NORMAL: %[[RESULT:.*]] = arith.bitcast %[[ROUNDED]]
// NORMAL: %[[LAST:.*]] = arith.constant dense<128> : vector<16xi16>
// NORMAL: %[[LESS:.*]] = arith.subi %[[RESULT]], %[[LAST]]
// NORMAL: arith.select %[[SMALL]], %[[LESS]], %[[RESULT]]
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

// NORMAL-LABEL: func @double
// NORMAL-NOT: arith.extf {{.*}}bf16
// NORMAL: arith.shli
// NORMAL: arith.extf {{.*}} : vector<4xf32> to vector<4xf64>

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
// NORMAL-LABEL: func @arithmetic
// NORMAL-NOT: arith.{{mulf|maximumf|extf}} {{.*}}bf16
// NORMAL: arith.maximumf {{.*}} : f32
// NORMAL: arith.truncf {{.*}} : f32 to bf16
func.func @arithmetic(%x: vector<16xbf16>, %y: bf16, %z: bf16) -> (vector<16xbf16>, bf16) {
  %0 = arith.mulf %x, %x : vector<16xbf16>
  %1 = arith.maximumf %y, %z : bf16
  return %0, %1 : vector<16xbf16>, bf16
}
