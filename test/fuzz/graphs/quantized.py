# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers: quantized operators in each format, and casts."""

import numpy as np
from onnx import TensorProto, helper

from . import sizes
from .builder import BOOL, FLOAT, INT64, Value
from .networks import image, slid
from .registry import motif
from .sizes import Size
from .transformers import is_positive, tokens

U8, I8, INT32 = TensorProto.UINT8, TensorProto.INT8, TensorProto.INT32
NUMPY = {U8: np.uint8, I8: np.int8}


def scale(g, shape=(), high=0.05):
    return g.constant(g.rng.uniform(0.004, high, shape).astype(np.float32))


def zero(g, dtype, shape=()):
    low = 0 if dtype == U8 else -9
    value = np.zeros(shape) if g.chance(0.4) else g.rng.integers(low + 100 * (dtype == U8), low + 120, shape)
    return g.constant(np.asarray(value).astype(NUMPY[dtype]))


def codes(g, dtype, shape):
    info = np.iinfo(NUMPY[dtype])
    return g.constant(g.rng.integers(info.min, info.max + 1, shape).astype(NUMPY[dtype]))


def quantize(g, x, dtype=None, s=None, z=None):
    dtype = dtype or g.choose((U8, I8))
    s, z = s or scale(g), z or zero(g, dtype)
    return g.add("QuantizeLinear", [x, s, z], x.shape, dtype), s, z


def dequantize(g, q, s, z, **attributes):
    return g.add("DequantizeLinear", [q, s, z], q.shape, FLOAT, **attributes)


def qdq(g, x, dtype=None):
    return dequantize(g, *quantize(g, x, dtype))


@motif(since=10, weight=2)
def qdq_linear(g):
    x = tokens(g) if g.chance(0.6) else g.picked(rank=2, condition=lambda v: not isinstance(v.shape[1], Size) and is_positive(*v.shape))
    if isinstance(x.shape[-1], Size) or not is_positive(*x.shape):
        return
    columns = g.choose((1, 3, 4, 8, 16, 17, 32, 40))
    per_column = g.opset >= 13 and g.chance(0.6)
    wide = (columns,) if per_column else ()
    w_type = g.choose((I8, I8, U8))
    w, ws, wz = codes(g, w_type, (x.shape[-1], columns)), scale(g, wide, 0.02), zero(g, w_type, wide)
    weight = dequantize(g, w, ws, wz, axis=1) if per_column else dequantize(g, w, ws, wz)
    y = g.matmul(qdq(g, x), weight)
    if g.chance(0.6):
        y = g.arithmetic("Add", y, g.weight(columns))
    if g.chance(0.4):
        y = g.unary("Relu", y)
    if g.chance(0.8):
        qdq(g, y)


