// RUN: onnx-mlir-opt %s --onnx-fuse-transpose-into-weights --canonicalize | FileCheck %s

// CHECK-LABEL: func @matmul
func.func @matmul(%x: tensor<?x2x1x3xf32>) -> tensor<?x1xf32> {
  %w = onnx.Constant() {value = dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>} : () -> tensor<6x1xf32>
  %s = onnx.Constant() {value = dense<[-1, 6]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-DAG: %[[W:.*]] = onnx.Constant() {value = dense<{{\[\[}}0.000000e+00], [2.000000e+00], [4.000000e+00], [1.000000e+00], [3.000000e+00], [5.000000e+00]]>
  // CHECK: %[[R:.*]] = onnx.Reshape(%arg0
  // CHECK: onnx.MatMul(%[[R]], %[[W]])
  %t = onnx.Transpose(%x) {perm = [0, 2, 3, 1]} : (tensor<?x2x1x3xf32>) -> tensor<?x1x3x2xf32>
  %r = onnx.Reshape(%t, %s) : (tensor<?x1x3x2xf32>, tensor<2xi64>) -> tensor<?x6xf32>
  %y = onnx.MatMul(%r, %w) : (tensor<?x6xf32>, tensor<6x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// CHECK-LABEL: func @gemm
func.func @gemm(%x: tensor<4x2x3xf32>) -> tensor<4x1xf32> {
  %w = onnx.Constant() {value = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<1x6xf32>} : () -> tensor<1x6xf32>
  // CHECK: onnx.Constant() {value = dense<{{\[\[}}0.000000e+00, 2.000000e+00, 4.000000e+00, 1.000000e+00, 3.000000e+00, 5.000000e+00]]>
  // CHECK-NOT: onnx.Transpose
  %t = onnx.Transpose(%x) {perm = [0, 2, 1]} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  %r = onnx.Flatten(%t) : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %y = onnx.Gemm(%r, %w, _) {transB = 1} : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

// The first dim is moved; weights that others use; rows of something else.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<6x6x1xf32>, %y: tensor<4x2x3xf32>) -> (tensor<6x1xf32>, tensor<4x1xf32>, tensor<6x1xf32>, tensor<8x1xf32>) {
  %v = onnx.Constant() {value = dense<[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]> : tensor<6x1xf32>} : () -> tensor<6x1xf32>
  %w = onnx.Constant() {value = dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>} : () -> tensor<6x1xf32>
  %u = onnx.Constant() {value = dense<[[7.0], [8.0], [9.0]]> : tensor<3x1xf32>} : () -> tensor<3x1xf32>
  // CHECK-COUNT-3: onnx.Transpose
  %a = onnx.Transpose(%x) {perm = [1, 0, 2]} : (tensor<6x6x1xf32>) -> tensor<6x6x1xf32>
  %b = onnx.Flatten(%a) : (tensor<6x6x1xf32>) -> tensor<6x6xf32>
  %c = onnx.MatMul(%b, %v) : (tensor<6x6xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
  %d = onnx.Transpose(%y) {perm = [0, 2, 1]} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  %e = onnx.Flatten(%d) : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %f = onnx.MatMul(%e, %w) : (tensor<4x6xf32>, tensor<6x1xf32>) -> tensor<4x1xf32>
  %g = onnx.Transpose(%y) {perm = [0, 2, 1]} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  %s = onnx.Constant() {value = dense<[8, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = onnx.Reshape(%g, %s) : (tensor<4x3x2xf32>, tensor<2xi64>) -> tensor<8x3xf32>
  %i = onnx.MatMul(%h, %u) : (tensor<8x3xf32>, tensor<3x1xf32>) -> tensor<8x1xf32>
  return %c, %f, %w, %i : tensor<6x1xf32>, tensor<4x1xf32>, tensor<6x1xf32>, tensor<8x1xf32>
}
