// RUN: onnx-mlir-opt %s -onnxc-allocate-inserted | FileCheck %s

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

// Eight in one of eight are as many; in one of two they share its buffer.
// CHECK-LABEL: func.func @nested_groups
// CHECK: bufferization.alloc_tensor() : tensor<8xf32>
// CHECK: tensor.empty() : tensor<16xf32>
// CHECK-LABEL: func.func @group_of_two
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @nested_groups(%x: tensor<1xf32>) -> tensor<16xf32> {
  %g = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %x into %g[0] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %x into %0[1] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %2 = tensor.insert_slice %x into %1[2] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %3 = tensor.insert_slice %x into %2[3] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %4 = tensor.insert_slice %x into %3[4] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %5 = tensor.insert_slice %x into %4[5] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %6 = tensor.insert_slice %x into %5[6] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %7 = tensor.insert_slice %x into %6[7] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<16xf32>
  %8 = tensor.insert_slice %7 into %e[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %9 = tensor.insert_slice %x into %8[8] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %10 = tensor.insert_slice %x into %9[9] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %11 = tensor.insert_slice %x into %10[10] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %12 = tensor.insert_slice %x into %11[11] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %13 = tensor.insert_slice %x into %12[12] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %14 = tensor.insert_slice %x into %13[13] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %15 = tensor.insert_slice %x into %14[14] [1] [1] : tensor<1xf32> into tensor<16xf32>
  return %15 : tensor<16xf32>
}

func.func @group_of_two(%x: tensor<1xf32>) -> tensor<16xf32> {
  %g = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %x into %g[0] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %x into %0[1] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %2 = tensor.insert_slice %x into %1[2] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %3 = tensor.insert_slice %x into %2[3] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %4 = tensor.insert_slice %x into %3[4] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %5 = tensor.insert_slice %x into %4[5] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %6 = tensor.insert_slice %x into %5[6] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %7 = tensor.insert_slice %x into %6[7] [1] [1] : tensor<1xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<16xf32>
  %8 = tensor.insert_slice %7 into %e[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %9 = tensor.insert_slice %7 into %8[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %9 : tensor<16xf32>
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

// What has one element takes the place of one: nothing lies around it.
// CHECK-LABEL: func.func @kernel_of_one
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @kernel_of_one(%x: tensor<1x8xf32>, %w: tensor<1x8x16xf32>, %to: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %e = tensor.empty() : tensor<1x1xf32>
  %k = kernel.matmul ins(%x, %w : tensor<1x8xf32>, tensor<1x8x16xf32>) outs(%e : tensor<1x1xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x1xf32>
  %r = tensor.insert_slice %k into %to[0, 0] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x1xf32>
  return %r : tensor<1x1xf32>
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
