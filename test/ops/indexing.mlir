// The shape law of Gather and its kin, of Shape, Range and ConstantOfShape.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes=fold=false --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @gather
// CHECK-SAME: -> (tensor<2x5x6x4xf32>, tensor<2x3xf32>, tensor<5x3x4xf32>, tensor<5x4xf32>)
func.func @gather(%x: tensor<2x3x4xf32>, %i: tensor<5x6xi64>, %s: tensor<i64>, %e: tensor<5x3x4xi64>, %n: tensor<5x2xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Gather(%x, %i) {axis = -2} : (tensor<2x3x4xf32>, tensor<5x6xi64>) -> !onnx.unknown
  %1 = onnx.Gather(%x, %s) {axis = 2} : (tensor<2x3x4xf32>, tensor<i64>) -> !onnx.unknown
  %2 = onnx.GatherElements(%x, %e) : (tensor<2x3x4xf32>, tensor<5x3x4xi64>) -> !onnx.unknown
  %3 = onnx.GatherND(%x, %n) : (tensor<2x3x4xf32>, tensor<5x2xi64>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @shape
// CHECK-SAME: -> (tensor<3xi64>, tensor<1xi64>, tensor<0xi64>, tensor<?xi64>, tensor<i64>)
func.func @shape(%x: tensor<2x?x4xf32>, %u: tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Shape(%x) : (tensor<2x?x4xf32>) -> !onnx.unknown
  %1 = onnx.Shape(%x) {start = -2, end = -1} : (tensor<2x?x4xf32>) -> !onnx.unknown
  %2 = onnx.Shape(%x) {start = 7} : (tensor<2x?x4xf32>) -> !onnx.unknown
  %3 = onnx.Shape(%u) : (tensor<*xf32>) -> !onnx.unknown
  %4 = onnx.Size(%u) : (tensor<*xf32>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @range
// CHECK-SAME: -> (tensor<3xi64>, tensor<0xi64>, tensor<4xf32>, tensor<?xi64>)
func.func @range(%n: tensor<i64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %ten = onnx.Constant() {value_int = 10} : () -> tensor<i64>
  %three = onnx.Constant() {value_int = 3} : () -> tensor<i64>
  %minus = onnx.Constant() {value_int = -3} : () -> tensor<i64>
  // 10, 7, 4
  %0 = onnx.Range(%ten, %three, %minus) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  %1 = onnx.Range(%ten, %three, %three) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  %f0 = onnx.Constant() {value_float = 0.0} : () -> tensor<f32>
  %f1 = onnx.Constant() {value_float = 1.0} : () -> tensor<f32>
  %f2 = onnx.Constant() {value_float = 0.3} : () -> tensor<f32>
  %2 = onnx.Range(%f0, %f1, %f2) : (tensor<f32>, tensor<f32>, tensor<f32>) -> !onnx.unknown
  %3 = onnx.Range(%three, %n, %three) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @constant_of_shape
// CHECK-SAME: -> (tensor<2x0xf32>, tensor<?x?xi32>)
func.func @constant_of_shape(%s: tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %c = onnx.Constant() {value_ints = [2, 0]} : () -> tensor<2xi64>
  %0 = onnx.ConstantOfShape(%c) : (tensor<2xi64>) -> !onnx.unknown
  %1 = onnx.ConstantOfShape(%s) {value = dense<7> : tensor<1xi32>} : (tensor<2xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @data_dependent
// CHECK-SAME: -> (tensor<2x?xi64>, tensor<?xf32>, tensor<3x?xf32>, tensor<3x2xf32>, tensor<3x2xi64>, tensor<3x9x4xf32>)
func.func @data_dependent(%x: tensor<3x4xf32>, %c: tensor<?xi1>, %v: tensor<2xf32>, %i: tensor<3x4xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.NonZero(%x) : (tensor<3x4xf32>) -> !onnx.unknown
  %1 = onnx.Compress(%x, %c) : (tensor<3x4xf32>, tensor<?xi1>) -> !onnx.unknown
  %2 = onnx.Compress(%x, %c) {axis = -1} : (tensor<3x4xf32>, tensor<?xi1>) -> !onnx.unknown
  %k = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %3, %4 = onnx.TopK(%x, %k) : (tensor<3x4xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  %d = onnx.Constant() {value_int = 9} : () -> tensor<i64>
  %5 = onnx.OneHot(%i, %d, %v) {axis = -2} : (tensor<3x4xi64>, tensor<i64>, tensor<2xf32>) -> !onnx.unknown
  return %0, %1, %2, %3, %4, %5 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @gather_scalar(%x: tensor<f32>, %i: tensor<i64>) -> !onnx.unknown {
  // expected-error @below {{gather_data: must have at least rank 1}}
  %0 = onnx.Gather(%x, %i) : (tensor<f32>, tensor<i64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @gathernd_tuples(%x: tensor<2x3xf32>, %i: tensor<5x3xi64>) -> !onnx.unknown {
  // expected-error @below {{gathernd_indices: tuples of 3 indices for 2 dimensions}}
  %0 = onnx.GatherND(%x, %i) : (tensor<2x3xf32>, tensor<5x3xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @onehot_depth(%i: tensor<3xi64>, %d: tensor<2xi64>, %v: tensor<2xf32>) -> !onnx.unknown {
  // expected-error @below {{onehot_depth: must be one number}}
  %0 = onnx.OneHot(%i, %d, %v) : (tensor<3xi64>, tensor<2xi64>, tensor<2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @topk_k(%x: tensor<3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %k = onnx.Constant() {value_ints = [5]} : () -> tensor<1xi64>
  // expected-error @below {{topk_k: must not be more than there are elements}}
  %0, %1 = onnx.TopK(%x, %k) : (tensor<3x4xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @range_delta() -> !onnx.unknown {
  %0 = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  // expected-error @below {{range_delta: must not be 0}}
  %1 = onnx.Range(%0, %0, %0) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return %1 : !onnx.unknown
}

// -----

func.func @constant_of_shape_negative() -> !onnx.unknown {
  %0 = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  // expected-error @below {{constantofshape_input: must not be negative}}
  %1 = onnx.ConstantOfShape(%0) : (tensor<1xi64>) -> !onnx.unknown
  return %1 : !onnx.unknown
}
