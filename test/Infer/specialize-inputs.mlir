// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(onnx-specialize-inputs{shapes=x:2x?,a.b:1:?})' | FileCheck %s

// What has a name is told wherever it stands.
// CHECK: @entry(%arg0: tensor<2x?xf32> {onnx.dim_params = ["", "M"], onnx.name = "x"},
// CHECK-SAME: %arg1: tensor<?xf32> {onnx.dim_params = [""], onnx.name = "a.b:1"},
// CHECK-SAME: %arg2: tensor<?x2x3xf32> {onnx.dim_params = ["M", "", ""], onnx.name = "z"})
func.func @entry(%x: tensor<?x?xf32> {onnx.name = "x", onnx.dim_params = ["N", "M"]}, %y: tensor<*xf32> {onnx.name = "a.b:1", onnx.dim_params = [""]}, %z: tensor<?x?x3xf32> {onnx.name = "z", onnx.dim_params = ["M", "N", ""]}) attributes {onnx.entry} {
  return
}

// -----

// expected-error @+1 {{input 'x' is 'tensor<3x3xf32>', which contradicts the requested type 'tensor<2x?xf32>'}}
func.func @other(%x: tensor<3x3xf32> {onnx.name = "x"}, %y: tensor<*xf32> {onnx.name = "a.b:1"}) attributes {onnx.entry} {
  return
}

// -----

// expected-error @+1 {{input shape 'x:2x?': the model has no such input; its inputs are y, z}}
func.func @absent(%y: tensor<*xf32> {onnx.name = "y"}, %z: tensor<*xf32> {onnx.name = "z"}) attributes {onnx.entry} {
  return
}
