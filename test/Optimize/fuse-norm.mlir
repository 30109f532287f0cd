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

// Without an epsilon; by the deviation of another tensor; an epsilon of each row; no
// root; what divides and what is divided swapped; twice x.
// CHECK-LABEL: func @no_rms
func.func @no_rms(%x: tensor<2x4xf32>, %z: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-NOT: Normalization
  // CHECK: return
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %q = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e = onnx.Add(%v, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = onnx.Sqrt(%e) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y = onnx.Div(%x, %s) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps1 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q1 = onnx.Mul(%z, %z) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v1 = onnx.ReduceMean(%q1, %axes1) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e1 = onnx.Add(%v1, %eps1) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s1 = onnx.Sqrt(%e1) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y1 = onnx.Div(%x, %s1) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes2 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps2 = onnx.Constant() {value = dense<[[1.0e-5], [2.0e-5]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %q2 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v2 = onnx.ReduceMean(%q2, %axes2) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e2 = onnx.Add(%v2, %eps2) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %s2 = onnx.Sqrt(%e2) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y2 = onnx.Div(%x, %s2) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes3 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps3 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q3 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v3 = onnx.ReduceMean(%q3, %axes3) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e3 = onnx.Add(%v3, %eps3) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s3 = onnx.Exp(%e3) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y3 = onnx.Div(%x, %s3) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes4 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps4 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q4 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v4 = onnx.ReduceMean(%q4, %axes4) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e4 = onnx.Add(%v4, %eps4) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s4 = onnx.Sqrt(%e4) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y4 = onnx.Div(%s4, %x) : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %axes5 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps5 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q5 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v5 = onnx.ReduceMean(%q5, %axes5) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e5 = onnx.Add(%v5, %eps5) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s5 = onnx.Sqrt(%e5) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %w5 = onnx.Mul(%x, %two) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %y5 = onnx.Div(%w5, %s5) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y, %y1, %y2, %y3, %y4, %y5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// What stays has to be computed anyway.
// CHECK-LABEL: func @deviation_is_a_result
func.func @deviation_is_a_result(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>) {
  // CHECK-NOT: Normalization
  // CHECK: return
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e = onnx.Add(%v, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = onnx.Sqrt(%e) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y = onnx.Div(%x, %s) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y, %s : tensor<2x4xf32>, tensor<2x1xf32>
}

// A scale that is no parameter stands behind: of another shape and not constant, of
// rows, of more dims; a constant of one number is one for each column.
// CHECK-LABEL: func @scales
func.func @scales(%x: tensor<2x4xf32>, %w: tensor<1x4xf32>, %c: tensor<2x1xf32>, %h: tensor<3x1x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>) {
  // CHECK: %[[W:.*]] = onnx.Constant() {value = dense<3.000000e+00> : tensor<4xf32>}
  // CHECK: %[[A:.*]] = onnx.RMSNormalization(%arg0, %{{.*}})
  // CHECK: %[[Y:.*]] = onnx.Mul(%[[A]], %arg1)
  // CHECK: %[[B:.*]] = onnx.RMSNormalization(%arg0, %{{.*}})
  // CHECK: onnx.Mul(%[[B]], %arg2)
  // CHECK: onnx.RMSNormalization(%arg0, %[[W]])
  // CHECK: %[[D:.*]] = onnx.RMSNormalization(%arg0, %{{.*}})
  // CHECK: onnx.Mul(%[[D]], %arg3)
  // CHECK: return
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = onnx.ReduceMean(%q, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e = onnx.Add(%v, %eps) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = onnx.Sqrt(%e) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n = onnx.Div(%x, %s) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %y = onnx.Mul(%n, %w) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %axes1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps1 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q1 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v1 = onnx.ReduceMean(%q1, %axes1) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e1 = onnx.Add(%v1, %eps1) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s1 = onnx.Sqrt(%e1) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n1 = onnx.Div(%x, %s1) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %y1 = onnx.Mul(%n1, %c) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes2 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps2 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q2 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v2 = onnx.ReduceMean(%q2, %axes2) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e2 = onnx.Add(%v2, %eps2) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s2 = onnx.Sqrt(%e2) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n2 = onnx.Div(%x, %s2) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %three = onnx.Constant() {value = dense<3.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %y2 = onnx.Mul(%n2, %three) : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
  %axes3 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %eps3 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %q3 = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v3 = onnx.ReduceMean(%q3, %axes3) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e3 = onnx.Add(%v3, %eps3) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s3 = onnx.Sqrt(%e3) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n3 = onnx.Div(%x, %s3) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %y3 = onnx.Mul(%n3, %h) : (tensor<2x4xf32>, tensor<3x1x4xf32>) -> tensor<3x2x4xf32>
  return %y, %y1, %y2, %y3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>
}

// The epsilon of MeanVarianceNormalization stands outside of the root and has one
// value; both; one that is taken off.
// CHECK-LABEL: func @outside_of_the_root
func.func @outside_of_the_root(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: onnx.MeanVarianceNormalization(%arg0) {axes = [1]}
  // CHECK-NOT: Normalization
  // CHECK: return
  %axes0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m0 = onnx.ReduceMean(%x, %axes0) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %d0 = onnx.Sub(%x, %m0) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q0 = onnx.Mul(%d0, %d0) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v0 = onnx.ReduceMean(%q0, %axes0) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %s0 = onnx.Sqrt(%v0) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %o0 = onnx.Constant() {value = dense<1.0e-9> : tensor<f32>} : () -> tensor<f32>
  %t0 = onnx.Add(%s0, %o0) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %y0 = onnx.Div(%d0, %t0) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m1 = onnx.ReduceMean(%x, %axes1) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %d1 = onnx.Sub(%x, %m1) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q1 = onnx.Mul(%d1, %d1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v1 = onnx.ReduceMean(%q1, %axes1) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %s1 = onnx.Sqrt(%v1) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %o1 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %t1 = onnx.Add(%s1, %o1) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %y1 = onnx.Div(%d1, %t1) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes2 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m2 = onnx.ReduceMean(%x, %axes2) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %d2 = onnx.Sub(%x, %m2) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q2 = onnx.Mul(%d2, %d2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v2 = onnx.ReduceMean(%q2, %axes2) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %i2 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %w2 = onnx.Add(%v2, %i2) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s2 = onnx.Sqrt(%w2) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %o2 = onnx.Constant() {value = dense<1.0e-9> : tensor<f32>} : () -> tensor<f32>
  %t2 = onnx.Add(%s2, %o2) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %y2 = onnx.Div(%d2, %t2) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %axes3 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m3 = onnx.ReduceMean(%x, %axes3) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %d3 = onnx.Sub(%x, %m3) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q3 = onnx.Mul(%d3, %d3) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v3 = onnx.ReduceMean(%q3, %axes3) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %i3 = onnx.Constant() {value = dense<-1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %w3 = onnx.Add(%v3, %i3) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s3 = onnx.Sqrt(%w3) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %y3 = onnx.Div(%d3, %s3) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y0, %y1, %y2, %y3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// Of an axis that is not last, of axes that do not touch; of the last two.
// CHECK-LABEL: func @axes
func.func @axes(%x: tensor<2x4x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) {
  // CHECK-COUNT-2: onnx.Sqrt
  // CHECK: onnx.LayerNormalization(%arg0, %{{.*}}) {axis = -2, epsilon = 1.0e-05}
  // CHECK-NOT: Normalization
  // CHECK: return
  %axes0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %m0 = onnx.ReduceMean(%x, %axes0) : (tensor<2x4x5xf32>, tensor<1xi64>) -> tensor<2x1x5xf32>
  %d0 = onnx.Sub(%x, %m0) : (tensor<2x4x5xf32>, tensor<2x1x5xf32>) -> tensor<2x4x5xf32>
  %q0 = onnx.Mul(%d0, %d0) : (tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %v0 = onnx.ReduceMean(%q0, %axes0) : (tensor<2x4x5xf32>, tensor<1xi64>) -> tensor<2x1x5xf32>
  %i0 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %w0 = onnx.Add(%v0, %i0) : (tensor<2x1x5xf32>, tensor<f32>) -> tensor<2x1x5xf32>
  %s0 = onnx.Sqrt(%w0) : (tensor<2x1x5xf32>) -> tensor<2x1x5xf32>
  %y0 = onnx.Div(%d0, %s0) : (tensor<2x4x5xf32>, tensor<2x1x5xf32>) -> tensor<2x4x5xf32>
  %axes1 = onnx.Constant() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %m1 = onnx.ReduceMean(%x, %axes1) : (tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<1x4x1xf32>
  %d1 = onnx.Sub(%x, %m1) : (tensor<2x4x5xf32>, tensor<1x4x1xf32>) -> tensor<2x4x5xf32>
  %q1 = onnx.Mul(%d1, %d1) : (tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %v1 = onnx.ReduceMean(%q1, %axes1) : (tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<1x4x1xf32>
  %i1 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %w1 = onnx.Add(%v1, %i1) : (tensor<1x4x1xf32>, tensor<f32>) -> tensor<1x4x1xf32>
  %s1 = onnx.Sqrt(%w1) : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %y1 = onnx.Div(%d1, %s1) : (tensor<2x4x5xf32>, tensor<1x4x1xf32>) -> tensor<2x4x5xf32>
  %axes2 = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %m2 = onnx.ReduceMean(%x, %axes2) : (tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<2x1x1xf32>
  %d2 = onnx.Sub(%x, %m2) : (tensor<2x4x5xf32>, tensor<2x1x1xf32>) -> tensor<2x4x5xf32>
  %q2 = onnx.Mul(%d2, %d2) : (tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %v2 = onnx.ReduceMean(%q2, %axes2) : (tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<2x1x1xf32>
  %i2 = onnx.Constant() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %w2 = onnx.Add(%v2, %i2) : (tensor<2x1x1xf32>, tensor<f32>) -> tensor<2x1x1xf32>
  %s2 = onnx.Sqrt(%w2) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %y2 = onnx.Div(%d2, %s2) : (tensor<2x4x5xf32>, tensor<2x1x1xf32>) -> tensor<2x4x5xf32>
  return %y0, %y1, %y2 : tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
}

// A scale behind ones and zeros is the scale, a bias behind zeros the bias; nothing
// else: there is one already, it is of rows, or the mean is a result, too.
// CHECK-LABEL: func @behind
func.func @behind(%x: tensor<2x4xf32>, %w: tensor<4xf32>, %r: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>) {
  // CHECK: %[[A:.*]] = onnx.LayerNormalization
  // CHECK: onnx.Mul(%[[A]], %arg1)
  // CHECK: %[[B:.*]] = onnx.LayerNormalization
  // CHECK: onnx.Mul(%[[B]], %arg1)
  // CHECK: onnx.LayerNormalization(%arg0, %arg1, %{{.*}})
  // CHECK: %[[D:.*]] = onnx.LayerNormalization
  // CHECK: onnx.Add(%[[D]], %arg1)
  // CHECK: onnx.LayerNormalization(%arg0, %{{.*}}, %arg1)
  // CHECK: %[[F:.*]] = onnx.LayerNormalization
  // CHECK: onnx.Add(%[[F]], %arg2)
  // CHECK: %[[G:.*]], %{{.*}} = onnx.LayerNormalization
  // CHECK: onnx.Mul(%[[G]], %arg1)
  // CHECK: return
  %ones = onnx.Constant() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %twos = onnx.Constant() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %zeros = onnx.Constant() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %n0 = onnx.LayerNormalization(%x, %twos, %zeros) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y0 = onnx.Mul(%n0, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n1 = onnx.LayerNormalization(%x, %ones, %twos) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y1 = onnx.Mul(%n1, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n2 = onnx.LayerNormalization(%x, %ones, %zeros) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y2 = onnx.Mul(%n2, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n3 = onnx.LayerNormalization(%x, %ones, %twos) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y3 = onnx.Add(%n3, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n4 = onnx.LayerNormalization(%x, %ones, %zeros) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y4 = onnx.Add(%n4, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n5 = onnx.LayerNormalization(%x, %ones, _) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y5 = onnx.Add(%n5, %r) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %n6, %m6 = onnx.LayerNormalization(%x, %ones, _) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>)
  %y6 = onnx.Mul(%n6, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %m6 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>
}

// Groups with a scale or a bias; of another shape behind; not reshaped before.
// CHECK-LABEL: func @no_groups
func.func @no_groups(%x: tensor<?x4x5x5xf32>, %z: tensor<?x2x50xf32>) -> (tensor<?x4x5x5xf32>, tensor<?x4x5x5xf32>, tensor<?x2x5x5xf32>, tensor<?x4x5x5xf32>) {
  // CHECK-NOT: onnx.GroupNormalization
  // CHECK: return
  %ones = onnx.Constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %zeros = onnx.Constant() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %gamma = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %to = onnx.Constant() {value = dense<[0, 2, -1]> : tensor<3xi64>} : () -> tensor<3xi64>
  %other = onnx.Constant() {value = dense<[-1, 2, 50]> : tensor<3xi64>} : () -> tensor<3xi64>
  %back = onnx.Constant() {value = dense<[-1, 2, 5, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %same = onnx.Constant() {value = dense<[-1, 4, 5, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %a0 = onnx.Reshape(%x, %to) : (tensor<?x4x5x5xf32>, tensor<3xi64>) -> tensor<?x2x50xf32>
  %n0 = onnx.InstanceNormalization(%a0, %gamma, %zeros) : (tensor<?x2x50xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x50xf32>
  %y0 = onnx.Reshape(%n0, %same) : (tensor<?x2x50xf32>, tensor<4xi64>) -> tensor<?x4x5x5xf32>
  %a1 = onnx.Reshape(%x, %to) : (tensor<?x4x5x5xf32>, tensor<3xi64>) -> tensor<?x2x50xf32>
  %n1 = onnx.InstanceNormalization(%a1, %ones, %gamma) : (tensor<?x2x50xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x50xf32>
  %y1 = onnx.Reshape(%n1, %same) : (tensor<?x2x50xf32>, tensor<4xi64>) -> tensor<?x4x5x5xf32>
  %a2 = onnx.Reshape(%x, %to) : (tensor<?x4x5x5xf32>, tensor<3xi64>) -> tensor<?x2x50xf32>
  %n2 = onnx.InstanceNormalization(%a2, %ones, %zeros) : (tensor<?x2x50xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x50xf32>
  %y2 = onnx.Reshape(%n2, %back) : (tensor<?x2x50xf32>, tensor<4xi64>) -> tensor<?x2x5x5xf32>
  %n3 = onnx.InstanceNormalization(%z, %ones, %zeros) : (tensor<?x2x50xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2x50xf32>
  %y3 = onnx.Reshape(%n3, %same) : (tensor<?x2x50xf32>, tensor<4xi64>) -> tensor<?x4x5x5xf32>
  return %y0, %y1, %y2, %y3 : tensor<?x4x5x5xf32>, tensor<?x4x5x5xf32>, tensor<?x2x5x5xf32>, tensor<?x4x5x5xf32>
}

// Ops whose results nothing uses are no users; no more than seven are asked.
// CHECK-LABEL: func @unused_results
// CHECK: onnx.LayerNormalization(%arg0, %arg1)
// CHECK-NOT: onnx.Mul
// CHECK-LABEL: func @more_unused_results
// CHECK: onnx.Mul
func.func @unused_results(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %one = onnx.Constant() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %n = onnx.LayerNormalization(%x, %one, _) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = onnx.Mul(%n, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %d0 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d1 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d2 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d3 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d4 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d5 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d6 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
func.func @more_unused_results(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %one = onnx.Constant() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %n = onnx.LayerNormalization(%x, %one, _) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = onnx.Mul(%n, %w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %d0 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d1 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d2 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d3 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d4 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d5 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d6 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %d7 = onnx.Relu(%n) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
