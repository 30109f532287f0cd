from case import *


def attention(queries, keys, rule, shared=None, wide=False, past=False, size=4, width=6, steps=3, **attributes):
    """Linear attention with `queries` and `keys` heads; decays by channel where `wide`."""
    given = [f32(2, steps, queries * size), f32(2, steps, (shared or keys) * size) / 2, f32(2, steps, keys * width),
             f32(2, keys, size, width) if past else None,
             -np.abs(f32(2, steps, keys * (size if wide else 1))) if "gated" in rule else None,
             rng.random((2, steps, 1 if wide else keys)).astype(np.float32) if "delta" in rule else None]
    return Case("LinearAttention", given, {"q_num_heads": queries, "kv_num_heads": keys, "update_rule": rule, **attributes}, outputs=(0, 1),
                tolerance=1e-4, known={0: (2, ), 1: (2, ), 2: (2, )})


def convolution(past=False, bias=True, last=False, steps=5, **attributes):
    before = 3 * attributes.get("dilation", 1)
    turn = (lambda x: np.ascontiguousarray(x.transpose(0, 2, 1))) if last else (lambda x: x)
    inputs = [turn(f32(2, 3, steps)), f32(3, 1, 4), f32(3) if bias else None, turn(f32(2, 3, before)) if past else None]
    return Case("CausalConvWithState", inputs, {**attributes, "channels_last": int(last)}, outputs=(0, 1), constants=(1, ))


CASES = [
    attention(2, 2, "linear"),
    attention(2, 2, "gated", past=True),
    attention(4, 2, "delta", past=True),
    attention(2, 2, "gated_delta", wide=True),
    attention(4, 2, "gated_delta", past=True, wide=True, scale=0.5),
    attention(2, 4, "gated_delta", past=True, chunk_size=32),
    attention(2, 4, "gated", shared=2),
    attention(2, 2, "gated_delta", past=True, steps=1),
    convolution(),
    convolution(past=True, activation="silu"),
    convolution(past=True, activation="swish", dilation=2, last=True),
    convolution(bias=False, last=True, activation="none"),
    convolution(past=True, steps=1),
    Case("LinearAttentionGate", [f32(2, 3, 4), f32(4), f32(4), f32(2, 3, 4)], outputs=(0, 1)),
    Case("LinearAttentionGate", [f32(2, 3, 4), f32(4), f32(4)]),
]
