// RUN: onnx-mlir-opt %s --onnx-fuse-bn-into-conv | FileCheck %s

// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: onnx.Constant() {value = dense<{{.*}}> : tensor<3x4x1x1xf32>}
  // CHECK: onnx.Constant() {value = dense<{{.*}}> : tensor<3xf32>}
  // CHECK: %[[Y:.*]] = onnx.Conv(%arg0, %{{.*}}, %{{.*}})
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %Y = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  return %Y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @matrices
func.func @matrices(%x: tensor<?x4xf32>) -> (tensor<?x3xf32>) {
  // CHECK: %[[Y:.*]] = onnx.Gemm(%arg0, %{{.*}}, %{{.*}})
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.MatMul(%x, %v0) : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %Y = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %Y : tensor<?x3xf32>
}

// CHECK-LABEL: func @channels_are_not_columns
func.func @channels_are_not_columns(%x: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.BatchNormalization
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.MatMul(%x, %v0) : (tensor<2x3x4xf32>, tensor<4x3xf32>) -> tensor<2x3x3xf32>
  %Y = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) : (tensor<2x3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x3xf32>
  return %Y : tensor<2x3x3xf32>
}

// CHECK-LABEL: func @in_front
func.func @in_front(%x: tensor<1x3x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
  // CHECK: %[[Y:.*]] = onnx.Conv(%arg0, %{{.*}}, %{{.*}})
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2x3x1x1xf32>} : () -> tensor<2x3x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %Y = onnx.BatchNormalization(%x, %v1, %v2, %v2, %v3) : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  %v4 = onnx.Conv(%Y, %v0) : (tensor<1x3x5x5xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %v4 : tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func @in_front_of_padding
func.func @in_front_of_padding(%x: tensor<1x3x5x5xf32>) -> (tensor<1x2x6x5xf32>) {
  // CHECK: onnx.BatchNormalization
  // CHECK: onnx.Conv
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2x3x1x1xf32>} : () -> tensor<2x3x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %Y = onnx.BatchNormalization(%x, %v1, %v2, %v2, %v3) : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  %v4 = onnx.Conv(%Y, %v0) {pads = [1, 0, 0, 0]} : (tensor<1x3x5x5xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x6x5xf32>
  return %v4 : tensor<1x2x6x5xf32>
}

// CHECK-LABEL: func @other_uses
func.func @other_uses(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.BatchNormalization
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %Y = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  return %Y, %v4 : tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @negative_variance
func.func @negative_variance(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.BatchNormalization
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<[1.000000e+00, -1.000000e+00, 1.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %Y = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  return %Y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @overflow
func.func @overflow(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.BatchNormalization
  %v0 = onnx.Constant() {value = dense<9.99999968E+37> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 1.000000e+02, 1.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %Y = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  return %Y : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @training
func.func @training(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.BatchNormalization
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Constant() {value = dense<0.999989986> : tensor<3xf32>} : () -> tensor<3xf32>
  %v4 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %Y, %running_mean, %running_var = onnx.BatchNormalization(%v4, %v1, %v2, %v2, %v3) {training_mode = 1} : (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %Y : tensor<1x3x5x5xf32>
}

// The epsilon is large, and so half of the divisor: 2 / sqrt(1 + 3).
// CHECK-LABEL: func @large_epsilon
func.func @large_epsilon(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x5x5xf32> {
  // CHECK-DAG: onnx.Constant() {value = dense<4.000000e+00> : tensor<1x1x1x1xf32>}
  // CHECK-DAG: onnx.Constant() {value = dense<5.000000e+00> : tensor<1xf32>}
  // CHECK: onnx.Conv(
  // CHECK-NOT: onnx.BatchNormalization
  %w = onnx.Constant() {value = dense<4.0> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %s = onnx.Constant() {value = dense<2.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = onnx.Constant() {value = dense<5.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %m = onnx.Constant() {value = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %v = onnx.Constant() {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %c = onnx.Conv(%x, %w) : (tensor<1x1x5x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x5x5xf32>
  %y = onnx.BatchNormalization(%c, %s, %b, %m, %v) {epsilon = 3.0 : f32} : (tensor<1x1x5x5xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x5xf32>
  return %y : tensor<1x1x5x5xf32>
}
