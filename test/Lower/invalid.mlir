// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -split-input-file -verify-diagnostics

// Faults of the model are errors of their nodes, all of which are told.
func.func @faults(%x: tensor<3x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) attributes {onnx.entry} {
  %i = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error@+1 {{index 7 is out of range for size 3}}
  %0 = onnx.Gather(%x, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %j = onnx.Constant() {value = dense<-4> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error@+1 {{index -4 is out of range for size 3}}
  %1 = onnx.Gather(%x, %j) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// They do not hide what is not supported.
// expected-error@+1 {{1 operator is not supported by this version of onnxc:}}
module {
func.func @both(%x: tensor<3x4xf32>) -> tensor<1x4xf32> attributes {onnx.entry} {
  %i = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-note@+1 {{Foo of domain 'com.example' version 1: 1 node}}
  %0 = onnx.node "Foo" domain "com.example" version 1 (%x) {} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  // expected-error@+1 {{index 7 is out of range for size 3}}
  %1 = onnx.Gather(%0, %i) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
}

// -----

// In a branch that a run may not come to, where it is no error of the model that the rules find.
func.func @scan_axis(%c: tensor<i1>, %s: tensor<3xf32>, %y: tensor<5x3xf32>) -> tensor<3xf32> {
  %0 = onnx.If(%c) then_branch {
    // expected-error@+1 {{an axis is out of range}}
    %1:2 = onnx.Scan(%s, %y) body {
    ^bb0(%a: tensor<3xf32>, %b: tensor<5xf32>):
      onnx.yield %a, %b : tensor<3xf32>, tensor<5xf32>
    } {num_scan_inputs = 1, scan_input_axes = [2]} : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<?x5xf32>)
    onnx.yield %1#0 : tensor<3xf32>
  } else_branch {
    // expected-error@+1 {{an axis is out of range}}
    %1:2 = onnx.Scan(%s, %y) body {
    ^bb0(%a: tensor<3xf32>, %b: tensor<5xf32>):
      onnx.yield %a, %b : tensor<3xf32>, tensor<5xf32>
    } {num_scan_inputs = 1, scan_input_axes = [-3]} : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<?x5xf32>)
    onnx.yield %1#0 : tensor<3xf32>
  } : (tensor<i1>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @scan_output_axis(%c: tensor<i1>, %s: tensor<3xf32>, %y: tensor<5x3xf32>) -> tensor<3xf32> {
  %0 = onnx.If(%c) then_branch {
    // expected-error@+1 {{an axis is out of range}}
    %1:2 = onnx.Scan(%s, %y) body {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      onnx.yield %a, %b : tensor<3xf32>, tensor<3xf32>
    } {num_scan_inputs = 1, scan_output_axes = [2]} : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
    onnx.yield %1#0 : tensor<3xf32>
  } else_branch {
    // expected-error@+1 {{an axis is out of range}}
    %1:2 = onnx.Scan(%s, %y) body {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      onnx.yield %a, %b : tensor<3xf32>, tensor<3xf32>
    } {num_scan_inputs = 1, scan_output_axes = [-3]} : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
    onnx.yield %1#0 : tensor<3xf32>
  } : (tensor<i1>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @scalar_factor(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = onnx.If(%c) then_branch {
    // expected-error@+1 {{matmul_rank: operands must have at least rank 1}}
    %m = onnx.MatMul(%x, %y) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    onnx.yield %m : tensor<3xf32>
  } else_branch {
    // expected-error@+1 {{matmul_rank: operands must have at least rank 1}}
    %m = onnx.MatMul(%y, %x) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    onnx.yield %m : tensor<3xf32>
  } : (tensor<i1>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A parameter for each feature, of what has none.
func.func @features_of_a_scalar(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error@+1 {{input of rank 0, expected [N, C] or a row [C]}}
  %0 = onnx.ml.Imputer(%x) {imputed_value_floats = [1.0]} : (tensor<f32>) -> tensor<f32>
  // expected-error@+1 {{input of rank 0, expected [N, C] or a row [C]}}
  %1 = onnx.ml.Scaler(%x) {offset = [1.0], scale = [2.0]} : (tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
