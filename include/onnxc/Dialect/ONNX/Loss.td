//===- Loss.td - Losses ---------------------------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_LOSS
#define ONNXC_DIALECT_ONNX_LOSS

include "onnxc/Dialect/ONNX/ONNXBase.td"

defvar LossReductions = ["none", "mean", "sum"];

def ONNX_NegativeLogLikelihoodLossOp : ONNX_Op<"NegativeLogLikelihoodLoss", [12, 13, 22],
    (ins ONNX_T<Floats>:$input, ONNX_T<Int32s64s, "Tind">:$target, ONNX_Opt<ONNX_T<Floats>>:$weight,
         OptInt:$ignore_index, OneOf<"mean", LossReductions>:$reduction),
    (outs ONNX_T<Floats>:$loss), [Pure]> {
  let summary = "Negative log likelihood of the target classes, weighted and reduced";
}

def ONNX_SoftmaxCrossEntropyLossOp : ONNX_Op<"SoftmaxCrossEntropyLoss", [12, 13],
    (ins ONNX_T<Floats>:$scores, ONNX_T<Int32s64s, "Tind">:$labels,
         ONNX_Opt<ONNX_T<Floats>>:$weights, OptInt:$ignore_index, OneOf<"mean", LossReductions>:$reduction),
    (outs ONNX_T<Floats>:$output, ONNX_Opt<ONNX_T<Floats>>:$log_prob), [Pure]> {
  let summary = "Cross entropy of softmaxed scores and target classes";
}

#endif // ONNXC_DIALECT_ONNX_LOSS
