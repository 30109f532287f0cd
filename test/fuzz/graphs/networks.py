# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional and recurrent networks as they are exported."""

import numpy as np
from onnx import TensorProto, numpy_helper

from . import sizes
from .builder import FLOAT, INT64
from .registry import motif
from .sizes import Size

CHANNELS = (1, 2, 3, 4, 6, 8, 8, 12, 16, 16, 24, 32, 40, 48, 64)


def is_image(v, least=1):
    return not isinstance(v.shape[1], Size) and v.shape[1] and all(
        min(int(d), sizes.second(d)) >= least for d in v.shape[2:])


def image(g, dims=2, least=3):
    found = g.pick(lambda v: v.dtype == FLOAT and v.rank == dims + 2 and is_image(v, least) and v.size <= 6000)
    if found and not g.chance(0.15):
        return found
    spatial = []
    for _ in range(dims):
        size = g.dim(0.35)
        spatial.append(size if min(int(size), sizes.second(size)) >= least and max(int(size), sizes.second(size)) <= 40 // dims
                       else g.integer(least, 14 if dims < 3 else 6))
    return g.source(FLOAT, (g.choose((1, 1, 2, g.dim())), g.choose(CHANNELS), *spatial))


def slid(size, kernel, stride, pads, dilation=1, ceil=False):
    """Places of a window."""
    free = size + (pads - dilation * (kernel - 1) - 1)
    return (free + (stride - 1 if ceil else 0)) // stride + 1


