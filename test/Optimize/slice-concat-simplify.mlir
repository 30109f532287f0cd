// RUN: onnx-mlir-opt %s --onnx-optimize="passes=slice_concat_simplify fixed-point" --canonicalize | FileCheck %s

// CHECK-LABEL: func @takes_all
func.func @takes_all(%x: tensor<?x4xf32>, %s: tensor<1xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = onnx.Constant() {value = dense<0> : tensor<2xi64>} : () -> tensor<2xi64>
  %end = onnx.Constant() {value = dense<[9223372036854775807, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-NEXT: return %arg0, %arg0
  %a = onnx.Slice(%x, %zero, %end, _, _) : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
  %i = onnx.Constant() {value = dense<[0, 1, -2, 3]> : tensor<4xi64>} : () -> tensor<4xi64>
  %b = onnx.Gather(%a, %i) {axis = -1} : (tensor<?x4xf32>, tensor<4xi64>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// An end that may be before the dim's, a step backwards, an unknown start.
// CHECK-LABEL: func @takes_some
func.func @takes_some(%x: tensor<?xf32>, %y: tensor<4xf32>, %z: tensor<?xf32>, %s: tensor<1xi64>) -> (tensor<?xf32>, tensor<4xf32>, tensor<?xf32>) {
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<[1000]> : tensor<1xi64>} : () -> tensor<1xi64>
  %least = onnx.Constant() {value = dense<[-1000]> : tensor<1xi64>} : () -> tensor<1xi64>
  %back = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK-COUNT-3: onnx.Slice
  %a = onnx.Slice(%x, %zero, %end, _, _) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %b = onnx.Slice(%y, %back, %least, %zero, %back) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  %c = onnx.Slice(%z, %s, %end, _, _) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @slice_of_concat
func.func @slice_of_concat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<2x?xf32>)
    -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x7xf32>, tensor<2x?xf32>, tensor<2x3xf32>) {
  %axes = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %7 = onnx.Constant() {value = dense<[7]> : tensor<1xi64>} : () -> tensor<1xi64>
  %4 = onnx.Constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %6 = onnx.Constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %5 = onnx.Constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %big = onnx.Constant() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c = onnx.Concat(%x, %y, %z) {axis = 1} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %a = onnx.Slice(%c, %3, %7, %axes, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
  // CHECK-DAG: %[[B:.*]] = onnx.Slice(%arg1
  %b = onnx.Slice(%c, %4, %6, %axes, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2xf32>
  // CHECK-DAG: %[[D:.*]] = onnx.Concat(%arg0, %arg1) {axis = 1}
  %d = onnx.Slice(%c, %0, %7, %axes, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x7xf32>
  %e = onnx.Slice(%c, %7, %big, %axes, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  // CHECK-DAG: %[[C:.*]] = onnx.Concat(%arg0, %arg1, %arg2)
  // CHECK-DAG: %[[F:.*]] = onnx.Slice(%[[C]]
  %f = onnx.Slice(%c, %2, %5, %axes, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
  // CHECK: return %arg1, %[[B]], %[[D]], %arg2, %[[F]]
  return %a, %b, %d, %e, %f : tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x7xf32>, tensor<2x?xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @gather_of_concat
func.func @gather_of_concat(%x: tensor<2xf32>, %y: tensor<1xf32>) -> (tensor<f32>, tensor<f32>) {
  %i = onnx.Constant() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %j = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c = onnx.Concat(%x, %y) {axis = 0} : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  // CHECK: onnx.Squeeze(%arg1
  %a = onnx.Gather(%c, %i) : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
  // CHECK: onnx.Gather(%arg0
  %b = onnx.Gather(%c, %j) : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @gather_of_parts
func.func @gather_of_parts(%x: tensor<?x9xf32>) -> (tensor<?x3xf32>, tensor<?xf32>, tensor<?x2xf32>) {
  %i = onnx.Constant() {value = dense<[2, 4, 6]> : tensor<3xi64>} : () -> tensor<3xi64>
  %j = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %k = onnx.Constant() {value = dense<[4, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-DAG: %[[A:.*]] = onnx.Slice(%arg0
  %a = onnx.Gather(%x, %i) {axis = 1} : (tensor<?x9xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  // CHECK-DAG: %[[FOUR:.*]] = onnx.Constant() {value = dense<4> : tensor<i64>}
  // CHECK-DAG: %[[B:.*]] = onnx.Gather(%arg0, %[[FOUR]]) {axis = 1}
  %b = onnx.Gather(%a, %j) {axis = 1} : (tensor<?x3xf32>, tensor<i64>) -> tensor<?xf32>
  // CHECK-DAG: %[[C:.*]] = onnx.Gather(%arg0, %{{.*}}) {axis = 1} : (tensor<?x9xf32>, tensor<2xi64>)
  %c = onnx.Gather(%x, %k) {axis = 1} : (tensor<?x9xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %a, %b, %c : tensor<?x3xf32>, tensor<?xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func @together_again
func.func @together_again(%x: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %5 = onnx.Constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %big = onnx.Constant() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
  %s:2 = onnx.Split(%x, _) {axis = 0, num_outputs = 2} : (tensor<4x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %a = onnx.Concat(%s#0, %s#1) {axis = 0} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>
  %l = onnx.Slice(%x, %0, %5, %1, _) : (tensor<4x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x?xf32>
  %r = onnx.Slice(%x, %5, %big, %1, _) : (tensor<4x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x?xf32>
  %b = onnx.Concat(%l, %r) {axis = 1} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  // CHECK: %[[C:.*]] = onnx.Concat(%{{.*}}#1, %{{.*}}#0)
  %c = onnx.Concat(%s#1, %s#0) {axis = 0} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>
  // CHECK: return %arg0, %arg0, %[[C]]
  return %a, %b, %c : tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>
}

// CHECK-LABEL: func @split_of_concat
func.func @split_of_concat(%x: tensor<?x2xf32>, %y: tensor<?x3xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x4xf32>) {
  %s = onnx.Constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %t = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %c = onnx.Concat(%x, %y) {axis = -1} : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>
  %p:2 = onnx.Split(%c, %s) {axis = 1} : (tensor<?x5xf32>, tensor<2xi64>) -> (tensor<?x2xf32>, tensor<?x3xf32>)
  // CHECK: %[[Q:.*]]:2 = onnx.Split
  %q:2 = onnx.Split(%c, %t) {axis = 1} : (tensor<?x5xf32>, tensor<2xi64>) -> (tensor<?x1xf32>, tensor<?x4xf32>)
  // CHECK: return %arg0, %arg1, %[[Q]]#0, %[[Q]]#1
  return %p#0, %p#1, %q#0, %q#1 : tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func @constants
func.func @constants(%x: tensor<2x1xi64>) -> tensor<2x4xi64> {
  %a = onnx.Constant() {value = dense<[[1], [2]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %b = onnx.Constant() {value = dense<[[3, 4], [5, 6]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  // CHECK: %[[J:.*]] = onnx.Constant() {value = dense<{{\[\[}}1, 3, 4], [2, 5, 6]]> : tensor<2x3xi64>}
  // CHECK: onnx.Concat(%arg0, %[[J]]) {axis = 1}
  %c = onnx.Concat(%x, %a, %b) {axis = 1} : (tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x2xi64>) -> tensor<2x4xi64>
  return %c : tensor<2x4xi64>
}

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<2x3xf32>, %u: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %i = onnx.Constant() {value = dense<[[0], [-1]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %j = onnx.Constant() {value = dense<[[1], [0]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %k = onnx.Constant() {value = dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
  %a = onnx.ScatterND(%x, %i, %u) : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[B:.*]] = onnx.ScatterND
  %b = onnx.ScatterND(%x, %j, %u) : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = onnx.ScatterElements(%x, %k, %u) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[D:.*]] = onnx.ScatterElements
  %d = onnx.ScatterElements(%x, %k, %u) {axis = 1, reduction = "add"} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: return %arg1, %[[B]], %arg1, %[[D]]
  return %a, %b, %c, %d : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Before opset 10 Slice has no steps.
module attributes {onnx.opset_imports = {"ai.onnx" = 9}} {
// CHECK-LABEL: func @steps_of_a_later_opset
func.func @steps_of_a_later_opset(%x: tensor<2x33xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // CHECK: onnx.Gather(
  %far = onnx.Constant() {value = dense<[5, 31]> : tensor<2xi64>} : () -> tensor<2xi64>
  %a = onnx.Gather(%x, %far) {axis = 1} : (tensor<2x33xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // CHECK: onnx.Slice(
  %near = onnx.Constant() {value = dense<[5, 6]> : tensor<2xi64>} : () -> tensor<2xi64>
  %b = onnx.Gather(%x, %near) {axis = 1} : (tensor<2x33xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}
}

// Whole operands from the second on.
// CHECK-LABEL: func @from_the_second
// CHECK: onnx.Concat(%arg1, %arg2) {axis = 0}
func.func @from_the_second(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %z: tensor<5x3xf32>, %w: tensor<6x3xf32>) -> tensor<9x3xf32> {
  %start = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<11> : tensor<1xi64>} : () -> tensor<1xi64>
  %axis = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %c = onnx.Concat(%x, %y, %z, %w) {axis = 0} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>, tensor<6x3xf32>) -> tensor<17x3xf32>
  %0 = onnx.Slice(%c, %start, %end, %axis) : (tensor<17x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<9x3xf32>
  return %0 : tensor<9x3xf32>
}

// A range that ends before it starts; two dimensions; operands that are cut. (The
// sizes are open, and no result is returned: no type refuses in the rewrite's place.)
// CHECK-LABEL: func @no_slice_of_operands
func.func @no_slice_of_operands(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<2x2xf32>)
    -> (tensor<2x?xf32>, tensor<?x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) {
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %4 = onnx.Constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %5 = onnx.Constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %7 = onnx.Constant() {value = dense<[7]> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %from = onnx.Constant() {value = dense<0> : tensor<2xi64>} : () -> tensor<2xi64>
  %to = onnx.Constant() {value = dense<[7, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %axes = onnx.Constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %c = onnx.Concat(%x, %y, %z) {axis = 1} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x9xf32>
  // CHECK: %[[C:.*]] = onnx.Concat(%arg0, %arg1, %arg2)
  // CHECK-COUNT-3: onnx.Slice(%[[C]]
  %a = onnx.Slice(%c, %4, %2, %1, _) : (tensor<2x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %b = onnx.Slice(%c, %from, %to, %axes, _) : (tensor<2x9xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %d = onnx.Slice(%c, %0, %5, %1, _) : (tensor<2x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  // The end of an operand, from its middle on.
  // CHECK: onnx.Slice(%arg1
  %e = onnx.Slice(%c, %5, %7, %1, _) : (tensor<2x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %r0 = onnx.Relu(%a) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %r1 = onnx.Relu(%b) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r2 = onnx.Relu(%d) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %r3 = onnx.Relu(%e) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %r0, %r1, %r2, %r3 : tensor<2x?xf32>, tensor<?x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>
}

// Of a slice of two dimensions, of one element of another dimension, of one element
// again and again; of a shape, which is folded.
// CHECK-LABEL: func @no_picks_of_parts
func.func @no_picks_of_parts(%x: tensor<3x4xf32>, %s: tensor<?x?x?xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<2xi64>) {
  %from = onnx.Constant() {value = dense<1> : tensor<2xi64>} : () -> tensor<2xi64>
  %to = onnx.Constant() {value = dense<3> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %0 = onnx.Constant() {value = dense<0> : tensor<2xi64>} : () -> tensor<2xi64>
  %2 = onnx.Constant() {value = dense<2> : tensor<3xi64>} : () -> tensor<3xi64>
  %01 = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: %[[P:.*]] = onnx.Slice(%arg0
  %p = onnx.Slice(%x, %from, %to, _, _) : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  // CHECK: %[[A:.*]] = onnx.Gather(%[[P]]
  %a = onnx.Gather(%p, %i) {axis = 0} : (tensor<2x2xf32>, tensor<i64>) -> tensor<2xf32>
  // CHECK: %[[ROW:.*]] = onnx.Gather(%arg0
  %row = onnx.Gather(%x, %i) {axis = 0} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
  // CHECK: %[[B:.*]] = onnx.Gather(%[[ROW]]
  %b = onnx.Gather(%row, %0) {axis = 0} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  // CHECK: %[[D:.*]] = onnx.Gather(%arg0
  %d = onnx.Gather(%x, %2) {axis = 0} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %shape = onnx.Shape(%s) : (tensor<?x?x?xf32>) -> tensor<3xi64>
  // CHECK: %[[E:.*]] = onnx.Gather({{.*}} -> tensor<2xi64>
  %e = onnx.Gather(%shape, %01) {axis = 0} : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  // CHECK: return %[[A]], %[[B]], %[[D]], %[[E]]
  return %a, %b, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<2xi64>
}

// Where one part ends the next begins, and yet they do not follow each other: the
// first has no elements, as it ends before it starts, or they are along another
// dimension.
// CHECK-LABEL: func @not_together
func.func @not_together(%x: tensor<4x4xf32>) -> (tensor<?x4xf32>, tensor<?x?xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %4 = onnx.Constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: onnx.Concat(
  // CHECK: onnx.Concat(
  %none = onnx.Slice(%x, %3, %1, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %last = onnx.Slice(%x, %1, %4, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x4xf32>
  %b = onnx.Concat(%none, %last) {axis = 0} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %upper = onnx.Slice(%x, %0, %2, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
  %lower = onnx.Slice(%x, %2, %4, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
  %c = onnx.Concat(%upper, %lower) {axis = 1} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<?x?xf32>
  %r0 = onnx.Relu(%b) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r1 = onnx.Relu(%c) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r0, %r1 : tensor<?x4xf32>, tensor<?x?xf32>
}

// The operands are as long together, or may be; which is how long is not known.
// CHECK-LABEL: func @no_split_of_operands
func.func @no_split_of_operands(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %s = onnx.Constant() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %c = onnx.Concat(%x, %y) {axis = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<5xf32>
  // CHECK: onnx.Split(
  %p:2 = onnx.Split(%c, %s) {axis = 0} : (tensor<5xf32>, tensor<2xi64>) -> (tensor<3xf32>, tensor<2xf32>)
  %r0 = onnx.Relu(%p#0) : (tensor<3xf32>) -> tensor<3xf32>
  %r1 = onnx.Relu(%p#1) : (tensor<2xf32>) -> tensor<2xf32>
  return %r0, %r1 : tensor<3xf32>, tensor<2xf32>
}

// Every element is written, but not where it is read.
// CHECK-LABEL: func @scatter_elsewhere
func.func @scatter_elsewhere(%x: tensor<2x2xf32>, %u: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %i = onnx.Constant() {value = dense<[[[0, 0], [1, 0]], [[0, 1], [1, 1]]]> : tensor<2x2x2xi64>} : () -> tensor<2x2x2xi64>
  %j = onnx.Constant() {value = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  // CHECK: onnx.ScatterND
  %a = onnx.ScatterND(%x, %i, %u) : (tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: onnx.ScatterElements
  %b = onnx.ScatterElements(%x, %j, %u) {axis = 1} : (tensor<2x2xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}
