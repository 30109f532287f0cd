// RUN: onnx-mlir-opt %s --onnx-fuse-add-bias-into-conv | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-add-bias-into-conv=upstream-compatible | FileCheck %s --check-prefix=COMPAT

// CHECK-LABEL: func @constant
func.func @constant(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  // CHECK: onnx.Conv(%arg0, %{{.*}}, %{{.*}}) :
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v3 = onnx.Add(%v1, %v2) : (tensor<3x1x1xf32>, tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  return %v3 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @to_a_bias
func.func @to_a_bias(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: dense<[0.000000e+00, -1.000000e+00, -2.000000e+00]> : tensor<3xf32>
  // CHECK: onnx.Conv(%arg0,
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Conv(%x, %v0, %v2) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  %v4 = onnx.Sub(%v3, %v1) : (tensor<1x3x5x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x5x5xf32>
  return %v4 : tensor<1x3x5x5xf32>
}

// One dimension is the last one, not the channels.
// CHECK-LABEL: func @last_dimension
func.func @last_dimension(%x: tensor<1x4x5x5xf32>) -> (tensor<1x5x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.Add
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<5x4x1x1xf32>} : () -> tensor<5x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<5xf32>} : () -> tensor<5xf32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<5x4x1x1xf32>) -> tensor<1x5x5x5xf32>
  %v3 = onnx.Add(%v2, %v1) : (tensor<1x5x5x5xf32>, tensor<5xf32>) -> tensor<1x5x5x5xf32>
  return %v3 : tensor<1x5x5x5xf32>
}

// CHECK-LABEL: func @result_grows
func.func @result_grows(%x: tensor<1x4x5x5xf32>) -> (tensor<1x1x3x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.Add
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e+00> : tensor<1x1x1x1x1xf32>} : () -> tensor<1x1x1x1x1xf32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v3 = onnx.Add(%v2, %v1) : (tensor<1x3x5x5xf32>, tensor<1x1x1x1x1xf32>) -> tensor<1x1x3x5x5xf32>
  return %v3 : tensor<1x1x3x5x5xf32>
}

// CHECK-LABEL: func @no_constant
func.func @no_constant(%x: tensor<1x4x5x5xf32>, %y: tensor<3x1x1xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: %[[B:.*]] = onnx.Squeeze(%arg1
  // CHECK: onnx.Conv(%arg0, %{{.*}}, %[[B]])
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v2 = onnx.Add(%v1, %y) : (tensor<1x3x5x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x5x5xf32>
  return %v2 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @also_an_output
func.func @also_an_output(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.Add
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v3 = onnx.Add(%v2, %v1) : (tensor<1x3x5x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x5x5xf32>
  return %v3, %v2 : tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @transposed
func.func @transposed(%x: tensor<1x4x5x5xf32>) -> (tensor<1x4x5x5xf32>) {
  // CHECK: onnx.ConvTranspose(%arg0, %{{.*}}, %{{.*}}) {group = 2}
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<4x2x1x1xf32>} : () -> tensor<4x2x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]], [[4.000000e+00]]]> : tensor<4x1x1xf32>} : () -> tensor<4x1x1xf32>
  %v2 = onnx.ConvTranspose(%x, %v0) {group = 2} : (tensor<1x4x5x5xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x5x5xf32>
  %v3 = onnx.Add(%v2, %v1) : (tensor<1x4x5x5xf32>, tensor<4x1x1xf32>) -> tensor<1x4x5x5xf32>
  return %v3 : tensor<1x4x5x5xf32>
}

// COMPAT-LABEL: func @compatible
func.func @compatible(%x: tensor<1x4x5x5xf32>, %y: tensor<f32>) -> (tensor<1x3x5x5xf32>) {
  // COMPAT: %[[U:.*]] = onnx.Unsqueeze(%arg1
  // COMPAT: %[[T:.*]] = onnx.Tile(%[[U]]
  // COMPAT: onnx.Conv(%arg0, %{{.*}}, %[[T]])
  %v0 = onnx.Constant() {value = dense<2.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v2 = onnx.Add(%v1, %y) : (tensor<1x3x5x5xf32>, tensor<f32>) -> tensor<1x3x5x5xf32>
  return %v2 : tensor<1x3x5x5xf32>
}
