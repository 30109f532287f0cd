// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-concats | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-concats=upstream-compatible | FileCheck %s --check-prefix=COMPAT

// CHECK-LABEL: func @spliced
func.func @spliced(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x15xf32>) {
  // CHECK: onnx.Concat(%arg0, %arg1, %arg0, %arg1, %arg0) {axis = 1}
  %v0 = onnx.Concat(%x, %y) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %v1 = onnx.Concat(%y, %x) {axis = -1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %v2 = onnx.Concat(%v0, %x, %v1) {axis = 1} : (tensor<2x6xf32>, tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x15xf32>
  return %v2 : tensor<2x15xf32>
}

// CHECK-LABEL: func @other_axis
func.func @other_axis(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<4x6xf32>) {
  // CHECK: onnx.Concat
  // CHECK: onnx.Concat
  %v0 = onnx.Concat(%x, %y) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %v1 = onnx.Concat(%v0, %v0) {axis = 0} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return %v1 : tensor<4x6xf32>
}

// CHECK-LABEL: func @also_an_output
func.func @also_an_output(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x9xf32>, tensor<2x6xf32>) {
  // CHECK: %[[A:.*]] = onnx.Concat
  // CHECK: onnx.Concat(%[[A]], %arg0)
  %v0 = onnx.Concat(%x, %y) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %v1 = onnx.Concat(%v0, %x) {axis = 1} : (tensor<2x6xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  return %v1, %v0 : tensor<2x9xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func @used_by_concats
func.func @used_by_concats(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x12xf32>, tensor<2x9xf32>) {
  // CHECK: onnx.Concat(%arg0, %arg1, %arg0, %arg1)
  // CHECK: onnx.Concat(%arg0, %arg1, %arg0)
  %v0 = onnx.Concat(%x, %y) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %v1 = onnx.Concat(%v0, %v0) {axis = 1} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
  %v2 = onnx.Concat(%v0, %x) {axis = 1} : (tensor<2x6xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  return %v1, %v2 : tensor<2x12xf32>, tensor<2x9xf32>
}

// However many operands it has, what only the outer one uses is spliced; what
// others use as well, up to eight.
// CHECK-LABEL: func @of_many
// COMPAT-LABEL: func @of_many
func.func @of_many(%x: tensor<1xf32>, %y: tensor<1xf32>) -> (tensor<10xf32>, tensor<11xf32>, tensor<10xf32>, tensor<9xf32>, tensor<10xf32>) {
  // CHECK: onnx.Concat(%arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg1)
  // CHECK: %[[N:.*]] = onnx.Concat(%arg1, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0)
  // CHECK: onnx.Concat(%[[N]], %arg0, %arg1)
  // CHECK: onnx.Concat(%[[N]], %arg1)
  // CHECK: onnx.Concat(%arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg0)
  // CHECK: onnx.Concat(%arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg0, %arg0)
  // COMPAT: onnx.Concat(%arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg1)
  // COMPAT: %[[E:.*]] = onnx.Concat(%arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1)
  // COMPAT: onnx.Concat(%[[E]], %arg0)
  %v0 = onnx.Concat(%x, %x, %x, %x, %x, %x, %x, %x, %x) {axis = 0} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<9xf32>
  %v1 = onnx.Concat(%v0, %y) {axis = 0} : (tensor<9xf32>, tensor<1xf32>) -> tensor<10xf32>
  %v2 = onnx.Concat(%y, %x, %x, %x, %x, %x, %x, %x, %x) {axis = 0} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<9xf32>
  %v3 = onnx.Concat(%v2, %x, %y) {axis = 0} : (tensor<9xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<11xf32>
  %v4 = onnx.Concat(%v2, %y) {axis = 0} : (tensor<9xf32>, tensor<1xf32>) -> tensor<10xf32>
  %v5 = onnx.Concat(%y, %y, %y, %y, %y, %y, %y, %y) {axis = 0} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8xf32>
  %v6 = onnx.Concat(%v5, %x) {axis = 0} : (tensor<8xf32>, tensor<1xf32>) -> tensor<9xf32>
  %v7 = onnx.Concat(%v5, %x, %x) {axis = 0} : (tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<10xf32>
  return %v1, %v3, %v4, %v6, %v7 : tensor<10xf32>, tensor<11xf32>, tensor<10xf32>, tensor<9xf32>, tensor<10xf32>
}
