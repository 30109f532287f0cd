// RUN: onnx-mlir-opt %s --onnx-fuse-reshape-transpose --canonicalize | FileCheck %s

// CHECK-LABEL: func @key_of_attention
func.func @key_of_attention(%x: tensor<2x4x7x8xf32>) -> tensor<2x4x8x7xf32> {
  %s = onnx.Constant() {value = dense<[8, 7, 8]> : tensor<3xi64>} : () -> tensor<3xi64>
  %t = onnx.Constant() {value = dense<[2, 4, 8, 7]> : tensor<4xi64>} : () -> tensor<4xi64>
  // CHECK-NEXT: %[[T:.*]] = onnx.Transpose(%arg0) {perm = [0, 1, 3, 2]}
  // CHECK-NEXT: return %[[T]]
  %a = onnx.Reshape(%x, %s) : (tensor<2x4x7x8xf32>, tensor<3xi64>) -> tensor<8x7x8xf32>
  %b = onnx.Transpose(%a) {perm = [0, 2, 1]} : (tensor<8x7x8xf32>) -> tensor<8x8x7xf32>
  %c = onnx.Reshape(%b, %t) : (tensor<8x8x7xf32>, tensor<4xi64>) -> tensor<2x4x8x7xf32>
  return %c : tensor<2x4x8x7xf32>
}

// CHECK-LABEL: func @depth_to_space
func.func @depth_to_space(%x: tensor<?x12x4x5xf32>) -> (tensor<?x3x8x10xf32>, tensor<?x3x8x10xf32>) {
  %s = onnx.Constant() {value = dense<[-1, 2, 2, 3, 4, 5]> : tensor<6xi64>} : () -> tensor<6xi64>
  %u = onnx.Constant() {value = dense<[-1, 3, 2, 2, 4, 5]> : tensor<6xi64>} : () -> tensor<6xi64>
  %t = onnx.Constant() {value = dense<[-1, 3, 8, 10]> : tensor<4xi64>} : () -> tensor<4xi64>
  // CHECK-NEXT: onnx.DepthToSpace(%arg0) {blocksize = 2}
  %a = onnx.Reshape(%x, %s) : (tensor<?x12x4x5xf32>, tensor<6xi64>) -> tensor<?x2x2x3x4x5xf32>
  %b = onnx.Transpose(%a) {perm = [0, 3, 4, 1, 5, 2]} : (tensor<?x2x2x3x4x5xf32>) -> tensor<?x3x4x2x5x2xf32>
  %c = onnx.Reshape(%b, %t) : (tensor<?x3x4x2x5x2xf32>, tensor<4xi64>) -> tensor<?x3x8x10xf32>
  // CHECK-NEXT: onnx.DepthToSpace(%arg0) {blocksize = 2, mode = "CRD"}
  %d = onnx.Reshape(%x, %u) : (tensor<?x12x4x5xf32>, tensor<6xi64>) -> tensor<?x3x2x2x4x5xf32>
  %e = onnx.Transpose(%d) {perm = [0, 1, 4, 2, 5, 3]} : (tensor<?x3x2x2x4x5xf32>) -> tensor<?x3x4x2x5x2xf32>
  %f = onnx.Reshape(%e, %t) : (tensor<?x3x4x2x5x2xf32>, tensor<4xi64>) -> tensor<?x3x8x10xf32>
  return %c, %f : tensor<?x3x8x10xf32>, tensor<?x3x8x10xf32>
}

