// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-divide-once))' | FileCheck %s

// CHECK-LABEL: @rounded
// CHECK-NOT: arith.divf
// CHECK: arith.mulf
// CHECK-COUNT-2: math.fma
// CHECK: arith.select
func.func @rounded(%x: f32) -> f32 {
  %d = arith.constant 3.0 : f32
  %q = arith.divf %x, %d : f32
  %r = math.roundeven %q : f32
  return %r : f32
}

// A quotient of its own is exact for all numbers.
// CHECK-LABEL: @plain
// CHECK: arith.divf
func.func @plain(%x: f32) -> f32 {
  %d = arith.constant 3.0 : f32
  %q = arith.divf %x, %d : f32
  return %q : f32
}
