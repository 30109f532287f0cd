// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-select-schedule | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=icelake-server" --onnxc-select-schedule | FileCheck %s --check-prefix=DOT
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=sapphirerapids" --onnxc-select-schedule | FileCheck %s --check-prefix=OTHER
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=generic features=+dotprod" --onnxc-select-schedule | FileCheck %s --check-prefix=OTHER

// Neither what multiplies tiles of bytes nor what has no pairs of 16-bit numbers filters anything.
// OTHER-NOT: winograd

// 128 channels are 64 elements. With an instruction that adds up two products there are more registers for squares.
// CHECK-LABEL: @image
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 64, run = 49>
// DOT-LABEL: @image
// DOT: onnxc.schedule = #kernel.winograd_schedule<squares = 14, blocks = 2, depth = 64, run = 49>
func.func @image(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 1000000 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}

// Four squares pay where four products of bytes take four instructions, but not where they take one.
// CHECK-LABEL: @small_map
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 2, depth = 128, run = 4>
// DOT-LABEL: @small_map
// DOT: onnxc.schedule = #kernel.integer_dot_schedule<
func.func @small_map(%x: tensor<1x9x9x256xi8>, %w: tensor<8x3x3x64x32x4xi8>, %y: tensor<1x7x7x256xi32>) -> tensor<1x7x7x256xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x9x9x256xi8>, tensor<8x3x3x64x32x4xi8>) outs(%y : tensor<1x7x7x256xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 1000000 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x7x7x256xi32>
  return %r : tensor<1x7x7x256xi32>
}

// A sum times 576 has to have 32 bits, but for the 9 in it.
// CHECK-LABEL: @large_sums
// CHECK: onnxc.schedule = #kernel.integer_dot_schedule<
func.func @large_sums(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 33554432 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}

// CHECK-LABEL: @largest_sums
// CHECK: onnxc.schedule = #kernel.winograd_schedule<
func.func @largest_sums(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 33554431 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}

// CHECK-LABEL: @not_allowed
// CHECK: onnxc.schedule = #kernel.integer_dot_schedule<
func.func @not_allowed(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}

// CHECK-LABEL: @open
// CHECK: onnxc.schedule = #kernel.winograd_schedule<{{.*}}, square_cost = {{[0-9]+}}, fixed_cost = {{[0-9]+}}, direct = #kernel.integer_dot_schedule<
func.func @open(%x: tensor<1x?x?x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x?x?x128xi32>) -> tensor<1x?x?x128xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x?x?x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x?x?x128xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 1000000 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x?x?x128xi32>
  return %r : tensor<1x?x?x128xi32>
}

// Each of four groups has 32 channels, 16 elements, for 32 columns: its weights first, and runs of few of the 49 squares.
// CHECK-LABEL: @groups
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 16, run = 7, weights_first = true>
func.func @groups(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x8x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x8x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>) {strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 1000000 : i64, groups = 4 : i64, group_channels = 32 : i64} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}
