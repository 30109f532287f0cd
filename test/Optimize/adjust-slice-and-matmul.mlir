// RUN: onnx-mlir-opt %s --onnx-adjust-slice-and-matmul | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK: %[[P:.*]] = onnx.MatMul({{.*}}) : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
// CHECK: onnx.Slice(%[[P]], {{.*}}) : {{.*}} -> tensor<2x2xf32>
func.func @rows() -> tensor<2x2xf32> {
  %d = onnx.Constant() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %r = onnx.Constant() {value = dense<1.0> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
  %s = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %e = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %a = onnx.Constant() {value_ints = [-2]} : () -> tensor<1xi64>
  %t = onnx.Slice(%d, %s, %e, %a, _) : (tensor<4x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
  %0 = onnx.MatMul(%t, %r) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// The last axis is summed up; a batch on the right shifts the axes.
// CHECK-LABEL: func @near_misses
// CHECK-COUNT-2: onnx.Slice({{.*}}: (tensor<4x3xf32>
func.func @near_misses(%w: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<5x2x2xf32>) {
  %d = onnx.Constant() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %r = onnx.Constant() {value = dense<1.0> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %b = onnx.Constant() {value = dense<1.0> : tensor<5x3x2xf32>} : () -> tensor<5x3x2xf32>
  %s = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %e = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %a = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %t = onnx.Slice(%d, %s, %e, %a, _) : (tensor<4x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x2xf32>
  %0 = onnx.MatMul(%t, %r) : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %u = onnx.Slice(%d, %s, %e, _, _) : (tensor<4x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
  %1 = onnx.MatMul(%u, %b) : (tensor<2x3xf32>, tensor<5x3x2xf32>) -> tensor<5x2x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<5x2x2xf32>
}
