// RUN: onnx-mlir-opt %s --onnx-control-flow-fold --split-input-file | FileCheck %s

// CHECK-LABEL: func @branch
func.func @branch(%x: tensor<?xf32>, %d: tensor<i1>) -> tensor<?xf32> {
  // CHECK-NOT: onnx.If
  // CHECK: %[[R:.*]] = onnx.Relu
  // CHECK: return %[[R]]
  %c = onnx.Constant() {value = dense<false> : tensor<1xi1>} : () -> tensor<1xi1>
  %y = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<?xf32>
  } else_branch {
    %r = onnx.Relu(%x) : (tensor<?xf32>) -> tensor<?xf32>
    onnx.yield %r : tensor<?xf32>
  } : (tensor<1xi1>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @unroll
func.func @unroll(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>) {
  // CHECK-NOT: onnx.Loop
  // CHECK: %[[A:.*]] = onnx.Exp(%arg0)
  // CHECK: %[[U:.*]] = onnx.Unsqueeze(%[[A]],
  // CHECK: %[[B:.*]] = onnx.Exp(%[[A]])
  // CHECK: %[[V:.*]] = onnx.Unsqueeze(%[[B]],
  // CHECK: %[[C:.*]] = onnx.Concat(%[[U]], %[[V]]) {axis = 0}
  // CHECK: return %[[B]], %[[C]]
  %n = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %y:2 = onnx.Loop(%n, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<2xf32>):
    %b = onnx.Exp(%a) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %c, %b, %b : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  } : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
  return %y#0, %y#1 : tensor<2xf32>, tensor<2x2xf32>
}

// -----

// Too long; and a condition that is computed ends it when it wants to.
// CHECK-LABEL: func @no_unroll
func.func @no_unroll(%x: tensor<f32>, %k: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK-COUNT-3: onnx.Loop
  %n = onnx.Constant() {value = dense<1000> : tensor<i64>} : () -> tensor<i64>
  %y = onnx.Loop(%n, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<f32>):
    %b = onnx.Exp(%a) : (tensor<f32>) -> tensor<f32>
    onnx.yield %c, %b : tensor<i1>, tensor<f32>
  } : (tensor<i64>, tensor<f32>) -> tensor<f32>
  %m = onnx.Constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %z = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<f32>):
    %b = onnx.Exp(%a) : (tensor<f32>) -> tensor<f32>
    %d = onnx.Less(%b, %k) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    onnx.yield %d, %b : tensor<i1>, tensor<f32>
  } : (tensor<i64>, tensor<f32>) -> tensor<f32>
  // Random numbers go on from one iteration to the next.
  %r = onnx.Loop(%m, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<f32>):
    %n1 = onnx.RandomNormalLike(%a) {seed = 1.0} : (tensor<f32>) -> tensor<f32>
    %b = onnx.Add(%a, %n1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    onnx.yield %c, %b : tensor<i1>, tensor<f32>
  } : (tensor<i64>, tensor<f32>) -> tensor<f32>
  return %y, %z, %r : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Never entered: what it collects is empty.
// CHECK-LABEL: func @never
func.func @never(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) attributes {onnx.entry} {
  // CHECK: %[[E:.*]] = onnx.Constant() {value = dense<> : tensor<0x2xf32>}
  // CHECK: return %arg1, %[[E]]
  %f = onnx.Constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %y:2 = onnx.Loop(%n, %f, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<2xf32>):
    %b = onnx.Exp(%a) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %c, %b, %b : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  } : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>)
  return %y#0, %y#1 : tensor<2xf32>, tensor<?x2xf32>
}

// -----

// CHECK-LABEL: func @scan_one
func.func @scan_one(%s: tensor<2xf32>, %x: tensor<2x1xf32>) -> (tensor<2xf32>, tensor<2x1xf32>) {
  // CHECK-NOT: onnx.Scan
  // CHECK-DAG: %[[I:.*]] = onnx.Constant() {value = dense<1>
  // CHECK: %[[X:.*]] = onnx.Squeeze(%arg1, %[[I]])
  // CHECK: %[[A:.*]] = onnx.Add(%arg0, %[[X]])
  // CHECK: %[[U:.*]] = onnx.Unsqueeze(%[[A]]
  // CHECK: return %[[A]], %[[U]]
  %y:2 = onnx.Scan(%s, %x) body {
  ^bb0(%a: tensor<2xf32>, %e: tensor<2xf32>):
    %b = onnx.Add(%a, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %b, %b : tensor<2xf32>, tensor<2xf32>
  } {num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1]} : (tensor<2xf32>, tensor<2x1xf32>) -> (tensor<2xf32>, tensor<2x1xf32>)
  return %y#0, %y#1 : tensor<2xf32>, tensor<2x1xf32>
}

// -----

