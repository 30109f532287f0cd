# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signed and unsigned codes: from one to the other, in products of any two, and
through what quantizers put between pairs of QuantizeLinear and DequantizeLinear."""

import numpy as np
from onnx import TensorProto

from .builder import FLOAT
from .networks import image, slid
from .quantized import I8, INT32, NUMPY, U8, codes, dequantize, qdq, quantize, scale, zero
from .registry import motif
from .sizes import Size
from .transformers import is_positive, tokens


def zero_point(g, dtype, value):
    return g.constant(np.array(value, NUMPY[dtype]))


@motif(since=10, weight=3)
def other_codes(g):
    """From uint8 to int8 or back, as at the border of two quantizers."""
    x = g.picked(least=1)
    first = g.choose((U8, I8))
    second = I8 if first == U8 else U8
    middle = g.integer(90, 166)
    at = {U8: middle, I8: middle - 128}
    s, z = scale(g), zero_point(g, first, at[first])
    q = g.add("QuantizeLinear", [x, s, z], x.shape, first)
    kind = g.integer(0, 4)
    if kind == 0:  # the same numbers
        y = g.add("QuantizeLinear", [dequantize(g, q, s, z), s, zero_point(g, second, at[second])], x.shape, second)
    elif kind == 1:
        s = scale(g)
        y = g.add("QuantizeLinear", [dequantize(g, q, s, z), s, zero(g, second)], x.shape, second)
    elif kind == 2:  # by integers
        wide = g.cast(q, INT32)
        wide = g.binary("Sub", wide, g.constant(np.array(128 if first == U8 else -128, np.int32)))
        y = g.cast(wide, second)
    elif kind == 3 and g.opset >= 18:
        y = g.cast(g.binary("BitwiseXor", q, g.constant(np.array(128 if first == U8 else -128, NUMPY[first]))), second)
    else:  # the same bits
        y = g.cast(q, second)
    if g.chance(0.5):
        y = dequantize(g, y, s, zero_point(g, second, at[second]))
    elif g.chance(0.5):
        y = g.cast(y, g.choose((FLOAT, INT32, first)))
    g.results.append(y)


@motif(since=10, weight=2)
def integer_products(g):
    """MatMulInteger and ConvInteger of codes of either kind, with any zero points; of what was
    quantized or of inputs, which have the ends of the type."""
    a, b = g.choose((U8, I8)), g.choose((U8, I8))

    def everything(dtype):
        info = np.iinfo(NUMPY[dtype])
        return lambda shape: g.rng.integers(info.min, info.max + 1, shape)
    if g.chance(0.3):
        n, c, h, w = g.integer(1, 2), g.choose((1, 3, 4, 8)), g.integer(3, 7), g.integer(3, 7)
        group = c if g.chance(0.3) else 1
        maps, k = group * g.choose((1, 2) if group > 1 else (1, 4, 16, 17)), g.choose((1, 3))
        x = g.source(a, (n, c, h, w), everything(a))
        operands = [x, codes(g, b, (maps, c // group, k, k)), zero(g, a)] + ([zero(g, b)] if g.chance(0.7) else [])
        y = g.add("ConvInteger", operands, (n, maps, h, w), INT32, group=group, pads=[k // 2] * 4)
    else:
        rows, depth, columns = g.dim(), g.choose((1, 2, 3, 4, 7, 16, 33, 64)), g.choose((1, 3, 8, 16, 17, 33))
        x = g.source(a, (rows, depth), everything(a))
        weight = codes(g, b, (depth, columns)) if g.chance(0.8) else g.source(b, (depth, columns), everything(b))
        operands = [x, weight]
        if g.chance(0.8):
            operands.append(zero(g, a))
            if g.chance(0.8):
                operands.append(zero(g, b, (columns,) if g.chance(0.4) else ()))
        y = g.add("MatMulInteger", operands, (rows, columns), INT32)
    g.results.append(g.binary("Mul", g.cast(y, FLOAT), scale(g)) if g.chance(0.6) else y)


@motif(since=10, weight=2)
def qdq_around(g):
    """What quantizers compute in 8 bits besides products: each operand and the result is a pair."""
    x = image(g) if g.chance(0.4) else g.picked(least=1, condition=lambda v: is_positive(*v.shape) and v.rank <= 4)
    if not x.rank or x.rank > 4 or not is_positive(*x.shape):
        return
    dtype = g.choose((U8, I8))
    q, s, z = quantize(g, x, dtype)
    y = dequantize(g, q, s, z)
    for _ in range(g.integer(1, 2)):
        kind = g.integer(0, 7)
        if kind == 0:
            y = g.unary(g.choose(("Sigmoid", "Relu", "LeakyRelu", "Tanh")), y)
        elif kind == 1:
            y = g.arithmetic(g.choose(("Add", "Mul")), y, qdq(g, g.in_shape(y.shape), dtype))
        elif kind == 2:
            y = g.concat([y, qdq(g, y, dtype)], g.integer(0, y.rank - 1))
        elif kind == 3:
            y = g.transpose(y, g.permutation(y.rank))
        elif kind == 4 and y.rank == 4 and y is not x and min(map(int, y.shape[2:])) >= 2 and not any(isinstance(d, Size) for d in y.shape[2:]):
            y = g.add(g.choose(("MaxPool", "AveragePool")), [y], (*y.shape[:2], slid(y.shape[2], 2, 2, 0), slid(y.shape[3], 2, 2, 0)),
                      kernel_shape=[2, 2], strides=[2, 2])
        elif kind == 5:
            y = g.softmax(y) if g.opset >= 13 else g.unary("Neg", y)
        elif kind == 6:
            y = g.clip(y, 0, 6)
        else:
            y = g.reduce("ReduceMean", y, [y.rank - 1], 1)
        if g.chance(0.3):
            s2, z2 = (s, z) if g.chance(0.5) else (scale(g), zero(g, dtype))
            y = dequantize(g, g.add("QuantizeLinear", [y, s2, z2], y.shape, dtype), s2, z2)
    g.results.append(qdq(g, y, dtype))


@motif(since=13, weight=2)
def qdq_per_channel(g):
    """Gemm, ConvTranspose and depthwise Conv: a scale for each channel of the weights, codes of
    either kind, a bias of int32 with the product of the scales."""
    op = g.choose(("Gemm", "ConvTranspose", "Conv"))
    x = image(g) if op != "Gemm" else tokens(g)
    if op == "Gemm":
        rows = x.shape[0] * x.shape[1]
        x = g.reshape(x, (rows, x.shape[2]))
    channels = x.shape[1]
    maps = channels if op == "Conv" else g.choose((1, 3, 8, 16, 17))
    w_type, x_type = g.choose((I8, U8)), g.choose((U8, U8, I8))
    shape, axis = {"Gemm": ((maps, channels), 0), "ConvTranspose": ((channels, maps, 2, 2), 1), "Conv": ((channels, 1, 3, 3), 0)}[op]
    if op == "Gemm" and g.chance(0.5):
        shape, axis = (channels, maps), 1
    is_wide = g.chance(0.8)
    wide = (maps,) if is_wide else ()
    ws, wz = scale(g, wide, 0.02), zero(g, w_type, wide) if g.chance(0.5) else g.constant(np.full(wide, 128 * (w_type == U8), NUMPY[w_type]))
    weight = dequantize(g, codes(g, w_type, shape), ws, wz, **({"axis": g.signed(axis, len(shape))} if is_wide else {}))
    q, s, z = quantize(g, x, x_type)
    operands = [dequantize(g, q, s, z), weight]
    if g.chance(0.7):
        bias = g.constant(g.rng.integers(-2000, 2000, maps).astype(np.int32))
        bs = g.constant(g.rng.uniform(1e-5, 1e-4, wide).astype(np.float32))
        operands.append(g.add("DequantizeLinear", [bias, bs], (maps,), FLOAT, **({"axis": 0} if is_wide else {})))
    if op == "Gemm":
        y = g.add("Gemm", operands, (rows, maps), transB=int(shape[0] == maps and axis == 0))
    elif op == "ConvTranspose":
        y = g.add(op, operands, (x.shape[0], maps, x.shape[2] * 2, x.shape[3] * 2), strides=[2, 2])
    else:
        y = g.add(op, operands, x.shape, group=channels, pads=[1] * 4)
    y = g.unary("Relu", y) if g.chance(0.4) else y
    g.results.append(qdq(g, y, x_type) if g.chance(0.8) else y)


@motif(since=21)
def qdq_of_16_bits(g):
    x = tokens(g)
    t = g.choose((TensorProto.UINT16, TensorProto.INT16))
    z = g.constant(np.array(g.choose((0, 17)) if t == TensorProto.INT16 else g.choose((0, 32768)), np.int16 if t == TensorProto.INT16 else np.uint16))
    s = g.constant(np.array(g.rng.uniform(1e-4, 3e-4), np.float32))
    y = dequantize(g, g.add("QuantizeLinear", [x, s, z], x.shape, t), s, z)
    columns = g.choose((1, 8, 17))
    weight = dequantize(g, codes(g, I8, (x.shape[2], columns)), scale(g, (columns,), 0.02), zero(g, I8, (columns,)), axis=1)
    g.results.append(g.matmul(y, weight))
