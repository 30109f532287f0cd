// What the shape rules of conv ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @conv_w(%a: tensor<2x4x8x8xf32>, %b: tensor<4x4x3xf32>) {
  // expected-error @below {{conv_w: must have rank 4, has 3}}
  %0 = onnx.Conv(%a, %b) : (tensor<2x4x8x8xf32>, tensor<4x4x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @conv_dilations(%a: tensor<2x4x8x8xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error @below {{conv_dilations: must have 2 elements, has 1}}
  %0 = onnx.Conv(%a, %b) {dilations = [1]} : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @causalconvwithstate_input(%a: tensor<2x3xf32>, %b: tensor<3x1x4xf32>) {
  // expected-error @below {{causalconvwithstate_input: must have rank 3, has 2}}
  %0:2 = onnx.CausalConvWithState(%a, %b) : (tensor<2x3xf32>, tensor<3x1x4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @causalconvwithstate_weight(%a: tensor<2x3x4xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{causalconvwithstate_weight: must have rank 3, has 2}}
  %0:2 = onnx.CausalConvWithState(%a, %b) : (tensor<2x3x4xf32>, tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @causalconvwithstate_channels(%a: tensor<2x3x4xf32>, %b: tensor<4x1x4xf32>) {
  // expected-error @below {{causalconvwithstate_channels: dimensions 3 and 4 must be equal}}
  %0:2 = onnx.CausalConvWithState(%a, %b) : (tensor<2x3x4xf32>, tensor<4x1x4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @col2im_input(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [4, 4]} : () -> tensor<2xi64>
  %c = onnx.Constant() {value_ints = [2, 2]} : () -> tensor<2xi64>
  // expected-error @below {{col2im_input: must have rank 3, has 2}}
  %0 = onnx.Col2Im(%a, %b, %c) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @col2im_image_shape(%a: tensor<1x4x4xf32>, %b: tensor<0xi64>, %c: tensor<?xi64>) {
  // expected-error @below {{col2im_image_shape: must have at least one element}}
  %0 = onnx.Col2Im(%a, %b, %c) : (tensor<1x4x4xf32>, tensor<0xi64>, tensor<?xi64>) -> !onnx.unknown
  return
}

// -----

func.func @col2im_block_shape(%a: tensor<1x4x4xf32>) {
  %b = onnx.Constant() {value_ints = [4, 4]} : () -> tensor<2xi64>
  %c = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{col2im_block_shape: must be as long as image_shape}}
  %0 = onnx.Col2Im(%a, %b, %c) : (tensor<1x4x4xf32>, tensor<2xi64>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_x(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{convtranspose_x: must have a batch, a channel and at least one spatial dimension, has rank 2}}
  %0 = onnx.ConvTranspose(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_w(%a: tensor<2x4x8x8xf32>, %b: tensor<2x3x4xf32>) {
  // expected-error @below {{convtranspose_w: must have rank 4, has 3}}
  %0 = onnx.ConvTranspose(%a, %b) : (tensor<2x4x8x8xf32>, tensor<2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_b(%a: tensor<2x4x8x8xf32>, %b: tensor<4x4x3x3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{convtranspose_b: bias and feature maps: dimensions 3 and 4 must be equal}}
  %0 = onnx.ConvTranspose(%a, %b, %c) : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_group(%a: tensor<2x4x8x8xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error @below {{convtranspose_group: must be positive}}
  %0 = onnx.ConvTranspose(%a, %b) {group = 0} : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_channels(%a: tensor<2x4x8x8xf32>, %b: tensor<3x4x3x3xf32>) {
  // expected-error @below {{convtranspose_channels: channels of the input and of the weights: dimensions 4 and 3 must be equal}}
  %0 = onnx.ConvTranspose(%a, %b) : (tensor<2x4x8x8xf32>, tensor<3x4x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_output_padding(%a: tensor<2x4x8x8xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error @below {{convtranspose_output_padding: must have one element per spatial dimension}}
  %0 = onnx.ConvTranspose(%a, %b) {output_padding = [1]} : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_output_shape(%a: tensor<2x4x8x8xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error @below {{convtranspose_output_shape: must have one element per spatial dimension}}
  %0 = onnx.ConvTranspose(%a, %b) {output_shape = [10]} : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @conv_group(%a: tensor<1x4x8x8xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error @below {{conv_group: the number of feature maps must be a multiple of group}}
  %0 = onnx.Conv(%a, %b) {group = 2} : (tensor<1x4x8x8xf32>, tensor<3x2x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @deformconv_group(%a: tensor<1x4x3x3xf32>, %b: tensor<3x2x1x1xf32>, %c: tensor<1x2x3x3xf32>) {
  // expected-error @below {{deformconv_group: the number of feature maps must be a multiple of group}}
  %0 = onnx.DeformConv(%a, %b, %c) {group = 2} : (tensor<1x4x3x3xf32>, tensor<3x2x1x1xf32>, tensor<1x2x3x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @convtranspose_group_multiple(%a: tensor<1x3x8x8xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error @below {{convtranspose_group: the number of channels must be a multiple of group}}
  %0 = onnx.ConvTranspose(%a, %b) {group = 2} : (tensor<1x3x8x8xf32>, tensor<3x2x3x3xf32>) -> !onnx.unknown
  return
}
