// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=raptorlake" --onnxc-select-schedule | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-select-schedule | FileCheck %s --check-prefix=WIDE

// All pixels of a small image are transformed first, 64 channels at a time.
// CHECK-LABEL: @small_image
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 49>
func.func @small_image(%x: tensor<1x32x28x28x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x28x28x8xf32>) -> tensor<1x32x28x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x28x28x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x28x28x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x28x28x8xf32>
  return %r : tensor<1x32x28x28x8xf32>
}

// A large one is done in runs of squares, a divisor of the 3136, after all weights.
// CHECK-LABEL: @bands
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 64, weights_first = true>
func.func @bands(%x: tensor<1x8x224x224x8xf32>, %w: tensor<4x4x3x3x16x16xf32>, %y: tensor<1x8x224x224x8xf32>) -> tensor<1x8x224x224x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x8x224x224x8xf32>, tensor<4x4x3x3x16x16xf32>)
      outs(%y : tensor<1x8x224x224x8xf32>) {channels = 64 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x224x224x8xf32>
  return %r : tensor<1x8x224x224x8xf32>
}

// Of three dimensions, the channels of the three slices of a window count for themselves: fewer squares lie near.
// CHECK-LABEL: @slices
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 28, weights_first = true>
func.func @slices(%x: tensor<1x8x8x28x28x8xf32>, %w: tensor<4x8x3x3x3x8x16xf32>, %y: tensor<1x8x8x28x28x8xf32>) -> tensor<1x8x8x28x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x8x8x28x28x8xf32>, tensor<4x8x3x3x3x8x16xf32>)
      outs(%y : tensor<1x8x8x28x28x8xf32>) {channels = 64 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1, 1>, pads = array<i64: 1, 1, 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x8x28x28x8xf32>
  return %r : tensor<1x8x8x28x28x8xf32>
}

// Each of 14 groups has one panel of 24 filters, which meets 24 channels: its weights first, and runs of few of the 16 squares.
// CHECK-LABEL: @groups
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 3, depth = 24, run = 8, weights_first = true>
func.func @groups(%x: tensor<1x42x14x14x8xf32>, %w: tensor<14x3x3x3x8x24xf32>, %y: tensor<1x42x14x14x8xf32>) -> tensor<1x42x14x14x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x42x14x14x8xf32>, tensor<14x3x3x3x8x24xf32>)
      outs(%y : tensor<1x42x14x14x8xf32>) {channels = 336 : i64, filters = 336 : i64, group = 14 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x42x14x14x8xf32>
  return %r : tensor<1x42x14x14x8xf32>
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

// Four squares pay, also for weights that come from memory ahead of time.
// CHECK-LABEL: @near_weights
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 2, depth = 64, run = 4>
func.func @near_weights(%x: tensor<1x16x7x7x8xf32>, %w: tensor<8x8x3x3x16x16xf32>, %y: tensor<1x16x7x7x8xf32>) -> tensor<1x16x7x7x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x16x7x7x8xf32>, tensor<8x8x3x3x16x16xf32>)
      outs(%y : tensor<1x16x7x7x8xf32>) {channels = 128 : i64, filters = 128 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x16x7x7x8xf32>
  return %r : tensor<1x16x7x7x8xf32>
}

// With vectors of 64 bytes the products are fewer instructions, and the bytes of transformed weights are as many.
// CHECK-LABEL: @far_weights
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 4, blocks = 2, depth = 64, run = 4>
// WIDE-LABEL: @far_weights
// WIDE: onnxc.schedule = #kernel.conv_schedule<
func.func @far_weights(%x: tensor<1x32x7x7x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x7x7x8xf32>) -> tensor<1x32x7x7x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x7x7x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x7x7x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x7x7x8xf32>
  return %r : tensor<1x32x7x7x8xf32>
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

// Four squares of each of eight images share the products.
// CHECK-LABEL: @small_images
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 32>
func.func @small_images(%x: tensor<8x64x7x7x8xf32>, %w: tensor<32x32x3x3x16x16xf32>, %y: tensor<8x64x7x7x8xf32>) -> tensor<8x64x7x7x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<8x64x7x7x8xf32>, tensor<32x32x3x3x16x16xf32>)
      outs(%y : tensor<8x64x7x7x8xf32>) {channels = 512 : i64, filters = 512 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<8x64x7x7x8xf32>
  return %r : tensor<8x64x7x7x8xf32>
}

// Where it is not known how many images there are, it is decided when the model runs.
// CHECK-LABEL: @open_batch
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 108, square_cost = {{[0-9]+}}, fixed_cost = {{[0-9]+}}, direct = #kernel.conv_schedule<rows = 1, columns = 6, depth = {{[0-9]+}}, prefetch_filter = true>>
func.func @open_batch(%x: tensor<?x64x7x7x8xf32>, %w: tensor<32x32x3x3x16x16xf32>, %y: tensor<?x64x7x7x8xf32>) -> tensor<?x64x7x7x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<?x64x7x7x8xf32>, tensor<32x32x3x3x16x16xf32>)
      outs(%y : tensor<?x64x7x7x8xf32>) {channels = 512 : i64, filters = 512 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<?x64x7x7x8xf32>
  return %r : tensor<?x64x7x7x8xf32>
}

