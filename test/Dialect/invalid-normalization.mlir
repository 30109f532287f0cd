// What the shape rules of normalization ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @batchnormalization_x(%a: tensor<f32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  // expected-error @below {{batchnormalization_x: must have at least rank 1}}
  %0 = onnx.BatchNormalization(%a, %b, %c, %d, %e) : (tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @hardmax_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{hardmax_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.Hardmax(%a) {axis = 2} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @logsoftmax_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{logsoftmax_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.LogSoftmax(%a) {axis = 2} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @groupnormalization_x(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{groupnormalization_x: must have a batch and a channel dimension, has rank 1}}
  %0 = onnx.GroupNormalization(%a, %b, %c) {num_groups = 1} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @instancenormalization_input(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{instancenormalization_input: must have a batch and a channel dimension, has rank 1}}
  %0 = onnx.InstanceNormalization(%a, %b, %c) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @layernormalization_axis(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{layernormalization_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.LayerNormalization(%a, %b) {axis = 2} : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @layernormalization_stash_type(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{layernormalization_stash_type: is not a tensor element type}}
  %0 = onnx.LayerNormalization(%a, %b) {stash_type = 99} : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lpnormalization_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{lpnormalization_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.LpNormalization(%a) {axis = 2} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lpnormalization_p(%a: tensor<2x3xf32>) {
  // expected-error @below {{attribute 'p' is 3, expected 1 or 2}}
  %0 = onnx.LpNormalization(%a) {p = 3} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lrn_size(%a: tensor<2x4x8x8xf32>) {
  // expected-error @below {{lrn_size: must be positive}}
  %0 = onnx.LRN(%a) {size = 0} : (tensor<2x4x8x8xf32>) -> !onnx.unknown
  return
}

// -----

func.func @lrn_x(%a: tensor<3xf32>) {
  // expected-error @below {{lrn_x: must have a batch and a channel dimension}}
  %0 = onnx.LRN(%a) {size = 1} : (tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @meanvariancenormalization_axes(%a: tensor<2x3xf32>) {
  // expected-error @below {{meanvariancenormalization_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.MeanVarianceNormalization(%a) {axes = [2]} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rmsnormalization_axis(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{rmsnormalization_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.RMSNormalization(%a, %b) {axis = 2} : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rmsnormalization_scale(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{rmsnormalization_scale: dimensions 4 and 3 must be equal}}
  %0 = onnx.RMSNormalization(%a, %b) : (tensor<2x3xf32>, tensor<4xf32>) -> !onnx.unknown
  return
}
