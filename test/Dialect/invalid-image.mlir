// What the shape rules of image ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @affinegrid_size(%a: tensor<1x2x3xf32>) {
  %b = onnx.Constant() {value_ints = [1, 2, 3]} : () -> tensor<3xi64>
  // expected-error @below {{affinegrid_size: must be (N, C, H, W) or (N, C, D, H, W)}}
  %0 = onnx.AffineGrid(%a, %b) : (tensor<1x2x3xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @gridsample_batch(%a: tensor<2x4x8x8xf32>, %b: tensor<3x5x5x2xf32>) {
  // expected-error @below {{gridsample_batch: dimensions 2 and 3 must be equal}}
  %0 = onnx.GridSample(%a, %b) : (tensor<2x4x8x8xf32>, tensor<3x5x5x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gridsample_grid(%a: tensor<2x4x8x8xf32>, %b: tensor<2x5x5x3xf32>) {
  // expected-error @below {{gridsample_grid: coordinates and spatial dimensions: dimensions 3 and 2 must be equal}}
  %0 = onnx.GridSample(%a, %b) : (tensor<2x4x8x8xf32>, tensor<2x5x5x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gridsample_x(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{gridsample_x: must have at least rank 3}}
  %0 = onnx.GridSample(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @imagedecoder_pixel_format(%a: tensor<?xui8>) {
  // expected-error @below {{imagedecoder_pixel_format: must be RGB, BGR or Grayscale, is 'CMYK'}}
  %0 = onnx.ImageDecoder(%a) {pixel_format = "CMYK"} : (tensor<?xui8>) -> !onnx.unknown
  return
}

// -----

func.func @resize_axes(%a: tensor<2x3xf32>) {
  %d = onnx.Constant() {value_ints = [4]} : () -> tensor<1xi64>
  // expected-error @below {{resize_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.Resize(%a, _, _, %d) {axes = [2]} : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @resize_keep_aspect_ratio_policy(%a: tensor<2x3xf32>) {
  %d = onnx.Constant() {value_ints = [4, 6]} : () -> tensor<2xi64>
  // expected-error @below {{resize_keep_aspect_ratio_policy: must be stretch, not_larger or not_smaller, is 'crop'}}
  %0 = onnx.Resize(%a, _, _, %d) {keep_aspect_ratio_policy = "crop"} : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @resize_sizes(%a: tensor<2x3xf32>) {
  %d = onnx.Constant() {value_ints = [4]} : () -> tensor<1xi64>
  // expected-error @below {{resize_sizes: must have one element per axis, has 1}}
  %0 = onnx.Resize(%a, _, _, %d) : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @upsample_scales(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_floats = [2.0]} : () -> tensor<1xf32>
  // expected-error @below {{upsample_scales: must have one element per dimension}}
  %0 = onnx.Upsample(%a, %b) : (tensor<2x3xf32>, tensor<1xf32>) -> !onnx.unknown
  return
}

// -----

// As many as there are dimensions are right.
func.func @upsample_all_scales(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_floats = [1.0, 2.0]} : () -> tensor<2xf32>
  %0 = onnx.Upsample(%a, %b) : (tensor<2x3xf32>, tensor<2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @imagedecoder_rank(%x: tensor<2x3xui8>) {
  // expected-error @below {{imagedecoder_encoded_stream: must have rank 1, has rank 2}}
  %0 = onnx.ImageDecoder(%x) : (tensor<2x3xui8>) -> !onnx.unknown
  return
}
