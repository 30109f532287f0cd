// RUN: onnx-mlir-opt %s --onnx-fuse-qkv | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-qkv=upstream-compatible | FileCheck %s --check-prefix=COMPAT

// CHECK-LABEL: func @three
func.func @three(%x: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x1xf32>) {
  // CHECK: dense<{{.}}[1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00, 3.000000e+00],
  // CHECK: %[[P:.*]] = onnx.MatMul(%arg0
  // CHECK: dense<[2, 3, 1]>
  // CHECK: %[[S:.*]]:3 = onnx.Split(%[[P]], %{{.*}}) {axis = 1}
  // CHECK: return %[[S]]#0, %[[S]]#1, %[[S]]#2
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v2 = onnx.Constant() {value = dense<3.000000e+00> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
  %v3 = onnx.MatMul(%x, %v0) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %v4 = onnx.MatMul(%x, %v1) : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %v5 = onnx.MatMul(%x, %v2) : (tensor<?x4xf32>, tensor<4x1xf32>) -> tensor<?x1xf32>
  return %v3, %v4, %v5 : tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x1xf32>
}

// CHECK-LABEL: func @biases
func.func @biases(%x: tensor<2x5x4xf32>) -> (tensor<2x5x2xf32>, tensor<2x5x3xf32>) {
  // CHECK: dense<[1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00]>
  // CHECK: %[[P:.*]] = onnx.MatMul(%arg0
  // CHECK: %[[B:.*]] = onnx.Add(%[[P]]
  // CHECK: onnx.Split(%[[B]]
  // CHECK-NOT: onnx.Add
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32>
  %v3 = onnx.Constant() {value = dense<2.000000e+00> : tensor<1xf32>} : () -> tensor<1xf32>
  %v4 = onnx.MatMul(%x, %v0) : (tensor<2x5x4xf32>, tensor<4x2xf32>) -> tensor<2x5x2xf32>
  %v5 = onnx.MatMul(%x, %v1) : (tensor<2x5x4xf32>, tensor<4x3xf32>) -> tensor<2x5x3xf32>
  %v6 = onnx.Add(%v4, %v2) : (tensor<2x5x2xf32>, tensor<2xf32>) -> tensor<2x5x2xf32>
  %v7 = onnx.Add(%v3, %v5) : (tensor<1xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %v6, %v7 : tensor<2x5x2xf32>, tensor<2x5x3xf32>
}

// CHECK-LABEL: func @some_biases
func.func @some_biases(%x: tensor<2x5x4xf32>) -> (tensor<2x5x2xf32>, tensor<2x5x3xf32>) {
  // CHECK: %[[P:.*]] = onnx.MatMul(%arg0
  // CHECK: %[[S:.*]]:2 = onnx.Split(%[[P]]
  // CHECK: onnx.Add(%[[S]]#0
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32>
  %v3 = onnx.MatMul(%x, %v0) : (tensor<2x5x4xf32>, tensor<4x2xf32>) -> tensor<2x5x2xf32>
  %v4 = onnx.MatMul(%x, %v1) : (tensor<2x5x4xf32>, tensor<4x3xf32>) -> tensor<2x5x3xf32>
  %v5 = onnx.Add(%v3, %v2) : (tensor<2x5x2xf32>, tensor<2xf32>) -> tensor<2x5x2xf32>
  return %v5, %v4 : tensor<2x5x2xf32>, tensor<2x5x3xf32>
}

// CHECK-LABEL: func @gemms
func.func @gemms(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  // CHECK: %[[P:.*]] = onnx.Gemm(%arg0, %{{.*}}, %{{.*}}) {transB = 1}
  // CHECK: onnx.Split(%[[P]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32>
  %v3 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.Gemm(%x, %v0, %v2) {transB = 1} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %v5 = onnx.Gemm(%x, %v1, %v3) {transB = 1} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %v4, %v5 : tensor<2x2xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @other_sums
func.func @other_sums(%x: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.MatMul
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4xf32>} : () -> tensor<4xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4xf32>} : () -> tensor<4xf32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
  %v3 = onnx.MatMul(%x, %v1) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
  return %v2, %v3 : tensor<2xf32>, tensor<2xf32>
}

// Nothing is kept twice.
// CHECK-LABEL: func @shared_weights
func.func @shared_weights(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.MatMul
  // CHECK: onnx.MatMul
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %v3 = onnx.MatMul(%x, %v1) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %v4 = onnx.MatMul(%y, %v1) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %v2, %v3, %v4 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// COMPAT-LABEL: func @compatible
func.func @compatible(%x: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  // COMPAT: %[[W:.*]] = onnx.Concat
  // COMPAT: %[[P:.*]] = onnx.MatMul(%arg0, %[[W]])
  // COMPAT: onnx.Split(%[[P]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v2 = onnx.Constant() {value = dense<3.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v3 = onnx.MatMul(%x, %v0) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %v4 = onnx.MatMul(%x, %v1) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %v5 = onnx.MatMul(%x, %v2) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  return %v3, %v4, %v5 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}

// The columns of what has no rank are the axis -1, which Split takes from
// opset 11 on.
// CHECK-LABEL: func @unranked
func.func @unranked(%x: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  // CHECK: onnx.Split(%{{.*}}) {axis = -1}
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<*xf32>, tensor<4x2xf32>) -> tensor<*xf32>
  %v3 = onnx.MatMul(%x, %v1) : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  return %v2, %v3 : tensor<*xf32>, tensor<*xf32>
}

// CHECK-LABEL: func @unranked_of_opset_10
func.func @unranked_of_opset_10(%x: tensor<*xf32>, %y: tensor<?x4xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<?x2xf32>, tensor<?x3xf32>) attributes {onnx.opset_imports = {"ai.onnx" = 10 : i64}} {
  // CHECK: onnx.MatMul(%arg0
  // CHECK: onnx.MatMul(%arg0
  // CHECK: onnx.Split(%{{.*}}) {axis = 1}
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v4 = onnx.Constant() {value = dense<3.000000e+00> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %v5 = onnx.Constant() {value = dense<4.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<*xf32>, tensor<4x2xf32>) -> tensor<*xf32>
  %v3 = onnx.MatMul(%x, %v1) : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %v6 = onnx.MatMul(%y, %v4) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %v7 = onnx.MatMul(%y, %v5) : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return %v2, %v3, %v6, %v7 : tensor<*xf32>, tensor<*xf32>, tensor<?x2xf32>, tensor<?x3xf32>
}

// Weights of other ranks, batches and scales; one of them transposed; a bias on
// one side; the same tensor as both operands.
// CHECK-LABEL: func @do_not_fit
func.func @do_not_fit(%x: tensor<2x4x4xf32>, %y: tensor<4x4xf32>) {
  // CHECK-NOT: onnx.Split
  // CHECK: return
  %a = onnx.Constant() {value = dense<1.0> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %b = onnx.Constant() {value = dense<2.0> : tensor<2x4x2xf32>} : () -> tensor<2x4x2xf32>
  %c = onnx.Constant() {value = dense<3.0> : tensor<1x4x3xf32>} : () -> tensor<1x4x3xf32>
  %0 = onnx.MatMul(%x, %a) : (tensor<2x4x4xf32>, tensor<4x2xf32>) -> tensor<2x4x2xf32>
  %1 = onnx.MatMul(%x, %b) : (tensor<2x4x4xf32>, tensor<2x4x2xf32>) -> tensor<2x4x2xf32>
  %2 = onnx.MatMul(%x, %c) : (tensor<2x4x4xf32>, tensor<1x4x3xf32>) -> tensor<2x4x3xf32>
  %d = onnx.Constant() {value = dense<1.0> : tensor<4x5xf32>} : () -> tensor<4x5xf32>
  %e = onnx.Constant() {value = dense<2.0> : tensor<5x4xf32>} : () -> tensor<5x4xf32>
  %f = onnx.Constant() {value = dense<3.0> : tensor<4x5xf32>} : () -> tensor<4x5xf32>
  %g = onnx.Constant() {value = dense<4.0> : tensor<4x5xf32>} : () -> tensor<4x5xf32>
  %h = onnx.Constant() {value = dense<5.0> : tensor<4x5xf32>} : () -> tensor<4x5xf32>
  %i = onnx.Constant() {value = dense<6.0> : tensor<4x5xf32>} : () -> tensor<4x5xf32>
  %bias = onnx.Constant() {value = dense<7.0> : tensor<5xf32>} : () -> tensor<5xf32>
  %3 = onnx.Gemm(%y, %d, _) : (tensor<4x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = onnx.Gemm(%y, %e, _) {transB = 1} : (tensor<4x4xf32>, tensor<5x4xf32>) -> tensor<4x5xf32>
  %5 = onnx.Gemm(%y, %f, _) {alpha = 2.0} : (tensor<4x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %6 = onnx.Gemm(%y, %g, %bias) : (tensor<4x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %7 = onnx.Gemm(%y, %h, %bias) {beta = 2.0} : (tensor<4x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %8 = onnx.Gemm(%y, %i, _) {transA = 1} : (tensor<4x4xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %9 = onnx.MatMul(%y, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// Biases of rows, and of more dims than the product: added behind the Split.
// CHECK-LABEL: func @other_biases
func.func @other_biases(%x: tensor<2x4xf32>, %z: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2xf32>) {
  // CHECK: %[[S:.*]]:2 = onnx.Split
  // CHECK: onnx.Add(%[[S]]#0
  // CHECK: onnx.Add(%[[S]]#1
  // CHECK: %[[T:.*]]:2 = onnx.Split
  // CHECK: onnx.Add(%[[T]]#0
  // CHECK: onnx.Add(%[[T]]#1
  %a = onnx.Constant() {value = dense<1.0> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %b = onnx.Constant() {value = dense<2.0> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %c = onnx.Constant() {value = dense<3.0> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %d = onnx.Constant() {value = dense<4.0> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %rows = onnx.Constant() {value = dense<[[1.0], [2.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %columns = onnx.Constant() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %more = onnx.Constant() {value = dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>} : () -> tensor<2x1x2xf32>
  %0 = onnx.MatMul(%x, %a) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %1 = onnx.MatMul(%x, %b) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %2 = onnx.Add(%0, %rows) : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %3 = onnx.Add(%1, %columns) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %4 = onnx.MatMul(%z, %c) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %5 = onnx.MatMul(%z, %d) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %6 = onnx.Add(%4, %more) : (tensor<2x2xf32>, tensor<2x1x2xf32>) -> tensor<2x2x2xf32>
  %7 = onnx.Add(%5, %columns) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %2, %3, %6, %7 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2xf32>
}
