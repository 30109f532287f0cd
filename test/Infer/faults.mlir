// What is wrong where a run may not come to it is an error of the run.
// RUN: onnx-mlir-opt %s -split-input-file -onnx-infer-shapes -verify-diagnostics | FileCheck %s

// The result is what the other branch makes of it.
// CHECK-LABEL: @branch
// CHECK: onnx.Shape
// CHECK-NEXT: %[[F:.*]] = onnx.fault "{{.*}}axis 3 is out of range{{.*}}" : tensor<?x3xf32>
// CHECK-NEXT: onnx.yield %[[F]]
// CHECK: -> tensor<?x3xf32>
// CHECK: return %{{.*}} : tensor<?x3xf32>
func.func @branch(%c: tensor<i1>, %x: tensor<?x3xf32>, %i: tensor<i64>) -> !onnx.unknown {
  %0 = onnx.If(%c) then_branch {
    %s = onnx.Shape(%x) : (tensor<?x3xf32>) -> !onnx.unknown
    // expected-warning @below {{axis 3 is out of range for rank 2; a run fails if it comes to this node}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<?x3xf32>, tensor<i64>) -> !onnx.unknown
    %n = onnx.Neg(%g) : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %n : !onnx.unknown
  } else_branch {
    %r = onnx.Relu(%x) : (tensor<?x3xf32>) -> !onnx.unknown
    onnx.yield %r : !onnx.unknown
  } : (tensor<i1>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// A branch that is taken, by a condition that folds, is part of every run.
func.func @taken(%x: tensor<2x3xf32>, %i: tensor<i64>) -> !onnx.unknown {
  %s = onnx.Shape(%x) {start = 0, end = 1} : (tensor<2x3xf32>) -> !onnx.unknown
  %two = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  %c = onnx.Equal(%s, %two) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %0 = onnx.If(%c) then_branch {
    // expected-error @below {{axis 3 is out of range for rank 2}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> !onnx.unknown
    onnx.yield %g : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<2x3xf32>
  } : (!onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// A size is equal to itself, whatever it is: that branch is none.
// CHECK-LABEL: @never
// CHECK-NOT: onnx.If
// CHECK-NOT: onnx.fault
// CHECK: return %arg0
func.func @never(%x: tensor<?x3xf32>, %i: tensor<i64>) -> !onnx.unknown {
  %zero = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %s = onnx.Shape(%x) : (tensor<?x3xf32>) -> !onnx.unknown
  %a = onnx.Gather(%s, %zero) : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  %t = onnx.Shape(%x) {start = 0, end = 1} : (tensor<?x3xf32>) -> !onnx.unknown
  %axes = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %b = onnx.Squeeze(%t, %axes) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %e = onnx.Equal(%a, %b) : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
  %c = onnx.Not(%e) : (!onnx.unknown) -> !onnx.unknown
  %0 = onnx.If(%c) then_branch {
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<?x3xf32>, tensor<i64>) -> !onnx.unknown
    onnx.yield %g : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<?x3xf32>
  } : (!onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// Where both branches fail, every run does.
func.func @both(%c: tensor<i1>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<*xf32> {
  // expected-error-re @below {{both branches fail: {{.*}}axis 3 is out of range}}
  %0 = onnx.If(%c) then_branch {
    // expected-warning @below {{axis 3 is out of range}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
    onnx.yield %g : tensor<*xf32>
  } else_branch {
    // expected-warning @below {{axis 4 is out of range}}
    %g = onnx.Gather(%x, %i) {axis = 4} : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
    onnx.yield %g : tensor<*xf32>
  } : (tensor<i1>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// A body that runs no times or more: what it carries is what it began with.
// CHECK-LABEL: @loop
// CHECK: onnx.fault {{.*}} : tensor<i1>, tensor<2x3xf32>, tensor<?xf32>
// CHECK: -> (tensor<2x3xf32>, tensor<?x?xf32>)
func.func @loop(%m: tensor<i64>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> (!onnx.unknown, tensor<?x?xf32>) {
  %0:2 = onnx.Loop(%m, _, %x) body {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>, %s: !onnx.unknown):
    // expected-warning @below {{axis 3 is out of range}}
    %g = onnx.Gather(%s, %i) {axis = 3} : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
    %d = onnx.Identity(%c) : (tensor<i1>) -> tensor<i1>
    %v = onnx.Neg(%g) : (!onnx.unknown) -> tensor<?xf32>
    onnx.yield %d, %g, %v : tensor<i1>, !onnx.unknown, tensor<?xf32>
  } : (tensor<i64>, tensor<2x3xf32>) -> (!onnx.unknown, tensor<?x?xf32>)
  return %0#0, %0#1 : !onnx.unknown, tensor<?x?xf32>
}

// -----

// What it collects is a slice of its result.
// CHECK-LABEL: @loop_collects
// CHECK: onnx.fault {{.*}} : tensor<i1>, tensor<4x3xf32>
func.func @loop_collects(%m: tensor<i64>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<?x4x3xf32> {
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>):
    // expected-warning @below {{axis 3 is out of range}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> !onnx.unknown
    %d = onnx.Identity(%c) : (tensor<i1>) -> tensor<i1>
    onnx.yield %d, %g : tensor<i1>, !onnx.unknown
  } : (tensor<i64>) -> tensor<?x4x3xf32>
  return %0 : tensor<?x4x3xf32>
}

// -----

// One that runs.
func.func @loop_runs(%x: tensor<2x3xf32>, %i: tensor<i64>) -> !onnx.unknown {
  %m = onnx.Constant() {value_int = 2} : () -> tensor<i64>
  %0 = onnx.Loop(%m, _, %x) body {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>, %s: tensor<?x?xf32>):
    // expected-error @below {{axis 3 is out of range}}
    %g = onnx.Gather(%s, %i) {axis = 3} : (tensor<?x?xf32>, tensor<i64>) -> !onnx.unknown
    onnx.yield %c, %g : tensor<i1>, !onnx.unknown
  } : (tensor<i64>, tensor<2x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// Shapes alone can be right elsewhere: that the elements are of another type is
// an error.
func.func @type(%c: tensor<i1>, %x: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error @below {{output 0 of the branches must be of one type}}
  %0 = onnx.If(%c) then_branch {
    %g = onnx.Relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf16>
    onnx.yield %g : tensor<2x3xf16>
  } else_branch {
    onnx.yield %x : tensor<2x3xf32>
  } : (tensor<i1>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// What moved into branches is at fault in one of them only.
// CHECK-LABEL: @sunk
// CHECK: } else_branch {
// CHECK-NEXT: onnx.fault "{{.*}}axis 1 is out of range for rank 1" : tensor<2xf32>
func.func @sunk(%c: tensor<i1>, %x: tensor<2x3xf32>, %v: tensor<3xf32>, %i: tensor<i64>) -> !onnx.unknown {
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<2x3xf32>
  } else_branch {
    onnx.yield %v : tensor<3xf32>
  } : (tensor<i1>) -> !onnx.unknown
  // expected-warning @below {{axis 1 is out of range for rank 1; a run fails if it comes to this node}}
  %1 = onnx.Gather(%0, %i) {axis = 1} : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  %2 = onnx.Relu(%1) : (!onnx.unknown) -> !onnx.unknown
  return %2 : !onnx.unknown
}

// -----

// Both the node and the If around it, whose branches do not fit each other.
// CHECK-LABEL: @fewer
// CHECK: onnx.fault "{{.*}}the branches must have the same number of outputs"
func.func @fewer(%c: tensor<i1>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> !onnx.unknown {
  %0 = onnx.If(%c) then_branch {
    // expected-warning @below {{the branches must have the same number of outputs; a run fails if it comes to this node}}
    %1:2 = onnx.If(%c) then_branch {
      %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> !onnx.unknown
      onnx.yield %x, %g : tensor<2x3xf32>, !onnx.unknown
    } else_branch {
      onnx.yield %x : tensor<2x3xf32>
    } : (tensor<i1>) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %1#1 : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<2x3xf32>
  } : (tensor<i1>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// The same of a branch that is sure to be taken, if its node is come to.
// CHECK-LABEL: @fewer_of_known
// CHECK: onnx.fault "{{.*}}the branches must have the same number of outputs"
func.func @fewer_of_known(%c: tensor<i1>, %x: tensor<2x3xf32>) -> !onnx.unknown {
  %0 = onnx.If(%c) then_branch {
    %t = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    // expected-warning @below {{the branches must have the same number of outputs; a run fails if it comes to this node}}
    %1:2 = onnx.If(%t) then_branch {
      onnx.yield %x : tensor<2x3xf32>
    } else_branch {
      onnx.yield %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
    } : (tensor<i1>) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %1#1 : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<2x3xf32>
  } : (tensor<i1>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// A fault that stands in a branch already says nothing of what the other one does not yield.
// CHECK-LABEL: @fault_of_before
// CHECK: onnx.fault "{{.*}}the branches must have the same number of outputs"
func.func @fault_of_before(%c: tensor<i1>, %x: tensor<2x3xf32>) -> !onnx.unknown {
  %0 = onnx.If(%c) then_branch {
    // expected-warning @below {{the branches must have the same number of outputs; a run fails if it comes to this node}}
    %1:2 = onnx.If(%c) then_branch {
      %f = onnx.fault "no way" : !onnx.unknown
      onnx.yield %x, %f : tensor<2x3xf32>, !onnx.unknown
    } else_branch {
      onnx.yield %x : tensor<2x3xf32>
    } : (tensor<i1>) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %1#1 : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<2x3xf32>
  } : (tensor<i1>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
