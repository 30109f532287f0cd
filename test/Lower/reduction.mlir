// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @mean
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: tensor.expand_shape {{.*}} into tensor<4x1xf32>
func.func @mean(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %axes = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.ReduceMean(%x, %axes) : (tensor<4x8xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// CHECK-LABEL: @softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = onnx.Softmax(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Padding is less than any element; unsigned elements are compared as such.
// CHECK-LABEL: @max_pool
// CHECK: arith.constant 0 : i8
// CHECK: tensor.pad
// CHECK: arith.maxui
func.func @max_pool(%x: tensor<1x1x4x4xui8>) -> tensor<1x1x4x4xui8> {
  %0 = onnx.MaxPool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : (tensor<1x1x4x4xui8>) -> tensor<1x1x4x4xui8>
  return %0 : tensor<1x1x4x4xui8>
}

// -----

// Four rows at once, whose sums do not wait for each other, and then the ninth.
// CHECK-LABEL: @sums_along_rows
// CHECK: scf.for {{.*}} step %c4
// CHECK: scf.for {{.*}} -> (tensor<9x8xf32>, f32, f32, f32, f32)
// CHECK-COUNT-4: tensor.insert
// CHECK: scf.for {{.*}} -> (tensor<9x8xf32>, f32)
func.func @sums_along_rows(%x: tensor<9x8xf32>) -> tensor<9x8xf32> {
  %axis = onnx.Constant() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %0 = onnx.CumSum(%x, %axis) : (tensor<9x8xf32>, tensor<i64>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

// -----

// The greatest of a row, then the first place that has it, in lanes as wide as elements.
// CHECK-LABEL: @place_of_the_greatest
// CHECK: linalg.generic
// CHECK: arith.maximumf
// CHECK: linalg.generic
// CHECK: arith.cmpf oeq
// CHECK: arith.minsi {{.*}} : i32
func.func @place_of_the_greatest(%x: tensor<5x8xf32>) -> tensor<5x1xi64> {
  %0 = onnx.ArgMax(%x) {axis = 1} : (tensor<5x8xf32>) -> tensor<5x1xi64>
  return %0 : tensor<5x1xi64>
}
