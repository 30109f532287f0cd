// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-pad-destinations))' | FileCheck %s

// Two rows of the border, two columns between them, and the kernel's slice.
// CHECK-LABEL: @padded
// CHECK: %[[TO:.*]] = tensor.empty() : tensor<6x7x16xi8>
// CHECK: tensor.extract_slice %[[TO]][0, 0, 0] [1, 7, 16]
// CHECK: linalg.fill
// CHECK: tensor.extract_slice %{{.*}}[5, 0, 0] [1, 7, 16]
// CHECK: tensor.extract_slice %{{.*}}[1, 0, 0] [4, 1, 16]
// CHECK: %[[BORDER:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[1, 5, 0] [4, 2, 16]
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[BORDER]][1, 1, 0] [4, 4, 16]
// CHECK: %[[DOT:.*]] = kernel.integer_dot {{.*}} outs(%[[SLICE]] :
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[DOT]] into %[[BORDER]][1, 1, 0] [4, 4, 16]
// CHECK: return %[[ALL]]
func.func @padded(%x: tensor<4x4x8xi8>, %w: tensor<1x2x16x4xi8>) -> tensor<6x7x16xi8> {
  %zero = arith.constant 3 : i8
  %e = tensor.empty() : tensor<4x4x16xi8>
  %y = kernel.integer_dot ins(%x, %w : tensor<4x4x8xi8>, tensor<1x2x16x4xi8>) outs(%e : tensor<4x4x16xi8>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    %b = arith.trunci %sum : i32 to i8
    kernel.yield %b : i8
  } -> tensor<4x4x16xi8>
  %p = tensor.pad %y low[1, 1, 0] high[1, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<4x4x16xi8> to tensor<6x7x16xi8>
  return %p : tensor<6x7x16xi8>
}

// Channels that are padded do not lie side by side.
// CHECK-LABEL: @channels
// CHECK: tensor.pad
func.func @channels(%x: tensor<4x8xi8>, %w: tensor<1x2x16x4xi8>) -> tensor<4x12xi8> {
  %zero = arith.constant 3 : i8
  %e = tensor.empty() : tensor<4x10xi8>
  %y = kernel.integer_dot ins(%x, %w : tensor<4x8xi8>, tensor<1x2x16x4xi8>) outs(%e : tensor<4x10xi8>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    %b = arith.trunci %sum : i32 to i8
    kernel.yield %b : i8
  } -> tensor<4x10xi8>
  %p = tensor.pad %y low[0, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i8
  } : tensor<4x10xi8> to tensor<4x12xi8>
  return %p : tensor<4x12xi8>
}
