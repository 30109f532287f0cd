// RUN: onnx-mlir-opt %s --onnx-fit-masks=keep-opset=false | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fit-masks | FileCheck %s --check-prefix=KEEP

// The mask's length is an input of its own: one column, or as many as there are keys.
// KEEP-NOT: onnx.Expand
// CHECK-LABEL: func @own_length
func.func @own_length(%q: tensor<2x2x?x4xf32>, %k: tensor<2x2x4x?xf32>, %m: tensor<2x1x1x?xf32>) -> tensor<2x2x?x?xf32> {
  // CHECK: %[[SCORES:.*]] = onnx.MatMul(%arg0, %arg1)
  // CHECK: %[[KEYS:.*]] = onnx.Shape(%[[SCORES]]) {end = 4, start = 3}
  // CHECK: %[[LONG:.*]] = onnx.Expand(%arg2,
  // CHECK: %[[OWN:.*]] = onnx.Shape(%[[LONG]]) {end = 3, start = 0}
  // CHECK: %[[SIZE:.*]] = onnx.Shape(%[[SCORES]]) {end = 4, start = 3}
  // CHECK: %[[SIZES:.*]] = onnx.Concat(%[[OWN]], %[[SIZE]])
  // CHECK: %[[MASK:.*]] = onnx.Reshape(%[[LONG]], %[[SIZES]]) {allowzero = 1}
  // CHECK: onnx.Add(%[[SCORES]], %[[MASK]])
  %v = onnx.Transpose(%k) {perm = [0, 1, 3, 2]} : (tensor<2x2x4x?xf32>) -> tensor<2x2x?x4xf32>
  %s = onnx.MatMul(%q, %k) : (tensor<2x2x?x4xf32>, tensor<2x2x4x?xf32>) -> tensor<2x2x?x?xf32>
  %a = onnx.Add(%s, %m) : (tensor<2x2x?x?xf32>, tensor<2x1x1x?xf32>) -> tensor<2x2x?x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<2x2x?x?xf32>) -> tensor<2x2x?x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<2x2x?x?xf32>, tensor<2x2x?x4xf32>) -> tensor<2x2x?x?xf32>
  return %y : tensor<2x2x?x?xf32>
}

// GPT-2: rows and columns of a square; sizes are those of queries and keys.
// CHECK-LABEL: func @cut_from_square
func.func @cut_from_square(%q: tensor<1x2x?x4xf32>, %past: tensor<1x2x?x4xf32>, %square: tensor<1x1x64x64xi1>) -> tensor<1x2x?x?xf32> {
  // CHECK: %[[SCORES:.*]] = onnx.MatMul(
  // CHECK: %[[CUT:.*]] = onnx.Slice(
  // CHECK: %[[CUT:.*]] = onnx.Slice(
  // CHECK-NOT: onnx.Expand
  // CHECK: %[[SIZES:.*]] = onnx.Shape(%[[SCORES]]) {end = 4, start = 2}
  // CHECK: %[[MASK:.*]] = onnx.Reshape(%[[CUT]], %{{.*}}) {allowzero = 1}
  // CHECK: onnx.Where(%[[MASK]], %[[SCORES]],
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %three = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %low = onnx.Constant() {value = dense<-1.0e9> : tensor<f32>} : () -> tensor<f32>
  %keys = onnx.Concat(%past, %q) {axis = 2} : (tensor<1x2x?x4xf32>, tensor<1x2x?x4xf32>) -> tensor<1x2x?x4xf32>
  %k = onnx.Transpose(%keys) {perm = [0, 1, 3, 2]} : (tensor<1x2x?x4xf32>) -> tensor<1x2x4x?xf32>
  %s = onnx.MatMul(%q, %k) : (tensor<1x2x?x4xf32>, tensor<1x2x4x?xf32>) -> tensor<1x2x?x?xf32>
  %all = onnx.Shape(%keys) {end = 3, start = 2} : (tensor<1x2x?x4xf32>) -> tensor<1xi64>
  %now = onnx.Shape(%q) {end = 3, start = 2} : (tensor<1x2x?x4xf32>) -> tensor<1xi64>
  %before = onnx.Sub(%all, %now) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %rows = onnx.Slice(%square, %before, %all, %two) : (tensor<1x1x64x64xi1>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x1x?x64xi1>
  %m = onnx.Slice(%rows, %zero, %all, %three) : (tensor<1x1x?x64xi1>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x1x?x?xi1>
  %a = onnx.Where(%m, %s, %low) : (tensor<1x1x?x?xi1>, tensor<1x2x?x?xf32>, tensor<f32>) -> tensor<1x2x?x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  %y = onnx.MatMul(%p, %keys) : (tensor<1x2x?x?xf32>, tensor<1x2x?x4xf32>) -> tensor<1x2x?x?xf32>
  return %y : tensor<1x2x?x?xf32>
}

// Rows that no one knows may be more than the queries: then those are broadcast.
// CHECK-LABEL: func @unknown_rows
// CHECK-NOT: onnx.Reshape
// CHECK: return
func.func @unknown_rows(%q: tensor<2x2x?x4xf32>, %k: tensor<2x2x4x?xf32>, %m: tensor<?x?xf32>) -> tensor<2x2x?x?xf32> {
  %v = onnx.Transpose(%k) {perm = [0, 1, 3, 2]} : (tensor<2x2x4x?xf32>) -> tensor<2x2x?x4xf32>
  %s = onnx.MatMul(%q, %k) : (tensor<2x2x?x4xf32>, tensor<2x2x4x?xf32>) -> tensor<2x2x?x?xf32>
  %a = onnx.Add(%s, %m) : (tensor<2x2x?x?xf32>, tensor<?x?xf32>) -> tensor<2x2x?x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<2x2x?x?xf32>) -> tensor<2x2x?x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<2x2x?x?xf32>, tensor<2x2x?x4xf32>) -> tensor<2x2x?x?xf32>
  return %y : tensor<2x2x?x?xf32>
}

