# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, normalization and activations in the spellings of several exporters."""

import numpy as np
from onnx import TensorProto, numpy_helper

from . import sizes
from .builder import BOOL, FLOAT, INT64
from .networks import activation
from .registry import motif
from .sizes import Size


def is_positive(*shape):
    return all(int(d) > 0 and sizes.second(d) > 0 for d in shape)


def tokens(g, width=None):
    """[batch, tokens, width]"""
    found = g.pick(lambda v: v.dtype == FLOAT and v.rank == 3 and not isinstance(v.shape[2], Size) and v.shape[2] >= 2 and is_positive(*v.shape)
                   and v.size < 8000 and (width is None or v.shape[2] == width))
    if found and not g.chance(0.15):
        return found
    shape = (g.dim(), g.dim(), width or g.choose((2, 4, 6, 8, 8, 12, 16, 16, 24, 32, 40, 64)))
    if not is_positive(*shape) or shape[0] > 8:
        shape = (g.integer(1, 3), g.choose((1, 3, 7, 16, 33)), shape[2])
    return g.source(FLOAT, shape)


@motif(weight=2)
def layer_norm(g):
    x = tokens(g) if g.chance(0.7) else g.picked(least=1, condition=lambda v: is_positive(*v.shape) and v.rank and not isinstance(v.shape[-1], Size))
    if not x or not x.rank or isinstance(x.shape[-1], Size) or not is_positive(*x.shape):
        return
    width, axis = x.shape[-1], x.rank - 1
    if g.opset >= 17 and g.chance(0.4):
        operands = [x, g.vector(width)] + ([g.weight(width)] if g.chance(0.7) else [])
        g.add("LayerNormalization", operands, x.shape, axis=-1, epsilon=g.choose((None, 1e-6)))
        return
    centered = g.binary("Sub", x, g.reduce("ReduceMean", x, [axis], 1))
    square = g.binary("Pow", g.cast(centered, FLOAT) if g.chance(0.15) else centered, g.number(2, x)) if g.chance(0.7) else g.binary("Mul", centered, centered)
    variance = g.binary("Add", g.reduce("ReduceMean", square, [axis], 1), g.number(g.choose((1e-5, 1e-12)), x))
    if g.chance(0.75):
        y = g.binary("Div", centered, g.unary("Sqrt", variance))
    else:
        y = g.arithmetic("Mul", centered, g.unary("Reciprocal", g.unary("Sqrt", variance)))
    y = g.arithmetic("Mul", y, g.vector(width))
    if g.chance(0.8):
        g.arithmetic("Add", y, g.weight(width))


@motif(weight=1.5)
def rms_norm(g):
    x = tokens(g)
    width, axis = x.shape[-1], x.rank - 1
    if g.opset >= 23 and g.chance(0.4):
        g.add("RMSNormalization", [x, g.vector(width)], x.shape, epsilon=1e-6)
        return
    power = g.binary("Pow", x, g.number(2, x))
    root = g.unary("Sqrt", g.binary("Add", g.reduce("ReduceMean", power, [axis], 1), g.number(1e-6, x)))
    y = g.binary("Div", x, root) if g.chance(0.4) else g.arithmetic(
        "Mul", x, g.unary("Reciprocal", root) if g.chance(0.5) else g.binary("Div", g.number(1, x), root))
    g.arithmetic("Mul", g.vector(width), y)


