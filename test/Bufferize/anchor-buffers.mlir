// RUN: onnx-mlir-opt %s -onnxc-anchor-buffers | FileCheck %s

// CHECK-LABEL: func.func @pad_is_fill_and_insert
// CHECK-NOT: tensor.pad
// CHECK: linalg.fill
// CHECK: tensor.insert_slice
func.func @pad_is_fill_and_insert(%x: tensor<4xf32>, %v: f32) -> tensor<6xf32> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

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

// One filled tensor for each op that adds to it.
// CHECK-LABEL: func.func @fills_are_not_shared
// CHECK: %[[F0:.*]] = linalg.fill
// CHECK: linalg.dot {{.*}} outs(%[[F0]]
// CHECK: %[[F1:.*]] = linalg.fill
// CHECK: linalg.dot {{.*}} outs(%[[F1]]
func.func @fills_are_not_shared(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.dot ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %1 = linalg.dot ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
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

// Many insertions do not share the buffer of the tensor that they end up in.
// CHECK-LABEL: func.func @groups_have_buffers
// CHECK: %[[G:.*]] = bufferization.alloc_tensor() : tensor<16xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[G]][0]
// CHECK: %[[E:.*]] = tensor.empty() : tensor<20xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[E]][4]
func.func @groups_have_buffers(%x: tensor<1xf32>) -> tensor<20xf32> {
  %g = tensor.empty() : tensor<16xf32>
  %0 = tensor.insert_slice %x into %g[0] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %1 = tensor.insert_slice %x into %0[1] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %2 = tensor.insert_slice %x into %1[2] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %3 = tensor.insert_slice %x into %2[3] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %4 = tensor.insert_slice %x into %3[4] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %5 = tensor.insert_slice %x into %4[5] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %6 = tensor.insert_slice %x into %5[6] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %7 = tensor.insert_slice %x into %6[7] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %8 = tensor.insert_slice %x into %7[8] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %9 = tensor.insert_slice %x into %8[9] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %10 = tensor.insert_slice %x into %9[10] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %11 = tensor.insert_slice %x into %10[11] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %12 = tensor.insert_slice %x into %11[12] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %13 = tensor.insert_slice %x into %12[13] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %14 = tensor.insert_slice %x into %13[14] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %15 = tensor.insert_slice %x into %14[15] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %e = tensor.empty() : tensor<20xf32>
  %r = tensor.insert_slice %15 into %e[4] [16] [1] : tensor<16xf32> into tensor<20xf32>
  return %r : tensor<20xf32>
}

// Of more than 64 operands, a concatenation is bufferized as it is.
// CHECK-LABEL: func.func @many_operands
// CHECK: tensor.concat
// CHECK-NOT: tensor.insert_slice
func.func @many_operands(%x: tensor<2xf32>) -> tensor<130xf32> {
  %r = tensor.concat dim(0)
      %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
      %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
      %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x :
      (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<130xf32>
  return %r : tensor<130xf32>
}

// CHECK-LABEL: func.func @few_operands
// CHECK-NOT: tensor.concat
// CHECK-COUNT-64: tensor.insert_slice
func.func @few_operands(%x: tensor<2xf32>) -> tensor<128xf32> {
  %r = tensor.concat dim(0)
      %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
      %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
      %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x :
      (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<128xf32>
  return %r : tensor<128xf32>
}

#lhs = affine_map<(m, n, k) -> (m, k)>
#packed = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#result = affine_map<(m, n, k) -> (m, n)>

// Columns that are inserted at a distance of two elements: the kernel, which
// writes vectors, has a buffer of its own.
// CHECK-LABEL: func.func @kernel_beside_others
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() : tensor<4x16xf32>
// CHECK: kernel.matmul {{.*}} outs(%[[OWN]]
// CHECK: tensor.insert_slice
// A whole row is written where it goes.
// CHECK-LABEL: func.func @kernel_in_place
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @kernel_beside_others(%x: tensor<4x8xf32>, %w: tensor<1x8x16xf32>, %to: tensor<4x16x2xf32>) -> tensor<4x16x2xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %k = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<4x16xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x16xf32>
  %r = tensor.insert_slice %k into %to[0, 0, 0] [4, 16, 1] [1, 1, 1] : tensor<4x16xf32> into tensor<4x16x2xf32>
  return %r : tensor<4x16x2xf32>
}

func.func @kernel_in_place(%x: tensor<4x8xf32>, %w: tensor<1x8x16xf32>, %to: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %k = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<4x16xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x16xf32>
  %r = tensor.insert_slice %k into %to[0, 0] [4, 16] [1, 1] : tensor<4x16xf32> into tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Inserted twice, it still has one buffer.
// CHECK-LABEL: func.func @kernel_inserted_twice
// CHECK-COUNT-1: bufferization.alloc_tensor() : tensor<4x16xf32>
// CHECK-COUNT-2: tensor.insert_slice
// CHECK: return
func.func @kernel_inserted_twice(%x: tensor<4x8xf32>, %w: tensor<1x8x16xf32>, %to: tensor<4x16x2xf32>) -> tensor<4x16x2xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %k = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<4x16xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x16xf32>
  %r = tensor.insert_slice %k into %to[0, 0, 0] [4, 16, 1] [1, 1, 1] : tensor<4x16xf32> into tensor<4x16x2xf32>
  %s = tensor.insert_slice %k into %r[0, 0, 1] [4, 16, 1] [1, 1, 1] : tensor<4x16xf32> into tensor<4x16x2xf32>
  return %s : tensor<4x16x2xf32>
}

// What has no part in it stays as it is, constants included.
// CHECK-LABEL: func.func @nothing_is_folded
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: return %[[S]]
func.func @nothing_is_folded() -> index {
  %0 = arith.constant 1 : index
  %1 = arith.constant 2 : index
  %2 = arith.addi %0, %1 : index
  return %2 : index
}
