// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-infer{dims=N=1..2})' -verify-diagnostics

// The caller named the size 1.
func.func @one(%x: tensor<?xf32> {onnx.name = "x", onnx.dim_params = ["N"]}) -> (tensor<2x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %shape = onnx.Constant() {value = dense<[2, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-warning @below {{must be equal; a run fails if it comes to this node}}
  %0 = onnx.Reshape(%x, %shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
