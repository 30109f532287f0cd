# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention."""

import numpy as np
from onnx import helper

from .source import FLOATS, Use, onnx_dtype, op


def pack_heads(array):
    """[n, heads, length, size] to [n, length, heads * size]."""
    batch, _, length, _ = array.shape
    return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(batch, length, -1)


@op("Attention")
def attention(s):
    batch, heads, per_group = s.integer(1, 3), s.integer(1, 3), s.integer(1, 3)
    queries, keys, size, value_size = s.integer(1, 5), s.integer(1, 6), s.integer(1, 5), s.integer(1, 5)
    dtype = s.pick(FLOATS) if s.chance(0.6) else "float32"
    q = s.array(dtype, [batch, heads * per_group, queries, size])
    k = s.array(dtype, [batch, heads, keys, size])
    v = s.array(dtype, [batch, heads, keys, value_size])
    past, lengths, before = [None, None], None, 0
    kind = s.pick(["none", "past", "lengths"] if s.opset > 23 else ["none", "past"])
    if kind == "past":
        before = s.integer(0, 4)
        past = [s.array(dtype, [batch, heads, before, n]) for n in (size, value_size)]
    elif kind == "lengths":
        lengths = s.random.integers(0, keys + 1, [batch])
    mask, is_causal = None, s.maybe(1)
    if s.chance(0.6):
        total = before + keys
        shape = s.broadcast([batch, heads * per_group, queries, total]) or [total]
        if is_causal:
            # Else the reference takes the mask's rows for all there are.
            shape = [*shape[:-2], queries, total]
        # Too short a mask is completed, which a size of 1 would be, too.
        shape[-1] = s.integer(1, total) if s.opset > 23 and s.chance(0.3) else total
        mask = s.array(s.pick([dtype, "bool"]), shape)
        if mask.dtype != bool and s.chance(0.5):
            mask[s.random.random(mask.shape) < 0.3] = -np.inf
    attributes = s.attributes(
        is_causal=is_causal, scale=s.maybe(s.pick([0.3, 1.0, 0.01])), softcap=s.maybe(s.pick([0.5, 2.0]), 0.3),
        qk_matmul_output_mode=s.maybe(s.integer(0, 3)), softmax_precision=s.maybe(onnx_dtype(s.pick(FLOATS[:3])), 0.3))
    # With both, the reference takes the capped product for the raw one.
    if "softcap" in attributes and attributes.get("qk_matmul_output_mode", 0) == 0:
        attributes["qk_matmul_output_mode"] = 1
    if s.opset > 24:
        attributes.update(s.attributes(left_window_size=s.maybe(s.integer(-1, 3), 0.3), right_window_size=s.maybe(s.integer(-1, 3), 0.3)))
    if s.chance(0.4):
        q, k, v = pack_heads(q), pack_heads(k), pack_heads(v)
        attributes.update(q_num_heads=heads * per_group, kv_num_heads=heads)
    return Use([q, k, v, mask, *past, lengths], attributes, outputs=1 if kind == "lengths" else s.pick([1, 4]))


def score_change(s, dtype):
    """A subgraph that keeps type and shape."""
    value = helper.make_tensor_value_info("x", onnx_dtype(dtype), [None] * 4)
    result = helper.make_tensor_value_info("y", onnx_dtype(dtype), [None] * 4)
    nodes = [helper.make_node(s.pick(["Tanh", "Relu", "Identity", "Neg"]), ["x"], ["z"]), helper.make_node("Add", ["z", "z"], ["y"])]
    return helper.make_graph(nodes, "change", [value], [result])


@op("FlexAttention", domain="ai.onnx.preview")
def flex_attention(s):
    batch, heads, per_group = s.integer(1, 2), s.integer(1, 3), s.integer(1, 3)
    queries, keys, size, value_size = s.integer(1, 5), s.integer(1, 6), s.integer(1, 5), s.integer(1, 5)
    dtype = s.pick(["float32", "float64", "float16"])
    precision = s.maybe(s.pick(["float32", "float64"]), 0.3)
    computed = precision or ("float64" if dtype == "float64" else "float32")
    attributes = s.attributes(scale=s.maybe(0.3), softmax_precision=precision and onnx_dtype(precision),
                              score_mod=s.maybe(score_change(s, computed)), prob_mod=s.maybe(score_change(s, computed)))
    return Use([s.array(dtype, [batch, heads * per_group, queries, size]), s.array(dtype, [batch, heads, keys, size]),
                s.array(dtype, [batch, heads, keys, value_size])], attributes)


@op("LinearAttention")
def linear_attention(s):
    batch, steps, heads, per_group = s.integer(1, 3), s.integer(1, 5), s.integer(1, 3), s.integer(1, 3)
    size, value_size, dtype = s.integer(1, 4), s.integer(1, 4), s.pick(["float32", "float16", "bfloat16"])
    rule = s.pick(["linear", "gated", "delta", "gated_delta"])
    inputs = [s.array(dtype, [batch, steps, heads * per_group * size], -1, 1), s.array(dtype, [batch, steps, heads * size], -1, 1),
              s.array(dtype, [batch, steps, heads * value_size], -1, 1),
              s.maybe(s.array(s.pick([dtype, "float32"]), [batch, heads, size, value_size], -1, 1)), None, None]
    if "gated" in rule:
        inputs[4] = s.array(dtype, [batch, steps, heads * s.pick([1, size])], -1, 0)
    if "delta" in rule:
        inputs[5] = s.array(dtype, [batch, steps, s.pick([1, heads])], 0, 1)
    attributes = s.attributes(q_num_heads=heads * per_group, kv_num_heads=heads, update_rule=rule, scale=s.maybe(s.pick([0.0, 0.5])),
                              chunk_size=s.maybe(2))
    return Use(inputs, attributes, outputs=2)


@op("RotaryEmbedding")
def rotary_embedding(s):
    batch, heads, length, pairs, rest = s.integer(1, 2), s.integer(1, 3), s.integer(1, 4), s.integer(1, 4), s.pick([0, 0, 2])
    dtype = s.pick(["float32", "float16", "bfloat16"])
    x = s.array(dtype, [batch, heads, length, 2 * pairs + rest])
    attributes = s.attributes(interleaved=s.maybe(s.integer(0, 1)), rotary_embedding_dim=2 * pairs if rest else s.maybe(0))
    if s.chance(0.4):
        x = pack_heads(x)
        attributes["num_heads"] = heads
    positions = s.maybe(s.random.integers(0, 6, [batch, length]))
    table = [6, pairs] if positions is not None else [batch, length, pairs]
    return Use([x, s.array(dtype, table, -1, 1), s.array(dtype, table, -1, 1), positions], attributes)
