// RUN: onnx-mlir-opt %s -split-input-file --pass-pipeline='builtin.module(onnxc-infer{batch-of-one=true})' -verify-diagnostics

// What is wrong for any sizes is an error, told once and of the node itself.
func.func @any(%x: tensor<?xi64> {onnx.name = "x", onnx.dim_params = ["N"]}) -> (tensor<?xi64> {onnx.name = "y"}) attributes {onnx.entry} {
  %zero = onnx.Constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  // expected-error @below {{divides by 0: element 0 of the constant B is 0}}
  %0 = onnx.Mod(%x, %zero) : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// No warning of the size 1, which nobody named.
func.func @one(%x: tensor<?xf32> {onnx.name = "x", onnx.dim_params = ["N"]}) -> (tensor<2x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %shape = onnx.Constant() {value = dense<[2, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
