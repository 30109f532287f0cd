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

// -----

// What a run may not come to is told once, of the model for any sizes.
func.func @branch(%x: tensor<?x3xf32> {onnx.name = "x", onnx.dim_params = ["N", ""]}, %c: tensor<i1> {onnx.name = "c"}) -> (tensor<?x3xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.If(%c) then_branch {
    %zero = onnx.Constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    // expected-warning @below {{axis 3 is out of range for rank 2; a run fails if it comes to this node}}
    %1 = onnx.Gather(%x, %zero) {axis = 3} : (tensor<?x3xf32>, tensor<i64>) -> tensor<?x3xf32>
    onnx.yield %1 : tensor<?x3xf32>
  } else_branch {
    %1 = onnx.Identity(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    onnx.yield %1 : tensor<?x3xf32>
  } : (tensor<i1>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