@motif(since=9, weight=2)
def gelu(g):
    x = g.picked()
    kind = g.integer(0, 4)
    if kind == 0:
        e = g.unary("Erf", g.binary("Div", x, g.number(2 ** 0.5, x)))
        g.arithmetic("Mul", g.arithmetic("Mul", x, g.arithmetic("Add", e, g.number(1, x))), g.number(0.5, x))
    elif kind == 1:
        half = g.binary("Mul", x, g.number(0.5, x))
        e = g.unary("Erf", g.binary("Mul", x, g.number(2 ** -0.5, x)))
        g.arithmetic("Mul", half, g.arithmetic("Add", e, g.number(1, x)))
    elif kind == 2:
        cube = g.binary("Mul", g.binary("Pow", x, g.number(3, x)), g.number(0.044715, x)) if g.chance(0.5) else \
            g.binary("Mul", g.binary("Mul", x, g.binary("Mul", x, x)), g.number(0.044715, x))
        t = g.unary("Tanh", g.binary("Mul", g.arithmetic("Add", x, cube), g.number((2 / np.pi) ** 0.5, x)))
        g.arithmetic("Mul", g.binary("Mul", x, g.number(0.5, x)), g.arithmetic("Add", t, g.number(1, x)))
    elif kind == 3:  # quick
        g.arithmetic("Mul", x, g.unary("Sigmoid", g.binary("Mul", x, g.number(1.702, x))))
    elif g.opset >= 20:
        g.unary("Gelu", x, approximate=g.choose((None, "tanh")))


@motif()
def activations(g):
    activation(g, g.picked(least=1))


def masked(g, scores, queries, keys):
    """Causal, padding or no mask."""
    kind = g.integer(0, 5)
    if kind == 0 and g.opset >= 14:  # torch's scaled_dot_product_attention
        q, k = g.size_of(scores, scores.rank - 2), g.size_of(scores, scores.rank - 1)
        ones = g.add("ConstantOfShape", [g.joined([q, k])], (queries, keys), FLOAT, value=numpy_helper.from_array(np.ones(1, np.float32)))
        lower = g.add("Trilu", [ones], ones.shape, upper=0)
        if g.chance(0.5):
            least = g.constant(np.array(-np.inf if g.chance(0.6) else np.finfo(np.float32).min, np.float32))
            zero = g.constant(np.array(0, np.float32))
            bias = g.add("Where", [g.cast(lower, BOOL), zero, least], lower.shape, FLOAT)
        else:
            bias = g.binary("Mul", g.binary("Sub", g.constant(np.array(1, np.float32)), lower), g.constant(np.array(-10000, np.float32)))
        return g.arithmetic("Add", scores, bias)
    if kind == 1 and g.opset >= 11:  # positions that are compared
        zero, one = g.constant(np.array(0, np.int64)), g.constant(np.array(1, np.int64))
        rows = g.add("Range", [zero, g.size_of(scores, scores.rank - 2, False), one], (queries,), INT64)
        columns = g.add("Range", [zero, g.size_of(scores, scores.rank - 1, False), one], (keys,), INT64)
        keep = g.add(g.choose(("Less", "Greater")), [g.unsqueeze(columns, [0]), g.unsqueeze(rows, [1])], (queries, keys), BOOL)
        return g.add("Where", [keep, g.constant(np.array(np.finfo(np.float32).min, np.float32)), scores], scores.shape, FLOAT)
    if kind == 2 and g.opset >= 9:  # BERT: (1 - mask) * -10000
        mask = g.source(INT64, (scores.shape[0], keys), lambda shape: g.rng.integers(0, 2, shape).astype(np.int64))
        wide = g.unsqueeze(mask, list(range(1, scores.rank - 1)))
        bias = g.binary("Mul", g.binary("Sub", g.constant(np.array(1, np.float32)), g.cast(wide, FLOAT)), g.constant(np.array(-10000, np.float32)))
        return g.arithmetic("Add", scores, bias)
    return scores


