// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @add_row
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK: arith.addf
func.func @add_row(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Equal for any input: nothing to check, nothing to expand.
// CHECK-LABEL: @add_same_size
// CHECK-NOT: cf.assert
// CHECK-NOT: scf.if
// CHECK: linalg.generic
func.func @add_same_size(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = onnx.Relu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = onnx.Add(%x, %0) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// Either side may turn out to be 1.
// CHECK-LABEL: @add_unknown_sizes
// CHECK: cf.assert %{{.+}}, "{{.*}}: broadcast: dimensions cannot be broadcast
// CHECK-COUNT-2: scf.if
// CHECK: linalg.generic
func.func @add_unknown_sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: @unsigned_division
// CHECK-SAME: tensor<4x8xi8>
// CHECK: arith.divui
func.func @unsigned_division(%x: tensor<4x8xui8>, %y: tensor<ui8>) -> tensor<4x8xui8> {
  %0 = onnx.Div(%x, %y) : (tensor<4x8xui8>, tensor<ui8>) -> tensor<4x8xui8>
  return %0 : tensor<4x8xui8>
}

// -----

// Few integers are scalars, and fold.
// CHECK-LABEL: @shape_arithmetic
// CHECK: %[[C:.+]] = arith.constant dense<[6, 8]> : tensor<2xi64>
// CHECK-NEXT: return %[[C]]
func.func @shape_arithmetic() -> tensor<2xi64> {
  %0 = onnx.Constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %1 = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %2 = onnx.Mul(%0, %1) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  return %2 : tensor<2xi64>
}