@motif(since=10, weight=2)
def qdq_convolution(g):
    x = image(g)
    n, c, h, w = x.shape
    group = g.choose((1, 1, 1, c))
    maps = group if group > 1 else g.choose((1, 2, 4, 8, 16, 17, 24))
    per_map = g.opset >= 13 and g.chance(0.6)
    wide = (maps,) if per_map else ()
    k = g.choose((1, 3))
    kernel, ws = codes(g, I8, (maps, c // group, k, k)), scale(g, wide, 0.02)
    kernel_zero = g.constant(np.zeros(wide, np.int8))
    weight = dequantize(g, kernel, ws, kernel_zero, axis=0) if per_map else dequantize(g, kernel, ws, kernel_zero)
    q, s, z = quantize(g, x)
    operands = [dequantize(g, q, s, z), weight]
    if g.chance(0.6):
        if not per_map and g.chance(0.5):
            b = g.constant(g.rng.integers(-500, 500, maps).astype(np.int32))
            bs = g.constant(np.array(1e-4, np.float32))
            operands.append(g.add("DequantizeLinear", [b, bs], (maps,), FLOAT))
        else:
            operands.append(g.weight(maps))
    y = g.add("Conv", operands, (n, maps, h, w), group=group, pads=[k // 2] * 4)
    if g.chance(0.4):
        y = g.unary("Relu", y)
    if g.chance(0.4) and maps == c:
        y = g.arithmetic("Add", y, dequantize(g, q, s, z))
    if g.chance(0.8):
        q, s, z = quantize(g, y)
        y = dequantize(g, q, s, z)
        if g.chance(0.3):
            y = g.add("MaxPool", [y], (n, maps, slid(h, 2, 1, 0), slid(w, 2, 1, 0)), kernel_shape=[2, 2])
            dequantize(g, g.add("QuantizeLinear", [y, s, z], y.shape, z.dtype), s, z)


@motif(since=10, weight=2)
def qoperators(g):
    if g.chance(0.5):
        x = image(g)
        n, c, h, w = x.shape
        group = g.choose((1, 1, c))
        maps, k = group * g.choose((1, 2) if group > 1 else (1, 4, 8, 16, 17)), g.choose((1, 3))
        q, s, z = quantize(g, x)
        w_type = g.choose((I8, U8)) if z.dtype == U8 else I8
        wide = (maps,) if g.chance(0.5) else ()
        out, operands = z.dtype, [q, s, z, codes(g, w_type, (maps, c // group, k, k)), scale(g, wide, 0.02)]
        operands += [g.constant(np.zeros(wide, NUMPY[w_type])) if w_type == I8 else zero(g, w_type, ()) if not wide else
                     g.constant(np.full(wide, 128, np.uint8)), scale(g), zero(g, out)]
        if g.chance(0.6):
            operands.append(g.constant(g.rng.integers(-999, 999, maps).astype(np.int32)))
        y = g.add("QLinearConv", operands, (n, maps, h, w), out, group=group, pads=[k // 2] * 4)
    else:
        x = tokens(g)
        columns = g.choose((1, 3, 8, 16, 17, 40))
        q, s, z = quantize(g, x)
        w_type = g.choose((I8, U8)) if z.dtype == U8 else I8
        operands = [q, s, z, codes(g, w_type, (x.shape[2], columns)), scale(g, (), 0.02), zero(g, w_type), scale(g), zero(g, z.dtype)]
        y = g.add("QLinearMatMul", operands, (*x.shape[:2], columns), z.dtype)
    dequantize(g, y, operands[6], operands[7])


@motif(since=11, weight=2)
def dynamic_quantization(g):
    """As ONNX Runtime's quantize_dynamic writes it."""
    is_conv = g.chance(0.3)
    x = image(g) if is_conv else tokens(g)
    q, s, z = g.several("DynamicQuantizeLinear", [x], [(U8, x.shape), (FLOAT, ()), (U8, ())])
    w_type = g.choose((I8, U8))
    if is_conv:
        n, c, h, w = x.shape
        maps, k = g.choose((1, 4, 8, 17)), g.choose((1, 3))
        weight, wz = codes(g, w_type, (maps, c, k, k)), zero(g, w_type)
        sums = g.add("ConvInteger", [q, weight, z, wz], (n, maps, h, w), INT32, pads=[k // 2] * 4)
        both = g.arithmetic("Mul", s, scale(g, (), 0.02))
    else:
        columns = g.choose((1, 3, 8, 16, 17, 32, 40))
        wide = (columns,) if g.chance(0.4) else ()
        weight, wz = codes(g, w_type, (x.shape[2], columns)), zero(g, w_type, wide)
        sums = g.add("MatMulInteger", [q, weight, z, wz], (*x.shape[:2], columns), INT32)
        both = g.arithmetic("Mul", s, scale(g, wide, 0.02))
    y = g.binary("Mul", g.cast(sums, FLOAT), both)
    if g.chance(0.6):
        g.arithmetic("Add", y, g.weight(y.shape[1], 1, 1) if is_conv else g.weight(y.shape[-1]))


@motif(since=21)
def packed_weights(g):
    """4-bit weights and blocks of scales."""
    x = tokens(g)
    depth, columns = x.shape[2], g.choose((1, 4, 8, 17))
    t = g.choose((TensorProto.INT4, TensorProto.UINT4))
    low = -8 if t == TensorProto.INT4 else 0
    name = g.name("c")
    values = g.rng.integers(low, low + 16, (depth, columns))
    g.initializers.append(helper.make_tensor(name, t, (depth, columns), [int(v) for v in values.reshape(-1)]))
    w = Value(name, t, (depth, columns))
    blocks = [b for b in (2, 4, 8) if depth % b == 0]
    if blocks and g.chance(0.6):
        block = g.choose(blocks)
        y = g.add("DequantizeLinear", [w, scale(g, (depth // block, columns))], w.shape, FLOAT, axis=0, block_size=block)
    else:
        y = g.add("DequantizeLinear", [w, scale(g, (columns,))], w.shape, FLOAT, axis=1)
    g.matmul(x, y)


@motif(weight=2)
def half_islands(g):
    """Casts to a narrow type, work in it, and back."""
    x = g.picked()
    narrow = g.choose([TensorProto.FLOAT16, TensorProto.FLOAT16, TensorProto.DOUBLE] + [TensorProto.BFLOAT16] * (g.opset >= 13))
    y = g.cast(x, narrow)
    for _ in range(g.integer(0, 2)):
        ops = ("Abs", "Neg", "Tanh", "Sigmoid", "Relu") if narrow != TensorProto.BFLOAT16 or g.opset >= 14 else ("Abs", "Neg", "Tanh")
        y = g.unary(g.choose(ops), y)
    if g.chance(0.4) and narrow != TensorProto.BFLOAT16:
        y = g.binary(g.choose(("Add", "Mul")), y, y)
    if g.chance(0.8):
        g.cast(y, FLOAT)


@motif(weight=2)
def cast_chain(g):
    """Floats within the range of the integers that they become."""
    if g.opset < 9 and g.specials:
        return
    x = g.picked()
    x = g.unary("Tanh", x) if g.chance(0.3) else g.clip(x, -9, 9)
    if g.opset >= 9:
        bad = g.add("IsNaN", [x], x.shape, BOOL)
        x = g.add("Where", [bad, g.constant(np.array(2, np.float32)), x], x.shape, FLOAT)
    # Beyond 127 for all but INT8: from there on integers become others by their bits.
    first = g.choose((TensorProto.INT8, TensorProto.UINT8, TensorProto.UINT8, TensorProto.INT16, TensorProto.UINT16, INT32))
    x = g.unary("Abs", g.binary("Mul", x, g.number(3.7 if first == TensorProto.INT8 else 27.3, x)))
    x = g.cast(x, first)
    integers = (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT16, TensorProto.UINT16, INT32, INT64, TensorProto.UINT32,
                TensorProto.UINT64, BOOL)
    for _ in range(g.integer(0, 2)):
        x = g.cast(x, g.choose(integers))
    if g.chance(0.7):
        g.cast(x, g.choose((FLOAT, FLOAT, TensorProto.DOUBLE)))


@motif(weight=2)
def integer_arithmetic(g):
    t = g.choose((INT64, INT64, INT32) + ((TensorProto.INT8, U8, TensorProto.INT16, TensorProto.UINT32) if g.opset >= 14 else ()))
    x = g.picked(dtype=t, condition=lambda v: v.rank <= 4)
    y = g.in_shape(x.shape, t) if g.chance(0.5) else g.constant(g.random_array((), x.numpy_type()))
    for _ in range(g.integer(1, 3)):
        kind = g.integer(0, 7)
        if kind == 0:
            x = g.binary("Div", x, g.scalar(g.choose((1, 2, 3, 7)), x))
        elif kind == 1 and g.opset >= 10:
            x = g.binary("Mod", x, g.scalar(g.choose((1, 2, 3, 5, 64)), x))
        elif kind == 2 and (t in (INT64, INT32) or g.opset >= 12) and (g.opset >= 12):
            x = g.binary(g.choose(("Max", "Min")), x, y)
        elif kind == 3 and g.opset >= 9:
            c = g.binary(g.choose(("Less", "Greater")), x, y, BOOL)
            x = g.add("Where", [c, x, y], sizes.broadcast(c.shape, x.shape, y.shape))
        elif kind == 4 and t in (INT64, INT32):
            x = g.unary(g.choose(("Abs", "Neg")), x)
        else:
            x = g.arithmetic(g.choose(("Add", "Sub", "Mul")), x, y)
    if g.chance(0.5):
        g.cast(x, FLOAT)
    if x.rank and t in (INT64, INT32) and g.chance(0.3) and is_positive(*x.shape):
        g.reduce(g.choose(("ReduceSum", "ReduceMax", "ReduceMin")), x, [g.integer(0, x.rank - 1)], g.integer(0, 1))
