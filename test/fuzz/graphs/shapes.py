# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What exporters write to compute shapes, and what moves elements."""

import numpy as np
from onnx import TensorProto, numpy_helper

from . import sizes
from .builder import BOOL, FLOAT, INT64
from .registry import motif
from .sizes import Size

INT32 = TensorProto.INT32


@motif(weight=2)
def view(g):
    """x.view(x.size(0), -1) and the like."""
    x = g.picked(least=2, condition=lambda v: v.size and sizes.second(sizes.product(v.shape)))
    at = g.integer(1, x.rank - 1)
    head, tail = x.shape[:at], sizes.product(x.shape[at:])
    parts = [g.size_of(x, i) if isinstance(size, Size) or g.chance(0.4) else int(size) for i, size in enumerate(head)]
    if isinstance(tail, Size) or g.chance(0.6):
        parts.append(-1)
    else:
        parts.append(tail)
    g.reshape_to(x, g.joined(parts), (*head, tail))


@motif(weight=2)
def heads(g):
    """Split into heads, transposed, and often back."""
    x = g.picked(rank=3, condition=lambda v: not isinstance(v.shape[2], Size) and v.shape[2] % 2 == 0 and v.shape[2])
    if x is None or x.rank != 3 or isinstance(x.shape[2], Size) or x.shape[2] % 2:
        return
    count = g.choose([n for n in (1, 2, 4, 8) if x.shape[2] % n == 0])
    y = g.reshape(x, (x.shape[0], x.shape[1], count, x.shape[2] // count))
    y = g.transpose(y, g.choose(([0, 2, 1, 3], [0, 2, 3, 1], [2, 0, 1, 3])))
    if g.chance(0.5):
        y = g.unary(g.choose(("Relu", "Neg", "Sigmoid")), y)
    if g.chance(0.6) and y.shape[3] is not x.shape[1]:
        y = g.transpose(y, [0, 2, 1, 3])
        g.reshape(y, (*y.shape[:2], y.shape[2] * y.shape[3]))


@motif(since=9)
def expand_by_where(g):
    """torch's expand(-1, n): Where(shape == -1, ones, shape)."""
    x = g.picked(least=1, condition=lambda v: 1 in v.shape[:1])
    like = g.dim()
    whole = g.joined([g.size_of(g.source(FLOAT, (like,)), 0) if isinstance(like, Size) else int(like), *[-1] * (x.rank - 1)])
    ones = g.add("ConstantOfShape", [g.shape_of(whole) if g.chance(0.5) else g.ints(x.rank)], (x.rank,), INT64,
                 value=numpy_helper.from_array(np.array([1], np.int64)))
    is_open = g.add("Equal", [whole, g.ints(-1) if g.opset < 11 else g.binary("Mul", ones, g.ints(-1))], (x.rank,), BOOL)
    target = g.add("Where", [is_open, ones, whole], (x.rank,), INT64)
    g.add("Expand", [x, target], sizes.broadcast(x.shape, (like, *[1] * (x.rank - 1))))


@motif(since=8)
def expand_as(g):
    x, y = g.picked(), g.picked()
    target = g.joined([g.size_of(y, i) for i in range(y.rank)]) if y.rank and g.chance(0.4) else g.shape_of(y)
    if x.shape[-1:] != y.shape[-1:] or not x.rank:
        x = g.constant(g.random_array((1,) * g.integer(0, 2), np.float32))
    else:
        x = g.reduce("ReduceMax", x, list(range(x.rank - 1)), 0) if x.rank > 1 and x.size and sizes.second(sizes.product(x.shape)) else x
    if any(a != 1 and a is not b and a != b for a, b in zip(reversed(x.shape), reversed(y.shape))):
        return
    g.add("Expand", [x, target], sizes.broadcast(x.shape, y.shape))


@motif(since=9)
def zeros_like(g):
    x = g.picked(least=1)
    value = g.choose((None, np.array([0], np.float32), np.array([1], np.float32), np.array([np.nan], np.float32)))
    part = g.shape_of(x) if g.chance(0.5) else g.joined([g.size_of(x, i) for i in range(x.rank)])
    zeros = g.add("ConstantOfShape", [part], x.shape, FLOAT, value=None if value is None else numpy_helper.from_array(value))
    g.arithmetic(g.choose(("Add", "Mul")), x, zeros)


@motif(since=11, weight=2)
def positions(g):
    """Embedding of arange(size), or a mask from it."""
    x = g.picked(least=1)
    axis = g.integer(0, x.rank - 1)
    size = x.shape[axis]
    end = g.size_of(x, axis, as_vector=False)
    kind = g.integer(0, 3)
    if kind == 0:
        end, number, t = g.cast(end, FLOAT), lambda n: g.constant(np.array(n, np.float32)), FLOAT
    elif kind == 1:
        end, number, t = g.cast(end, INT32), lambda n: g.constant(np.array(n, np.int32)), INT32
    else:
        number, t = lambda n: g.constant(np.array(n, np.int64)), INT64
    step = g.choose((1, 1, 2))
    count = (size + (step - 1)) // step
    y = g.add("Range", [number(0), end, number(step)], (count,), t)
    if kind >= 2 and g.chance(0.6):
        table = g.weight(128, g.integer(1, 9))
        y = g.gather(table, g.add("Mod", [y, g.ints(128)], y.shape))
        return
    y = y if t == FLOAT else g.cast(y, FLOAT)
    if step == 1:
        g.arithmetic("Add", x, g.reshape(y, (size, *[1] * (x.rank - 1 - axis))))
    else:
        g.unsqueeze(y, [g.integer(0, 1)])


@motif(since=9)
def arange_by_nonzero(g):
    """torch's arange below opset 11."""
    x = g.picked(least=1)
    axis = g.integer(0, x.rank - 1)
    ones = g.add("ConstantOfShape", [g.size_of(x, axis)], (x.shape[axis],), INT64, value=numpy_helper.from_array(np.array([1], np.int64)))
    found = g.add("NonZero", [ones], (1, x.shape[axis]), INT64)
    y = g.squeeze(g.transpose(found, [1, 0]), [1])
    y = g.cast(y, FLOAT)
    g.arithmetic("Add", x, g.reshape(y, (x.shape[axis], *[1] * (x.rank - 1 - axis))))


@motif(since=10, weight=2)
def slice_by_size(g):
    """x[:, : n // 2], with the arithmetic on sizes of exporters."""
    x = g.picked(least=1, condition=lambda v: min(v.shape, default=0) > 0)
    axis = g.integer(0, x.rank - 1)
    size = x.shape[axis]
    n = g.size_of(x, axis)
    kind = g.integer(0, 4)
    if kind == 0:
        half, end = size // 2, g.add("Div", [n, g.ints(2)], (1,))
    elif kind == 1:
        f = g.cast(n, FLOAT)
        end = g.cast(g.unary("Floor", g.binary("Div", f, g.constant(np.array([2], np.float32)))), INT64)
        half = size // 2
    elif kind == 2:
        end, half = g.binary("Sub", n, g.ints(1)), size - 1
    elif kind == 3:
        end, half = g.ints(np.iinfo(np.int64).max), size
    else:
        end, half = g.binary("Add", g.binary("Mul", n, g.ints(2)), g.ints(-1)), size
    kept = list(x.shape)
    kept[axis] = sizes.largest(half, 0) if isinstance(half, Size) else max(half, 0)
    first = g.add("Slice", [x, g.ints(0), end, g.ints(axis)], kept)
    if kind < 2 and g.chance(0.6):
        rest = list(x.shape)
        rest[axis] = size - half
        second = g.add("Slice", [x, end, g.ints(np.iinfo(np.int64).max), g.ints(axis), g.ints(1)], rest)
        g.concat([g.unary("Neg", second), first], axis)  # rotate_half, roll


@motif(since=10)
def flip(g):
    x = g.picked(least=1)
    axes = g.some_axes(x.rank)[:2]
    g.slice(x, axes, [-1] * len(axes), [-(1 << 62)] * len(axes), [-1] * len(axes))


@motif(since=11)
def pad_by_shape(g):
    """torch's F.pad: pads as [last dims first], turned around at run time."""
    x = g.picked(least=1, condition=lambda v: v.rank <= 4 and min(v.shape, default=0) > 1)
    if x is None or x.rank > 4 or min(x.shape, default=0) < 2:
        return
    count = g.integer(1, x.rank)
    pairs = [(g.integer(0, 2), g.integer(0, 2)) for _ in range(count)]  # of the last dims, last first
    given = g.ints(*[p for pair in pairs for p in pair])
    missing = 2 * x.rank - 2 * count
    zeros = g.add("ConstantOfShape", [g.ints(missing)], (missing,), INT64, value=numpy_helper.from_array(np.array([0], np.int64)))
    both = g.concat([given, zeros], 0)
    table = g.reshape(both, (x.rank, 2))
    turned = g.slice(table, [0], [-1], [-(1 << 62)], [-1])
    pads = g.reshape(g.transpose(turned, [1, 0]), (2 * x.rank,), [-1])
    if g.chance(0.4):
        pads = g.cast(pads, INT64)
    shape = list(x.shape)
    for i, (low, high) in enumerate(pairs):
        shape[x.rank - 1 - i] = shape[x.rank - 1 - i] + (low + high)
    mode = g.choose(("constant", "constant", "reflect", "edge"))
    if mode == "reflect" and any(max(pair) >= min(x.shape[x.rank - 1 - i], sizes.second(x.shape[x.rank - 1 - i])) for i, pair in enumerate(pairs)):
        mode = "edge"
    g.add("Pad", [x, pads] + ([g.constant(np.array(1.5, np.float32))] if mode == "constant" and g.chance(0.5) else []), shape, mode=mode)


@motif(since=7)
def tile(g):
    x = g.picked(least=1, condition=lambda v: v.rank <= 4)
    times = [g.choose((1, 1, 2, 3)) for _ in x.shape]
    if sizes.product(x.shape) * int(np.prod(times)) > 6000:
        return
    g.add("Tile", [x, g.ints(*times)], [d * t for d, t in zip(x.shape, times)])


@motif(since=8)
def repeat_heads(g):
    """Grouped queries: [b, h, s, d] -> [b, h * n, s, d] by Unsqueeze, Expand and Reshape."""
    x = g.picked(rank=4, condition=lambda v: v.size and not isinstance(v.shape[1], Size))
    if x is None or x.rank != 4 or isinstance(x.shape[1], Size) or not x.size:
        return
    n = g.choose((2, 3))
    wide = g.unsqueeze(x, [2])
    shape = (x.shape[0], x.shape[1], n, *x.shape[2:])
    parts = [g.size_of(x, 0), g.size_of(x, 1), n, g.size_of(x, 2), g.size_of(x, 3)]
    wide = g.add("Expand", [wide, g.joined(parts)], shape)
    g.reshape(wide, (x.shape[0], x.shape[1] * n, *x.shape[2:]))


@motif(since=9)
def size_arithmetic(g):
    """A value that is scaled by what is computed of sizes."""
    x, y = g.picked(least=1), g.picked(least=1)
    n = g.size_of(x, g.integer(0, x.rank - 1), as_vector=False)
    m = g.size_of(y, g.integer(0, y.rank - 1), as_vector=False)
    both = g.binary(g.choose(("Add", "Mul", "Sub")), n, m)
    kind = g.integer(0, 2)
    if kind == 0:
        both = g.cast(g.binary("Equal", n, m, BOOL), FLOAT)
    elif kind == 1:
        both = g.cast(g.binary("Less", n, m, BOOL), FLOAT)
    else:
        both = g.cast(both, FLOAT)
        both = g.unary("Sqrt", g.unary("Abs", both))
    g.arithmetic("Mul", x, both)


@motif()
def pixel_shuffle(g):
    x = g.picked(rank=4, condition=lambda v: not isinstance(v.shape[1], Size) and v.shape[1] % 4 == 0 and v.size)
    if x is None or x.rank != 4 or isinstance(x.shape[1], Size) or x.shape[1] % 4 or not x.size:
        x = g.source(FLOAT, (g.dim(), 4 * g.integer(1, 4), g.integer(1, 7), g.integer(1, 7)))
    n, c, h, w = x.shape
    if g.opset >= 11 and g.chance(0.4):
        g.add("DepthToSpace", [x], (n, c // 4, h * 2, w * 2), blocksize=2, mode=g.choose(("DCR", "CRD")))
    elif g.chance(0.3):
        if not isinstance(h, Size) and not isinstance(w, Size) and h % 2 == 0 and w % 2 == 0:
            g.add("SpaceToDepth", [x], (n, c * 4, h // 2, w // 2), blocksize=2)
    elif not isinstance(h, Size) and not isinstance(w, Size):
        y = g.reshape(x, (n, c // 4, 2, 2, h, w))
        y = g.transpose(y, [0, 1, 4, 2, 5, 3])
        g.reshape(y, (n, c // 4, h * 2, w * 2))


@motif()
def flatten(g):
    x = g.picked(least=1)
    axis = g.integer(0, x.rank)
    g.add("Flatten", [x], (sizes.product(x.shape[:axis]), sizes.product(x.shape[axis:])), axis=axis)


@motif()
def split_and_concat(g):
    x = g.picked(least=1, condition=lambda v: any(not isinstance(d, Size) and d > 1 for d in v.shape))
    axes = [i for i, d in enumerate(x.shape) if not isinstance(d, Size) and d > 1]
    if not axes:
        return
    axis = g.choose(axes)
    size = x.shape[axis]
    first = g.integer(0, size)
    pieces = g.split(x, axis, g.choose(([first, size - first], [1] * size if size < 6 else [size])))
    pieces = [g.unary(g.choose(("Relu", "Tanh", "Neg")), p) if g.chance(0.5) else p for p in pieces]
    g.concat(pieces[::-1] if g.chance(0.5) else pieces + pieces[:1], axis)


@motif()
def stack(g):
    """Unsqueeze of each, and Concat."""
    x = g.picked(condition=lambda v: v.rank < 5)
    y = g.in_shape(x.shape)
    axis = g.integer(0, x.rank)
    g.concat([g.unsqueeze(v, [axis]) for v in (x, y, x)[:g.integer(2, 3)]], axis)


@motif()
def squeeze_all(g):
    """Squeeze without axes, of a value whose sizes are known."""
    x = g.picked(least=1, condition=lambda v: 1 in v.shape and sizes.is_fixed(v.shape))
    if x and sizes.is_fixed(x.shape):
        g.add("Squeeze", [x], [d for d in x.shape if d != 1])


@motif()
def permutes(g):
    x = g.picked(least=2)
    y = g.transpose(x, g.permutation(x.rank))
    if g.chance(0.5):
        y = g.unary(g.choose(("Relu", "Abs", "Sigmoid")), y)
    if g.chance(0.5):
        g.transpose(y, g.permutation(x.rank))
