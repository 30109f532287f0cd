// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// Branches see the values around them, and agree on what they yield.
// CHECK-LABEL: @if
// CHECK: %[[C:.*]] = tensor.extract %arg0
// CHECK: scf.if %[[C]] -> (tensor<2x?xf32>)
// CHECK:   linalg.generic
// CHECK:   tensor.cast %{{.*}} : tensor<2x3xf32> to tensor<2x?xf32>
// CHECK: else
// CHECK:   scf.yield %arg2 : tensor<2x?xf32>
func.func @if(%c: tensor<i1>, %x: tensor<2x3xf32>, %y: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = onnx.If(%c) then_branch {
    %r = onnx.Relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.yield %r : tensor<2x3xf32>
  } else_branch {
    onnx.yield %y : tensor<2x?xf32>
  } : (tensor<i1>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// Of two ranks, it has none: a handle.
// CHECK-LABEL: @if_of_two_ranks
// CHECK: scf.if %{{.*}} -> (i64)
// CHECK:   rt.call "box"(%arg1 : tensor<2xf32>
// CHECK: else
// CHECK:   rt.call "box"(%arg2 : tensor<f32>
func.func @if_of_two_ranks(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<f32>) -> tensor<*xf32> {
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<2xf32>
  } else_branch {
    onnx.yield %y : tensor<f32>
  } : (tensor<i1>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// A count and a condition that stays true: all outputs have their place.
// CHECK-LABEL: @loop_counts
// CHECK: %[[M:.*]] = arith.maxsi
// CHECK: %[[E:.*]] = tensor.empty(%[[M]]) : tensor<?x3xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %[[M]] step %c1 iter_args(%[[V:.*]] = %arg1, %[[W:.*]] = %[[E]])
// CHECK:   linalg.generic {{.*}} ins(%[[V]]
// CHECK:   tensor.insert_slice %arg1 into %[[W]][%[[I]], 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<?x3xf32>
func.func @loop_counts(%m: tensor<i64>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>) {
  %0:2 = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<3xf32>):
    %n = onnx.Tanh(%v) : (tensor<3xf32>) -> tensor<3xf32>
    onnx.yield %c, %n, %x : tensor<i1>, tensor<3xf32>, tensor<3xf32>
  } : (tensor<i64>, tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<?x3xf32>
}

// -----

// What grows from a known size is carried by an scf.while: the canonicalization
// of scf.for would move the cast behind the loop, and cut what it gives to two.
// CHECK-LABEL: @loop_grows
// CHECK-NOT: scf.for
// CHECK: scf.while ({{.*}}) : (index, tensor<?xf32>) -> (index, tensor<?xf32>)
// CHECK:   tensor.insert_slice
func.func @loop_grows(%m: tensor<i64>, %x: tensor<2xf32>) -> tensor<?xf32> {
  %0 = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<?xf32>):
    %n = onnx.Concat(%v, %x) {axis = 0 : i64} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
    onnx.yield %c, %n : tensor<i1>, tensor<?xf32>
  } : (tensor<i64>, tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Until the body says otherwise: the number of outputs is unknown.
// CHECK-LABEL: @loop_stops
// CHECK: %[[S:.*]] = rt.call "stack_new"() {{.*}}stateful
// CHECK: %[[L:.*]] = scf.while (%[[I:.*]] = %c0, %[[C:.*]] = %true) : (index, i1) -> index
// CHECK:   %[[B:.*]] = arith.cmpi slt, %[[I]]
// CHECK:   %[[G:.*]] = arith.andi %[[C]], %[[B]]
// CHECK:   scf.condition(%[[G]])
// CHECK:   rt.call "stack_push"(%[[S]], %arg2 : i64, tensor<?xf32>) {{.*}}stateful
// CHECK: %[[D:.*]] = rt.call "stack_dim"(%[[S]], %c0
// CHECK: %[[O:.*]] = tensor.empty(%[[L]], %[[D]]) : tensor<?x?xf32>
// CHECK: rt.call "stack_take"(%[[S]], %c0, %c0 : i64, index, index) outs(%[[O]]
func.func @loop_stops(%m: tensor<i64>, %stop: tensor<i1>, %x: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.yield %stop, %x : tensor<i1>, tensor<?xf32>
  } : (tensor<i64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// States keep their sizes, so that those of outputs are known before.
// CHECK-LABEL: @scan
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg1, %c0
// CHECK-DAG: %[[T:.*]] = tensor.dim %arg1, %c1
// CHECK: %[[E:.*]] = tensor.empty(%[[T]], %[[N]]) : tensor<?x?xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %[[T]] step %c1 iter_args(%[[S:.*]] = %arg0, %[[O:.*]] = %[[E]])
// CHECK:   %[[LAST:.*]] = arith.subi %[[T]], %c1
// CHECK:   %[[AT:.*]] = arith.subi %[[LAST]], %[[I]]
// CHECK:   tensor.extract_slice %arg1[0, %[[AT]]] {{.*}} : tensor<?x?xf32> to tensor<?xf32>
// CHECK:   tensor.insert_slice %{{.*}} into %[[O]][%[[I]], 0]
func.func @scan(%s: tensor<?xf32>, %x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0:2 = onnx.Scan(%s, %x) body {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %n = onnx.Tanh(%a) : (tensor<?xf32>) -> tensor<?xf32>
    onnx.yield %n, %b : tensor<?xf32>, tensor<?xf32>
  } {num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1]} : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @sequence_map
// CHECK: %[[N:.*]] = rt.call "sequence_length"(%arg0 : i64)
// CHECK: %[[S:.*]] = rt.call "sequence_new"()
// CHECK: scf.for %{{.*}} iter_args(%[[L:.*]] = %[[S]]) -> (i64)
// CHECK:   %[[E:.*]] = rt.call "sequence_at"(%arg0
// CHECK:   rt.call "unbox"(%[[E]]{{.*}} -> tensor<?xf32>
// CHECK:   %[[B:.*]] = rt.call "box"
// CHECK:   rt.call "sequence_append"(%[[L]], %[[B]]
func.func @sequence_map(%s: !onnx.seq<tensor<?xf32>>) -> !onnx.seq<tensor<?xf32>> {
  %0 = onnx.SequenceMap(%s) body {
  ^bb0(%a: tensor<?xf32>):
    %n = onnx.Tanh(%a) : (tensor<?xf32>) -> tensor<?xf32>
    onnx.yield %n : tensor<?xf32>
  } : (!onnx.seq<tensor<?xf32>>) -> !onnx.seq<tensor<?xf32>>
  return %0 : !onnx.seq<tensor<?xf32>>
}

// -----

// What enters as an optional and is carried on as the value itself.
// CHECK-LABEL: @loop_optional
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %arg1) -> (i64)
// CHECK:   %[[S:.*]] = rt.call "sequence_new"
// CHECK:   %[[O:.*]] = rt.call "optional_some"(%[[S]]
// CHECK:   scf.yield %[[O]]
// CHECK: %[[V:.*]] = rt.call "optional_get"(%[[R]]
// CHECK: return %[[V]]
func.func @loop_optional(%m: tensor<i64>, %o: !onnx.opt<!onnx.seq<tensor<f32>>>) -> !onnx.seq<tensor<f32>> {
  %0 = onnx.Loop(%m, _, %o) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: !onnx.opt<!onnx.seq<tensor<f32>>>):
    %s = onnx.SequenceEmpty() : () -> !onnx.seq<tensor<f32>>
    onnx.yield %c, %s : tensor<i1>, !onnx.seq<tensor<f32>>
  } : (tensor<i64>, !onnx.opt<!onnx.seq<tensor<f32>>>) -> !onnx.seq<tensor<f32>>
  return %0 : !onnx.seq<tensor<f32>>
}

