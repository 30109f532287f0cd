# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tf2onnx and torch write around windows, slices and dimensions of size 1."""

import numpy as np
from onnx import TensorProto

from . import sizes
from .builder import FLOAT, INT64
from .networks import activation, image, is_image
from .registry import motif
from .sizes import Size
from .transformers import is_positive

INT32, U8 = TensorProto.INT32, TensorProto.UINT8
LAST = np.iinfo(np.int64).max


def same_window(g, x):
    """A window that pads itself, of even or odd size, which may be larger than the image."""
    dims, c = x.rank - 2, x.shape[1]
    kernel, strides = ([g.integer(1, high) for _ in range(dims)] for high in (5, 3))
    shape = [x.shape[0], c, *((size + (s - 1)) // s for size, s in zip(x.shape[2:], strides))]
    attributes = {"auto_pad": g.choose(("SAME_UPPER", "SAME_UPPER", "SAME_LOWER")), "kernel_shape": kernel, "strides": strides}
    if g.chance(0.4) and all(s <= k for s, k in zip(strides, kernel)):  # else the padding of ONNX Runtime's pools is negative
        return g.add(g.choose(("MaxPool", "AveragePool")), [x], shape, **attributes)
    group = c if g.chance(0.4) else 1
    maps = group * g.choose((1, 1, 2)) if group > 1 else g.choose((1, 3, 8, 16))
    shape[1] = maps
    operands = [x, g.weight(maps, c // group, *kernel)] + ([g.weight(maps)] if g.chance(0.6) else [])
    return g.add("Conv", operands, shape, group=group, **attributes)


@motif(weight=3)
def channels_last(g):
    """tf2onnx: a network of [n, h, w, c], transposed around each window or around all."""
    x = image(g, g.choose((1, 2, 2, 2)), 2)
    rank = x.rank
    there, back = [0, rank - 1, *range(1, rank - 1)], [0, *range(2, rank), 1]
    is_each = g.chance(0.5)
    for _ in range(g.integer(1, 3)):
        if x.size > 6000 or not is_image(x):
            return
        if g.chance(0.3):  # beside what the window adds
            x = g.pad(x, [0, 0, *(g.integer(0, 2) for _ in range(rank - 2))] * 2, "constant", g.choose((None, 0)))
        x = same_window(g, x)
        if is_each:
            x = g.transpose(x, back)
            x = g.arithmetic("Add", x, g.vector(x.shape[-1])) if g.chance(0.5) else x
            x = g.transpose(activation(g, x) if g.chance(0.6) else x, there)
        elif g.chance(0.6):
            x = activation(g, x)
    g.results.append(g.transpose(x, back))


@motif()
def image_bytes(g):
    """Elements of 8 bits, normalized by the model."""
    shape = (g.dim(), g.integer(2, 9), g.integer(2, 9), 3)
    x = g.source(U8, shape, lambda s: g.rng.integers(0, 256, s).astype(np.uint8))
    x = g.cast(g.cast(x, INT32) if g.chance(0.3) else x, FLOAT)
    if g.chance(0.5):
        x = g.transpose(x, [0, 3, 1, 2])
    per_channel = g.vector(3 if x.shape[-1] == 3 and x.shape[1] is shape[1] else (3, 1, 1), 100, 130)
    x = g.binary("Sub", x, per_channel)
    x = g.binary("Div", x, g.number(58.4, x)) if g.chance(0.5) else g.binary("Mul", x, g.number(1 / 127.5, x))
    g.results.append(x)


def least_of(size):
    return min(int(size), sizes.second(size))


def part(g, size, may_step):
    """(start, end, step) of a size, as x[start:end:step] is written."""
    least, kind = least_of(size), g.integer(0, 4)
    if kind == 0 and may_step:  # from behind
        return g.choose((-1, -1, LAST, -2, least // 2)), g.choose((-LAST - 1, -LAST, -(1 << 31), 0, -least)), -g.integer(1, 3)
    if kind <= 2 and may_step:
        return g.integer(0, 2), g.choose((LAST, 1 << 31, -1, least)), g.integer(1, 4)
    if kind == 3:
        return g.integer(-least - 1, least), g.integer(-least - 1, least + 2), 1
    return g.integer(0, least), LAST, 1


@motif(weight=3)
def strided_slice(g):
    """x[a:b:c, d, ..., -1::-2]: one Slice over several axes, and Squeeze."""
    dtype = g.choose((FLOAT, FLOAT, INT64, U8)) if g.opset >= 9 else FLOAT
    x = g.picked(least=1, dtype=dtype, condition=lambda v: v.rank <= 5 and is_positive(*v.shape) and max(v.shape) > 2) if g.chance(0.6) \
        else g.source(dtype, tuple(g.dim(0.2) for _ in range(g.integer(0, 2))) + (g.integer(3, 11),))
    if not is_positive(*x.shape):
        return
    axes, parts, taken = [], [], []
    for axis in g.permutation(x.rank):
        if g.chance(0.3) and axes:
            continue
        axes.append(axis)
        if g.chance(0.2) and least_of(x.shape[axis]):
            at = g.integer(-least_of(x.shape[axis]), least_of(x.shape[axis]) - 1)
            parts.append((at, at + 1 if at != -1 else LAST, 1))
            taken.append(axis)
        else:
            parts.append(part(g, x.shape[axis], g.opset >= 10))
    starts, ends, steps = (list(column) for column in zip(*parts))
    y = g.slice(x, axes, starts, ends, steps if any(step != 1 for step in steps) or g.chance(0.3) else None)
    g.results.append(g.squeeze(y, taken) if taken else y)


@motif(since=10, weight=1.5)
def slice_by_values(g):
    """A Slice of whose operands some are known only when the model runs."""
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape))
    if not x.rank or not is_positive(*x.shape):
        return
    axis = g.integer(0, x.rank - 1)
    start, end, step = part(g, x.shape[axis], True)
    t = g.choose((INT64, INT32)) if min(start, end) > -(1 << 31) and max(start, end) < 1 << 31 else INT64

    def operand(value):
        array = np.array([value], np.int64 if t == INT64 else np.int32)
        return g.source(t, (1,), lambda shape: array) if g.chance(0.5) else g.constant(array)
    shape = list(x.shape)
    first, second = (len(range(*slice(start, end, step).indices(size))) for size in (int(x.shape[axis]), sizes.second(x.shape[axis])))
    shape[axis] = Size(first, second)
    g.results.append(g.add("Slice", [x, *map(operand, (start, end, axis, step))], shape))
    g.values.pop()


@motif(since=10)
def interleaved(g):
    """Even and odd elements, turned and woven together again; or one after the other."""
    x = g.picked(least=2, condition=lambda v: v.rank <= 4 and not isinstance(v.shape[-1], Size) and v.shape[-1] % 2 == 0 and v.shape[-1])
    if isinstance(x.shape[-1], Size) or x.shape[-1] % 2 or not x.shape[-1] or x.rank > 4:
        return
    axis = x.rank - 1
    even, odd = (g.slice(x, [axis], [start], [LAST], [2]) for start in (0, 1))
    pair = [g.unary("Neg", odd), even] if g.chance(0.7) else [even, odd]
    if g.chance(0.3) or not is_positive(*x.shape):
        g.results.append(g.concat(pair, axis))
        return
    woven = g.concat([g.unsqueeze(v, [x.rank]) for v in pair], x.rank)
    g.results.append(g.reshape(woven, x.shape))


@motif(since=10)
def focus(g):
    """Every second row and column, four times, as channels of a Conv; and Swin's merge of patches."""
    x = image(g, 2, 4)
    if any(isinstance(d, Size) or d % 2 for d in x.shape[2:]) or x.size > 3000:
        x = g.source(FLOAT, (g.dim(), g.integer(1, 4), 2 * g.integer(2, 5), 2 * g.integer(2, 5)))
    pieces = [g.slice(g.slice(x, [2], [row], [LAST], [2]), [3], [column], [LAST], [2]) if g.chance(0.7) else
              g.slice(x, [2, 3], [row, column], [LAST, LAST], [2, 2]) for column in (0, 1) for row in (0, 1)]
    y = g.concat(pieces, 1)
    g.results.append(activation(g, g.add("Conv", [y, g.weight(8, y.shape[1], 3, 3), g.weight(8)], (y.shape[0], 8, *y.shape[2:]), pads=[1] * 4)))


@motif(weight=3)
def dimensions_of_one(g):
    """Several at once, in any order; which axis they became shows in what is added."""
    x = g.picked(condition=lambda v: v.rank <= 3 and v.size < 2000)
    for _ in range(g.integer(1, 4)):
        ones = [i for i, d in enumerate(x.shape) if not isinstance(d, Size) and d == 1]
        if x.rank < 5 and (g.chance(0.6) or not ones):
            count = g.integer(1, min(2, 6 - x.rank))
            x = g.unsqueeze(x, g.permutation(x.rank + count)[:count])
        elif ones:
            x = g.squeeze(x, [ones[i] for i in g.permutation(len(ones))[:g.integer(1, len(ones))]])
        if g.chance(0.3) and x.rank:
            axis = g.integer(0, x.rank - 1)
            x = g.arithmetic("Add", x, g.vector(tuple(d if i == axis and not isinstance(d, Size) else 1 for i, d in enumerate(x.shape))[axis:]))
        elif g.chance(0.2) and x.rank:
            x = g.transpose(x, g.permutation(x.rank))
    g.results.append(x)


@motif(weight=1.5)
def reduced_and_unsqueezed(g):
    """What keepdims writes as two nodes; or other axes than those that went."""
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape) and v.rank <= 4)
    if not x.rank or x.rank > 4 or not is_positive(*x.shape):
        return
    axes = g.some_axes(x.rank)[:2]
    y = g.reduce(g.choose(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceMin")), x, axes, 0)
    y = g.unsqueeze(y, axes if g.chance(0.6) else sorted(g.permutation(x.rank)[:len(axes)]))
    g.results.append(y)


@motif(weight=2)
def sizes_in_int32(g):
    """tf2onnx: Shape is cast to int32, taken apart, and cast back for Reshape."""
    x = g.picked(least=2, condition=lambda v: is_positive(*v.shape))
    if x.rank < 2 or not is_positive(*x.shape):
        return
    whole = g.cast(g.shape_of(x), INT32)
    at = g.integer(1, x.rank - 1)
    first = g.squeeze(g.slice(whole, [0], [0], [1]), [0])
    parts = [g.unsqueeze(first, [0])]
    if at > 1:
        parts.append(g.slice(whole, [0], [1], [at]))
    if g.chance(0.5):
        parts.append(g.constant(np.array([-1], np.int32)))
    else:
        tail = g.slice(whole, [0], [at], [x.rank])
        product = g.cast(g.reduce("ReduceProd", g.cast(tail, FLOAT), [0], 0), INT32) if g.opset < 10 or g.chance(0.5) else \
            g.reduce("ReduceProd", tail, [0], 0)
        parts.append(g.unsqueeze(product, [0]))
    target = g.cast(g.concat(parts, 0), INT64)
    g.results.append(g.reshape_to(x, target, (*x.shape[:at], sizes.product(x.shape[at:]))))


@motif(weight=1.5)
def uneven_splits(g):
    """Sizes that differ, zeros among them; by their number; or equal ones that are not stated."""
    x = g.picked(least=1, condition=lambda v: any(not isinstance(d, Size) and d > 1 for d in v.shape))
    axes = [i for i, d in enumerate(x.shape) if not isinstance(d, Size) and d > 1]
    if not axes:
        return
    axis = g.choose(axes)
    size, signed = x.shape[axis], g.signed(axis, x.rank) if g.opset >= 11 else axis
    if g.opset >= 18 and g.chance(0.4):
        count = g.integer(2, size)
        each = -(-size // count)
        pieces = [each] * (size // each) + ([size % each] if size % each else [])
        if len(pieces) != count:
            return
        attributes = {"num_outputs": count}
    elif g.opset < 18 and g.chance(0.4):
        count = g.choose([n for n in range(1, size + 1) if size % n == 0])
        pieces, attributes = [size // count] * count, {}
    else:
        ends = sorted(g.integer(0, size) for _ in range(g.integer(1, 3)))
        g.results += g.split(x, axis, [end - start for start, end in zip([0, *ends], [*ends, size])])
        return
    results = [(x.dtype, (*x.shape[:axis], n, *x.shape[axis + 1:])) for n in pieces]
    g.results += g.several("Split", [x], results, axis=signed, **attributes)


@motif(since=10, weight=2)
def resizes(g):
    """Each way that an opset has to state sizes and places; smaller, too."""
    x = image(g, g.choose((1, 2, 2, 2)), 2)
    if x.size > 2000:
        return
    dims = x.rank - 2
    factors = [g.choose((0.5, 1.0, 1.5, 2.0, 2.5, 3.0)) for _ in range(dims)]
    scaled = [Size(int(np.floor(int(d) * f)), int(np.floor(sizes.second(d) * f))) if isinstance(d, Size) else int(np.floor(d * f))
              for d, f in zip(x.shape[2:], factors)]
    if not is_positive(*scaled):
        return
    scales = g.constant(np.array([1, 1, *factors], np.float32))
    shape = (*x.shape[:2], *scaled)
    if g.opset == 10:
        g.results.append(g.add("Resize", [x, scales], shape, mode=g.choose(("nearest", "linear"))))
        return
    mode = g.choose(("nearest", "linear", "linear", "cubic") if dims == 2 else ("nearest", "linear"))
    attributes = {"mode": mode, "coordinate_transformation_mode": g.choose(
        ("half_pixel", "asymmetric", "pytorch_half_pixel", *(("align_corners",) if mode != "nearest" else ())))}
    if mode == "nearest":
        attributes["nearest_mode"] = g.choose(("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"))
    elif mode == "cubic":
        attributes.update(cubic_coeff_a=g.choose((-0.5, -0.75)), exclude_outside=g.choose((0, 1)))
    if g.opset >= 18 and mode != "nearest" and g.chance(0.3) and attributes["coordinate_transformation_mode"] == "half_pixel":
        attributes["antialias"] = 1
    empty = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
    # The reference and ONNX Runtime think differently of align_corners where a
    # size would not be whole (docs/limits.md).
    is_whole = all(float(size * f).is_integer() for d, f in zip(x.shape[2:], factors)
                   for size in ((int(d), sizes.second(d)) if isinstance(d, Size) else (d,)))
    if g.chance(0.4) and (is_whole or attributes["coordinate_transformation_mode"] != "align_corners"):
        g.results.append(g.add("Resize", [x, empty, scales], shape, **attributes))
        return
    target = [g.integer(1, 2 * least_of(d)) for d in x.shape[2:]]
    if g.opset >= 18 and g.chance(0.5):
        attributes["axes"] = list(range(2, x.rank))
        whole = g.ints(*target)
    elif sizes.is_fixed(x.shape[:2]) and g.chance(0.5):
        whole = g.ints(*x.shape[:2], *target)
    else:
        whole = g.concat([g.slice(g.shape_of(x), [0], [0], [2]), g.ints(*target)], 0)
    none = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
    g.results.append(g.add("Resize", [x, empty, none, whole], (*x.shape[:2], *target), **attributes))
