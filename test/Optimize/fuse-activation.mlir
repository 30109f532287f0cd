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
