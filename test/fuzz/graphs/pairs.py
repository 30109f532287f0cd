# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes in a row that an optimizer makes one of, nodes that compute the same, moved
elements of any type, and what decides the sign of zero."""

import numpy as np
from onnx import TensorProto, numpy_helper

from . import sizes
from .builder import BOOL, FLOAT, INT64
from .registry import motif
from .sizes import Size

TYPES = (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT16, TensorProto.UINT16, TensorProto.INT32, TensorProto.UINT32, INT64,
         TensorProto.UINT64, BOOL, TensorProto.DOUBLE, TensorProto.FLOAT16)


def tensor_of_sizes(g, rank, dtype=FLOAT):
    """Of sizes that mostly differ, so that each axis has its own."""
    shape = list(np.random.default_rng(g.integer(0, 1 << 30)).permutation([2, 3, 4, 5, 1, 7])[:rank])
    return g.source(dtype, tuple(g.dim(0.2) if g.chance(0.2) else int(d) for d in shape))


@motif(weight=3)
def transposes(g):
    """Two or three in a row, which do not commute."""
    rank = g.integer(3, 5)
    x = g.picked(least=3, condition=lambda v: v.rank <= 5 and len(set(map(int, v.shape))) > 2) if g.chance(0.5) else tensor_of_sizes(g, rank)
    for _ in range(g.integer(2, 3)):
        x = g.transpose(x, g.permutation(x.rank))
        if g.chance(0.15):
            x = g.unary("Identity", x)
    g.results.append(x)


@motif(weight=2)
def clips(g):
    x = g.picked(least=1)
    for _ in range(g.integer(2, 3)):
        low = g.choose((-2, -1, -0.5, 0, 0.25, 1))
        x = g.clip(x, low, low + g.choose((0, 0.5, 1.5, 6)))
    g.results.append(x)


@motif(weight=2)
def joined_arithmetic(g):
    """Constants that could be folded into one, on either side."""
    x = g.picked()
    for _ in range(g.integer(2, 4)):
        c = g.number(g.choose((0, 1, -1, 2, 0.5, 1.25, -3)), x)
        op = g.choose(("Add", "Sub", "Mul", "Mul", "Div"))
        if op == "Div" or g.chance(0.6):
            c = g.number(g.choose((1, -1, 2, 0.5, 1.25)), x)
            x = g.binary(op, x, c)
        else:
            x = g.binary(op, c, x)
    g.results.append(x)


@motif(since=10, weight=1.5)
def strided_slices(g):
    """In a row along one axis, of which enough is left that starts and steps show."""
    x = g.source(FLOAT, (g.choose((17, 23)), g.integer(1, 3)))
    if g.chance(0.3):
        x = g.transpose(x, [1, 0])
    axis = max(range(2), key=lambda i: x.shape[i])
    for _ in range(2):
        start, step = g.integer(0, 2), g.choose((1, 2, 2, 3))
        x = g.slice(x, [axis], [start], [g.choose((1 << 40, -1))], [step])
    g.results.append(x)


@motif(since=10, weight=2)
def slices(g):
    x = g.picked(least=1, condition=lambda v: v.rank <= 5 and max(v.shape, default=0) > 2)
    for _ in range(g.integer(2, 3)):
        axes = g.some_axes(x.rank)[:2]
        steps = [g.choose((1, 1, 2, -1, -2, 3)) for _ in axes]
        starts = [g.choose((0, 1, -2, -3, 2)) if s > 0 else g.choose((-1, -2, 2, 1 << 40)) for s in steps]
        ends = [g.choose((1 << 40, -1, 3, 5)) if s > 0 else g.choose((-(1 << 40), 0, -4)) for s in steps]
        x = g.slice(x, axes, starts, ends, steps if g.chance(0.5) or any(s != 1 for s in steps) else None)
    g.results.append(x)


@motif(weight=2)
def squeezes(g):
    """Dimensions of size 1 that come and go, with and without a Transpose between."""
    x = g.picked(least=1, condition=lambda v: v.rank <= 3)
    if x.rank > 3:
        return
    first = g.integer(0, x.rank)
    y = g.unsqueeze(x, [first])
    if g.chance(0.5):
        y = g.unsqueeze(y, sorted({g.integer(0, y.rank)}))
    if g.chance(0.5):
        y = g.transpose(y, g.permutation(y.rank))
    ones = [i for i, d in enumerate(y.shape) if not isinstance(d, Size) and d == 1]
    if ones and g.chance(0.7):
        y = g.squeeze(y, ones[:g.integer(1, len(ones))])
    g.results.append(y)


@motif(weight=1.5)
def pads(g):
    x = g.picked(least=1, condition=lambda v: v.rank <= 4)
    for _ in range(2):
        amounts = [g.integer(0, 2) for _ in range(2 * x.rank)]
        x = g.pad(x, amounts, "constant", g.choose((None, 0, -1.5, -0.0)))
    g.results.append(x)


@motif(weight=1.5)
def concats(g):
    """Of Concats, and split again at other places."""
    x = g.picked(least=1, condition=lambda v: v.rank <= 4)
    axis = g.integer(0, x.rank - 1)
    y = g.concat([x, g.unary("Neg", x)], axis)
    y = g.concat([y, x] if g.chance(0.5) else [x, y, x], axis if g.chance(0.8) or x.rank < 2 or not sizes.is_fixed(x.shape) else axis)
    total = y.shape[axis]
    if not isinstance(total, Size) and total and g.chance(0.7):
        first = g.integer(0, total)
        y = g.choose(g.split(y, axis, [first, total - first]))
    g.results.append(y)


@motif(weight=1.5)
def twice(g):
    """The same computation more than once, and some of it without uses."""
    x = g.picked(least=1)
    op, axis = g.choose(("Tanh", "Relu", "Transpose", "Softmax", "Neg")), g.permutation(x.rank)

    def compute():
        if op == "Transpose":
            return g.transpose(x, axis)
        if op == "Softmax":
            return g.softmax(x) if x.rank else g.unary("Neg", x)
        return g.unary(op, x)
    y, z = compute(), compute()
    g.results.append(g.binary(g.choose(("Add", "Sub", "Mul")), y, z))
    g.values.remove(compute())


@motif(since=9, weight=2)
def moved_elements(g):
    """What moves elements does so for every type."""
    dtype = g.choose(TYPES)
    x = tensor_of_sizes(g, g.integer(2, 4), dtype)
    for _ in range(g.integer(2, 4)):
        kind = g.integer(0, 7)
        if kind == 0:
            x = g.transpose(x, g.permutation(x.rank))
        elif kind == 1:
            x = g.concat([x, x], g.integer(0, x.rank - 1))
        elif kind == 2 and int(x.shape[0]) and sizes.second(x.shape[0]):
            x = g.gather(x, g.ints(*(g.choose((0, -1)) for _ in range(g.integer(1, 3)))))
        elif kind == 3 and g.opset >= 10:
            x = g.slice(x, [g.integer(0, x.rank - 1)], [g.choose((0, 1, -1))], [g.choose((-(1 << 40), 1 << 40))], [g.choose((1, -1, 2))])
        elif kind == 4 and g.opset >= 13:
            x = g.add("Tile", [x, g.ints(*([1] * (x.rank - 1) + [2]))], (*x.shape[:-1], x.shape[-1] * 2))
        elif kind == 5 and x.rank < 5:
            x = g.unsqueeze(x, [g.integer(0, x.rank)])
        elif kind == 6:
            x = g.add("Where", [g.source(BOOL, x.shape), x, g.constant(g.random_array((), x.numpy_type()))], x.shape, dtype)
        elif sizes.is_fixed(x.shape) and (x.size or not x.shape[0]):
            x = g.reshape(x, (int(x.size),))
            x = g.unsqueeze(x, [0])
    if g.chance(0.3):
        x = g.cast(x, FLOAT if dtype != TensorProto.DOUBLE else dtype)
    g.results.append(x)


@motif(weight=2)
def signs_of_zero(g):
    """Zeros of either sign through what has to keep them."""
    shape = g.random_shape(g.integer(1, 3))
    choices = np.array([0.0, -0.0, 1.5, -2, -0.0, 0.25], np.float32)
    x = g.source(FLOAT, shape, lambda shape: np.asarray(choices[g.rng.integers(len(choices), size=shape)]))
    for _ in range(g.integer(1, 4)):
        kind = g.integer(0, 7)
        number = g.choose((0.0, -0.0, 1, -1))
        if kind <= 2:
            c = g.number(number, x)
            op = g.choose(("Add", "Sub", "Mul"))
            x = g.binary(op, x, c) if g.chance(0.6) else g.binary(op, c, x)
        elif kind == 3:
            x = g.binary("Div", x, g.number(g.choose((1, -1, 2)), x))
        elif kind == 4:
            x = g.unary(g.choose(("Neg", "Abs", "Ceil", "Floor", "Identity")), x)
        elif kind == 5 and x.rank:
            x = g.pad(x, [g.integer(0, 1) for _ in range(2 * x.rank)], "constant", g.choose((0.0, -0.0)))
        elif kind == 6 and g.opset >= 9:
            zeros = g.add("ConstantOfShape", [g.shape_of(x)], x.shape, FLOAT,
                          value=numpy_helper.from_array(np.array([number], np.float32)))
            x = g.binary(g.choose(("Add", "Mul")), x, zeros)
        else:
            x = g.binary("Sub", g.number(0.0, x), x)
    g.results.append(x)
