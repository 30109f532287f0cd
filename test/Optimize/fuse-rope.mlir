// RUN: onnx-mlir-opt %s --onnx-fuse-rope --canonicalize | FileCheck %s

// As in Llama: one angle, twice.
// CHECK-LABEL: func @halves
func.func @halves(%x: tensor<2x3x?x8xf32>, %angle: tensor<2x?x4xf32>) -> tensor<2x3x?x8xf32> attributes {onnx.entry} {
  %one = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %four = onnx.Constant() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %three = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<9223372036854775807> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = onnx.Shape(%x) {start = 2, end = 3} : (tensor<2x3x?x8xf32>) -> tensor<1xi64>
  %s4 = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %shape = onnx.Concat(%s4, %s, %four) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %half = onnx.Reshape(%angle, %shape) {allowzero = 1} : (tensor<2x?x4xf32>, tensor<3xi64>) -> tensor<2x?x4xf32>
  %twice = onnx.Concat(%half, %half) {axis = -1} : (tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x8xf32>
  %c = onnx.Cos(%twice) : (tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  %d = onnx.Sin(%twice) : (tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  %cos = onnx.Unsqueeze(%c, %one) : (tensor<2x?x8xf32>, tensor<1xi64>) -> tensor<2x1x?x8xf32>
  %sin = onnx.Unsqueeze(%d, %one) : (tensor<2x?x8xf32>, tensor<1xi64>) -> tensor<2x1x?x8xf32>
  %x1 = onnx.Slice(%x, %zero, %four, %three) : (tensor<2x3x?x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3x?x4xf32>
  %x2 = onnx.Slice(%x, %four, %end, %three) : (tensor<2x3x?x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3x?x4xf32>
  %n = onnx.Neg(%x2) : (tensor<2x3x?x4xf32>) -> tensor<2x3x?x4xf32>
  %r = onnx.Concat(%n, %x1) {axis = 3} : (tensor<2x3x?x4xf32>, tensor<2x3x?x4xf32>) -> tensor<2x3x?x8xf32>
  %a = onnx.Mul(%x, %cos) : (tensor<2x3x?x8xf32>, tensor<2x1x?x8xf32>) -> tensor<2x3x?x8xf32>
  %b = onnx.Mul(%sin, %r) : (tensor<2x1x?x8xf32>, tensor<2x3x?x8xf32>) -> tensor<2x3x?x8xf32>
  %y = onnx.Add(%a, %b) : (tensor<2x3x?x8xf32>, tensor<2x3x?x8xf32>) -> tensor<2x3x?x8xf32>
  // CHECK-DAG: %[[C:.*]] = onnx.Cos
  // CHECK-DAG: %[[S:.*]] = onnx.Sin
  // CHECK-DAG: %[[C1:.*]] = onnx.Slice(%[[C]], {{.*}} -> tensor<2x?x4xf32>
  // CHECK-DAG: %[[S1:.*]] = onnx.Slice(%[[S]], {{.*}} -> tensor<2x?x4xf32>
  // CHECK: %[[Y:.*]] = onnx.RotaryEmbedding(%arg0, %[[C1]], %[[S1]])
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<2x3x?x8xf32>
}

// Constant tables, by Split; those of the second have other sines in the second half.
// CHECK-LABEL: func @constants
func.func @constants(%x: tensor<1x3x1x4xf32>) -> (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) {
  %cos = onnx.Constant() {value = dense<[[1.0, 0.5, 1.0, 0.5]]> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
  %sin = onnx.Constant() {value = dense<[[[[0.0, 0.8, 0.0, 0.8]]]]> : tensor<1x1x1x4xf32>} : () -> tensor<1x1x1x4xf32>
  %other = onnx.Constant() {value = dense<[[0.0, 0.8, 0.0, 0.7]]> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
  %x1, %x2 = onnx.Split(%x) {axis = -1, num_outputs = 2} : (tensor<1x3x1x4xf32>) -> (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>)
  %n = onnx.Neg(%x2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  %r = onnx.Concat(%n, %x1) {axis = 3} : (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x1x4xf32>
  %a = onnx.Mul(%x, %cos) : (tensor<1x3x1x4xf32>, tensor<1x4xf32>) -> tensor<1x3x1x4xf32>
  %b = onnx.Mul(%r, %sin) : (tensor<1x3x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x3x1x4xf32>
  // CHECK: onnx.RotaryEmbedding(%arg0
  %y = onnx.Add(%b, %a) : (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) -> tensor<1x3x1x4xf32>
  %x3, %x4 = onnx.Split(%x) {axis = -1, num_outputs = 2} : (tensor<1x3x1x4xf32>) -> (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>)
  %n2 = onnx.Neg(%x4) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  %r2 = onnx.Concat(%n2, %x3) {axis = 3} : (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x1x4xf32>
  %a2 = onnx.Mul(%x, %cos) : (tensor<1x3x1x4xf32>, tensor<1x4xf32>) -> tensor<1x3x1x4xf32>
  %b2 = onnx.Mul(%r2, %other) : (tensor<1x3x1x4xf32>, tensor<1x4xf32>) -> tensor<1x3x1x4xf32>
  // CHECK: onnx.Add
  %z = onnx.Add(%b2, %a2) : (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) -> tensor<1x3x1x4xf32>
  return %y, %z : tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>
}

// A function of each element by itself keeps the halves equal, whatever it is.
// CHECK-LABEL: func @scaled_tables
func.func @scaled_tables(%x: tensor<1x3x1x4xf32>, %angle: tensor<1x2xf32>) -> tensor<1x3x1x4xf32> attributes {onnx.entry} {
  %twice = onnx.Concat(%angle, %angle) {axis = -1} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %cos = onnx.Tanh(%twice) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %sin = onnx.Sigmoid(%twice) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %x1, %x2 = onnx.Split(%x) {axis = -1, num_outputs = 2} : (tensor<1x3x1x4xf32>) -> (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>)
  %n = onnx.Neg(%x2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  %r = onnx.Concat(%n, %x1) {axis = 3} : (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x1x4xf32>
  %a = onnx.Mul(%x, %cos) : (tensor<1x3x1x4xf32>, tensor<1x4xf32>) -> tensor<1x3x1x4xf32>
  %b = onnx.Mul(%r, %sin) : (tensor<1x3x1x4xf32>, tensor<1x4xf32>) -> tensor<1x3x1x4xf32>
  // CHECK: onnx.RotaryEmbedding(%arg0
  %y = onnx.Add(%b, %a) : (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) -> tensor<1x3x1x4xf32>
  return %y : tensor<1x3x1x4xf32>
}
