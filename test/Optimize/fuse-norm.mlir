// RUN: onnx-mlir-opt %s --onnx-fuse-norm --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-norm=nnan --canonicalize | FileCheck %s --check-prefix=NNAN

// CHECK-LABEL: func @layer
func.func @layer(%x: tensor<?x8xf32>, %beta: tensor<8xf32>) -> tensor<?x8xf32> {
  %axes = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %eps = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %gamma = onnx.Constant() {value = dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]> : tensor<1x8xf32>} : () -> tensor<1x8xf32>
  %m = onnx.ReduceMean(%x, %axes) : (tensor<?x8xf32>, tensor<1xi64>) -> tensor<?x1xf32>
  %d = onnx.Sub(%x, %m) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %q = onnx.Pow(%d, %two) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<?x8xf32>, tensor<1xi64>) -> tensor<?x1xf32>
  %w = onnx.Add(%v, %eps) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %s = onnx.Sqrt(%w) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %n = onnx.Div(%d, %s) : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %g = onnx.Mul(%n, %gamma) : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
  %y = onnx.Add(%beta, %g) : (tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: %[[S:.*]] = onnx.Constant() {{.*}}[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<8xf32>}
  // CHECK: %[[Y:.*]] = onnx.LayerNormalization(%arg0, %[[S]], %arg1) {axis = -1, epsilon = 1.0e-05}
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<?x8xf32>
}

