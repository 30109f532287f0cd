// What may be merged, removed and moved.
// RUN: onnx-mlir-opt %s --cse --canonicalize | FileCheck %s

// Two draws are not one; a draw without uses is removed.
// CHECK-LABEL: func.func @random
func.func @random() -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: onnx.RandomNormal
  // CHECK-NOT: onnx.RandomNormal
  %0 = onnx.RandomNormal() {shape = [4]} : () -> tensor<4xf32>
  %1 = onnx.RandomNormal() {shape = [4]} : () -> tensor<4xf32>
  %2 = onnx.RandomNormal() {shape = [4]} : () -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Dropout draws in training only; else it is the identity.
// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<4xf32>, %training: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = onnx.Dropout(%arg0, _, %arg1)
  // CHECK: %[[B:.*]] = onnx.Dropout(%arg0, _, %arg1)
  // CHECK: return %arg0, %arg0, %[[A]], %[[B]]
  %0 = onnx.Dropout(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %off = onnx.Constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %1 = onnx.Dropout(%x, _, %off) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %2 = onnx.Dropout(%x, _, %training) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %3 = onnx.Dropout(%x, _, %training) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// An op with subgraphs has their effects.
// CHECK-LABEL: func.func @subgraphs
func.func @subgraphs(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: onnx.If
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<4xf32>
  } else_branch {
    %1 = onnx.Neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    onnx.yield %1 : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// Equal ops are merged only with equal attributes.
// CHECK-LABEL: func.func @pure
func.func @pure(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[A:.*]] = onnx.Softmax(%arg0) {axis = 0}
  // CHECK: %[[B:.*]] = onnx.Softmax(%arg0) :
  // CHECK: return %[[A]], %[[A]], %[[B]]
  %0 = onnx.Softmax(%x) {axis = 0} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = onnx.Softmax(%x) {axis = 0} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = onnx.Softmax(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
