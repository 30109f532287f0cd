// RUN: onnx-mlir-opt %s --onnx-sequence-optional-elim | FileCheck %s

!seq = !onnx.seq<tensor<2xf32>>

// CHECK-LABEL: func @elements
func.func @elements(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i64>) {
  // CHECK: %[[L:.*]] = onnx.Constant() {value = dense<2> : tensor<i64>}
  // CHECK: return %arg2, %arg1, %[[L]]
  %first = onnx.Constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %last = onnx.Constant() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %s = onnx.SequenceConstruct(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> !seq
  %t = onnx.SequenceInsert(%s, %z, %first) : (!seq, tensor<2xf32>, tensor<i64>) -> !seq
  %u = onnx.SequenceAt(%t, %first) : (!seq, tensor<i64>) -> tensor<2xf32>
  %v = onnx.SequenceAt(%t, %last) : (!seq, tensor<i64>) -> tensor<2xf32>
  %e = onnx.SequenceErase(%t, _) : (!seq) -> !seq
  %n = onnx.SequenceLength(%e) : (!seq) -> tensor<i64>
  return %u, %v, %n : tensor<2xf32>, tensor<2xf32>, tensor<i64>
}

// A position that there is not, or that is not known, and a sequence that
// the caller gives.
// CHECK-LABEL: func @unknown
func.func @unknown(%s: !seq, %x: tensor<2xf32>, %p: tensor<i64>) {
  // CHECK-COUNT-3: onnx.SequenceAt
  // CHECK: onnx.SequenceLength
  %two = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %t = onnx.SequenceConstruct(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> !seq
  %a = onnx.SequenceAt(%t, %two) : (!seq, tensor<i64>) -> tensor<2xf32>
  %b = onnx.SequenceAt(%t, %p) : (!seq, tensor<i64>) -> tensor<2xf32>
  %u = onnx.SequenceInsert(%s, %x, _) : (!seq, tensor<2xf32>) -> !seq
  %c = onnx.SequenceAt(%u, %two) : (!seq, tensor<i64>) -> tensor<2xf32>
  %n = onnx.SequenceLength(%u) : (!seq) -> tensor<i64>
  return
}

// CHECK-LABEL: func @joins
func.func @joins(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  // CHECK-DAG: %[[A:.*]] = onnx.Concat(%arg0, %arg1) {axis = 0}
  // CHECK-DAG: %[[X:.*]] = onnx.Unsqueeze(%arg0, %[[I:.*]])
  // CHECK-DAG: %[[Y:.*]] = onnx.Unsqueeze(%arg1, %[[I]])
  // CHECK: %[[B:.*]] = onnx.Concat(%[[X]], %[[Y]]) {axis = 1}
  // CHECK: return %[[A]], %[[B]]
  %s = onnx.SequenceConstruct(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> !seq
  %a = onnx.ConcatFromSequence(%s) {axis = 0} : (!seq) -> tensor<4xf32>
  %b = onnx.ConcatFromSequence(%s) {axis = 1, new_axis = 1} : (!seq) -> tensor<2x2xf32>
  return %a, %b : tensor<4xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @parts
func.func @parts(%x: tensor<5x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<i64>) {
  // CHECK: %[[A:.*]] = onnx.Slice(%arg0,
  // CHECK: %[[B:.*]] = onnx.Gather(%arg0, %{{.*}}) {axis = 0}
  // CHECK: %[[N:.*]] = onnx.Constant() {value = dense<3> : tensor<i64>}
  // CHECK: return %[[A]], %[[B]], %arg0, %[[N]]
  %two = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %one = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %s = onnx.SplitToSequence(%x, %two) {axis = 0} : (tensor<5x3xf32>, tensor<i64>) -> !onnx.seq<tensor<?x3xf32>>
  %a = onnx.SequenceAt(%s, %one) : (!onnx.seq<tensor<?x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
  %t = onnx.SplitToSequence(%x, _) {axis = 0, keepdims = 0} : (tensor<5x3xf32>) -> !onnx.seq<tensor<3xf32>>
  %b = onnx.SequenceAt(%t, %one) : (!onnx.seq<tensor<3xf32>>, tensor<i64>) -> tensor<3xf32>
  %c = onnx.ConcatFromSequence(%s) {axis = -2} : (!onnx.seq<tensor<?x3xf32>>) -> tensor<5x3xf32>
  %n = onnx.SequenceLength(%s) : (!onnx.seq<tensor<?x3xf32>>) -> tensor<i64>
  return %a, %b, %c, %n : tensor<2x3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<i64>
}

// CHECK-LABEL: func @optionals
func.func @optionals(%x: tensor<2xf32>, %o: !onnx.opt<tensor<2xf32>>) -> (tensor<2xf32>, tensor<i1>, tensor<i1>) {
  // CHECK: %[[T:.*]] = onnx.Constant() {value = dense<true> : tensor<i1>}
  // CHECK: %[[H:.*]] = onnx.OptionalHasElement(%arg1)
  // CHECK: return %arg0, %[[T]], %[[H]]
  %p = onnx.Optional(%x) : (tensor<2xf32>) -> !onnx.opt<tensor<2xf32>>
  %g = onnx.OptionalGetElement(%p) : (!onnx.opt<tensor<2xf32>>) -> tensor<2xf32>
  %h = onnx.OptionalHasElement(%p) : (!onnx.opt<tensor<2xf32>>) -> tensor<i1>
  %i = onnx.OptionalHasElement(%o) : (!onnx.opt<tensor<2xf32>>) -> tensor<i1>
  return %g, %h, %i : tensor<2xf32>, tensor<i1>, tensor<i1>
}

// Joined as they were split, the parts are the whole; along another axis they are not.
// CHECK-LABEL: func @joined
// CHECK: %[[S:.*]] = onnx.SplitToSequence(%arg0
// CHECK: %[[C:.*]] = onnx.ConcatFromSequence(%[[S]]) {axis = 0}
// CHECK: return %arg0, %[[C]]
func.func @joined(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<?x?xf32>) attributes {onnx.entry} {
  %three = onnx.Constant() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %s = onnx.SplitToSequence(%x, %three) {axis = 1} : (tensor<4x6xf32>, tensor<i64>) -> !onnx.seq<tensor<4x3xf32>>
  %a = onnx.ConcatFromSequence(%s) {axis = -1} : (!onnx.seq<tensor<4x3xf32>>) -> tensor<4x6xf32>
  %b = onnx.ConcatFromSequence(%s) {axis = 0} : (!onnx.seq<tensor<4x3xf32>>) -> tensor<?x?xf32>
  return %a, %b : tensor<4x6xf32>, tensor<?x?xf32>
}

// Positions from both ends, and one too far on each side; what is inserted and
// taken out in the middle.
// CHECK-LABEL: func @positions
func.func @positions(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>) {
  // CHECK: %[[A:.*]] = onnx.SequenceAt
  // CHECK: %[[B:.*]] = onnx.SequenceAt
  // CHECK: %[[L:.*]] = onnx.SequenceLength
  // CHECK: return %arg0, %arg2, %[[A]], %[[B]], %arg2, %arg1, %[[L]]
  %m4 = onnx.Constant() {value = dense<-4> : tensor<i64>} : () -> tensor<i64>
  %m3 = onnx.Constant() {value = dense<-3> : tensor<i64>} : () -> tensor<i64>
  %m1 = onnx.Constant() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %1 = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %2 = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %3 = onnx.Constant() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %s = onnx.SequenceConstruct(%x, %y, %z) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !seq
  %a = onnx.SequenceAt(%s, %m3) : (!seq, tensor<i64>) -> tensor<2xf32>
  %b = onnx.SequenceAt(%s, %2) : (!seq, tensor<i64>) -> tensor<2xf32>
  %c = onnx.SequenceAt(%s, %3) : (!seq, tensor<i64>) -> tensor<2xf32>
  %d = onnx.SequenceAt(%s, %m4) : (!seq, tensor<i64>) -> tensor<2xf32>
  %t = onnx.SequenceErase(%s, %1) : (!seq, tensor<i64>) -> !seq
  %e = onnx.SequenceAt(%t, %1) : (!seq, tensor<i64>) -> tensor<2xf32>
  %u = onnx.SequenceInsert(%t, %y, %m1) : (!seq, tensor<2xf32>, tensor<i64>) -> !seq
  %f = onnx.SequenceAt(%u, %1) : (!seq, tensor<i64>) -> tensor<2xf32>
  %w = onnx.SequenceErase(%s, %3) : (!seq, tensor<i64>) -> !seq
  %n = onnx.SequenceLength(%w) : (!seq) -> tensor<i64>
  return %a, %b, %c, %d, %e, %f, %n : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>
}

// Parts of given lengths, the last one shorter; parts of rows are no whole when
// joined along a new axis, nor elements along their axis.
// CHECK-LABEL: func @lengths
func.func @lengths(%x: tensor<5x3xf32>) -> (tensor<3x3xf32>, tensor<1x3xf32>, tensor<?x?x?xf32>, tensor<15xf32>, tensor<5x3xf32>) attributes {onnx.entry} {
  // CHECK: %[[A:.*]] = onnx.Slice(%arg0,
  // CHECK: %[[B:.*]] = onnx.Slice(%arg0,
  // CHECK: %[[D:.*]] = onnx.ConcatFromSequence({{.*}}) {axis = 0, new_axis = 1}
  // CHECK: %[[E:.*]] = onnx.ConcatFromSequence({{.*}}) {axis = 0}
  // CHECK: return %[[A]], %[[B]], %[[D]], %[[E]], %arg0
  %23 = onnx.Constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %2 = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %1 = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %s = onnx.SplitToSequence(%x, %23) {axis = 0} : (tensor<5x3xf32>, tensor<2xi64>) -> !onnx.seq<tensor<?x3xf32>>
  %a = onnx.SequenceAt(%s, %1) : (!onnx.seq<tensor<?x3xf32>>, tensor<i64>) -> tensor<3x3xf32>
  %t = onnx.SplitToSequence(%x, %2) {axis = 0} : (tensor<5x3xf32>, tensor<i64>) -> !onnx.seq<tensor<?x3xf32>>
  %b = onnx.SequenceAt(%t, %2) : (!onnx.seq<tensor<?x3xf32>>, tensor<i64>) -> tensor<1x3xf32>
  %d = onnx.ConcatFromSequence(%s) {axis = 0, new_axis = 1} : (!onnx.seq<tensor<?x3xf32>>) -> tensor<?x?x?xf32>
  %v = onnx.SplitToSequence(%x, _) {axis = 0, keepdims = 0} : (tensor<5x3xf32>) -> !onnx.seq<tensor<3xf32>>
  %e = onnx.ConcatFromSequence(%v) {axis = 0} : (!onnx.seq<tensor<3xf32>>) -> tensor<15xf32>
  %f = onnx.ConcatFromSequence(%t) {axis = 0} : (!onnx.seq<tensor<?x3xf32>>) -> tensor<5x3xf32>
  return %a, %b, %d, %e, %f : tensor<3x3xf32>, tensor<1x3xf32>, tensor<?x?x?xf32>, tensor<15xf32>, tensor<5x3xf32>
}

// Elements that a loop appends are an output of it: dimension 0, which goes
// where the new axis is.
// CHECK-LABEL: func @appended
// CHECK: %[[Y:.*]]:2 = onnx.Loop(%arg0, _, %arg1) body {
// CHECK: %[[Z:.*]] = onnx.Neg(
// CHECK: onnx.yield %{{.*}}, %{{.*}}, %[[Z]] :
// CHECK: onnx.Transpose(%[[Y]]#1) {perm = [1, 2, 0]} : (tensor<?x2x3xf32>) -> tensor<2x3x?xf32>
func.func @appended(%n: tensor<i64>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3x?xf32>) {
  %e = onnx.SequenceEmpty() {dtype = 1} : () -> !onnx.seq<tensor<2x3xf32>>
  %y:2 = onnx.Loop(%n, _, %e, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: !onnx.seq<tensor<2x3xf32>>, %v: tensor<2x3xf32>):
    %a = onnx.Abs(%v) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %z = onnx.Neg(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %t = onnx.SequenceInsert(%s, %z, _) : (!onnx.seq<tensor<2x3xf32>>, tensor<2x3xf32>) -> !onnx.seq<tensor<2x3xf32>>
    onnx.yield %c, %t, %a : tensor<i1>, !onnx.seq<tensor<2x3xf32>>, tensor<2x3xf32>
  } : (tensor<i64>, !onnx.seq<tensor<2x3xf32>>, tensor<2x3xf32>) -> (!onnx.seq<tensor<2x3xf32>>, tensor<2x3xf32>)
  %all = onnx.ConcatFromSequence(%y#0) {axis = 2, new_axis = 1} : (!onnx.seq<tensor<2x3xf32>>) -> tensor<2x3x?xf32>
  return %y#1, %all : tensor<2x3xf32>, tensor<2x3x?xf32>
}

// Not where a run may not join them: their shapes may differ then.
// CHECK-LABEL: func @joined_in_a_branch
// CHECK: onnx.SequenceInsert
// CHECK: onnx.ConcatFromSequence
func.func @joined_in_a_branch(%n: tensor<i64>, %x: tensor<2xf32>, %b: tensor<i1>) -> tensor<*xf32> {
  %e = onnx.SequenceEmpty() {dtype = 1} : () -> !onnx.seq<tensor<?xf32>>
  %y:2 = onnx.Loop(%n, _, %e, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: !onnx.seq<tensor<?xf32>>, %v: tensor<?xf32>):
    %z = onnx.Neg(%v) : (tensor<?xf32>) -> tensor<?xf32>
    %w = onnx.Concat(%v, %v) {axis = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %t = onnx.SequenceInsert(%s, %z, _) : (!onnx.seq<tensor<?xf32>>, tensor<?xf32>) -> !onnx.seq<tensor<?xf32>>
    onnx.yield %c, %t, %w : tensor<i1>, !onnx.seq<tensor<?xf32>>, tensor<?xf32>
  } : (tensor<i64>, !onnx.seq<tensor<?xf32>>, tensor<2xf32>) -> (!onnx.seq<tensor<?xf32>>, tensor<?xf32>)
  %r = onnx.If(%b) then_branch {
    %all = onnx.ConcatFromSequence(%y#0) {axis = 0, new_axis = 1} : (!onnx.seq<tensor<?xf32>>) -> tensor<?x?xf32>
    onnx.yield %all : tensor<?x?xf32>
  } else_branch {
    %one = onnx.Identity(%y#1) : (tensor<?xf32>) -> tensor<?xf32>
    onnx.yield %one : tensor<?xf32>
  } : (tensor<i1>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// Not where the body puts them in front.
// CHECK-LABEL: func @in_front
// CHECK: onnx.SequenceInsert
func.func @in_front(%n: tensor<i64>, %x: tensor<3xf32>) -> tensor<?x3xf32> {
  %first = onnx.Constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %e = onnx.SequenceEmpty() {dtype = 1} : () -> !onnx.seq<tensor<3xf32>>
  %y = onnx.Loop(%n, _, %e) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: !onnx.seq<tensor<3xf32>>):
    %f = onnx.Cast(%i) {to = 1 : i64} : (tensor<i64>) -> tensor<f32>
    %z = onnx.Add(%x, %f) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %t = onnx.SequenceInsert(%s, %z, %first) : (!onnx.seq<tensor<3xf32>>, tensor<3xf32>, tensor<i64>) -> !onnx.seq<tensor<3xf32>>
    onnx.yield %c, %t : tensor<i1>, !onnx.seq<tensor<3xf32>>
  } : (tensor<i64>, !onnx.seq<tensor<3xf32>>) -> !onnx.seq<tensor<3xf32>>
  %all = onnx.ConcatFromSequence(%y) {axis = 0, new_axis = 1} : (!onnx.seq<tensor<3xf32>>) -> tensor<?x3xf32>
  return %all : tensor<?x3xf32>
}
