// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-divide-once))' | FileCheck %s

// CHECK-LABEL: @rounded
// CHECK-NOT: arith.divf
// CHECK: arith.mulf
// CHECK-COUNT-2: math.fma
// CHECK: arith.select
func.func @rounded(%x: f32) -> f32 {
  %d = arith.constant 3.0 : f32
  %least = arith.constant -65536.0 : f32
  %most = arith.constant 65536.0 : f32
  %q = arith.divf %x, %d : f32
  %r = math.roundeven %q : f32
  %low = arith.cmpf ogt, %r, %least : f32
  %a = arith.select %low, %r, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  return %b : f32
}

// What is left of x would be subnormal, and no tie would be one.
// CHECK-LABEL: @tiny_divisor
// CHECK: arith.divf
// CHECK-NOT: math.fma
func.func @tiny_divisor(%x: f32) -> f32 {
  %d = arith.constant 0x00800000 : f32
  %least = arith.constant -65536.0 : f32
  %most = arith.constant 65536.0 : f32
  %q = arith.divf %x, %d : f32
  %r = math.roundeven %q : f32
  %low = arith.cmpf ogt, %r, %least : f32
  %a = arith.select %low, %r, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  return %b : f32
}

// With a zero point of a byte, and without one.
// CHECK-LABEL: @zero_point
// CHECK-NOT: arith.divf
// CHECK-COUNT-2: math.fma
func.func @zero_point(%x: f32, %z: i8) -> f32 {
  %d = arith.constant 3.0 : f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %w = arith.extsi %z : i8 to i32
  %f = arith.sitofp %w : i32 to f32
  %q = arith.divf %x, %d : f32
  %r = math.roundeven %q : f32
  %s = arith.addf %r, %f : f32
  %low = arith.cmpf ogt, %s, %least : f32
  %a = arith.select %low, %s, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  return %b : f32
}

