# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise work, reductions, and what values decide: TopK, NonZero, Gather and the like."""

import numpy as np

from . import sizes
from .builder import BOOL, FLOAT, INT64
from .registry import motif
from .sizes import Size
from .transformers import is_positive

UNARY = ("Relu", "Neg", "Abs", "Tanh", "Sigmoid", "Ceil", "Floor", "Identity", "Softplus", "LeakyRelu", "Elu", "Sin", "Cos", "Atan",
         "Softsign", "HardSigmoid", "Sqrt", "Reciprocal", "ThresholdedRelu")
SINCE = {"Sin": 7, "Cos": 7, "Atan": 7, "ThresholdedRelu": 10}
UNKNOWN = Size(1, 2)  # a size that no motif may rely on


@motif(weight=3)
def elementwise(g):
    x = g.picked()
    for _ in range(g.integer(1, 4)):
        kind = g.integer(0, 5)
        if kind <= 1:
            x = g.unary(g.choose([op for op in UNARY if SINCE.get(op, 6) <= g.opset]), x)
        elif kind == 2:
            x = g.arithmetic(g.choose(("Add", "Mul", "Sub")), x, g.in_shape(x.shape))
        elif kind == 3:
            shape = [1 if isinstance(d, Size) or g.chance(0.3) else d for d in x.shape][g.integer(0, x.rank):]
            x = g.arithmetic(g.choose(("Add", "Mul", "Sub", "Div")), x, g.vector(tuple(shape)))
        elif kind == 4 and x.rank and g.opset >= 8:
            x = g.add(g.choose(("Max", "Min", "Sum", "Mean")), [x, g.in_shape(x.shape), g.vector(())][:g.integer(2, 3)], x.shape)
        else:
            x = g.clip(x, g.choose((-1, 0)), g.choose((1, 2.5, 6)))


@motif(since=7, weight=1.5)
def broadcasts(g):
    """[.., 1, n] with [.., m, 1] and the like."""
    shape = g.random_shape(g.integer(2, 3))
    first = tuple(1 if g.chance(0.4) else d for d in shape)
    second = tuple(d if f == 1 and not isinstance(f, Size) or g.chance(0.5) else 1 for f, d in zip(first, shape))
    x, y = g.in_shape(first), g.in_shape(second[g.integer(0, 1) if second[0] == 1 else 0:])
    g.arithmetic(g.choose(("Add", "Mul", "Sub")), x, y)


@motif(since=9, weight=1.5)
def choices(g):
    x = g.picked()
    y = g.in_shape(x.shape)
    c = g.binary(g.choose(("Less", "Greater") + (("Equal",) if g.opset >= 11 else ()) + (("LessOrEqual",) if g.opset >= 12 else ())), x, y, BOOL)
    for _ in range(g.integer(0, 2)):
        if g.chance(0.5):
            c = g.unary("Not", c)
        else:
            other = g.add("IsNaN", [x], x.shape, BOOL) if g.chance(0.5) else g.source(BOOL, x.shape)
            c = g.binary(g.choose(("And", "Or", "Xor")), c, other)
    if g.chance(0.7):
        g.add("Where", [c, x, y if g.chance(0.5) else g.number(-1, x)], sizes.broadcast(c.shape, x.shape), FLOAT)
    else:
        g.cast(c, g.choose((FLOAT, INT64)))


REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd")


@motif(weight=2)
def reductions(g):
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape))
    if not is_positive(*x.shape) or not x.rank:
        return
    op = g.choose(REDUCTIONS)
    if g.chance(0.1):
        y = g.add(op, [x], [1] * x.rank)  # all axes
    else:
        y = g.reduce(op, x, g.some_axes(x.rank), g.integer(0, 1))
    if g.chance(0.3) and y.rank == x.rank:
        g.arithmetic("Mul", x, y)


@motif()
def extremes(g):
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape))
    if not x.rank or not is_positive(*x.shape):
        return
    axis, keep = g.integer(0, x.rank - 1), g.integer(0, 1)
    shape = [1 if i == axis else d for i, d in enumerate(x.shape) if keep or i != axis]
    y = g.add(g.choose(("ArgMax", "ArgMin")), [x], shape, INT64, axis=axis, keepdims=keep,
              select_last_index=g.choose((None, 1)) if g.opset >= 12 else None)
    if keep and g.opset >= 11 and g.chance(0.6):
        g.add("GatherElements", [x, y], y.shape, FLOAT, axis=axis)


