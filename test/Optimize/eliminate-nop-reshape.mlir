// RUN: onnx-mlir-opt %s --onnx-eliminate-nop-reshape | FileCheck %s

// CHECK-LABEL: func @known
// CHECK: return %arg0, %arg0
func.func @known(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %s = onnx.Constant() {value_ints = [-1, 3]} : () -> tensor<2xi64>
  %z = onnx.Constant() {value_ints = [0, 0]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = onnx.Reshape(%x, %z) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// What the shape tells goes to the producer.
// CHECK-LABEL: func @refines
// CHECK: onnx.Relu(%arg0) : (tensor<?x3xf32>) -> tensor<5x3xf32>
// CHECK-NOT: onnx.Reshape
func.func @refines(%x: tensor<?x3xf32>) -> tensor<5x3xf32> attributes {onnx.entry} {
  %s = onnx.Constant() {value_ints = [5, -1]} : () -> tensor<2xi64>
  %r = onnx.Constant() {value_ints = [5, 3]} : () -> tensor<2xi64>
  %0 = onnx.Relu(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = onnx.Reshape(%0, %r) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// Of no elements any shape may be made.
// CHECK-LABEL: func @empty
// CHECK: onnx.Reshape
func.func @empty(%x: tensor<?x0xf32>) -> tensor<5x0xf32> {
  %s = onnx.Constant() {value_ints = [5, 0]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) {allowzero = 1} : (tensor<?x0xf32>, tensor<2xi64>) -> tensor<5x0xf32>
  return %0 : tensor<5x0xf32>
}

// The dim that is copied may be 0; two dims may have changed places.
// CHECK-LABEL: func @not_known
// CHECK-COUNT-2: onnx.Reshape
func.func @not_known(%x: tensor<?x?xf32>, %y: tensor<2x?xf32>) -> (tensor<?x5xf32>, tensor<?x6xf32>) {
  %s = onnx.Constant() {value_ints = [0, 5]} : () -> tensor<2xi64>
  %t = onnx.Constant() {value_ints = [-1, 6]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  %1 = onnx.Reshape(%y, %t) : (tensor<2x?xf32>, tensor<2xi64>) -> tensor<?x6xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<?x6xf32>
}
