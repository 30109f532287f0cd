// Sequences and optionals: calls of the runtime on handles.
// RUN: onnx-mlir-opt %s --onnxc-lower-to-linalg --split-input-file | FileCheck %s

// A tensor is boxed once, and unboxed where a rank is known.
// CHECK-LABEL: @insert_and_take
// CHECK-SAME: (%[[S:.*]]: i64, %[[X:.*]]: tensor<2xf32>, %[[I:.*]]: tensor<i32>) -> tensor<?xf32>
func.func @insert_and_take(%s: !onnx.seq<tensor<?xf32>>, %x: tensor<2xf32>, %i: tensor<i32>) -> tensor<?xf32> {
  // CHECK: %[[BOX:.*]] = rt.call "box"(%[[X]] : tensor<2xf32>)
  // CHECK: %[[T:.*]] = rt.call "sequence_append"(%[[S]], %[[BOX]] : i64, i64)
  %t = onnx.SequenceInsert(%s, %x, _) : (!onnx.seq<tensor<?xf32>>, tensor<2xf32>) -> !onnx.seq<tensor<?xf32>>
  // CHECK: %[[AT:.*]] = tensor.extract %[[I]]
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[AT]] : i32 to i64
  // CHECK: %[[H:.*]] = rt.call "sequence_at"(%[[T]], %[[WIDE]] : i64, i64)
  // CHECK: rt.call "unbox"(%[[H]] : i64) {dtypes = array<i32: 0, 1>{{.*}} -> tensor<?xf32>
  %y = onnx.SequenceAt(%t, %i) : (!onnx.seq<tensor<?xf32>>, tensor<i32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Without a rank it stays a handle.
// CHECK-LABEL: @any_rank
// CHECK-SAME: -> i64
func.func @any_rank(%s: !onnx.seq<tensor<*xf32>>) -> tensor<*xf32> {
  // CHECK: %[[H:.*]] = rt.call "sequence_concat"
  // CHECK-NOT: unbox
  // CHECK: return %[[H]]
  %y = onnx.ConcatFromSequence(%s) {axis = 1} : (!onnx.seq<tensor<*xf32>>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// No split: the third argument is no address.
// CHECK-LABEL: @split_into_ones
func.func @split_into_ones(%x: tensor<?x3xi64>) -> !onnx.seq<tensor<?xi64>> {
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i64
  // CHECK: rt.call "sequence_split"(%{{.*}}, %[[NONE]],
  %s = onnx.SplitToSequence(%x, _) {axis = 1, keepdims = 0} : (tensor<?x3xi64>) -> !onnx.seq<tensor<?xi64>>
  return %s : !onnx.seq<tensor<?xi64>>
}

// -----

// CHECK-LABEL: @optionals
// CHECK-SAME: (%[[O:.*]]: i64, %[[X:.*]]: tensor<2xf32>)
func.func @optionals(%o: !onnx.opt<tensor<2xf32>>, %x: tensor<2xf32>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[N:.*]] = rt.call "optional_has"(%[[O]] : i64)
  // CHECK: arith.trunci %[[N]] : i64 to i1
  %0 = onnx.OptionalHasElement(%o) : (!onnx.opt<tensor<2xf32>>) -> tensor<i1>
  // A tensor is an element, nothing is none.
  // CHECK-NOT: optional_has
  %1 = onnx.OptionalHasElement(%x) : (tensor<2xf32>) -> tensor<i1>
  %2 = onnx.OptionalHasElement(_) : () -> tensor<i1>
  // CHECK: %[[H:.*]] = rt.call "optional_get"(%[[O]] : i64)
  // CHECK: %[[Y:.*]] = rt.call "unbox"(%[[H]] : i64)
  %3 = onnx.OptionalGetElement(%o) : (!onnx.opt<tensor<2xf32>>) -> tensor<2xf32>
  %4 = onnx.OptionalGetElement(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %[[Y]], %[[X]]
  return %0, %1, %2, %3, %4 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<2xf32>, tensor<2xf32>
}

// -----

// A tensor is always there, what is left out never.
// CHECK-LABEL: @has_element
func.func @has_element(%x: tensor<2xf32>) -> (tensor<i1>, tensor<i1>) {
  // CHECK-DAG: %[[YES:.*]] = arith.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[NO:.*]] = arith.constant dense<false> : tensor<i1>
  // CHECK: return %[[YES]], %[[NO]]
  %0 = onnx.OptionalHasElement(%x) : (tensor<2xf32>) -> tensor<i1>
  %1 = onnx.OptionalHasElement(_) : () -> tensor<i1>
  return %0, %1 : tensor<i1>, tensor<i1>
}
