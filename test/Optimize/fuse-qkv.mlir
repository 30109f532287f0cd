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
