// RUN: onnx-mlir-opt %s --onnx-reduce-simplify | FileCheck %s

// CHECK-LABEL: func @of_one
// CHECK: %[[S:.*]] = onnx.Squeeze(%arg0, {{.*}}) : (tensor<2x1x?xf32>, tensor<1xi64>) -> tensor<2x?xf32>
// CHECK: return %arg0, %[[S]]
func.func @of_one(%x: tensor<2x1x?xf32>) -> (tensor<2x1x?xf32>, tensor<2x?xf32>) {
  %a = onnx.Constant() {value_ints = [-2]} : () -> tensor<1xi64>
  %0 = onnx.ReduceMax(%x, %a) : (tensor<2x1x?xf32>, tensor<1xi64>) -> tensor<2x1x?xf32>
  %1 = onnx.ReduceMean(%x, %a) {keepdims = 0} : (tensor<2x1x?xf32>, tensor<1xi64>) -> tensor<2x?xf32>
  return %0, %1 : tensor<2x1x?xf32>, tensor<2x?xf32>
}

// CHECK-LABEL: func @merged
// CHECK: %[[A:.*]] = onnx.Constant() {value = dense<[1, 3]> : tensor<2xi64>}
// CHECK: onnx.ReduceSum(%arg0, %[[A]]) {keepdims = 0}
func.func @merged(%x: tensor<2x3x4x5xf32>) -> tensor<2x4xf32> {
  %a = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %b = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %0 = onnx.ReduceSum(%x, %a) {keepdims = 0} : (tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<2x4x5xf32>
  %1 = onnx.ReduceSum(%0, %b) {keepdims = 0} : (tensor<2x4x5xf32>, tensor<1xi64>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: func @norm
// CHECK: onnx.ReduceL2(%arg0, %arg1)
func.func @norm(%x: tensor<2x?xf32>, %a: tensor<1xi64>) -> tensor<?x?xf32> {
  %0 = onnx.Mul(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = onnx.ReduceSum(%0, %a) : (tensor<2x?xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  %2 = onnx.Sqrt(%1) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// CHECK-LABEL: func @pool
// CHECK: return %arg0
func.func @pool(%x: tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32> {
  %0, %i = onnx.MaxPool(%x) {kernel_shape = [1, 1]} : (tensor<1x2x?x?xf32>) -> (tensor<1x2x?x?xf32>, tensor<1x2x?x?xi64>)
  return %0 : tensor<1x2x?x?xf32>
}

// A dim that is not known; one step keeps its dims; steps of 2.
// CHECK-LABEL: func @near_misses
// CHECK: onnx.ReduceMax
// CHECK-COUNT-2: onnx.ReduceSum
// CHECK: onnx.MaxPool
func.func @near_misses(%x: tensor<?x3xf32>, %y: tensor<1x2x4x4xf32>) -> (tensor<1x3xf32>, tensor<1xf32>, tensor<1x2x2x2xf32>) {
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %0 = onnx.ReduceMax(%x, %a) : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  %b = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %c = onnx.Constant() {value_ints = [0, 2, 3]} : () -> tensor<3xi64>
  %1 = onnx.ReduceSum(%y, %b) : (tensor<1x2x4x4xf32>, tensor<1xi64>) -> tensor<1x1x4x4xf32>
  %2 = onnx.ReduceSum(%1, %c) {keepdims = 0} : (tensor<1x1x4x4xf32>, tensor<3xi64>) -> tensor<1xf32>
  %4 = onnx.MaxPool(%y) {kernel_shape = [1, 1], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  return %0, %2, %4 : tensor<1x3xf32>, tensor<1xf32>, tensor<1x2x2x2xf32>
}

// The mean of integers is rounded twice.
// CHECK-LABEL: func @integer_means
func.func @integer_means(%x: tensor<2x3xi32>) -> tensor<i32> {
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  // CHECK-COUNT-2: onnx.ReduceMean
  %0 = onnx.ReduceMean(%x, %a) {keepdims = 0} : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<3xi32>
  %1 = onnx.ReduceMean(%0, %a) {keepdims = 0} : (tensor<3xi32>, tensor<1xi64>) -> tensor<i32>
  return %1 : tensor<i32>
}

// Without axes nothing is reduced: what is left is the absolute value.
// CHECK-LABEL: func @reduces_nothing
// CHECK-NOT: onnx.ReduceL2
// CHECK: return
func.func @reduces_nothing(%x: tensor<2x?xf32>, %a: tensor<?xi64>) -> (tensor<2x?xf32>, tensor<*xf32>) {
  %0 = onnx.Mul(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = onnx.ReduceSum(%0, _) {noop_with_empty_axes = 1} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = onnx.Sqrt(%1) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = onnx.Mul(%x, %x) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %4 = onnx.ReduceSum(%3, %a) {noop_with_empty_axes = 1} : (tensor<2x?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %5 = onnx.Sqrt(%4) : (tensor<*xf32>) -> tensor<*xf32>
  return %2, %5 : tensor<2x?xf32>, tensor<*xf32>
}
