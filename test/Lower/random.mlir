// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -cse -split-input-file | FileCheck %s

// Each node has a key of its own, and elements hash their number.
// CHECK-LABEL: @two_nodes
// CHECK: rt.call "random_key"() {{.*}}stateful
// CHECK: linalg.index 0
// CHECK: arith.xori
// CHECK: rt.call "random_key"() {{.*}}stateful
func.func @two_nodes() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = onnx.RandomUniform() {shape = array<i64: 2, 3>} : () -> tensor<2x3xf32>
  %1 = onnx.RandomUniform() {shape = array<i64: 2, 3>} : () -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @seed
// CHECK: %[[SEED:.*]] = arith.constant 7 : i64
// CHECK: rt.call "random_normal"(%[[SEED]] : i64) outs({{.*}} : tensor<2x3xf64>)
func.func @seed() -> tensor<2x3xf32> {
  %0 = onnx.RandomNormal() {shape = array<i64: 2, 3>, seed = 7.5 : f32} : () -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Whether to train may be told at run time.
// CHECK-LABEL: @dropout
// CHECK-DAG: %[[TRAIN:.*]] = tensor.extract %arg1
// CHECK-DAG: rt.call "random_uniform"
// CHECK: arith.select %[[TRAIN]]
// CHECK: arith.cmpf
func.func @dropout(%x: tensor<4xf32>, %t: tensor<i1>) -> tensor<4xf32> {
  %0, %1 = onnx.Dropout(%x, _, %t) {seed = 1} : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>)
  return %0 : tensor<4xf32>
}
