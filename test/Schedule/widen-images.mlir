// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-widen-images))' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni},func.func(onnxc-widen-images))' | FileCheck %s --check-prefix=VNNI
// VNNI-NOT: xi16

// What computes the bytes yields 16-bit numbers, and they are padded.
// CHECK-LABEL: @producer
// CHECK: %[[TO:.*]] = tensor.empty() : tensor<1x4x4x64xi16>
// CHECK: %[[X:.*]] = kernel.integer_dot {{.*}} outs(%[[TO]] :
// CHECK: %[[BYTE:.*]] = arith.trunci
// CHECK: %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i16
// CHECK: kernel.yield %[[WIDE]] : i16
// CHECK: %[[P:.*]] = tensor.pad %[[X]]
// CHECK: tensor.yield %{{.*}} : i16
// CHECK: kernel.integer_dot ins(%[[P]], %{{.*}} : tensor<1x6x6x64xi16>, tensor<2x3x3x16x16x4xi8>)
func.func @producer(%x: tensor<1x4x4x8xi8>, %w: tensor<4x2x16x4xi8>, %v: tensor<2x3x3x16x16x4xi8>) -> tensor<1x4x4x32xi32> {
  %zero = arith.constant 200 : i8
  %e = tensor.empty() : tensor<1x4x4x64xi8>
  %y = kernel.integer_dot ins(%x, %w : tensor<1x4x4x8xi8>, tensor<4x2x16x4xi8>) outs(%e : tensor<1x4x4x64xi8>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], narrow_pairs} epilogue {
  ^bb0(%sum: i32):
    %b = arith.trunci %sum : i32 to i8
    kernel.yield %b : i8
  } -> tensor<1x4x4x64xi8>
  %p = tensor.pad %y low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<1x4x4x64xi8> to tensor<1x6x6x64xi8>
  %f = tensor.empty() : tensor<1x4x4x32xi32>
  %z = kernel.integer_dot ins(%p, %v : tensor<1x6x6x64xi8>, tensor<2x3x3x16x16x4xi8>) outs(%f : tensor<1x4x4x32xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x4x4x32xi32>
  return %z : tensor<1x4x4x32xi32>
}

// Minimal filtering reads each pixel once.
// CHECK-LABEL: @filtered
// CHECK-NOT: i16
// CHECK: return
func.func @filtered(%x: tensor<1x30x30x64xi8>, %w: tensor<2x3x3x16x16x4xi8>) -> tensor<1x28x28x32xi32> {
  %f = tensor.empty() : tensor<1x28x28x32xi32>
  %z = kernel.integer_dot ins(%x, %w : tensor<1x30x30x64xi8>, tensor<2x3x3x16x16x4xi8>) outs(%f : tensor<1x28x28x32xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 1000 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x32xi32>
  return %z : tensor<1x28x28x32xi32>
}

// Bytes that something else reads stay, and are widened in a loop.
// CHECK-LABEL: @shared
// CHECK: %[[Y:.*]] = kernel.integer_dot {{.*}} outs(%{{.*}} : tensor<8x64xi8>)
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<8x64xi8>) outs(%{{.*}} : tensor<8x64xi16>)
// CHECK: kernel.integer_dot ins(%[[WIDE]],
// CHECK: return %{{.*}}, %[[Y]]
func.func @shared(%x: tensor<8x8xi8>, %w: tensor<4x2x16x4xi8>, %v: tensor<4x16x16x4xi8>) -> (tensor<8x64xi32>, tensor<8x64xi8>) {
  %e = tensor.empty() : tensor<8x64xi8>
  %y = kernel.integer_dot ins(%x, %w : tensor<8x8xi8>, tensor<4x2x16x4xi8>) outs(%e : tensor<8x64xi8>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], narrow_pairs} epilogue {
  ^bb0(%sum: i32):
    %b = arith.trunci %sum : i32 to i8
    kernel.yield %b : i8
  } -> tensor<8x64xi8>
  %f = tensor.empty() : tensor<8x64xi32>
  %z = kernel.integer_dot ins(%y, %v : tensor<8x64xi8>, tensor<4x16x16x4xi8>) outs(%f : tensor<8x64xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<8x64xi32>
  return %z, %y : tensor<8x64xi32>, tensor<8x64xi8>
}

// Two tiles of columns read each byte too seldom.
// CHECK-LABEL: @few_columns
// CHECK-NOT: xi16
// CHECK: return
func.func @few_columns(%x: tensor<8x64xi8>, %w: tensor<2x16x16x4xi8>) -> tensor<8x32xi32> {
  %f = tensor.empty() : tensor<8x32xi32>
  %z = kernel.integer_dot ins(%x, %w : tensor<8x64xi8>, tensor<2x16x16x4xi8>) outs(%f : tensor<8x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<8x32xi32>
  return %z : tensor<8x32xi32>
}
