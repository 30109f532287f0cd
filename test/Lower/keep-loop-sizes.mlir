// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(func.func(onnxc-keep-loop-sizes,cse,canonicalize))" -split-input-file | FileCheck %s

// The size is that of the initial value, behind a select of the same two and a
// branch, and behind the loop.
// CHECK-LABEL: @kept
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: scf.for
// CHECK-NOT: tensor.dim
// CHECK: tensor.empty(%[[N]])
// CHECK-NOT: tensor.dim
// CHECK: return %{{.*}}, %[[N]]
func.func @kept(%x: tensor<?xf32>, %n: index, %c: i1, %f: f32) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<?xf32>) {
    %own = tensor.dim %h, %c0 : tensor<?xf32>
    %other = tensor.dim %x, %c0 : tensor<?xf32>
    %one = arith.cmpi eq, %own, %c1 : index
    %size = arith.select %one, %other, %own : index
    %empty = tensor.empty(%size) : tensor<?xf32>
    %fill = linalg.fill ins(%f : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    %next = scf.if %c -> (tensor<?xf32>) {
      scf.yield %fill : tensor<?xf32>
    } else {
      scf.yield %h : tensor<?xf32>
    }
    scf.yield %next : tensor<?xf32>
  }
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %d : tensor<?xf32>, index
}

// -----

// It becomes longer.
// CHECK-LABEL: @grows
// CHECK: scf.for {{.*}} iter_args(%[[H:[a-z0-9]+]] = %arg0)
// CHECK: tensor.dim %[[H]]
// CHECK: %[[D:.*]] = tensor.dim
// CHECK: return %{{.*}}, %[[D]]
func.func @grows(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<?xf32>) {
    %own = tensor.dim %h, %c0 : tensor<?xf32>
    %size = arith.addi %own, %c1 : index
    %empty = tensor.empty(%size) : tensor<?xf32>
    scf.yield %empty : tensor<?xf32>
  }
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %d : tensor<?xf32>, index
}

// -----

// Two that change places: neither has the size of its own initial value. The
// third is only wrong because of the first.
// CHECK-LABEL: @exchanged
// CHECK: scf.for {{.*}} iter_args(%[[A:[a-z0-9]+]] = %arg0, %[[B:[a-z0-9]+]] = %arg1, %[[C:[a-z0-9]+]] = %arg0,
// CHECK: tensor.dim %[[A]]
// CHECK: tensor.dim %[[C]]
func.func @exchanged(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %x, %sum = %c0) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, index) {
    %p = tensor.dim %a, %c0 : tensor<?xf32>
    %q = tensor.dim %c, %c0 : tensor<?xf32>
    %s = arith.addi %sum, %p : index
    %t = arith.muli %s, %q : index
    scf.yield %b, %a, %a, %t : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, index
  }
  return %r#3 : index
}

// -----

// A loop whose end is computed, around one that is not; a slice without its
// first dimension.
// CHECK-LABEL: @nested
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: scf.while
// CHECK-NOT: tensor.dim
// CHECK: return %{{.*}}, %[[N]]
func.func @nested(%x: tensor<?x4xf32>, %n: index, %c: i1) -> (tensor<?x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%h = %x) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
    scf.condition(%c) %h : tensor<?x4xf32>
  } do {
  ^bb0(%h: tensor<?x4xf32>):
    %inner = scf.for %i = %c0 to %n step %c1 iter_args(%g = %h) -> (tensor<?x4xf32>) {
      %own = tensor.dim %g, %c0 : tensor<?x4xf32>
      %whole = tensor.empty(%own) : tensor<1x?x4xf32>
      %slice = tensor.extract_slice %whole[0, 0, 0] [1, %own, 4] [1, 1, 1] : tensor<1x?x4xf32> to tensor<?x4xf32>
      scf.yield %slice : tensor<?x4xf32>
    }
    scf.yield %inner : tensor<?x4xf32>
  }
  %d = tensor.dim %r, %c0 : tensor<?x4xf32>
  return %r, %d : tensor<?x4xf32>, index
}
