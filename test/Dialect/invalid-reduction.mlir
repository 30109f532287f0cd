// What the shape rules of reduction ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @argmax_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{argmax_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.ArgMax(%a) {axis = 2} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @argmin_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{argmin_axis: axis -3 is out of range for rank 2}}
  %0 = onnx.ArgMin(%a) {axis = -3} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}
