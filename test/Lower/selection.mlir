// What is chosen by its value, or by comparing.
// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// Counted, then written down, then taken.
// CHECK-LABEL: @compress
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: %[[PLACES:.*]]:2 = scf.for
// CHECK: tensor.insert
// CHECK: arith.select
// CHECK: %[[FOUND:.*]] = tensor.extract_slice %[[PLACES]]#0
// CHECK: linalg.generic {{.*}} ins(%[[FOUND]]
// CHECK: tensor.extract %arg0
func.func @compress(%x: tensor<2x5xf32>, %c: tensor<5xi1>) -> tensor<2x?xf32> {
  %0 = onnx.Compress(%x, %c) {axis = -1} : (tensor<2x5xf32>, tensor<5xi1>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// A short condition leaves the rest out.
// CHECK-LABEL: @compress_flat
// CHECK: tensor.collapse_shape %arg0
// CHECK: arith.minsi
func.func @compress_flat(%x: tensor<2x?xf32>, %c: tensor<3xi1>) -> tensor<?xf32> {
  %0 = onnx.Compress(%x, %c) : (tensor<2x?xf32>, tensor<3xi1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: @nonzero
// CHECK: arith.cmpf une
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x?xi64>)
func.func @nonzero(%x: tensor<3x4xf32>) -> tensor<2x?xi64> {
  %0 = onnx.NonZero(%x) : (tensor<3x4xf32>) -> tensor<2x?xi64>
  return %0 : tensor<2x?xi64>
}

// -----

// ONNX gives a scalar no row at all.
// CHECK-LABEL: @nonzero_scalar
// CHECK: tensor.empty(%{{.*}}) : tensor<0x?xi64>
func.func @nonzero_scalar(%x: tensor<i1>) -> tensor<0x?xi64> {
  %0 = onnx.NonZero(%x) : (tensor<i1>) -> tensor<0x?xi64>
  return %0 : tensor<0x?xi64>
}

// -----

// CHECK-LABEL: @top_k
// CHECK: cf.assert {{.*}}'TopK': k: must not be more than there are elements
// CHECK: rt.call "top_k"(%arg0, %c1_i64, %c0_i64 : tensor<3x4xi8
// CHECK-SAME: outs({{.*}} tensor<3x?xi8>, tensor<3x?xi64>)
// CHECK-SAME: dtypes = array<i32: 2, 0, 0, 2, 0>
func.func @top_k(%x: tensor<3x4xui8>, %k: tensor<1xi64>) -> (tensor<3x?xui8>, tensor<3x?xi64>) {
  %0:2 = onnx.TopK(%x, %k) {largest = 0} : (tensor<3x4xui8>, tensor<1xi64>) -> (tensor<3x?xui8>, tensor<3x?xi64>)
  return %0#0, %0#1 : tensor<3x?xui8>, tensor<3x?xi64>
}

// -----

// Results that were not requested are made and dropped.
// CHECK-LABEL: @unique
// CHECK: %[[ALL:.*]]:4 = rt.call "unique"(%arg0, %c-1_i64, %c1_i64
// CHECK: return %[[ALL]]#0, %[[ALL]]#3
func.func @unique(%x: tensor<3x4xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %0, %1 = onnx.Unique(%x) : (tensor<3x4xf32>) -> (tensor<?xf32>, _, _, tensor<?xi64>)
  return %0, %1 : tensor<?xf32>, tensor<?xi64>
}

// -----

// Without a limit nothing is selected; without a score threshold, all compete.
// CHECK-LABEL: @non_max_suppression
// CHECK: cf.assert {{.*}}boxes and scores must be as many
// CHECK: rt.call "suppress_boxes"(%arg0, %arg1, %c0_i64, %cst, %cst, %c0_i64, %c1_i64
func.func @non_max_suppression(%b: tensor<1x?x4xf32>, %s: tensor<1x2x6xf32>) -> tensor<?x3xi64> {
  %0 = onnx.NonMaxSuppression(%b, %s, _, _, _) {center_point_box = 1} : (tensor<1x?x4xf32>, tensor<1x2x6xf32>) -> tensor<?x3xi64>
  return %0 : tensor<?x3xi64>
}

// -----

// A vector counts as a matrix of one row.
// CHECK-LABEL: @array_feature_extractor
// CHECK: cf.assert {{.*}}an index is out of range
// CHECK: tensor.expand_shape {{.*}} into tensor<1x2xf32>
func.func @array_feature_extractor(%x: tensor<4xf32>, %y: tensor<2xi64>) -> tensor<1x2xf32> {
  %0 = onnx.ml.ArrayFeatureExtractor(%x, %y) : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

// Determinants are computed in single precision at least.
// CHECK-LABEL: @det
// CHECK: arith.extf
// CHECK: rt.call "determinant"(%{{.*}} : tensor<2x3x3xf32>) outs(%{{.*}} : tensor<2xf32>)
// CHECK: arith.truncf
func.func @det(%x: tensor<2x3x3xf16>) -> tensor<2xf16> {
  %0 = onnx.Det(%x) : (tensor<2x3x3xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

// A depth that is a float is an integer all the same.
// CHECK-LABEL: @one_hot_depth
// CHECK: arith.fptosi
// CHECK: cf.assert {{.*}}depth must not be negative
func.func @one_hot_depth(%i: tensor<3xi64>, %d: tensor<f32>, %v: tensor<2xi8>) -> tensor<3x?xi8> {
  %0 = onnx.OneHot(%i, %d, %v) : (tensor<3xi64>, tensor<f32>, tensor<2xi8>) -> tensor<3x?xi8>
  return %0 : tensor<3x?xi8>
}

// -----

// Where a run may not come to, an index out of range ends the run that does.
// CHECK-LABEL: @index_in_a_branch
// CHECK: scf.if
// CHECK: cf.assert %false, "{{.*}}index 7 is out of range for size 3"
// CHECK: else
// CHECK-NOT: cf.assert
func.func @index_in_a_branch(%c: tensor<i1>, %x: tensor<3x4xf32>) -> tensor<1x4xf32> {
  %0 = onnx.If(%c) then_branch {
    %i = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = onnx.Gather(%x, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    onnx.yield %1 : tensor<1x4xf32>
  } else_branch {
    %i = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = onnx.Gather(%x, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    onnx.yield %1 : tensor<1x4xf32>
  } : (tensor<i1>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
