// RUN: onnx-mlir-opt --split-input-file --verify-diagnostics %s | onnx-mlir-opt --split-input-file | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#packed = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#result = affine_map<(m, n, k) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>

// CHECK-LABEL: @matmul_with_bias
// CHECK: kernel.matmul ins(%{{.*}} : tensor<8x64xf32>, tensor<2x64x32xf32>) extras(%{{.*}} : tensor<60xf32>)
// CHECK: arith.addf
// CHECK: kernel.yield
func.func @matmul_with_bias(%x: tensor<8x64xf32>, %w: tensor<2x64x32xf32>, %bias: tensor<60xf32>, %out: tensor<8x60xf32>) -> tensor<8x60xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<2x64x32xf32>) extras(%bias : tensor<60xf32>) outs(%out : tensor<8x60xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = [#columns]} epilogue {
    ^bb0(%sum: f32, %b: f32):
      %y = arith.addf %sum, %b : f32
      kernel.yield %y : f32
  } -> tensor<8x60xf32>
  return %0 : tensor<8x60xf32>
}

// -----

// CHECK-LABEL: @blocked_conv
// CHECK: kernel.conv ins(%{{.*}}, %{{.*}} : memref<1x3x8x8xf32>, memref<1x3x3x3x32xf32>)
func.func @blocked_conv(%x: memref<1x3x8x8xf32>, %w: memref<1x3x3x3x32xf32>, %out: memref<1x2x8x8x16xf32>) {
  kernel.conv ins(%x, %w : memref<1x3x8x8xf32>, memref<1x3x3x3x32xf32>) outs(%out : memref<1x2x8x8x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, channels = 3 : i64, filters = 20 : i64, group = 1 : i64, epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (m, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @rhs_by_rows_of_lhs(%x: tensor<8x4xf32>, %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{expected rhs to be indexed by batch, k and n, or to be packed}}
  %0 = kernel.matmul ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%out : tensor<8x4xf32>)
      {indexing_maps = [#lhs, #rhs, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @factor_of_floats(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected rhs_factor only with 16-bit floats that are not packed}}
  %0 = kernel.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%out : tensor<8x8xf32>)
      {indexing_maps = [#lhs, #rhs, #result], epilogue_maps = [], rhs_factor = 0.5 : f32} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @too_few_pads(%x: memref<1x3x8x8xf32>, %w: memref<1x3x3x3x32xf32>, %out: memref<1x2x8x8x16xf32>) {
  // expected-error @below {{expected as many dilations as strides, and twice as many pads}}
  kernel.conv ins(%x, %w : memref<1x3x8x8xf32>, memref<1x3x3x3x32xf32>) outs(%out : memref<1x2x8x8x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1>, channels = 3 : i64, filters = 20 : i64, group = 1 : i64, epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  }
  return
}

// -----

func.func @spread_and_stride(%x: memref<1x3x8xf32>, %w: memref<1x3x3x16xf32>, %out: memref<1x1x14x16xf32>) {
  // expected-error @+1 {{expected a positive spread for each spatial dimension, and strides of 1 with it}}
  kernel.conv ins(%x, %w : memref<1x3x8xf32>, memref<1x3x3x16xf32>) outs(%out : memref<1x1x14x16xf32>)
      {channels = 3 : i64, filters = 16 : i64, group = 1 : i64, strides = array<i64: 2>, spread = array<i64: 2>,
       dilations = array<i64: 1>, pads = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @maximum_of_all(%x: memref<1x1x8x16xf32>, %w: memref<1x1x3x16x16xf32>, %out: memref<1x1x8x16xf32>) {
  // expected-error @+1 {{expected the maximum of windows of each channel by itself, with no zeros between pixels}}
  kernel.conv ins(%x, %w : memref<1x1x8x16xf32>, memref<1x1x3x16x16xf32>) outs(%out : memref<1x1x8x16xf32>)
      {channels = 16 : i64, filters = 16 : i64, group = 1 : i64, strides = array<i64: 1>, maximum,
       dilations = array<i64: 1>, pads = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @yield_outside(%x: f32) {
  // expected-error @+1 {{expected to end the epilogue of a kernel}}
  kernel.yield %x : f32
}

// -----

// The shape of what is packed follows from the layout.
func.func @one_panel_for_two(%x: memref<1x3x8x8xf32>, %w: memref<1x3x3x3x16xf32>, %out: memref<1x2x8x8x16xf32>) {
  // expected-error @below {{expected operand 1 to have the shape of 'tensor<2x3x3x3x16xf32>', have 'memref<1x3x3x3x16xf32>'}}
  kernel.conv ins(%x, %w : memref<1x3x8x8xf32>, memref<1x3x3x3x16xf32>) outs(%out : memref<1x2x8x8x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, channels = 3 : i64, filters = 20 : i64, group = 1 : i64, epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  }
  return
}

// -----

// 16-bit numbers of an image are unsigned bytes.
func.func @signed_widened(%x: tensor<4x8xi16>, %w: tensor<1x2x16x4xi8>, %out: tensor<4x16xi32>) -> tensor<4x16xi32> {
  // expected-error @below {{expected 16-bit numbers of the image to be unsigned bytes, of which dot products take four}}
  %0 = kernel.integer_dot ins(%x, %w : tensor<4x8xi16>, tensor<1x2x16x4xi8>) outs(%out : tensor<4x16xi32>)
      {strides = array<i64>, dilations = array<i64>, image_signed, epilogue_maps = []} epilogue {
    ^bb0(%sum: i32):
      kernel.yield %sum : i32
  } -> tensor<4x16xi32>
  return %0 : tensor<4x16xi32>
}

// -----

// An order has five numbers, and one for each of two dot products.
func.func @order_of_panels(%x: tensor<4x8xi8>, %w: tensor<1x2x16x4xi8>, %order: tensor<1x6xi16>, %out: tensor<4x16xi32>) -> tensor<4x16xi32> {
  // expected-error @below {{expected the order of a panel to be 5 16-bit numbers and one for each dot product}}
  %0 = kernel.integer_dot ins(%x, %w : tensor<4x8xi8>, tensor<1x2x16x4xi8>) order(%order : tensor<1x6xi16>) outs(%out : tensor<4x16xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], narrow_pairs} epilogue {
    ^bb0(%sum: i32):
      kernel.yield %sum : i32
  } -> tensor<4x16xi32>
  return %0 : tensor<4x16xi32>
}

// -----

// Each of two groups of 20 columns has two panels of 16.
func.func @panels_of_groups(%x: tensor<4x16xi8>, %w: tensor<3x2x16x4xi8>, %out: tensor<4x40xi32>) -> tensor<4x40xi32> {
  // expected-error @below {{expected operand 1 to have the shape of 'tensor<4x2x16x4xi8>', have 'tensor<3x2x16x4xi8>'}}
  %0 = kernel.integer_dot ins(%x, %w : tensor<4x16xi8>, tensor<3x2x16x4xi8>) outs(%out : tensor<4x40xi32>)
      {strides = array<i64>, dilations = array<i64>, groups = 2 : i64, group_channels = 8 : i64, epilogue_maps = []} epilogue {
    ^bb0(%sum: i32):
      kernel.yield %sum : i32
  } -> tensor<4x40xi32>
  return %0 : tensor<4x40xi32>
}

// -----

func.func @steps_of_panels(%x: tensor<4x8xf32>, %w: tensor<3x9x16xf32>, %out: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // expected-error @below {{expected operand 1 to have the shape of 'tensor<3x8x16xf32>', have 'tensor<3x9x16xf32>'}}
  %0 = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<3x9x16xf32>) outs(%out : tensor<4x48xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
       epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// -----

func.func @winograd_of_strides(%x: memref<1x1x8x8x16xf32>, %w: memref<1x1x3x3x16x16xf32>, %out: memref<1x1x4x4x16xf32>) {
  // expected-error @below {{expected windows of 3 taps or more, or of 1, along each axis, and strides and dilations of 1, for winograd_error}}
  kernel.conv ins(%x, %w : memref<1x1x8x8x16xf32>, memref<1x1x3x3x16x16xf32>) outs(%out : memref<1x1x4x4x16xf32>)
      {channels = 16 : i64, filters = 16 : i64, group = 1 : i64, strides = array<i64: 2, 2>, winograd_error = 1.5 : f32,
       dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_takes_too_many_taps(%x: memref<1x1x16x16xf32>, %w: memref<1x1x7x16x16xf32>, %out: memref<1x1x10x16xf32>) {
  // expected-error @below {{expected winograd_taps of 3 to 5 of the window's, or of 1 where it has 1}}
  kernel.conv ins(%x, %w : memref<1x1x16x16xf32>, memref<1x1x7x16x16xf32>) outs(%out : memref<1x1x10x16xf32>)
      {channels = 16 : i64, filters = 16 : i64, group = 1 : i64, strides = array<i64: 1>, winograd_error = 1.5 : f32,
       winograd_taps = array<i64: 7>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_taps_of_three_axes(%x: memref<1x1x16x16xf32>, %w: memref<1x1x4x16x16xf32>, %out: memref<1x1x13x16xf32>) {
  // expected-error @below {{expected winograd_taps for the last two spatial dimensions}}
  kernel.conv ins(%x, %w : memref<1x1x16x16xf32>, memref<1x1x4x16x16xf32>) outs(%out : memref<1x1x13x16xf32>)
      {channels = 16 : i64, filters = 16 : i64, group = 1 : i64, strides = array<i64: 1>, winograd_error = 1.5 : f32,
       winograd_taps = array<i64: 1, 4>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_takes_more_than_there_is(%x: memref<1x1x16x16xf32>, %w: memref<1x1x3x16x16xf32>, %out: memref<1x1x14x16xf32>) {
  // expected-error @below {{expected winograd_taps of 3 to 5 of the window's, or of 1 where it has 1}}
  kernel.conv ins(%x, %w : memref<1x1x16x16xf32>, memref<1x1x3x16x16xf32>) outs(%out : memref<1x1x14x16xf32>)
      {channels = 16 : i64, filters = 16 : i64, group = 1 : i64, strides = array<i64: 1>, winograd_error = 1.5 : f32,
       winograd_taps = array<i64: 4>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