def convolution(g, x, maps=None, group=None, op="Conv", kernel=None):
    dims, channels = x.rank - 2, x.shape[1]
    least = [min(int(d), sizes.second(d)) for d in x.shape[2:]]
    kernel = kernel or [g.choose([k for k in (1, 1, 2, 3, 3, 5) if k <= size]) for size in least]
    group = group or g.choose([n for n in (1, 1, 1, 2, 3, 4, channels, channels) if channels % n == 0])
    maps = maps or group * g.choose((1, 1, 2, 3, 4, 5, 8))
    if maps > 100:
        maps = group
    attributes, shape = {}, [x.shape[0], maps]
    same = g.chance(0.15)
    strides = [g.choose((1, 1, 1, 2)) for _ in range(dims)]
    dilations = [g.choose((1, 1, 1, 2)) if not same and 2 * (k - 1) < size else 1 for k, size in zip(kernel, least)]
    pads = [g.integer(0, k // 2) for k in kernel]
    pads = pads + (pads if g.chance(0.8) else [g.integer(0, k // 2) for k in kernel])
    for i, size in enumerate(x.shape[2:]):
        shape.append((size + (strides[i] - 1)) // strides[i] if same else
                     slid(size, kernel[i], strides[i], pads[i] + pads[i + dims], dilations[i]))
    if same:
        attributes["auto_pad"] = g.choose(("SAME_UPPER", "SAME_LOWER"))
    elif any(pads) or g.chance(0.5):
        attributes["pads"] = pads
    if set(strides) != {1} or g.chance(0.5):
        attributes["strides"] = strides
    if set(dilations) != {1} or g.chance(0.5):
        attributes["dilations"] = dilations
    weight = g.weight(maps, channels // group, *kernel)
    operands = [x, weight] + ([g.weight(maps)] if g.chance(0.6) else [])
    return g.add(op, operands, shape, group=group if group > 1 or g.chance(0.5) else None,
                 kernel_shape=kernel if g.chance(0.7) else None, **attributes)


def batch_norm(g, x):
    c = x.shape[1]
    return g.add("BatchNormalization", [x, g.vector(c), g.weight(c), g.weight(c), g.vector(c)], x.shape,
                 epsilon=g.choose((None, 1e-3, 1e-5)), momentum=g.choose((None, 0.9)))


def activation(g, x):
    kind = g.integer(0, 9)
    if kind == 0:
        return g.clip(x, 0, 6)
    if kind == 1:  # SiLU
        return g.arithmetic("Mul", x, g.unary("Sigmoid", x))
    if kind == 2:
        return g.unary("LeakyRelu", x, alpha=g.choose((None, 0.1, 0.2)))
    if kind == 3:  # hard swish in pieces
        y = g.clip(g.binary("Add", x, g.number(3, x)), 0, 6)
        return g.binary("Div", g.arithmetic("Mul", x, y), g.number(6, x)) if g.chance(0.5) else \
            g.arithmetic("Mul", x, g.binary("Mul", y, g.number(1 / 6, x)))
    if kind == 4:
        if g.opset >= 14 and g.chance(0.5):
            return g.unary("HardSwish", x)
        return g.arithmetic("Mul", x, g.unary("HardSigmoid", x, alpha=1 / 6, beta=0.5))
    if kind == 5 and x.rank >= 2 and not isinstance(x.shape[1], Size):
        return g.add("PRelu", [x, g.vector((x.shape[1], *[1] * (x.rank - 2)), 0, 0.5)], x.shape)
    if kind == 6:
        return g.unary(g.choose(("Elu", "Selu", "Softplus", "Tanh", "Sigmoid", "Softsign")), x)
    if kind == 7 and g.opset >= 18 and g.chance(0.4):
        return g.unary("Mish", x)
    if kind == 7:  # Mish in pieces
        return g.arithmetic("Mul", x, g.unary("Tanh", g.unary("Softplus", x)))
    return g.unary("Relu", x)


@motif(weight=4)
def conv_stack(g):
    x = image(g, g.choose((2, 2, 2, 2, 1, 3)))
    for _ in range(g.integer(1, 3)):
        if x.size > 12000 or not is_image(x):
            return
        x = convolution(g, x)
        x = batch_norm(g, x) if g.chance(0.4) else x
        x = activation(g, x) if g.chance(0.7) else x
        if g.chance(0.3):
            x = pooled(g, x)


@motif(weight=2)
def residual(g):
    x = image(g)
    y, c = x, x.shape[1]
    for i in range(2):
        k = g.choose((1, 3))
        weight = g.weight(c, c, k, k)
        y = g.add("Conv", [y, weight] + ([g.weight(c)] if g.chance(0.5) else []), x.shape, kernel_shape=[k, k], pads=[k // 2] * 4)
        y = batch_norm(g, y) if g.chance(0.4) else y
        y = activation(g, y) if i == 0 else y
    activation(g, g.arithmetic("Add", y, x))


@motif(weight=1.5)
def inverted_residual(g):
    """1x1, depthwise, squeeze and excitation, 1x1."""
    x = image(g)
    c = x.shape[1]
    wide = c * g.choose((1, 2, 3))
    if wide > 100:
        return
    y = activation(g, g.add("Conv", [x, g.weight(wide, c, 1, 1), g.weight(wide)], (x.shape[0], wide, *x.shape[2:])))
    k = g.choose((3, 5))
    y = g.add("Conv", [y, g.weight(wide, 1, k, k)], y.shape, group=wide, pads=[k // 2] * 4, kernel_shape=[k, k])
    y = activation(g, batch_norm(g, y))
    s = g.add("GlobalAveragePool", [y], (*y.shape[:2], 1, 1)) if g.chance(0.6) else g.reduce("ReduceMean", y, [2, 3], 1)
    few = max(1, wide // 4)
    s = g.unary("Relu", g.add("Conv", [s, g.weight(few, wide, 1, 1), g.weight(few)], (x.shape[0], few, 1, 1)))
    s = g.unary(g.choose(("Sigmoid", "HardSigmoid")), g.add("Conv", [s, g.weight(wide, few, 1, 1)], (x.shape[0], wide, 1, 1)))
    y = g.arithmetic("Mul", y, s)
    y = g.add("Conv", [y, g.weight(c, wide, 1, 1), g.weight(c)], x.shape)
    g.arithmetic("Add", x, y)


def pooled(g, x):
    dims = x.rank - 2
    least = [min(int(d), sizes.second(d)) for d in x.shape[2:]]
    op = g.choose(("MaxPool", "AveragePool"))
    kernel = [g.choose([k for k in (1, 2, 3) if k <= size]) for size in least]
    strides = [g.choose((1, 2, k)) for k in kernel]
    pads = [g.integer(0, k // 2) for k in kernel] * 2
    attributes = {"pads": pads} if any(pads) or g.chance(0.5) else {}
    ceil = g.opset >= 10 and g.chance(0.15) and not any(pads) and all(s <= k for s, k in zip(strides, kernel))
    if ceil:
        attributes["ceil_mode"] = 1
    if op == "AveragePool" and not ceil:
        attributes["count_include_pad"] = g.choose((0, 1))
    shape = [*x.shape[:2], *(slid(d, k, s, 2 * p, 1, ceil) for d, k, s, p in zip(x.shape[2:], kernel, strides, pads))]
    if op == "MaxPool" and g.opset >= 8 and g.chance(0.1):
        return g.several(op, [x], [(FLOAT, shape), (INT64, shape)], kernel_shape=kernel, strides=strides, **attributes)[0]
    return g.add(op, [x], shape, kernel_shape=kernel, strides=strides, **attributes)


@motif()
def pools(g):
    x = image(g, g.choose((1, 2, 2, 3)))
    if g.chance(0.3):
        g.add(g.choose(("GlobalAveragePool", "GlobalMaxPool")), [x], (*x.shape[:2], *[1] * (x.rank - 2)))
    else:
        pooled(g, x)


@motif(weight=1.5)
def transposed_convolution(g):
    x = image(g, g.choose((1, 2, 2)), 2)
    if x.size > 3000:
        return
    dims, c = x.rank - 2, x.shape[1]
    group = g.choose([n for n in (1, 1, 2, c) if c % n == 0])
    maps = g.integer(1, 8)
    kernel = [g.integer(1, 4) for _ in range(dims)]
    strides = [g.integer(1, 3) for _ in range(dims)]
    pads = [g.integer(0, (k - 1) // 2) for k in kernel] * 2
    extra = [g.integer(0, s - 1) if g.chance(0.3) else 0 for s in strides]
    shape = [x.shape[0], maps * group, *((d - 1) * s + (k + o - 2 * p) for d, s, k, o, p in zip(x.shape[2:], strides, kernel, extra, pads))]
    operands = [x, g.weight(c, maps, *kernel)] + ([g.weight(maps * group)] if g.chance(0.5) else [])
    y = g.add("ConvTranspose", operands, shape, group=group, strides=strides, pads=pads, kernel_shape=kernel,
              output_padding=extra if any(extra) else None)
    activation(g, y)


@motif(weight=1.5)
def resize(g):
    """Upsample or Resize by scales, or by sizes from shapes."""
    x = image(g, 2, 2)
    if x.size > 2000:
        return
    n, c, h, w = x.shape
    factors = [g.choose((1, 2, 2, 3)) for _ in range(2)]
    shape = (n, c, h * factors[0], w * factors[1])
    scales = np.array([1, 1, *factors], np.float32)
    mode = g.choose(("nearest", "linear"))
    if g.opset < 9:
        g.add("Upsample", [x], shape, mode=mode, scales=[float(s) for s in scales])
    elif g.opset == 9:
        g.add("Upsample", [x, g.constant(scales)], shape, mode=mode)
    elif g.opset == 10:
        g.add("Resize", [x, g.constant(scales)], shape, mode=mode)
    else:
        place = g.choose(("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
        attributes = {"mode": mode, "coordinate_transformation_mode": place}
        if mode == "nearest":
            attributes["nearest_mode"] = g.choose(("floor", "round_prefer_floor"))
            attributes["coordinate_transformation_mode"] = "asymmetric"
        elif g.chance(0.3):
            attributes.update(mode="cubic", cubic_coeff_a=-0.75)
        empty = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
        if g.chance(0.5):
            g.add("Resize", [x, empty, g.constant(scales)], shape, **attributes)
        else:
            parts = [g.slice(g.shape_of(x), [0], [0], [2])]
            for i in (2, 3):
                parts.append(g.binary("Mul", g.size_of(x, i), g.ints(factors[i - 2])))
            none = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
            g.add("Resize", [x, empty, none, g.concat(parts, 0)], shape, **attributes)


@motif()
def skip(g):
    """U-Net: down, up, Concat with what was before."""
    x = image(g, 2, 4)
    if any(isinstance(d, Size) or d % 2 for d in x.shape[2:]) or g.opset < 8:
        return
    c = x.shape[1]
    y = g.add("MaxPool", [x], (*x.shape[:2], x.shape[2] // 2, x.shape[3] // 2), kernel_shape=[2, 2], strides=[2, 2])
    y = g.unary("Relu", g.add("Conv", [y, g.weight(c, c, 3, 3), g.weight(c)], y.shape, pads=[1] * 4))
    y = g.add("ConvTranspose", [y, g.weight(c, c, 2, 2)], x.shape, strides=[2, 2])
    y = g.concat([x, y] if g.chance(0.5) else [y, x], 1)
    g.add("Conv", [y, g.weight(c, 2 * c, 1, 1)], x.shape)


@motif()
def channel_shuffle(g):
    x = image(g)
    n, c, h, w = x.shape
    group = g.choose([k for k in (1, 2, 3, 4) if c % k == 0])
    if not x.size:
        return
    y = g.reshape(x, (n, group, c // group, h, w))
    y = g.transpose(y, [0, 2, 1, 3, 4])
    y = g.reshape(y, (n, c, h, w))
    if c % 2 == 0:
        g.split(y, 1, [c // 2, c // 2])


@motif(weight=1.5)
def group_norm(g):
    """GroupNorm as torch writes it below opset 18: of InstanceNormalization."""
    x = image(g)
    n, c, h, w = x.shape
    if not x.size or not sizes.second(sizes.product(x.shape)):
        return
    if g.chance(0.3):
        g.add("InstanceNormalization", [x, g.vector(c), g.weight(c)], x.shape, epsilon=1e-5)
        return
    group = g.choose([k for k in (1, 2, 4) if c % k == 0])
    if g.opset >= 21 and g.chance(0.4):
        g.add("GroupNormalization", [x, g.vector(c), g.weight(c)], x.shape, num_groups=group, epsilon=1e-3)
        return
    y = g.add("Reshape", [x, g.ints(0, group, -1)], (n, group, (c // group) * h * w))
    y = g.add("InstanceNormalization", [y, g.constant(np.ones(group, np.float32)), g.constant(np.zeros(group, np.float32))], y.shape, epsilon=1e-5)
    y = g.reshape_to(y, g.shape_of(x), x.shape)
    y = g.arithmetic("Mul", y, g.vector((c, 1, 1)))
    activation(g, g.arithmetic("Add", y, g.vector((1, c, 1, 1))))


@motif()
def local_norms(g):
    x = image(g, 2, 2)
    if g.opset >= 13 and g.chance(0.4):
        g.add("MeanVarianceNormalization", [x], x.shape)
    elif g.chance(0.5):
        g.add("LRN", [x], x.shape, size=g.choose((1, 3, 5)), alpha=1e-3)
    else:
        g.add("LpNormalization", [x], x.shape, axis=1, p=g.choose((1, 2)))


@motif()
def classifier(g):
    x = image(g, 2, 1)
    y = g.add("GlobalAveragePool", [x], (*x.shape[:2], 1, 1))
    y = g.add("Flatten", [y], x.shape[:2]) if g.chance(0.5) else g.reshape(y, x.shape[:2])
    columns = g.integer(1, 20)
    if g.chance(0.5):
        y = g.add("Gemm", [y, g.weight(columns, x.shape[1]), g.weight(columns)], (x.shape[0], columns), transB=1)
    else:
        y = g.linear(y, columns)
    if x.size:
        g.softmax(y, g.choose(("Softmax", "LogSoftmax")))


@motif(weight=2)
def recurrent(g):
    """torch's recurrent layers, their first states from sizes, both directions."""
    steps, batch = g.dim(), g.dim()
    if min(int(steps), sizes.second(steps), int(batch), sizes.second(batch)) < 1 or steps > 20:
        steps, batch = g.integer(1, 6), g.integer(1, 3)
    size, hidden = g.integer(1, 9), g.choose((1, 2, 4, 5, 8, 16))
    op, gates = g.choose((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    directions = g.choose((1, 1, 2))
    x = g.in_shape((steps, batch, size))
    if g.chance(0.4):
        x = g.transpose(g.in_shape((batch, steps, size)), [1, 0, 2])
    operands = [x, g.weight(directions, gates * hidden, size), g.weight(directions, gates * hidden, hidden),
                g.weight(directions, 2 * gates * hidden) if g.chance(0.7) else "", ""]
    if g.chance(0.15):
        lengths = g.source(TensorProto.INT32, (batch,), lambda shape: g.rng.integers(1, min(int(steps), sizes.second(steps)) + 1, shape).astype(np.int32))
        operands[4] = lengths
    state = (directions, batch, hidden)
    for _ in range(2 if op == "LSTM" else 1):
        if g.opset >= 9 and g.chance(0.4):
            target = g.joined([directions, g.size_of(x, 1), hidden])
            operands.append(g.add("ConstantOfShape", [target], state, FLOAT, value=numpy_helper.from_array(np.zeros(1, np.float32))))
        elif g.chance(0.4):
            operands.append(g.source(FLOAT, state))
        else:
            break
    while not operands[-1]:
        operands.pop()
    if op == "LSTM" and len(operands) == 6:
        operands.pop()  # both states, or none
        while not operands[-1]:
            operands.pop()
    results = [(FLOAT, (steps, directions, batch, hidden)), (FLOAT, state)] + ([(FLOAT, state)] if op == "LSTM" else [])
    if g.chance(0.3):
        results = results[:1]
    elif g.chance(0.2):
        results[0] = None
    attributes = {"direction": "bidirectional" if directions == 2 else g.choose(("forward", "forward", "reverse"))}
    if op == "GRU":
        attributes["linear_before_reset"] = g.integer(0, 1)
    y = g.several(op, operands, results, hidden_size=hidden, **attributes)[0]
    if y is None:
        return
    if directions == 1:
        y = g.squeeze(y, [1])
    else:
        y = g.transpose(y, [0, 2, 1, 3])
        y = g.add("Reshape", [y, g.ints(0, 0, -1)], (steps, batch, 2 * hidden))
    if g.chance(0.4):
        y = g.transpose(y, [1, 0, 2])
    if g.chance(0.4):
        g.linear(y, g.integer(1, 9))
