// What the shape rules of random ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @bernoulli_dtype(%a: tensor<2x3xf32>) {
  // expected-error @below {{bernoulli_dtype: is not a tensor element type}}
  %0 = onnx.Bernoulli(%a) {dtype = 99} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @multinomial_dtype(%a: tensor<2x3xf32>) {
  // expected-error @below {{multinomial_dtype: is not a tensor element type}}
  %0 = onnx.Multinomial(%a) {dtype = 99} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @multinomial_input(%a: tensor<3xf32>) {
  // expected-error @below {{multinomial_input: must have rank 2, has 1}}
  %0 = onnx.Multinomial(%a) : (tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @randomnormal_dtype() {
  // expected-error @below {{randomnormal_dtype: is not a tensor element type}}
  %0 = onnx.RandomNormal() {dtype = 99, shape = [2]} : () -> !onnx.unknown
  return
}

// -----

func.func @randomuniform_dtype() {
  // expected-error @below {{randomuniform_dtype: is not a tensor element type}}
  %0 = onnx.RandomUniform() {dtype = 99, shape = [2]} : () -> !onnx.unknown
  return
}

// -----

func.func @randomnormallike_dtype(%a: tensor<2x3xf32>) {
  // expected-error @below {{randomnormallike_dtype: is not a tensor element type}}
  %0 = onnx.RandomNormalLike(%a) {dtype = 99} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @randomuniformlike_dtype(%a: tensor<2x3xf32>) {
  // expected-error @below {{randomuniformlike_dtype: is not a tensor element type}}
  %0 = onnx.RandomUniformLike(%a) {dtype = 99} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}
