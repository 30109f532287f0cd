// RUN: onnx-mlir-opt %s -split-input-file -onnxc-verify-schedule -verify-diagnostics

func.func @none(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @wide(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{has vectors that are too wide for the target}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 64>, vector = array<i64: 64>, order = array<i64: 0>}}
      ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @tile_is_no_multiple(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 12>, vector = array<i64: 8>, order = array<i64: 0>}}
      ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @reason(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.copy {onnxc.schedule = {reason = "for a test"}}
      ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Four registers for one vector are allowed, and 64 vectors in a tile.
func.func @as_wide_as_allowed(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 64, 32>, vector = array<i64: 0, 32>, order = array<i64: 0, 1>}}
      ins(%x : tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @many_vectors(%x: tensor<65x64xf32>) -> tensor<65x64xf32> {
  // expected-error @below {{has a register tile of more than 64 vectors}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 65, 32>, vector = array<i64: 0, 32>, order = array<i64: 0, 1>}}
      ins(%x : tensor<65x64xf32>) outs(%x : tensor<65x64xf32>) -> tensor<65x64xf32>
  return %0 : tensor<65x64xf32>
}

// -----

func.func @loop_without_place(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 1, 8>, vector = array<i64: 0, 8>, order = array<i64: 1>}}
      ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// The input is used for one row only: a copy of it would be of no use.
