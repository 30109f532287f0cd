# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the optimizer's passes look for, as functions that write it to a Builder:
with variations that the passes must not be misled by."""

import numpy as np
from onnx import TensorProto

UNARY = ("Relu", "Neg", "Abs", "Tanh", "Sigmoid", "Ceil", "Floor", "Identity", "Exp", "Sqrt", "Reciprocal", "LeakyRelu", "Softplus")
REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceProd", "ReduceSumSquare",
              "ReduceLogSumExp")
INTEGERS = (TensorProto.INT64, TensorProto.INT32)


def unary(b):
    b.unary(b.choose(UNARY), b.pick_float())


def repeated_unary(b):
    op = b.choose(("Relu", "Ceil", "Floor", "Abs", "Neg", "Reciprocal", "Identity", "Sign", "Round"))
    x = b.pick_float()
    if op == "Round" and b.opset < 11:
        return
    for _ in range(b.integer(2, 3)):
        x = b.unary(op, x)


def unit(b):
    """x + 0 and so on, where the other operand may have more dimensions."""
    op, number = b.choose((("Add", 0.0), ("Add", -0.0), ("Mul", 1), ("Sub", 0.0), ("Sub", -0.0), ("Div", 1), ("Pow", 1), ("Add", 1), ("Mul", 0)))
    x = b.pick_float()
    shape = b.choose(((), (1,), x.shape, x.shape[-1:], (1,) * (x.rank + 1)))
    u = b.scalar(number, x, shape)
    if op == "Pow" and x.dtype == TensorProto.FLOAT16 and b.opset < 12:
        return
    b.binary(op, u, x) if b.chance(0.35) else b.binary(op, x, u)


def arithmetic(b):
    x = b.pick_float()
    y = b.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape) or x
    if b.chance(0.4):
        y = b.constant(b.random_array(b.choose((x.shape, x.shape[-1:], ())), x.numpy_type()))
    b.binary(b.choose(("Add", "Mul", "Sub", "Div")), *((x, y) if b.chance(0.5) else (y, x)))


def integers(b):
    x = b.pick(lambda v: v.dtype in INTEGERS) or (None if b.outer else b.input(b.choose(INTEGERS), b.random_shape()))
    if x is None:
        return
    op, number = b.choose((("Add", 0), ("Mul", 1), ("Sub", 0), ("Div", 1), ("Mul", 3), ("Div", 2), ("Add", 7)))
    b.binary(op, x, b.scalar(number, x, b.choose(((), (1,), x.shape[-1:]))))


def logic(b):
    x = b.pick_float()
    zero = b.scalar(0, x)
    c = b.binary("Greater", x, zero, TensorProto.BOOL)
    for _ in range(b.integer(0, 2)):
        c = b.unary("Not", c)
    if b.chance(0.4):
        u = b.constant(np.full(b.choose(((), c.shape[-1:])), b.chance(0.5)))
        c = b.binary(b.choose(("And", "Or")), c, u)
    y = b.unary("Neg", x)
    if x.dtype != TensorProto.FLOAT16:
        b.add("Where", [c, x, y], x.shape, x.dtype)


def transposes(b):
    x = b.pick_float(least=1)
    for _ in range(b.integer(1, 3)):
        kind = b.integer(0, 3)
        perm = None if kind == 0 else list(range(x.rank)) if kind == 1 else b.permutation(x.rank)
        x = b.transpose(x, perm)
        if b.chance(0.3):
            x = b.unary(b.choose(("Relu", "Neg", "Tanh")), x)
        if b.chance(0.2):
            x = b.binary("Add", x, b.constant(b.random_array(x.shape[-1:], x.numpy_type())))


def there_and_back(b):
    x = b.pick_float(least=2)
    perm = b.permutation(x.rank)
    y = b.transpose(x, perm)
    for _ in range(b.integer(0, 2)):
        y = b.unary(b.choose(("Relu", "Sigmoid", "Abs")), y)
    if b.chance(0.3):
        axis = b.integer(0, y.rank - 1)
        y = b.add("Softmax", [y], y.shape, axis=axis)
    if b.chance(0.3):
        y = b.concat([y, y], b.integer(0, y.rank - 1))
    b.transpose(y, [perm.index(i) for i in range(x.rank)])


def reshapes(b):
    x = b.pick_float()
    for _ in range(b.integer(1, 3)):
        kind = b.integer(0, 5)
        shape = _factored(b, x.size) if kind < 3 else list(x.shape)
        if kind == 0 and x.size:
            written = list(shape)
            written[b.integer(0, len(written) - 1)] = -1
            x = b.reshape(x, shape, written)
        elif kind < 3:
            x = b.reshape(x, shape) if x.size else b.unary("Identity", x)
        elif kind == 3 and x.size and x.rank:
            x = b.reshape(x, shape, [0 if b.chance(0.5) else d for d in shape])
        elif kind == 4:
            axis = b.integer(0, x.rank)
            x = b.add("Flatten", [x], [int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis:]))], axis=axis)
        else:
            x = b.add("Reshape", [x, b.add("Shape", [x], [x.rank], TensorProto.INT64)], shape)


def _factored(b, size):
    shape = []
    while size > 1 and len(shape) < 4:
        factor = b.choose([f for f in range(1, size + 1) if size % f == 0])
        shape.append(factor)
        size //= factor
    return shape + [size]


def units_in_and_out(b):
    x = b.pick_float()
    for _ in range(b.integer(1, 4)):
        ones = [i for i, d in enumerate(x.shape) if d == 1]
        if ones and b.chance(0.5):
            x = b.squeeze(x, [ones[i] for i in b.some_axes(len(ones))])
        elif x.rank < 5:
            x = b.unsqueeze(x, sorted(b.permutation(x.rank + 2)[:2]) if b.chance(0.3) else [b.integer(0, x.rank)])


def expands(b):
    x = b.pick_float()
    kind = b.integer(0, 3)
    if kind == 0:
        b.add("Expand", [x, b.add("Shape", [x], [x.rank], TensorProto.INT64)], x.shape)
        return
    shape = list(x.shape) if kind == 1 else [1] * b.integer(0, x.rank)
    if kind == 3:
        shape = [2, *(d if d != 1 else 3 for d in x.shape)]
    b.add("Expand", [x, b.ints(*shape)], np.broadcast_shapes(x.shape, tuple(shape)))


def shapes(b):
    """A Reshape whose shape is computed from sizes."""
    x = b.pick_float(least=2)
    if not x.size:
        return
    at = b.integer(0, x.rank - 1)
    whole = b.add("Shape", [x], [x.rank], TensorProto.INT64)
    if b.chance(0.5):
        index = b.constant(np.array([at if b.chance(0.7) else at - x.rank], np.int64)) if b.opset >= 11 else b.ints(at)
        piece = b.add("Gather", [whole, index], [1], axis=0 if b.chance(0.5) else None)
    elif b.chance(0.5):
        index = b.constant(np.array(at, np.int64))
        piece = b.unsqueeze(b.add("Gather", [whole, index], []), [0])
    else:
        piece = b.slice(whole, [0], [at], [at + 1])
    rest = x.size // x.shape[at]
    tail = b.ints(b.choose((-1, rest)))
    target = b.concat([piece, tail], 0)
    if b.chance(0.2):
        target = b.add("Cast", [b.add("Cast", [target], target.shape, TensorProto.INT32, to=TensorProto.INT32)],
                       target.shape, TensorProto.INT64, to=TensorProto.INT64)
    b.add("Reshape", [x, target], [x.shape[at], rest])
    if b.opset >= 15 and b.chance(0.5):
        start = b.integer(-x.rank - 1, x.rank)
        part = x.shape[start:] if start >= -x.rank else x.shape
        b.add("Shape", [x], [len(part)], TensorProto.INT64, start=start)


def concats(b):
    x = b.pick_float(least=1)
    axis = b.integer(0, x.rank - 1)
    parts = [x]
    for _ in range(b.integer(0, 2)):
        parts.append(b.constant(b.random_array(x.shape, x.numpy_type())) if b.chance(0.5) else b.unary("Neg", x))
    if b.chance(0.2):
        empty = list(x.shape)
        empty[axis] = 0
        parts.append(b.constant(np.zeros(empty, x.numpy_type())))
    inner = b.concat(parts, axis)
    if b.chance(0.7):
        other = axis if b.chance(0.7) else b.integer(0, x.rank - 1)
        outer = [inner] + ([x] if other == axis else [inner])
        b.concat(outer if b.chance(0.5) else outer[::-1], other)


def splits(b):
    x = b.pick_float(least=1, condition=lambda v: min(v.shape, default=0) > 0)
    axis = b.integer(0, x.rank - 1)
    size = x.shape[axis]
    first = b.integer(0, size)
    pieces = b.split(x, axis, b.choose(([size], [first, size - first])))
    if b.chance(0.5):
        b.concat(pieces if b.chance(0.6) else pieces[::-1], axis)


def slices(b):
    x = b.pick_float(least=1)
    for _ in range(b.integer(1, 3)):
        axes = b.some_axes(x.rank)[:2]
        starts = [b.integer(-2, 2) for _ in axes]
        ends = [b.choose((1, 2, 3, -1, 1 << 40)) for _ in axes]
        steps = [b.choose((1, 1, 2, -1)) for _ in axes] if b.opset >= 10 and b.chance(0.5) else None
        x = b.slice(x, axes, starts, ends, steps)


def gathers(b):
    x = b.pick_float(least=1, condition=lambda v: min(v.shape, default=0) > 0)
    axis = b.integer(0, x.rank - 1)
    most = x.shape[axis] - 1
    least = -most - 1 if b.opset >= 11 else 0
    shape = b.choose(((), (1,), (2,), (2, 1)))
    index = b.constant(b.rng.integers(least, most + 1, shape).astype(b.choose((np.int64, np.int32))))
    b.add("Gather", [x, index], [*x.shape[:axis], *shape, *x.shape[axis + 1:]], axis=axis)


def _photo(b):
    x = b.pick(lambda v: v.rank == 4 and v.dtype == TensorProto.FLOAT and v.shape[0] and v.shape[1] and min(v.shape[2:]) >= 3)
    if x is None or b.chance(0.2):
        shape = (b.integer(1, 2), b.choose((2, 4)), b.integer(4, 6), b.integer(4, 6))
        x = b.constant(b.random_array(shape, np.float32)) if b.outer else b.input(TensorProto.FLOAT, shape)
    return x


def _spatial_pads(b):
    kind = b.integer(0, 5)
    if kind == 0:
        return [0] * 8
    if kind == 1:
        return [0, 1, 0, 0, 0, 0, 0, 0]
    if kind == 2:
        return [0, 0, -1, 0, 0, 0, 0, 1]
    return [0, 0, *(b.integer(0, 2) for _ in range(2)), 0, 0, *(b.integer(0, 2) for _ in range(2))]


def _padded(b, x):
    mode = b.choose(("constant", "constant", "constant", "edge"))
    value = b.choose((None, None, 0, -0.0, 1.5)) if mode == "constant" else None
    return b.pad(x, _spatial_pads(b), mode, value)


def _window(b, x, kernel):
    """Attributes of a window, and the sizes that it makes."""
    attributes, sizes = {}, []
    pads = [b.integer(0, 1) for _ in range(4)] if b.chance(0.4) else None
    strides = [b.integer(1, 2) for _ in range(2)] if b.chance(0.4) else None
    for i in range(2):
        total = x.shape[2 + i] + (pads[i] + pads[2 + i] if pads else 0)
        sizes.append((total - kernel[i]) // (strides[i] if strides else 1) + 1)
    if pads is not None:
        attributes["pads"] = pads
    elif b.chance(0.2):
        attributes["auto_pad"] = b.choose(("NOTSET", "VALID"))
    if strides:
        attributes["strides"] = strides
    return attributes, sizes


def pools(b):
    x = _photo(b)
    if b.chance(0.5):
        x = b.unary("Relu", x)
    x = _padded(b, x) if b.chance(0.8) else x
    if min(x.shape[2:]) < 3:
        return
    op = b.choose(("MaxPool", "AveragePool"))
    kernel = [b.integer(1, 3), b.integer(1, 3)]
    attributes, sizes = _window(b, x, kernel)
    if any(p >= k for p, k in zip(attributes.get("pads", []), kernel * 2)):
        return
    if op == "AveragePool" and b.chance(0.5):
        attributes["count_include_pad"] = b.integer(0, 1)
    if b.opset >= 10 and b.chance(0.15) and "strides" in attributes and "pads" not in attributes and "auto_pad" not in attributes:
        attributes["ceil_mode"] = 1
        sizes = [-(-(d - k) // s) + 1 for d, k, s in zip(x.shape[2:], kernel, attributes["strides"])]
    b.add(op, [x], [*x.shape[:2], *sizes], kernel_shape=kernel, **attributes)


def convolutions(b):
    x = _photo(b)
    x = _padded(b, x) if b.chance(0.5) else x
    channels = x.shape[1]
    kernel = [b.integer(1, min(3, d)) for d in x.shape[2:]]
    group = b.choose([g for g in (1, 1, 2, channels) if channels % g == 0])
    maps = group * b.integer(1, 2)
    attributes, sizes = _window(b, x, kernel)
    if min(sizes) < 1:
        return
    weight = b.constant(b.random_array((maps, channels // group, *kernel), np.float32, specials=False))
    operands = [x, weight]
    if b.chance(0.4):
        operands.append(b.constant(b.random_array((maps,), np.float32, specials=False)))
    y = b.add("Conv", operands, [x.shape[0], maps, *sizes], group=group if group > 1 or b.chance(0.5) else None,
              kernel_shape=kernel if b.chance(0.5) else None, **attributes)
    for _ in range(b.integer(0, 3)):
        y = _epilogue(b, y)


def _epilogue(b, y):
    """What networks do with the result of a convolution."""
    maps, kind = y.shape[1], b.integer(0, 4)
    if kind == 0:
        return normalization(b, y)
    if kind == 1:
        return b.unary(b.choose(("Relu", "Sigmoid")), y)
    shape = b.choose(((maps, 1, 1), (1, maps, 1, 1), (), (1,), (y.shape[3],), y.shape))
    other = b.constant(b.random_array(shape, np.float32, specials=False))
    op = "Mul" if kind == 2 else "Div" if kind == 3 and b.chance(0.3) else b.choose(("Add", "Sub"))
    if op == "Div":
        other = b.constant(np.full(shape, 2.5, np.float32))
    return b.binary(op, other, y) if op in ("Add", "Mul") and b.chance(0.3) else b.binary(op, y, other)


def normalization(b, x=None):
    """BatchNormalization, of a value of its own where none is given."""
    x = x or _photo(b)
    channels = x.shape[1]
    scale, bias, mean = (b.constant(b.random_array((channels,), np.float32, specials=False)) for _ in range(3))
    variance = b.constant((b.rng.random(channels) + 0.1).astype(np.float32))
    return b.add("BatchNormalization", [x, scale, bias, mean, variance], x.shape, epsilon=1e-3 if b.chance(0.5) else None)


def transposed_convolution(b):
    x = _photo(b)
    maps = b.integer(1, 3)
    weight = b.constant(b.random_array((x.shape[1], maps, 2, 2), np.float32, specials=False))
    y = b.add("ConvTranspose", [x, weight], [x.shape[0], maps, x.shape[2] + 1, x.shape[3] + 1])
    _epilogue(b, y)


def _matrix(b):
    x = b.pick(lambda v: v.rank == 2 and v.dtype == TensorProto.FLOAT and v.size)
    if x is None or b.chance(0.2):
        shape = (b.integer(1, 4), b.integer(1, 5))
        x = b.constant(b.random_array(shape, np.float32)) if b.outer else b.input(TensorProto.FLOAT, shape)
    return x


def products(b):
    x = _matrix(b)
    if b.chance(0.3):
        x = b.unsqueeze(x, [0])
    columns = b.integer(1, 4)
    y = b.add("MatMul", [x, _weights(b, x.shape[-1], columns)], [*x.shape[:-1], columns])
    if b.chance(0.8):
        shape = b.choose(((columns,), (1, columns), y.shape, (), (x.shape[-2], 1), (3, 1, columns)))
        bias = b.constant(b.random_array(shape, np.float32, specials=False))
        y = b.binary("Add", bias, y) if b.chance(0.3) else b.binary("Add", y, bias)
    if b.chance(0.3):
        b.binary("Mul", y, b.constant(b.random_array(b.choose(((columns,), ())), np.float32, specials=False)))


def _weights(b, rows, columns):
    if b.chance(0.2):
        return b.transpose(b.constant(b.random_array((columns, rows), np.float32, specials=False)), [1, 0])
    return b.constant(b.random_array((rows, columns), np.float32, specials=False))


def gemms(b):
    x = _matrix(b)
    a = b.transpose(x, b.choose(([1, 0], None, [0, 1]))) if b.chance(0.6) else x
    trans_a = b.integer(0, 1)
    rows, depth = a.shape[::-1] if trans_a else a.shape
    columns, trans_b = b.integer(1, 4), b.integer(0, 1)
    w = _weights(b, *((columns, depth) if trans_b else (depth, columns)))
    operands = [a, w]
    if b.opset < 11 or b.chance(0.6):
        operands.append(b.constant(b.random_array(b.choose(((columns,), (1, columns), (rows, columns))), np.float32, specials=False)))
    b.add("Gemm", operands, [rows, columns], transA=trans_a or None, transB=trans_b or None,
          alpha=b.choose((None, 1.0, 0.5)), beta=b.choose((None, 1.0, 2.0)))


def projections(b):
    """Several products of one value, as in attention."""
    x = _matrix(b)
    x = b.unary("Relu", x) if b.chance(0.6) else x
    same = b.integer(1, 4)
    for _ in range(3):
        columns = same if b.chance(0.8) else b.integer(1, 4)
        y = b.add("MatMul", [x, b.constant(b.random_array((x.shape[1], columns), np.float32, specials=False))], [x.shape[0], columns])
        if b.chance(0.5):
            b.binary("Add", y, b.constant(b.random_array((columns,), np.float32, specials=False)))


def sliced_weights(b):
    rows, depth, columns = b.integer(2, 4), b.integer(1, 3), b.integer(1, 3)
    d = b.constant(b.random_array((2, rows, depth), np.float32, specials=False))
    r = b.constant(b.random_array(b.choose(((depth, columns), (2, depth, columns), (1, depth, columns))), np.float32, specials=False))
    part = b.slice(d, [b.integer(0, 1)], [0], [1])
    shape = np.matmul(np.zeros(part.shape), np.zeros(r.shape)).shape
    b.add("MatMul", [part, r], shape)


def einsums(b):
    if b.opset < 12:
        return
    x = b.pick_float(rank=2, condition=lambda v: v.dtype == TensorProto.FLOAT)
    equation, other, result = b.choose((
        ("ij,jk->ik", (x.shape[1], 3), (x.shape[0], 3)), ("ij,kj->ik", (3, x.shape[1]), (x.shape[0], 3)),
        ("ij,ij->ij", x.shape, x.shape), ("ij,ij->", x.shape, ()), ("ij,jk->ki", (x.shape[1], 3), (3, x.shape[0])),
        ("ij,j->i", (x.shape[1],), (x.shape[0],)), ("ij,k->ijk", (2,), (*x.shape, 2))))
    if x.dtype == TensorProto.FLOAT:
        b.add("Einsum", [x, b.constant(b.random_array(other, np.float32, specials=False))], result, equation=equation)


def reductions(b):
    x = b.pick_float(least=1)
    if x.dtype == TensorProto.FLOAT16 or not x.size:
        return
    axes, keep = b.some_axes(x.rank), b.integer(0, 1)
    y = b.reduce(b.choose(REDUCTIONS), x, axes, keep)
    if not keep:
        b.unsqueeze(y, axes if b.chance(0.7) else [0])


def softmaxes(b):
    x = b.pick_float(least=1, condition=lambda v: v.size > 0)
    axis = b.integer(0, x.rank - 1)
    y = b.add(b.choose(("Softmax", "Softmax", "LogSoftmax")), [x], x.shape, axis=axis if b.chance(0.8) else None)
    kind = b.integer(0, 2)
    if kind == 0:
        b.unary("Log", y)
    elif kind == 1 and x.dtype != TensorProto.FLOAT16:
        shape = list(x.shape)
        shape[axis] = 1
        b.add("ArgMax", [y], shape, TensorProto.INT64, axis=axis)


def casts(b):
    x = b.pick_float()
    for _ in range(b.integer(1, 3)):
        to = b.choose((TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, x.dtype))
        if b.opset >= 15 and b.chance(0.3):
            like = b.constant(np.zeros((), {1: np.float32, 10: np.float16, 11: np.float64}[to]))
            x = b.add("CastLike", [x, like], x.shape, to)
        else:
            x = b.add("Cast", [x], x.shape, to, to=to)


def dropouts(b):
    x = b.pick_float()
    with_mask = b.chance(0.3) and b.opset >= 10
    y, mask = b.name(), b.name()
    outputs = [y, mask] if with_mask else [y]
    value = type(x)(y, x.dtype, x.shape)
    if b.opset < 12:
        b.append("Dropout", [x], outputs, ratio=b.choose((None, 0.0, 0.5)))
    else:
        ratio = b.constant(np.array(b.choose((0.0, 0.5)), np.float32)) if b.chance(0.6) else ""
        training = [b.constant(np.array(False))] if b.chance(0.4) else []
        b.append("Dropout", [x, ratio, *training] if ratio or training else [x], outputs)
    b.values.append(value)
    if with_mask:
        b.values.append(type(x)(mask, TensorProto.BOOL, x.shape))


def activations(b):
    """The forms in which exporters write activation functions."""
    x = b.pick_float(condition=lambda v: v.dtype == TensorProto.FLOAT)
    kind = b.integer(0, 5)
    if kind == 0:  # Gelu
        e = b.unary("Erf", b.binary("Div", x, b.scalar(2 ** 0.5, x)))
        b.binary("Mul", b.binary("Mul", x, b.binary("Add", e, b.scalar(1, x))), b.scalar(0.5, x))
    elif kind == 1:  # Gelu by tanh
        cube = b.binary("Mul", b.binary("Pow", x, b.scalar(3, x)), b.scalar(0.044715, x))
        t = b.unary("Tanh", b.binary("Mul", b.binary("Add", x, cube), b.scalar((2 / np.pi) ** 0.5, x)))
        b.binary("Mul", b.binary("Mul", x, b.scalar(0.5, x)), b.binary("Add", t, b.scalar(1, x)))
    elif kind == 2:
        s = b.unary("Sigmoid", x)
        b.binary("Mul", x, s) if b.chance(0.5) else b.binary("Mul", s, x)
    elif kind == 3:
        b.binary("Mul", x, b.unary("Tanh", b.unary("Softplus", x)))
    elif kind == 4:
        b.binary("Div", b.binary("Mul", x, b.clip(b.binary("Add", x, b.scalar(3, x)), 0, 6)), b.scalar(6, x))
    else:
        low, high = b.choose(((0, 6), (-1, 1), (2, 1), (-3, 0)))
        b.clip(b.unary("Relu", x) if b.chance(0.5) else b.clip(x, -2, 2), low, high)


def normalizations(b):
    """Layer and RMS normalization in pieces."""
    x = b.pick_float(least=2, condition=lambda v: v.dtype == TensorProto.FLOAT and v.shape[-1] > 1 and v.size > 0)
    if x.dtype != TensorProto.FLOAT or not x.size:
        return
    width, axes = x.shape[-1], [x.rank - 1]
    if b.chance(0.6):
        x = b.binary("Sub", x, b.reduce("ReduceMean", x, axes, 1))
    square = b.binary("Pow", x, b.scalar(2, x)) if b.chance(0.7) else b.binary("Mul", x, x)
    deviation = b.unary("Sqrt", b.binary("Add", b.reduce("ReduceMean", square, axes, 1), b.scalar(1e-5, x)))
    y = b.binary("Div", x, deviation) if b.chance(0.6) else b.binary("Mul", x, b.unary("Reciprocal", deviation))
    y = b.binary("Mul", y, b.constant(b.random_array((width,), np.float32, specials=False)))
    if b.chance(0.6):
        b.binary("Add", y, b.constant(b.random_array((width,), np.float32, specials=False)))


def attentions(b):
    shape = (1, b.integer(1, 2), b.integer(2, 4), b.integer(2, 4))
    q, k, v = (b.constant(b.random_array(shape, np.float32, specials=False)) if b.outer else b.input(TensorProto.FLOAT, shape) for _ in range(3))
    scale = b.scalar(shape[-1] ** -0.5, q)
    scores = b.add("MatMul", [q, b.transpose(k, [0, 1, 3, 2])], [*shape[:2], shape[2], shape[2]])
    scores = b.binary("Mul", scores, scale)
    if b.chance(0.5):
        scores = b.binary("Add", scores, b.constant(np.triu(np.full(shape[2:3] * 2, -1e4, np.float32), 1)))
    weights = b.add("Softmax", [scores], scores.shape, axis=-1 if b.opset >= 11 else 3)
    b.add("MatMul", [weights, v], shape)


def quantizations(b):
    if b.opset < 10:
        return
    x = b.pick_float(condition=lambda v: v.dtype == TensorProto.FLOAT)
    if x.dtype != TensorProto.FLOAT:
        return
    scale, zero = b.constant(np.array(0.125, np.float32)), b.constant(np.array(b.integer(0, 9), b.choose((np.uint8, np.int8))))
    for _ in range(b.integer(1, 2)):
        q = b.add("QuantizeLinear", [x, scale, zero], x.shape, zero.dtype)
        x = b.add("DequantizeLinear", [q, scale, zero], x.shape, TensorProto.FLOAT)


def branches(b):
    """An If whose condition is constant, or not."""
    x = b.pick_float()
    if b.chance(0.7):
        condition = b.constant(np.array(b.chance(0.5)))
    elif b.outer:
        return
    else:
        condition = b.input(TensorProto.BOOL, ())
    graphs = {}
    for name in ("then_branch", "else_branch"):
        def write(inner):
            y = inner.unary(inner.choose(UNARY), x)
            if inner.chance(0.5):
                unit(inner)
            if inner.chance(0.15) and _depth(inner) < 3:
                branches(inner)
            kind = inner.integer(0, 5)
            if kind == 0:
                inner.initializers.append(_named(inner, x))
                return [type(x)(inner.initializers[-1].name, x.dtype, x.shape)]
            return [inner.unary("Identity", x) if kind == 1 else y]
        graphs[name] = b.subgraph(write, name)
    b.add("If", [condition], x.shape, x.dtype, **graphs)


def _depth(b):
    return 1 + _depth(b.outer) if b.outer else 0


def _named(b, like):
    import onnx
    return onnx.numpy_helper.from_array(b.random_array(like.shape, like.numpy_type()), b.name("w"))


def loops(b):
    """A Loop that carries a value, captures others, and collects results."""
    from onnx import helper
    x = b.pick_float(condition=lambda v: v.dtype == TensorProto.FLOAT)
    trips = b.constant(np.array(b.integer(0, 3), np.int64)) if b.chance(0.7) or b.outer else b.input(TensorProto.INT64, ())
    if trips.name in b.feeds:
        b.feeds[trips.name] = np.array(b.integer(0, 3), np.int64)
    condition = b.constant(np.array(not b.chance(0.15))) if b.chance(0.7) else ""
    inner = type(b)(b.rng, b.opset, b)
    names = [b.name(stem) for stem in ("i", "c", "s")]
    state = type(x)(names[2], x.dtype, x.shape)
    inner.values.append(state)
    y = inner.binary("Add", state, inner.unary(inner.choose(("Tanh", "Relu", "Identity")), x))  # invariant of the loop
    if inner.chance(0.5):
        unit(inner)
    keep = inner.unary("Identity", type(x)(names[1], TensorProto.BOOL, ()))
    scanned = inner.unary("Neg", y)
    body = helper.make_graph(
        inner.nodes, b.name("body"),
        [helper.make_tensor_value_info(names[0], TensorProto.INT64, []), helper.make_tensor_value_info(names[1], TensorProto.BOOL, []),
         helper.make_tensor_value_info(state.name, state.dtype, None)],
        [helper.make_tensor_value_info(keep.name, TensorProto.BOOL, []), helper.make_tensor_value_info(y.name, y.dtype, None),
         helper.make_tensor_value_info(scanned.name, y.dtype, None)], inner.initializers)
    if y.shape != x.shape:
        return
    last = type(x)(b.name(), x.dtype, x.shape)
    outputs = [last.name, b.name()]
    b.append("Loop", [trips, condition, x], outputs, body=body)
    b.values.append(last)


def functions(b):
    """Calls of a function that is named as an operator is."""
    import random_graph
    from onnx import helper
    if b.opset < 13:
        return
    op = b.choose(("Identity", "Relu", "Twice"))
    if all(f.name != op for f in b.functions):
        inside = {"Identity": "Neg", "Relu": "Abs", "Twice": "Floor"}[op]
        nodes = [helper.make_node(inside, ["x"], ["t"]), helper.make_node("Identity", ["t"], ["u"]), helper.make_node("Add", ["t", "u"], ["y"])]
        b.functions.append(helper.make_function(random_graph.DOMAIN, op, ["x"], ["y"], nodes, [helper.make_opsetid("", b.opset)]))
    x = b.pick_float()
    y = b.add(op, [x], x.shape, domain=random_graph.DOMAIN)
    if b.chance(0.5):
        b.add(op, [y if b.chance(0.5) else x], x.shape, domain=random_graph.DOMAIN)


def sequences(b):
    if b.opset < 11:
        return
    x = b.pick_float(least=1)
    parts = [x, b.unary("Neg", x)]
    name = b.name("q")
    b.append("SequenceConstruct", parts, [name])
    if b.chance(0.5):
        b.add("SequenceAt", [type(x)(name, x.dtype, ()), b.constant(np.array(b.integer(-2, 1), np.int64))], x.shape)
    else:
        axis = b.integer(0, x.rank - 1)
        shape = list(x.shape)
        shape[axis] *= 2
        b.add("ConcatFromSequence", [type(x)(name, x.dtype, ())], shape, axis=axis)


def _is_float32(v):
    return v.dtype == TensorProto.FLOAT


def laws(b):
    """Signs, comparisons and choices that cancel or follow from another."""
    x = b.pick_float(least=1, condition=_is_float32)
    kind = b.integer(0, 4)
    if kind == 0:
        a, n = b.unary("Exp", x), b.unary("Neg", x)
        b.binary(b.choose(("Add", "Sub")), *((a, n) if b.chance(0.5) else (n, a)))
    elif kind == 1:
        b.unary(b.choose(("Neg", "Abs")), b.choose((b.binary("Sub", x, b.scalar(1, x)), b.unary("Neg", x))))
    elif kind == 2:
        # Of floats, what is not less may be NaN.
        i = b.add("Cast", [b.add("Greater", [x, b.scalar(0, x)], x.shape, TensorProto.BOOL)], x.shape, TensorProto.INT32,
                  to=TensorProto.INT32) if b.chance(0.5) else x
        c = b.add(b.choose(("Less", "Greater")), [i, b.scalar(0, i)], x.shape, TensorProto.BOOL)
        c = b.unary("Not", c)
        if b.opset >= 11:
            b.add(b.choose(("Equal", "Xor")), [c, b.constant(np.array(b.chance(0.5)))], x.shape, TensorProto.BOOL)
    elif kind == 3:
        condition = b.constant(np.full(b.choose(((), x.shape[-1:], (1,))), b.chance(0.5)))
        b.add("Where", [condition, x, b.choose((x, b.unary("Neg", x), b.scalar(2, x)))], x.shape, x.dtype)
    else:
        b.binary("Mul", *b.choose(((x, b.scalar(-1, x)), (b.scalar(-1, x), x))))


def limits(b):
    x = b.pick_float(condition=_is_float32)
    if b.chance(0.5):
        low, high = b.choose(((0, 6), (-1, 1), (2, 1), (0.5, 0.5)))
        first, second = b.choose((("Max", "Min"), ("Min", "Max")))
        y = b.binary(first, x, b.scalar(low if first == "Max" else high, x))
        b.binary(second, b.scalar(high if first == "Max" else low, x), y)
        return
    y = b.unary(b.choose(("Sigmoid", "Tanh", "Relu", "Abs", "Exp")), x)
    b.clip(y, *b.choose(((0, 1), (-1, 1), (-2, 3)))) if b.chance(0.6) else b.unary("Relu", y)


def reductions_in_a_row(b):
    x = b.pick_float(least=2, condition=lambda v: _is_float32(v) and v.size)
    op, keepdims = b.choose(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2")), b.integer(0, 1)
    y = b.reduce(op, x, [b.integer(0, x.rank - 1)], keepdims)
    if y is not None and y.rank and b.chance(0.7):
        b.reduce(op, y, [b.integer(0, y.rank - 1)], keepdims if b.chance(0.8) else 1 - keepdims)
    squares = b.reduce("ReduceSum", b.binary("Mul", x, x), [x.rank - 1], 1)
    b.unary("Sqrt", squares)


def pads_in_a_row(b):
    x = b.pick_float(least=1, condition=_is_float32)
    value = b.choose((None, 0, 1.5))
    for _ in range(2):
        x = b.pad(x, [b.choose((0, 1, 2)) for _ in range(2 * x.rank)], "constant", value if b.chance(0.8) else 3)


def same_sizes(b):
    if b.opset < 13:
        return
    x = _photo(b)
    factor = b.choose((1, 1, 2))
    scales = b.constant(np.array([1, 1, 1, factor], np.float32))
    if b.chance(0.3):
        b.add("MaxPool", [x], x.shape, kernel_shape=[1, 1])
    b.add("Resize", [x, "", scales], (*x.shape[:3], x.shape[3] * factor), mode="nearest")


def recurrent(b):
    """LSTM and GRU whose first states and biases are zeros, or nearly so."""
    steps, batch, size, hidden = b.integer(1, 3), b.integer(1, 2), 3, 2
    op, gates = b.choose((("LSTM", 4), ("GRU", 3)))
    x = b.constant(b.random_array((steps, batch, size), np.float32)) if b.outer else b.input(TensorProto.FLOAT, (steps, batch, size))
    w, r = (b.constant(b.random_array((1, gates * hidden, n), np.float32, specials=False)) for n in (size, hidden))
    bias = b.constant(np.full((1, 2 * gates * hidden), b.choose((0, 0, 0.5)), np.float32)) if b.chance(0.7) else ""
    state = b.constant(np.full((1, batch, hidden), b.choose((0, 0, 0.5)), np.float32)) if b.chance(0.7) else ""
    b.add(op, [x, w, r, bias, "", state], (steps, 1, batch, hidden), TensorProto.FLOAT, hidden_size=hidden)


def loose_ends(b):
    """Unused nodes, and constants that are the same or nearly so."""
    x = b.pick_float()
    value = b.choose((0.0, 1.0, np.nan))
    for number in (value, -value if b.chance(0.5) else value):
        c = b.constant(np.full(x.shape[-1:], number, x.numpy_type()), may_share=False)
        b.binary("Add" if b.chance(0.5) else "Div", x, c)
    b.constant(b.random_array(x.shape, x.numpy_type()), may_share=False)


EVERY = (unary, repeated_unary, unit, unit, arithmetic, integers, logic, transposes, there_and_back, reshapes, units_in_and_out, expands,
         shapes, concats, splits, slices, gathers, pools, pools, convolutions, convolutions, normalization, transposed_convolution,
         products, gemms, projections, sliced_weights, einsums, reductions, softmaxes, casts, dropouts, activations, normalizations,
         attentions, quantizations, branches, loops, functions, sequences, laws, limits, reductions_in_a_row, pads_in_a_row, same_sizes,
         recurrent, loose_ends)
