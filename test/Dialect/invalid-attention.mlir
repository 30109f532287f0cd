// What the shape rules of attention ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @attention_k(%a: tensor<1x2x3x4xf32>, %b: tensor<2x3xf32>, %c: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_k: must have rank 3 or 4, has 2}}
  %0 = onnx.Attention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<2x3xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_v(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x3x8xf32>) {
  // expected-error @below {{attention_v: packed heads need their number as an attribute}}
  %0 = onnx.Attention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x3x8xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_kv_sequence(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x2x5x4xf32>) {
  // expected-error @below {{attention_kv_sequence: of keys and values: dimensions 3 and 5 must be equal}}
  %0 = onnx.Attention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_past_key(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x2x3x4xf32>, %e: tensor<2x3x4xf32>, %f: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_past_key: must have rank 4}}
  %0 = onnx.Attention(%a, %b, %c, _, %e, %f) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_q(%a: tensor<2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<1x2x3x4xf32>) {
  // expected-error @below {{flexattention_q: must have rank 4, has 3}}
  %0 = onnx.preview.FlexAttention(%a, %b, %c) : (tensor<2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_v(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>, %c: tensor<2x3x4xf32>) {
  // expected-error @below {{flexattention_v: must have rank 4, has 3}}
  %0 = onnx.preview.FlexAttention(%a, %b, %c) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @linearattention_heads(%a: tensor<1x2x8xf32>, %b: tensor<1x2x8xf32>, %c: tensor<1x2x8xf32>) {
  // expected-error @below {{linearattention_heads: must be positive}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 0, q_num_heads = 2} : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearattention_query(%a: tensor<2x3xf32>, %b: tensor<1x2x8xf32>, %c: tensor<1x2x8xf32>) {
  // expected-error @below {{linearattention_query: must have rank 3, has 2}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 2, q_num_heads = 2} : (tensor<2x3xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearattention_key(%a: tensor<1x2x8xf32>, %b: tensor<2x3xf32>, %c: tensor<1x2x8xf32>) {
  // expected-error @below {{linearattention_key: must have rank 3, has 2}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 2, q_num_heads = 2} : (tensor<1x2x8xf32>, tensor<2x3xf32>, tensor<1x2x8xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @linearattention_value(%a: tensor<1x2x8xf32>, %b: tensor<1x2x8xf32>, %c: tensor<2x3xf32>) {
  // expected-error @below {{linearattention_value: must have rank 3, has 2}}
  %0:2 = onnx.LinearAttention(%a, %b, %c) {kv_num_heads = 2, q_num_heads = 2} : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<2x3xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}

// -----

func.func @attention_heads(%q: tensor<1x3x5xf32>, %k: tensor<1x3x4xf32>, %v: tensor<1x3x4xf32>) {
  // expected-error @below {{attention_q: as many channels for each head: dimensions 5 and 4 must be equal}}
  %0 = onnx.Attention(%q, %k, %v) {q_num_heads = 2, kv_num_heads = 2} : (tensor<1x3x5xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_mode(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_mode: qk_matmul_output_mode must be 0 to 3, is 4}}
  %0 = onnx.Attention(%q, %k, %v) {qk_matmul_output_mode = 4} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_precision(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_precision: softmax_precision must be the number of a float type}}
  %0 = onnx.Attention(%q, %k, %v) {softmax_precision = 7} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_past(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %a: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_past: past_key and past_value come together}}
  %0 = onnx.Attention(%q, %k, %v, _, %a) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_kv_heads(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x1x3x4xf32>) {
  // expected-error @below {{attention_kv_heads: of keys and values: dimensions 2 and 1 must be equal}}
  %0 = onnx.Attention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_key_batch(%q: tensor<1x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_key_batch: of queries and keys: dimensions 1 and 2 must be equal}}
  %0 = onnx.Attention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_value_batch(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<2x2x3x4xf32>) {
  // expected-error @below {{attention_value_batch: of queries and values: dimensions 1 and 2 must be equal}}
  %0 = onnx.Attention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_groups(%q: tensor<1x3x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_groups: as many heads for each key: dimensions 3 and 2 must be equal}}
  %0 = onnx.Attention(%q, %k, %v) : (tensor<1x3x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_past_key_size(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %a: tensor<1x2x3x5xf32>, %b: tensor<1x2x3x4xf32>) {
  // expected-error @below {{attention_past_key: dimensions 5 and 4 must be equal}}
  %0 = onnx.Attention(%q, %k, %v, _, %a, %b) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x5xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_past_value(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %a: tensor<1x2x3x4xf32>, %b: tensor<2x3x4xf32>) {
  // expected-error @below {{attention_past_value: must have rank 4, has 3}}
  %0 = onnx.Attention(%q, %k, %v, _, %a, %b) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_past_sequence(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %a: tensor<1x2x3x4xf32>, %b: tensor<1x2x6x4xf32>) {
  // expected-error @below {{attention_past_sequence: dimensions 3 and 6 must be equal}}
  %0 = onnx.Attention(%q, %k, %v, _, %a, %b) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x6x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @attention_mask_rank(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %m: tensor<i1>) {
  // expected-error @below {{attention_mask_rank: must be 1 to 4, is 0}}
  %0 = onnx.Attention(%q, %k, %v, %m) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<i1>) -> !onnx.unknown
  return
}

// -----

func.func @attention_mask_length(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %m: tensor<4xi1>) {
  // expected-error @below {{attention_mask_length: the mask must not be for more keys than there are}}
  %0 = onnx.Attention(%q, %k, %v, %m) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<4xi1>) -> !onnx.unknown
  return
}

// -----

func.func @attention_mask(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %m: tensor<2x3xi1>) {
  // expected-error @below {{attention_mask: }}
  %0 = onnx.Attention(%q, %k, %v, %m) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x3xi1>) -> !onnx.unknown
  return
}

// -----

func.func @attention_lengths(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %n: tensor<1x1xi64>) {
  // expected-error @below {{attention_lengths: must have rank 1, has 2}}
  %0 = onnx.Attention(%q, %k, %v, _, _, _, %n) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @attention_lengths_batch(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{attention_lengths_batch: of queries and lengths: dimensions 3 and 1 must be equal}}
  %0 = onnx.Attention(%q, %k, %v, _, _, _, %n) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_precision(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{flexattention_precision: softmax_precision must be the number of a float type}}
  %0 = onnx.preview.FlexAttention(%q, %k, %v) {softmax_precision = 7} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_k(%q: tensor<1x2x3x4xf32>, %k: tensor<2x3x4xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{flexattention_k: must have rank 4, has 3}}
  %0 = onnx.preview.FlexAttention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_head_size(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x5xf32>, %v: tensor<1x2x3x4xf32>) {
  // expected-error @below {{flexattention_head_size: of queries and keys: dimensions 4 and 5 must be equal}}
  %0 = onnx.preview.FlexAttention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<1x2x3x5xf32>, tensor<1x2x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_kv_sequence(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error @below {{flexattention_kv_sequence: of keys and values: dimensions 3 and 5 must be equal}}
  %0 = onnx.preview.FlexAttention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_kv_heads(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x1x3x4xf32>) {
  // expected-error @below {{flexattention_kv_heads: of keys and values: dimensions 2 and 1 must be equal}}
  %0 = onnx.preview.FlexAttention(%q, %k, %v) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_score_mod(%q: tensor<1x2x3x4xf16>) {
  // expected-error @below {{flexattention_score_mod: must make one tensor out of one}}
  %0 = onnx.preview.FlexAttention(%q, %q, %q) score_mod {
  ^bb0(%x: tensor<1x2x3x3xf16>):
    onnx.yield %x : tensor<1x2x3x3xf16>
  } : (tensor<1x2x3x4xf16>, tensor<1x2x3x4xf16>, tensor<1x2x3x4xf16>) -> !onnx.unknown
  return
}

// -----

func.func @flexattention_prob_mod(%q: tensor<1x2x3x4xf16>) {
  // expected-error @below {{flexattention_prob_mod: must make one tensor out of one}}
  %0 = onnx.preview.FlexAttention(%q, %q, %q) prob_mod {
  ^bb0(%x: tensor<1x2x3x3xf32>, %y: tensor<1xf32>):
    onnx.yield %x : tensor<1x2x3x3xf32>
  } : (tensor<1x2x3x4xf16>, tensor<1x2x3x4xf16>, tensor<1x2x3x4xf16>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_x(%a: tensor<3x4xf32>, %b: tensor<1x3x2xf32>, %c: tensor<1x3x2xf32>) {
  // expected-error @below {{rotaryembedding_x: must have rank 3 or 4, has 2}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) : (tensor<3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_cos_cache(%a: tensor<1x5x3x4xf32>, %b: tensor<3x2xf32>, %c: tensor<1x3x2xf32>) {
  // expected-error @below {{rotaryembedding_cos_cache: must have rank 3, has 2}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) : (tensor<1x5x3x4xf32>, tensor<3x2xf32>, tensor<1x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_sin_cache(%a: tensor<1x5x3x4xf32>, %b: tensor<1x3x2xf32>, %c: tensor<1x2x2xf32>) {
  // expected-error @below {{rotaryembedding_sin_cache: sizes of both caches: dimensions 3 and 2 must be equal}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) : (tensor<1x5x3x4xf32>, tensor<1x3x2xf32>, tensor<1x2x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_position_ids(%a: tensor<1x5x3x4xf32>, %b: tensor<9x2xf32>, %c: tensor<9x2xf32>, %d: tensor<3xi64>) {
  // expected-error @below {{rotaryembedding_position_ids: must have rank 2, has 1}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c, %d) : (tensor<1x5x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_num_heads(%a: tensor<1x3x20xf32>, %b: tensor<1x3x2xf32>, %c: tensor<1x3x2xf32>) {
  // expected-error @below {{rotaryembedding_num_heads: must be given and positive where the input has rank 3}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) : (tensor<1x3x20xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_num_heads_multiple(%a: tensor<1x3x20xf32>, %b: tensor<1x3x2xf32>, %c: tensor<1x3x2xf32>) {
  // expected-error @below {{rotaryembedding_num_heads: the number of channels must be a multiple of num_heads}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) {num_heads = 3} : (tensor<1x3x20xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_rotary_embedding_dim(%a: tensor<1x5x3x4xf32>, %b: tensor<1x3x2xf32>, %c: tensor<1x3x2xf32>) {
  // expected-error @below {{rotaryembedding_rotary_embedding_dim: must not be more than a head has channels}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) {rotary_embedding_dim = 6} : (tensor<1x5x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_columns(%a: tensor<1x5x3x4xf32>, %b: tensor<1x3x2xf32>, %c: tensor<1x3x2xf32>) {
  // expected-error @below {{rotaryembedding_columns: two channels for each column of a cache: dimensions 4 and 2 must be equal}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) {rotary_embedding_dim = 2} : (tensor<1x5x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_batch(%a: tensor<1x5x3x4xf32>, %b: tensor<2x3x2xf32>, %c: tensor<2x3x2xf32>) {
  // expected-error @below {{rotaryembedding_batch: of positions and input: dimensions 2 and 1 must be equal}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c) : (tensor<1x5x3x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> !onnx.unknown
  return
}

// -----

func.func @rotaryembedding_sequence(%a: tensor<1x5x3x4xf32>, %b: tensor<9x2xf32>, %c: tensor<9x2xf32>, %d: tensor<1x2xi64>) {
  // expected-error @below {{rotaryembedding_sequence: of positions and input: dimensions 2 and 3 must be equal}}
  %0 = onnx.RotaryEmbedding(%a, %b, %c, %d) : (tensor<1x5x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x2xi64>) -> !onnx.unknown
  return
}
