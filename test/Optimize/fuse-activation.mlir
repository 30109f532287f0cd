// RUN: onnx-mlir-opt %s --onnx-fuse-activation --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-activation=ninf --canonicalize | FileCheck %s --check-prefix=NINF

// CHECK-LABEL: func @swish
func.func @swish(%x: tensor<*xf32>) -> tensor<*xf32> {
  %k = onnx.Constant() {value = dense<1.702> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Mul(%x, %k) : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %b = onnx.Sigmoid(%a) : (tensor<*xf32>) -> tensor<*xf32>
  %y = onnx.Mul(%b, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  // CHECK: onnx.Swish(%arg0) {alpha = 1.702}
  // NINF: onnx.Swish
  return %y : tensor<*xf32>
}

// CHECK-LABEL: func @hard_swish
func.func @hard_swish(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %three = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %six = onnx.Constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Add(%three, %x) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %b = onnx.Clip(%a, %zero, %six) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  %c = onnx.Div(%b, %six) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %y = onnx.Mul(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: onnx.HardSwish(%arg0)
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func @hard_sigmoid_by_bounds
func.func @hard_sigmoid_by_bounds(%x: tensor<3xf32>) -> tensor<3xf32> {
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Div(%x, %half) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = onnx.Sub(%a, %half) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %c = onnx.Relu(%b) : (tensor<3xf32>) -> tensor<3xf32>
  %y = onnx.Min(%c, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: onnx.HardSigmoid(%arg0) {alpha = 2.0, beta = -0.5}
  return %y : tensor<3xf32>
}

// The sixth of the operators is a float: of float64 it would be another number.
// CHECK-LABEL: func @not_in_float64
// CHECK-NOT: Hard
func.func @not_in_float64(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %three = onnx.Constant() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
  %six = onnx.Constant() {value = dense<6.0> : tensor<f64>} : () -> tensor<f64>
  %a = onnx.Add(%three, %x) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %b = onnx.Clip(%a, %zero, %six) : (tensor<3xf64>, tensor<f64>, tensor<f64>) -> tensor<3xf64>
  %c = onnx.Div(%b, %six) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %y = onnx.Mul(%x, %c) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// CHECK-LABEL: func @mish
func.func @mish(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = onnx.Softplus(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %b = onnx.Tanh(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %y = onnx.Mul(%x, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: onnx.Mish(%arg0)
  return %y : tensor<3xf32>
}

// exp(100) is infinite in float32, Softplus(100) is not.
// CHECK-LABEL: func @softplus
// NINF-LABEL: func @softplus
func.func @softplus(%x: tensor<3xf32>) -> tensor<3xf32> {
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %b = onnx.Add(%a, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: onnx.Log
  // NINF: onnx.Softplus(%arg0)
  %y = onnx.Log(%b) : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// With a slope of 1, or without an addend; with both it is a Clip.
// CHECK-LABEL: func @clamps
func.func @clamps(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Add(%x, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = onnx.Clip(%a, %zero, %one) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %c = onnx.Mul(%x, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = onnx.Clip(%c, %zero, %one) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %e = onnx.Clip(%x, %zero, %one) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: onnx.HardSigmoid(%arg0) {alpha = 1.0, beta = 0.5}
  // CHECK: onnx.HardSigmoid(%arg0) {alpha = 0.5, beta = 0.0}
  // CHECK: onnx.Clip(%arg0
  return %b, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Quotients by 1 + exp(-x).
// CHECK-LABEL: func @quotients
func.func @quotients(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %n = onnx.Neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %p = onnx.Exp(%n) : (tensor<3xf32>) -> tensor<3xf32>
  %d = onnx.Add(%p, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: onnx.Swish(%arg0) {alpha = 1.0}
  %y = onnx.Div(%x, %d) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %m = onnx.Neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %q = onnx.Exp(%m) : (tensor<3xf32>) -> tensor<3xf32>
  %e = onnx.Add(%one, %q) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: onnx.Sigmoid(%arg0)
  %z = onnx.Div(%one, %e) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %z : tensor<3xf32>, tensor<3xf32>
}

// Of another value, twice as much, or with a part that is used elsewhere, and so
// has to be computed as it is.
// CHECK-LABEL: func @no_quotients
// CHECK-NOT: onnx.Swish
// CHECK-NOT: onnx.Sigmoid
// CHECK: return
func.func @no_quotients(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %n = onnx.Neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %p = onnx.Exp(%n) : (tensor<3xf32>) -> tensor<3xf32>
  %d = onnx.Add(%p, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %a = onnx.Div(%w, %d) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %m = onnx.Neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %q = onnx.Exp(%m) : (tensor<3xf32>) -> tensor<3xf32>
  %e = onnx.Add(%q, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %double = onnx.Mul(%x, %two) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = onnx.Div(%double, %e) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %o = onnx.Neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %r = onnx.Exp(%o) : (tensor<3xf32>) -> tensor<3xf32>
  %f = onnx.Add(%r, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %c = onnx.Div(%one, %f) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %a, %b, %c, %f : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func @no_gates
// CHECK-NOT: onnx.Swish
// CHECK-NOT: onnx.Hard{{.*}}alpha = 0.333
// CHECK-NOT: onnx.HardSwish
// CHECK: return
func.func @no_gates(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %g = onnx.Sigmoid(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %other = onnx.Mul(%w, %g) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %h = onnx.Sigmoid(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %twice = onnx.Mul(%h, %two) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %double = onnx.Mul(%x, %twice) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %i = onnx.Sigmoid(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %part = onnx.Div(%i, %w) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %divided = onnx.Mul(%x, %part) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %j = onnx.HardSigmoid(%x) {alpha = 0.16666667 : f32, beta = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  %more = onnx.Mul(%j, %two) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %hard = onnx.Mul(%x, %more) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %other, %double, %divided, %hard : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// The clamp is a result, too.
// CHECK-LABEL: func @clamp_of_two_uses
// CHECK-NOT: onnx.HardSigmoid
// CHECK: return
func.func @clamp_of_two_uses(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %six = onnx.Constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %three = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Add(%x, %three) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = onnx.Clip(%a, %zero, %six) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %c = onnx.Div(%b, %six) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %b, %c : tensor<4xf32>, tensor<4xf32>
}

// The upper limit is the result then, and the quotient is 1.
// CHECK-LABEL: func @limits_that_cross
// CHECK-NOT: onnx.HardSigmoid
// CHECK: return
func.func @limits_that_cross(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %below = onnx.Constant() {value = dense<-6.0> : tensor<f32>} : () -> tensor<f32>
  %three = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Add(%x, %three) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = onnx.Clip(%a, %zero, %below) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %c = onnx.Div(%b, %below) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
