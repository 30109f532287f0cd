// RUN: onnx-mlir-opt %s --onnx-reshape-simplify --canonicalize | FileCheck %s

// CHECK-LABEL: func @two_are_one
func.func @two_are_one(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %s = onnx.Constant() {value = dense<[6, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = onnx.Constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-NOT: onnx.Reshape
  // CHECK: onnx.Reshape(%arg0, %{{.*}}) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  // CHECK-NOT: onnx.Reshape
  %a = onnx.Reshape(%x, %s) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<6x2xf32>
  %b = onnx.Reshape(%a, %t) : (tensor<6x2xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %b : tensor<3x4xf32>
}

// The 0 copies a dim of what the first Reshape made.
// CHECK-LABEL: func @zero_of_the_inner
func.func @zero_of_the_inner(%x: tensor<2x6xf32>) -> tensor<6x2x1xf32> {
  %s = onnx.Constant() {value = dense<[6, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = onnx.Constant() {value = dense<[0, -1, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
  // CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[6, 2, 1]> : tensor<3xi64>}
  // CHECK: onnx.Reshape(%arg0, %[[S]])
  %a = onnx.Reshape(%x, %s) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<6x2xf32>
  %b = onnx.Reshape(%a, %t) : (tensor<6x2xf32>, tensor<3xi64>) -> tensor<6x2x1xf32>
  return %b : tensor<6x2x1xf32>
}

// CHECK-LABEL: func @there_and_back
func.func @there_and_back(%x: tensor<?x1x3xf32>) -> tensor<?x1x3xf32> {
  %axes = onnx.Constant() {value = dense<-2> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK-NEXT: return %arg0
  %a = onnx.Squeeze(%x, %axes) : (tensor<?x1x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
  %b = onnx.Unsqueeze(%a, %axes) : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?x1x3xf32>
  return %b : tensor<?x1x3xf32>
}

// A dim that is not known stays at its place, another one moves.
// CHECK-LABEL: func @unknown_dims
func.func @unknown_dims(%x: tensor<?x4x3xf32>) -> (tensor<?x3x4x1xf32>, tensor<1x?x12xf32>) {
  %one = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = onnx.Constant() {value = dense<[0, 3, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  // CHECK-DAG: %[[S:.*]] = onnx.Constant() {value = dense<[0, 3, 4, 1]>
  // CHECK-DAG: %[[T:.*]] = onnx.Constant() {value = dense<[1, -1, 12]>
  // CHECK-DAG: onnx.Reshape(%arg0, %[[S]])
  // CHECK-DAG: onnx.Reshape(%arg0, %[[T]])
  %a = onnx.Reshape(%x, %s) : (tensor<?x4x3xf32>, tensor<3xi64>) -> tensor<?x3x4xf32>
  %b = onnx.Unsqueeze(%a, %one) : (tensor<?x3x4xf32>, tensor<1xi64>) -> tensor<?x3x4x1xf32>
  %c = onnx.Flatten(%x) : (tensor<?x4x3xf32>) -> tensor<?x12xf32>
  %d = onnx.Unsqueeze(%c, %zero) : (tensor<?x12xf32>, tensor<1xi64>) -> tensor<1x?x12xf32>
  return %b, %d : tensor<?x3x4x1xf32>, tensor<1x?x12xf32>
}

// Two dims that are not known and move; a zero that is to be a number where the
// opset cannot say so; a -1 beside a dim that may be zero.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<?x?xf32>, %y: tensor<3x0xf32>, %z: tensor<?x?x4xf32>)
    -> (tensor<?x?x1xf32>, tensor<5x0xf32>, tensor<?x1x?xf32>) attributes {onnx.opset_imports = {"ai.onnx" = 13 : i64}} {
  %s = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %one = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %f = onnx.Constant() {value = dense<[5, 0, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
  // CHECK: onnx.Transpose
  // CHECK: onnx.Unsqueeze
  %t = onnx.Transpose(%x) {perm = [1, 0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %u = onnx.Unsqueeze(%t, %two) : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?x?x1xf32>
  // CHECK: onnx.Reshape
  // CHECK: onnx.Squeeze
  %a = onnx.Reshape(%y, %f) {allowzero = 1} : (tensor<3x0xf32>, tensor<3xi64>) -> tensor<5x0x1xf32>
  %b = onnx.Squeeze(%a, %two) : (tensor<5x0x1xf32>, tensor<1xi64>) -> tensor<5x0xf32>
  // CHECK: onnx.Flatten
  // CHECK: onnx.Unsqueeze
  %c = onnx.Flatten(%z) : (tensor<?x?x4xf32>) -> tensor<?x?xf32>
  %d = onnx.Unsqueeze(%c, %one) : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?x1x?xf32>
  return %u, %b, %d : tensor<?x?x1xf32>, tensor<5x0xf32>, tensor<?x1x?xf32>
}

// CHECK-LABEL: func @of_a_constant
func.func @of_a_constant() -> tensor<4x1xf32> {
  %c = onnx.Constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %s = onnx.Constant() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: onnx.Constant() {value = dense<{{\[\[}}1.000000e+00], [2.000000e+00], [3.000000e+00], [4.000000e+00]]>
  %r = onnx.Reshape(%c, %s) : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// CHECK-LABEL: func @around_elementwise
func.func @around_elementwise(%x: tensor<2x3x4xf32>, %k: tensor<f32>) -> tensor<2x3x4xf32> {
  %s = onnx.Constant() {value = dense<[6, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = onnx.Constant() {value = dense<[2, 3, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  %a = onnx.Reshape(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  // CHECK: %[[R:.*]] = onnx.Relu(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[M:.*]] = onnx.Mul(%[[R]], %arg1)
  // CHECK: return %[[M]]
  %b = onnx.Relu(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %c = onnx.Mul(%b, %k) : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  %d = onnx.Reshape(%c, %t) : (tensor<6x4xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  return %d : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @before_broadcasting
func.func @before_broadcasting(%x: tensor<?x3x4xf32>, %b: tensor<1x4xf32>, %c: tensor<?x1xf32>)
    -> (tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<?x3xf32>) {
  %axes = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %one = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = onnx.Shape(%x) : (tensor<?x3x4xf32>) -> tensor<3xi64>
  %three = onnx.Constant() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: onnx.Add(%arg0, %arg1)
  %u = onnx.Unsqueeze(%b, %axes) : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x4xf32>
  %y = onnx.Add(%x, %u) : (tensor<?x3x4xf32>, tensor<1x1x4xf32>) -> tensor<?x3x4xf32>
  // CHECK: onnx.Mul(%arg0, %arg1)
  %e = onnx.Expand(%b, %s) : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<?x3x4xf32>
  %z = onnx.Mul(%x, %e) : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  // Nothing else stretches the 1 to 3.
  // CHECK: %[[E:.*]] = onnx.Expand(%arg2
  // CHECK: onnx.Mul(%[[E]], %arg2)
  %f = onnx.Expand(%c, %three) : (tensor<?x1xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %w = onnx.Mul(%f, %c) : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  return %y, %z, %w : tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<?x3xf32>
}

// The first operand of PRelu gives the shape.
// CHECK-LABEL: func @prelu
func.func @prelu(%x: tensor<1x4xf32>, %slope: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %s = onnx.Constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: onnx.Expand
  %e = onnx.Expand(%x, %s) : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %y = onnx.PRelu(%e, %slope) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// The shape is made of dims that stay where they are.
// CHECK-LABEL: func @computed_shape
func.func @computed_shape(%x: tensor<?x?x12xf32>, %n: tensor<1xi64>) -> (tensor<?x?x3x4xf32>, tensor<?x?xf32>) {
  %b = onnx.Shape(%x) {end = 2, start = 0} : (tensor<?x?x12xf32>) -> tensor<2xi64>
  %c = onnx.Constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %s = onnx.Concat(%b, %c) {axis = 0} : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  // CHECK-DAG: %[[S:.*]] = onnx.Constant() {value = dense<[0, 0, 3, 4]>
  // CHECK-DAG: onnx.Reshape(%arg0, %[[S]])
  %y = onnx.Reshape(%x, %s) : (tensor<?x?x12xf32>, tensor<4xi64>) -> tensor<?x?x3x4xf32>
  // CHECK-DAG: %[[T:.*]] = onnx.Concat(%arg1
  // CHECK-DAG: onnx.Reshape(%arg0, %[[T]])
  %d = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %t = onnx.Concat(%n, %d) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %z = onnx.Reshape(%x, %t) : (tensor<?x?x12xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y, %z : tensor<?x?x3x4xf32>, tensor<?x?xf32>
}

// Shapes that a run brings may not fit, which only their Reshape can say.
// CHECK-LABEL: func @fed
func.func @fed(%x: tensor<2x3xf32>, %s: tensor<1xi64>, %t: tensor<2xi64>) -> (tensor<6xf32>, tensor<2x3xf32>) {
  %six = onnx.Constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: onnx.Reshape(%arg0, %arg1)
  %a = onnx.Reshape(%x, %s) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  // CHECK: onnx.Reshape(%arg0, %arg2)
  %b = onnx.Reshape(%x, %t) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %c = onnx.Reshape(%b, %six) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %a, %c : tensor<6xf32>, tensor<2x3xf32>
}

// Sizes are followed through any number of operators with one operand of
// unknown sizes.
// CHECK-LABEL: func @behind_many_sums
// CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[0, 0, 1]> : tensor<3xi64>}
// CHECK: %[[Y:.*]] = onnx.Reshape(%{{.*}}, %[[S]])
// CHECK: return %[[Y]]
func.func @behind_many_sums(%x: tensor<?x?xf32>, %c: tensor<1x1xf32>) -> tensor<?x?x1xf32> {
  %one = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %two = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %s = onnx.Shape(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
  %s3 = onnx.Concat(%s, %one, %one) {axis = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %0 = onnx.Add(%x, %c) : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %1 = onnx.Mul(%0, %c) : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %2 = onnx.Add(%1, %c) : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %3 = onnx.Mul(%2, %c) : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %4 = onnx.Add(%3, %c) : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %5 = onnx.Mul(%4, %c) : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %6 = onnx.Reshape(%5, %s3) : (tensor<?x?xf32>, tensor<4xi64>) -> tensor<?x?x1x1xf32>
  %7 = onnx.Squeeze(%6, %two) : (tensor<?x?x1x1xf32>, tensor<1xi64>) -> tensor<?x?x1xf32>
  return %7 : tensor<?x?x1xf32>
}

// A zero that the data have elsewhere is a number, not a copy.
// CHECK-LABEL: func @zero_elsewhere
func.func @zero_elsewhere(%x: tensor<0x3xf32>) -> tensor<3x0x1xf32> {
  %s = onnx.Constant() {value = dense<[3, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %two = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: %[[Y:.*]] = onnx.Reshape(%arg0, {{.*}}) {allowzero = 1} : (tensor<0x3xf32>, tensor<3xi64>)
  // CHECK: return %[[Y]]
  %0 = onnx.Reshape(%x, %s) {allowzero = 1} : (tensor<0x3xf32>, tensor<2xi64>) -> tensor<3x0xf32>
  %1 = onnx.Unsqueeze(%0, %two) : (tensor<3x0xf32>, tensor<1xi64>) -> tensor<3x0x1xf32>
  return %1 : tensor<3x0x1xf32>
}

// One name is one size; dims without a name are not.
// CHECK-LABEL: func @names
func.func @names(%x: tensor<?x4xf32> {onnx.dim_params = ["N", ""]}, %y: tensor<?x4xf32> {onnx.dim_params = ["N", ""]}, %z: tensor<?x4xf32> {onnx.dim_params = ["", ""]}, %w: tensor<?x4xf32> {onnx.dim_params = ["", ""]}, %v: tensor<?x4xf32>, %b: tensor<1x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) attributes {onnx.entry} {
  // CHECK: onnx.Mul(%arg1, %arg5)
  // CHECK: %[[E:.*]] = onnx.Expand(%arg5
  // CHECK: onnx.Mul(%arg3, %[[E]])
  // CHECK: onnx.Mul(%arg4, %[[E]])
  // CHECK: %[[G:.*]] = onnx.Expand(%arg5
  // CHECK: onnx.Mul(%arg3, %[[G]])
  %sx = onnx.Shape(%x) : (tensor<?x4xf32>) -> tensor<2xi64>
  %ex = onnx.Expand(%b, %sx) : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %0 = onnx.Mul(%y, %ex) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %sz = onnx.Shape(%z) : (tensor<?x4xf32>) -> tensor<2xi64>
  %ez = onnx.Expand(%b, %sz) : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %1 = onnx.Mul(%w, %ez) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = onnx.Mul(%v, %ez) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %sv = onnx.Shape(%v) : (tensor<?x4xf32>) -> tensor<2xi64>
  %ev = onnx.Expand(%b, %sv) : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %3 = onnx.Mul(%w, %ev) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// Windows slide over each element of the batch.
// CHECK-LABEL: func @batch_of_windows
// CHECK-NOT: onnx.Reshape
// CHECK: return
func.func @batch_of_windows(%x: tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) {end = 1} : (tensor<?x2x?xf32>) -> tensor<1xi64>
  %0 = onnx.LpPool(%x) {kernel_shape = [3]} : (tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
  %m = onnx.Shape(%0) {start = 2} : (tensor<?x2x?xf32>) -> tensor<1xi64>
  %s = onnx.Concat(%n, %two, %m) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %1 = onnx.Reshape(%0, %s) {allowzero = 1} : (tensor<?x2x?xf32>, tensor<3xi64>) -> tensor<?x2x?xf32>
  return %1 : tensor<?x2x?xf32>
}
