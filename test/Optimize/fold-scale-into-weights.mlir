// RUN: onnx-mlir-opt %s --onnx-fold-scale-into-weights | FileCheck %s

// CHECK-LABEL: func @of_channels
func.func @of_channels(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  // CHECK: %[[Y:.*]] = onnx.Conv(%arg0
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %v2 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.Conv(%x, %v0, %v2) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  %v4 = onnx.Mul(%v3, %v1) : (tensor<1x3x5x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x5x5xf32>
  return %v4 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @divided
func.func @divided(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: dense<2.500000e-01> : tensor<3x4x1x1xf32>
  // CHECK: %[[Y:.*]] = onnx.Conv(%arg0
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<4.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v3 = onnx.Div(%v2, %v1) : (tensor<1x3x5x5xf32>, tensor<f32>) -> tensor<1x3x5x5xf32>
  return %v3 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @subtracted_from
func.func @subtracted_from(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: dense<-1.000000e+00> : tensor<3x4x1x1xf32>
  // CHECK: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  // CHECK: %[[Y:.*]] = onnx.Conv(%arg0
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v3 = onnx.Sub(%v1, %v2) : (tensor<3x1x1xf32>, tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  return %v3 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @last_dimension
func.func @last_dimension(%x: tensor<1x4x5x5xf32>) -> (tensor<1x5x5x5xf32>) {
  // CHECK: onnx.Conv
  // CHECK: onnx.Mul
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<5x4x1x1xf32>} : () -> tensor<5x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<5xf32>} : () -> tensor<5xf32>
  %v2 = onnx.Conv(%x, %v0) : (tensor<1x4x5x5xf32>, tensor<5x4x1x1xf32>) -> tensor<1x5x5x5xf32>
  %v3 = onnx.Mul(%v2, %v1) : (tensor<1x5x5x5xf32>, tensor<5xf32>) -> tensor<1x5x5x5xf32>
  return %v3 : tensor<1x5x5x5xf32>
}

// CHECK-LABEL: func @input_before_padding
func.func @input_before_padding(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x7x7xf32>) {
  // CHECK: dense<4.000000e+00> : tensor<3x4x1x1xf32>
  // CHECK: onnx.Conv(%arg0
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<4.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Mul(%x, %v1) : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %v3 = onnx.Conv(%v2, %v0) {pads = [1, 1, 1, 1]} : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x7x7xf32>
  return %v3 : tensor<1x3x7x7xf32>
}

// CHECK-LABEL: func @shift_before_padding
func.func @shift_before_padding(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x7x7xf32>) {
  // CHECK: onnx.Add
  // CHECK: onnx.Conv
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<4.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Add(%x, %v1) : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %v3 = onnx.Conv(%v2, %v0) {pads = [1, 1, 1, 1]} : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x7x7xf32>
  return %v3 : tensor<1x3x7x7xf32>
}

// CHECK-LABEL: func @shift
func.func @shift(%x: tensor<1x4x5x5xf32>) -> (tensor<1x3x5x5xf32>) {
  // CHECK: dense<1.600000e+01> : tensor<3xf32>
  // CHECK: onnx.Conv(%arg0
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4x1x1xf32>} : () -> tensor<3x4x1x1xf32>
  %v1 = onnx.Constant() {value = dense<4.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Add(%x, %v1) : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5x5xf32>
  %v3 = onnx.Conv(%v2, %v0) : (tensor<1x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x5x5xf32>
  return %v3 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func @input_grows
func.func @input_grows(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
  // CHECK: onnx.Mul
  // CHECK: onnx.Conv
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<2x3x1x1xf32>} : () -> tensor<2x3x1x1xf32>
  %v1 = onnx.Constant() {value = dense<[[[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32>
  %v2 = onnx.Mul(%x, %v1) : (tensor<1x1x5x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x5x5xf32>
  %v3 = onnx.Conv(%v2, %v0) : (tensor<1x3x5x5xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %v3 : tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func @columns
func.func @columns(%x: tensor<2x?x4xf32>) -> (tensor<2x?x3xf32>) {
  // CHECK: onnx.MatMul(%arg0
  // CHECK: %[[Y:.*]] = onnx.MatMul(%arg0
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<2x?x4xf32>, tensor<4x3xf32>) -> tensor<2x?x3xf32>
  %v3 = onnx.Mul(%v1, %v2) : (tensor<3xf32>, tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
  return %v3 : tensor<2x?x3xf32>
}

// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Mul
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v1 = onnx.Constant() {value = dense<[[1.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32>} : () -> tensor<3x1xf32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<2x3x4xf32>, tensor<4x3xf32>) -> tensor<2x3x3xf32>
  %v3 = onnx.Mul(%v1, %v2) : (tensor<3x1xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %v3 : tensor<2x3x3xf32>
}

// CHECK-LABEL: func @overflow
func.func @overflow(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Mul
  %v0 = onnx.Constant() {value = dense<1.000000e+30> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e+30> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %v3 = onnx.Mul(%v2, %v1) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %v3 : tensor<2x3xf32>
}

// CHECK-LABEL: func @underflow
func.func @underflow(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Mul
  %v0 = onnx.Constant() {value = dense<1.000000e-30> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e-30> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.MatMul(%x, %v0) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %v3 = onnx.Mul(%v2, %v1) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %v3 : tensor<2x3xf32>
}

// CHECK-LABEL: func @gemm_of_any_bias
func.func @gemm_of_any_bias(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  // CHECK: onnx.Gemm(%arg0, %{{.*}}, %arg1) {beta = 2.0}
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  %v1 = onnx.Constant() {value = dense<4.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Gemm(%x, %v0, %y) {beta = 0.5} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v3 = onnx.Mul(%v2, %v1) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %v3 : tensor<2x4xf32>
}

// CHECK-LABEL: func @layer_scale
func.func @layer_scale(%x: tensor<2x?x4xf32>) -> (tensor<2x?x3xf32>) {
  // CHECK: %[[T:.*]] = onnx.MatMul(%arg0
  // CHECK: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  // CHECK: %[[U:.*]] = onnx.Add(%[[T]]
  // CHECK: return %[[U]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %v1 = onnx.Constant() {value = dense<1.000000e+00> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v3 = onnx.MatMul(%x, %v0) : (tensor<2x?x4xf32>, tensor<4x3xf32>) -> tensor<2x?x3xf32>
  %v4 = onnx.Add(%v3, %v1) : (tensor<2x?x3xf32>, tensor<3xf32>) -> tensor<2x?x3xf32>
  %v5 = onnx.Mul(%v4, %v2) : (tensor<2x?x3xf32>, tensor<3xf32>) -> tensor<2x?x3xf32>
  return %v5 : tensor<2x?x3xf32>
}

// CHECK-LABEL: func @heads
func.func @heads(%x: tensor<2x3x4xf32>) -> (tensor<2x2x3x3xf32>) {
  // CHECK: dense<2.500000e-01>
  // CHECK: onnx.MatMul(%arg0
  // CHECK: onnx.Reshape
  // CHECK: %[[Y:.*]] = onnx.Transpose
  // CHECK: return %[[Y]]
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x6xf32>} : () -> tensor<4x6xf32>
  %v1 = onnx.Constant() {value = dense<4.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %v2 = onnx.Constant() {value = dense<[2, 3, 2, 3]> : tensor<4xi64>} : () -> tensor<4xi64>
  %v3 = onnx.MatMul(%x, %v0) : (tensor<2x3x4xf32>, tensor<4x6xf32>) -> tensor<2x3x6xf32>
  %v4 = onnx.Reshape(%v3, %v2) : (tensor<2x3x6xf32>, tensor<4xi64>) -> tensor<2x3x2x3xf32>
  %v5 = onnx.Transpose(%v4) {perm = [0, 2, 1, 3]} : (tensor<2x3x2x3xf32>) -> tensor<2x2x3x3xf32>
  %v6 = onnx.Div(%v5, %v1) : (tensor<2x2x3x3xf32>, tensor<f32>) -> tensor<2x2x3x3xf32>
  return %v6 : tensor<2x2x3x3xf32>
}

// CHECK-LABEL: func @moved_channels
func.func @moved_channels(%x: tensor<2x3x4xf32>) -> (tensor<2x3x2x3xf32>) {
  // CHECK: onnx.MatMul
  // CHECK: onnx.Reshape
  // CHECK: onnx.Mul
  %v0 = onnx.Constant() {value = dense<1.000000e+00> : tensor<4x6xf32>} : () -> tensor<4x6xf32>
  %v1 = onnx.Constant() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>} : () -> tensor<3xf32>
  %v2 = onnx.Constant() {value = dense<[2, 3, 2, 3]> : tensor<4xi64>} : () -> tensor<4xi64>
  %v3 = onnx.MatMul(%x, %v0) : (tensor<2x3x4xf32>, tensor<4x6xf32>) -> tensor<2x3x6xf32>
  %v4 = onnx.Reshape(%v3, %v2) : (tensor<2x3x6xf32>, tensor<4xi64>) -> tensor<2x3x2x3xf32>
  %v5 = onnx.Mul(%v4, %v1) : (tensor<2x3x2x3xf32>, tensor<3xf32>) -> tensor<2x3x2x3xf32>
  return %v5 : tensor<2x3x2x3xf32>
}

// What is added to the product is scaled with it.
// CHECK-LABEL: func @scaled_sum
func.func @scaled_sum(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  // CHECK: onnx.MatMul(%arg0
  // CHECK: dense<[1.000000e+01, 4.000000e+01, 9.000000e+01]> : tensor<3xf32>
  // CHECK: %[[Y:.*]] = onnx.Add
  // CHECK: return %[[Y]]
  %w = onnx.Constant() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %b = onnx.Constant() {value = dense<[10.0, 20.0, 30.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %s = onnx.Constant() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = onnx.MatMul(%x, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.Add(%0, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = onnx.Mul(%1, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// What is added is of rows, or of all elements; it has no finite scaled number.
// CHECK-LABEL: func @sums_that_are_not_scaled
// CHECK-COUNT-3: onnx.Mul
func.func @sums_that_are_not_scaled(%x: tensor<3x4xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %w = onnx.Constant() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %s = onnx.Constant() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %b0 = onnx.Constant() {value = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>} : () -> tensor<3x1xf32>
  %0 = onnx.MatMul(%x, %w) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %1 = onnx.Add(%0, %b0) : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %2 = onnx.Mul(%1, %s) : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %b1 = onnx.Constant() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %3 = onnx.MatMul(%x, %w) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %4 = onnx.Add(%3, %b1) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %5 = onnx.Mul(%4, %s) : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %b2 = onnx.Constant() {value = dense<[1.0, 2.0, 3.0e+38]> : tensor<3xf32>} : () -> tensor<3xf32>
  %6 = onnx.MatMul(%x, %w) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %7 = onnx.Add(%6, %b2) : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %8 = onnx.Mul(%7, %s) : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %2, %5, %8 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}

// The columns of what a MatMul reads are the rows of its weights; rows are not.
// CHECK-LABEL: func @input_columns
func.func @input_columns(%x: tensor<4x4xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK: dense<{{\[\[}}1.000000e+00, 1.000000e+00, 1.000000e+00], [2.000000e+00, 2.000000e+00, 2.000000e+00], [3.000000e+00,{{.*}}], [4.000000e+00,{{.*}}]]> : tensor<4x3xf32>
  // CHECK: %[[Y:.*]] = onnx.MatMul(%arg0
  // CHECK: %[[X:.*]] = onnx.Mul(%arg0
  // CHECK: %[[Z:.*]] = onnx.MatMul(%[[X]]
  // CHECK: return %[[Y]], %[[Z]]
  %w = onnx.Constant() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %s = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = onnx.Mul(%x, %s) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %1 = onnx.MatMul(%0, %w) : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %r = onnx.Constant() {value = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
  %2 = onnx.Mul(%x, %r) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %3 = onnx.MatMul(%2, %w) : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1, %3 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Neither of two variables is a scale, and neither of two constants is a product.
// CHECK-LABEL: func @no_constant_scale
// CHECK: onnx.MatMul(%arg0
// CHECK: onnx.Mul(%{{.*}}, %arg1)
// CHECK: onnx.Mul
func.func @no_constant_scale(%x: tensor<2x4xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %w = onnx.Constant() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
  %s = onnx.Constant() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = onnx.MatMul(%x, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = onnx.Mul(%0, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = onnx.Mul(%s, %s) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<3xf32>
}
