// RUN: onnx-mlir-opt %s --onnx-fuse-attention --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-attention=nnan --canonicalize | FileCheck %s --check-prefix=NNAN
// RUN: onnx-mlir-opt %s --onnx-fuse-attention=keep-opset=false --canonicalize | FileCheck %s --check-prefix=COMPILE

// The scale stands behind; the constant hides what is behind the query.
// CHECK-LABEL: func @causal
func.func @causal(%v: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %m = onnx.Constant() {value = dense<[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>} : () -> tensor<3x3xf32>
  %k = onnx.Transpose(%v) {perm = [0, 1, 3, 2]} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %a = onnx.MatMul(%v, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %b = onnx.Mul(%a, %s) : (tensor<2x2x3x3xf32>, tensor<f32>) -> tensor<2x2x3x3xf32>
  %c = onnx.Add(%m, %b) : (tensor<3x3xf32>, tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %p = onnx.Softmax(%c) {axis = -1} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  // CHECK: onnx.Attention(%arg0, %arg0, %arg0) {is_causal = 1, scale = 0.25}
  return %y : tensor<2x2x3x4xf32>
}

// Any other mask might hide all keys from a query: then the formula is NaN, the operator 0.
// CHECK-LABEL: func @unknown_mask
// NNAN-LABEL: func @unknown_mask
func.func @unknown_mask(%q: tensor<2x2x3x4xf32>, %m: tensor<2x1x3x3xf32>) -> tensor<2x2x3x4xf32> {
  %k = onnx.Transpose(%q) {perm = [0, 1, 3, 2]} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c = onnx.Add(%a, %m) : (tensor<2x2x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x2x3x3xf32>
  // CHECK: onnx.Softmax
  // NNAN: onnx.Attention(%arg0, %arg0, %arg0, %arg1) {scale = 1.0}
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y = onnx.MatMul(%p, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// This one only lowers scores; each query has a row of it.
// CHECK-LABEL: func @mask_of_bounded_numbers
func.func @mask_of_bounded_numbers(%q: tensor<2x2x3x4xf32>, %b: tensor<2x1x1x3xi1>) -> tensor<2x2x3x4xf32> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<f32>} : () -> tensor<f32>
  %m = onnx.Where(%b, %zero, %low) : (tensor<2x1x1x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x3xf32>
  %k = onnx.Transpose(%q) {perm = [0, 1, 3, 2]} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c = onnx.Add(%a, %m) : (tensor<2x2x3x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x2x3x3xf32>
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y = onnx.MatMul(%p, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  // CHECK: %[[M:.*]] = onnx.Where
  // CHECK: %[[E:.*]] = onnx.Expand(%[[M]], {{.*}} -> tensor<2x1x3x3xf32>
  // CHECK: onnx.Attention(%arg0, %arg0, %arg0, %[[E]])
  return %y : tensor<2x2x3x4xf32>
}

// The same of a mask whose rows are picked.
// CHECK-LABEL: func @mask_of_picked_numbers
func.func @mask_of_picked_numbers(%q: tensor<2x2x3x4xf32>, %b: tensor<5x1x1x3xi1>, %i: tensor<2x1xi64>) -> tensor<2x2x3x4xf32> {
  // CHECK: %[[M:.*]] = onnx.GatherND
  // CHECK: %[[E:.*]] = onnx.Expand(%[[M]]
  // CHECK: onnx.Attention(%arg0, %arg0, %arg0, %[[E]])
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<f32>} : () -> tensor<f32>
  %w = onnx.Where(%b, %zero, %low) : (tensor<5x1x1x3xi1>, tensor<f32>, tensor<f32>) -> tensor<5x1x1x3xf32>
  %m = onnx.GatherND(%w, %i) : (tensor<5x1x1x3xf32>, tensor<2x1xi64>) -> tensor<2x1x1x3xf32>
  %k = onnx.Transpose(%q) {perm = [0, 1, 3, 2]} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c = onnx.Add(%a, %m) : (tensor<2x2x3x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x2x3x3xf32>
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y = onnx.MatMul(%p, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// A mask for one key stands for all; the operator would take the others as hidden.
// CHECK-LABEL: func @mask_of_one_key
// CHECK: onnx.Softmax
func.func @mask_of_one_key(%q: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
  %m = onnx.Constant() {value = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>} : () -> tensor<3x1xf32>
  %k = onnx.Transpose(%q) {perm = [0, 1, 3, 2]} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c = onnx.Add(%a, %m) : (tensor<2x2x3x3xf32>, tensor<3x1xf32>) -> tensor<2x2x3x3xf32>
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y = onnx.MatMul(%p, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// Each head of K and V serves two of Q.
// CHECK-LABEL: func @grouped
func.func @grouped(%q: tensor<1x4x3x8xf32>, %kv: tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> {
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %e = onnx.Constant() {value = dense<[1, 2, 2, 5, 8]> : tensor<5xi64>} : () -> tensor<5xi64>
  %r = onnx.Constant() {value = dense<[1, 4, 5, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %u = onnx.Unsqueeze(%kv, %two) : (tensor<1x2x5x8xf32>, tensor<1xi64>) -> tensor<1x2x1x5x8xf32>
  %x = onnx.Expand(%u, %e) : (tensor<1x2x1x5x8xf32>, tensor<5xi64>) -> tensor<1x2x2x5x8xf32>
  %k = onnx.Reshape(%x, %r) : (tensor<1x2x2x5x8xf32>, tensor<4xi64>) -> tensor<1x4x5x8xf32>
  %u2 = onnx.Unsqueeze(%kv, %two) : (tensor<1x2x5x8xf32>, tensor<1xi64>) -> tensor<1x2x1x5x8xf32>
  %x2 = onnx.Expand(%u2, %e) : (tensor<1x2x1x5x8xf32>, tensor<5xi64>) -> tensor<1x2x2x5x8xf32>
  %v = onnx.Reshape(%x2, %r) : (tensor<1x2x2x5x8xf32>, tensor<4xi64>) -> tensor<1x4x5x8xf32>
  %t = onnx.Transpose(%k) {perm = [0, 1, 3, 2]} : (tensor<1x4x5x8xf32>) -> tensor<1x4x8x5xf32>
  %a = onnx.MatMul(%q, %t) : (tensor<1x4x3x8xf32>, tensor<1x4x8x5xf32>) -> tensor<1x4x3x5xf32>
  %p = onnx.Softmax(%a) {axis = -1} : (tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x3x5xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x3x8xf32>
  // CHECK: onnx.Attention(%arg0, %arg1, %arg1) {scale = 1.0}
  return %y : tensor<1x4x3x8xf32>
}

// CHECK-LABEL: func @heads
func.func @heads(%q: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %r = onnx.Constant() {value = dense<[0, 0, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
  %j = onnx.Constant() {value = dense<[0, 0, 8]> : tensor<3xi64>} : () -> tensor<3xi64>
  %s = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Reshape(%q, %r) : (tensor<2x3x8xf32>, tensor<4xi64>) -> tensor<2x3x2x4xf32>
  %b = onnx.Reshape(%q, %r) : (tensor<2x3x8xf32>, tensor<4xi64>) -> tensor<2x3x2x4xf32>
  %c = onnx.Reshape(%q, %r) : (tensor<2x3x8xf32>, tensor<4xi64>) -> tensor<2x3x2x4xf32>
  %q4 = onnx.Transpose(%a) {perm = [0, 2, 1, 3]} : (tensor<2x3x2x4xf32>) -> tensor<2x2x3x4xf32>
  %k4 = onnx.Transpose(%b) {perm = [0, 2, 3, 1]} : (tensor<2x3x2x4xf32>) -> tensor<2x2x4x3xf32>
  %v4 = onnx.Transpose(%c) {perm = [0, 2, 1, 3]} : (tensor<2x3x2x4xf32>) -> tensor<2x2x3x4xf32>
  %m = onnx.MatMul(%q4, %k4) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %d = onnx.Div(%m, %s) : (tensor<2x2x3x3xf32>, tensor<f32>) -> tensor<2x2x3x3xf32>
  %p = onnx.Softmax(%d) {axis = -1} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %o = onnx.MatMul(%p, %v4) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  %t = onnx.Transpose(%o) {perm = [0, 2, 1, 3]} : (tensor<2x2x3x4xf32>) -> tensor<2x3x2x4xf32>
  %y = onnx.Reshape(%t, %j) : (tensor<2x3x2x4xf32>, tensor<3xi64>) -> tensor<2x3x8xf32>
  // CHECK-NOT: onnx.Transpose
  // CHECK: onnx.Attention(%arg0, %arg0, %arg0) {kv_num_heads = 2, q_num_heads = 2, scale = 0.5}
  return %y : tensor<2x3x8xf32>
}

// Keys of one batch for all are no keys of the operator.
// CHECK-LABEL: func @broadcast_keys
// CHECK: onnx.Softmax
func.func @broadcast_keys(%q: tensor<2x2x3x4xf32>, %k: tensor<1x2x4x3xf32>) -> tensor<2x2x3x4xf32> {
  %a = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<1x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y = onnx.MatMul(%p, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return %y : tensor<2x2x3x4xf32>
}

// A mask of each batch has no dim of heads, where the scores have none; a mask of all batches needs none.
// CHECK-LABEL: func @mask_without_heads
// NNAN-LABEL: func @mask_without_heads
func.func @mask_without_heads(%q: tensor<2x3x4xf32>, %m: tensor<2x3x3xf32>, %n: tensor<1x3x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %k = onnx.Transpose(%q) {perm = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %c = onnx.Add(%a, %m) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %p = onnx.Softmax(%c) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %y = onnx.MatMul(%p, %q) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = onnx.MatMul(%q, %k) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %d = onnx.Add(%b, %n) : (tensor<2x3x3xf32>, tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
  %s = onnx.Softmax(%d) {axis = 2} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %z = onnx.MatMul(%s, %q) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // NNAN: %[[M:.*]] = onnx.Unsqueeze(%arg1, %{{.*}}) : {{.*}} -> tensor<2x1x3x3xf32>
  // NNAN: onnx.Attention(%arg0, %arg0, %arg0, %[[M]]) {kv_num_heads = 1, q_num_heads = 1, scale = 1.0}
  // NNAN-NOT: onnx.Unsqueeze
  // NNAN: onnx.Attention(%arg0, %arg0, %arg0, %arg2) {kv_num_heads = 1, q_num_heads = 1, scale = 1.0}
  return %y, %z : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// Masks as exporters compute them: bools, of which 1 less is hidden; sums and
// products that stay in the range of the type, and that may leave it.
// CHECK-LABEL: func @computed_masks
func.func @computed_masks(%q: tensor<2x2x3x4xf32>, %b: tensor<3x3xi1>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) {
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<f32>} : () -> tensor<f32>
  %far = onnx.Constant() {value = dense<3.2E+38> : tensor<f32>} : () -> tensor<f32>
  %farther = onnx.Constant() {value = dense<3.3E+38> : tensor<f32>} : () -> tensor<f32>
  %k = onnx.Transpose(%q) {perm = [0, 1, 3, 2]} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %f = onnx.Cast(%b) {to = 1} : (tensor<3x3xi1>) -> tensor<3x3xf32>
  %i = onnx.Sub(%one, %f) : (tensor<f32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %m0 = onnx.Mul(%i, %low) : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  // CHECK: %[[M:.*]] = onnx.Mul
  // CHECK: onnx.Attention(%arg0, %arg0, %arg0, %[[M]])
  %a0 = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c0 = onnx.Add(%a0, %m0) : (tensor<2x2x3x3xf32>, tensor<3x3xf32>) -> tensor<2x2x3x3xf32>
  %p0 = onnx.Softmax(%c0) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y0 = onnx.MatMul(%p0, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  // Up to 0.2e38, as are differences of what is between 3.2e38 and 3.3e38.
  %w = onnx.Where(%b, %far, %farther) : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %v = onnx.Where(%b, %farther, %far) : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %d = onnx.Sub(%w, %v) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %m1 = onnx.Add(%d, %d) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  // CHECK: %[[N:.*]] = onnx.Add
  // CHECK: onnx.Attention(%arg0, %arg0, %arg0, %[[N]])
  %a1 = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c1 = onnx.Add(%a1, %m1) : (tensor<2x2x3x3xf32>, tensor<3x3xf32>) -> tensor<2x2x3x3xf32>
  %p1 = onnx.Softmax(%c1) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y1 = onnx.MatMul(%p1, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  // -6.8e38 is -inf.
  %l = onnx.Where(%b, %low, %zero) : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %m2 = onnx.Add(%l, %l) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  // CHECK: onnx.Softmax
  %a2 = onnx.MatMul(%q, %k) : (tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x3x3xf32>
  %c2 = onnx.Add(%a2, %m2) : (tensor<2x2x3x3xf32>, tensor<3x3xf32>) -> tensor<2x2x3x3xf32>
  %p2 = onnx.Softmax(%c2) {axis = 3} : (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
  %y2 = onnx.MatMul(%p2, %q) : (tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return %y0, %y1, %y2 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// Constant masks that are nearly causal: a number that is added, a key more, a
// key less; queries that see none.
// CHECK-LABEL: func @nearly_causal
// CHECK-NOT: is_causal
// CHECK: onnx.Softmax
// CHECK-NOT: is_causal
// CHECK: return
func.func @nearly_causal(%q: tensor<1x1x2x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) {
  %m0 = onnx.Constant() {value = dense<[[0.0, 0xFF800000], [0.0, 0.5]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %m1 = onnx.Constant() {value = dense<[[0.0, -9.0], [0.0, 0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %m2 = onnx.Constant() {value = dense<[[0.0, 0xFF800000], [0xFF800000, 0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %m3 = onnx.Constant() {value = dense<[[0xFF800000, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %k = onnx.Transpose(%q) {perm = [0, 1, 3, 2]} : (tensor<1x1x2x4xf32>) -> tensor<1x1x4x2xf32>
  %a0 = onnx.MatMul(%q, %k) : (tensor<1x1x2x4xf32>, tensor<1x1x4x2xf32>) -> tensor<1x1x2x2xf32>
  %c0 = onnx.Add(%a0, %m0) : (tensor<1x1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x2xf32>
  %p0 = onnx.Softmax(%c0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %y0 = onnx.MatMul(%p0, %q) : (tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  %a1 = onnx.MatMul(%q, %k) : (tensor<1x1x2x4xf32>, tensor<1x1x4x2xf32>) -> tensor<1x1x2x2xf32>
  %c1 = onnx.Add(%a1, %m1) : (tensor<1x1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x2xf32>
  %p1 = onnx.Softmax(%c1) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %y1 = onnx.MatMul(%p1, %q) : (tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  %a2 = onnx.MatMul(%q, %k) : (tensor<1x1x2x4xf32>, tensor<1x1x4x2xf32>) -> tensor<1x1x2x2xf32>
  %c2 = onnx.Add(%a2, %m2) : (tensor<1x1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x2xf32>
  %p2 = onnx.Softmax(%c2) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %y2 = onnx.MatMul(%p2, %q) : (tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  %a3 = onnx.MatMul(%q, %k) : (tensor<1x1x2x4xf32>, tensor<1x1x4x2xf32>) -> tensor<1x1x2x2xf32>
  %c3 = onnx.Add(%a3, %m3) : (tensor<1x1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x2xf32>
  %p3 = onnx.Softmax(%c3) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %y3 = onnx.MatMul(%p3, %q) : (tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  return %y0, %y1, %y2, %y3 : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
}

// A mask whose length comes from another input: the run tells whether it has a column for each key, or one for all.
// Only for a compile: for other runtimes the node Expand would be one more.
// CHECK-LABEL: func @mask_of_own_length
// COMPILE-LABEL: func @mask_of_own_length
func.func @mask_of_own_length(%q: tensor<1x2x3x4xf32>, %kv: tensor<1x2x?x4xf32>, %b: tensor<1x1x1x?xi1>) -> tensor<1x2x3x4xf32> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<f32>} : () -> tensor<f32>
  // COMPILE: %[[MASK:.+]] = onnx.Where
  %m = onnx.Where(%b, %zero, %low) : (tensor<1x1x1x?xi1>, tensor<f32>, tensor<f32>) -> tensor<1x1x1x?xf32>
  %k = onnx.Transpose(%kv) {perm = [0, 1, 3, 2]} : (tensor<1x2x?x4xf32>) -> tensor<1x2x4x?xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<1x2x3x4xf32>, tensor<1x2x4x?xf32>) -> tensor<1x2x3x?xf32>
  %c = onnx.Add(%a, %m) : (tensor<1x2x3x?xf32>, tensor<1x1x1x?xf32>) -> tensor<1x2x3x?xf32>
  // CHECK: onnx.Softmax
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<1x2x3x?xf32>) -> tensor<1x2x3x?xf32>
  // COMPILE: %[[KEYS:.+]] = onnx.Shape(%arg1) {end = 3, start = 2}
  // No column and one key would be no column: then the size is one that does not fit.
  // COMPILE: %[[OWN:.+]] = onnx.Shape(%[[MASK]]) {end = 4, start = 3}
  // COMPILE: %[[EMPTY:.+]] = onnx.Equal(%[[OWN]],
  // COMPILE: %[[TWICE:.+]] = onnx.Add(%[[KEYS]], %[[KEYS]])
  // COMPILE: %[[WANTED:.+]] = onnx.Where(%[[EMPTY]], %[[TWICE]], %[[KEYS]])
  // COMPILE: %[[SHAPE:.+]] = onnx.Concat({{.*}}, %[[WANTED]])
  // COMPILE: %[[WIDE:.+]] = onnx.Expand(%[[MASK]], %[[SHAPE]])
  // COMPILE: onnx.Attention(%arg0, %arg1, %arg1, %[[WIDE]])
  %y = onnx.MatMul(%p, %kv) : (tensor<1x2x3x?xf32>, tensor<1x2x?x4xf32>) -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}

// As many values as keys are what makes such a mask fit; here there may be one key and more values.
// CHECK-LABEL: func @mask_and
// COMPILE-LABEL: func @mask_and_values_of_own_length
func.func @mask_and_values_of_own_length(%q: tensor<1x2x3x4xf32>, %kt: tensor<1x2x?x4xf32>, %v: tensor<1x2x?x4xf32>, %b: tensor<1x1x1x?xi1>) -> tensor<1x2x3x4xf32> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %low = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<f32>} : () -> tensor<f32>
  %m = onnx.Where(%b, %zero, %low) : (tensor<1x1x1x?xi1>, tensor<f32>, tensor<f32>) -> tensor<1x1x1x?xf32>
  %k = onnx.Transpose(%kt) {perm = [0, 1, 3, 2]} : (tensor<1x2x?x4xf32>) -> tensor<1x2x4x?xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<1x2x3x4xf32>, tensor<1x2x4x?xf32>) -> tensor<1x2x3x?xf32>
  %c = onnx.Add(%a, %m) : (tensor<1x2x3x?xf32>, tensor<1x1x1x?xf32>) -> tensor<1x2x3x?xf32>
  // CHECK: onnx.Softmax
  // COMPILE: onnx.Softmax
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<1x2x3x?xf32>) -> tensor<1x2x3x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x2x3x?xf32>, tensor<1x2x?x4xf32>) -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}

// Heads that are repeated to sizes that Shape gives: a length of 0 is no copy of another size where the batch has elements.
// CHECK-LABEL: func @grouped_by_shape
func.func @grouped_by_shape(%q: tensor<1x4x3x8xf32>, %kv: tensor<1x2x?x8xf32>) -> tensor<1x4x3x8xf32> {
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %times = onnx.Constant() {value = dense<[1, 1, 2, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %first = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %last = onnx.Constant() {value = dense<8> : tensor<1xi64>} : () -> tensor<1xi64>
  %u = onnx.Unsqueeze(%kv, %two) : (tensor<1x2x?x8xf32>, tensor<1xi64>) -> tensor<1x2x1x?x8xf32>
  %e = onnx.Expand(%u, %times) : (tensor<1x2x1x?x8xf32>, tensor<5xi64>) -> tensor<1x2x2x?x8xf32>
  %keys = onnx.Shape(%kv) {start = 2, end = 3} : (tensor<1x2x?x8xf32>) -> tensor<1xi64>
  %s = onnx.Concat(%first, %keys, %last) {axis = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %r = onnx.Reshape(%e, %s) : (tensor<1x2x2x?x8xf32>, tensor<4xi64>) -> tensor<1x4x?x8xf32>
  %u1 = onnx.Unsqueeze(%kv, %two) : (tensor<1x2x?x8xf32>, tensor<1xi64>) -> tensor<1x2x1x?x8xf32>
  %e1 = onnx.Expand(%u1, %times) : (tensor<1x2x1x?x8xf32>, tensor<5xi64>) -> tensor<1x2x2x?x8xf32>
  %r1 = onnx.Reshape(%e1, %s) : (tensor<1x2x2x?x8xf32>, tensor<4xi64>) -> tensor<1x4x?x8xf32>
  %k = onnx.Transpose(%r) {perm = [0, 1, 3, 2]} : (tensor<1x4x?x8xf32>) -> tensor<1x4x8x?xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<1x4x3x8xf32>, tensor<1x4x8x?xf32>) -> tensor<1x4x3x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<1x4x3x?xf32>) -> tensor<1x4x3x?xf32>
  // CHECK: onnx.Attention(%arg0, %arg1, %arg1)
  %y = onnx.MatMul(%p, %r1) : (tensor<1x4x3x?xf32>, tensor<1x4x?x8xf32>) -> tensor<1x4x3x8xf32>
  return %y : tensor<1x4x3x8xf32>
}

// What is asked for its shape alone is not computed in what is compiled, so that it does not keep the heads apart from
// the attention; in a model for others it would be.
// CHECK-LABEL: func @asked_for_shape
// CHECK: %[[K:.+]] = onnx.Reshape(
// CHECK: onnx.Attention(%arg0, %[[K]],
// COMPILE-LABEL: func @asked_for_shape
func.func @asked_for_shape(%q: tensor<1x4x3x8xf32>, %kv: tensor<1x2x?x8xf32>) -> (tensor<1x4x3x8xf32>, tensor<4xi64>) {
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %times = onnx.Constant() {value = dense<[1, 1, 2, 1, 1]> : tensor<5xi64>} : () -> tensor<5xi64>
  %first = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %last = onnx.Constant() {value = dense<8> : tensor<1xi64>} : () -> tensor<1xi64>
  %keys = onnx.Shape(%kv) {start = 2, end = 3} : (tensor<1x2x?x8xf32>) -> tensor<1xi64>
  %s = onnx.Concat(%first, %keys, %last) {axis = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %u = onnx.Unsqueeze(%kv, %two) : (tensor<1x2x?x8xf32>, tensor<1xi64>) -> tensor<1x2x1x?x8xf32>
  %e = onnx.Expand(%u, %times) : (tensor<1x2x1x?x8xf32>, tensor<5xi64>) -> tensor<1x2x2x?x8xf32>
  %r = onnx.Reshape(%e, %s) : (tensor<1x2x2x?x8xf32>, tensor<4xi64>) -> tensor<1x4x?x8xf32>
  %u1 = onnx.Unsqueeze(%kv, %two) : (tensor<1x2x?x8xf32>, tensor<1xi64>) -> tensor<1x2x1x?x8xf32>
  %e1 = onnx.Expand(%u1, %times) : (tensor<1x2x1x?x8xf32>, tensor<5xi64>) -> tensor<1x2x2x?x8xf32>
  %r1 = onnx.Reshape(%e1, %s) : (tensor<1x2x2x?x8xf32>, tensor<4xi64>) -> tensor<1x4x?x8xf32>
  %shape = onnx.Shape(%r) : (tensor<1x4x?x8xf32>) -> tensor<4xi64>
  %k = onnx.Transpose(%r) {perm = [0, 1, 3, 2]} : (tensor<1x4x?x8xf32>) -> tensor<1x4x8x?xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<1x4x3x8xf32>, tensor<1x4x8x?xf32>) -> tensor<1x4x3x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<1x4x3x?xf32>) -> tensor<1x4x3x?xf32>
  // COMPILE: onnx.Attention(%arg0, %arg1, %arg1)
  %y = onnx.MatMul(%p, %r1) : (tensor<1x4x3x?xf32>, tensor<1x4x?x8xf32>) -> tensor<1x4x3x8xf32>
  return %y, %shape : tensor<1x4x3x8xf32>, tensor<4xi64>
}

// One head of keys and values for all queries. Of keys alone it is none of the operator's forms.
// CHECK-LABEL: func @one_head
func.func @one_head(%q: tensor<2x4x3x8xf32>, %kv: tensor<2x1x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) {
  %k = onnx.Transpose(%kv) {perm = [0, 1, 3, 2]} : (tensor<2x1x5x8xf32>) -> tensor<2x1x8x5xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<2x4x3x8xf32>, tensor<2x1x8x5xf32>) -> tensor<2x4x3x5xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  // CHECK: onnx.Attention(%arg0, %arg1, %arg1)
  %y = onnx.MatMul(%p, %kv) : (tensor<2x4x3x5xf32>, tensor<2x1x5x8xf32>) -> tensor<2x4x3x8xf32>
  %a2 = onnx.MatMul(%q, %k) : (tensor<2x4x3x8xf32>, tensor<2x1x8x5xf32>) -> tensor<2x4x3x5xf32>
  // CHECK: onnx.Softmax
  %p2 = onnx.Softmax(%a2) {axis = 3} : (tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %y2 = onnx.MatMul(%p2, %v) : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  return %y, %y2 : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
}

// A mask as torch computes it from the lengths and writes over: its numbers are finite, so that each query attends to something.
// CHECK-LABEL: func @written_mask
func.func @written_mask(%q: tensor<1x2x3x4xf32>, %kv: tensor<1x2x5x4xf32>, %n: tensor<2xi64>, %i: tensor<3x2xi64>, %b: tensor<3x5xi1>, %x: tensor<3xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %one = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %low = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<f32>} : () -> tensor<f32>
  %lows = onnx.Constant() {value = dense<-3.40282347E+38> : tensor<3xf32>} : () -> tensor<3xf32>
  %f = onnx.ConstantOfShape(%n) {value = dense<-3.40282347E+38> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<3x5xf32>
  %t = onnx.Trilu(%f, %one) {upper = 1} : (tensor<3x5xf32>, tensor<i64>) -> tensor<3x5xf32>
  %w = onnx.Where(%b, %t, %low) : (tensor<3x5xi1>, tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %m = onnx.ScatterND(%w, %i, %lows) {reduction = "none"} : (tensor<3x5xf32>, tensor<3x2xi64>, tensor<3xf32>) -> tensor<3x5xf32>
  %k = onnx.Transpose(%kv) {perm = [0, 1, 3, 2]} : (tensor<1x2x5x4xf32>) -> tensor<1x2x4x5xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<1x2x3x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32>
  %c = onnx.Add(%a, %m) : (tensor<1x2x3x5xf32>, tensor<3x5xf32>) -> tensor<1x2x3x5xf32>
  %p = onnx.Softmax(%c) {axis = 3} : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  // CHECK: onnx.Attention(
  %y = onnx.MatMul(%p, %kv) : (tensor<1x2x3x5xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
  // What is written may be anything.
  %m2 = onnx.ScatterND(%w, %i, %x) {reduction = "none"} : (tensor<3x5xf32>, tensor<3x2xi64>, tensor<3xf32>) -> tensor<3x5xf32>
  %a2 = onnx.MatMul(%q, %k) : (tensor<1x2x3x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32>
  %c2 = onnx.Add(%a2, %m2) : (tensor<1x2x3x5xf32>, tensor<3x5xf32>) -> tensor<1x2x3x5xf32>
  // CHECK: onnx.Softmax
  %p2 = onnx.Softmax(%c2) {axis = 3} : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %y2 = onnx.MatMul(%p2, %kv) : (tensor<1x2x3x5xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
  return %y, %y2 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// Keys whose batch and heads are one dim while they are transposed, with sizes that Shape gives: behind them stands what is left.
// CHECK-LABEL: func @merged_key
func.func @merged_key(%q: tensor<1x4x3x16xf32>, %kv: tensor<1x4x?x16xf32>) -> tensor<1x4x3x16xf32> {
  %rest = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %size = onnx.Constant() {value = dense<16> : tensor<1xi64>} : () -> tensor<1xi64>
  %last = onnx.Constant() {value = dense<[1, 4, 16, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
  %n = onnx.Shape(%kv) {start = 2, end = 3} : (tensor<1x4x?x16xf32>) -> tensor<1xi64>
  %s = onnx.Concat(%rest, %n, %size) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %m = onnx.Reshape(%kv, %s) : (tensor<1x4x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  %t = onnx.Transpose(%m) {perm = [0, 2, 1]} : (tensor<?x?x16xf32>) -> tensor<?x16x?xf32>
  %k = onnx.Reshape(%t, %last) : (tensor<?x16x?xf32>, tensor<4xi64>) -> tensor<1x4x16x?xf32>
  %a = onnx.MatMul(%q, %k) : (tensor<1x4x3x16xf32>, tensor<1x4x16x?xf32>) -> tensor<1x4x3x?xf32>
  %p = onnx.Softmax(%a) {axis = 3} : (tensor<1x4x3x?xf32>) -> tensor<1x4x3x?xf32>
  // CHECK: onnx.Attention(%arg0, %arg1, %arg1)
  %y = onnx.MatMul(%p, %kv) : (tensor<1x4x3x?xf32>, tensor<1x4x?x16xf32>) -> tensor<1x4x3x16xf32>
  return %y : tensor<1x4x3x16xf32>
}