@motif()
def top_k(g):
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape))
    if not x.rank or not is_positive(*x.shape):
        return
    axis = g.integer(0, x.rank - 1)
    k = g.integer(1, min(int(x.shape[axis]), sizes.second(x.shape[axis]), 8))
    shape = list(x.shape)
    shape[axis] = k
    results = [(FLOAT, shape), (INT64, shape)]
    if g.opset < 10:
        y, at = g.several("TopK", [x], results, axis=axis, k=k)
    else:
        count = g.ints(k)
        if g.chance(0.3) and g.opset >= 12:  # min(k, size)
            count = g.binary("Min", g.ints(k), g.size_of(x, axis))
        y, at = g.several("TopK", [x, count], results, axis=axis, **({"largest": g.integer(0, 1)} if g.opset >= 11 else {}))
    if g.opset >= 11 and g.chance(0.5):
        g.add("GatherElements", [x, at], at.shape, FLOAT, axis=axis)


@motif(since=9)
def found(g):
    """NonZero or Compress, whose number of results is known when the model runs."""
    x = g.picked(least=1)
    if g.chance(0.6):
        c = g.binary("Greater", x, g.number(0.3, x), BOOL)
        at = g.add("NonZero", [c], (x.rank, UNKNOWN), INT64)
        g.values.pop()
        if g.opset >= 11 and g.chance(0.7):
            turned = g.transpose(at, [1, 0])
            g.values.pop()
            y = g.add("GatherND", [x, turned], (UNKNOWN,), FLOAT)
            g.values.pop()
        else:
            y = g.cast(at, FLOAT)
            g.values.pop()
    else:
        axis = g.integer(0, x.rank - 1)
        size = x.shape[axis]
        c = g.source(BOOL, (size,))
        shape = list(x.shape)
        shape[axis] = UNKNOWN
        y = g.add("Compress", [x, c], shape, axis=axis)
        g.values.pop()
    g.results.append(y)
    if g.chance(0.7):
        rank = y.rank
        total = g.reduce("ReduceSum", y, list(range(rank)), 0)
        g.arithmetic("Add", g.picked(), total)


@motif(since=11)
def unique(g):
    x = g.picked(least=1)
    y = g.unary("Round", x)
    flat = g.add("Reshape", [y, g.ints(-1)], (sizes.product(x.shape),)) if is_positive(*x.shape) else None
    if flat is None:
        return
    count = g.integer(1, 4)
    values = g.several("Unique", [flat], [(FLOAT, (UNKNOWN,)), (INT64, (UNKNOWN,)), (INT64, flat.shape), (INT64, (UNKNOWN,))][:count],
                       sorted=g.integer(0, 1))
    del g.values[-count:]
    g.results += values
    if count >= 3:
        g.values.append(values[2])