// As in Llama: normalized in float32, rounded, then scaled.
// CHECK-LABEL: func @rms_of_float16
func.func @rms_of_float16(%x: tensor<2x4xf16>, %w: tensor<4xf16>) -> tensor<2x4xf16> {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<1.0e-6> : tensor<f32>} : () -> tensor<f32>
  %x32 = onnx.Cast(%x) {to = 1} : (tensor<2x4xf16>) -> tensor<2x4xf32>
  %q = onnx.Mul(%x32, %x32) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e = onnx.Add(%v, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = onnx.Sqrt(%e) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %r = onnx.Reciprocal(%s) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n = onnx.Mul(%x32, %r) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %h = onnx.Cast(%n) {to = 10} : (tensor<2x4xf32>) -> tensor<2x4xf16>
  %y = onnx.Mul(%w, %h) : (tensor<4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  // CHECK: %[[Y:.*]] = onnx.RMSNormalization(%arg0, %arg1) {axis = -1, epsilon = 1.0e-06} : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<2x4xf16>
}

// A scale of channels is no scale of columns.
// CHECK-LABEL: func @instance
func.func @instance(%x: tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32> {
  %axes = onnx.Constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %eps = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %gamma = onnx.Constant() {value = dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %m = onnx.ReduceMean(%x, %axes) : (tensor<?x2x?x?xf32>, tensor<2xi64>) -> tensor<?x2x1x1xf32>
  %d = onnx.Sub(%x, %m) : (tensor<?x2x?x?xf32>, tensor<?x2x1x1xf32>) -> tensor<?x2x?x?xf32>
  %q = onnx.Mul(%d, %d) : (tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<?x2x?x?xf32>, tensor<2xi64>) -> tensor<?x2x1x1xf32>
  %w = onnx.Add(%v, %eps) : (tensor<?x2x1x1xf32>, tensor<f32>) -> tensor<?x2x1x1xf32>
  %s = onnx.Sqrt(%w) : (tensor<?x2x1x1xf32>) -> tensor<?x2x1x1xf32>
  %n = onnx.Div(%d, %s) : (tensor<?x2x?x?xf32>, tensor<?x2x1x1xf32>) -> tensor<?x2x?x?xf32>
  %y = onnx.Mul(%n, %gamma) : (tensor<?x2x?x?xf32>, tensor<2x1x1xf32>) -> tensor<?x2x?x?xf32>
  // CHECK: %[[S:.*]] = onnx.Constant() {{.*}}[3.000000e+00, 4.000000e+00]> : tensor<2xf32>}
  // CHECK: onnx.InstanceNormalization(%arg0, %[[S]], %{{.*}})
  return %y : tensor<?x2x?x?xf32>
}

// CHECK-LABEL: func @group
func.func @group(%x: tensor<?x4x5x5xf32>) -> tensor<?x4x5x5xf32> {
  %to = onnx.Constant() {value = dense<[0, 2, -1]> : tensor<3xi64>} : () -> tensor<3xi64>
  %ones = onnx.Constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %zeros = onnx.Constant() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %a = onnx.Reshape(%x, %to) : (tensor<?x4x5x5xf32>, tensor<3xi64>) -> tensor<?x2x50xf32>
  %n = onnx.InstanceNormalization(%a, %ones, %zeros) {epsilon = 1.0e-03} : (tensor<?x2x50xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x50xf32>
  %shape = onnx.Shape(%x) : (tensor<?x4x5x5xf32>) -> tensor<4xi64>
  %y = onnx.Reshape(%n, %shape) : (tensor<?x2x50xf32>, tensor<4xi64>) -> tensor<?x4x5x5xf32>
  // CHECK: onnx.GroupNormalization(%arg0, %{{.*}}, %{{.*}}) {epsilon = 0.001, num_groups = 2}
  return %y : tensor<?x4x5x5xf32>
}

// LayerNormalization would compute in float32.
// CHECK-LABEL: func @float64
// CHECK-NOT: Normalization
// CHECK: return
func.func @float64(%x: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<1.0e-5> : tensor<f64>} : () -> tensor<f64>
  %q = onnx.Mul(%x, %x) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<2x4xf64>, tensor<1xi64>) -> tensor<2x1xf64>
  %e = onnx.Add(%v, %eps) : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %s = onnx.Sqrt(%e) : (tensor<2x1xf64>) -> tensor<2x1xf64>
  %y = onnx.Div(%x, %s) : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// 0 / 0 is NaN, LpNormalization of zeros 0.
// CHECK-LABEL: func @lp
// NNAN-LABEL: func @lp
func.func @lp(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.ReduceL2(%x, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  // CHECK: onnx.Div
  // NNAN: onnx.LpNormalization(%arg0) {axis = 1, p = 2}
  %y = onnx.Div(%x, %n) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// RMSNormalization has no bias.
// CHECK-LABEL: func @rms_and_bias
func.func @rms_and_bias(%x: tensor<2x4xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: %[[R:.*]] = onnx.RMSNormalization(%arg0, %arg1)
  // CHECK: %[[A:.*]] = onnx.Add(%[[R]], %arg2)
  %0 = onnx.RMSNormalization(%x, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = onnx.Add(%0, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[L:.*]] = onnx.LayerNormalization(%arg0, %arg1, %arg2)
  // CHECK: return %[[A]], %[[L]]
  %2 = onnx.LayerNormalization(%x, %w, _) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %3 = onnx.Add(%2, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1, %3 : tensor<2x4xf32>, tensor<2x4xf32>
}

// What is added to is no mean; the mean is of no squares; the mean of other
// axes is taken off.
// CHECK-LABEL: func @near_misses
// CHECK-NOT: Normalization
// CHECK: return
func.func @near_misses(%x: tensor<4x4xf32>, %v: tensor<4x1xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %rows = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %e0 = onnx.Add(%v, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %s0 = onnx.Sqrt(%e0) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %y0 = onnx.Div(%x, %s0) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %m1 = onnx.ReduceMean(%x, %axes) : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %e1 = onnx.Add(%m1, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %s1 = onnx.Sqrt(%e1) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %y1 = onnx.Div(%x, %s1) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %m2 = onnx.ReduceMean(%x, %rows) : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %d2 = onnx.Sub(%x, %m2) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %q2 = onnx.Mul(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v2 = onnx.ReduceMean(%q2, %axes) : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %e2 = onnx.Add(%v2, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %s2 = onnx.Sqrt(%e2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %y2 = onnx.Div(%d2, %s2) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %y0, %y1, %y2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// No mean of squares: less something else, and their sum.
// CHECK-LABEL: func @no_variance
// NNAN-LABEL: func @no_variance
func.func @no_variance(%x: tensor<2x4xf32>, %b: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<1.0e-6> : tensor<f32>} : () -> tensor<f32>
  %q = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %u = onnx.Sub(%v, %b) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %e = onnx.Add(%u, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = onnx.Sqrt(%e) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n = onnx.Div(%x, %s) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %p = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %w = onnx.ReduceSum(%p, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %f = onnx.Add(%w, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %t = onnx.Sqrt(%f) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %m = onnx.Div(%x, %t) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  // CHECK-COUNT-2: onnx.Div
  // NNAN-COUNT-2: onnx.Div
  return %n, %m : tensor<2x4xf32>, tensor<2x4xf32>
}
