//===- Recurrent.td - Recurrent layers ------------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_RECURRENT
#define ONNXC_DIALECT_ONNX_RECURRENT

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_RNNOp : ONNX_Op<"RNN", [7, 14, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$W, ONNX_T<Floats>:$R, ONNX_Opt<ONNX_T<Floats>>:$B,
         ONNX_Opt<ONNX_T<OnlyInt32, "T1">>:$sequence_lens, ONNX_Opt<ONNX_T<Floats>>:$initial_h,
         OptInt:$hidden_size, StrOr<"forward">:$direction, Flag<0>:$layout,
         DefaultValuedOptionalAttr<StrArrayAttr, "{\"Tanh\", \"Tanh\"}">:$activations,
         OptFloats:$activation_alpha, OptFloats:$activation_beta, OptFloat:$clip),
    (outs ONNX_Opt<ONNX_T<Floats>>:$Y, ONNX_Opt<ONNX_T<Floats>>:$Y_h), [Pure]> {
  let summary = "Elman network";
  let cost = "Recurrent";
  let upgrades = [[{ {"RNN", 1, {dropAttr("output_sequence")}} }]];
}

def ONNX_LSTMOp : ONNX_Op<"LSTM", [7, 14, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$W, ONNX_T<Floats>:$R, ONNX_Opt<ONNX_T<Floats>>:$B,
         ONNX_Opt<ONNX_T<OnlyInt32, "T1">>:$sequence_lens, ONNX_Opt<ONNX_T<Floats>>:$initial_h,
         ONNX_Opt<ONNX_T<Floats>>:$initial_c, ONNX_Opt<ONNX_T<Floats>>:$P, OptInt:$hidden_size,
         StrOr<"forward">:$direction, Flag<0>:$layout, OptStrings:$activations,
         OptFloats:$activation_alpha, OptFloats:$activation_beta, OptFloat:$clip,
         Flag<0>:$input_forget),
    (outs ONNX_Opt<ONNX_T<Floats>>:$Y, ONNX_Opt<ONNX_T<Floats>>:$Y_h,
          ONNX_Opt<ONNX_T<Floats>>:$Y_c), [Pure]> {
  let summary = "Long short-term memory";
  let cost = "Recurrent";
  let upgrades = [[{ {"LSTM", 1, {dropAttr("output_sequence")}} }]];
}

def ONNX_GRUOp : ONNX_Op<"GRU", [7, 14, 22],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$W, ONNX_T<Floats>:$R, ONNX_Opt<ONNX_T<Floats>>:$B,
         ONNX_Opt<ONNX_T<OnlyInt32, "T1">>:$sequence_lens, ONNX_Opt<ONNX_T<Floats>>:$initial_h,
         OptInt:$hidden_size, StrOr<"forward">:$direction, Flag<0>:$layout,
         OptStrings:$activations, OptFloats:$activation_alpha, OptFloats:$activation_beta,
         OptFloat:$clip, Flag<0>:$linear_before_reset),
    (outs ONNX_Opt<ONNX_T<Floats>>:$Y, ONNX_Opt<ONNX_T<Floats>>:$Y_h), [Pure]> {
  let summary = "Gated recurrent unit";
  let cost = "Recurrent";
  let upgrades = [
    [{ {"GRU", 3, {dropAttr("output_sequence")}} }],
    [{ {"GRU", 1, {setDefault("direction", "forward"), dropAttr("output_sequence")}} }]
  ];
}

#endif // ONNXC_DIALECT_ONNX_RECURRENT
