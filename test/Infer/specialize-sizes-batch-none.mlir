// RUN: onnx-mlir-opt %s -split-input-file --pass-pipeline='builtin.module(onnx-specialize-sizes{batch-of-one=true})' | FileCheck %s --implicit-check-not=onnx.If

// Never in front: a length.
// CHECK-LABEL: @length
func.func @length(%x: tensor<2x?xf32> {onnx.name = "x", onnx.dim_params = ["", "T"]}) -> (tensor<2x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Neg(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// Not of each input.
// CHECK-LABEL: @two
func.func @two(%x: tensor<?xf32> {onnx.name = "x", onnx.dim_params = ["N"]}, %z: tensor<?xf32> {onnx.name = "z", onnx.dim_params = ["M"]}) -> (tensor<?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Add(%x, %z) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Two megabytes and four bytes.
// CHECK-LABEL: @large
func.func @large(%x: tensor<?x1xf32> {onnx.name = "x", onnx.dim_params = ["N", ""]}) -> (tensor<?x524289xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %w = onnx.Constant() {value = dense<1.0> : tensor<524289xf32>} : () -> tensor<524289xf32>
  %0 = onnx.Add(%x, %w) : (tensor<?x1xf32>, tensor<524289xf32>) -> tensor<?x524289xf32>
  return %0 : tensor<?x524289xf32>
}
