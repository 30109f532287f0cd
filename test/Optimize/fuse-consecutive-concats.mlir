// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-concats | FileCheck %s

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
