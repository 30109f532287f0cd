// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

// CHECK-LABEL: @split_lengths_of_the_input_type
// CHECK: %[[LENGTHS:.*]] = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>}
// CHECK: onnx.Split(%arg0, %[[LENGTHS]]) {axis = 0} : {{.*}} -> (tensor<1xf32>, tensor<2xf32>)
func.func @split_lengths_of_the_input_type(%x: tensor<3xf32>) -> (tensor<1xf32>, tensor<2xf32>) {
  %l = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0:2 = onnx.node "Split" domain "" version 1(%x, %l) {axis = 0 : i64} : (tensor<3xf32>, tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<1xf32>, tensor<2xf32>
}

// CHECK-LABEL: @split_lengths_at_run_time
// CHECK: %[[LENGTHS:.*]] = onnx.Cast(%arg1) {to = 7}
// CHECK: onnx.Split(%arg0, %[[LENGTHS]])
func.func @split_lengths_at_run_time(%x: tensor<3xf32>, %l: tensor<2xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = onnx.node "Split" domain "" version 1(%x, %l) {axis = 0 : i64} : (tensor<3xf32>, tensor<2xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: @split_equally
// CHECK: onnx.Split(%arg0) {num_outputs = 2} :
func.func @split_equally(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = onnx.node "Split" domain "" version 13(%x) {} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @tile
// CHECK: %[[REPEATS:.*]] = onnx.Constant() {value = dense<[1, 3]> : tensor<2xi64>}
// CHECK: onnx.Tile(%arg0, %[[REPEATS]]) : {{.*}} -> tensor<2x6xf32>
func.func @tile(%x: tensor<2x2xf32>) -> tensor<2x6xf32> {
  %t = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.node "Tile" domain "" version 1(%x, %t, %a) {} : (tensor<2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK-LABEL: @tile_at_run_time
// CHECK: %[[ONES:.*]] = onnx.ConstantOfShape
// CHECK: %[[REPEATS:.*]] = onnx.ScatterElements(%[[ONES]],
// CHECK: onnx.Tile(%arg0, %[[REPEATS]])
func.func @tile_at_run_time(%x: tensor<2x2xf32>, %t: tensor<f32>, %a: tensor<f32>) -> tensor<?x?xf32> {
  %0 = onnx.node "Tile" domain "" version 1(%x, %t, %a) {} : (tensor<2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: @topk
// CHECK: %[[K:.*]] = onnx.Constant() {value = dense<2> : tensor<1xi64>}
// CHECK: onnx.TopK(%arg0, %[[K]]) {axis = 0} : {{.*}} -> (tensor<2xf32>, tensor<2xi64>)
func.func @topk(%x: tensor<4xf32>) -> tensor<2xi64> {
  %0:2 = onnx.node "TopK" domain "" version 1(%x) {axis = 0 : i64, k = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %0#1 : tensor<2xi64>
}

// CHECK-LABEL: @one_hot
// CHECK-NEXT: onnx.OneHot(%arg0, %arg1, %arg2)
func.func @one_hot(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<2xf32>) -> tensor<3x?xf32> {
  %0 = onnx.node "OneHot" domain "" version 9(%i, %d, %v) {} : (tensor<3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// CHECK-LABEL: @cast_by_name
// CHECK-NEXT: onnx.Cast(%arg0) {to = 10}
func.func @cast_by_name(%x: tensor<2xf32>) -> tensor<2xf16> {
  %0 = onnx.node "Cast" domain "" version 1(%x) {to = "FLOAT16"} : (tensor<2xf32>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: @erf_of_integers
// CHECK-NEXT: %[[X:.*]] = onnx.Cast(%arg0) {to = 1}
// CHECK-NEXT: %[[Y:.*]] = onnx.Erf(%[[X]])
// CHECK-NEXT: onnx.Cast(%[[Y]]) {to = 6} : (tensor<2xf32>) -> tensor<2xi32>
func.func @erf_of_integers(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = onnx.node "Erf" domain "" version 9(%x) {} : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
