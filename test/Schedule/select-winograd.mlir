// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-select-schedule | FileCheck %s

// All pixels of a small image are transformed first, 64 channels at a time.
// CHECK-LABEL: @small_image
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64>
func.func @small_image(%x: tensor<1x32x28x28x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x28x28x8xf32>) -> tensor<1x32x28x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x28x28x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x28x28x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x28x28x8xf32>
  return %r : tensor<1x32x28x28x8xf32>
}

// A large one is done band by band of squares.
// CHECK-LABEL: @bands
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, band = 1>
func.func @bands(%x: tensor<1x8x224x224x8xf32>, %w: tensor<4x4x3x3x16x16xf32>, %y: tensor<1x8x224x224x8xf32>) -> tensor<1x8x224x224x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x8x224x224x8xf32>, tensor<4x4x3x3x16x16xf32>)
      outs(%y : tensor<1x8x224x224x8xf32>) {channels = 64 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x224x224x8xf32>
  return %r : tensor<1x8x224x224x8xf32>
}

// Rounding errors are too large.
// CHECK-LABEL: @inexact
// CHECK: onnxc.schedule = #kernel.conv_schedule<
func.func @inexact(%x: tensor<1x32x28x28x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x28x28x8xf32>) -> tensor<1x32x28x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x28x28x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x28x28x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 4.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x28x28x8xf32>
  return %r : tensor<1x32x28x28x8xf32>
}

// Not estimated: not allowed.
// CHECK-LABEL: @not_allowed
// CHECK: onnxc.schedule = #kernel.conv_schedule<
func.func @not_allowed(%x: tensor<1x32x28x28x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x28x28x8xf32>) -> tensor<1x32x28x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x28x28x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x28x28x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x28x28x8xf32>
  return %r : tensor<1x32x28x28x8xf32>
}

// One square of 16 shares too few products for its transforms.
// CHECK-LABEL: @few_squares
// CHECK: onnxc.schedule = #kernel.conv_schedule<
func.func @few_squares(%x: tensor<1x8x4x4x8xf32>, %w: tensor<4x4x3x3x16x16xf32>, %y: tensor<1x8x4x4x8xf32>) -> tensor<1x8x4x4x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x8x4x4x8xf32>, tensor<4x4x3x3x16x16xf32>)
      outs(%y : tensor<1x8x4x4x8xf32>) {channels = 64 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x4x4x8xf32>
  return %r : tensor<1x8x4x4x8xf32>
}

// No pixels: nothing is transformed.
// CHECK-LABEL: @no_rows
// CHECK: onnxc.schedule = #kernel.conv_schedule<
func.func @no_rows(%x: tensor<1x32x0x28x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x0x28x8xf32>) -> tensor<1x32x0x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x0x28x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x0x28x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x0x28x8xf32>
  return %r : tensor<1x32x0x28x8xf32>
}
