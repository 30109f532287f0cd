// RUN: onnx-mlir-opt %s --onnx-fuse-pad-into-conv | FileCheck %s

// CHECK-LABEL: func @added
func.func @added(%x: tensor<1x2x4x4xf32>) -> (tensor<1x3x5x7xf32>) {
  // CHECK: onnx.Conv(%arg0, %{{.*}}) {pads = [2, 2, 0, 2]}
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x2x2x2xf32>} : () -> tensor<3x2x2x2xf32>
  %v2 = onnx.Constant() {value = dense<-0.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v3 = onnx.Pad(%x, %v0, %v2) : (tensor<1x2x4x4xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x2x5x7xf32>
  %v4 = onnx.Conv(%v3, %v1) {pads = [1, 0, 0, 1]} : (tensor<1x2x5x7xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x5x7xf32>
  return %v4 : tensor<1x3x5x7xf32>
}

// CHECK-LABEL: func @not_zero
func.func @not_zero(%x: tensor<1x2x4x4xf32>) -> (tensor<1x3x4x6xf32>) {
  // CHECK: %[[P:.*]] = onnx.Pad(%arg0
  // CHECK: onnx.Conv(%[[P]]
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x2x2x2xf32>} : () -> tensor<3x2x2x2xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v3 = onnx.Pad(%x, %v0, %v2) : (tensor<1x2x4x4xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x2x5x7xf32>
  %v4 = onnx.Conv(%v3, %v1) : (tensor<1x2x5x7xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x4x6xf32>
  return %v4 : tensor<1x3x4x6xf32>
}

// CHECK-LABEL: func @same_upper
func.func @same_upper(%x: tensor<1x2x5x6xf32>) -> (tensor<1x3x3x5xf32>) {
  // CHECK: onnx.Conv(%arg0, %{{.*}}) {pads = [1, 2, 0, 2], strides = [2, 2]}
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x2x2x2xf32>} : () -> tensor<3x2x2x2xf32>
  %v2 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v3 = onnx.Conv(%v2, %v1) {auto_pad = "SAME_UPPER", strides = [2, 2]} : (tensor<1x2x6x9xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x3x5xf32>
  return %v3 : tensor<1x3x3x5xf32>
}

// CHECK-LABEL: func @permuted_axes
func.func @permuted_axes(%x: tensor<1x2x5x6xf32>) -> (tensor<1x3x4x8xf32>) {
  // CHECK: onnx.Conv(%arg0, %{{.*}}) {pads = [0, 1, 0, 2]}
  %v0 = onnx.Constant() {value = dense<[1, 0, 2, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  %v1 = onnx.Constant() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v2 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x2x2x2xf32>} : () -> tensor<3x2x2x2xf32>
  %v3 = onnx.Pad(%x, %v0, _, %v1) : (tensor<1x2x5x6xf32>, tensor<4xi64>, tensor<2xi64>) -> tensor<1x2x5x9xf32>
  %v4 = onnx.Conv(%v3, %v2) : (tensor<1x2x5x9xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x4x8xf32>
  return %v4 : tensor<1x3x4x8xf32>
}

// CHECK-LABEL: func @channels
func.func @channels(%x: tensor<1x1x5x6xf32>) -> (tensor<1x3x4x5xf32>) {
  // CHECK: %[[P:.*]] = onnx.Pad(%arg0
  // CHECK: onnx.Conv(%[[P]]
  %v0 = onnx.Constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %v1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x2x2x2xf32>} : () -> tensor<3x2x2x2xf32>
  %v3 = onnx.Pad(%x, %v0, _, %v1) : (tensor<1x1x5x6xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<1x2x5x6xf32>
  %v4 = onnx.Conv(%v3, %v2) : (tensor<1x2x5x6xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x4x5xf32>
  return %v4 : tensor<1x3x4x5xf32>
}

// CHECK-LABEL: func @infinite_weights
func.func @infinite_weights(%x: tensor<1x2x5x6xf32>) -> (tensor<1x3x5x8xf32>) {
  // CHECK: %[[P:.*]] = onnx.Pad(%arg0
  // CHECK: onnx.Conv(%[[P]]
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<0x7F800000> : tensor<3x2x2x2xf32>} : () -> tensor<3x2x2x2xf32>
  %v2 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xf32>, tensor<8xi64>) -> tensor<1x2x6x9xf32>
  %v3 = onnx.Conv(%v2, %v1) : (tensor<1x2x6x9xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x5x8xf32>
  return %v3 : tensor<1x3x5x8xf32>
}

// CHECK-LABEL: func @zero_point
func.func @zero_point(%x: tensor<1x2x5x6xui8>) -> (tensor<1x3x5x8xi32>) {
  // CHECK: onnx.ConvInteger(%arg0, {{.*}} {pads = [1, 2, 0, 1]}
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %v2 = onnx.Constant() {value = dense<2> : tensor<3x2x2x2xui8>} : () -> tensor<3x2x2x2xui8>
  %v3 = onnx.Pad(%x, %v0, %v1) : (tensor<1x2x5x6xui8>, tensor<8xi64>, tensor<ui8>) -> tensor<1x2x6x9xui8>
  %v4 = onnx.ConvInteger(%v3, %v2, %v1) : (tensor<1x2x6x9xui8>, tensor<3x2x2x2xui8>, tensor<ui8>) -> tensor<1x3x5x8xi32>
  return %v4 : tensor<1x3x5x8xi32>
}

// CHECK-LABEL: func @not_the_zero_point
func.func @not_the_zero_point(%x: tensor<1x2x5x6xui8>) -> (tensor<1x3x5x8xi32>) {
  // CHECK: %[[P:.*]] = onnx.Pad(%arg0
  // CHECK: onnx.ConvInteger(%[[P]]
  %v0 = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  %v1 = onnx.Constant() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
  %v2 = onnx.Constant() {value = dense<2> : tensor<3x2x2x2xui8>} : () -> tensor<3x2x2x2xui8>
  %v3 = onnx.Pad(%x, %v0) : (tensor<1x2x5x6xui8>, tensor<8xi64>) -> tensor<1x2x6x9xui8>
  %v4 = onnx.ConvInteger(%v3, %v2, %v1) : (tensor<1x2x6x9xui8>, tensor<3x2x2x2xui8>, tensor<ui8>) -> tensor<1x3x5x8xi32>
  return %v4 : tensor<1x3x5x8xi32>
}
