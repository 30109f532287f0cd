// RUN: onnx-mlir-opt %s --onnx-algebraic=nsz=true | FileCheck %s

// CHECK-LABEL: func @signs
// CHECK: %[[A:.*]] = onnx.Sub(%arg0, %arg1)
// CHECK: %[[B:.*]] = onnx.Sub(%arg1, %arg0)
// CHECK: %[[C:.*]] = onnx.Neg(%arg0)
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @signs(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %m = onnx.Constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %n = onnx.Neg(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %0 = onnx.Add(%n, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %d = onnx.Sub(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Neg(%d) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Mul(%m, %x) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @same
// CHECK: return %arg0, %arg0, %arg0
func.func @same(%x: tensor<?xf32>, %c: tensor<1xi1>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.Max(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Sum(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = onnx.Where(%c, %x, %x) : (tensor<1xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @of_one
// CHECK: return %arg0, %arg0, %arg0, %arg0
func.func @of_one(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.Max(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Min(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = onnx.Mean(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = onnx.Concat(%x) {axis = 0} : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @bits
// CHECK: %[[N:.*]] = onnx.Not(%arg0)
// CHECK: return %arg0, %[[N]], %arg1, %arg1
func.func @bits(%b: tensor<?xi1>, %i: tensor<?xui8>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xui8>, tensor<?xui8>) {
  %t = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %a = onnx.Constant() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
  %z = onnx.Constant() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
  %0 = onnx.Equal(%t, %b) : (tensor<i1>, tensor<?xi1>) -> tensor<?xi1>
  %1 = onnx.Xor(%b, %t) : (tensor<?xi1>, tensor<i1>) -> tensor<?xi1>
  %2 = onnx.BitwiseAnd(%i, %a) : (tensor<?xui8>, tensor<ui8>) -> tensor<?xui8>
  %3 = onnx.BitShift(%i, %z) {direction = "LEFT"} : (tensor<?xui8>, tensor<ui8>) -> tensor<?xui8>
  return %0, %1, %2, %3 : tensor<?xi1>, tensor<?xi1>, tensor<?xui8>, tensor<?xui8>
}

// CHECK-LABEL: func @comparisons
// CHECK: onnx.GreaterOrEqual(%arg0, %arg0)
// CHECK: onnx.Less(%arg1, %arg1)
// CHECK: onnx.Not
func.func @comparisons(%i: tensor<2xi32>, %x: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>) {
  %0 = onnx.Less(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %1 = onnx.Not(%0) : (tensor<2xi1>) -> tensor<2xi1>
  %2 = onnx.Less(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %3 = onnx.Not(%2) : (tensor<2xi1>) -> tensor<2xi1>
  return %1, %3 : tensor<2xi1>, tensor<2xi1>
}

// The result is larger than what is chosen; a shift of 0; a comparison of numbers.
// CHECK-LABEL: func @near_misses
// CHECK: onnx.Where
// CHECK: onnx.BitShift
// CHECK: onnx.Equal
func.func @near_misses(%x: tensor<1xf32>, %y: tensor<2xf32>, %i: tensor<ui8>, %j: tensor<2xi32>) -> (tensor<2xf32>, tensor<ui8>, tensor<2xi1>) {
  %t = onnx.Constant() {value = dense<true> : tensor<1xi1>} : () -> tensor<1xi1>
  %z = onnx.Constant() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
  %o = onnx.Constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %0 = onnx.Where(%t, %x, %y) : (tensor<1xi1>, tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.BitShift(%z, %i) {direction = "LEFT"} : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  %2 = onnx.Equal(%j, %o) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xf32>, tensor<ui8>, tensor<2xi1>
}

// A constant has no operands to compare.
// CHECK-LABEL: func @not_of_constant
// CHECK: onnx.Not
func.func @not_of_constant() -> tensor<2xi1> {
  %0 = onnx.Constant() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %1 = onnx.Not(%0) : (tensor<2xi1>) -> tensor<2xi1>
  return %1 : tensor<2xi1>
}
