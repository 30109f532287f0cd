# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools."""

import numpy as np

from .source import Use, ints, op


def window(s, rank):
    """Attributes of a window; sizes of the input that it fits into."""
    kernel = [s.integer(1, 3) for _ in range(rank)]
    dilations = [s.integer(1, 2) for _ in range(rank)]
    attributes = s.attributes(dilations=s.maybe(dilations), strides=s.maybe([s.integer(1, 3) for _ in range(rank)]))
    span = [(k - 1) * d + 1 for k, d in zip(kernel, attributes.get("dilations", [1] * rank))]
    sizes = [e + s.pick([0, 1, 2, 3, 4, 5, 6, 13, 16]) for e in span]
    form = s.integer(0, 3)
    if form == 1:
        attributes["auto_pad"] = s.pick(["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
    elif form >= 2:
        attributes["pads"] = [s.integer(0, (k - 1) // 2 + (k > 1)) for k in kernel * 2]
    return kernel, attributes, sizes


def groups(s, attributes):
    """Channels of input and output, groups."""
    group = s.pick([1, 1, 2, 3, 5])
    if group > 1:
        attributes["group"] = group
    return group * s.pick([1, 2, 3, 16]), group * s.pick([1, 2, 3, 17]), group


@op("Conv")
def conv(s):
    rank = s.integer(1, 3)
    kernel, attributes, sizes = window(s, rank)
    inputs, outputs, group = groups(s, attributes)
    dtype = s.dtype()
    if s.chance(0.3):
        attributes["kernel_shape"] = kernel
    return Use([s.array(dtype, [s.size(0) if s.chance(0.1) else s.integer(1, 2), inputs] + sizes),
                s.array(dtype, [outputs, inputs // group] + kernel), s.maybe(s.array(dtype, [outputs]))], attributes)


@op("ConvInteger")
def conv_integer(s):
    rank = s.integer(1, 2)
    kernel, attributes, sizes = window(s, rank)
    inputs, outputs, group = groups(s, attributes)
    a, b = s.dtype("T1"), s.dtype("T2")
    return Use([s.edges(a, [1, inputs] + sizes), s.edges(b, [outputs, inputs // group] + kernel), s.maybe(s.edges(a, [])),
                s.maybe(s.edges(b, s.pick([[], [outputs]])))], attributes)


@op("QLinearConv")
def qlinear_conv(s):
    rank = s.integer(1, 2)
    kernel, attributes, sizes = window(s, rank)
    inputs, outputs, group = groups(s, attributes)
    a, b, y = s.dtype("T1"), s.dtype("T2"), s.dtype("T3")
    if s.chance(0.8):
        y = a  # as onnxruntime wants it
    several = s.pick([[], [outputs]])
    return Use([s.edges(a, [1, inputs] + sizes), s.array("float32", [], 0.02, 0.1), s.edges(a, []),
                s.edges(b, [outputs, inputs // group] + kernel), s.array("float32", several, 0.02, 0.1), s.array(b, several),
                s.array("float32", [], 0.1, 0.5), s.edges(y, []), s.maybe(s.array("int32", [outputs], -500, 500))], attributes)


@op("ConvTranspose")
def conv_transpose(s):
    rank = s.integer(1, 3)
    kernel, attributes, sizes = window(s, rank)
    attributes.pop("auto_pad", None)
    attributes.pop("pads", None)
    strides = attributes.get("strides", [1] * rank)
    if s.chance(0.4):
        attributes["pads"] = [s.integer(0, (k - 1) // 2) for k in kernel * 2]
    elif s.chance(0.3):
        attributes["auto_pad"] = s.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    if s.chance(0.3) and "strides" in attributes:
        attributes["output_padding"] = [s.integer(0, stride - 1) for stride in strides]
    elif s.chance(0.2) and "pads" not in attributes:
        span = [(k - 1) * d + 1 for k, d in zip(kernel, attributes.get("dilations", [1] * rank))]
        full = [(n - 1) * t + e for n, t, e in zip(sizes, strides, span)]
        attributes["output_shape"] = [max(1, f - s.integer(0, 2)) for f in full]
    inputs, outputs, group = groups(s, attributes)
    dtype = s.dtype()
    return Use([s.array(dtype, [s.integer(1, 2), inputs] + sizes), s.array(dtype, [inputs, outputs // group] + kernel),
                s.maybe(s.array(dtype, [outputs]))], attributes)


@op("DeformConv")
def deform_conv(s):
    kernel, attributes, sizes = window(s, 2)
    attributes.pop("auto_pad", None)
    inputs, outputs, group = groups(s, attributes)
    offset_group = s.pick([1, inputs])
    pads, strides, dilations = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1]), attributes.get("dilations", [1, 1])
    result = [(n + p + q - (k - 1) * d - 1) // t + 1
              for n, p, q, k, d, t in zip(sizes, pads[:2], pads[2:], kernel, dilations, strides)]
    attributes["offset_group"] = offset_group
    taps = offset_group * kernel[0] * kernel[1]
    dtype = s.dtype(among=["float32", "float64"])
    return Use([s.array(dtype, [1, inputs] + sizes), s.array(dtype, [outputs, inputs // group] + kernel),
                s.array(dtype, [1, 2 * taps] + result), s.maybe(s.array(dtype, [outputs])), s.maybe(s.array(dtype, [1, taps] + result))],
               attributes)


@op("MaxPool", "AveragePool", "LpPool")
def pool(s):
    rank = s.integer(1, 3)
    kernel, attributes, sizes = window(s, rank)
    attributes["kernel_shape"] = kernel
    if s.chance(0.3) and "auto_pad" not in attributes:
        attributes["ceil_mode"] = 1
    if s.op == "AveragePool" and s.chance(0.4):
        attributes["count_include_pad"] = 1
    if s.op == "LpPool":
        attributes["p"] = s.integer(1, 3)
    outputs = 1
    if s.op == "MaxPool" and s.chance(0.3):
        outputs = 2
        if s.chance(0.5):
            attributes["storage_order"] = s.integer(0, 1)
    return Use([s.array(s.dtype(), [s.integer(1, 2), s.integer(1, 3)] + sizes)], attributes, outputs)


@op("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(s):
    attributes = s.attributes(p=s.maybe(s.integer(1, 3))) if s.op == "GlobalLpPool" else {}
    return Use([s.array(s.dtype(), s.shape(rank=s.integer(3, 5), low=1))], attributes)


@op("MaxUnpool")
def max_unpool(s):
    dtype, rank = s.dtype("T1", ["float32", "float64"]), s.integer(1, 2)
    kernel = [s.integer(1, 3) for _ in range(rank)]
    lead, sizes = [s.integer(1, 2), s.integer(1, 2)], [s.integer(1, 3) for _ in range(rank)]
    full = lead + [n * k for n, k in zip(sizes, kernel)]
    count = int(np.prod(lead + sizes))
    indices = s.random.permutation(int(np.prod(full)))[:count].reshape(lead + sizes)
    return Use([s.array(dtype, lead + sizes), indices, s.maybe(ints(full), 0.4)], {"kernel_shape": kernel, "strides": kernel}, shapelike=(2,))


@op("MaxRoiPool")
def max_roi_pool(s):
    batch, count = s.integer(1, 2), s.integer(1, 3)
    corner = s.random.integers(0, 5, [count, 2])
    rois = np.concatenate([s.random.integers(0, batch, [count, 1]), corner, corner + s.random.integers(0, 5, [count, 2])], 1)
    return Use([s.array("float32", [batch, s.integer(1, 2), 6, 7]), rois.astype(np.float32)],
               {"pooled_shape": [s.integer(1, 3), s.integer(1, 3)], **s.attributes(spatial_scale=s.maybe(0.5))})


@op("Col2Im")
def col_to_image(s):
    block = [s.integer(1, 2), s.integer(1, 3)]
    image = [s.integer(3, 5), s.integer(3, 5)]
    strides = [s.integer(1, 2), s.integer(1, 2)]
    dilations = [s.integer(1, 2), 1]
    pads = [s.integer(0, 1) for _ in range(4)]
    blocks = np.prod([(i + p + q - (b - 1) * d - 1) // t + 1
                      for i, b, t, d, p, q in zip(image, block, strides, dilations, pads[:2], pads[2:])])
    array = s.array(s.dtype(), [s.integer(1, 2), s.integer(1, 2) * block[0] * block[1], int(blocks)])
    return Use([array, ints(image), ints(block)], {"strides": strides, "dilations": dilations, "pads": pads}, shapelike=(1, 2))


@op("CausalConvWithState")
def causal_conv(s):
    batch, channels, length, kernel, dtype = s.integer(1, 2), s.integer(1, 3), s.integer(1, 5), s.integer(1, 4), s.dtype(among=["float32", "float16"])
    return Use([s.array(dtype, [batch, channels, length]), s.array(dtype, [channels, 1, kernel]), s.maybe(s.array(dtype, [channels])),
                s.maybe(s.array(dtype, [batch, channels, kernel - 1]))], s.attributes(activation=s.maybe("silu")), outputs=2)
