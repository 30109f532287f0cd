// RUN: onnx-mlir-opt %s --onnx-constant-fold --split-input-file | FileCheck %s

// Chains at once; what only a folded op used goes as well.
// CHECK-LABEL: func @chain
func.func @chain(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: %[[C:.*]] = onnx.Constant() {value = dense<[3.71828175, 9.3890562, 23.085537]> : tensor<3xf32>}
  // CHECK-NEXT: onnx.Mul(%arg0, %[[C]])
  %a = onnx.Constant() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %b = onnx.Exp(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %c = onnx.Add(%b, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %d = onnx.Mul(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

// Strings, shapes that depend on data, elements of less than a byte.
// CHECK-LABEL: func @types() -> (tensor<2x!onnx.string>, tensor<2xi64>, tensor<2x2xi4>)
func.func @types() -> (tensor<2x!onnx.string>, tensor<?xi64>, tensor<2x2xi4>) attributes {onnx.entry} {
  // CHECK-DAG: %[[S:.*]] = onnx.Constant() {value = dense<["aa", "bb"]> : tensor<2x!onnx.string>}
  // CHECK-DAG: %[[I:.*]] = onnx.Constant() {value = dense<[1, 3]> : tensor<2xi64>}
  // CHECK-DAG: %[[Q:.*]] = onnx.Constant() {value = dense<{{\[\[}}1, 3], [-2, -4]]> : tensor<2x2xi4>}
  // CHECK: return %[[S]], %[[I]], %[[Q]]
  %a = onnx.Constant() {value = dense<["a", "b"]> : tensor<2x!onnx.string>} : () -> tensor<2x!onnx.string>
  %b = onnx.StringConcat(%a, %a) : (tensor<2x!onnx.string>, tensor<2x!onnx.string>) -> tensor<2x!onnx.string>
  %i = onnx.Constant() {value = dense<[0, 3, 0, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %n = onnx.NonZero(%i) : (tensor<4xi64>) -> tensor<1x?xi64>
  %s = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %r = onnx.Reshape(%n, %s) : (tensor<1x?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %q = onnx.Constant() {value = dense<[[1, -2], [3, -4]]> : tensor<2x2xi4>} : () -> tensor<2x2xi4>
  %t = onnx.Transpose(%q) {perm = [1, 0]} : (tensor<2x2xi4>) -> tensor<2x2xi4>
  return %b, %r, %t : tensor<2x!onnx.string>, tensor<?xi64>, tensor<2x2xi4>
}

// -----

// What fails, or is another number elsewhere, stays, and does not keep others
// from being folded.
// CHECK-LABEL: func @failing
func.func @failing() -> (tensor<2xi64>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) attributes {onnx.entry} {
  // CHECK: onnx.Div
  // CHECK: onnx.Cast
  // CHECK: onnx.Gather
  // CHECK-NOT: onnx.Sqrt
  %i = onnx.Constant() {value = dense<[0, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %d = onnx.Div(%i, %i) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %f = onnx.Constant() {value = dense<[0.5, 3.0e20]> : tensor<2xf32>} : () -> tensor<2xf32>
  %e = onnx.Cast(%f) {to = 6} : (tensor<2xf32>) -> tensor<2xi32>
  %h = onnx.Gather(%f, %i) {axis = 0} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  %z = onnx.Sqrt(%f) : (tensor<2xf32>) -> tensor<2xf32>
  return %d, %e, %h, %z : tensor<2xi64>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @sequence
func.func @sequence() -> tensor<?xf32> attributes {onnx.entry} {
  // CHECK-NEXT: onnx.Constant() {value = dense<[0.707106769, 1.73205078]>
  // CHECK-NEXT: return
  %f = onnx.Constant() {value = dense<[0.5, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %p = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %g = onnx.Sqrt(%f) : (tensor<2xf32>) -> tensor<2xf32>
  %s = onnx.SequenceConstruct(%f, %g) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.seq<tensor<2xf32>>
  %t = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<2xf32>>, tensor<i64>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @loops
func.func @loops(%m: tensor<i64>) -> (tensor<f32>, tensor<?xf32>, tensor<f32>) attributes {onnx.entry} {
  // CHECK-DAG: onnx.Constant() {value = dense<1.600000e+01> : tensor<f32>}
  // CHECK-DAG: onnx.Constant() {value = dense<[4.000000e+00, 8.000000e+00, 1.600000e+01]>
  // CHECK: onnx.Loop(_, %{{.*}}, %{{.*}})
  %n = onnx.Constant() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %c = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %v = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %r:2 = onnx.Loop(%n, %c, %v) body {
  ^bb0(%i: tensor<i64>, %k: tensor<i1>, %a: tensor<f32>):
    %b = onnx.Mul(%a, %v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    onnx.yield %k, %b, %b : tensor<i1>, tensor<f32>, tensor<f32>
  } : (tensor<i64>, tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<?xf32>)
  // Nothing says that it ends.
  %s = onnx.Loop(_, %c, %v) body {
  ^bb0(%i: tensor<i64>, %k: tensor<i1>, %a: tensor<f32>):
    onnx.yield %k, %a : tensor<i1>, tensor<f32>
  } : (tensor<i1>, tensor<f32>) -> tensor<f32>
  return %r#0, %r#1, %s : tensor<f32>, tensor<?xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func @kept
func.func @kept(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<4000x4000xf32>, tensor<1000x1000xf32>) attributes {onnx.entry} {
  // CHECK: %[[Q:.*]] = onnx.Constant() {value = dense<[5, 30]> : tensor<2xi8>}
  // CHECK: onnx.DequantizeLinear(%[[Q]],
  // CHECK: onnx.RandomNormalLike
  // CHECK: onnx.ConstantOfShape{{.*}} -> tensor<4000x4000xf32>
  // CHECK: onnx.Constant() {value = dense<0.000000e+00> : tensor<1000x1000xf32>}
  %f = onnx.Constant() {value = dense<[0.5, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %q = onnx.QuantizeLinear(%f, %s, %z) : (tensor<2xf32>, tensor<f32>, tensor<i8>) -> tensor<2xi8>
  %d = onnx.DequantizeLinear(%q, %s, %z) : (tensor<2xi8>, tensor<f32>, tensor<i8>) -> tensor<2xf32>
  %r = onnx.RandomNormalLike(%s) : (tensor<f32>) -> tensor<f32>
  %a = onnx.Constant() {value = dense<[4000, 4000]> : tensor<2xi64>} : () -> tensor<2xi64>
  %b = onnx.ConstantOfShape(%a) : (tensor<2xi64>) -> tensor<4000x4000xf32>
  %c = onnx.Constant() {value = dense<[1000, 1000]> : tensor<2xi64>} : () -> tensor<2xi64>
  %e = onnx.ConstantOfShape(%c) : (tensor<2xi64>) -> tensor<1000x1000xf32>
  return %d, %r, %b, %e : tensor<2xf32>, tensor<f32>, tensor<4000x4000xf32>, tensor<1000x1000xf32>
}

// -----

// In graphs; types that calls state stay.
// CHECK-LABEL: func @graphs
func.func @graphs(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %f = onnx.Constant() {value = dense<[4.0, 9.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  // CHECK: then_branch
  // CHECK-NEXT: %[[K:.*]] = onnx.Constant() {value = dense<[2.000000e+00, 3.000000e+00]>
  // CHECK-NEXT: onnx.yield %[[K]]
  %y = onnx.If(%c) then_branch {
    %a = onnx.Sqrt(%f) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %a : tensor<2xf32>
  } else_branch {
    onnx.yield %x : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
// CHECK-LABEL: func private @callee() -> tensor<?xf32>
func.func private @callee() -> tensor<?xf32> {
  // CHECK: onnx.Sqrt
  %f = onnx.Constant() {value = dense<[4.0, 9.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %a = onnx.Sqrt(%f) : (tensor<2xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// -----

// What would contradict an op, in a branch that no run takes, stays.
// CHECK-LABEL: func @never_taken
func.func @never_taken(%c: tensor<i1>, %x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %i = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %j = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %y = onnx.If(%c) then_branch {
    // CHECK: onnx.Abs
    // CHECK: onnx.Squeeze
    %a = onnx.Abs(%i) : (tensor<1xi64>) -> tensor<1xi64>
    %s = onnx.Squeeze(%x, %a) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
    %u = onnx.Unsqueeze(%s, %j) : (tensor<*xf32>, tensor<1xi64>) -> tensor<?x?xf32>
    onnx.yield %u : tensor<?x?xf32>
  } else_branch {
    %r = onnx.Relu(%x) : (tensor<2x3xf32>) -> tensor<?x?xf32>
    onnx.yield %r : tensor<?x?xf32>
  } : (tensor<i1>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// What is folded uses a constant twice, and nothing else uses it.
// CHECK-LABEL: func @used_twice
func.func @used_twice() -> tensor<3xi64> {
  %a = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %b = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: dense<[2, 2, 3]>
  %c = onnx.Concat(%a, %a, %b) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  return %c : tensor<3xi64>
}

// -----

// Weights that are normalized when they are used; it takes no more than the
// elements there are.
// CHECK-LABEL: func @normalized_weights
func.func @normalized_weights(%x: tensor<4x40000xf32>) -> (tensor<4x40000xf32>, tensor<4x40000xf32>) {
  // CHECK-NEXT: %[[N:.*]] = onnx.Constant() {value = dense<5.000000e-03> : tensor<{{.*}}xf32>}
  // CHECK-NEXT: onnx.Mul(%arg0, %[[N]])
  // CHECK-NEXT: %[[L:.*]] = onnx.Constant() {value = dense<1.000000e+00> : tensor<{{.*}}xf32>}
  // CHECK-NEXT: onnx.Mul(%arg0, %[[L]])
  %w = onnx.Constant() {value = dense<1.0> : tensor<4x40000xf32>} : () -> tensor<4x40000xf32>
  %a = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.ReduceL2(%w, %a) {keepdims = 1} : (tensor<4x40000xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %v = onnx.Div(%w, %n) : (tensor<4x40000xf32>, tensor<4x1xf32>) -> tensor<4x40000xf32>
  %y = onnx.Mul(%x, %v) : (tensor<4x40000xf32>, tensor<4x40000xf32>) -> tensor<4x40000xf32>
  %g = onnx.Constant() {value = dense<1.0> : tensor<40000xf32>} : () -> tensor<40000xf32>
  %l, %m, %i = onnx.LayerNormalization(%w, %g, %g) {axis = 1, epsilon = 1.0} : (tensor<4x40000xf32>, tensor<40000xf32>, tensor<40000xf32>) -> (tensor<4x40000xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  %z = onnx.Mul(%x, %l) : (tensor<4x40000xf32>, tensor<4x40000xf32>) -> tensor<4x40000xf32>
  return %y, %z : tensor<4x40000xf32>, tensor<4x40000xf32>
}

// Within the range of the type, and not on its other side.
// CHECK-LABEL: func @ranges
func.func @ranges() -> (tensor<2xui8>, tensor<2xi8>, tensor<1xui64>) {
  %a = onnx.Constant() {value = dense<[200.0, 255.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = onnx.Constant() {value = dense<[-128.0, 127.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c = onnx.Constant() {value = dense<9223372036854775808.0> : tensor<1xf64>} : () -> tensor<1xf64>
  // CHECK: onnx.Constant() {value = dense<[200, 255]> : tensor<2xui8>}
  // CHECK: onnx.Constant() {value = dense<[-128, 127]> : tensor<2xi8>}
  // CHECK: onnx.Constant() {value = dense<9223372036854775808> : tensor<1xui64>}
  %0 = onnx.Cast(%a) {to = 2} : (tensor<2xf32>) -> tensor<2xui8>
  %1 = onnx.Cast(%b) {to = 3} : (tensor<2xf32>) -> tensor<2xi8>
  %2 = onnx.Cast(%c) {to = 13} : (tensor<1xf64>) -> tensor<1xui64>
  return %0, %1, %2 : tensor<2xui8>, tensor<2xi8>, tensor<1xui64>
}


// -----

// As many bits as the type has are no shift of C; one less is.
// CHECK-LABEL: func @shifts
func.func @shifts() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xui64>, tensor<2xui64>) {
  // CHECK-DAG: %[[A:.*]] = onnx.Constant() {value = dense<[6, 128]> : tensor<2xui8>}
  // CHECK-DAG: %[[B:.*]] = onnx.BitShift(%{{.*}}, %{{.*}}) {direction = "LEFT"} : (tensor<2xui8>, tensor<2xui8>)
  // CHECK-DAG: %[[C:.*]] = onnx.Constant() {value = dense<[1, 0]> : tensor<2xui64>}
  // CHECK-DAG: %[[D:.*]] = onnx.BitShift(%{{.*}}, %{{.*}}) {direction = "RIGHT"} : (tensor<2xui64>, tensor<2xui64>)
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %x = onnx.Constant() {value = dense<[3, 1]> : tensor<2xui8>} : () -> tensor<2xui8>
  %s = onnx.Constant() {value = dense<[1, 7]> : tensor<2xui8>} : () -> tensor<2xui8>
  %t = onnx.Constant() {value = dense<[8, 1]> : tensor<2xui8>} : () -> tensor<2xui8>
  %y = onnx.Constant() {value = dense<[9223372036854775808, 5]> : tensor<2xui64>} : () -> tensor<2xui64>
  %u = onnx.Constant() {value = dense<63> : tensor<2xui64>} : () -> tensor<2xui64>
  %v = onnx.Constant() {value = dense<[1, 64]> : tensor<2xui64>} : () -> tensor<2xui64>
  %0 = onnx.BitShift(%x, %s) {direction = "LEFT"} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %1 = onnx.BitShift(%x, %t) {direction = "LEFT"} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %2 = onnx.BitShift(%y, %u) {direction = "RIGHT"} : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  %3 = onnx.BitShift(%y, %v) {direction = "RIGHT"} : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  return %0, %1, %2, %3 : tensor<2xui8>, tensor<2xui8>, tensor<2xui64>, tensor<2xui64>
}

// -----

// What another machine computes otherwise: quotients by 0 and by -1, integers of
// numbers that are outside of their range or of none; the last number that is
// inside.
// CHECK-LABEL: func @edges
func.func @edges() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<3xi8>, tensor<1xi8>, tensor<2xui8>, tensor<1xui8>, tensor<1xi32>, tensor<2xi1>) {
  // CHECK-DAG: %[[A:.*]] = onnx.Constant() {value = dense<[-64, 2]> : tensor<2xi8>}
  // CHECK-DAG: %[[B:.*]] = onnx.Div
  // CHECK-DAG: %[[C:.*]] = onnx.Mod
  // CHECK-DAG: %[[D:.*]] = onnx.Constant() {value = dense<[-128, 127, 0]> : tensor<3xi8>}
  // CHECK-DAG: %[[E:.*]] = onnx.Cast(%{{.*}}) {to = 3} : (tensor<1xf32>) -> tensor<1xi8>
  // CHECK-DAG: %[[F:.*]] = onnx.Constant() {value = dense<[255, 0]> : tensor<2xui8>}
  // CHECK-DAG: %[[G:.*]] = onnx.Cast(%{{.*}}) {to = 2} : (tensor<1xf32>) -> tensor<1xui8>
  // CHECK-DAG: %[[H:.*]] = onnx.Cast(%{{.*}}) {to = 6}
  // CHECK-DAG: %[[I:.*]] = onnx.Constant() {value = dense<[true, false]> : tensor<2xi1>}
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[G]], %[[H]], %[[I]]
  %x = onnx.Constant() {value = dense<[-128, 5]> : tensor<2xi8>} : () -> tensor<2xi8>
  %two = onnx.Constant() {value = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %minus = onnx.Constant() {value = dense<[2, -1]> : tensor<2xi8>} : () -> tensor<2xi8>
  %zero = onnx.Constant() {value = dense<[2, 0]> : tensor<2xi8>} : () -> tensor<2xi8>
  %0 = onnx.Div(%x, %two) : (tensor<2xi8>, tensor<1xi8>) -> tensor<2xi8>
  %1 = onnx.Div(%x, %minus) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %2 = onnx.Mod(%x, %zero) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %f = onnx.Constant() {value = dense<[-128.9, 127.9, -0.5]> : tensor<3xf32>} : () -> tensor<3xf32>
  %g = onnx.Constant() {value = dense<[128.0]> : tensor<1xf32>} : () -> tensor<1xf32>
  %h = onnx.Constant() {value = dense<[255.5, -0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
  %i = onnx.Constant() {value = dense<[-1.0]> : tensor<1xf32>} : () -> tensor<1xf32>
  %n = onnx.Constant() {value = dense<[0x7FC00000]> : tensor<1xf32>} : () -> tensor<1xf32>
  %j = onnx.Constant() {value = dense<[3.0e20, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %3 = onnx.Cast(%f) {to = 3} : (tensor<3xf32>) -> tensor<3xi8>
  %4 = onnx.Cast(%g) {to = 3} : (tensor<1xf32>) -> tensor<1xi8>
  %5 = onnx.Cast(%h) {to = 2} : (tensor<2xf32>) -> tensor<2xui8>
  %6 = onnx.Cast(%i) {to = 2} : (tensor<1xf32>) -> tensor<1xui8>
  %7 = onnx.Cast(%n) {to = 6} : (tensor<1xf32>) -> tensor<1xi32>
  %8 = onnx.Cast(%j) {to = 9} : (tensor<2xf32>) -> tensor<2xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<3xi8>, tensor<1xi8>, tensor<2xui8>, tensor<1xui8>, tensor<1xi32>, tensor<2xi1>
}