@motif(weight=3)
def attention(g):
    """Self or cross attention: projections, heads, scores, mask, Softmax, and back."""
    x = tokens(g)
    memory = tokens(g, x.shape[2]) if g.chance(0.2) else x
    if memory is not x and memory.shape[0] is not x.shape[0] and (memory.shape[0] != x.shape[0] or not sizes.is_fixed((x.shape[0], memory.shape[0]))):
        memory = x
    batch, queries, width = x.shape
    keys = memory.shape[1]
    count = g.choose([n for n in (1, 2, 4, 8) if width % n == 0])
    depth = width // count
    fused = memory is x and g.chance(0.3)
    if fused:
        q, k, v = g.split(g.linear(x, 3 * width), 2, [width] * 3)
    else:
        q, k, v = g.linear(x, width), g.linear(memory, width, g.chance(0.7)), g.linear(memory, width)

    def headed(value, perm):
        return g.transpose(g.reshape(value, (*value.shape[:2], count, depth)), perm)
    scale, place = depth ** -0.5, g.integer(0, 3)
    q, v = headed(q, [0, 2, 1, 3]), headed(v, [0, 2, 1, 3])
    if g.chance(0.3):
        q, k = rotary(g, q), rotary(g, headed(k, [0, 2, 1, 3]))
        k = g.transpose(k, [0, 1, 3, 2])
    else:
        k = headed(k, [0, 2, 3, 1])
    if place == 0:
        q = g.binary("Div", q, g.number(1 / scale, q))
    elif place == 1:  # both by the root of the scale, which comes from a size
        root = g.unary("Sqrt", g.cast(g.size_of(q, 3, False), FLOAT))
        root = g.unary("Sqrt", g.binary("Div", g.constant(np.array(1, np.float32)), root))
        q, k = g.arithmetic("Mul", q, root), g.arithmetic("Mul", k, root)
    if g.chance(0.15) and g.opset >= 12:
        scores = g.add("Einsum", [q, k], (batch, count, queries, keys), equation="bhqd,bhdk->bhqk")
    else:
        scores = g.matmul(q, k)
    if place >= 2:
        scores = g.binary("Mul", scores, g.number(scale, q)) if place == 2 else g.binary("Div", scores, g.number(1 / scale, q))
    weights = g.softmax(masked(g, scores, queries, keys))
    if g.chance(0.1) and g.opset >= 9:  # rows that are masked as a whole
        bad = g.add("IsNaN", [weights], weights.shape, BOOL)
        weights = g.add("Where", [bad, g.constant(np.array(0, np.float32)), weights], weights.shape, FLOAT)
    y = g.matmul(weights, v)
    y = g.transpose(y, [0, 2, 1, 3])
    y = g.reshape(y, (batch, queries, width))
    if g.chance(0.7):
        y = g.linear(y, width)
    if g.chance(0.6):
        g.arithmetic("Add", x, y)


