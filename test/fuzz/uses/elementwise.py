# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on single elements."""

import numpy as np

from .source import FLOATS, INTS, SMALL_FLOATS, SMALL_INTS, UNSIGNED, Use, bounds, is_integer, numpy_dtype, onnx_dtype, op


@op("Abs", "Neg", "Sign", "Ceil", "Floor", "Round", "Relu", "Exp", "Sigmoid", "Tanh", "Softplus", "Softsign", "Erf",
    "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Asinh", "HardSwish", "Mish", "Identity", "Not", "BitwiseNot", "IsNaN",
    "Log", "Sqrt", "Reciprocal", "Acos", "Asin", "Atanh", "Acosh")
def unary(s):
    parameter = {"IsNaN": "T1", "Identity": "V"}.get(s.op, "T")
    domain = {"Log": (0.01, 9), "Sqrt": (0, 9), "Reciprocal": (0.1, 9), "Acos": (-1, 1), "Asin": (-1, 1), "Atanh": (-0.95, 0.95),
              "Acosh": (1.05, 9)}
    if "V" in parameter:
        return Use([s.edges(s.dtype("V" if s.opset > 13 else "T"), s.shape())])
    return Use([s.edges(s.dtype(parameter), s.shape(), *domain.get(s.op, ()))])


@op("Elu", "LeakyRelu", "ThresholdedRelu", "Celu", "Selu", "HardSigmoid", "Shrink", "Gelu", "Swish")
def activation(s):
    names = {"HardSigmoid": ["alpha", "beta"], "Shrink": ["lambd", "bias"], "Selu": ["alpha", "gamma"], "Gelu": []}
    values = {name: s.real(0.1, 1.5) for name in names.get(s.op, ["alpha"]) if s.chance(0.7)}
    if s.op in ("Elu", "LeakyRelu", "Selu") and s.chance(0.2):
        values["alpha"] = s.real(-2, 0)
    if s.op == "Gelu" and s.chance(0.7):
        values["approximate"] = s.pick(["none", "tanh"])
    return Use([s.edges(s.dtype(), s.shape())], values)


@op("SwiGLU")
def swiglu(s):
    dtype, shape = s.dtype(), s.shape()
    return Use([s.array(dtype, shape), s.array(dtype, shape)], s.attributes(alpha=s.maybe(1.3)))


@op("IsInf")
def is_inf(s):
    array = s.array(s.dtype("T1"), s.shape(rank=s.integer(1, 4), low=1))
    array[..., :1] = s.pick([np.inf, -np.inf, np.nan, 0])
    return Use([array], s.attributes(detect_negative=s.maybe(s.integer(0, 1)), detect_positive=s.maybe(s.integer(0, 1))))


@op("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Less",
    "LessOrEqual", "Greater", "GreaterOrEqual", "PRelu", "Mod", "BitShift")
def binary(s):
    dtype = s.dtype(among=UNSIGNED) if s.op == "BitShift" else s.dtype()
    shape = s.shape()
    left, right = s.edges(dtype, shape), s.edges(dtype, s.broadcast(shape))
    attributes = {}
    if s.op in ("Div", "Mod"):
        right = np.where(right.astype(np.float64) == 0, np.ones_like(right), right).astype(right.dtype)
    if s.op == "Div" and is_integer(dtype):
        # The least number by -1 has no quotient.
        right = np.where((left == bounds(dtype)[0]).any() & (right == np.asarray(-1).astype(dtype)), np.ones_like(right), right)
    if s.op == "Mod":
        attributes["fmod"] = 1 if not is_integer(dtype) else s.integer(0, 1)
    if s.op == "BitShift":
        attributes["direction"] = s.pick(["LEFT", "RIGHT"])
        right = (right % (8 * right.dtype.itemsize)).astype(dtype)
    if s.op not in ("Div", "Mod", "BitShift", "PRelu") and s.chance(0.5):
        left, right = right, left
    return Use([left, right], attributes)


@op("Pow")
def power(s):
    shape = s.shape()
    base, exponent = s.dtype("T"), s.dtype("T1")
    # Powers that the base's type holds; a negative one of an integer is undefined where it is not whole.
    low, high = (-3, 3) if not is_integer(base) else (0, 3)
    if is_integer(exponent):
        low = max(low, bounds(exponent)[0])
        return Use([s.array(base, shape, *((1, 4) if low < 0 else ())), s.array(exponent, s.broadcast(shape), low, high)])
    return Use([s.array(base, shape, 1, 4), s.array(exponent, s.broadcast(shape), low, high)])


@op("Max", "Min", "Sum", "Mean")
def variadic(s):
    dtype, shape = s.dtype(), s.shape()
    make = s.edges if s.op in ("Max", "Min") else s.array
    return Use([make(dtype, s.broadcast(shape)) for _ in range(s.integer(1, 4))])


@op("Where")
def where(s):
    dtype, shape = s.dtype(), s.shape()
    return Use([s.array("bool", s.broadcast(shape)), s.edges(dtype, s.broadcast(shape)), s.array(dtype, s.broadcast(shape))])


@op("Clip")
def clip(s):
    dtype = s.dtype()
    low, high = s.array(dtype, [2])
    if low > high and s.chance(0.8):
        low, high = high, low
    return Use([s.edges(dtype, s.shape()), s.maybe(np.array(low), 0.7), s.maybe(np.array(high), 0.7)])


@op("Cast", "CastLike")
def cast(s):
    start, end = s.dtype("T1"), s.dtype("T2")
    shape = s.shape()
    if numpy_dtype(start).kind != "b" and (is_integer(end) or end == "float8_e8m0fnu"):
        # What is out of range is undefined, of floats and of sub-byte integers.
        least, greatest = bounds(end) if is_integer(end) else (0, 100)
        inner = bounds(start) if is_integer(start) else (-6, 6)
        array = s.array(start, shape, max(least, inner[0], -100), min(greatest, inner[1], 100))
        if is_integer(start) and end not in SMALL_INTS and start not in SMALL_INTS:
            array = s.edges(start, shape)  # wraps
    else:
        array = s.edges(start, shape)
    attributes = s.attributes(saturate=s.maybe(s.integer(0, 1), 0.3)) if end in SMALL_FLOATS[:4] else {}
    if s.op == "CastLike":
        return Use([array, s.array(end, [1])], attributes)
    return Use([array], {"to": onnx_dtype(end), **attributes})


@op("BitCast")
def bit_cast(s):
    start = s.dtype("T1", FLOATS + INTS)
    end = s.pick([name for name in s.types("T2", FLOATS + INTS) if numpy_dtype(name).itemsize == numpy_dtype(start).itemsize])
    return Use([s.edges(start, s.shape())], {"to": onnx_dtype(end)})


@op("Dropout")
def dropout(s):
    inputs = [s.array(s.dtype(), s.shape())]
    if s.chance(0.5):
        inputs.append(np.array(0.5, np.float32) if s.opset >= 12 else None)
    return Use(inputs, outputs=s.integer(1, 2))