// CHECK-LABEL: func @space_to_depth
func.func @space_to_depth(%x: tensor<1x3x8x10xf32>) -> tensor<1x12x4x5xf32> {
  %s = onnx.Constant() {value = dense<[1, 3, 4, 2, 5, 2]> : tensor<6xi64>} : () -> tensor<6xi64>
  %t = onnx.Constant() {value = dense<[1, 12, 4, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  // CHECK-NEXT: onnx.SpaceToDepth(%arg0) {blocksize = 2}
  %a = onnx.Reshape(%x, %s) : (tensor<1x3x8x10xf32>, tensor<6xi64>) -> tensor<1x3x4x2x5x2xf32>
  %b = onnx.Transpose(%a) {perm = [0, 3, 5, 1, 2, 4]} : (tensor<1x3x4x2x5x2xf32>) -> tensor<1x2x2x3x4x5xf32>
  %c = onnx.Reshape(%b, %t) : (tensor<1x2x2x3x4x5xf32>, tensor<4xi64>) -> tensor<1x12x4x5xf32>
  return %c : tensor<1x12x4x5xf32>
}

// Heads of attention are split off: the first Reshape is needed, the last not.
// CHECK-LABEL: func @reshape_and_transpose
func.func @reshape_and_transpose(%x: tensor<?x7x32xf32>) -> tensor<?x4x7x8xf32> {
  %s = onnx.Constant() {value = dense<[-1, 7, 4, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %t = onnx.Constant() {value = dense<[-1, 4, 7, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  // CHECK: %[[R:.*]] = onnx.Reshape(%arg0
  // CHECK: onnx.Transpose(%[[R]]) {perm = [0, 2, 1, 3]} : (tensor<?x7x4x8xf32>)
  // CHECK-NOT: onnx.Reshape
  %a = onnx.Reshape(%x, %s) : (tensor<?x7x32xf32>, tensor<4xi64>) -> tensor<?x7x4x8xf32>
  %b = onnx.Transpose(%a) {perm = [0, 2, 1, 3]} : (tensor<?x7x4x8xf32>) -> tensor<?x4x7x8xf32>
  %c = onnx.Reshape(%b, %t) : (tensor<?x4x7x8xf32>, tensor<4xi64>) -> tensor<?x4x7x8xf32>
  return %c : tensor<?x4x7x8xf32>
}

// A shuffle of channels needs all three; no elements; two unknown dims.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<1x6x4xf32>, %y: tensor<0x6x4xf32>, %z: tensor<?x?x6xf32>) -> (tensor<1x6x4xf32>, tensor<0x24xf32>, tensor<?x?xf32>) {
  %s = onnx.Constant() {value = dense<[1, 2, 3, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
  %t = onnx.Constant() {value = dense<[1, 6, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  %u = onnx.Constant() {value = dense<[0, 3, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
  %v = onnx.Constant() {value = dense<[0, 24]> : tensor<2xi64>} : () -> tensor<2xi64>
  %w = onnx.Constant() {value = dense<[0, 0, 2, 3]> : tensor<4xi64>} : () -> tensor<4xi64>
  // CHECK-COUNT-3: onnx.Transpose{{.*}}[0, 2, 1, 3]
  %a = onnx.Reshape(%x, %s) : (tensor<1x6x4xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32>
  %b = onnx.Transpose(%a) {perm = [0, 2, 1, 3]} : (tensor<1x2x3x4xf32>) -> tensor<1x3x2x4xf32>
  %c = onnx.Reshape(%b, %t) : (tensor<1x3x2x4xf32>, tensor<3xi64>) -> tensor<1x6x4xf32>
  %d = onnx.Reshape(%y, %u) : (tensor<0x6x4xf32>, tensor<4xi64>) -> tensor<0x3x2x4xf32>
  %e = onnx.Transpose(%d) {perm = [0, 2, 1, 3]} : (tensor<0x3x2x4xf32>) -> tensor<0x2x3x4xf32>
  %f = onnx.Reshape(%e, %v) : (tensor<0x2x3x4xf32>, tensor<2xi64>) -> tensor<0x24xf32>
  %g = onnx.Reshape(%z, %w) : (tensor<?x?x6xf32>, tensor<4xi64>) -> tensor<?x?x2x3xf32>
  %h = onnx.Transpose(%g) {perm = [0, 2, 1, 3]} : (tensor<?x?x2x3xf32>) -> tensor<?x2x?x3xf32>
  %i = onnx.Flatten(%h) : (tensor<?x2x?x3xf32>) -> tensor<?x?xf32>
  return %c, %f, %i : tensor<1x6x4xf32>, tensor<0x24xf32>, tensor<?x?xf32>
}