@motif(since=11, weight=1.5)
def scatters(g):
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape) and v.rank <= 3)
    if not x.rank or x.rank > 3 or not is_positive(*x.shape):
        return
    axis = g.integer(0, x.rank - 1)
    size = min(int(x.shape[axis]), sizes.second(x.shape[axis]))
    count = g.integer(1, min(size, 8))
    if g.chance(0.5):
        shape = [1 if isinstance(d, Size) else d for d in x.shape]
        shape[axis] = count
        order = np.stack([g.rng.permutation(size)[:count] for _ in range(int(np.prod(shape)) // count)]) if np.prod(shape) else None
        if order is None:
            return
        at = np.moveaxis(order.reshape(*[d for i, d in enumerate(shape) if i != axis], count), -1, axis)
        reduction = g.choose((None, "add", "mul")) if g.opset >= 16 else None
        g.add("ScatterElements", [x, g.constant(at.astype(np.int64)), g.constant(g.random_array(tuple(shape), np.float32))], x.shape,
              axis=axis, reduction=reduction)
    else:  # x[at] = values
        size = min(int(x.shape[0]), sizes.second(x.shape[0]))
        count = g.integer(1, min(size, 8))
        at = g.constant(g.rng.permutation(size)[:count].reshape(count, 1).astype(np.int64))
        shape = (count, *x.shape[1:])
        values = g.constant(g.random_array(shape, np.float32)) if sizes.is_fixed(shape) else g.add(
            "GatherND", [g.unary("Neg", x), at], shape)
        g.add("ScatterND", [x, at, values], x.shape, reduction=g.choose((None, "add")) if g.opset >= 16 else None)


@motif(weight=1.5)
def gathers(g):
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape))
    if not x.rank or not is_positive(*x.shape):
        return
    axis = g.integer(0, x.rank - 1)
    size = min(int(x.shape[axis]), sizes.second(x.shape[axis]))
    low = -size if g.opset >= 11 and g.chance(0.4) else 0
    shape = g.choose(((), (1,), (3,), (2, 2)))
    kind = g.integer(0, 2)
    if kind == 0:
        index = g.source(INT64, shape, lambda s: g.rng.integers(low, size, s))
    else:
        index = g.constant(np.asarray(g.rng.integers(low, size, shape)).astype(np.int64))
    g.gather(x, index, axis)


@motif(since=9)
def one_hot(g):
    ids = g.picked(dtype=INT64, condition=lambda v: v.rank <= 3 and v.size < 500)
    depth = g.integer(1, 9)
    if g.opset >= 10:
        ids = g.binary("Mod", ids, g.constant(np.array(depth, np.int64)))
        hot = g.add("OneHot", [ids, g.constant(np.array([depth], np.int64)), g.constant(np.array([0, 1], np.float32))],
                    (*ids.shape, depth), FLOAT, axis=-1)
        if ids.rank:
            g.linear(hot, g.integer(1, 8))


@motif(since=11)
def running_sums(g):
    x = g.picked(least=1)
    axis = g.integer(0, x.rank - 1)
    g.add("CumSum", [x, g.constant(np.array(g.signed(axis, x.rank), np.int64))], x.shape, exclusive=g.choose((None, 1)), reverse=g.choose((None, 1)))


@motif(since=14)
def triangles(g):
    x = g.picked(least=2)
    g.add("Trilu", [x] + ([g.constant(np.array(g.integer(-3, 3), np.int64))] if g.chance(0.5) else []), x.shape, upper=g.integer(0, 1))


@motif(weight=2)
def products(g):
    """MatMul in any ranks, and Gemm."""
    x = g.picked(least=2, condition=lambda v: v.size < 4000)
    kind = g.integer(0, 3)
    depth = x.shape[-1]
    if kind == 0 and not isinstance(depth, Size):
        g.linear(x, g.choose((1, 2, 5, 8, 16, 17, 33)))
    elif kind == 1:
        g.matmul(x, g.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2]))
    elif kind == 2 and not isinstance(depth, Size):
        g.add("MatMul", [x, g.weight(depth)], x.shape[:-1])
    elif x.rank == 2 and not isinstance(depth, Size):
        columns = g.integer(1, 20)
        transposed = g.integer(0, 1)
        w = g.weight(*((columns, depth) if transposed else (depth, columns)))
        c = g.choose(((columns,), (1, columns), (1,), ()))
        operands = [x, w] + ([g.weight(*c)] if g.opset < 11 or g.chance(0.7) else [])
        g.add("Gemm", operands, (x.shape[0], columns), transB=transposed, alpha=g.choose((None, 0.5)), beta=g.choose((None, 2.0)))


@motif()
def softmaxes(g):
    x = g.picked(least=1, condition=lambda v: is_positive(*v.shape))
    if x.rank and is_positive(*x.shape):
        axis = g.integer(0, x.rank - 1)
        g.add(g.choose(("Softmax", "Softmax", "LogSoftmax", "Hardmax")), [x], x.shape, axis=g.choose((axis, axis, None)))


@motif(since=10)
def reversed_sequences(g):
    x = g.picked(least=2, condition=lambda v: is_positive(*v.shape))
    if x.rank < 2 or not is_positive(*x.shape) or isinstance(x.shape[1], Size):
        return
    size = min(int(x.shape[0]), sizes.second(x.shape[0]))
    lengths = g.constant(g.rng.integers(1, size + 1, x.shape[1]).astype(np.int64))
    g.add("ReverseSequence", [x, lengths], x.shape, time_axis=0, batch_axis=1)


@motif()
def ends(g):
    """What is not used, and an output that is also used inside."""
    x = g.picked()
    y = g.unary(g.choose(("Identity", "Neg", "Relu")), x)
    if g.chance(0.5):
        g.results.append(y)
    else:
        g.values.pop()  # dead
    if g.chance(0.3):
        g.unary("Dropout", x)
