// RUN: onnx-mlir-opt %s --onnx-transpose-sink --canonicalize | FileCheck %s

// As TensorFlow's models come: convolutions in NCHW, all else in NHWC.
// CHECK-LABEL: func @between_convolutions
func.func @between_convolutions(%x: tensor<?x8x6x6xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<?x8x8x8xf32> {
  %bias = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> tensor<8xf32>
  %pads = onnx.Constant() {value = dense<[0, 1, 2, 0, 0, 1, 0, 0]> : tensor<8xi64>} : () -> tensor<8xi64>
  %six = onnx.Constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  // CHECK-NOT: onnx.Transpose
  // CHECK-DAG: %[[BIAS:.*]] = onnx.Constant() {{.*}} : () -> tensor<1x8x1x1xf32>
  // CHECK-DAG: %[[PADS:.*]] = onnx.Constant() {value = dense<[0, 0, 1, 2, 0, 0, 1, 0]> : tensor<8xi64>}
  // CHECK: %[[C:.*]] = onnx.Conv
  // CHECK: onnx.Add(%[[C]], %[[BIAS]])
  // CHECK: onnx.Min
  // CHECK: onnx.Pad({{.*}}, %[[PADS]])
  // CHECK-NOT: onnx.Transpose
  %c = onnx.Conv(%x, %w, _) {pads = [1, 1, 1, 1]} : (tensor<?x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<?x8x6x6xf32>
  %t = onnx.Transpose(%c) {perm = [0, 2, 3, 1]} : (tensor<?x8x6x6xf32>) -> tensor<?x6x6x8xf32>
  %a = onnx.Add(%t, %bias) : (tensor<?x6x6x8xf32>, tensor<8xf32>) -> tensor<?x6x6x8xf32>
  %r = onnx.Min(%a, %six) : (tensor<?x6x6x8xf32>, tensor<f32>) -> tensor<?x6x6x8xf32>
  %p = onnx.Pad(%r, %pads, _, _) : (tensor<?x6x6x8xf32>, tensor<8xi64>) -> tensor<?x8x8x8xf32>
  %u = onnx.Transpose(%p) {perm = [0, 3, 1, 2]} : (tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %d = onnx.Conv(%u, %w, _) {pads = [1, 1, 1, 1]} : (tensor<?x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<?x8x8x8xf32>
  return %d : tensor<?x8x8x8xf32>
}

// The mean over rows and columns has fewer elements; without the dims of size 1
// nothing is left to transpose.
// CHECK-LABEL: func @to_a_mean
func.func @to_a_mean(%x: tensor<1x8x6x6xf32>) -> (tensor<1x8xf32>, tensor<1x1x1x8xf32>) {
  %axes = onnx.Constant() {value = dense<[1, -2]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-NOT: onnx.Transpose
  // CHECK: %[[A:.*]] = onnx.Constant() {value = dense<[2, 3]>
  // CHECK: %[[R:.*]] = onnx.Relu(%arg0)
  // CHECK: onnx.ReduceMean(%[[R]], %[[A]]) {keepdims = 0} : {{.*}} -> tensor<1x8xf32>
  // CHECK: %[[M:.*]] = onnx.ReduceMean(%[[R]], %[[A]]) : {{.*}} -> tensor<1x8x1x1xf32>
  // CHECK: onnx.Transpose(%[[M]])
  %t = onnx.Transpose(%x) {perm = [0, 2, 3, 1]} : (tensor<1x8x6x6xf32>) -> tensor<1x6x6x8xf32>
  %r = onnx.Relu(%t) : (tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %m = onnx.ReduceMean(%r, %axes) {keepdims = 0} : (tensor<1x6x6x8xf32>, tensor<2xi64>) -> tensor<1x8xf32>
  %n = onnx.ReduceMean(%r, %axes) : (tensor<1x6x6x8xf32>, tensor<2xi64>) -> tensor<1x1x1x8xf32>
  return %m, %n : tensor<1x8xf32>, tensor<1x1x1x8xf32>
}

// CHECK-LABEL: func @joins_and_parts
func.func @joins_and_parts(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x5x4xf32>) {
  %l = onnx.Constant() {value = dense<[3, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK-NOT: onnx.Transpose
  // CHECK: onnx.Concat(%arg0, %arg1) {axis = 1}
  // CHECK: onnx.Softmax({{.*}}) {axis = 1}
  // CHECK: onnx.Split({{.*}}) {axis = 1}
  // CHECK-NOT: onnx.Transpose
  %a = onnx.Transpose(%x) {perm = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %b = onnx.Transpose(%y) {perm = [0, 2, 1]} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %c = onnx.Concat(%a, %b) {axis = -1} : (tensor<2x4x3xf32>, tensor<2x4x5xf32>) -> tensor<2x4x8xf32>
  %d = onnx.Softmax(%c) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s:2 = onnx.Split(%d, %l) {axis = 2} : (tensor<2x4x8xf32>, tensor<2xi64>) -> (tensor<2x4x3xf32>, tensor<2x4x5xf32>)
  %e = onnx.Transpose(%s#0) {perm = [0, 2, 1]} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %f = onnx.Transpose(%s#1) {perm = [0, 2, 1]} : (tensor<2x4x5xf32>) -> tensor<2x5x4xf32>
  return %e, %f : tensor<2x3x4xf32>, tensor<2x5x4xf32>
}

// Two Transposes become one; a Gemm takes one in.
// CHECK-LABEL: func @fewer
func.func @fewer(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %g: tensor<3x4xf32>, %h: tensor<4x5xf32>) -> (tensor<6x4xf32>, tensor<5x3xf32>) {
  // CHECK: %[[A:.*]] = onnx.Add(%arg0, %arg1)
  // CHECK: %[[T:.*]] = onnx.Transpose(%[[A]])
  %a = onnx.Transpose(%x) : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %b = onnx.Transpose(%y) {perm = [1, 0]} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %c = onnx.Add(%a, %b) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  // CHECK: %[[G:.*]] = onnx.Gemm(%arg3, %arg2) {transA = 1, transB = 1}
  %d = onnx.Gemm(%g, %h, _) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %e = onnx.Transpose(%d) {perm = [1, 0]} : (tensor<3x5xf32>) -> tensor<5x3xf32>
  // CHECK: return %[[T]], %[[G]]
  return %c, %e : tensor<6x4xf32>, tensor<5x3xf32>
}

// Of a dynamic shape: what reads the shape does not hold the Transpose.
// CHECK-LABEL: func @shape_of_it
func.func @shape_of_it(%x: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<3xi64>) {
  // CHECK: %[[R:.*]] = onnx.Relu(%arg0)
  // CHECK: onnx.Shape(%[[R]])
  // CHECK: onnx.Gather
  // CHECK-NOT: onnx.Transpose
  %t = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = onnx.Relu(%t) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = onnx.Shape(%r) : (tensor<?x?x?xf32>) -> tensor<3xi64>
  %u = onnx.Transpose(%r) {perm = [2, 0, 1]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %u, %s : tensor<?x?x?xf32>, tensor<3xi64>
}

// What is used in a branch stays as it is; sums over axes in another order
// round otherwise; unranked; no gain.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%c: tensor<i1>, %x: tensor<4x6xf32>, %z: tensor<*xf32>, %y: tensor<2x3x4xf32>, %k: tensor<4x6xf32>)
    -> (tensor<6x4xf32>, tensor<*xf32>, tensor<4xf32>, tensor<6x4xf32>) {
  // CHECK-COUNT-4: onnx.Transpose
  %a = onnx.Transpose(%x) : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %r = onnx.Relu(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %i = onnx.If(%c) then_branch {
    onnx.yield %r : tensor<6x4xf32>
  } else_branch {
    %n = onnx.Neg(%r) : (tensor<6x4xf32>) -> tensor<6x4xf32>
    onnx.yield %n : tensor<6x4xf32>
  } : (tensor<i1>) -> tensor<6x4xf32>
  %t = onnx.Transpose(%z) : (tensor<*xf32>) -> tensor<*xf32>
  %s = onnx.Exp(%t) : (tensor<*xf32>) -> tensor<*xf32>
  %axes = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %u = onnx.Transpose(%y) {perm = [1, 0, 2]} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %m = onnx.ReduceSum(%u, %axes) {keepdims = 0} : (tensor<3x2x4xf32>, tensor<2xi64>) -> tensor<4xf32>
  %v = onnx.Neg(%k) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %w = onnx.Transpose(%v) : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %i, %s, %m, %w : tensor<6x4xf32>, tensor<*xf32>, tensor<4xf32>, tensor<6x4xf32>
}

// In a branch, with what is captured.
// CHECK-LABEL: func @in_a_branch
func.func @in_a_branch(%c: tensor<i1>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NOT: onnx.Transpose
  %i = onnx.If(%c) then_branch {
    %a = onnx.Transpose(%x) : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %r = onnx.Relu(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %b = onnx.Transpose(%r) : (tensor<6x4xf32>) -> tensor<4x6xf32>
    onnx.yield %b : tensor<4x6xf32>
  } else_branch {
    onnx.yield %x : tensor<4x6xf32>
  } : (tensor<i1>) -> tensor<4x6xf32>
  return %i : tensor<4x6xf32>
}

// CHECK-LABEL: func @of_other_ranks
func.func @of_other_ranks(%x: tensor<3x2x4xf32>, %y: tensor<4xf32>) -> tensor<1x4x3x2xf32> {
  // CHECK-NOT: onnx.Transpose
  // CHECK: %[[X:.*]] = onnx.Unsqueeze(%arg0
  // CHECK: onnx.Add({{.*}}, %arg1)
  // CHECK: onnx.Transpose
  // CHECK-NOT: onnx.Transpose
  %axes = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %t = onnx.Transpose(%x) {perm = [1, 2, 0]} : (tensor<3x2x4xf32>) -> tensor<2x4x3xf32>
  %i = onnx.Unsqueeze(%t, %axes) : (tensor<2x4x3xf32>, tensor<1xi64>) -> tensor<1x2x4x3xf32>
  %u = onnx.Transpose(%i) {perm = [0, 3, 1, 2]} : (tensor<1x2x4x3xf32>) -> tensor<1x3x2x4xf32>
  %a = onnx.Transpose(%u) {perm = [0, 1, 3, 2]} : (tensor<1x3x2x4xf32>) -> tensor<1x3x4x2xf32>
  %r = onnx.Relu(%a) : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  %b = onnx.Transpose(%r) {perm = [0, 1, 3, 2]} : (tensor<1x3x4x2xf32>) -> tensor<1x3x2x4xf32>
  %s = onnx.Add(%b, %y) : (tensor<1x3x2x4xf32>, tensor<4xf32>) -> tensor<1x3x2x4xf32>
  %v = onnx.Transpose(%s) {perm = [0, 3, 1, 2]} : (tensor<1x3x2x4xf32>) -> tensor<1x4x3x2xf32>
  return %v : tensor<1x4x3x2xf32>
}

// What is added has a higher rank than what is transposed.
// CHECK-LABEL: func @higher_rank
func.func @higher_rank(%x: tensor<4x3xf32>) -> tensor<2x3x4xf32> {
  %c = onnx.Constant() {value = dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  // CHECK: onnx.Transpose(%arg0)
  // CHECK: onnx.Add
  %0 = onnx.Transpose(%x) {perm = [1, 0]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = onnx.Add(%0, %c) : (tensor<3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// What is added to the last dim belongs to the middle one of what is transposed.
// CHECK-LABEL: func @added_to_columns
func.func @added_to_columns(%x: tensor<2x3x4xf32>, %y: tensor<3xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NOT: onnx.Transpose
  // CHECK: %[[Y:.*]] = onnx.{{Unsqueeze|Reshape}}(%arg1, {{.*}} -> tensor<3x1xf32>
  // CHECK: %[[S:.*]] = onnx.Add(%arg0, %[[Y]])
  // CHECK: return %[[S]]
  %t = onnx.Transpose(%x) {perm = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %s = onnx.Add(%t, %y) : (tensor<2x4x3xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %u = onnx.Transpose(%s) {perm = [0, 2, 1]} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %u : tensor<2x3x4xf32>
}

// What stands outside of the branch stays outside: nothing in it is flipped by
// a Transpose that both branches, and others, read.
// CHECK-LABEL: func @outside_of_the_branch
func.func @outside_of_the_branch(%c: tensor<i1>, %x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  // CHECK: %[[T:.*]] = onnx.Transpose(%arg1)
  // CHECK: then_branch
  // CHECK: onnx.{{Relu|Transpose}}(%[[T]])
  // CHECK: else_branch
  %t = onnx.Transpose(%x) : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %i = onnx.If(%c) then_branch {
    %r = onnx.Relu(%t) : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %b = onnx.Transpose(%r) : (tensor<6x4xf32>) -> tensor<4x6xf32>
    onnx.yield %b : tensor<4x6xf32>
  } else_branch {
    %e = onnx.Exp(%t) : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %b = onnx.Transpose(%e) : (tensor<6x4xf32>) -> tensor<4x6xf32>
    onnx.yield %b : tensor<4x6xf32>
  } : (tensor<i1>) -> tensor<4x6xf32>
  return %i, %t : tensor<4x6xf32>, tensor<6x4xf32>
}

// Weights that are dequantized by block stay the right operand, where a kernel
// reads them as they are stored: that their Transpose has more elements than
// the other operand does not count.
// CHECK-LABEL: func @weights_by_block
func.func @weights_by_block(%x: tensor<1x64xf32>, %w: tensor<32x64xui8>, %s: tensor<32x2xf32>) -> tensor<1x32xf32> {
  // CHECK: %[[D:.*]] = onnx.DequantizeLinear
  // CHECK: %[[T:.*]] = onnx.Transpose(%[[D]])
  // CHECK: onnx.MatMul(%arg0, %[[T]])
  %d = onnx.DequantizeLinear(%w, %s, _) {axis = 1, block_size = 32} : (tensor<32x64xui8>, tensor<32x2xf32>) -> tensor<32x64xf32>
  %t = onnx.Transpose(%d) {perm = [1, 0]} : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %y = onnx.MatMul(%x, %t) : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
