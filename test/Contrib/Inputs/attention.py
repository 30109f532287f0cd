from case import *

B, S, P, N, H = 2, 4, 3, 2, 8
D, T = N * H, S + P
past = lambda length=P: [f32(B, N, length, H), f32(B, N, length, H)]
ragged = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)


def attention(mask=None, before=None, bias=None, sizes=None, offset=True, **attributes):
    width = sum(sizes) if sizes else 3 * D
    inputs = [f32(B, S, 12), f32(12, width), f32(width) if offset else None, mask, before, bias]
    while inputs[-1] is None:
        inputs.pop()
    if sizes:
        attributes["qkv_hidden_sizes"] = sizes
    return Case("Attention", inputs, {"num_heads": N, **attributes}, outputs=(0, 1) if before is not None else (0, ),
                known={1: (1, ), 4: (1, )}, constants=(1, ))


def quantized(mask=None, before=None, per_column=False, **attributes):
    inputs = [u8(B, S, 12), i8(12, 3 * D), f32(3 * D), scale(.02), f32(3 * D)**2 / 99 if per_column else scale(.01), mask, np.uint8(120),
              i8(3 * D) // 8 if per_column else np.int8(2), before]
    return Case("QAttention", inputs, {"num_heads": N, **attributes}, outputs=(0, 1) if before is not None else (0, ), constants=(1, ),
                tolerance=1e-4)


def heads(q, k, v, bias=None, mask=None, added=None, before=(None, None), outputs=(0, ), **attributes):
    inputs = [q, k, v, bias, mask, added, *before]
    while inputs[-1] is None:
        inputs.pop()
    return Case("MultiHeadAttention", inputs, {"num_heads": N, **attributes}, outputs=outputs, floats=(3, ))


def three(length=S, value=D):
    return f32(B, S, D), f32(B, length, D), f32(B, length, value)


def reference(q, k, v, mask=0):
    """Of [batch, heads, sequence, size]."""
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1]) + mask
    e = np.exp(scores - scores.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) @ v
    return y.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1).astype(np.float32)


def masked(inputs, outputs, **attributes):
    return Case("DecoderMaskedMultiHeadAttention", inputs, {"num_heads": N, **attributes}, outputs=outputs)


CASES = [
    attention(),
    attention(mask=np.array([3, 2], np.int32)),
    attention(mask=np.array([4, 3, 1, 0], np.int32)),
    attention(mask=ragged),
    attention(mask=np.stack([np.tril(np.ones((S, S), np.int32)), np.ones((S, S), np.int32)])),
    attention(unidirectional=1),
    attention(mask=ragged, unidirectional=1),
    attention(mask=1 - ragged, unidirectional=1, mask_filter_value=-500.),
    attention(before=f32(2, B, N, P, H), unidirectional=1),
    attention(before=f32(2, B, N, P, H), mask=i32(0, 2, B, T) | 1),
    attention(before=f32(2, B, N, P, H), mask=np.array([6, 7], np.int32)),
    attention(before=f32(2, B, N, 0, H), unidirectional=1),
    attention(bias=f32(B, N, S, S), scale=.3),
    attention(bias=f32(1, N, S, S), mask=ragged),
    attention(bias=f32(1, 1, S, S)),
    attention(sizes=[D, D, 2 * D]),
    quantized(),
    quantized(mask=ragged, per_column=True),
    quantized(mask=np.array([3, 2], np.int32)),
    quantized(before=f32(2, B, N, P, H), unidirectional=1),
    heads(*three()),
    heads(*three(6, 2 * D)),
    heads(*three(), bias=f32(3 * D)),
    heads(*three(6, 2 * D), bias=f32(4 * D)),
    heads(*three(), unidirectional=1),
    heads(*three(), mask=ragged),
    heads(*three(), mask=np.array([3, 2], np.int32)),
    heads(*three(), mask=np.array([3, 2], np.int32), unidirectional=1, mask_filter_value=-77.),
    heads(*three(), mask=np.stack([ragged] * S, 1)),
    heads(*three(6), added=f32(B, N, S, 6), scale=.4),
    heads(*three(6), added=f32(1, N, S, 6)),
    heads(*three(6), added=f32(B, 1, S, 6)),
    heads(*three(6), added=f32(1, 1, S, 6), mask=np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]], np.int32)),
    heads(*three(), before=past(), outputs=(0, 1, 2)),
    heads(*three(), before=past(), bias=f32(3 * D), outputs=(0, 1, 2), unidirectional=1),
    heads(*three(), before=past(), mask=i32(0, 2, B, T) | np.eye(1, T, 0, dtype=np.int32), outputs=(0, 1, 2)),
    heads(*three(), before=past(), added=f32(B, N, S, T), outputs=(0, 1, 2)),
    heads(*three(), before=past(0), outputs=(0, 1, 2)),
    heads(*three(), outputs=(0, 1, 2)),
    heads(f32(B, S, D), f32(B, N, 5, H), f32(B, N, 5, H)),
    heads(*three(), outputs=(0, 1, 2, 3)),
    heads(*three(), outputs=(0, 1, 2, 3), mask=ragged),
    # One query at a time, for which ONNX Runtime has a kernel of its own.
    masked([f32(B, 1, D), f32(B, N, 5, H), f32(B, N, 5, H)], (0, )),
    masked([f32(B, 1, D), f32(B, 1, D), f32(B, 1, D), None, None, *past(6), np.array([3], np.int32)], (0, 1, 2),
           past_present_share_buffer=1),
    masked([f32(B, 1, D), f32(B, 1, D), f32(B, 1, D), i32(0, 2, B, 4) | 1, f32(1, N, 1, 4), *past(6), np.array([3], np.int32), None, None,
            f32(3 * D)], (0, 1, 2), past_present_share_buffer=1, scale=.3),
]
# What ONNX Runtime's CPU kernel leaves to others.
packed = f32(B, S, N, 3, H)
parts = [x[:, :, :, 0].transpose(0, 2, 1, 3) for x in np.split(packed, 3, 3)]
query, both = f32(B, S, D), f32(B, 6, N, 2, H)
before, step = past(), [f32(B, 1, D) for _ in range(3)]
single = [y.reshape(B, 1, N, H).transpose(0, 2, 1, 3) for y in step]
present = [np.concatenate(pair, 2) for pair in zip(before, single[1:])]
x, w = f32(B, S, 12), f32(12, 3 * D)
projected = [y.reshape(B, S, N, H).transpose(0, 2, 1, 3) for y in np.split(x @ w, 3, -1)]
CASES += [
    Case("Attention", [x, w], {"num_heads": N}, expected=[reference(*projected)], tolerance=1e-4),
    Case("DecoderMaskedMultiHeadAttention", [*step, None, None, *before], {"num_heads": N}, outputs=(0, 1, 2),
         expected=[reference(single[0], *present), *present]),
    Case("MultiHeadAttention", [packed], {"num_heads": N}, expected=[reference(*parts)]),
    Case("MultiHeadAttention", [query, both], {"num_heads": N},
         expected=[reference(query.reshape(B, S, N, H).transpose(0, 2, 1, 3), *(both[:, :, :, i].transpose(0, 2, 1, 3) for i in (0, 1)))]),
]