// What may fail stays: the loop may not run. A shape that is computed may not fit.
// CHECK-LABEL: func @hoist
func.func @hoist(%n: tensor<i64>, %x: tensor<2xf32>, %i: tensor<1xi64>) -> tensor<2xf32> {
  // CHECK: onnx.Exp
  // CHECK: onnx.Loop
  // CHECK: onnx.RandomNormalLike
  // CHECK: onnx.Gather
  // CHECK: onnx.Reshape
  %y = onnx.Loop(%n, _, %x) body {
  ^bb0(%k: tensor<i64>, %c: tensor<i1>, %a: tensor<2xf32>):
    %e = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %r = onnx.RandomNormalLike(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %g = onnx.Gather(%x, %i) {axis = 0} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
    %b = onnx.Add(%a, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %s = onnx.Reshape(%x, %i) : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
    %t = onnx.Add(%b, %s) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %d = onnx.Add(%t, %g) : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    %f = onnx.Add(%d, %r) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %c, %f : tensor<i1>, tensor<2xf32>
  } : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// A value that never changes, and outputs without uses.
// CHECK-LABEL: func @shrink
func.func @shrink(%n: tensor<i64>, %x: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[Y:.*]] = onnx.Loop(%arg0, _, %arg1) body
  // CHECK-NEXT: ^{{.*}}(%{{.*}}: tensor<i64>, %[[C:.*]]: tensor<i1>, %[[A:.*]]: tensor<2xf32>)
  // CHECK: %[[B:.*]] = onnx.Mul(%[[A]], %arg2)
  // CHECK: onnx.yield %[[C]], %[[B]]
  // CHECK: return %[[Y]], %arg2
  %y:3 = onnx.Loop(%n, _, %x, %w) body {
  ^bb0(%k: tensor<i64>, %c: tensor<i1>, %a: tensor<2xf32>, %v: tensor<2xf32>):
    %b = onnx.Mul(%a, %v) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %c, %b, %v, %b : tensor<i1>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  } : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?x2xf32>)
  return %y#0, %y#1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// What only hands an outer value on stays: a body yields no outer value.
// CHECK-LABEL: func @hand_on
func.func @hand_on(%n: tensor<i64>, %x: tensor<2xf32>) -> tensor<?x2xf32> {
  // CHECK: %[[E:.*]] = onnx.Exp(%arg1)
  // CHECK: onnx.Loop
  // CHECK: %[[I:.*]] = onnx.Identity(%[[E]])
  // CHECK: onnx.yield %{{.*}}, %[[I]]
  %y = onnx.Loop(%n, _) body {
  ^bb0(%k: tensor<i64>, %c: tensor<i1>):
    %e = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %i = onnx.Identity(%e) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %c, %i : tensor<i1>, tensor<2xf32>
  } : (tensor<i64>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// 2^62 times four ops is 0 in 64 bits.
// CHECK-LABEL: func @no_unroll_of_2_62
func.func @no_unroll_of_2_62(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: onnx.Loop
  // CHECK-COUNT-4: onnx.Exp
  // CHECK-NOT: onnx.Exp
  %n = onnx.Constant() {value = dense<4611686018427387904> : tensor<i64>} : () -> tensor<i64>
  %y = onnx.Loop(%n, _, %x) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<f32>):
    %0 = onnx.Exp(%a) : (tensor<f32>) -> tensor<f32>
    %1 = onnx.Exp(%0) : (tensor<f32>) -> tensor<f32>
    %2 = onnx.Exp(%1) : (tensor<f32>) -> tensor<f32>
    %3 = onnx.Exp(%2) : (tensor<f32>) -> tensor<f32>
    onnx.yield %c, %3 : tensor<i1>, tensor<f32>
  } : (tensor<i64>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Where a run may not come to it, a body may not fit its node: nothing is made of it.
// CHECK-LABEL: func @odd_bodies
func.func @odd_bodies(%c: tensor<i1>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %n = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %t = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  // CHECK: onnx.If(%arg0)
  %0:2 = onnx.If(%c) then_branch {
    // CHECK: onnx.Loop({{.*}}, {{.*}}, %arg1, %arg1)
    %1:2 = onnx.Loop(%n, %t, %x, %x) body {
    ^bb0(%i: tensor<i64>, %k: tensor<i1>, %a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
      onnx.yield %k, %a : tensor<i1>, tensor<2x3xf32>
    } : (tensor<i64>, tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    // CHECK: onnx.Loop({{.*}}, {{.*}}, %arg1, %arg1)
    %2:2 = onnx.Loop(%n, %t, %x, %x) body {
    ^bb0(%i: tensor<i64>, %k: tensor<i1>, %a: tensor<2x3xf32>):
      onnx.yield %k, %a, %a : tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>
    } : (tensor<i64>, tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    // CHECK: onnx.If
    %3:2 = onnx.If(%t) then_branch {
      onnx.yield %x : tensor<2x3xf32>
    } else_branch {
      onnx.yield %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
    } : (tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    %4 = onnx.Add(%1#1, %3#1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    onnx.yield %4, %2#1 : tensor<2x3xf32>, tensor<2x3xf32>
  } else_branch {
    // CHECK: onnx.Scan(%arg1, %arg1)
    %1:2 = onnx.Scan(%x, %x) body {
    ^bb0(%a: tensor<2x3xf32>, %b: tensor<3xf32>):
      onnx.yield %a : tensor<2x3xf32>
    } {num_scan_inputs = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    // CHECK: onnx.Scan(%arg1, %arg1)
    %2:2 = onnx.Scan(%x, %x) body {
    ^bb0(%a: tensor<2x3xf32>):
      onnx.yield %a, %a : tensor<2x3xf32>, tensor<2x3xf32>
    } {num_scan_inputs = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    onnx.yield %1#1, %2#1 : tensor<2x3xf32>, tensor<2x3xf32>
  } : (tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xf32>
}
