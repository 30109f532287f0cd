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

// (-10 - 0) * 0.5 and (20 - 0) * 0.5 bound x; 12582912 rounds the quotient, whose
// low byte is the integer.
// CHECK-LABEL: @narrowed
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -6.000000e+00 : f32
// CHECK-DAG: %[[ROUNDER:.*]] = arith.constant 0x4B400000 : f32
// CHECK-NOT: math.roundeven
// CHECK: arith.cmpf olt, %[[LEAST]], %arg0
// CHECK: %[[Q:.*]] = math.fma
// CHECK: %[[Q:.*]] = math.fma
// CHECK: %[[SUM:.*]] = arith.addf %[[Q]], %[[ROUNDER]] : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK: arith.addi %[[BITS]], %c2_i32
// CHECK: arith.trunci
func.func @narrowed(%x: f32) -> i8 {
  %d = arith.constant 0.5 : f32
  %zero = arith.constant 2.0 : f32
  %least = arith.constant -10.0 : f32
  %most = arith.constant 20.0 : f32
  %q = arith.divf %x, %d : f32
  %r = math.roundeven %q : f32
  %z = arith.addf %r, %zero : f32
  %low = arith.cmpf ogt, %z, %least : f32
  %a = arith.select %low, %z, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  %i = arith.fptosi %b : f32 to i32
  %n = arith.trunci %i : i32 to i8
  return %n : i8
}
