//===- Attention.td - Attention and what belongs to it --- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ATTENTION
#define ONNXC_DIALECT_ONNX_ATTENTION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_AttentionOp : ONNX_Op<"Attention", [23, 24, 25],
    (ins ONNX_T<Floats, "T1">:$Q, ONNX_T<Floats, "T1">:$K, ONNX_T<Floats, "T2">:$V,
         ONNX_Opt<ONNX_T<NumbersAndBool, "U">>:$attn_mask, ONNX_Opt<ONNX_T<Floats, "T1">>:$past_key,
         ONNX_Opt<ONNX_T<Floats, "T2">>:$past_value,
         ONNX_Opt<ONNX_T<OnlyInt64, "">>:$nonpad_kv_seqlen, IntOr<0>:$is_causal,
         OptInt:$kv_num_heads, IntOr<-1>:$left_window_size, OptInt:$q_num_heads,
         IntOr<0>:$qk_matmul_output_mode, IntOr<-1>:$right_window_size, OptFloat:$scale,
         FloatOr<"0.0">:$softcap, OptInt:$softmax_precision),
    (outs ONNX_T<Floats, "T1">:$Y, ONNX_Opt<ONNX_T<Floats, "T1">>:$present_key,
          ONNX_Opt<ONNX_T<Floats, "T2">>:$present_value,
          ONNX_Opt<ONNX_T<Floats, "T1">>:$qk_matmul_output), [Pure]> {
  let summary = "Scaled dot-product attention with masks, grouped heads and a cache";
  let cost = "Attention";
}

def ONNX_FlexAttentionOp : ONNX_PreviewOp<"FlexAttention", [1],
    (ins ONNX_T<Floats, "T1">:$Q, ONNX_T<Floats, "T1">:$K, ONNX_T<Floats, "T1">:$V, OptFloat:$scale,
         OptInt:$softmax_precision),
    (outs ONNX_T<Floats, "T1">:$Y), [Pure, RecursiveMemoryEffects]> {
  let summary = "Scaled dot-product attention whose scores and weights subgraphs modify";
  let cost = "Attention";
  let regions = (region AnyRegion:$score_mod, AnyRegion:$prob_mod);
  let regionNames = ["score_mod", "prob_mod"];
  let moreDeclarations = [{
    /// What scores and weights are computed in; null if Q's type is not known.
    ::mlir::Type getComputedType();
  }];
}

def ONNX_LinearAttentionOp : ONNX_Op<"LinearAttention", [27],
    (ins ONNX_T<FloatsTo32>:$query, ONNX_T<FloatsTo32>:$key, ONNX_T<FloatsTo32>:$value,
         ONNX_Opt<ONNX_T<FloatsTo32, "S">>:$past_state, ONNX_Opt<ONNX_T<FloatsTo32>>:$decay,
         ONNX_Opt<ONNX_T<FloatsTo32>>:$beta, I64Attr:$kv_num_heads, I64Attr:$q_num_heads,
         IntOr<64>:$chunk_size, FloatOr<"0.0">:$scale, StrOr<"gated_delta">:$update_rule),
    (outs ONNX_T<FloatsTo32>:$output, ONNX_T<FloatsTo32, "S">:$present_state), [Pure]> {
  let summary = "Attention as a recurrence over a matrix state";
}

def ONNX_RotaryEmbeddingOp : ONNX_Op<"RotaryEmbedding", [23],
    (ins ONNX_T<FloatsTo32>:$X, ONNX_T<FloatsTo32>:$cos_cache, ONNX_T<FloatsTo32>:$sin_cache,
         ONNX_Opt<ONNX_T<OnlyInt64, "M">>:$position_ids, IntOr<0>:$interleaved, OptInt:$num_heads,
         IntOr<0>:$rotary_embedding_dim),
    (outs ONNX_T<FloatsTo32>:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Rotates pairs of channels by angles that grow with the position";
  let cost = "Result";
}

#endif // ONNXC_DIALECT_ONNX_ATTENTION
