// What the shape rules of pooling ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @maxroipool_pooled_shape(%a: tensor<2x4x8x8xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{maxroipool_pooled_shape: must be [height, width]}}
  %0 = onnx.MaxRoiPool(%a, %b) {pooled_shape = [2]} : (tensor<2x4x8x8xf32>, tensor<3x5xf32>) -> !onnx.unknown
  return
}

// -----

func.func @maxroipool_rois(%a: tensor<2x4x8x8xf32>, %b: tensor<5xf32>) {
  // expected-error @below {{maxroipool_rois: must have rank 2}}
  %0 = onnx.MaxRoiPool(%a, %b) {pooled_shape = [2, 2]} : (tensor<2x4x8x8xf32>, tensor<5xf32>) -> !onnx.unknown
  return
}

// -----

func.func @maxroipool_x(%a: tensor<2x3x4xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{maxroipool_x: must have rank 4}}
  %0 = onnx.MaxRoiPool(%a, %b) {pooled_shape = [2, 2]} : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> !onnx.unknown
  return
}

// -----

func.func @maxunpool_kernel_shape(%a: tensor<2x4x8x8xf32>, %b: tensor<2x4x8x8xi64>) {
  // expected-error @below {{maxunpool_kernel_shape: must have one element per spatial dimension of the input}}
  %0 = onnx.MaxUnpool(%a, %b) {kernel_shape = [2]} : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xi64>) -> !onnx.unknown
  return
}

// -----

func.func @maxunpool_output_shape(%a: tensor<2x4x8x8xf32>, %b: tensor<2x4x8x8xi64>) {
  %c = onnx.Constant() {value_ints = [1, 1]} : () -> tensor<2xi64>
  // expected-error @below {{maxunpool_output_shape: must have as many elements as the input has dimensions}}
  %0 = onnx.MaxUnpool(%a, %b, %c) {kernel_shape = [2, 2]} : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xi64>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @roialign_rois(%a: tensor<2x4x8x8xf32>, %b: tensor<4xf32>, %c: tensor<3xi64>) {
  // expected-error @below {{roialign_rois: must have rank 2, has 1}}
  %0 = onnx.RoiAlign(%a, %b, %c) : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @roialign_x(%a: tensor<2x3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<3xi64>) {
  // expected-error @below {{roialign_x: must have rank 4, has 3}}
  %0 = onnx.RoiAlign(%a, %b, %c) : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @roialign_sampling_ratio(%a: tensor<2x3x4x4xf32>, %b: tensor<3x4xf32>, %c: tensor<3xi64>) {
  %0 = onnx.RoiAlign(%a, %b, %c) {sampling_ratio = 32768} : (tensor<2x3x4x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> !onnx.unknown
  // expected-error @below {{attribute 'sampling_ratio' is 32769, expected 0 to 32768}}
  %1 = onnx.RoiAlign(%a, %b, %c) {sampling_ratio = 32769} : (tensor<2x3x4x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}
