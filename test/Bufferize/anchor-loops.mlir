// RUN: onnx-mlir-opt %s -onnxc-anchor-loops | FileCheck %s

// What is yielded lands in the buffer of the iteration argument.
// CHECK-LABEL: func.func @loop_keeps_its_buffer
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: %[[C:.*]] = linalg.copy ins(%[[E]] : tensor<4xf32>) outs(%[[A]] : tensor<4xf32>)
// CHECK: scf.yield %[[C]]
func.func @loop_keeps_its_buffer(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Sizes that no iteration changes need not be known.
// CHECK-LABEL: func.func @dynamic_sizes
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: %[[C:.*]] = linalg.copy ins(%[[E]] : tensor<?x4xf32>) outs(%[[A]] : tensor<?x4xf32>)
// CHECK: scf.yield %[[C]]
func.func @dynamic_sizes(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x4xf32> {
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %y = linalg.exp ins(%a : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// What grows gets another buffer each time.
// CHECK-LABEL: func.func @growing
// CHECK: scf.for
// CHECK-NOT: linalg.copy
// CHECK: scf.yield
func.func @growing(%x: tensor<?xf32>, %v: f32, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %more = arith.addi %d, %c1 : index
    %e = tensor.empty(%more) : tensor<?xf32>
    %y = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Arguments that change places are saved before one is overwritten.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[SB:.*]] = linalg.copy ins(%[[B]]
// CHECK: %[[SA:.*]] = linalg.copy ins(%[[A]]
// CHECK: linalg.copy ins(%[[SB]] : tensor<4xf32>) outs(%[[A]]
// CHECK: linalg.copy ins(%[[SA]] : tensor<4xf32>) outs(%[[B]]
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// What is made in the buffer of the argument is there already.
// CHECK-LABEL: func.func @insert_in_place
// CHECK: %[[I:.*]] = tensor.insert_slice
// CHECK-NOT: linalg.copy
// CHECK: scf.yield %[[I]]
func.func @insert_in_place(%x: tensor<1xf32>, %y: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> tensor<8xf32> {
    %z = tensor.insert_slice %x into %a[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.yield %z : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Not if the argument is read afterwards.
// CHECK-LABEL: func.func @read_after_insert
// CHECK: %[[I:.*]] = tensor.insert_slice
// CHECK: %[[S:.*]] = tensor.insert_slice
// CHECK: linalg.copy ins(%[[S]]
func.func @read_after_insert(%x: tensor<1xf32>, %y: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> tensor<8xf32> {
    %z = tensor.insert_slice %x into %a[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    %old = tensor.extract_slice %a[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %w = tensor.insert_slice %old into %z[%c0] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// The arguments of both regions have the same numbers.
// CHECK-LABEL: func.func @while_arguments
// CHECK: scf.while (%[[A:.*]] = %arg0, %[[I:.*]] = %{{.*}}) : (tensor<4xf32>, index) -> tensor<4xf32>
// CHECK: scf.condition(%{{.*}}) %[[A]]
// CHECK: ^bb0(%[[B:.*]]: tensor<4xf32>):
// CHECK: %[[C:.*]] = linalg.copy ins(%{{.*}}) outs(%[[B]]
// CHECK: scf.yield %[[C]], %{{.*}} : tensor<4xf32>, index
func.func @while_arguments(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%i = %c0, %a = %x) : (index, tensor<4xf32>) -> tensor<4xf32> {
    %goes = arith.cmpi slt, %i, %n : index
    scf.condition(%goes) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n, %y : index, tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