// An image that is large enough alone needs no other code.
// CHECK-LABEL: @open_batch_of_large
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 49>
func.func @open_batch_of_large(%x: tensor<?x32x28x28x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<?x32x28x28x8xf32>) -> tensor<?x32x28x28x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<?x32x28x28x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<?x32x28x28x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<?x32x28x28x8xf32>
  return %r : tensor<?x32x28x28x8xf32>
}

// So is it where sizes are open; runs are of 64 squares, or, with more channels, of all that threads share.
// CHECK-LABEL: @open_size
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 60, weights_first = true, square_cost = {{[0-9]+}}, fixed_cost = {{[0-9]+}}, direct = #kernel.conv_schedule<rows = 1, columns = 6>>
func.func @open_size(%x: tensor<1x8x?x?x8xf32>, %w: tensor<4x4x3x3x16x16xf32>, %y: tensor<1x8x?x?x8xf32>) -> tensor<1x8x?x?x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x8x?x?x8xf32>, tensor<4x4x3x3x16x16xf32>)
      outs(%y : tensor<1x8x?x?x8xf32>) {channels = 64 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x?x?x8xf32>
  return %r : tensor<1x8x?x?x8xf32>
}

// CHECK-LABEL: @open_size_of_many_channels
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 222, square_cost = {{[0-9]+}}, fixed_cost = {{[0-9]+}}, direct = #kernel.conv_schedule<rows = 1, columns = 6>>
func.func @open_size_of_many_channels(%x: tensor<1x32x?x?x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x?x?x8xf32>) -> tensor<1x32x?x?x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x?x?x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x?x?x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x?x?x8xf32>
  return %r : tensor<1x32x?x?x8xf32>
}

// A column of pixels fills a quarter of its squares, however high it is.
// CHECK-LABEL: @open_height_of_a_column
// CHECK: onnxc.schedule = #kernel.conv_schedule<
func.func @open_height_of_a_column(%x: tensor<1x32x?x1x8xf32>, %w: tensor<16x16x3x3x16x16xf32>, %y: tensor<1x32x?x1x8xf32>) -> tensor<1x32x?x1x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x?x1x8xf32>, tensor<16x16x3x3x16x16xf32>)
      outs(%y : tensor<1x32x?x1x8xf32>) {channels = 256 : i64, filters = 256 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x?x1x8xf32>
  return %r : tensor<1x32x?x1x8xf32>
}

// Of a row, tiles have eight products for four pixels of windows of five taps: more of them lie near.
// CHECK-LABEL: @row
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 100>
func.func @row(%x: tensor<1x16x400x8xf32>, %w: tensor<8x8x5x16x16xf32>, %y: tensor<1x16x400x8xf32>) -> tensor<1x16x400x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x16x400x8xf32>, tensor<8x8x5x16x16xf32>)
      outs(%y : tensor<1x16x400x8xf32>) {channels = 128 : i64, filters = 128 : i64, group = 1 : i64,
      strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 2, 2>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x16x400x8xf32>
  return %r : tensor<1x16x400x8xf32>
}

// Of a column of seven taps, in two parts.
// CHECK-LABEL: @column_in_parts
// CHECK: onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 64, run = 85>
func.func @column_in_parts(%x: tensor<1x16x17x17x8xf32>, %w: tensor<12x8x7x1x16x16xf32>, %y: tensor<1x24x17x17x8xf32>) -> tensor<1x24x17x17x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x16x17x17x8xf32>, tensor<12x8x7x1x16x16xf32>)
      outs(%y : tensor<1x24x17x17x8xf32>) {channels = 128 : i64, filters = 192 : i64, group = 1 : i64, winograd_taps = array<i64: 4, 1>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 3, 0, 3, 0>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x24x17x17x8xf32>
  return %r : tensor<1x24x17x17x8xf32>
}

// Two pixels fill half a tile of four: its six products are not fewer than theirs.
// CHECK-LABEL: @short_rows
// CHECK: onnxc.schedule = #kernel.conv_schedule<
func.func @short_rows(%x: tensor<1x16x64x2x8xf32>, %w: tensor<8x8x1x3x16x16xf32>, %y: tensor<1x16x64x2x8xf32>) -> tensor<1x16x64x2x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x16x64x2x8xf32>, tensor<8x8x1x3x16x16xf32>)
      outs(%y : tensor<1x16x64x2x8xf32>) {channels = 128 : i64, filters = 128 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>, epilogue_maps = [], winograd_error = 1.5 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x16x64x2x8xf32>
  return %r : tensor<1x16x64x2x8xf32>
}
