// RUN: onnx-mlir-opt %s --onnxc-lower-math | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: onnx-mlir-opt %s --onnxc-lower-math=approximate | FileCheck %s --check-prefixes=CHECK,APPROX

// What LLVM has no intrinsic for becomes a call of libm.
// CHECK-LABEL: func @libm
// CHECK: call @atan2f
// CHECK: call @cbrt(
func.func @libm(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.atan2 %x, %x : f32
  %1 = math.cbrt %y : f64
  return %0, %1 : f32, f64
}

// expm1 and log1p keep their digits near zero.
// CHECK-LABEL: func @near_zero
// EXACT: call @expm1f
// EXACT: call @log1pf
// APPROX-NOT: call
func.func @near_zero(%x: f32) -> (f32, f32) {
  %0 = math.expm1 %x : f32
  %1 = math.log1p %x : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func @vector
// EXACT: math.exp %{{.*}} : vector<8xf32>
// EXACT-COUNT-8: call @erff
// APPROX-NOT: math.exp
// APPROX-NOT: call
// APPROX: return
func.func @vector(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.erf %x : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// A subnormal result is an integer's bits; nothing of it is computed where there
// is none.
// CHECK-LABEL: func @weights
// APPROX-NOT: arith.fptosi
// APPROX: return
// CHECK-LABEL: func @subnormal
// APPROX: arith.fptosi
func.func @weights(%x: f32) -> f32 {
  %least = arith.constant -80.0 : f32
  %less = arith.cmpf olt, %x, %least : f32
  %y = arith.select %less, %least, %x : f32
  %0 = math.exp %y : f32
  return %0 : f32
}
func.func @subnormal(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// Only huge arguments of sin are libm's.
// CHECK-LABEL: func @sin
// EXACT: math.sin %{{.*}} : vector<8xf32>
// APPROX: %[[HUGE:.*]] = vector.reduction <or>
// APPROX: scf.if %[[HUGE]]
// APPROX-NEXT: math.sin %arg0 {onnxc.exact} : vector<8xf32>
// APPROX: else
// APPROX-NOT: math.sin
// APPROX: return
func.func @sin(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// A square needs no logarithm.
// CHECK-LABEL: func @pow
// APPROX: arith.mulf %arg0, %arg0
// APPROX: arith.truncf
// APPROX-NOT: call
// APPROX: return
func.func @pow(%x: vector<8xf32>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %two = arith.constant dense<2.0> : vector<8xf32>
  %0 = math.powf %x, %two : vector<8xf32>
  %1 = math.powf %x, %y : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// CHECK-LABEL: func @half
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// EXACT: %[[Y:.*]] = math.exp %[[WIDE]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = math.exp %x : f16
  return %0 : f16
}

// CHECK-LABEL: func @clamp
// CHECK: %[[RAISED:.*]] = arith.maximumf %arg0, %arg1
// CHECK: arith.minimumf %[[RAISED]], %arg2
func.func @clamp(%x: f32, %low: f32, %high: f32) -> f32 {
  %0 = math.clampf %x to [%low, %high] : f32
  return %0 : f32
}

// CHECK-LABEL: func @division
// CHECK-NOT: ceildivsi
// CHECK: arith.divsi
func.func @division(%x: index, %y: index) -> index {
  %0 = arith.ceildivsi %x, %y : index
  return %0 : index
}