// Of integers of more bits, and of numbers that are not clamped, an estimate is not enough.
// CHECK-LABEL: @large
// CHECK-COUNT-6: arith.divf
// CHECK-NOT: math.fma
func.func @large(%x: f32, %z: i32) -> (f32, f32, f32, f32, f32, f32) {
  %d = arith.constant 3.0 : f32
  %least = arith.constant -65536.0 : f32
  %most = arith.constant 65537.0 : f32
  %q0 = arith.divf %x, %d : f32
  %r0 = math.roundeven %q0 : f32
  %q1 = arith.divf %x, %d : f32
  %r1 = math.roundeven %q1 : f32
  %low1 = arith.cmpf ogt, %r1, %least : f32
  %a1 = arith.select %low1, %r1, %least : f32
  %high1 = arith.cmpf olt, %a1, %most : f32
  %b1 = arith.select %high1, %a1, %most : f32
  %f = arith.sitofp %z : i32 to f32
  %q2 = arith.divf %x, %d : f32
  %r2 = math.roundeven %q2 : f32
  %s2 = arith.addf %r2, %f : f32
  %low2 = arith.cmpf ogt, %s2, %d : f32
  %a2 = arith.select %low2, %s2, %d : f32
  %high2 = arith.cmpf olt, %a2, %d : f32
  %b2 = arith.select %high2, %a2, %d : f32
  %rounder = arith.constant 12582912.0 : f32
  %q3 = arith.divf %x, %d : f32
  %r3 = arith.addf %q3, %rounder : f32
  %q4 = arith.divf %x, %d : f32
  %r4 = math.roundeven %q4 : f32
  %s4 = arith.addf %r4, %most : f32
  %low4 = arith.cmpf ogt, %s4, %d : f32
  %a4 = arith.select %low4, %s4, %d : f32
  %high4 = arith.cmpf olt, %a4, %d : f32
  %b4 = arith.select %high4, %a4, %d : f32
  %q5 = arith.divf %x, %d : f32
  %r5 = math.roundeven %q5 : f32
  %low5 = arith.cmpf ogt, %r5, %d : f32
  %a5 = arith.select %low5, %r5, %d : f32
  return %r0, %b1, %b2, %r3, %b4, %a5 : f32, f32, f32, f32, f32, f32
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

// Divisors that differ, or that have no reciprocal, divide.
// CHECK-LABEL: @divisors
// CHECK-COUNT-2: arith.divf
func.func @divisors(%x: f32, %y: f32) -> (f32, f32) {
  %d = arith.constant 1.0e-40 : f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %q = arith.divf %x, %d : f32
  %r = math.roundeven %q : f32
  %low = arith.cmpf ogt, %r, %least : f32
  %a = arith.select %low, %r, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  %p = arith.divf %x, %y : f32
  %s = math.roundeven %p : f32
  %low1 = arith.cmpf ogt, %s, %least : f32
  %a1 = arith.select %low1, %s, %least : f32
  %high1 = arith.cmpf olt, %a1, %most : f32
  %b1 = arith.select %high1, %a1, %most : f32
  return %b, %b1 : f32, f32
}

// A divisor of all elements is divided by once, one of each row is not.
// CHECK-LABEL: @shared
// CHECK: linalg.generic
// CHECK: %[[ONE:.*]] = arith.divf %cst{{.*}}, %{{.*}} : f32
// CHECK: arith.mulf %{{.*}}, %[[ONE]]
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.*]]: f32, %[[E:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.divf %[[X]], %[[E]]
func.func @shared(%x: tensor<4x8xf32>, %d: tensor<1xf32>, %rows: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %d : tensor<4x8xf32>, tensor<1xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %q = arith.divf %u, %v : f32
    %r = math.roundeven %q : f32
    %low = arith.cmpf ogt, %r, %least : f32
    %a = arith.select %low, %r, %least : f32
    %high = arith.cmpf olt, %a, %most : f32
    %b = arith.select %high, %a, %most : f32
    linalg.yield %b : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %rows : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %q = arith.divf %u, %v : f32
    %r = math.roundeven %q : f32
    %low = arith.cmpf ogt, %r, %least : f32
    %a = arith.select %low, %r, %least : f32
    %high = arith.cmpf olt, %a, %most : f32
    %b = arith.select %high, %a, %most : f32
    linalg.yield %b : f32
  } -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Bounds of more than 16 bits are not in the low bits of the sum.
// CHECK-LABEL: @wide_bounds
// CHECK: math.roundeven
// CHECK: arith.fptosi
func.func @wide_bounds(%x: f32) -> i16 {
  %least = arith.constant -65536.0 : f32
  %most = arith.constant 65537.0 : f32
  %r = math.roundeven %x : f32
  %low = arith.cmpf ogt, %r, %least : f32
  %a = arith.select %low, %r, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  %i = arith.fptosi %b : f32 to i32
  %n = arith.trunci %i : i32 to i16
  return %n : i16
}

// The other way round it is no clamp.
// CHECK-LABEL: @outside
// CHECK: math.roundeven
// CHECK: arith.fptosi
func.func @outside(%x: f32) -> i8 {
  %least = arith.constant -10.0 : f32
  %most = arith.constant 20.0 : f32
  %r = math.roundeven %x : f32
  %low = arith.cmpf olt, %r, %least : f32
  %a = arith.select %low, %r, %least : f32
  %high = arith.cmpf olt, %a, %most : f32
  %b = arith.select %high, %a, %most : f32
  %i = arith.fptosi %b : f32 to i32
  %n = arith.trunci %i : i32 to i8
  return %n : i8
}

// Scaled sums that 32 bits hold whatever they are become integers at once, and
// are brought into the range behind the zero point; what reads the byte reads that.
// CHECK-LABEL: @converted
// CHECK: %[[R:.*]] = math.roundeven
// CHECK: %[[I:.*]] = arith.fptosi %[[R]] : f32 to i32
// CHECK: %[[Z:.*]] = arith.addi %[[I]], %c3_i32
// CHECK: %[[LOW:.*]] = arith.maxsi %[[Z]], %c0_i32
// CHECK: %[[HIGH:.*]] = arith.minsi %[[LOW]], %c255_i32
// CHECK: arith.subi %[[HIGH]], %c3_i32
#id = affine_map<(d0) -> (d0)>
func.func @converted(%x: tensor<8xi32>, %e: tensor<8xi32>) -> tensor<8xi32> {
  %s = arith.constant dense<[0.1, 0.2, 0.3, 0.4, 0.1, -0.2, 0.3, 0.4]> : tensor<8xf32>
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 3.0 : f32
  %least = arith.constant 0.0 : f32
  %most = arith.constant 255.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<8xi32>, tensor<8xf32>) outs(%e : tensor<8xi32>) {
  ^bb0(%a: i32, %b: f32, %c: i32):
    %f = arith.sitofp %a : i32 to f32
    %m = arith.mulf %f, %b : f32
    %r = math.roundeven %m : f32
    %z = arith.addf %r, %zero : f32
    %low = arith.cmpf ogt, %z, %least : f32
    %l = arith.select %low, %z, %least : f32
    %high = arith.cmpf olt, %l, %most : f32
    %h = arith.select %high, %l, %most : f32
    %i = arith.fptosi %h : f32 to i32
    %n = arith.trunci %i : i32 to i8
    %w = arith.extui %n : i8 to i32
    %q = arith.subi %w, %c3 : i32
    linalg.yield %q : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// Numbers of 16 bits are brought into the range as such; a division is exact
// without a bound of the dividend.
// CHECK-LABEL: @converted_to_words
// CHECK-COUNT-2: math.fma
// CHECK-NOT: arith.select
// CHECK: %[[I:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.maxsi %[[I]], %c-32768_i32
// CHECK: %[[S:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK: %[[LOW:.*]] = arith.maxsi %[[S]], %c-3_i16
// CHECK: %[[HIGH:.*]] = arith.minsi %[[LOW]], %c252_i16
// CHECK: %[[Z:.*]] = arith.addi %[[HIGH]], %c3_i16
// CHECK: linalg.yield %[[Z]]
func.func @converted_to_words(%x: tensor<8xi16>, %e: tensor<8xi16>) -> tensor<8xi16> {
  %d = arith.constant 0.3 : f32
  %zero = arith.constant 3.0 : f32
  %least = arith.constant 0.0 : f32
  %most = arith.constant 255.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi16>) outs(%e : tensor<8xi16>) {
  ^bb0(%a: i16, %c: i16):
    %f = arith.sitofp %a : i16 to f32
    %m = arith.divf %f, %d : f32
    %r = math.roundeven %m : f32
    %z = arith.addf %r, %zero : f32
    %low = arith.cmpf ogt, %z, %least : f32
    %l = arith.select %low, %z, %least : f32
    %high = arith.cmpf olt, %l, %most : f32
    %h = arith.select %high, %l, %most : f32
    %i = arith.fptosi %h : f32 to i32
    %n = arith.trunci %i : i32 to i8
    %w = arith.extui %n : i8 to i16
    linalg.yield %w : i16
  } -> tensor<8xi16>
  return %y : tensor<8xi16>
}

// A sum that is not scaled down may be beyond 32 bits, a factor that is not finite
// may make a NaN, and floats from memory may be anything.
// CHECK-LABEL: @not_converted
// CHECK-NOT: arith.fptosi
// CHECK: return
func.func @not_converted(%x: tensor<2xi32>, %g: tensor<2xf32>, %e: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %one = arith.constant dense<[0.1, 1.0]> : tensor<2xf32>
  %infinite = arith.constant dense<[0.1, 0x7F800000]> : tensor<2xf32>
  %small = arith.constant dense<[0.1, 0.1]> : tensor<2xf32>
  %least = arith.constant 0.0 : f32
  %most = arith.constant 255.0 : f32
  %y0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %one : tensor<2xi32>, tensor<2xf32>) outs(%e : tensor<2xi8>) {
  ^bb0(%a: i32, %b: f32, %c: i8):
    %f = arith.sitofp %a : i32 to f32
    %m = arith.mulf %f, %b : f32
    %r = math.roundeven %m : f32
    %low = arith.cmpf ogt, %r, %least : f32
    %l = arith.select %low, %r, %least : f32
    %high = arith.cmpf olt, %l, %most : f32
    %h = arith.select %high, %l, %most : f32
    %i = arith.fptosi %h : f32 to i32
    %n = arith.trunci %i : i32 to i8
    linalg.yield %n : i8
  } -> tensor<2xi8>
  %y1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %infinite : tensor<2xi32>, tensor<2xf32>) outs(%e : tensor<2xi8>) {
  ^bb0(%a: i32, %b: f32, %c: i8):
    %f = arith.sitofp %a : i32 to f32
    %m = arith.mulf %f, %b : f32
    %r = math.roundeven %m : f32
    %low = arith.cmpf ogt, %r, %least : f32
    %l = arith.select %low, %r, %least : f32
    %high = arith.cmpf olt, %l, %most : f32
    %h = arith.select %high, %l, %most : f32
    %i = arith.fptosi %h : f32 to i32
    %n = arith.trunci %i : i32 to i8
    linalg.yield %n : i8
  } -> tensor<2xi8>
  %y2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%g, %small : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xi8>) {
  ^bb0(%a: f32, %b: f32, %c: i8):
    %m = arith.mulf %a, %b : f32
    %r = math.roundeven %m : f32
    %low = arith.cmpf ogt, %r, %least : f32
    %l = arith.select %low, %r, %least : f32
    %high = arith.cmpf olt, %l, %most : f32
    %h = arith.select %high, %l, %most : f32
    %i = arith.fptosi %h : f32 to i32
    %n = arith.trunci %i : i32 to i8
    linalg.yield %n : i8
  } -> tensor<2xi8>
  return %y0, %y1, %y2 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}
