// RUN: onnx-mlir-opt %s --onnxc-lower-math | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: onnx-mlir-opt %s --onnxc-lower-math=approximate | FileCheck %s --check-prefixes=CHECK,APPROX
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-lower-math=approximate | FileCheck %s --check-prefixes=CHECK,ESTIMATE

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

// Where a choice drops small results, nothing is done for subnormal ones.
// CHECK-LABEL: func @dropped
// APPROX-NOT: arith.fptosi
// APPROX: return
func.func @dropped(%x: vector<8xf32>) -> vector<8xf32> {
  %least = arith.constant dense<-86.0> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %less = arith.cmpf olt, %x, %least : vector<8xf32>
  %y = math.exp %x : vector<8xf32>
  %0 = arith.select %less, %zero, %y : vector<8xi1>, vector<8xf32>
  return %0 : vector<8xf32>
}

// One division, and on AVX-512 none. With a division nothing is negated, and nothing chosen but the two bounds: beyond the upper
// one the denominator is infinite.
// CHECK-LABEL: func @sigmoid
// APPROX-NOT: {{arith.fptosi|arith.negf}}
// APPROX-COUNT-2: arith.select
// APPROX-NOT: {{arith.fptosi|arith.negf|arith.select}}
// APPROX: arith.divf
// APPROX-NOT: arith.select
// ESTIMATE-NOT: arith.divf
// ESTIMATE: llvm.call_intrinsic "llvm.x86.avx512.rcp14.ps.512"
// ESTIMATE-NOT: arith.divf
// CHECK: return
func.func @sigmoid(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %n = arith.negf %x : vector<16xf32>
  %e = math.exp %n : vector<16xf32>
  %d = arith.addf %e, %one : vector<16xf32>
  %0 = arith.divf %one, %d : vector<16xf32>
  return %0 : vector<16xf32>
}

// An inverse of eight numbers is a division everywhere.
// CHECK-LABEL: func @sigmoid_of_eight
// APPROX: arith.divf
// ESTIMATE: arith.divf
func.func @sigmoid_of_eight(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %e = math.exp %x : vector<8xf32>
  %d = arith.addf %one, %e : vector<8xf32>
  %0 = arith.divf %one, %d : vector<8xf32>
  return %0 : vector<8xf32>
}

// Mish's tanh of a softplus needs neither of the two, but one power.
// CHECK-LABEL: func @tanh_of_softplus
// EXACT: call @log1pf
// EXACT: call @tanhf
// APPROX: math.absf
// APPROX-COUNT-1: arith.divf
// APPROX-NOT: arith.divf
// APPROX: return
func.func @tanh_of_softplus(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %a = math.absf %x : f32
  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %l = math.log1p %e : f32
  %m = arith.maximumf %x, %zero : f32
  %s = arith.addf %m, %l : f32
  %0 = math.tanh %s : f32
  return %0 : f32
}

// The logarithm of 1 + e^-|x| is a softplus, too; of 2 + e^-|x| it is none.
// CHECK-LABEL: func @tanh_of_written_softplus
// APPROX-NOT: arith.maximumf
// APPROX: return
// CHECK-LABEL: func @tanh_of_another_sum
// CHECK: arith.maximumf
func.func @tanh_of_written_softplus(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = math.absf %x : f32
  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %p = arith.addf %e, %one : f32
  %l = math.log %p : f32
  %m = arith.maximumf %x, %zero : f32
  %s = arith.addf %l, %m : f32
  %0 = math.tanh %s : f32
  return %0 : f32
}
func.func @tanh_of_another_sum(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %a = math.absf %x : f32
  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %p = arith.addf %e, %two : f32
  %l = math.log %p : f32
  %m = arith.maximumf %x, %zero : f32
  %s = arith.addf %l, %m : f32
  %0 = math.tanh %s : f32
  return %0 : f32
}

// Without an estimate, it is a quotient.
// CHECK-LABEL: func @inverse_root
// CHECK-NOT: math.rsqrt
// CHECK: return
func.func @inverse_root(%x: f32, %y: vector<8xf64>) -> (f32, vector<8xf64>) {
  %0 = math.rsqrt %x : f32
  %1 = math.rsqrt %y : vector<8xf64>
  return %0, %1 : f32, vector<8xf64>
}

// A remainder is exact by one fused subtraction, and once more where the quotient was rounded up; of a great quotient
// libm finds it.
// CHECK-LABEL: func @remainder
// EXACT-NOT: arith.divf
// ESTIMATE: %[[Q:.*]] = arith.divf
// ESTIMATE: arith.cmpf uge, %[[Q]]
// ESTIMATE: scf.if
// ESTIMATE: arith.remf %arg0, %arg1
// ESTIMATE: else
// ESTIMATE: math.trunc %[[Q]]
// ESTIMATE: math.fma
// ESTIMATE: math.copysign
func.func @remainder(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.remf %x, %y : vector<8xf32>
  return %0 : vector<8xf32>
}

// Known powers have no logarithm.
// CHECK-LABEL: func @powers
// APPROX-COUNT-2: arith.mulf {{.*}} : vector<8xf64>
// APPROX: math.sqrt
// APPROX-NOT: arith.divf
// APPROX: return
func.func @powers(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %three = arith.constant dense<3.0> : vector<8xf32>
  %half = arith.constant dense<0.5> : vector<8xf32>
  %0 = math.powf %x, %three : vector<8xf32>
  %1 = math.powf %x, %half : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// Of the three, the arc of a tangent has a division.
// CHECK-LABEL: func @arcs
// APPROX-NOT: call
// APPROX-COUNT-1: arith.divf
// APPROX-NOT: arith.divf
// APPROX: return
func.func @arcs(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %0 = math.atan %x : vector<8xf32>
  %1 = math.asin %x : vector<8xf32>
  %2 = math.acos %x : vector<8xf32>
  return %0, %1, %2 : vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// Vectors of integers are divided as floats that hold them; those of 64 bits beyond f64 one by one, where no divisor
// traps. What a constant divides is LLVM's, if it has a product for it.
// CHECK-LABEL: func @quotient
// EXACT: arith.divsi
// EXACT-NOT: scf.if
// ESTIMATE: scf.if
// ESTIMATE: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %arg1
// ESTIMATE: arith.divsi %arg0, %[[SAFE]]
// ESTIMATE: else
// ESTIMATE: arith.divf {{.*}} : vector<4xf64>
// ESTIMATE: math.trunc
// ESTIMATE: scf.if
// ESTIMATE: arith.divf {{.*}} : vector<4xf64>
// ESTIMATE: else
// ESTIMATE: arith.divf {{.*}} : vector<4xf32>
// ESTIMATE-NOT: scf.if
// ESTIMATE: arith.divf {{.*}} : vector<4xf32>
// ESTIMATE: arith.remui %arg3, %{{.*}} : vector<4xi32>
func.func @quotient(%x: vector<4xi64>, %y: vector<4xi64>, %a: vector<4xi32>, %b: vector<4xi32>, %c: vector<4xi16>, %d: vector<4xi16>)
    -> (vector<4xi64>, vector<4xi32>, vector<4xi16>, vector<4xi32>) {
  %seven = arith.constant dense<7> : vector<4xi32>
  %0 = arith.divsi %x, %y : vector<4xi64>
  %1 = arith.remsi %a, %b : vector<4xi32>
  %2 = arith.divui %c, %d : vector<4xi16>
  %3 = arith.remui %b, %seven : vector<4xi32>
  return %0, %1, %2, %3 : vector<4xi64>, vector<4xi32>, vector<4xi16>, vector<4xi32>
}
