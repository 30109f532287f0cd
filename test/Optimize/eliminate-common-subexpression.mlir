// RUN: onnx-mlir-opt %s --onnx-eliminate-common-subexpression --split-input-file | FileCheck %s

// Operands in either order; an attribute that is absent is its default.
// CHECK-LABEL: func @equal
func.func @equal(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  // CHECK-NEXT: %[[A:.*]] = onnx.Add
  // CHECK-NEXT: %[[S:.*]] = onnx.Softmax(%[[A]])
  // CHECK-NEXT: %[[T:.*]] = onnx.Transpose(%[[A]])
  // CHECK-NEXT: return %[[S]], %[[S]], %[[T]], %[[T]]
  %a = onnx.Add(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = onnx.Add(%y, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = onnx.Softmax(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = onnx.Softmax(%b) {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %u = onnx.Transpose(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %v = onnx.Transpose(%b) {perm = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %s, %t, %u, %v : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func @different
func.func @different(%x: tensor<2xf32>, %n: tensor<2xi64>) {
  // CHECK-COUNT-2: onnx.RandomNormalLike
  // CHECK-COUNT-2: onnx.Dropout
  // CHECK-COUNT-2: onnx.Sub
  // CHECK-COUNT-2: onnx.Constant
  // CHECK-COUNT-2: onnx.Cast
  // CHECK-COUNT-2: onnx.node "Relu"
  %r1 = onnx.RandomNormalLike(%x) {seed = 1.0} : (tensor<2xf32>) -> tensor<2xf32>
  %r2 = onnx.RandomNormalLike(%x) {seed = 1.0} : (tensor<2xf32>) -> tensor<2xf32>
  %c = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %d1, %m1 = onnx.Dropout(%x, _, %c) : (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xi1>)
  %d2, %m2 = onnx.Dropout(%x, _, %c) : (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xi1>)
  %s1 = onnx.Sub(%r1, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s2 = onnx.Sub(%x, %r1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z1 = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %z2 = onnx.Constant() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
  %t1 = onnx.Cast(%n) {to = 1} : (tensor<2xi64>) -> tensor<2xf32>
  %t2 = onnx.Cast(%n) {to = 6} : (tensor<2xi64>) -> tensor<2xi32>
  %u1 = onnx.node "Relu" domain "my" version 1 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  %u2 = onnx.node "Relu" domain "my" version 1 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// An inner node is the one around it, not the one in the other branch.
// CHECK-LABEL: func @graphs
func.func @graphs(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[E:.*]] = onnx.Exp
  // CHECK: then_branch
  // CHECK: %[[N:.*]] = onnx.Neg(%[[E]])
  // CHECK: else_branch
  // CHECK: %[[M:.*]] = onnx.Neg(%[[E]])
  // CHECK: onnx.yield %[[M]]
  %e = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = onnx.If(%c) then_branch {
    %f = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %n = onnx.Neg(%f) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %n : tensor<2xf32>
  } else_branch {
    %n = onnx.Neg(%e) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %n : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %e, %y : tensor<2xf32>, tensor<2xf32>
}

// -----

// Results that only one has do not matter.
// CHECK-LABEL: func @results
func.func @results(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) {
  // CHECK-NEXT: %[[Y:.*]], %[[I:.*]] = onnx.MaxPool
  // CHECK-NEXT: return %[[Y]], %[[Y]], %[[I]]
  %a = onnx.MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
  %b, %i = onnx.MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2], auto_pad = "NOTSET"} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
  return %a, %b, %i : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>
}

// The default that a record states is the same as none, of every operator.
// CHECK-LABEL: func @defaults_of_records
// CHECK: %[[A:.*]] = onnx.Selu
// CHECK-NOT: onnx.Selu
// CHECK: %[[B:.*]] = onnx.IsInf
// CHECK-NOT: onnx.IsInf
// CHECK: return %[[A]], %[[A]], %[[B]], %[[B]]
func.func @defaults_of_records(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
  %0 = onnx.Selu(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = onnx.Selu(%x) {gamma = 1.050701} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = onnx.IsInf(%x) {detect_negative = 1} : (tensor<3xf32>) -> tensor<3xi1>
  %3 = onnx.IsInf(%x) : (tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
}

// -----

// Initializers are another rewrite's, but not the nodes that were made of one
// and have its name, as the Cast of an integer that a Constant cannot hold.
// CHECK-LABEL: func @of_an_initializer
func.func @of_an_initializer(%x: tensor<2xf64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  // CHECK-NEXT: %[[W:.*]] = onnx.Constant
  // CHECK-NEXT: %[[V:.*]] = onnx.Constant
  // CHECK-NEXT: %[[C:.*]] = onnx.Cast
  // CHECK-NEXT: return %[[W]], %[[V]], %[[C]], %[[C]]
  %w = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64> loc(#w)
  %v = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64> loc(#w)
  %c = onnx.Cast(%x) {to = 7} : (tensor<2xf64>) -> tensor<2xi64> loc(#w)
  %d = onnx.Cast(%x) {to = 7} : (tensor<2xf64>) -> tensor<2xi64> loc(#w)
  return %w, %v, %c, %d : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}
#w = loc(fused<#onnx.source<name = "w", op = "Initializer", outputs = ["w"]>>["model.onnx"])
