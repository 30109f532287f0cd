//===- Training.td - Optimizer steps and gradients (ai.onnx.preview.training) -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_TRAINING
#define ONNXC_DIALECT_ONNX_TRAINING

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_GradientOp : ONNX_TrainingOp<"Gradient", [1],
    (ins ONNX_Many<ONNX_T<AllIR3, "">>:$Inputs, StrArrayAttr:$xs, StrAttr:$y, OptStrings:$zs),
    (outs ONNX_Many<ONNX_T<IEEEFloats, "">>:$Outputs), [Pure]> {
  let summary = "Derivatives of a value of the graph by others";
}

def ONNX_AdagradOp : ONNX_TrainingOp<"Adagrad", [1],
    (ins ONNX_T<Float32s64s, "T1">:$R, ONNX_T<OnlyInt64, "T2">:$T,
         ONNX_Many<ONNX_T<Float32s64s, "">>:$inputs, FloatOr<"0.0">:$decay_factor,
         FloatOr<"1e-06">:$epsilon, FloatOr<"0.0">:$norm_coefficient),
    (outs ONNX_Many<ONNX_T<Float32s64s, "">>:$outputs), [Pure]> {
  let summary = "A step of Adagrad for each tensor";
}

def ONNX_AdamOp : ONNX_TrainingOp<"Adam", [1],
    (ins ONNX_T<Float32s64s, "T1">:$R, ONNX_T<OnlyInt64, "T2">:$T,
         ONNX_Many<ONNX_T<Float32s64s, "">>:$inputs, FloatOr<"0.9">:$alpha, FloatOr<"0.999">:$beta,
         FloatOr<"1e-06">:$epsilon, FloatOr<"0.0">:$norm_coefficient,
         FloatOr<"0.0">:$norm_coefficient_post),
    (outs ONNX_Many<ONNX_T<Float32s64s, "">>:$outputs), [Pure]> {
  let summary = "A step of Adam for each tensor";
}

def ONNX_MomentumOp : ONNX_TrainingOp<"Momentum", [1],
    (ins ONNX_T<Float32s64s, "T1">:$R, ONNX_T<OnlyInt64, "T2">:$T,
         ONNX_Many<ONNX_T<Float32s64s, "">>:$inputs, F32Attr:$alpha, F32Attr:$beta, StrAttr:$mode,
         F32Attr:$norm_coefficient),
    (outs ONNX_Many<ONNX_T<Float32s64s, "">>:$outputs), [Pure]> {
  let summary = "A step of gradient descent with momentum for each tensor";
}

#endif // ONNXC_DIALECT_ONNX_TRAINING
