// What the shape rules of shape ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @eyelike_dtype(%a: tensor<3x3xf32>) {
  // expected-error @below {{eyelike_dtype: is not a tensor element type}}
  %0 = onnx.EyeLike(%a) {dtype = -11} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @eyelike_input(%a: tensor<3xf32>) {
  // expected-error @below {{eyelike_input: must have rank 2}}
  %0 = onnx.EyeLike(%a) : (tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @range_c2(%a: tensor<i64>, %b: tensor<i64>) {
  %c = onnx.Constant() {value_int = 9223372036854775807} : () -> tensor<i64>
  // expected-error @below {{range_c2: limit is too large}}
  %0 = onnx.Range(%a, %c, %b) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @range_c1(%a: tensor<2xi64>, %b: tensor<i64>, %c: tensor<i64>) {
  // expected-error @below {{range_c1: start, limit and delta must be scalars}}
  %0 = onnx.Range(%a, %b, %c) : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return
}
