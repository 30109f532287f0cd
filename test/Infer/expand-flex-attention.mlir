// FlexAttention as other operators, around its subgraphs.
// RUN: onnx-mlir-opt %s --onnx-expand-flex-attention | FileCheck %s

// Queries and keys are scaled before they are multiplied; the subgraph sees
// scores in float, whatever is multiplied.
// CHECK-LABEL: @score_mod
// CHECK: %[[ROOT:.*]] = onnx.Constant() {value = dense<7.070310e-01> : tensor<f16>
// CHECK: onnx.Mul(%arg0, %[[ROOT]])
// CHECK: onnx.Mul(%arg1, %[[ROOT]])
// CHECK: %[[SCORES:.*]] = onnx.Cast{{.*}} -> tensor<1x4x3x5xf32>
// CHECK: %[[CHANGED:.*]] = onnx.Tanh(%[[SCORES]])
// CHECK: onnx.Softmax(%[[CHANGED]])
// CHECK: return {{.*}} : tensor<1x4x3x6xf16>
func.func @score_mod(%q: tensor<1x4x3x4xf16>, %k: tensor<1x2x5x4xf16>, %v: tensor<1x2x5x6xf16>) -> tensor<1x4x3x6xf16> {
  %0 = onnx.preview.FlexAttention(%q, %k, %v) score_mod {
  ^bb0(%x: tensor<1x4x3x5xf32>):
    %y = onnx.Tanh(%x) : (tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
    onnx.yield %y : tensor<1x4x3x5xf32>
  } : (tensor<1x4x3x4xf16>, tensor<1x2x5x4xf16>, tensor<1x2x5x6xf16>) -> tensor<1x4x3x6xf16>
  return %0 : tensor<1x4x3x6xf16>
}

// A head of unknown size is measured.
// CHECK-LABEL: @measured
// CHECK: onnx.Shape(%arg0) {end = 4, start = 3}
// CHECK: onnx.Reciprocal
func.func @measured(%q: tensor<1x2x3x?xf64>) -> tensor<1x2x3x?xf64> {
  %0 = onnx.preview.FlexAttention(%q, %q, %q) : (tensor<1x2x3x?xf64>, tensor<1x2x3x?xf64>, tensor<1x2x3x?xf64>) -> tensor<1x2x3x?xf64>
  return %0 : tensor<1x2x3x?xf64>
}
