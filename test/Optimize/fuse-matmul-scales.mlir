// RUN: onnx-mlir-opt %s --onnx-fuse-matmul-scales | FileCheck %s

// CHECK-LABEL: func @both
func.func @both(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>) {
  // CHECK: dense<2.500000e-01> : tensor<f32>
  // CHECK: %[[X:.*]] = onnx.Mul(%arg0
  // CHECK: onnx.MatMul(%[[X]], %arg1)
  %v0 = onnx.Constant() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<1xf32>} : () -> tensor<1xf32>
  %v2 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v3 = onnx.Div(%y, %v1) : (tensor<2x4x5xf32>, tensor<1xf32>) -> tensor<2x4x5xf32>
  %v4 = onnx.MatMul(%v2, %v3) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %v4 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @one
func.func @one(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>) {
  // CHECK: %[[X:.*]] = onnx.Mul(%arg0
  // CHECK: onnx.MatMul(%[[X]], %arg1)
  %v0 = onnx.Constant() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  %v1 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v2 = onnx.MatMul(%v1, %y) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %v2 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @growing
func.func @growing(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>) {
  // CHECK: onnx.Mul
  // CHECK: onnx.Mul
  // CHECK: onnx.MatMul
  %v0 = onnx.Constant() {value = dense<3.000000e+01> : tensor<f32>} : () -> tensor<f32>
  %v1 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v2 = onnx.Mul(%y, %v0) : (tensor<2x4x5xf32>, tensor<f32>) -> tensor<2x4x5xf32>
  %v3 = onnx.MatMul(%v1, %v2) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %v3 : tensor<2x3x5xf32>
}

// Each step rounds halves; powers of two are exact.
// CHECK-LABEL: func @halves
func.func @halves(%x: tensor<2x3x4xf16>, %y: tensor<2x4x5xf16>) -> (tensor<2x3x5xf16>, tensor<2x3x5xf16>) {
  // CHECK: %[[X:.*]] = onnx.Mul(%arg0
  // CHECK: %[[Y:.*]] = onnx.Mul(%arg1
  // CHECK: onnx.MatMul(%[[X]], %[[Y]])
  %v0 = onnx.Constant() {value = dense<6.000000e-01> : tensor<f16>} : () -> tensor<f16>
  %v1 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xf16>
  %v2 = onnx.Mul(%y, %v0) : (tensor<2x4x5xf16>, tensor<f16>) -> tensor<2x4x5xf16>
  %v3 = onnx.MatMul(%v1, %v2) : (tensor<2x3x4xf16>, tensor<2x4x5xf16>) -> tensor<2x3x5xf16>
  // CHECK: dense<2.500000e-01> : tensor<f16>
  // CHECK: %[[Z:.*]] = onnx.Mul(%arg0
  // CHECK: onnx.MatMul(%[[Z]], %arg1)
  %v4 = onnx.Constant() {value = dense<5.000000e-01> : tensor<f16>} : () -> tensor<f16>
  %v5 = onnx.Mul(%x, %v4) : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xf16>
  %v6 = onnx.Mul(%y, %v4) : (tensor<2x4x5xf16>, tensor<f16>) -> tensor<2x4x5xf16>
  %v7 = onnx.MatMul(%v5, %v6) : (tensor<2x3x4xf16>, tensor<2x4x5xf16>) -> tensor<2x3x5xf16>
  return %v3, %v7 : tensor<2x3x5xf16>, tensor<2x3x5xf16>
}

// One that is no power of two is enough.
// CHECK-LABEL: func @halves_of_another
func.func @halves_of_another(%x: tensor<2x3x4xf16>, %y: tensor<2x4x5xf16>) -> (tensor<2x3x5xf16>, tensor<2x3x5xf16>) {
  // CHECK: %[[X:.*]] = onnx.Mul(%arg0
  // CHECK-NEXT: %[[Y:.*]] = onnx.Mul(%arg1
  // CHECK-NEXT: onnx.MatMul(%[[X]], %[[Y]])
  // CHECK-NEXT: %[[X:.*]] = onnx.Mul(%arg0
  // CHECK-NEXT: %[[Y:.*]] = onnx.Mul(%arg1
  // CHECK-NEXT: onnx.MatMul(%[[X]], %[[Y]])
  %v0 = onnx.Constant() {value = dense<6.000000e-01> : tensor<f16>} : () -> tensor<f16>
  %v1 = onnx.Constant() {value = dense<5.000000e-01> : tensor<f16>} : () -> tensor<f16>
  %v2 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xf16>
  %v3 = onnx.Mul(%y, %v1) : (tensor<2x4x5xf16>, tensor<f16>) -> tensor<2x4x5xf16>
  %v4 = onnx.MatMul(%v2, %v3) : (tensor<2x3x4xf16>, tensor<2x4x5xf16>) -> tensor<2x3x5xf16>
  %v5 = onnx.Mul(%x, %v1) : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xf16>
  %v6 = onnx.Mul(%y, %v0) : (tensor<2x4x5xf16>, tensor<f16>) -> tensor<2x4x5xf16>
  %v7 = onnx.MatMul(%v5, %v6) : (tensor<2x3x4xf16>, tensor<2x4x5xf16>) -> tensor<2x3x5xf16>
  return %v4, %v7 : tensor<2x3x5xf16>, tensor<2x3x5xf16>
}

// The smaller one is scaled, and the first where that is not known.
// CHECK-LABEL: func @smaller
func.func @smaller(%x: tensor<2x3x4xf32>, %y: tensor<2x4x2xf32>, %z: tensor<2x?x4xf32>, %w: tensor<2x4x?xf32>) -> (tensor<2x3x2xf32>, tensor<2x?x2xf32>, tensor<2x3x?xf32>) {
  %v0 = onnx.Constant() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
  // CHECK: %[[B:.*]] = onnx.Constant() {value = dense<2.500000e-01>
  // CHECK-NEXT: %[[Y:.*]] = onnx.Mul(%arg1, %[[B]])
  // CHECK-NEXT: onnx.MatMul(%arg0, %[[Y]])
  %v1 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v2 = onnx.Mul(%y, %v0) : (tensor<2x4x2xf32>, tensor<f32>) -> tensor<2x4x2xf32>
  %v3 = onnx.MatMul(%v1, %v2) : (tensor<2x3x4xf32>, tensor<2x4x2xf32>) -> tensor<2x3x2xf32>
  // CHECK: %[[B:.*]] = onnx.Constant() {value = dense<2.500000e-01>
  // CHECK-NEXT: %[[Z:.*]] = onnx.Mul(%arg2, %[[B]])
  // CHECK-NEXT: onnx.MatMul(%[[Z]], %arg1)
  %v4 = onnx.Mul(%z, %v0) : (tensor<2x?x4xf32>, tensor<f32>) -> tensor<2x?x4xf32>
  %v5 = onnx.Mul(%y, %v0) : (tensor<2x4x2xf32>, tensor<f32>) -> tensor<2x4x2xf32>
  %v6 = onnx.MatMul(%v4, %v5) : (tensor<2x?x4xf32>, tensor<2x4x2xf32>) -> tensor<2x?x2xf32>
  // CHECK: %[[B:.*]] = onnx.Constant() {value = dense<2.500000e-01>
  // CHECK-NEXT: %[[X:.*]] = onnx.Mul(%arg0, %[[B]])
  // CHECK-NEXT: onnx.MatMul(%[[X]], %arg3)
  %v7 = onnx.Mul(%x, %v0) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %v8 = onnx.Mul(%w, %v0) : (tensor<2x4x?xf32>, tensor<f32>) -> tensor<2x4x?xf32>
  %v9 = onnx.MatMul(%v7, %v8) : (tensor<2x3x4xf32>, tensor<2x4x?xf32>) -> tensor<2x3x?xf32>
  return %v3, %v6, %v9 : tensor<2x3x2xf32>, tensor<2x?x2xf32>, tensor<2x3x?xf32>
}
