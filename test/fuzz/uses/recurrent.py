# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrence and attention."""

import numpy as np

from .source import Use, op


@op("LSTM", "GRU", "RNN")
def recurrent(s):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[s.op]
    direction = s.pick(["forward", "reverse", "bidirectional"])
    d, t, b, i, h = 1 + (direction == "bidirectional"), s.integer(1, 4), s.integer(1, 3), s.integer(1, 4), s.integer(1, 4)
    inputs = [s.array("float32", [t, b, i]), s.array("float32", [d, gates * h, i], -0.5, 0.5), s.array("float32", [d, gates * h, h], -0.5, 0.5),
              s.maybe(s.array("float32", [d, 2 * gates * h])),
              s.maybe(s.random.integers(1, t + 1, [b]).astype(np.int32), 0.3), s.maybe(s.array("float32", [d, b, h]))]
    if s.op == "LSTM":
        inputs.append(s.maybe(s.array("float32", [d, b, h])))
        inputs.append(s.maybe(s.array("float32", [d, 3 * h]), 0.3))
    attributes = s.attributes(hidden_size=h, direction=direction, clip=s.maybe(0.8, 0.2))
    if s.op == "GRU" and s.chance(0.5):
        attributes["linear_before_reset"] = 1
    return Use(inputs, attributes, outputs=3 if s.op == "LSTM" else 2)


@op("Attention")
def attention(s):
    batch, heads, per_group = s.integer(1, 2), s.integer(1, 2), s.integer(1, 2)
    queries, keys, size, value_size = s.integer(1, 4), s.integer(1, 5), s.pick([2, 4]), s.pick([2, 3])
    q = s.array("float32", [batch, heads * per_group, queries, size])
    k = s.array("float32", [batch, heads, keys, size])
    v = s.array("float32", [batch, heads, keys, value_size])
    attributes = s.attributes(is_causal=s.maybe(1, 0.3), scale=s.maybe(0.3, 0.3), softcap=s.maybe(2.0, 0.2))
    if s.chance(0.4):
        def merge(array):
            return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(batch, array.shape[2], -1)
        q, k, v = merge(q), merge(k), merge(v)
        attributes.update(q_num_heads=heads * per_group, kv_num_heads=heads)
    mask = s.maybe(s.array(s.pick(["float32", "bool"]), [queries, keys]), 0.4)
    if mask is not None and mask.dtype == bool:
        mask[:, 0] = True  # a row without a key has no result
    return Use([q, k, v, mask], attributes)


@op("RotaryEmbedding")
def rotary_embedding(s):
    batch, heads, length, half = s.integer(1, 2), s.integer(1, 3), s.integer(1, 4), s.integer(1, 3)
    positions = s.random.integers(0, 6, [batch, length])
    tables = [s.array("float32", [6, half]), s.array("float32", [6, half])]
    return Use([s.array("float32", [batch, heads, length, 2 * half]), *tables, positions], s.attributes(interleaved=s.maybe(s.integer(0, 1))))


@op("LinearAttention")
def linear_attention(s):
    batch, length, heads, per_group, k, v = s.integer(1, 2), s.integer(1, 4), s.integer(1, 2), s.integer(1, 2), s.integer(1, 3), s.integer(1, 3)
    rule, dtype = s.pick(["linear", "gated", "delta", "gated_delta"]), s.dtype(among=["float32", "float16"])

    def packed(*range_, width):
        return s.array(dtype, [batch, length, width], *range_)

    decay = packed(-1, 0, width=heads * s.pick([1, k])) if "gated" in rule else None
    beta = packed(0, 1, width=s.pick([1, heads])) if "delta" in rule else None
    past = s.maybe(s.array(dtype, [batch, heads, k, v]))
    return Use([packed(-0.5, 0.5, width=heads * per_group * k), packed(-0.5, 0.5, width=heads * k), packed(width=heads * v), past, decay, beta],
               {"q_num_heads": heads * per_group, "kv_num_heads": heads, "update_rule": rule, **s.attributes(scale=s.maybe(0.7))}, outputs=2)