// -----

// A branch that cannot be right ends the run; what it would yield is of the
// type that is expected.
// CHECK-LABEL: @fault
// CHECK: scf.if
// CHECK:   cf.assert %false, "node 'bad' (Gather): no"
// CHECK:   tensor.empty
// CHECK: else
func.func @fault(%c: tensor<i1>, %x: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<*xf32>, !onnx.seq<tensor<*xf32>>) {
  %s = onnx.SequenceEmpty() : () -> !onnx.seq<tensor<*xf32>>
  %u = onnx.Identity(%x) : (tensor<2x?xf32>) -> tensor<*xf32>
  %0:3 = onnx.If(%c) then_branch {
    %f:3 = onnx.fault "node 'bad' (Gather): no" : tensor<2x?xf32>, tensor<*xf32>, !onnx.seq<tensor<*xf32>>
    onnx.yield %f#0, %f#1, %f#2 : tensor<2x?xf32>, tensor<*xf32>, !onnx.seq<tensor<*xf32>>
  } else_branch {
    onnx.yield %x, %u, %s : tensor<2x?xf32>, tensor<*xf32>, !onnx.seq<tensor<*xf32>>
  } : (tensor<i1>) -> (tensor<2x?xf32>, tensor<*xf32>, !onnx.seq<tensor<*xf32>>)
  return %0#0, %0#1, %0#2 : tensor<2x?xf32>, tensor<*xf32>, !onnx.seq<tensor<*xf32>>
}
