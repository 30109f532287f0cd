// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-check-states)" -split-input-file -verify-diagnostics | FileCheck %s

// The dimension that is not at most as long as it becomes grows.
// CHECK-LABEL: @grows
// CHECK-SAME: onnx.dim_params = ["B", "P", ""], onnx.name = "past", onnx.state = "present", onnx.state_axis = 1 : i64
func.func @grows(%x: tensor<?x?x4xf32> {onnx.name = "x", onnx.dim_params = ["B", "", ""]}, %past: tensor<?x?x4xf32> {onnx.name = "past", onnx.dim_params = ["B", "P", ""], onnx.state = "present"}) -> (tensor<?x?x4xf32> {onnx.name = "present"}) attributes {onnx.entry} {
  %0 = onnx.Concat(%past, %x) {axis = 1 : i64} : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  return %0 : tensor<?x?x4xf32>
}

// -----

// What has the size of an input after a run has it from the start.
// CHECK-LABEL: @named
// CHECK-SAME: onnx.dim_params = ["x_dim0", ""], onnx.name = "x"
// CHECK-SAME: onnx.dim_params = ["x_dim0", ""], onnx.name = "h", onnx.state = "hn", onnx.state_axis = -1 : i64
func.func @named(%x: tensor<?x4xf32> {onnx.name = "x"}, %h: tensor<?x4xf32> {onnx.name = "h", onnx.state = "hn"}) -> (tensor<?x4xf32> {onnx.name = "hn"}) attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{state 'hn=h': nothing says how large dimension 0 of the input is at the start: it does not grow, and no input has a dimension of this name; --input-shape= states it}}
func.func @same(%h: tensor<?x4xf32> {onnx.name = "h", onnx.state = "hn"}) -> (tensor<?x4xf32> {onnx.name = "hn"}) attributes {onnx.entry} {
  %0 = onnx.Relu(%h) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{more than one dimension of the input is open: 0 and 1; a state grows in one}}
func.func @two(%x: tensor<2x3xf32> {onnx.name = "x"}, %p: tensor<?x?xf32> {onnx.name = "p", onnx.dim_params = ["a", "b"], onnx.state = "q"}) -> (tensor<?x?xf32> {onnx.name = "q", onnx.dim_params = ["c", "d"]}) attributes {onnx.entry} {
  %s = onnx.Shape(%p) {start = 0 : i64} : (tensor<?x?xf32>) -> tensor<2xi64>
  %t = onnx.Add(%s, %s) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %0 = onnx.ConstantOfShape(%t) {value = dense<0.0> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{state 'q=p': the input is tensor(float), the output tensor(double)}}
func.func @types(%p: tensor<2xf32> {onnx.name = "p", onnx.state = "q"}) -> (tensor<2xf64> {onnx.name = "q"}) attributes {onnx.entry} {
  %0 = onnx.Cast(%p) {to = 11 : i64} : (tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

// expected-error @+1 {{state 'q=p': the input has rank 1, the output rank 2}}
func.func @ranks(%x: tensor<2x2xf32> {onnx.name = "x"}, %p: tensor<2xf32> {onnx.name = "p", onnx.state = "q"}) -> (tensor<2x2xf32> {onnx.name = "q"}) attributes {onnx.entry} {
  return %x : tensor<2x2xf32>
}

// -----

// expected-error @+1 {{state 'q=p': dimension 0 of the input is 2, that of the output is 3}}
func.func @sizes(%x: tensor<3xf32> {onnx.name = "x"}, %p: tensor<2xf32> {onnx.name = "p", onnx.state = "q"}) -> (tensor<3xf32> {onnx.name = "q"}) attributes {onnx.entry} {
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{state 'q=p': texts are not kept in a context}}
func.func @texts(%p: tensor<2x!onnx.string> {onnx.name = "p", onnx.state = "q"}) -> (tensor<2x!onnx.string> {onnx.name = "q"}) attributes {onnx.entry} {
  return %p : tensor<2x!onnx.string>
}

// -----

// What a Concat requires of a state's size it has from the start.
// CHECK-LABEL: @required
// CHECK-SAME: %{{.*}}: tensor<2x?x16xf32> {onnx.dim_params = ["", "P", "D"], onnx.name = "past", onnx.state = "present", onnx.state_axis = 1 : i64}
func.func @required(%x: tensor<2x?x16xf32> {onnx.name = "x"}, %past: tensor<2x?x?xf32> {onnx.name = "past", onnx.dim_params = ["", "P", "D"], onnx.state = "present"}) -> (tensor<2x?x16xf32> {onnx.name = "present"}) attributes {onnx.entry} {
  %0 = onnx.Concat(%past, %x) {axis = 1 : i64} : (tensor<2x?x?xf32>, tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  return %0 : tensor<2x?x16xf32>
}
