// The types of sequences and optionals, and of what is taken out of them.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes=fold=false --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @elements
// CHECK-SAME: -> (!onnx.seq<tensor<2x?xf32>>, tensor<2x?xf32>, !onnx.seq<tensor<*xf32>>, !onnx.seq<tensor<5xf32>>, tensor<i64>)
func.func @elements(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<5xf32>, %p: tensor<i64>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.SequenceConstruct(%x, %y) : (tensor<2x3xf32>, tensor<2x4xf32>) -> !onnx.unknown
  %1 = onnx.SequenceAt(%0, %p) : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  %2 = onnx.SequenceInsert(%0, %z) : (!onnx.unknown, tensor<5xf32>) -> !onnx.unknown
  %e = onnx.SequenceEmpty() : () -> !onnx.unknown
  %3 = onnx.SequenceInsert(%e, %z) : (!onnx.unknown, tensor<5xf32>) -> !onnx.unknown
  %4 = onnx.SequenceLength(%3) : (!onnx.unknown) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// Parts of one size have it in their type; a last part may be smaller.
// CHECK-LABEL: @split
// CHECK-SAME: -> (!onnx.seq<tensor<6x1xf32>>, !onnx.seq<tensor<6xf32>>, !onnx.seq<tensor<3x4xf32>>, !onnx.seq<tensor<?x4xf32>>, !onnx.seq<tensor<?x4xf32>>)
func.func @split(%x: tensor<6x4xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %three = onnx.Constant() {value_int = 3} : () -> tensor<i64>
  %four = onnx.Constant() {value_int = 4} : () -> tensor<i64>
  %parts = onnx.Constant() {value_ints = [2, 4]} : () -> tensor<2xi64>
  %0 = onnx.SplitToSequence(%x, _) {axis = -1} : (tensor<6x4xf32>) -> !onnx.unknown
  %1 = onnx.SplitToSequence(%x, _) {axis = 1, keepdims = 0} : (tensor<6x4xf32>) -> !onnx.unknown
  %2 = onnx.SplitToSequence(%x, %three) : (tensor<6x4xf32>, tensor<i64>) -> !onnx.unknown
  %3 = onnx.SplitToSequence(%x, %four) : (tensor<6x4xf32>, tensor<i64>) -> !onnx.unknown
  %4 = onnx.SplitToSequence(%x, %parts) : (tensor<6x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @concat
// CHECK-SAME: -> (tensor<2x?xf32>, tensor<2x3x?xf32>, tensor<?xf32>)
func.func @concat(%s: !onnx.seq<tensor<2x3xf32>>, %t: !onnx.seq<tensor<f32>>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.ConcatFromSequence(%s) {axis = -1} : (!onnx.seq<tensor<2x3xf32>>) -> !onnx.unknown
  %1 = onnx.ConcatFromSequence(%s) {axis = -1, new_axis = 1} : (!onnx.seq<tensor<2x3xf32>>) -> !onnx.unknown
  %2 = onnx.ConcatFromSequence(%t) {axis = 0, new_axis = 1} : (!onnx.seq<tensor<f32>>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @optional
// CHECK-SAME: -> (!onnx.opt<tensor<2xf32>>, tensor<2xf32>, tensor<i1>, !onnx.opt<!onnx.seq<tensor<*xf32>>>)
func.func @optional(%x: tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Optional(%x) : (tensor<2xf32>) -> !onnx.unknown
  %1 = onnx.OptionalGetElement(%0) : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.OptionalHasElement(%0) : (!onnx.unknown) -> !onnx.unknown
  %3 = onnx.Optional() {type = !onnx.seq<tensor<*xf32>>} : () -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @sequenceconstruct(%x: tensor<2xf32>, %y: tensor<2xi64>) {
  // expected-error @below {{both must have the same type (T)}}
  %0 = onnx.SequenceConstruct(%x, %y) : (tensor<2xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @sequenceempty_dtype() {
  // expected-error @below {{sequenceempty_dtype: is not a tensor element type}}
  %0 = onnx.SequenceEmpty() {dtype = 99} : () -> !onnx.unknown
  return
}

// -----

func.func @sequenceinsert_tensor(%s: !onnx.seq<tensor<2xf32>>, %x: tensor<2xi64>) {
  // expected-error @below {{sequenceinsert_tensor: must have the type of the elements}}
  %0 = onnx.SequenceInsert(%s, %x) : (!onnx.seq<tensor<2xf32>>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @splittosequence_axis(%x: tensor<6x4xf32>) {
  // expected-error @below {{splittosequence_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.SplitToSequence(%x, _) {axis = 2} : (tensor<6x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @splittosequence_split(%x: tensor<6x4xf32>) {
  %s = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  // expected-error @below {{splittosequence_split: parts must have elements}}
  %0 = onnx.SplitToSequence(%x, %s) : (tensor<6x4xf32>, tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @splittosequence_sum(%x: tensor<6x4xf32>) {
  %s = onnx.Constant() {value_ints = [2, 3]} : () -> tensor<2xi64>
  // expected-error @below {{splittosequence_sum: dimensions 5 and 6 must be equal}}
  %0 = onnx.SplitToSequence(%x, %s) : (tensor<6x4xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @concatfromsequence_new_axis(%s: !onnx.seq<tensor<2xf32>>) {
  // expected-error @below {{attribute 'new_axis' is 2, expected 0 or 1}}
  %0 = onnx.ConcatFromSequence(%s) {axis = 0, new_axis = 2} : (!onnx.seq<tensor<2xf32>>) -> !onnx.unknown
  return
}

// -----

func.func @concatfromsequence_rank(%s: !onnx.seq<tensor<f32>>) {
  // expected-error @below {{concatfromsequence_rank: scalars can be joined along a new axis only}}
  %0 = onnx.ConcatFromSequence(%s) {axis = 0} : (!onnx.seq<tensor<f32>>) -> !onnx.unknown
  return
}

// -----

func.func @concatfromsequence_axis(%s: !onnx.seq<tensor<2xf32>>) {
  // expected-error @below {{concatfromsequence_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.ConcatFromSequence(%s) {axis = 2, new_axis = 1} : (!onnx.seq<tensor<2xf32>>) -> !onnx.unknown
  return
}
