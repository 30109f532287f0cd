// The shape law of Reshape, Flatten, Squeeze, Unsqueeze, Expand.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @reshape_inferred
// CHECK-SAME: -> tensor<2x12xf32>
func.func @reshape_inferred(%x: tensor<2x3x4xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_ints = [2, -1]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// What 0 copies cancels on both sides, so that -1 is known though the batch is
// not.
// CHECK-LABEL: @reshape_copied_dynamic
// CHECK-SAME: -> (tensor<?x12xf32>, tensor<?x3x4xf32>)
func.func @reshape_copied_dynamic(%x: tensor<?x3x4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %s = onnx.Constant() {value_ints = [0, -1]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<?x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %t = onnx.Constant() {value_ints = [-1, 3, 4]} : () -> tensor<3xi64>
  %1 = onnx.Reshape(%0, %t) : (!onnx.unknown, tensor<3xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @reshape_zero_size
// CHECK-SAME: -> (tensor<0x3xf32>, tensor<3x0x4xf32>, tensor<0xf32>)
func.func @reshape_zero_size(%x: tensor<0x3xf32>, %y: tensor<2x0xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %s = onnx.Constant() {value_ints = [0, -1]} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<0x3xf32>, tensor<2xi64>) -> !onnx.unknown
  %t = onnx.Constant() {value_ints = [3, 0, 4]} : () -> tensor<3xi64>
  %1 = onnx.Reshape(%x, %t) {allowzero = 1} : (tensor<0x3xf32>, tensor<3xi64>) -> !onnx.unknown
  %u = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %2 = onnx.Reshape(%y, %u) : (tensor<2x0xf32>, tensor<1xi64>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// The length of a run-time shape is the rank; the number of elements tells the
// one dim that the shape leaves open.
// CHECK-LABEL: @reshape_runtime_shape
// CHECK-SAME: -> (tensor<?x?xf32>, tensor<6x4xf32>)
func.func @reshape_runtime_shape(%x: tensor<2x3x4xf32>, %s: tensor<2xi64>, %d: tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.Reshape(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  %four = onnx.Constant() {value_ints = [4]} : () -> tensor<1xi64>
  %t = onnx.Concat(%d, %four) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %1 = onnx.Reshape(%x, %t) : (tensor<2x3x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @reshape_scalar
// CHECK-SAME: -> tensor<f32>
func.func @reshape_scalar(%x: tensor<1x1xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<1x1xf32>, tensor<0xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @flatten
// CHECK-SAME: -> (tensor<1x24xf32>, tensor<6x4xf32>, tensor<24x1xf32>, tensor<?x?xf32>)
func.func @flatten(%x: tensor<2x3x4xf32>, %u: tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Flatten(%x) {axis = 0} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %1 = onnx.Flatten(%x) {axis = -1} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %2 = onnx.Flatten(%x) {axis = 3} : (tensor<2x3x4xf32>) -> !onnx.unknown
  %3 = onnx.Flatten(%u) : (tensor<*xf32>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @squeeze
// CHECK-SAME: -> (tensor<3xf32>, tensor<?x3xf32>, tensor<?xf32>)
func.func @squeeze(%x: tensor<1x3x1xf32>, %y: tensor<?x3x1xf32>, %axes: tensor<2xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Squeeze(%x, _) : (tensor<1x3x1xf32>) -> !onnx.unknown
  %a = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %1 = onnx.Squeeze(%y, %a) : (tensor<?x3x1xf32>, tensor<1xi64>) -> !onnx.unknown
  // Which axes go is not known, but how many.
  %2 = onnx.Squeeze(%y, %axes) : (tensor<?x3x1xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @unsqueeze
// CHECK-SAME: -> (tensor<1x2x3x1xf32>, tensor<?x?x?xf32>)
func.func @unsqueeze(%x: tensor<2x3xf32>, %axes: tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %a = onnx.Constant() {value_ints = [-1, 0]} : () -> tensor<2xi64>
  %0 = onnx.Unsqueeze(%x, %a) : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  %1 = onnx.Unsqueeze(%x, %axes) : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @expand
// CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<0x3x4xf32>, tensor<?x3x4xf32>)
func.func @expand(%x: tensor<3x1xf32>, %s: tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %a = onnx.Constant() {value_ints = [2, 1, 4]} : () -> tensor<3xi64>
  %0 = onnx.Expand(%x, %a) : (tensor<3x1xf32>, tensor<3xi64>) -> !onnx.unknown
  %b = onnx.Constant() {value_ints = [0, 1, 4]} : () -> tensor<3xi64>
  %1 = onnx.Expand(%x, %b) : (tensor<3x1xf32>, tensor<3xi64>) -> !onnx.unknown
  %c = onnx.Constant() {value_ints = [3, 4]} : () -> tensor<2xi64>
  %d = onnx.Concat(%s, %c) {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> !onnx.unknown
  %2 = onnx.Expand(%x, %d) : (tensor<3x1xf32>, !onnx.unknown) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @reshape_size(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_ints = [4, -1]} : () -> tensor<2xi64>
  // expected-error @below {{reshape_size: number of elements before and after: dimensions 4 and 6 must be equal}}
  %0 = onnx.Reshape(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// No number that the run could bring fits.
func.func @reshape_no_number(%x: tensor<2x3xf32>, %d: tensor<1xi64>) -> !onnx.unknown {
  %four = onnx.Constant() {value_ints = [4]} : () -> tensor<1xi64>
  %s = onnx.Concat(%d, %four) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // expected-error @below {{reshape_size: number of elements before and after: dimensions 4 and 6 must be equal}}
  %0 = onnx.Reshape(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @reshape_two_inferred(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_ints = [-1, -1]} : () -> tensor<2xi64>
  // expected-error @below {{reshape_shape: at most one element may be -1}}
  %0 = onnx.Reshape(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @reshape_allowzero(%x: tensor<0x3xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_ints = [0, -1]} : () -> tensor<2xi64>
  // expected-error @below {{reshape_allowzero: 0 and -1 together leave the shape open}}
  %0 = onnx.Reshape(%x, %s) {allowzero = 1} : (tensor<0x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @reshape_copies_nothing(%x: tensor<6xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_ints = [6, 0]} : () -> tensor<2xi64>
  // expected-error @below {{reshape_shape: element 1 copies a dimension that the input does not have}}
  %0 = onnx.Reshape(%x, %s) : (tensor<6xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @reshape_negative(%x: tensor<6xf32>) -> !onnx.unknown {
  %s = onnx.Constant() {value_ints = [-6]} : () -> tensor<1xi64>
  // expected-error @below {{reshape_shape: element 0 is -6, must be -1 or more}}
  %0 = onnx.Reshape(%x, %s) : (tensor<6xf32>, tensor<1xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @flatten_axis(%x: tensor<6xf32>) -> !onnx.unknown {
  // expected-error @below {{flatten_axis: axis 2 is out of range for rank 1}}
  %0 = onnx.Flatten(%x) {axis = 2} : (tensor<6xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @squeeze_not_one(%x: tensor<6x1xf32>) -> !onnx.unknown {
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  // expected-error @below {{squeeze_axes: squeezed dimensions must be 1: dimensions 6 and 1 must be equal}}
  %0 = onnx.Squeeze(%x, %a) : (tensor<6x1xf32>, tensor<1xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @unsqueeze_twice(%x: tensor<6x1xf32>) -> !onnx.unknown {
  %a = onnx.Constant() {value_ints = [0, -4]} : () -> tensor<2xi64>
  // expected-error @below {{unsqueeze_axes: axis 0 is given twice}}
  %0 = onnx.Unsqueeze(%x, %a) : (tensor<6x1xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @expand_mismatch(%x: tensor<3x2xf32>) -> !onnx.unknown {
  %a = onnx.Constant() {value_ints = [3, 4]} : () -> tensor<2xi64>
  // expected-error @below {{expand_shape: dimensions 2 and 4 cannot be broadcast to each other}}
  %0 = onnx.Expand(%x, %a) : (tensor<3x2xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
