// What the shape rules of contraction ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @det_x(%a: tensor<2x3xf32>) {
  // expected-error @below {{det_x: matrices must be square: dimensions 3 and 2 must be equal}}
  %0 = onnx.Det(%a) : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @einsum_dims(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{einsum_dims: dimensions 3 and 2 cannot be broadcast to each other}}
  %0 = onnx.Einsum(%a, %b) {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @einsum_ellipsis(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @below {{einsum_ellipsis: dimensions 2 and 4 cannot be broadcast to each other}}
  %0 = onnx.Einsum(%a, %b) {equation = "...i,...i->..."} : (tensor<2x3xf32>, tensor<4x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @einsum_rank(%a: tensor<2x3xf32>) {
  // expected-error @below {{einsum_rank: a term has 3 subscripts for an input of rank 2}}
  %0 = onnx.Einsum(%a) {equation = "ijk->i"} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gemm_b(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{gemm_b: must have rank 2, has 1}}
  %0 = onnx.Gemm(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @gemm_k(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{gemm_k: inner dimensions: dimensions 3 and 2 must be equal}}
  %0 = onnx.Gemm(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !onnx.unknown
  return
}
