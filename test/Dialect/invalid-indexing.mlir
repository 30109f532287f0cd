// What the shape rules of indexing ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @compress_axis(%a: tensor<2x3xf32>, %b: tensor<2xi1>) {
  // expected-error @below {{compress_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.Compress(%a, %b) {axis = 2} : (tensor<2x3xf32>, tensor<2xi1>) -> !onnx.unknown
  return
}

// -----

func.func @compress_condition(%a: tensor<2x3xf32>, %b: tensor<2x3xi1>) {
  // expected-error @below {{compress_condition: must have rank 1}}
  %0 = onnx.Compress(%a, %b) : (tensor<2x3xf32>, tensor<2x3xi1>) -> !onnx.unknown
  return
}

// -----

func.func @gather_axis(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{gather_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.Gather(%a, %b) {axis = 2} : (tensor<2x3xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @gatherelements_axis(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>) {
  // expected-error @below {{gatherelements_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.GatherElements(%a, %b) {axis = 2} : (tensor<2x3xf32>, tensor<2x3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @gatherelements_indices(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{gatherelements_indices: must have the rank of data}}
  %0 = onnx.GatherElements(%a, %b) : (tensor<2x3xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @gathernd_batch_dims(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>) {
  // expected-error @below {{gathernd_batch_dims: must be less than both ranks}}
  %0 = onnx.GatherND(%a, %b) {batch_dims = 2} : (tensor<2x3xf32>, tensor<2x3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @gathernd_c1(%a: tensor<f32>, %b: tensor<3xi64>) {
  // expected-error @below {{gathernd_c1: data and indices must have at least rank 1}}
  %0 = onnx.GatherND(%a, %b) : (tensor<f32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @nonmaxsuppression_c1(%a: tensor<2x3xf32>, %b: tensor<2x3x4xf32>) {
  // expected-error @below {{nonmaxsuppression_c1: boxes and scores must have rank 3}}
  %0 = onnx.NonMaxSuppression(%a, %b) : (tensor<2x3xf32>, tensor<2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @onehot_axis(%a: tensor<3xi64>, %b: tensor<i64>, %c: tensor<2xf32>) {
  // expected-error @below {{onehot_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.OneHot(%a, %b, %c) {axis = 2} : (tensor<3xi64>, tensor<i64>, tensor<2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @scatterelements_axis(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error @below {{scatterelements_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.ScatterElements(%a, %b, %c) {axis = 2} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @scatter_indices(%a: tensor<2x3xf32>, %b: tensor<3xi64>, %c: tensor<3xf32>) {
  // expected-error @below {{scatter_indices: must have the rank of data}}
  %0 = onnx.Scatter(%a, %b, %c) : (tensor<2x3xf32>, tensor<3xi64>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @scatterelements_updates(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<3x2xf32>) {
  // expected-error @below {{scatterelements_updates: dimensions 2 and 3 must be equal}}
  %0 = onnx.ScatterElements(%a, %b, %c) : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @scatternd_c1(%a: tensor<f32>, %b: tensor<3xi64>, %c: tensor<f32>) {
  // expected-error @below {{scatternd_c1: data and indices must have at least rank 1}}
  %0 = onnx.ScatterND(%a, %b, %c) : (tensor<f32>, tensor<3xi64>, tensor<f32>) -> !onnx.unknown
  return
}

// -----

func.func @scatternd_indices(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error @below {{scatternd_indices: tuples of 3 indices for rank 2}}
  %0 = onnx.ScatterND(%a, %b, %c) : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @scatternd_updates(%a: tensor<2x3xf32>, %b: tensor<4x1xi64>, %c: tensor<2x3xf32>) {
  // expected-error @below {{scatternd_updates: dimensions 2 and 4 must be equal}}
  %0 = onnx.ScatterND(%a, %b, %c) : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @topk_axis(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  // expected-error @below {{topk_axis: axis 2 is out of range for rank 2}}
  %0:2 = onnx.TopK(%a, %b) {axis = 2} : (tensor<2x3xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @unique_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{unique_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.Unique(%a) {axis = 2} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}
