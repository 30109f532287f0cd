// The shape law of MatMul, Gemm and Einsum.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK-SAME: -> (tensor<2x5x3x7xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<f32>, tensor<2x0x7xf32>)
func.func @matmul(%a: tensor<2x1x3x4xf32>, %b: tensor<5x4x7xf32>, %v: tensor<4xf32>, %c: tensor<2x3x4xf32>, %d: tensor<4x3xf32>, %z: tensor<2x0x4xf32>, %e: tensor<4x7xf32>)
    -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.MatMul(%a, %b) : (tensor<2x1x3x4xf32>, tensor<5x4x7xf32>) -> !onnx.unknown
  %1 = onnx.MatMul(%c, %v) : (tensor<2x3x4xf32>, tensor<4xf32>) -> !onnx.unknown
  %2 = onnx.MatMul(%v, %d) : (tensor<4xf32>, tensor<4x3xf32>) -> !onnx.unknown
  %3 = onnx.MatMul(%v, %v) : (tensor<4xf32>, tensor<4xf32>) -> !onnx.unknown
  %4 = onnx.MatMul(%z, %e) : (tensor<2x0x4xf32>, tensor<4x7xf32>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// A batch dim that is not known yields to a known one other than 1.
// CHECK-LABEL: @matmul_dynamic
// CHECK-SAME: -> (tensor<8x?x7xf32>, tensor<?x?x7xf32>)
func.func @matmul_dynamic(%a: tensor<?x?x4xf32>, %b: tensor<8x4x7xf32>, %c: tensor<1x?x7xf32>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.MatMul(%a, %b) : (tensor<?x?x4xf32>, tensor<8x4x7xf32>) -> !onnx.unknown
  %1 = onnx.MatMul(%a, %c) : (tensor<?x?x4xf32>, tensor<1x?x7xf32>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @gemm
// CHECK-SAME: -> (tensor<3x5xf32>, tensor<?x5xf32>, tensor<?x?xf32>)
func.func @gemm(%a: tensor<4x3xf32>, %b: tensor<5x4xf32>, %c: tensor<5xf32>, %d: tensor<?x4xf32>, %u: tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Gemm(%a, %b, %c) {transA = 1, transB = 1} : (tensor<4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> !onnx.unknown
  %1 = onnx.Gemm(%d, %b, _) {transB = 1} : (tensor<?x4xf32>, tensor<5x4xf32>) -> !onnx.unknown
  %2 = onnx.Gemm(%u, %u, _) : (tensor<*xf32>, tensor<*xf32>) -> !onnx.unknown
  return %0, %1, %2 : !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @einsum
// CHECK-SAME: -> (tensor<2x3x5xf32>, tensor<7x4x3xf32>, tensor<3xf32>, tensor<f32>)
func.func @einsum(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<7x3x4xf32>, %d: tensor<3x3xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Einsum(%a, %b) {equation = "bij, bjk -> bik"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> !onnx.unknown
  %1 = onnx.Einsum(%c) {equation = "...ij->...ji"} : (tensor<7x3x4xf32>) -> !onnx.unknown
  %2 = onnx.Einsum(%d) {equation = "ii->i"} : (tensor<3x3xf32>) -> !onnx.unknown
  %3 = onnx.Einsum(%d) {equation = "ii"} : (tensor<3x3xf32>) -> !onnx.unknown
  return %0, %1, %2, %3 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @matmul_inner(%a: tensor<2x3xf32>, %b: tensor<4x2xf32>) -> !onnx.unknown {
  // expected-error @below {{matmul_k: last dimension of the left and last but one of the right operand: dimensions 3 and 4 must be equal}}
  %0 = onnx.MatMul(%a, %b) : (tensor<2x3xf32>, tensor<4x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @matmul_batch(%a: tensor<2x3x4xf32>, %b: tensor<3x4x2xf32>) -> !onnx.unknown {
  // expected-error @below {{matmul_batch: dimensions 2 and 3 cannot be broadcast to each other}}
  %0 = onnx.MatMul(%a, %b) : (tensor<2x3x4xf32>, tensor<3x4x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @matmul_scalar(%a: tensor<f32>, %b: tensor<3x4x2xf32>) -> !onnx.unknown {
  // expected-error @below {{matmul_rank: operands must have at least rank 1}}
  %0 = onnx.MatMul(%a, %b) : (tensor<f32>, tensor<3x4x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @gemm_bias(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<5x4xf32>) -> !onnx.unknown {
  // expected-error @below {{gemm_c: dimensions 5 and 2 must be equal}}
  %0 = onnx.Gemm(%a, %b, %c) : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<5x4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @gemm_rank(%a: tensor<1x2x3xf32>, %b: tensor<3x4xf32>) -> !onnx.unknown {
  // expected-error @below {{gemm_a: must have rank 2, has 3}}
  %0 = onnx.Gemm(%a, %b, _) : (tensor<1x2x3xf32>, tensor<3x4xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @einsum_terms(%a: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error @below {{einsum_equation: has 2 terms for 1 inputs}}
  %0 = onnx.Einsum(%a) {equation = "ij,jk->ik"} : (tensor<2x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @einsum_malformed(%a: tensor<2x3xf32>) -> !onnx.unknown {
  // expected-error @below {{einsum_equation: is malformed}}
  %0 = onnx.Einsum(%a) {equation = "i1->i"} : (tensor<2x3xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @einsum_output(%a: tensor<2x2xf32>) -> !onnx.unknown {
  // expected-error @below {{einsum_equation: output subscript 'i' occurs twice}}
  %0 = onnx.Einsum(%a) {equation = "ij->ii"} : (tensor<2x2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}
