// The shape law of the convolutions.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @conv_defaults
// CHECK: -> tensor<?x6x5x4xf32>
func.func @conv_defaults(%x: tensor<?x2x7x6xf32>, %w: tensor<6x2x3x3xf32>) -> !onnx.unknown {
  %0 = onnx.Conv(%x, %w) : (tensor<?x2x7x6xf32>, tensor<6x2x3x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @conv_strides_pads_dilations
// floor((10 + 1 + 2 - 5) / 3) + 1 = 3
// CHECK: -> tensor<1x4x3xf32>
func.func @conv_strides_pads_dilations(%x: tensor<1x4x10xf32>, %w: tensor<4x1x3xf32>, %b: tensor<4xf32>) -> !onnx.unknown {
  %0 = onnx.Conv(%x, %w, %b) {group = 4, strides = [3], pads = [1, 2], dilations = [2]}
      : (tensor<1x4x10xf32>, tensor<4x1x3xf32>, tensor<4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// CHECK-LABEL: @conv_dynamic_spatial
// CHECK: -> tensor<1x8x?x4xf32>
func.func @conv_dynamic_spatial(%x: tensor<1x3x?x8xf32>, %w: tensor<8x3x3x3xf32>) -> !onnx.unknown {
  %0 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER", strides = [2, 2]} : (tensor<1x3x?x8xf32>, tensor<8x3x3x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// The weights tell the rank and the channels of what is not known.
// CHECK-LABEL: @conv_unranked_input
// CHECK: -> tensor<?x8x?x?xf32>
func.func @conv_unranked_input(%x: tensor<*xf32>, %w: tensor<8x3x3x3xf32>) -> !onnx.unknown {
  %0 = onnx.Conv(%x, %w) : (tensor<*xf32>, tensor<8x3x3x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// A batch of nothing, and an image that a 1x1 window finds nothing in.
// CHECK-LABEL: @conv_zero
// CHECK: -> tensor<0x2x0xf32>
func.func @conv_zero(%x: tensor<0x1x0xf32>, %w: tensor<2x1x1xf32>) -> !onnx.unknown {
  %0 = onnx.Conv(%x, %w) : (tensor<0x1x0xf32>, tensor<2x1x1xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @channels(%x: tensor<1x3x8x8xf32>, %w: tensor<8x2x3x3xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_channels: channels of the input and of the weights times group: dimensions 3 and 2 must be equal}}
  %0 = onnx.Conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<8x2x3x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @group(%x: tensor<1x4x8xf32>, %w: tensor<5x2x3xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_group: the number of feature maps must be a multiple of group}}
  %0 = onnx.Conv(%x, %w) {group = 2} : (tensor<1x4x8xf32>, tensor<5x2x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @strides_zero(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_strides: elements must be at least 1}}
  %0 = onnx.Conv(%x, %w) {strides = [0]} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @pads_length(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_pads: must have 2 elements, has 1}}
  %0 = onnx.Conv(%x, %w) {pads = [0]} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @kernel_shape(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_kernel_shape: dimensions 2 and 3 must be equal}}
  %0 = onnx.Conv(%x, %w) {kernel_shape = [2]} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @window_too_large(%x: tensor<1x4x2xf32>, %w: tensor<5x4x9xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_kernel_shape: the window is larger than the padded input (spatial dimension 0)}}
  %0 = onnx.Conv(%x, %w) : (tensor<1x4x2xf32>, tensor<5x4x9xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @overflow(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>) -> !onnx.unknown {
  // expected-error @below {{shape arithmetic overflows 64 bits: 8 + 9223372036854775807}}
  %0 = onnx.Conv(%x, %w) {pads = [9223372036854775807, 9223372036854775807]} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @auto_pad(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_auto_pad: must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, is 'SAME'}}
  %0 = onnx.Conv(%x, %w) {auto_pad = "SAME"} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @auto_pad_and_pads(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>) -> (!onnx.unknown, !onnx.unknown) {
  // Exporters write zeros beside it.
  %0 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER", pads = [0, 0]} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  // expected-error @below {{conv_pads: must not be given together with auto_pad SAME_UPPER}}
  %1 = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER", pads = [1, 1]} : (tensor<1x4x8xf32>, tensor<5x4x3xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// -----

func.func @bias(%x: tensor<1x4x8xf32>, %w: tensor<5x4x3xf32>, %b: tensor<4xf32>) -> !onnx.unknown {
  // expected-error @below {{conv_b: bias and feature maps: dimensions 4 and 5 must be equal}}
  %0 = onnx.Conv(%x, %w, %b) : (tensor<1x4x8xf32>, tensor<5x4x3xf32>, tensor<4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

// CHECK-LABEL: @conv_transpose
// CHECK-SAME: -> (tensor<1x6x10xf32>, tensor<1x6x8xf32>, tensor<1x6x12xf32>, tensor<?x6x?xf32>)
func.func @conv_transpose(%x: tensor<1x4x4xf32>, %w: tensor<4x3x3xf32>, %d: tensor<?x4x?xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  // 2 * 3 + 1 + 3
  %0 = onnx.ConvTranspose(%x, %w) {group = 2, strides = [2], output_padding = [1]} : (tensor<1x4x4xf32>, tensor<4x3x3xf32>) -> !onnx.unknown
  %1 = onnx.ConvTranspose(%x, %w) {group = 2, strides = [2], auto_pad = "SAME_LOWER"} : (tensor<1x4x4xf32>, tensor<4x3x3xf32>) -> !onnx.unknown
  %2 = onnx.ConvTranspose(%x, %w) {group = 2, strides = [2], output_shape = [12]} : (tensor<1x4x4xf32>, tensor<4x3x3xf32>) -> !onnx.unknown
  %3 = onnx.ConvTranspose(%d, %w) {group = 2, strides = [2]} : (tensor<?x4x?xf32>, tensor<4x3x3xf32>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}
