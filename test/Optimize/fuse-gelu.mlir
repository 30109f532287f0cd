// RUN: onnx-mlir-opt %s --onnx-fuse-gelu --canonicalize | FileCheck %s

// CHECK-LABEL: func @erf
// CHECK-SAME: (%[[X:.*]]: tensor<2x?xf32>)
func.func @erf(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %root2 = onnx.Constant() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Div(%x, %root2) : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  %b = onnx.Erf(%a) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %c = onnx.Add(%one, %b) : (tensor<1xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %d = onnx.Mul(%half, %c) : (tensor<f32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %y = onnx.Mul(%x, %d) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK: %[[Y:.*]] = onnx.Gelu(%[[X]])
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<2x?xf32>
}

// The polynomial factored: 0.7978846 x (1 + 0.044715 x x).
// CHECK-LABEL: func @tanh_factored
func.func @tanh_factored(%x: tensor<3xf16>) -> tensor<3xf16> {
  %k = onnx.Constant() {value = dense<7.979e-01> : tensor<f16>} : () -> tensor<f16>
  %c3 = onnx.Constant() {value = dense<4.473e-02> : tensor<f16>} : () -> tensor<f16>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f16>} : () -> tensor<f16>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f16>} : () -> tensor<f16>
  %a = onnx.Mul(%c3, %x) : (tensor<f16>, tensor<3xf16>) -> tensor<3xf16>
  %b = onnx.Mul(%a, %x) : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  %c = onnx.Add(%b, %one) : (tensor<3xf16>, tensor<f16>) -> tensor<3xf16>
  %d = onnx.Mul(%x, %k) : (tensor<3xf16>, tensor<f16>) -> tensor<3xf16>
  %e = onnx.Mul(%d, %c) : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  %f = onnx.Tanh(%e) : (tensor<3xf16>) -> tensor<3xf16>
  %g = onnx.Add(%f, %one) : (tensor<3xf16>, tensor<f16>) -> tensor<3xf16>
  %h = onnx.Mul(%x, %half) : (tensor<3xf16>, tensor<f16>) -> tensor<3xf16>
  %y = onnx.Mul(%h, %g) : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  // CHECK: onnx.Gelu(%arg0) {approximate = "tanh"}
  return %y : tensor<3xf16>
}

// A part is returned; the constant is another; the constant adds a dimension.
// CHECK-LABEL: func @part_is_output
// CHECK-NOT: Gelu
func.func @part_is_output(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %k = onnx.Constant() {value = dense<0.707106769> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Mul(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = onnx.Erf(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %c = onnx.Add(%b, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %d = onnx.Mul(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = onnx.Mul(%d, %half) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %y, %b : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func @other_constant
// CHECK-NOT: Gelu
func.func @other_constant(%x: tensor<3xf32>) -> tensor<3xf32> {
  %k = onnx.Constant() {value = dense<0.7071> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Mul(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = onnx.Erf(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %c = onnx.Add(%b, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %d = onnx.Mul(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = onnx.Mul(%d, %half) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func @more_dimensions
// CHECK-NOT: Gelu
func.func @more_dimensions(%x: tensor<3xf32>) -> tensor<1x3xf32> {
  %k = onnx.Constant() {value = dense<0.707106769> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %a = onnx.Mul(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %b = onnx.Erf(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %c = onnx.Add(%b, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %d = onnx.Mul(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = onnx.Mul(%d, %half) : (tensor<3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
