// Shape computations whose value is known become constants.
// RUN: onnx-mlir-opt %s --onnx-fold-shapes --canonicalize | FileCheck %s

// CHECK-LABEL: @static_shape
// CHECK-NEXT: onnx.Constant() {value = dense<[2, 3, 4]> : tensor<3xi64>}
// CHECK-NEXT: return
func.func @static_shape(%x: tensor<2x3x4xf32>) -> tensor<3xi64> {
  %0 = onnx.Shape(%x) : (tensor<2x3x4xf32>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: @known_part_of_dynamic
// CHECK-NEXT: onnx.Constant() {value = dense<[12, 4]> : tensor<2xi64>}
// CHECK-NEXT: return
func.func @known_part_of_dynamic(%x: tensor<?x3x4xf32>) -> tensor<2xi64> {
  %s = onnx.Shape(%x) : (tensor<?x3x4xf32>) -> tensor<3xi64>
  %i = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %j = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %a = onnx.Gather(%s, %i) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b = onnx.Gather(%s, %j) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = onnx.Mul(%a, %b) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %c = onnx.Concat(%m, %b) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %c : tensor<2xi64>
}

// CHECK-LABEL: @scalar
// CHECK-NEXT: onnx.Constant() {value = dense<24> : tensor<i64>}
// CHECK-NEXT: return
func.func @scalar(%x: tensor<2x3x4xf32>) -> tensor<i64> {
  %0 = onnx.Size(%x) : (tensor<2x3x4xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @unknown_stays
// CHECK-NEXT: onnx.Shape
func.func @unknown_stays(%x: tensor<?x3xf32>) -> tensor<2xi64> {
  %0 = onnx.Shape(%x) : (tensor<?x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// 300 does not fit into int8, where Cast wraps.
// CHECK-LABEL: @does_not_fit
// CHECK: onnx.Cast
func.func @does_not_fit(%x: tensor<300xf32>) -> tensor<1xi8> {
  %0 = onnx.Shape(%x) : (tensor<300xf32>) -> tensor<1xi64>
  %1 = onnx.Cast(%0) {to = 3} : (tensor<1xi64>) -> tensor<1xi8>
  return %1 : tensor<1xi8>
}

// What exporters write for "expand, -1 keeping the dimension": Where(shape ==
// -1, ones, shape).
// CHECK-LABEL: @where_minus_one
// CHECK-NEXT: onnx.Constant() {value = dense<[1, 7]> : tensor<2xi64>}
// CHECK-NEXT: return
func.func @where_minus_one() -> tensor<2xi64> {
  %s = onnx.Constant() {value_ints = [-1, 7]} : () -> tensor<2xi64>
  %two = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %ones = onnx.ConstantOfShape(%two) {value = dense<1> : tensor<1xi64>} : (tensor<1xi64>) -> tensor<2xi64>
  %minus = onnx.Constant() {value_int = -1} : () -> tensor<i64>
  %all = onnx.Mul(%ones, %minus) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %c = onnx.Equal(%s, %all) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  %0 = onnx.Where(%c, %ones, %s) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// steps stands behind absent axes.
// CHECK-LABEL: @slice_reversed
// CHECK-NEXT: onnx.Constant() {value = dense<[4, 3, 2]> : tensor<3xi64>}
// CHECK-NEXT: return
func.func @slice_reversed(%x: tensor<2x3x4xf32>) -> tensor<3xi64> {
  %s = onnx.Shape(%x) : (tensor<2x3x4xf32>) -> tensor<3xi64>
  %last = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %end = onnx.Constant() {value_ints = [-4]} : () -> tensor<1xi64>
  %0 = onnx.Slice(%s, %last, %end, _, %last) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// n + n is 2 * n; an element that only the run knows is itself, and a float may
// be NaN.
// CHECK-LABEL: @equal_sums
// CHECK: %[[YES:.*]] = onnx.Constant() {value = dense<true> : tensor<1xi1>}
// CHECK: %[[F:.*]] = onnx.Equal(%arg1, %arg1)
// CHECK: return %[[YES]], %[[F]]
func.func @equal_sums(%x: tensor<?xf32>, %y: tensor<1xf32>) -> (tensor<1xi1>, tensor<1xi1>) {
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) : (tensor<?xf32>) -> tensor<1xi64>
  %sum = onnx.Add(%n, %n) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %product = onnx.Mul(%n, %two) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %0 = onnx.Equal(%sum, %product) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %1 = onnx.Equal(%y, %y) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
  return %0, %1 : tensor<1xi1>, tensor<1xi1>
}

// 200 + 100 is 44 as a uint8, which what follows sees.
// CHECK-LABEL: @wraps_around
// CHECK: onnx.Add
// CHECK: onnx.Cast
func.func @wraps_around() -> tensor<1xi64> {
  %a = onnx.Constant() {value = dense<200> : tensor<1xui8>} : () -> tensor<1xui8>
  %b = onnx.Constant() {value = dense<100> : tensor<1xui8>} : () -> tensor<1xui8>
  %c = onnx.Add(%a, %b) : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  %0 = onnx.Cast(%c) {to = 7} : (tensor<1xui8>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// No size is -1, which exporters ask before Expand; a difference of sizes may be, and what has no sign wraps around.
// CHECK-LABEL: @size_is_not_negative
// CHECK-DAG: %[[NO:.*]] = onnx.Constant() {value = dense<false> : tensor<2xi1>}
// CHECK-DAG: %[[LESS:.*]] = onnx.Constant() {value = dense<true> : tensor<2xi1>}
// CHECK: %[[MAYBE:.*]] = onnx.Equal(
// CHECK: %[[WRAPPED:.*]] = onnx.Less(
// CHECK: return %[[NO]], %[[LESS]], %[[MAYBE]], %[[WRAPPED]]
func.func @size_is_not_negative(%x: tensor<?x?xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %s = onnx.Shape(%x) {start = 0} : (tensor<?x?xf32>) -> tensor<2xi64>
  %all = onnx.Constant() {value = dense<-1> : tensor<2xi64>} : () -> tensor<2xi64>
  %one = onnx.Constant() {value = dense<1> : tensor<2xi64>} : () -> tensor<2xi64>
  %no = onnx.Equal(%s, %all) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  %less = onnx.Less(%all, %s) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  %d = onnx.Sub(%s, %one) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %maybe = onnx.Equal(%d, %all) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  %u = onnx.Cast(%s) {to = 13} : (tensor<2xi64>) -> tensor<2xui64>
  %zero = onnx.Constant() {value = dense<0> : tensor<2xui64>} : () -> tensor<2xui64>
  %three = onnx.Constant() {value = dense<3> : tensor<2xui64>} : () -> tensor<2xui64>
  %t = onnx.Add(%u, %three) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  %m = onnx.Sub(%zero, %t) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  %wrapped = onnx.Less(%m, %zero) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xi1>
  return %no, %less, %maybe, %wrapped : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}