// Without values of as many keys, the weights may become longer.
// CHECK-LABEL: func @no_values
// CHECK-NOT: onnx.Reshape
// CHECK: return
func.func @no_values(%q: tensor<2x2x?x4xf32>, %k: tensor<2x2x4x?xf32>, %m: tensor<2x1x1x?xf32>, %v: tensor<2x2x?x4xf32>) -> tensor<2x2x?x?xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<2x2x?x4xf32>, tensor<2x2x4x?xf32>) -> tensor<2x2x?x?xf32>
  %a = onnx.Add(%s, %m) : (tensor<2x2x?x?xf32>, tensor<2x1x1x?xf32>) -> tensor<2x2x?x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<2x2x?x?xf32>) -> tensor<2x2x?x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<2x2x?x?xf32>, tensor<2x2x?x4xf32>) -> tensor<2x2x?x?xf32>
  return %y : tensor<2x2x?x?xf32>
}

// T5: the last rows of a bias, as many as there are queries; counted from the end they start at -0 if there are none.
// CHECK-LABEL: func @last_rows
func.func @last_rows(%q: tensor<1x2x?x4xf32>, %k: tensor<1x2x4x?xf32>, %w: tensor<1x2x4x?xf32>) -> tensor<1x2x?x?xf32> {
  // CHECK: %[[SCORES:.*]] = onnx.MatMul(%arg0, %arg1)
  // CHECK: %[[LAST:.*]] = onnx.Slice(
  // CHECK: %[[LONG:.*]] = onnx.Expand(%[[LAST]],
  // CHECK: onnx.Shape(%[[SCORES]]) {end = 4, start = 2}
  // CHECK: %[[MASK:.*]] = onnx.Reshape(%[[LONG]],
  // CHECK: onnx.Add(%[[SCORES]], %[[MASK]])
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<9223372036854775807> : tensor<1xi64>} : () -> tensor<1xi64>
  %v = onnx.Transpose(%k) {perm = [0, 1, 3, 2]} : (tensor<1x2x4x?xf32>) -> tensor<1x2x?x4xf32>
  %s = onnx.MatMul(%q, %k) : (tensor<1x2x?x4xf32>, tensor<1x2x4x?xf32>) -> tensor<1x2x?x?xf32>
  %bias = onnx.MatMul(%q, %w) : (tensor<1x2x?x4xf32>, tensor<1x2x4x?xf32>) -> tensor<1x2x?x?xf32>
  %now = onnx.Shape(%q) {end = 3, start = 2} : (tensor<1x2x?x4xf32>) -> tensor<1xi64>
  %from = onnx.Sub(%zero, %now) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = onnx.Slice(%bias, %from, %end, %two) : (tensor<1x2x?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x?x?xf32>
  %a = onnx.Add(%s, %m) : (tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x2x?x?xf32>, tensor<1x2x?x4xf32>) -> tensor<1x2x?x?xf32>
  return %y : tensor<1x2x?x?xf32>
}
