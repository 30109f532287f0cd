// RUN: onnx-mlir-opt %s --onnx-slices-to-split | FileCheck %s

// CHECK-LABEL: func @three_parts
func.func @three_parts(%x: tensor<?x9xf32>) -> (tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x3xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %5 = onnx.Constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<[100]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: %[[L:.*]] = onnx.Constant() {value = dense<[2, 3, 4]>
  // CHECK: %[[S:.*]]:3 = onnx.Split(%arg0, %[[L]]) {axis = 1}
  // CHECK: return %[[S]]#2, %[[S]]#0, %[[S]]#1
  %a = onnx.Slice(%x, %5, %end, %1, _) : (tensor<?x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %b = onnx.Slice(%x, %0, %2, %1, _) : (tensor<?x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x2xf32>
  %c = onnx.Slice(%x, %2, %5, %1, _) : (tensor<?x9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return %a, %b, %c : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x3xf32>
}

// A gap, an overlap.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %4 = onnx.Constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK-NOT: onnx.Split
  %a = onnx.Slice(%x, %0, %1, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  %b = onnx.Slice(%x, %2, %4, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %c = onnx.Slice(%y, %0, %3, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  %d = onnx.Slice(%y, %2, %4, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %a, %b, %c, %d : tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
}

// Picks in a row are parts, too; picks out of order, twice or with a rank of
// another number are not.
// CHECK-LABEL: func @gathers
func.func @gathers(%x: tensor<5x?xf32>, %y: tensor<4x?xf32>, %z: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<3x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<?xf32>, tensor<1x?xf32>) {
  %01 = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %234 = onnx.Constant() {value = dense<[2, -2, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  %32 = onnx.Constant() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = onnx.Constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: %[[L:.*]] = onnx.Constant() {value = dense<[2, 3]>
  // CHECK: %[[S:.*]]:2 = onnx.Split(%arg0, %[[L]]) {axis = 0}
  // CHECK-NOT: onnx.Split
  // CHECK: return %[[S]]#0, %[[S]]#1,
  %a = onnx.Gather(%x, %01) {axis = 0} : (tensor<5x?xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  %b = onnx.Gather(%x, %234) {axis = -2} : (tensor<5x?xf32>, tensor<3xi64>) -> tensor<3x?xf32>
  %c = onnx.Gather(%y, %01) {axis = 0} : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  %d = onnx.Gather(%y, %32) {axis = 0} : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  %e = onnx.Gather(%z, %0) {axis = 0} : (tensor<2x?xf32>, tensor<i64>) -> tensor<?xf32>
  %f = onnx.Gather(%z, %1) {axis = 0} : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<1x?xf32>
  return %a, %b, %c, %d, %e, %f : tensor<2x?xf32>, tensor<3x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<?xf32>, tensor<1x?xf32>
}

// One part alone, though it is the whole; parts of an open dim, with steps, of
// two axes, of a shape, of a tensor without a rank; parts that end early.
// CHECK-LABEL: func @no_parts
// CHECK-NOT: onnx.Split
// CHECK: return
func.func @no_parts(%x: tensor<4x4xf32>, %y: tensor<?xf32>, %z: tensor<4x4xf32>, %s: tensor<4xi64>, %u: tensor<*xf32>, %v: tensor<4xf32>, %w: tensor<4x4xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %3 = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %4 = onnx.Constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  %00 = onnx.Constant() {value = dense<[0, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %20 = onnx.Constant() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %24 = onnx.Constant() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %44 = onnx.Constant() {value = dense<[4, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %a = onnx.Slice(%x, %0, %4, %0, _) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x4xf32>
  %b = onnx.Slice(%y, %0, %2, _, _) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %c = onnx.Slice(%y, %2, %4, _, _) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %d = onnx.Slice(%z, %0, %2, %0, %2) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  %e = onnx.Slice(%z, %2, %4, %0, %2) : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  %f = onnx.Slice(%s, %0, %2, _, _) : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %g = onnx.Slice(%s, %2, %4, _, _) : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %h = onnx.Slice(%u, %0, %2, %0, _) : (tensor<*xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %i = onnx.Slice(%u, %2, %4, %0, _) : (tensor<*xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %j = onnx.Slice(%v, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %k = onnx.Slice(%v, %2, %3, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  %l = onnx.Slice(%w, %00, %24, _, _) : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  %m = onnx.Slice(%w, %20, %44, _, _) : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// Many times the same part.
// CHECK-LABEL: func @equal_parts
// CHECK-NOT: onnx.Split
// CHECK: return
func.func @equal_parts(%x: tensor<4xf32>) {
  %0 = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %a0 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a1 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a2 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a3 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a4 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a5 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a6 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a7 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a8 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a9 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a10 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a11 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a12 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a13 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a14 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a15 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a16 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a17 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a18 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a19 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a20 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a21 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a22 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a23 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a24 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a25 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a26 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a27 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a28 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a29 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a30 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a31 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a32 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a33 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a34 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a35 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a36 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a37 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a38 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %a39 = onnx.Slice(%x, %0, %2, _, _) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return
}
