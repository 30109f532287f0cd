// RUN: onnx-mlir-opt %s --onnx-optimize="passes=hoist_slices,eliminate_deadend fixed-point" | FileCheck %s

// The last token's logits.
// CHECK-LABEL: func @last_row
func.func @last_row(%x: tensor<?x?x8xf32>, %g: tensor<8xf32>, %w: tensor<8x5xf32>) -> tensor<?x1x5xf32> {
  %start = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
  %axes = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: %[[S:.*]] = onnx.Slice(%arg0
  // CHECK: %[[L:.*]] = onnx.LayerNormalization(%[[S]], %arg1) {{.*}} -> tensor<?x1x8xf32>
  // CHECK: %[[A:.*]] = onnx.Add(%[[L]], %arg1)
  // CHECK: %[[M:.*]] = onnx.MatMul(%[[A]], %arg2) {{.*}} -> tensor<?x1x5xf32>
  // CHECK: return %[[M]]
  %l = onnx.LayerNormalization(%x, %g, _) : (tensor<?x?x8xf32>, tensor<8xf32>) -> (tensor<?x?x8xf32>, _, _)
  %a = onnx.Add(%l, %g) : (tensor<?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
  %m = onnx.MatMul(%a, %w) : (tensor<?x?x8xf32>, tensor<8x5xf32>) -> tensor<?x?x5xf32>
  %s = onnx.Slice(%m, %start, %end, %axes, _) : (tensor<?x?x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x1x5xf32>
  return %s : tensor<?x1x5xf32>
}

// Along the axis of the softmax; two operands that vary; of what is used again;
// more indices than rows.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %i: tensor<9xi64>) -> (tensor<4x1xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>, tensor<9x4xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: onnx.Softmax(%arg0)
  %a = onnx.Softmax(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = onnx.Slice(%a, %0, %1, %1, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x1xf32>
  // CHECK: onnx.Add(%arg0, %arg1)
  %c = onnx.Add(%x, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = onnx.Slice(%c, %0, %1, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  // CHECK: onnx.Relu(%arg0)
  %e = onnx.Relu(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = onnx.Slice(%e, %0, %1, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  // CHECK: onnx.Exp(%arg0)
  %g = onnx.Exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %h = onnx.Gather(%g, %i) : (tensor<4x4xf32>, tensor<9xi64>) -> tensor<9x4xf32>
  return %b, %d, %e, %f, %h : tensor<4x1xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>, tensor<9x4xf32>
}
