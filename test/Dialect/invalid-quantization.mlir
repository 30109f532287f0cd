// What the shape rules of quantization ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @dequantizelinear_output_dtype(%a: tensor<2x3xi8>, %b: tensor<f32>) {
  // expected-error @below {{dequantizelinear_output_dtype: is not a tensor element type}}
  %0 = onnx.DequantizeLinear(%a, %b) {output_dtype = 99} : (tensor<2x3xi8>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @quantizelinear_output_dtype(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<i8>) {
  // expected-error @below {{quantizelinear_output_dtype: differs from the type of y_zero_point}}
  %0 = onnx.QuantizeLinear(%a, %b, %c) {output_dtype = 2} : (tensor<2x3xf32>, tensor<f32>, tensor<i8>) -> !onnx.unknown
  return
}
