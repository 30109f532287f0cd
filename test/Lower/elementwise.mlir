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

// -----

// What does not fit is the least integer; what fits is below 2^31.
// CHECK-LABEL: @to_integer
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 2.14748365E+9 : f32
// CHECK-DAG: %[[LOW:.*]] = arith.constant -2.14748365E+9 : f32
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG: arith.cmpf olt, %{{.*}}, %[[HIGH]]
// CHECK-DAG: arith.cmpf ole, %[[LOW]], %{{.*}}
// CHECK: arith.fptosi
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LEAST]]
func.func @to_integer(%x: tensor<4x8xf32>) -> tensor<4x8xi32> {
  %0 = onnx.Cast(%x) {to = 6} : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// Few integers are computed one by one, of floats there is a loop: of one operand the size is not known.
// CHECK-LABEL: @few
// CHECK: arith.addi
// CHECK: tensor.from_elements
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xi1>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: i1):
// CHECK: arith.cmpf olt, %[[Y]], %[[X]]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xi1>)
// CHECK: arith.cmpf olt
func.func @few(%x: tensor<?xf32>, %y: tensor<4xf32>, %i: tensor<2xi64>) -> (tensor<2xi64>, tensor<4xi1>, tensor<4xi1>) {
  %0 = onnx.Add(%i, %i) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %1 = onnx.Greater(%x, %y) : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = onnx.Less(%y, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<2xi64>, tensor<4xi1>, tensor<4xi1>
}

// -----

// Sixteen are few, seventeen are not.
// CHECK-LABEL: @how_few
// CHECK-COUNT-16: arith.addi
// CHECK: tensor.from_elements
// CHECK: linalg.generic
// CHECK: arith.addi
// CHECK-NOT: arith.addi
// CHECK: return
func.func @how_few(%x: tensor<16xi64>, %y: tensor<17xi64>) -> (tensor<16xi64>, tensor<17xi64>) {
  %0 = onnx.Add(%x, %x) : (tensor<16xi64>, tensor<16xi64>) -> tensor<16xi64>
  %1 = onnx.Add(%y, %y) : (tensor<17xi64>, tensor<17xi64>) -> tensor<17xi64>
  return %0, %1 : tensor<16xi64>, tensor<17xi64>
}

// -----

// A bool is a byte of the model, of which MLIR has one bit.
// CHECK-LABEL: @bit_cast_of_bools
// CHECK: arith.cmpi ne, %{{.*}}, %c0_i8 : i8
// CHECK: arith.extui %{{.*}} : i1 to i8
func.func @bit_cast_of_bools(%x: tensor<3xui8>, %y: tensor<3xi1>) -> (tensor<3xi1>, tensor<3xi8>) {
  %0 = onnx.BitCast(%x) {to = 9} : (tensor<3xui8>) -> tensor<3xi1>
  %1 = onnx.BitCast(%y) {to = 3} : (tensor<3xi1>) -> tensor<3xi8>
  return %0, %1 : tensor<3xi1>, tensor<3xi8>
}

// -----

// What has no name is called as its first result that has one.
// CHECK-LABEL: @nodes_without_names
// CHECK: cf.assert %{{.+}}, "node 'sum' (Add): broadcast:
// CHECK: cf.assert %{{.+}}, "node '' (Mul): broadcast:
func.func @nodes_without_names(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.Add(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc(fused<#onnx.source<name = "", op = "Add", outputs = ["", "sum"]>>["f":1:0])
  %1 = onnx.Mul(%x, %z) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc(fused<#onnx.source<name = "", op = "Mul">>["f":2:0])
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A dimension of size 1 is read at its one place.
// CHECK-DAG: #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: @column_and_row
// CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #[[ROW]], #{{.+}}]
func.func @column_and_row(%x: tensor<4x1xf32>, %y: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<4x1xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
