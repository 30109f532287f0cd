// RUN: onnx-mlir-opt %s --onnx-eliminate-consecutive-idempotent-ops | FileCheck %s

// CHECK-LABEL: func @twice
// CHECK: %[[R:.*]] = onnx.Relu(%arg0)
// CHECK: return %[[R]], %[[R]]
func.func @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.Relu(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Relu(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @back
// CHECK: return %arg0, %arg1
func.func @back(%x: tensor<?xi8>, %b: tensor<*xi1>) -> (tensor<?xi8>, tensor<*xi1>) {
  %0 = onnx.Neg(%x) : (tensor<?xi8>) -> tensor<?xi8>
  %1 = onnx.Neg(%0) : (tensor<?xi8>) -> tensor<?xi8>
  %2 = onnx.Not(%b) : (tensor<*xi1>) -> tensor<*xi1>
  %3 = onnx.Not(%2) : (tensor<*xi1>) -> tensor<*xi1>
  return %1, %3 : tensor<?xi8>, tensor<*xi1>
}

// With the same attributes and further operands only.
// CHECK-LABEL: func @further
// CHECK: %[[A:.*]] = onnx.ThresholdedRelu(%arg0) {alpha = 2.0}
// CHECK: onnx.ThresholdedRelu(%[[A]]) {alpha = 3.0}
// CHECK: %[[B:.*]] = onnx.ThresholdedRelu(%[[A]]) {alpha = 3.0}
// CHECK: onnx.Or(%arg1, %arg2)
// CHECK: %[[C:.*]] = onnx.Or(%arg1, %arg2)
// CHECK: %[[D:.*]] = onnx.Or(%[[C]], %arg3)
// CHECK: return %[[B]], %[[D]]
func.func @further(%x: tensor<2xf32>, %a: tensor<2xi1>, %b: tensor<2xi1>, %c: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xi1>) {
  %0 = onnx.ThresholdedRelu(%x) {alpha = 2.0} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.ThresholdedRelu(%0) {alpha = 3.0} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.ThresholdedRelu(%1) {alpha = 3.0} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = onnx.Or(%a, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %4 = onnx.Or(%3, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %5 = onnx.Or(%4, %c) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %2, %5 : tensor<2xf32>, tensor<2xi1>
}

// CHECK-LABEL: func @clips
// CHECK: onnx.Clip
// CHECK: %[[A:.*]] = onnx.Clip(%arg0, %arg1)
// CHECK: %[[B:.*]] = onnx.Clip(%[[A]], _, %arg1)
// CHECK: return %[[A]], %[[B]]
func.func @clips(%x: tensor<2xf32>, %b: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = onnx.Clip(%x, %b, _) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = onnx.Clip(%0, %b, _) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = onnx.Clip(%1, _, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// The 0 copies a dim of what the first Reshape gives.
// CHECK-LABEL: func @reshapes
// CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[6, -1]> : tensor<2xi64>}
// CHECK: onnx.Reshape(%arg0, %[[S]])
func.func @reshapes(%x: tensor<2x6xf32>) -> tensor<6x2xf32> {
  %s = onnx.Constant() {value_ints = [6, 2]} : () -> tensor<2xi64>
  %t = onnx.Constant() {value_ints = [0, -1]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<6x2xf32>
  %1 = onnx.Reshape(%0, %t) : (tensor<6x2xf32>, tensor<2xi64>) -> tensor<6x2xf32>
  return %1 : tensor<6x2xf32>
}

// CHECK-LABEL: func @near_misses
// CHECK: onnx.Reshape(%arg0
// CHECK: %[[R:.*]] = onnx.Reshape(%{{.*}}, %arg1)
// CHECK: %[[E:.*]] = onnx.Exp
// CHECK: onnx.Exp(%[[E]])
func.func @near_misses(%x: tensor<2x6xf32>, %t: tensor<2xi64>) -> tensor<?x?xf32> {
  %s = onnx.Constant() {value_ints = [6, 2]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<6x2xf32>
  %1 = onnx.Reshape(%0, %t) : (tensor<6x2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = onnx.Exp(%1) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = onnx.Exp(%2) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
