from case import *

B, N, K, H = 2, 4, 2, 16


def caches(rows, size=H // 2, dtype=np.float32):
    angles = np.outer(np.arange(rows), 1 / 100**(np.arange(size) / size))
    return [np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)]


def group(now, before, buffer=None, packed=False, rotary=False, lengths=None, batch=B, **more):
    """`now` tokens behind `before`, of which a cache of `buffer` tokens is given (None: none)."""
    dtype = more.pop("dtype", np.float32)
    real = lambda *shape: f32(*shape).astype(dtype)
    total = now + before
    lengths = np.array([total] * batch if lengths is None else lengths)
    q = [real(batch, now, (N + 2 * K) * H), None, None] if packed else [real(batch, now, N * H), real(batch, now, K * H), real(batch, now, K * H)]
    past = [None, None] if buffer is None else [real(batch, K, buffer, H), real(batch, K, buffer, H)]
    inputs = [*q, *past, (lengths - 1).astype(np.int32), np.array(total, np.int32),
              *(caches(32, more.pop("size", H // 2), dtype) if rotary else [None, None]), more.pop("positions", None), more.pop("bias", None),
              more.pop("sink", None)]
    while inputs[-1] is None:
        inputs.pop()
    attributes = {"num_heads": N, "kv_num_heads": K, **more}
    if rotary:
        attributes["do_rotary"] = 1
    select = None
    if (lengths < total).any() and now == total:
        # Nothing says what tokens of padding become.
        shortest = lengths.min()
        select = lambda y: y[:, :shortest] if y.ndim == 3 else y[:, :, :shortest]
    return Case("GroupQueryAttention", inputs, attributes, outputs=(0, 1, 2, 3) if "qk_output" in more else (0, 1, 2), constants=(7, 8) if rotary else (), select=select,
                floats=(3, ), known={0: (2, )} if rotary else {}, tolerance=5e-3 if dtype == np.float16 else 2e-5)


def rotate(shape, ids, size=None, **attributes):
    size = size or shape[-1] // 2
    return Case("RotaryEmbedding", [f32(*shape), ids, *caches(20, size)], attributes, known={0: (len(shape) - 1, )}, constants=(2, 3))


emb, q, k, q_rot, k_rot = f32(2, 3, 8), f16(2, 2, 3, 8), f16(2, 2, 3, 8), f16(2, 2, 3, 8), f16(2, 2, 3, 8)
turn = lambda x, y: (x * np.cos(emb[:, None]) + y * np.sin(emb[:, None])).astype(np.float16)
CASES = [
    group(5, 0),
    group(5, 0, packed=True),
    group(5, 0, packed=True, rotary=True),
    group(5, 0, lengths=[5, 3]),
    group(5, 0, buffer=0),
    group(5, 0, buffer=9),
    group(5, 0, buffer=9, lengths=[5, 3], rotary=True),
    group(1, 5, buffer=5),
    group(1, 5, buffer=9, rotary=True),
    group(1, 5, buffer=5, packed=True, rotary=True),
    group(1, 5, buffer=9, lengths=[6, 4], rotary=True),
    group(1, 5, buffer=9, rotary=True, rotary_interleaved=1, scale=.3),
    group(3, 4, buffer=4, batch=1, rotary=True),
    group(3, 4, buffer=12, batch=1, rotary=True, packed=True),
    group(1, 5, buffer=9, positions=np.array([[5], [5]]), rotary=True),
    group(6, 0, local_window_size=3),
    group(1, 7, buffer=7, local_window_size=3),
    group(1, 7, buffer=7, softcap=2.),
    group(6, 0, softcap=1.5, local_window_size=2, rotary=True),
    group(6, 0, smooth_softmax=1),
    group(1, 7, buffer=12, smooth_softmax=1, local_window_size=4),
    group(6, 0, sink=f32(N)),
    group(1, 7, buffer=7, sink=f32(N), rotary=True),
    group(6, 0, bias=f32(B, N, 6, 6)),
    group(6, 0, bias=f32(1, 1, 6, 6), softcap=2.),
    group(1, 7, buffer=9, bias=f32(B, 1, 1, 8)),
    group(5, 0, packed=True, rotary=True, dtype=np.float16),
    group(1, 5, buffer=9, rotary=True, dtype=np.float16),
    group(5, 0, causal=0),
    group(6, 0, qk_output=1),
    group(1, 6, buffer=6, qk_output=2),
    group(1, 4, buffer=9, qk_output=2, softcap=2., local_window_size=3),
    group(6, 0, bias=f32(1, N, 6, 6), local_window_size=3, smooth_softmax=1),
    rotate((2, 3, 32), i64(0, 20, 2, 3), 8),
    rotate((2, 3, 32), np.array([4]), 8),
    rotate((2, 3, 32), i64(0, 20, 2, 3), 8, interleaved=1),
    rotate((2, 4, 3, 16), i64(0, 20, 2, 3)),
    rotate((2, 3, 32), i64(0, 20, 2, 3), 4, num_heads=2, rotary_embedding_dim=8),
    rotate((2, 3, 32), np.array([2]), 4, num_heads=2, rotary_embedding_dim=8, interleaved=1),
    Case("GemmaRotaryEmbedding", [emb, q, q_rot, k, k_rot], outputs=(0, 1), expected=[turn(q, q_rot), turn(k, k_rot)], tolerance=5e-3),
]
