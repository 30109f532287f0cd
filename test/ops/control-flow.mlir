// The types of subgraphs: what enters bodies, what leaves them, and that both
// settle.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes=fold=false --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @if_joins
// CHECK-SAME: -> (tensor<2x?xf32>, tensor<*xf32>)
func.func @if_joins(%c: tensor<i1>, %x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<5xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0:2 = onnx.If(%c) then_branch {
    %r = onnx.Relu(%x) : (tensor<2x3xf32>) -> !onnx.unknown
    onnx.yield %r, %r : !onnx.unknown, !onnx.unknown
  } else_branch {
    onnx.yield %y, %z : tensor<2x4xf32>, tensor<5xf32>
  } : (tensor<i1>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1 : !onnx.unknown, !onnx.unknown
}

// A dimension that grows is unknown in the body, the others are not.
// CHECK-LABEL: @loop_carried
// CHECK-SAME: -> (tensor<?x3xf32>, tensor<2x3xf32>, tensor<7x1x3xf32>)
// CHECK: %[[G:.*]]: tensor<?x3xf32>, %[[S:.*]]: tensor<2x3xf32>):
func.func @loop_carried(%x: tensor<1x3xf32>, %y: tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %m = onnx.Constant() {value_int = 7} : () -> tensor<i64>
  %0:3 = onnx.Loop(%m, _, %x, %y) body {
  ^bb0(%i: !onnx.unknown, %c: !onnx.unknown, %g: !onnx.unknown, %s: !onnx.unknown):
    %n = onnx.Concat(%g, %x) {axis = 0} : (!onnx.unknown, tensor<1x3xf32>) -> !onnx.unknown
    %r = onnx.Relu(%s) : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %c, %n, %r, %x : !onnx.unknown, !onnx.unknown, !onnx.unknown, tensor<1x3xf32>
  } : (tensor<i64>, tensor<1x3xf32>, tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown)
  return %0#0, %0#1, %0#2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// How often is not known where the body may stop.
// CHECK-LABEL: @loop_stops
// CHECK-SAME: -> (tensor<?xi64>, tensor<0xi64>)
func.func @loop_stops(%stop: tensor<i1>) -> (!onnx.unknown, !onnx.unknown) {
  %m = onnx.Constant() {value_int = 7} : () -> tensor<i64>
  %no = onnx.Constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%i: !onnx.unknown, %c: !onnx.unknown):
    onnx.yield %stop, %i : tensor<i1>, !onnx.unknown
  } : (tensor<i64>) -> !onnx.unknown
  %1 = onnx.Loop(%m, %no) body {
  ^bb0(%i: !onnx.unknown, %c: !onnx.unknown):
    onnx.yield %stop, %i : tensor<i1>, !onnx.unknown
  } : (tensor<i64>, tensor<i1>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// A list that begins empty has the type of what is put into it; a rank that
// changes is no rank.
// CHECK-LABEL: @loop_list
// CHECK-SAME: -> (!onnx.seq<tensor<2x3xf32>>, tensor<*xf32>, tensor<?x3xf32>)
func.func @loop_list(%m: tensor<i64>, %x: tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %e = onnx.SequenceEmpty() : () -> !onnx.unknown
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %0:2 = onnx.Loop(%m, _, %e, %x) body {
  ^bb0(%i: !onnx.unknown, %c: !onnx.unknown, %l: !onnx.unknown, %v: !onnx.unknown):
    %n = onnx.SequenceInsert(%l, %x) : (!onnx.unknown, tensor<2x3xf32>) -> !onnx.unknown
    %u = onnx.Unsqueeze(%v, %a) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
    onnx.yield %c, %n, %u : !onnx.unknown, !onnx.unknown, !onnx.unknown
  } : (tensor<i64>, !onnx.unknown, tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown)
  %1 = onnx.ConcatFromSequence(%0#0) {axis = 0} : (!onnx.unknown) -> !onnx.unknown
  return %0#0, %0#1, %1 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// What a loop carries into another one settles with it.
// CHECK-LABEL: @loops
// CHECK-SAME: -> (tensor<?xf32>, tensor<4xf32>)
func.func @loops(%m: tensor<i64>, %x: tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0:2 = onnx.Loop(%m, _, %x, %x) body {
  ^bb0(%i: !onnx.unknown, %c: !onnx.unknown, %a: !onnx.unknown, %b: !onnx.unknown):
    %1:2 = onnx.Loop(%m, _, %a, %b) body {
    ^bb0(%j: !onnx.unknown, %d: !onnx.unknown, %p: !onnx.unknown, %q: !onnx.unknown):
      %2 = onnx.Concat(%p, %a) {axis = 0} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
      onnx.yield %d, %2, %q : !onnx.unknown, !onnx.unknown, !onnx.unknown
    } : (tensor<i64>, !onnx.unknown, !onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %c, %1#0, %1#1 : !onnx.unknown, !onnx.unknown, !onnx.unknown
  } : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1 : !onnx.unknown, !onnx.unknown
}

// States keep their shape; slices lack the axis, outputs gain it.
// CHECK-LABEL: @scan
// CHECK-SAME: -> (tensor<2xf32>, tensor<2x5xf32>)
// CHECK: %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
func.func @scan(%s: tensor<2xf32>, %x: tensor<2x5xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0:2 = onnx.Scan(%s, %x) body {
  ^bb0(%a: !onnx.unknown, %b: !onnx.unknown):
    %n = onnx.Add(%a, %b) : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
    onnx.yield %n, %n : !onnx.unknown, !onnx.unknown
  } {num_scan_inputs = 1, scan_input_axes = [-1], scan_output_axes = [1]} : (tensor<2xf32>, tensor<2x5xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @sequence_map
// CHECK-SAME: -> (!onnx.seq<tensor<2xi64>>, !onnx.seq<tensor<4x?xf32>>)
func.func @sequence_map(%s: !onnx.seq<tensor<4x?xf32>>, %x: tensor<4x1xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0:2 = onnx.SequenceMap(%s, %x) body {
  ^bb0(%a: !onnx.unknown, %b: !onnx.unknown):
    %n = onnx.Shape(%a) : (!onnx.unknown) -> !onnx.unknown
    %t = onnx.Add(%a, %b) : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
    onnx.yield %n, %t : !onnx.unknown, !onnx.unknown
  } : (!onnx.seq<tensor<4x?xf32>>, tensor<4x1xf32>) -> (!onnx.unknown, !onnx.unknown)
  return %0#0, %0#1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @if_c1(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @below {{if_c1: the branches must have the same number of outputs}}
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x, %x : tensor<2xf32>, tensor<2xf32>
  } else_branch {
    onnx.yield %x : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @if_inputs(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @below {{if_inputs: a branch must have no inputs}}
  %0 = onnx.If(%c) then_branch {
  ^bb0(%a: tensor<2xf32>):
    onnx.yield %a : tensor<2xf32>
  } else_branch {
    onnx.yield %x : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @if_c2(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @below {{if_c2: the branches must have as many outputs as the node}}
  %0:2 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<2xf32>
  } else_branch {
    onnx.yield %x : tensor<2xf32>
  } : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @if_types(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xi64>) {
  // expected-error @below {{if_types: output 0 of the branches must be of one type}}
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<2xf32>
  } else_branch {
    onnx.yield %y : tensor<2xi64>
  } : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_c1(%m: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @below {{loop_c1: the body must have an input for the iteration, one for the condition and one per carried value, has 2 for 1 values}}
  %0 = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.yield %c, %x : tensor<i1>, tensor<2xf32>
  } : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_c2(%m: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @below {{loop_c2: the body must have an output for the condition and one per output of the node, has 1}}
  %0 = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):
    onnx.yield %c : tensor<i1>
  } : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_carried(%m: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xi64>) {
  // expected-error @below {{loop_carried: value 0 must be of one type before and after an iteration}}
  %0 = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):
    onnx.yield %c, %y : tensor<i1>, tensor<2xi64>
  } : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_inputs(%m: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @below {{loop_inputs: input 2 of the body must have the type of what it carries}}
  %0 = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xi64>):
    onnx.yield %c, %x : tensor<i1>, tensor<2xf32>
  } : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_scan(%m: tensor<i64>, %s: !onnx.seq<tensor<2xf32>>) {
  // expected-error @below {{loop_scan: output 1 of the body must be a tensor}}
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.yield %c, %s : tensor<i1>, !onnx.seq<tensor<2xf32>>
  } : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @scan_num_scan_inputs(%x: tensor<2xf32>) {
  // expected-error @below {{scan_num_scan_inputs: must leave an input per state, is 2 of 1}}
  %0 = onnx.Scan(%x) body {
  ^bb0(%a: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 2} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_c1(%x: tensor<2xf32>) {
  // expected-error @below {{scan_c1: axes and directions must have an element per scan input or output}}
  %0 = onnx.Scan(%x) body {
  ^bb0(%a: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 1, scan_input_axes = [0, 1]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_c2(%x: tensor<2xf32>) {
  // expected-error @below {{scan_c2: the body must have as many inputs and outputs as the node}}
  %0 = onnx.Scan(%x) body {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 1} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_directions(%x: tensor<2xf32>) {
  // expected-error @below {{scan_directions: must be 0 (forward) or 1 (backward)}}
  %0 = onnx.Scan(%x) body {
  ^bb0(%a: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 1, scan_input_directions = [2]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_input_axes(%x: tensor<2xf32>) {
  // expected-error @below {{scan_input_axes: axis 1 is out of range for rank 1}}
  %0 = onnx.Scan(%x) body {
  ^bb0(%a: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 1, scan_input_axes = [1]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_output_axes(%x: tensor<2xf32>) {
  // expected-error @below {{scan_output_axes: axis -2 is out of range for rank 1}}
  %0 = onnx.Scan(%x) body {
  ^bb0(%a: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 1, scan_output_axes = [-2]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_length(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{scan_length: dimensions 3 and 2 must be equal}}
  %0 = onnx.Scan(%x, %y) body {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    onnx.yield %a : tensor<f32>
  } {num_scan_inputs = 2} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scan_state(%s: tensor<2xf32>, %x: tensor<2xf32>) {
  // expected-error @below {{scan_state: state 0 must have one type and shape in all iterations}}
  %0 = onnx.Scan(%s, %x) body {
  ^bb0(%a: tensor<2xf32>, %b: tensor<f32>):
    onnx.yield %b : tensor<f32>
  } {num_scan_inputs = 1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sequencemap_c1(%s: !onnx.seq<tensor<2xf32>>) {
  // expected-error @below {{sequencemap_c1: the body must have as many inputs and outputs as the node}}
  %0 = onnx.SequenceMap(%s) body {
  ^bb0(%a: tensor<2xf32>):
    onnx.yield %a, %a : tensor<2xf32>, tensor<2xf32>
  } : (!onnx.seq<tensor<2xf32>>) -> !onnx.seq<tensor<2xf32>>
  return
}

// -----

func.func @sequencemap_inputs(%s: !onnx.seq<tensor<2xf32>>) {
  // expected-error @below {{sequencemap_inputs: input 0 of the body must have the type of the elements}}
  %0 = onnx.SequenceMap(%s) body {
  ^bb0(%a: tensor<2xf64>):
    onnx.yield %a : tensor<2xf64>
  } : (!onnx.seq<tensor<2xf32>>) -> !onnx.seq<tensor<2xf64>>
  return
}

// -----

func.func @sequencemap_outputs(%s: !onnx.seq<tensor<2xf32>>) {
  // expected-error @below {{sequencemap_outputs: output 0 of the body must be a tensor}}
  %0 = onnx.SequenceMap(%s) body {
  ^bb0(%a: tensor<2xf32>):
    onnx.yield %s : !onnx.seq<tensor<2xf32>>
  } : (!onnx.seq<tensor<2xf32>>) -> !onnx.unknown
  return
}