func.func @packs_without_reuse(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 1, 8>, vector = array<i64: 0, 8>, order = array<i64: 0, 1>, pack = 0 : i64}}
      ins(%x : tensor<8x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Squares lie along another loop than the lanes.
func.func @squares(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 1, 8>, vector = array<i64: 0, 8>, order = array<i64: 0, 1>, squares = 1 : i64}}
      ins(%x : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A kernel that has vector code needs a schedule; one that becomes plain loops
// has none.
func.func @kernel(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{carries no 'onnxc.schedule'}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// What emitters obey has to suit the op.
func.func @part_of_panels(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32>, %y: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{has a schedule of 24 columns, expected whole panels of 16 or a part of one}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x8x16xf32>) outs(%y : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [], onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 24>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @copies_panels(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32>, %y: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{has a schedule that copies packed columns}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x8x16xf32>) outs(%y : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [], onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 16, copy = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @widens_floats(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32>, %y: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{has a schedule that widens, expected whole panels of halves}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x8x16xf32>) outs(%y : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [], onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 16, widen = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @single_of_known_rows(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32>, %y: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{has a schedule for a single row of 32 columns, expected an open number of rows, and whole tiles and panels or a part of one}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x8x16xf32>) outs(%y : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [], onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 16, single_row = 32>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @rests_of_known_rows(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32>, %y: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{has a schedule with tiles for each rest, expected an open number of rows}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x8x16xf32>) outs(%y : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [], onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 16, each_rest = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @blocks_of_plain_image(%x: tensor<1x8x14x14xf32>, %w: tensor<1x1x1x8x16xf32>, %y: tensor<1x2x14x14x8xf32>) -> tensor<1x2x14x14x8xf32> {
  // expected-error @below {{has a schedule that fetches blocks of channels ahead, expected a blocked image, and sums over them}}
  %r = kernel.conv ins(%x, %w : tensor<1x8x14x14xf32>, tensor<1x1x1x8x16xf32>)
      outs(%y : tensor<1x2x14x14x8xf32>) {channels = 8 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, epilogue_maps = [],
      onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 6, prefetch_blocks = true>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x14x14x8xf32>
  return %r : tensor<1x2x14x14x8xf32>
}

// -----

func.func @of_another_kernel(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32>, %y: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{has the schedule #kernel.conv_schedule<rows = 1, columns = 8>, which is one of 'kernel.conv'}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x8x16xf32>) outs(%y : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = [], onnxc.schedule = #kernel.conv_schedule<rows = 1, columns = 8>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @winograd_not_allowed(%x: tensor<1x4x14x14x8xf32>, %w: tensor<1x2x3x3x16x16xf32>, %y: tensor<1x2x14x14x8xf32>) -> tensor<1x2x14x14x8xf32> {
  // expected-error @below {{has a schedule of Winograd's filtering, but no winograd_error}}
  %r = kernel.conv ins(%x, %w : tensor<1x4x14x14x8xf32>, tensor<1x2x3x3x16x16xf32>)
      outs(%y : tensor<1x2x14x14x8xf32>) {channels = 32 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 32, run = 16>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x14x14x8xf32>
  return %r : tensor<1x2x14x14x8xf32>
}

// -----

func.func @winograd_of_open_sizes(%x: tensor<1x4x14x?x8xf32>, %w: tensor<1x2x3x3x16x16xf32>, %y: tensor<1x2x14x?x8xf32>) -> tensor<1x2x14x?x8xf32> {
  // expected-error @below {{has a schedule of Winograd's filtering alone, expected known sizes of image and result}}
  %r = kernel.conv ins(%x, %w : tensor<1x4x14x?x8xf32>, tensor<1x2x3x3x16x16xf32>)
      outs(%y : tensor<1x2x14x?x8xf32>) {channels = 32 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32,
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 32, run = 16>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x14x?x8xf32>
  return %r : tensor<1x2x14x?x8xf32>
}

// -----

// Sums as they are defined are held to their own rules.
func.func @winograd_or_direct(%x: tensor<1x4x14x?x8xf32>, %w: tensor<1x2x3x3x16x16xf32>, %y: tensor<1x2x14x?x8xf32>) -> tensor<1x2x14x?x8xf32> {
  // expected-error @below {{has a schedule of 3 blocks of channels, expected whole panels or a part of one}}
  %r = kernel.conv ins(%x, %w : tensor<1x4x14x?x8xf32>, tensor<1x2x3x3x16x16xf32>)
      outs(%y : tensor<1x2x14x?x8xf32>) {channels = 32 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32,
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 32, run = 16,
      direct = #kernel.conv_schedule<rows = 1, columns = 6, blocks = 3>>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x14x?x8xf32>
  return %r : tensor<1x2x14x?x8xf32>
}

// -----

func.func @winograd_share(%x: tensor<1x4x14x14x8xf32>, %w: tensor<1x2x3x3x16x16xf32>, %y: tensor<1x2x14x14x8xf32>) -> tensor<1x2x14x14x8xf32> {
  // expected-error @below {{has a schedule of 12 of 32 channels at a time, expected equal shares of whole blocks}}
  %r = kernel.conv ins(%x, %w : tensor<1x4x14x14x8xf32>, tensor<1x2x3x3x16x16xf32>)
      outs(%y : tensor<1x2x14x14x8xf32>) {channels = 32 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32,
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 12, run = 16>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x14x14x8xf32>
  return %r : tensor<1x2x14x14x8xf32>
}

// -----

func.func @winograd_panel(%x: tensor<1x4x14x14x8xf32>, %w: tensor<1x2x3x3x16x16xf32>, %y: tensor<1x2x14x14x8xf32>) -> tensor<1x2x14x14x8xf32> {
  // expected-error @below {{has a schedule of 3 blocks of channels, expected whole panels or a part of one}}
  %r = kernel.conv ins(%x, %w : tensor<1x4x14x14x8xf32>, tensor<1x2x3x3x16x16xf32>)
      outs(%y : tensor<1x2x14x14x8xf32>) {channels = 32 : i64, filters = 16 : i64, group = 1 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32,
      onnxc.schedule = #kernel.winograd_schedule<squares = 6, blocks = 3, depth = 32, run = 16>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x2x14x14x8xf32>
  return %r : tensor<1x2x14x14x8xf32>
}

// -----

func.func @winograd_panel_of_groups(%x: tensor<1x4x14x14x8xf32>, %w: tensor<2x2x3x3x8x16xf32>, %y: tensor<1x4x14x14x8xf32>) -> tensor<1x4x14x14x8xf32> {
  // expected-error @below {{has a schedule of 4 blocks of channels, expected a part of those of each group}}
  %r = kernel.conv ins(%x, %w : tensor<1x4x14x14x8xf32>, tensor<2x2x3x3x8x16xf32>)
      outs(%y : tensor<1x4x14x14x8xf32>) {channels = 32 : i64, filters = 32 : i64, group = 2 : i64,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 1.5 : f32,
      onnxc.schedule = #kernel.winograd_schedule<squares = 3, blocks = 4, depth = 16, run = 16>} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x4x14x14x8xf32>
  return %r : tensor<1x4x14x14x8xf32>
}

// -----

module attributes {onnxc.target = #onnxc.target<triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", instructions = ["pmaddwd.256"]>} {
func.func @sums_of_bytes(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  // expected-error @below {{has a schedule of Winograd's filtering, but sums of more than 26 bits}}
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 33554432 : i64,
      onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 64, run = 49>} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}
}

// -----

module attributes {onnxc.target = #onnxc.target<triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", instructions = ["pmaddwd.256"]>} {
func.func @depth_of_bytes(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  // expected-error @below {{has a schedule of 2 pairs of channels at a time, expected an even number, and 4 at least}}
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = [], largest_sum = 1000 : i64,
      onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 2, run = 49>} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}
}

// -----

module attributes {onnxc.target = #onnxc.target<triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", instructions = ["pmaddwd.256"]>} {
func.func @not_allowed_of_bytes(%x: tensor<1x30x30x128xi8>, %w: tensor<4x3x3x32x32x4xi8>, %y: tensor<1x28x28x128xi32>) -> tensor<1x28x28x128xi32> {
  // expected-error @below {{has a schedule of Winograd's filtering, but no largest_sum}}
  %r = kernel.integer_dot ins(%x, %w : tensor<1x30x30x128xi8>, tensor<4x3x3x32x32x4xi8>) outs(%y : tensor<1x28x28x128xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = [],
      onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 64, run = 49>} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } -> tensor<1x28x28x128xi32>
  return %r : tensor<1x28x28x128xi32>
}
}