def rotary(g, x):
    """x * cos + rotate_half(x) * sin, of tables for all positions."""
    depth = x.shape[3]
    if depth % 2:
        return x
    size = max(int(x.shape[2]), sizes.second(x.shape[2]))
    angles = np.outer(np.arange(size), 1 / 100 ** (np.arange(depth // 2) * 2 / depth))
    angles = np.concatenate([angles, angles], 1).astype(np.float32)
    parts = []
    for table in (np.cos(angles), np.sin(angles)):
        t = g.constant(table)
        if isinstance(x.shape[2], Size):
            if g.opset < 10:
                return x
            t = g.add("Slice", [t, g.ints(0), g.size_of(x, 2), g.ints(0)], (x.shape[2], depth))
        parts.append(t)
    low, high = g.split(x, 3, [depth // 2, depth // 2])
    turned = g.concat([g.unary("Neg", high), low], 3)
    return g.arithmetic("Add", g.arithmetic("Mul", x, parts[0]), g.arithmetic("Mul", turned, parts[1]))


@motif(since=11)
def cached_attention(g):
    """Keys and values of before are inputs, and with the new ones outputs."""
    batch, count, depth = g.integer(1, 2), g.choose((1, 2, 4)), g.choose((4, 8, 16))
    past, new = g.dim(0.7), g.choose((1, 1, g.dim(0.7)))
    if not is_positive(new):
        new = 1
    q, k, v = (g.source(FLOAT, (batch, count, new, depth)) for _ in range(3))
    before = [g.source(FLOAT, (batch, count, past, depth)) for _ in range(2)]
    k, v = (g.concat([b, n], 2) for b, n in zip(before, (k, v)))
    scores = g.binary("Mul", g.matmul(q, g.transpose(k, [0, 1, 3, 2])), g.number(depth ** -0.5, q))
    y = g.matmul(g.softmax(scores), v)
    g.reshape(g.transpose(y, [0, 2, 1, 3]), (batch, new, count * depth))
    g.results += [k, v]


@motif(since=23)
def attention_operator(g):
    x = tokens(g)
    batch, queries, width = x.shape
    count = g.choose([n for n in (1, 2, 4) if width % n == 0])
    q, k, v = g.linear(x, width), g.linear(x, width), g.linear(x, width)
    g.add("Attention", [q, k, v], x.shape, q_num_heads=count, kv_num_heads=count, is_causal=g.integer(0, 1))


@motif(weight=2)
def feed_forward(g):
    x = tokens(g)
    width = x.shape[2]
    wide = g.choose((width, 2 * width, 3, 17, 64))
    if g.chance(0.3):  # gated
        gate, up = g.linear(x, wide, False), g.linear(x, wide, False)
        y = g.arithmetic("Mul", g.arithmetic("Mul", gate, g.unary("Sigmoid", gate)), up)
    elif g.chance(0.3):  # as Gemm of all tokens
        rows = x.shape[0] * x.shape[1]
        flat = g.reshape(x, (rows, width))
        y = g.add("Gemm", [flat, g.weight(wide, width), g.weight(wide)], (rows, wide), transB=1)
        y = g.unary("Relu", y)
        y = g.linear(y, width)
        y = g.reshape_to(y, g.shape_of(x), x.shape)
        g.arithmetic("Add", x, y)
        return
    else:
        y = activation(g, g.linear(x, wide))
    y = g.linear(y, width)
    if g.chance(0.7):
        g.arithmetic("Add", x, y)


@motif()
def embedding(g):
    rows, width = g.integer(1, 40), g.choose((1, 4, 8, 16, 17))
    shape = (g.dim(), g.dim()) if g.chance(0.8) else (g.dim(),)
    low = -rows if g.opset >= 11 and g.chance(0.3) else 0
    ids = g.source(g.choose((INT64, INT64, TensorProto.INT32)), shape,
                   lambda s: g.rng.integers(low, rows, s))
    y = g.gather(g.weight(rows, width), ids)
    if g.chance(0.4):
        kinds = g.gather(g.weight(2, width), g.constant(np.zeros((1,) * len(shape), np.int64)))
        g.arithmetic("Add", y, kinds)


@motif(since=8)
def softmax_in_pieces(g):
    x = tokens(g)
    y = g.binary("Sub", x, g.reduce("ReduceMax", x, [2], 1)) if g.chance(0.8) else g.unary("Tanh", x)
    e = g.unary("Exp", y)
    total = g.reduce("ReduceSum", e, [2], 1)
    if g.chance(0.3):
        g.binary("Sub", y, g.unary("Log", total))
    else:
        g.binary("Div", e, total)


@motif(since=11)
def experts(g):
    """Weights of the k best, for each token."""
    x = tokens(g)
    n = g.integer(1, 6)
    gates = g.softmax(g.linear(x, n))
    k = g.integer(1, n)
    best, at = g.several("TopK", [gates, g.ints(k)], [(FLOAT, (*x.shape[:2], k)), (INT64, (*x.shape[:2], k))], axis=-1)
    best = g.binary("Div", best, g.reduce("ReduceSum", best, [2], 1))
    chosen = g.gather(g.weight(n, x.shape[2]), at)
    g.reduce("ReduceSum", g.arithmetic("Mul", chosen, g.unsqueeze(best, [3])), [2], 0)


@motif(since=12)
def einsums(g):
    x = tokens(g)
    b, s, d = x.shape
    n = g.integer(1, 9)
    kind = g.integer(0, 3)
    if kind == 0:
        g.add("Einsum", [x, g.weight(d, n)], (b, s, n), equation="bsd,dn->bsn")
    elif kind == 1:
        g.add("Einsum", [x, x], (b, s, s), equation="bid,bjd->bij")
    elif kind == 2:
        g.add("Einsum", [x, g.weight(d)], (b, s), equation="...d,d->...")
    else:
        g.add("Einsum", [x, x], (b, d), equation="bsd,bsd->bd")
