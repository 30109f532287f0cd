// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-select-schedule | FileCheck %s

// As many pixels as leave registers for a row of weights.
// CHECK-LABEL: @large
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14>
func.func @large(%x: tensor<1x2x56x56x16xf32>, %w: tensor<2x2x3x3x16x32xf32>, %y: tensor<1x4x56x56x16xf32>) -> tensor<1x4x56x56x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x2x56x56x16xf32>, tensor<2x2x3x3x16x32xf32>)
      outs(%y : tensor<1x4x56x56x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x56x56x16xf32>
  return %r : tensor<1x4x56x56x16xf32>
}

// Rows of seven pixels: two at once, and the weights are fetched ahead.
// CHECK-LABEL: @small
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 2, columns = 14, prefetch_filter = true>
func.func @small(%x: tensor<1x2x7x7x16xf32>, %w: tensor<2x2x3x3x16x32xf32>, %y: tensor<1x4x7x7x16xf32>) -> tensor<1x4x7x7x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x2x7x7x16xf32>, tensor<2x2x3x3x16x32xf32>)
      outs(%y : tensor<1x4x7x7x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x7x7x16xf32>
  return %r : tensor<1x4x7x7x16xf32>
}

// CHECK-LABEL: @pointwise
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 6, prefetch_image = true>
func.func @pointwise(%x: tensor<1x2x56x56x16xf32>, %w: tensor<1x2x1x1x16x64xf32>, %y: tensor<1x4x56x56x16xf32>) -> tensor<1x4x56x56x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x2x56x56x16xf32>, tensor<1x2x1x1x16x64xf32>)
      outs(%y : tensor<1x4x56x56x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x56x56x16xf32>
  return %r : tensor<1x4x56x56x16xf32>
}

// A sound of 6 MB does not stay in the second level, one of 0.8 MB does.
// CHECK-LABEL: @long_sound
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14, prefetch_image = true>
// CHECK-LABEL: @short_sound
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14>
func.func @long_sound(%x: tensor<1x32x3199x16xf32>, %w: tensor<16x32x3x16x32xf32>, %y: tensor<1x32x1599x16xf32>) -> tensor<1x32x1599x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x3199x16xf32>, tensor<16x32x3x16x32xf32>)
      outs(%y : tensor<1x32x1599x16xf32>) {channels = 512 : i64, filters = 512 : i64, group = 1 : i64,
      strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x1599x16xf32>
  return %r : tensor<1x32x1599x16xf32>
}

func.func @short_sound(%x: tensor<1x32x399x16xf32>, %w: tensor<16x32x3x16x32xf32>, %y: tensor<1x32x199x16xf32>) -> tensor<1x32x199x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x32x399x16xf32>, tensor<16x32x3x16x32xf32>)
      outs(%y : tensor<1x32x199x16xf32>) {channels = 512 : i64, filters = 512 : i64, group = 1 : i64,
      strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x32x199x16xf32>
  return %r : tensor<1x32x199x16xf32>
}

// Halves are widened once where several tiles of pixels read them.
// CHECK-LABEL: @halves
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14, widen = true>
func.func @halves(%x: tensor<1x2x56x56x16xf32>, %w: tensor<2x2x3x3x16x32xbf16>, %y: tensor<1x4x56x56x16xf32>) -> tensor<1x4x56x56x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x2x56x56x16xf32>, tensor<2x2x3x3x16x32xbf16>)
      outs(%y : tensor<1x4x56x56x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x56x56x16xf32>
  return %r : tensor<1x4x56x56x16xf32>
}

// One tile: it widens what it reads.
// CHECK-LABEL: @one_tile_of_halves
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 3, columns = 14, prefetch_filter = true>
func.func @one_tile_of_halves(%x: tensor<1x2x4x4x16xf32>, %w: tensor<2x2x3x3x16x32xf16>, %y: tensor<1x4x4x4x16xf32>) -> tensor<1x4x4x4x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x2x4x4x16xf32>, tensor<2x2x3x3x16x32xf16>)
      outs(%y : tensor<1x4x4x4x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x4x4x16xf32>
  return %r : tensor<1x4x4x4x16xf32>
}

// The greatest of windows: as many columns as their reach and the stride along
// the row leave registers for.
// CHECK-LABEL: @greatest
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 14>
// CHECK: onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 13>
func.func @greatest(%x: tensor<1x2x57x57x16xf32>, %w: tensor<1x3x3x16xf32>, %y: tensor<1x2x28x55x16xf32>, %z: tensor<1x2x55x28x16xf32>) -> (tensor<1x2x28x55x16xf32>, tensor<1x2x55x28x16xf32>) {
  %r = kernel.conv ins(%x, %w : tensor<1x2x57x57x16xf32>, tensor<1x3x3x16xf32>)
      outs(%y : tensor<1x2x28x55x16xf32>) {channels = 32 : i64, filters = 32 : i64, group = 32 : i64,
      strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, maximum, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x28x55x16xf32>
  %s = kernel.conv ins(%x, %w : tensor<1x2x57x57x16xf32>, tensor<1x3x3x16xf32>)
      outs(%z : tensor<1x2x55x28x16xf32>) {channels = 32 : i64, filters = 32 : i64, group = 32 : i64,
      strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, maximum, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x55x28x16xf32>
  return %r, %s : tensor<1x2x28x55x16xf32>, tensor<1x2x55x28x16xf32>
}

// Tiles of a result of known size cannot tell where an open image ends.
// CHECK-LABEL: @open_image
// CHECK-NOT: onnxc.schedule
// CHECK: return
func.func @open_image(%x: tensor<1x2x?x56x16xf32>, %w: tensor<2x2x3x3x16x32xf32>, %y: tensor<1x4x56x56x16xf32>) -> tensor<1x4x56x56x16xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x2x?x56x16xf32>, tensor<2x2x3x3x16x32xf32>)
      outs(%y : tensor<1x4x56x56x16xf32>) {channels = 32 : i64, filters = 64 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x56x56x16xf32>
  return %r : tensor<1x4x56x56x16xf32>
}
