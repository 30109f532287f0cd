// What the shape rules of conversion ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @bitcast_to(%a: tensor<2x3xf32>) {
  // expected-error @below {{bitcast_to: is not a tensor element type}}
  %0 = onnx.BitCast(%a) {to = 99} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}
