//===- Contraction.td - Products of matrices ------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CONTRACTION
#define ONNXC_DIALECT_ONNX_CONTRACTION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_MatMulOp : ONNX_Op<"MatMul", [1, 9, 13],
    (ins ONNX_T<WideNumbers>:$A, ONNX_T<WideNumbers>:$B),
    (outs ONNX_T<WideNumbers>:$Y), [Pure, ONNX_Total]> {
  let summary = "Matrix product as numpy.matmul: vectors, matrices, and batches that broadcast";
  let cost = "MatMul";
}

def ONNX_GemmOp : ONNX_Op<"Gemm", [7, 9, 11, 13],
    (ins ONNX_T<WideNumbers>:$A, ONNX_T<WideNumbers>:$B, ONNX_Opt<ONNX_T<WideNumbers>>:$C,
         FloatOr<"1.0">:$alpha, FloatOr<"1.0">:$beta, IntOr<0>:$transA, IntOr<0>:$transB),
    (outs ONNX_T<WideNumbers>:$Y), [Pure, ONNX_Total]> {
  let summary = "alpha A' B' + beta C, on matrices that may be read transposed";
  let cost = "Gemm";
  let upgrades = [
    [{ {"Gemm", 6, {custom("gemmBroadcast")}} }],
    [{ {"Gemm", 1, {custom("gemmBroadcast")}} }]
  ];
}

def ONNX_EinsumOp : ONNX_Op<"Einsum", [12, 28],
    (ins ONNX_Many<ONNX_T<Numbers>>:$Inputs, StrAttr:$equation),
    (outs ONNX_T<Numbers>:$Output), [Pure]> {
  let summary = "Sum of products in Einstein notation";
  let cost = "Einsum";
}

def ONNX_DetOp : ONNX_Op<"Det", [11, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [Pure]> {
  let summary = "Determinant of square matrices in the last two dimensions";
}

#endif // ONNXC_DIALECT_ONNX_CONTRACTION
