// RUN: onnx-mlir-opt %s -onnxc-verify-initial-values -split-input-file -verify-diagnostics
// What CSE makes of it is refused; separated again it is not.
// RUN: onnx-mlir-opt %s -cse -onnxc-separate-initial-values -onnxc-verify-initial-values -split-input-file

// Sizes and bodies do not write into it.
func.func @one_user(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %d = tensor.dim %e, %c0 : tensor<?xf32>
  %f = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %y, %d : tensor<4xf32>, index
}

// -----

func.func @shared_empty(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{'tensor.empty' op is the initial value of several operations}}
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.log ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @shared_fill(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  // expected-error @below {{'linalg.fill' op is the initial value of several operations}}
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.dot ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %1 = linalg.dot ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
