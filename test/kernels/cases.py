# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small graphs that become kernels: for each family a table of parameters, whose
values lie around the boundaries of the schedules, and a function that makes the
nodes of one combination."""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import layouts
from attention_cases import attention_table, make_attention
from byte_values import BYTES, byte_weights, pixels
from float_values import FLOATS

OPSET = 22  # whose windows take bfloat16


class Skip(Exception):
    """The combination is not a valid operator."""


class Graph:
    """One model with many independent cases. Names of a case begin with its number."""

    def __init__(self):
        self.nodes, self.inputs, self.outputs, self.weights, self.feeds, self.texts = [], [], [], [], {}, []

    def model(self):
        graph = helper.make_graph(self.nodes, "kernels", self.inputs, self.outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)],
                                 ir_version=10)


class Case:
    """Builds the nodes of one combination in a graph."""

    def __init__(self, graph, random, number, values):
        self.graph, self.random, self.number, self.values = graph, random, number, values
        self.names = 0
        self.start = [len(part) for part in (graph.nodes, graph.inputs, graph.weights)]
        self.fed = []
        # Largest difference to -O0 that is allowed: relative to the largest value, or in steps.
        self.relative, self.steps = 1e-4, 0

    def __getattr__(self, name):
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    def undo(self):
        nodes, inputs, weights = self.start
        del self.graph.nodes[nodes:], self.graph.inputs[inputs:], self.graph.weights[weights:]
        for name in self.fed:
            del self.graph.feeds[name]

    def name(self, kind):
        self.names += 1
        return f"c{self.number}_{kind}{self.names}"

    def numbers(self, shape, element):
        """Normally distributed, or all values of an integer type."""
        dtype = np.dtype(FLOATS.get(element, element))
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            low, high = (info.min, info.max) if info.bits <= 8 else (-1000, 1000)
            return self.random.integers(low, high + 1, shape).astype(dtype)
        return self.random.standard_normal(shape).astype(dtype)

    def weight(self, value):
        name = self.name("w")
        self.graph.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def packed(self, element_type, shape, values):
        """A weight whose type numpy lacks."""
        name = self.name("w")
        self.graph.weights.append(helper.make_tensor(name, element_type, shape, values))
        return name

    def input(self, value, open_dims=()):
        name = self.name("x")
        dims = [self.name("d") if i in open_dims else size for i, size in enumerate(value.shape)]
        self.graph.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), dims))
        self.graph.feeds[name] = value
        self.fed.append(name)
        return name

    def node(self, op, inputs, **attributes):
        name = self.name("y")
        self.graph.nodes.append(helper.make_node(op, inputs, [name], name=f"{name}_{op}", **attributes))
        return name

    def output(self, name):
        """The result of the case; its type and sizes are inferred."""
        self.graph.nodes.append(helper.make_node("Identity", [name], [f"out{self.number}"]))
        self.graph.outputs.append(onnx.ValueInfoProto(name=f"out{self.number}"))

    def need(self, condition):
        if not condition:
            raise Skip

    def tolerate(self, element):
        if element == "f16":
            self.relative = 4e-3
        elif element == "bf16":
            self.relative = 3e-2


# -- What follows a kernel ---------------------------------------------------------

AFTER = ["none", "relu", "none", "channel", "residual", "clip", "greater", "to_int", "to_f64", "to_f16", "divide", "sigmoid", "resized",
         "sliced", "transposed", "int_divide", "mean", "shuffled"]


def follow(case, name, shape, channel_axis, element):
    """Ops that may become part of the kernel's epilogue, or read its blocked result."""
    dtype = FLOATS[element]
    by_channel = [1] * len(shape)
    by_channel[channel_axis] = shape[channel_axis]
    after = case.after
    if after == "relu":
        return case.node("Relu", [name])
    if after == "channel":
        name = case.node("Mul", [name, case.weight(case.numbers(by_channel, element))])
        return case.node("Add", [name, case.weight(case.numbers(by_channel, element))])
    if after == "residual":
        return case.node("Relu", [case.node("Add", [case.input(case.numbers(shape, element)), name])])
    if after == "clip":
        return case.node("Clip", [name, case.weight(dtype(-0.5)), case.weight(dtype(1))])
    if after == "greater":
        limit = case.input(case.numbers(by_channel, element) * dtype(100))
        return case.node("Where", [case.node("Greater", [limit, case.weight(dtype(0))]), name, case.weight(dtype(7))])
    if after in ("to_int", "int_divide"):
        # Far from the values where rounding decides.
        name = case.node("Where", [case.node("Less", [name, case.weight(dtype(-1e6))]), case.weight(dtype(3)), case.weight(dtype(9))])
        name = case.node("Cast", [name], to=TensorProto.INT32)
        if after == "to_int":
            return case.node("Cast", [name], to=TensorProto.INT8)
        divisors = case.numbers(by_channel, np.int32)
        return case.node("Div", [name, case.input(divisors)])
    if after == "to_f64":
        return case.node("Cast", [name], to=TensorProto.DOUBLE)
    if after == "to_f16":
        case.relative = max(case.relative, 4e-3)
        return case.node("Cast", [name], to=TensorProto.FLOAT16)
    if after == "divide":
        return case.node("Div", [name, case.input(np.abs(case.numbers(by_channel, element)) + dtype(1))])
    if after == "sigmoid":
        return case.node("Mul", [name, case.node("Sigmoid", [name])])
    if after == "resized":
        case.need(len(shape) == 4 and shape[2] % 2 == 0 and shape[3] % 2 == 0 and element == "f32")
        small = case.numbers((*shape[:2], shape[2] // 2, shape[3] // 2), element)
        scales = case.weight(np.array([1, 1, 2, 2], np.float32))
        large = case.node("Resize", [case.input(small), "", scales], mode="nearest", nearest_mode="floor",
                          coordinate_transformation_mode="asymmetric")
        return case.node("Add", [name, large])
    if after == "sliced":
        large = case.input(case.numbers([size + 3 for size in shape], element))
        ends = case.weight(np.array([size + 3 for size in shape]))
        part = case.node("Slice", [large, case.weight(np.full(len(shape), 3)), ends])
        return case.node("Add", [name, part])
    if after == "transposed":
        return case.node("Transpose", [case.node("Relu", [name])], perm=[0, *range(2, len(shape)), 1])
    if after == "mean":
        return case.node("ReduceMean", [name, case.weight(np.array([len(shape) - 1]))], keepdims=1)
    if after == "shuffled":
        case.need(shape[channel_axis] % 2 == 0 and channel_axis == 1)
        split = [shape[0], 2, shape[1] // 2, *shape[2:]]
        name = case.node("Reshape", [name, case.weight(np.array(split))])
        name = case.node("Transpose", [name], perm=[0, 2, 1, *range(3, len(split))])
        return case.node("Reshape", [name, case.weight(np.array(shape))])
    return name


# -- Convolutions and windows --------------------------------------------------------

def window(case, dims):
    """Sizes of windows, and what they leave of the image."""
    kernel, stride = [case.kernel] * dims, [case.stride] * dims
    dilation, pads = [case.dilation] * dims, [0] * (2 * dims)
    if case.pads == "same":
        pads = [(case.kernel - 1) * case.dilation // 2] * (2 * dims)
    elif case.pads == "before":
        pads = [(case.kernel - 1) * case.dilation] * dims + [0] * dims
    elif case.pads == "begin":
        pads = [1] * dims + [0] * dims
    elif case.pads == "end":
        pads = [0] * dims + [case.kernel] * dims
    elif case.pads == "far":
        pads = [case.kernel + 1] * (2 * dims)
    if dims > 1 and case.uneven in ("columns", "both"):
        kernel[-1] = 1 if case.uneven == "columns" else case.kernel + 2
    elif dims > 1 and case.uneven:
        kernel[0], stride[-1] = 1, 1
    return kernel, stride, dilation, pads


def sizes_of(case, dims):
    """The last dimension has the size that the table gives; 3-D images are small, and rows alone as long as the table may say."""
    size = min(case.size, 9) if dims == 3 else case.size * (case.longer if dims == 1 else 1)
    return [size if i == dims - 1 or case.uneven is not True else min(size, 5) for i in range(dims)]


def extents(sizes, kernel, stride, dilation, pads):
    dims = len(sizes)
    return [(sizes[i] + pads[i] + pads[dims + i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(dims)]


def open_dims(case, rank):
    return {"none": (), "batch": (0,), "space": tuple(range(2, rank)), "all": (0, *range(2, rank)), "last": (rank - 1,)}[case.open]


def conv_table(lanes):
    return {
        "dims": [2, 2, 1, 3],
        "channels": [1, 3, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes],
        "filters": [1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes, 4 * lanes, 5 * lanes, 7 * lanes, 8 * lanes],
        "kernel": [1, 3, 1, 2, 5, 11], "stride": [1, 1, 2, 3], "dilation": [1, 1, 2], "pads": ["same", "none", "begin", "end", "far"],
        "size": [1, 4, 7, 8, 14, 15, 16, 21, 30], "uneven": [False, True], "batch": [1, 2],
        "open": ["none", "none", "batch", "space", "all", "last"], "element": ["f32", "f32", "f16", "bf16"],
        "bias": [True, False], "longer": [1], "after": AFTER,
    }


def make_conv(case, groups=1, channels=None, filters=None, scale=1):
    dims, channels, filters = case.dims, channels or case.channels, filters or case.filters
    kernel, stride, dilation, pads = window(case, dims)
    sizes = sizes_of(case, dims)
    out = extents(sizes, kernel, stride, dilation, pads)
    case.need(min(out) >= 1 and math.prod(kernel) * channels // groups * filters <= 1 << 19)
    case.need(math.prod(kernel) * channels // groups * filters * math.prod(out) <= 1 << 25)
    element = case.element
    case.tolerate(element)
    image = case.input(case.numbers((case.batch, channels, *sizes), element), open_dims(case, dims + 2))
    weights = case.numbers((filters, channels // groups, *kernel), element)
    inputs = [image, case.weight((weights * scale).astype(weights.dtype))]
    if case.bias:
        inputs.append(case.weight(case.numbers((filters,), element)))
    name = case.node("Conv", inputs, kernel_shape=kernel, strides=stride, dilations=dilation, pads=pads, group=groups)
    case.output(follow(case, name, (case.batch, filters, *out), 1, element))


def winograd_table(lanes):
    """Windows of so many channels that few products are faster, of a row, a column, a square or slices of them, whole or in parts: shares of
    channels, whole and cut squares, narrow last panels, runs of squares that end within rows and images, and open sizes, small and large."""
    table = conv_table(lanes)
    table.update({
        "dims": [2, 2, 1, 3], "channels": [2 * lanes, 4 * lanes, 16, 40, 144, 4 * lanes + 1], "kernel": [3, 3, 5, 7, 4, 9, 11], "stride": [1],
        "dilation": [1],
        "filters": [2 * lanes, 4 * lanes, lanes, 3 * lanes, 5 * lanes, 4 * lanes + 3], "pads": ["same", "none", "begin", "far"],
        "size": [7, 8, 13, 14, 28, 30, 70], "uneven": [False, True, "columns", "both"], "batch": [1, 2, 1, 5],
        "open": ["none", "batch", "space", "all", "last"], "element": ["f32"], "longer": [7],
    })
    return table


def dilated_table(lanes):
    """As winograd_table, of rows whose taps lie apart, by what divides their lengths, pads and results, or does not."""
    table = winograd_table(lanes)
    table.update({"dims": [1], "kernel": [3, 3, 5, 7, 4], "dilation": [2, 4, 3, 8, 12], "size": [24, 48, 72, 50], "longer": [1, 4],
                  "pads": ["before", "same", "none", "far"], "open": ["none", "none", "batch", "all"]})
    return table


def make_scaled(case):
    """Sums of about 1: what bounds them behind the kernel does not make their errors larger."""
    make_conv(case, scale=1 / math.sqrt(math.prod([case.kernel] * case.dims) * case.channels))


def deep_table(lanes):
    """So many channels that a panel of weights does not stay in the nearest cache: whole and cut pieces of channels, groups
    of tiles that end with a part of one, small maps, and open sizes, small and large."""
    table = conv_table(lanes)
    table.update({
        "dims": [2, 2, 1, 3], "channels": [256, 272, 600, 8 * lanes, 520, 31 * lanes + 1, 1040], "kernel": [1, 1, 3, 5], "stride": [1, 1, 2],
        "filters": [2 * lanes, 5 * lanes, lanes, 7 * lanes + 3, 16 * lanes, 33 * lanes], "pads": ["none", "same", "none", "begin"],
        "size": [7, 14, 3, 9, 13, 20, 90], "uneven": [False, True], "batch": [1, 2, 1], "longer": [1, 9, 37],
        "dilation": [1, 1, 2, 12],
    })
    return table


def grouped_table(lanes):
    table = conv_table(lanes)
    table.update({
        "dims": [2, 2, 1], "groups": [2, 3, 4, 5],
        "channels": [lanes, 2 * lanes, lanes, 1, 2, lanes // 2, lanes + 1],
        "filters": [lanes, 2 * lanes, 3 * lanes, 4 * lanes, 5 * lanes, 6 * lanes, 7 * lanes, 9 * lanes, 1, 2, lanes // 2, lanes + 1],
        "kernel": [1, 3, 1, 2], "size": [1, 7, 8, 14, 15, 21],
    })
    return table


def make_grouped(case):
    make_conv(case, case.groups, case.groups * case.channels, case.groups * case.filters)


def depthwise_table(lanes):
    table = conv_table(lanes)
    del table["filters"]
    table.update({"channels": [2, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes], "multiplier": [1, 1, 2, 3], "kernel": [3, 1, 2, 5, 7]})
    return table


def grouped_winograd_table(lanes):
    """As winograd_table, of groups of few channels and filters, in one panel or several."""
    table = winograd_table(lanes)
    table.update({"dims": [2, 2, 2, 1, 3], "groups": [2, 3, 4, 5], "channels": [8, 16, 24, 32, 40], "filters": [8, 16, 24, 32, 40, 48, 56], "kernel": [3, 3, 3, 5]})
    return table


def make_grouped_winograd(case):
    channels = case.groups * case.channels
    make_conv(case, case.groups, channels, case.groups * case.filters, scale=1 / math.sqrt(math.prod([case.kernel] * case.dims) * case.channels))


def make_depthwise(case):
    make_conv(case, case.channels, case.channels, case.channels * case.multiplier)


def transposed_table(lanes):
    table = conv_table(lanes)
    table.update({"groups": [1, 1, 2, "channels"], "extra": [0, 0, 1], "kernel": [1, 2, 3, 4, 5], "stride": [2, 1, 3, 4],
                  "pads": ["none", "same", "begin"], "size": [1, 4, 7, 8, 15], "filters": [1, lanes - 1, lanes, 2 * lanes, 3 * lanes]})
    return table


def split_phases_table(lanes):
    """As transposed_table, of so few filters that each phase gets filters of its own."""
    return transposed_table(lanes) | {"groups": [1], "dilation": [1, 1, 1, 2], "filters": [1, 2, 3, 5], "kernel": [4, 2, 3, 5, 8, 9], "stride": [2, 3, 4, 5],
                                      "channels": [lanes, 2 * lanes, 3 * lanes + 1, 5 * lanes], "size": [1, 4, 7, 8, 15, 22]}


def make_transposed(case):
    dims, channels = case.dims, case.channels
    groups = channels if case.groups == "channels" else case.groups
    per_group = 1 if case.groups == "channels" else case.filters
    channels = channels * groups if case.groups == 2 else channels
    kernel, stride, dilation, pads = window(case, dims)
    sizes = sizes_of(case, dims)
    out = [(sizes[i] - 1) * stride[i] - pads[i] - pads[dims + i] + (kernel[i] - 1) * dilation[i] + 1 for i in range(dims)]
    extra = [case.extra if case.extra < max(stride[i], dilation[i]) else 0 for i in range(dims)]
    out = [size + more for size, more in zip(out, extra)]
    case.need(min(out) >= 1 and math.prod(kernel) * channels * per_group * math.prod(out) <= 1 << 24)
    element = case.element
    case.tolerate(element)
    image = case.input(case.numbers((case.batch, channels, *sizes), element), open_dims(case, dims + 2))
    inputs = [image, case.weight(case.numbers((channels, per_group, *kernel), element))]
    if case.bias:
        inputs.append(case.weight(case.numbers((per_group * groups,), element)))
    name = case.node("ConvTranspose", inputs, kernel_shape=kernel, strides=stride, dilations=dilation, pads=pads, group=groups,
                     output_padding=extra)
    case.output(follow(case, name, (case.batch, per_group * groups, *out), 1, element))


def pool_table(lanes):
    table = conv_table(lanes)
    del table["bias"], table["filters"]
    table.update({"op": ["MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool", "AveragePool"], "include": [0, 1],
                  "ceil": [0, 0, 1], "channels": [2, lanes - 1, lanes, lanes + 1, 3 * lanes], "kernel": [2, 3, 1, 5],
                  "pads": ["none", "same", "begin"], "special": [False, False, True]})
    return table


def plain_pool_table(lanes):  # maps that are combined one by one, with rows that end within a vector
    return pool_table(lanes) | {
        "dims": [2, 2, 2, 1, 3], "op": ["MaxPool", "MaxPool", "AveragePool", "LpPool"], "channels": [1, 2, 5], "stride": [1, 2, 3, 2], "kernel": [2, 3, 5, 9, 13], "uneven": [False, False, True],
        "size": [28, 29, 3 * lanes, 3 * lanes + 5, 57, 261], "element": ["f32", "f32", "f16"], "open": ["none", "none", "batch", "all", "all"]}


def make_pool(case, plain=False):
    """Behind a convolution, so that the image is blocked, unless it is to be plain; another one reads the result."""
    dims, channels, element = case.dims, case.channels, case.element
    kernel, stride, dilation, pads = window(case, dims)
    sizes = sizes_of(case, dims)
    case.tolerate(element)
    case.need(element != "bf16" and np.prod(sizes) < 1 << 18)
    value = case.numbers((case.batch, channels if plain else 3, *sizes), element)
    if case.special and case.op == "MaxPool":
        value.flat[::7] = -np.inf
        value.flat[3::11] = np.nan
    image = case.input(value, open_dims(case, dims + 2))
    ones = [1] * dims
    image = image if plain else case.node("Conv", [image, case.weight(case.numbers((channels, 3, *ones), element))], kernel_shape=ones)
    if case.op.startswith("Global"):
        name, out = case.node(case.op, [image]), ones
    else:
        pads = [min(pad, kernel[i % dims] - 1) for i, pad in enumerate(pads)]
        attributes = {"kernel_shape": kernel, "strides": stride, "pads": pads, "dilations": dilation, "ceil_mode": case.ceil}
        if case.op == "AveragePool":
            attributes["count_include_pad"] = case.include
        out = extents(sizes, kernel, stride, dilation, pads)
        case.need(min(out) >= 1)
        if case.ceil:
            case.need(case.after in ("none", "relu", "channel", "sigmoid"))
        name = case.node(case.op, [image], **attributes)
    case.output(follow(case, name, (case.batch, channels, *out), 1, element))


# -- Matrix products -------------------------------------------------------------------

def matmul_table(lanes):
    sizes = [1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes, 3 * lanes + 1, 4 * lanes, 5 * lanes, 65]
    return {
        "form": ["plain", "rows", "batched", "gemm", "shared", "heads", "vector_matrix", "matrix_vector", "dot", "broadcast"],
        "m": [1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 17, 31, 64], "n": sizes, "k": [1, 2, 3, 7, lanes, lanes + 1, 64, 130, 600],
        "batch": [1, 2, 3], "constant": [True, True, False], "transA": [0, 1], "transB": [0, 1], "bias": ["none", "columns", "full", "scalar"],
        "element": ["f32", "f32", "f32", "f16", "bf16", "f64"], "open": ["none", "none", "rows", "all"],
        "after": [after for after in AFTER if after not in ("resized", "shuffled")],
    }


def large_matmul_table(lanes):
    """Weights that no near cache holds: panels that are fetched ahead, and sums that are cut."""
    table = matmul_table(lanes)
    table.update({
        "form": ["plain", "rows", "gemm"], "m": [1, 2, 4, 5, 8, 13, 25, 65, 300], "n": [450, 528, 700], "k": [600, 1030],
        "constant": [True], "element": ["f32", "f32", "f16", "bf16"], "open": ["none", "rows", "all"],
    })
    return table


def make_matmul(case):
    m, n, k, element, form = case.m, case.n, case.k, case.element, case.form
    case.tolerate(element)
    is_open = case.open != "none"

    def operand(shape, is_rhs):
        if is_rhs and case.constant:
            return case.weight(case.numbers(shape, element))
        dims = tuple(range(len(shape))) if case.open == "all" else tuple(range(len(shape) - 1)) if is_open and not is_rhs else ()
        return case.input(case.numbers(shape, element), dims)

    if form == "gemm":
        inputs = [operand((k, m) if case.transA else (m, k), False), operand((n, k) if case.transB else (k, n), True)]
        if case.bias != "none":
            shape = {"columns": (n,), "full": (m, n), "scalar": ()}[case.bias]
            inputs.append(case.weight(case.numbers(shape, element)))
        name = case.node("Gemm", inputs, transA=case.transA, transB=case.transB, alpha=0.5, beta=2.0)
        shape = (m, n)
    elif form in ("vector_matrix", "matrix_vector", "dot"):
        case.need(case.after in ("none", "relu", "clip", "to_f64"))
        lhs = operand((k,) if form != "matrix_vector" else (m, k), False)
        rhs = operand((k,) if form != "vector_matrix" else (k, n), True)
        name, shape = case.node("MatMul", [lhs, rhs]), (1,)
    elif form == "heads":
        # As attention has it: heads are transposed on both sides.
        case.need(case.after not in ("sliced", "residual") or not is_open)
        lhs = case.node("Transpose", [operand((case.batch, m, 2, k), False)], perm=[0, 2, 1, 3])
        rhs = case.node("Transpose", [operand((case.batch, n, 2, k), True)], perm=[0, 2, 3, 1])
        name = case.node("Transpose", [case.node("MatMul", [lhs, rhs])], perm=[0, 2, 1, 3])
        shape = (case.batch, m, 2, n)
    else:
        batch = {"plain": (), "rows": (case.batch,), "batched": (case.batch, 2), "shared": (case.batch,), "broadcast": (1, case.batch)}[form]
        other = {"batched": batch, "broadcast": (2, 1)}.get(form, ())
        lhs, rhs = operand((*batch, m, k), False), operand((*other, n, k) if case.transB else (*other, k, n), True)
        if case.transB:
            rank = len(other) + 2
            rhs = case.node("Transpose", [rhs], perm=[*range(rank - 2), rank - 1, rank - 2])
        name = case.node("MatMul", [lhs, rhs])
        shape = (*np.broadcast_shapes(batch, other), m, n)
        if case.bias == "columns":
            name = case.node("Add", [name, case.weight(case.numbers((n,), element))])
    case.output(follow(case, name, shape, len(shape) - 1, element))


def block_table(lanes):
    return {
        "bits": [2, 4, 8], "signed": [True, False], "block": [8, 16, 32, 64, 0], "blocks": [1, 2, 3, 3, 70], "m": [1, 2, 3, 5, 12, 13, 40, 270],
        "tail": [0, 0, 0, 1, 3, 4],
        "n": [1, 2, lanes // 2, lanes - 1, lanes, lanes + 1, 3 * lanes, 4 * lanes, 5 * lanes, 9 * lanes + 1], "zero": ["none", "same", "own"],
        "transposed": [False, True], "open": ["none", "rows"],
        "after": ["none", "relu", "channel", "residual", "divide", "to_f16", "int_divide", "sigmoid", "sliced"],
    }


def make_block(case):
    """Weights that are dequantized by blocks of the rows, or by columns."""
    n, m = case.n, case.m
    k = (case.block or 32) * case.blocks - case.tail
    case.need(case.bits != 2 or not case.signed)  # this opset has none
    element_type = {(2, False): TensorProto.UINT4, (4, True): TensorProto.INT4, (4, False): TensorProto.UINT4, (8, True): TensorProto.INT8,
                    (8, False): TensorProto.UINT8}[case.bits, case.signed]
    low, high = (-(1 << case.bits - 1), (1 << case.bits - 1) - 1) if case.signed else (0, (1 << case.bits) - 1)

    def integers(shape, first=low, last=high):
        return case.packed(element_type, shape, case.random.integers(first, last + 1, math.prod(shape)).tolist())

    axis = 1 if case.transposed else 0
    shape = (n, k) if case.transposed else (k, n)
    if case.block:
        per_scale = (n, case.blocks) if case.transposed else (case.blocks, n)
        attributes = {"axis": axis, "block_size": case.block}
    else:
        per_scale, attributes = (n,), {"axis": 1 - axis}
    inputs = [integers(shape), case.weight(np.abs(case.numbers(per_scale, "f32")) * np.float32(0.1))]
    if case.zero != "none":
        zero = (low + high + 1) // 2 + 1
        inputs.append(integers(per_scale) if case.zero == "own" else integers(per_scale, zero, zero))
    weights = case.node("DequantizeLinear", inputs, **attributes)
    if case.transposed:
        weights = case.node("Transpose", [weights], perm=[1, 0])
    lhs = case.input(case.numbers((m, k), "f32"), (0,) if case.open == "rows" else ())
    name = case.node("MatMul", [lhs, weights])
    case.output(follow(case, name, (m, n), 1, "f32"))


def block_dot_table(lanes):
    return {
        "bits": [2, 4, 8], "block": [16, 32, 64, 128, 256, 512], "blocks": [1, 2, 3, 4], "m": [1, 2, 3, 5, 12, 13, 16, 40, 150],
        "n": [1, lanes // 2, lanes - 1, lanes, lanes + 1, 3 * lanes, 4 * lanes, 5 * lanes, 9 * lanes + 1], "zero": ["none", "same", "own"],
        "tail": [0, 0, 0, 1, 5, 8], "open": ["none", "rows", "all"], "element": ["f32", "f32", "f16"], "batch": [None, 1, 2],
        "rows": ["normal", "zeros", "large", "bounds"], "order": ["none", "none", "given", "scattered"], "level": [4, 4, 4, 1],
        "after": ["none", "relu", "channel", "residual", "divide", "to_f16", "int_divide", "sigmoid", "sliced"],
    }


def make_block_dot(case):
    """MatMulNBits; with accuracy_level=4 rows become 8-bit integers by blocks."""
    n, m, padded = case.n, case.m, case.block * case.blocks
    k, top = padded - case.tail, (1 << case.bits) - 1
    element = case.element
    case.tolerate(element)

    def packed(numbers):
        if case.bits == 8:
            return numbers
        per_byte = 8 // case.bits
        numbers = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % per_byte)])
        return sum(numbers[..., i::per_byte] << i * case.bits for i in range(per_byte)).astype(np.uint8)

    integers = case.random.integers(0, top + 1, (n, case.blocks, case.block)).astype(np.uint8)
    if case.rows == "bounds":  # the greatest sums that there may be
        integers = np.where(case.random.random((n, 1, 1)) < 0.5, np.uint8(top), integers * np.uint8(0)).astype(np.uint8)
    scales = (np.abs(case.numbers((n, case.blocks), "f32")) * np.float32(0.1)).astype(FLOATS[element])
    inputs = [case.weight(packed(integers)), case.weight(scales)]
    if case.zero != "none":
        zeros = case.random.integers(0, top + 1, (n, case.blocks)).astype(np.uint8)
        inputs.append(case.weight(packed(zeros if case.zero == "own" else zeros * np.uint8(0) + np.uint8(top // 2))))
    if case.order != "none":  # the block of each step
        order = np.arange(k, dtype=np.int32) // case.block
        inputs += [""] * (3 - len(inputs)) + [case.weight(case.random.permutation(order) if case.order == "scattered" else order)]
    batch = () if case.batch is None else (case.batch,)
    x = case.numbers((*batch, m, k), "f32")
    if case.rows == "zeros":
        x[..., :case.block] = 0
    elif case.rows == "large":
        x[..., -case.block // 2:] *= 100
    elif case.rows == "bounds":
        x = np.sign(x)
    rank = len(batch) + 2
    dims = {"none": (), "rows": (rank - 2,), "all": tuple(range(rank - 1))}[case.open]
    lhs = case.input(x.astype(FLOATS[element]), dims)
    name = case.node("MatMulNBits", [lhs, *inputs], domain="com.microsoft", K=k, N=n, bits=case.bits, block_size=case.block,
                     accuracy_level=case.level)
    case.output(follow(case, name, (*batch, m, n), rank - 1, element))


# -- Integers ----------------------------------------------------------------------------

def requantize(case, name, out):
    """Through floats to bytes, as a quantized model has it. Values halfway between two steps may go either way."""
    case.steps = 1
    zero = case.weight(BYTES[out](3))
    return case.node("QuantizeLinear", [name, case.weight(np.float32(0.37)), zero])


def zero_point(case, element, kind, count):
    if kind == "none":
        return ""
    value = case.numbers((count,) if kind == "columns" else (), BYTES[element])
    return case.input(np.asarray(value)) if kind == "input" else case.weight(value)


def int_matmul_table(lanes):
    return {
        "form": ["MatMulInteger", "QLinearMatMul", "qdq", "MatMulInteger"], "x": ["u8", "s8"], "w": ["s8", "u8"], "weights": ["all", "small", "few_large", "bounds"],
        "pixels": ["all", "ends", "greatest"], "m": [1, 2, 3, 5, 8, 13, 14, 15, 29], "n": [1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes, 4 * lanes + 1, 6 * lanes],
        "k": [1, 2, 3, 4, 5, 7, 8, 16, 63, 64, 130], "batch": [0, 1, 2, 3], "x_zero": ["none", "scalar", "input"],
        "w_zero": ["none", "scalar", "columns"], "constant": [True, True, True, False], "open": ["none", "none", "rows"],
        "scale": ["scalar", "columns"], "after": ["none", "relu", "bias", "scaled", "int_divide", "bytes"], "many": [False, False, True],
    }


def make_int_matmul(case):
    m, n, k = case.m, case.n, case.k
    if case.many:  # enough rows and columns to prepare weights and image for
        m, n, k = m + 24, n + 64, k + 40
    lead = (case.batch,) if case.batch else ()
    x = case.input(pixels(case, (*lead, m, k)), (len(lead),) if case.open == "rows" else ())
    value = byte_weights(case, (k, n), 1)
    w = case.weight(value) if case.constant else case.input(value)
    if case.form == "MatMulInteger":
        x_zero = zero_point(case, case.x, case.x_zero, m)
        w_zero = zero_point(case, case.w, case.w_zero, n)
        name = case.node("MatMulInteger", [x, w, x_zero, w_zero])
        case.output(follow_integers(case, name, n))
        return
    columns = case.scale == "columns" and case.constant
    scale = np.float32(0.02) * (np.abs(case.numbers((n,), "f32")) + np.float32(0.1)) if columns else np.float32(0.02)
    w_scale = case.weight(scale)
    zeros = case.numbers((n,) if columns else (), BYTES[case.w]) if case.w_zero != "none" else np.zeros((n,) if columns else (), BYTES[case.w])
    w_zero = case.weight(zeros)
    x_scale, x_zero = case.weight(np.float32(0.11)), case.weight(BYTES[case.x](case.numbers((), BYTES[case.x])))
    case.steps = 1
    if case.form == "QLinearMatMul":
        case.output(case.node("QLinearMatMul", [x, x_scale, x_zero, w, w_scale, w_zero, case.weight(np.float32(0.5)), case.weight(BYTES[case.x](9))]))
        return
    x = case.node("DequantizeLinear", [x, x_scale, x_zero])
    w = case.node("DequantizeLinear", [w, w_scale, w_zero], **({"axis": 1} if columns else {}))
    name = case.node("MatMul", [x, w])
    if case.after == "bias":
        name = case.node("Add", [name, case.weight(case.numbers((n,), "f32"))])
    case.output(requantize(case, name, case.x))


def follow_integers(case, name, count, rank=1):
    columns = (count,) + (1,) * (rank - 1)
    if case.after == "bias":
        return case.node("Add", [name, case.weight(case.numbers(columns, np.int32))])
    if case.after == "int_divide":
        return case.node("Div", [name, case.input(case.numbers(columns, np.int32))])
    if case.after in ("scaled", "bytes"):
        name = case.node("Mul", [case.node("Cast", [name], to=TensorProto.FLOAT), case.weight(case.numbers(columns, "f32"))])
        return requantize(case, name, case.x) if case.after == "bytes" else name
    return case.node("Max", [name, case.weight(np.int32(0))]) if case.after == "relu" else name


def int_conv_table(lanes):
    table = conv_table(lanes)
    del table["element"], table["after"], table["bias"]
    table.update({
        "dims": [2, 2, 1], "form": ["ConvInteger", "QLinearConv", "qdq"], "x": ["u8", "s8"], "w": ["s8", "u8"], "weights": ["all", "small", "few_large", "bounds"],
        "pixels": ["all", "ends", "greatest"], "groups": [1, 1, 2, 3, "depthwise", 4], "channels": [1, 2, 3, 4, 5, lanes, lanes + 1, 2 * lanes],
        "filters": [1, 2, lanes // 2, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes, 5 * lanes],
        "x_zero": ["none", "scalar"], "w_zero": ["none", "scalar", "columns"], "bias": [True, False], "size": [1, 4, 7, 8, 14, 15, 21],
        "scale": ["scalar", "columns"], "after": ["none", "relu", "bias", "scaled", "int_divide", "bytes"], "many": [False, False, True],
    })
    return table


def int_winograd_table(lanes):
    """Windows of 3 x 3 of enough channels; of 112, sums of the greatest bytes are the largest ones that filtering can have, of 116 larger."""
    table = int_conv_table(lanes)
    table.update({
        "dims": [2], "kernel": [3], "stride": [1], "dilation": [1], "channels": [2 * lanes, 4 * lanes, 3 * lanes, 2 * lanes + 1, 4 * lanes + 6, 112, 116, 600],
        "filters": [lanes, 2 * lanes, 3 * lanes, 4 * lanes, 5 * lanes, 4 * lanes + 3], "weights": ["all", "small", "few_large", "bounds", "greatest"],
        "groups": [1, 1, 1, 2, 3], "size": [4, 7, 8, 13, 14, 28, 30, 50], "uneven": [False, True], "batch": [1, 2, 1, 5],
        "pads": ["same", "none", "begin", "far"], "many": [False], "open": ["none", "none", "batch", "space", "all", "last"],
    })
    return table


def make_int_conv(case, most=1 << 23):
    dims = case.dims
    groups = case.channels if case.groups == "depthwise" else case.groups
    case.need(groups > 1 or case.groups == 1)
    channels = groups if case.groups == "depthwise" else groups * case.channels
    filters = groups if case.groups == "depthwise" else groups * case.filters
    kernel, stride, dilation, pads = window(case, dims)
    sizes = sizes_of(case, dims)
    if case.many and case.groups != "depthwise":  # see make_int_matmul
        channels, filters, sizes = channels + 16 * groups, filters + 64 * groups, [size + 9 for size in sizes]
    out = extents(sizes, kernel, stride, dilation, pads)
    case.need(min(out) >= 1 and math.prod(kernel) * channels // groups * filters * math.prod(out) <= most)
    x = case.input(pixels(case, (case.batch, channels, *sizes)), open_dims(case, dims + 2))
    w = case.weight(byte_weights(case, (filters, channels // groups, *kernel), 0))
    attributes = dict(kernel_shape=kernel, strides=stride, dilations=dilation, pads=pads, group=groups)
    if case.form == "ConvInteger":
        name = case.node("ConvInteger", [x, w, zero_point(case, case.x, case.x_zero, 1), zero_point(case, case.w, case.w_zero, filters)], **attributes)
        case.output(follow_integers(case, name, filters, dims + 1))
        return
    columns = case.scale == "columns"
    scale = np.float32(0.02) * (np.abs(case.numbers((filters,), "f32")) + np.float32(0.1)) if columns else np.float32(0.02)
    zeros = np.zeros((filters,) if columns else (), BYTES[case.w])
    if case.w_zero != "none":
        zeros = case.numbers(zeros.shape, BYTES[case.w])
    x_zero = BYTES[case.x](0 if case.x_zero == "none" else case.numbers((), BYTES[case.x]))
    quantized = [case.weight(np.float32(0.11)), case.weight(x_zero)]
    w_scale, w_zero = case.weight(scale), case.weight(zeros)
    bias = [case.weight(case.numbers((filters,), np.int32))] if case.bias else []
    case.steps = 1
    if case.form == "QLinearConv":
        case.output(case.node("QLinearConv", [x, *quantized, w, w_scale, w_zero, case.weight(np.float32(0.5)), case.weight(BYTES[case.x](9)), *bias],
                              **attributes))
        return
    x = case.node("DequantizeLinear", [x, *quantized])
    w = case.node("DequantizeLinear", [w, w_scale, w_zero], **({"axis": 0} if columns else {}))
    if bias:
        bias = [case.weight(case.numbers((filters,), "f32"))]
    name = case.node("Conv", [x, w, *bias], **attributes)
    if case.after == "relu":
        name = case.node("Relu", [name])
    case.output(requantize(case, name, case.x))


def lookup_table(lanes):
    return {
        "op": ["Sigmoid", "Tanh", "HardSwish", "Elu", "Exp"], "x": ["u8", "s8"], "to": ["u8", "s8", "f32", "f16"],
        "size": [1, 3, 15, 16, 17, 63, 64, 65, 130, 1000], "rows": [1, 3], "open": ["none", "rows"], "producer": ["none", "matmul"],
    }


def make_lookup(case):
    """A function of a byte."""
    case.relative = 1e-3
    x = case.input(case.numbers((case.rows, case.size), BYTES[case.x]), (0, 1) if case.open == "rows" else ())
    scale, zero = case.weight(np.float32(0.03)), case.weight(BYTES[case.x](5))
    name = case.node("DequantizeLinear", [x, scale, zero])
    if case.producer == "matmul":
        case.need(case.open == "none" and case.size <= 130)
        w = case.node("DequantizeLinear", [case.weight(case.numbers((case.size, 40), np.int8)), case.weight(np.float32(0.01))])
        name = requantize(case, case.node("MatMul", [name, w]), case.x)
        # A step of the byte may be many of its function's.
        case.steps, case.relative = 40, 0.2
        name = case.node("DequantizeLinear", [name, scale, zero])
    name = case.node(case.op, [name])
    if case.to in BYTES:
        case.steps = max(case.steps, 1)
        name = case.node("QuantizeLinear", [name, case.weight(np.float32(0.01)), case.weight(BYTES[case.to](1))])
    elif case.to == "f16":
        case.relative = max(case.relative, 4e-3)
        name = case.node("Cast", [name], to=TensorProto.FLOAT16)
    case.output(name)


FAMILIES = {
    "conv": (conv_table, make_conv), "winograd": (winograd_table, make_scaled), "dilated": (dilated_table, make_scaled), "grouped": (grouped_table, make_grouped), "grouped_winograd": (grouped_winograd_table, make_grouped_winograd),
    "deep": (deep_table, make_scaled), "depthwise": (depthwise_table, make_depthwise),
    **layouts.FAMILIES, "transposed": (transposed_table, make_transposed),
    "split_phases": (split_phases_table, make_transposed), "pool": (pool_table, make_pool), "plain_pool": (plain_pool_table, lambda case: make_pool(case, True)), "matmul": (matmul_table, make_matmul),
    "large_matmul": (large_matmul_table, make_matmul),
    "attention": (attention_table, make_attention), "block_matmul": (block_table, make_block),
    "block_dot": (block_dot_table, make_block_dot), "int_matmul": (int_matmul_table, make_int_matmul),
    "int_conv": (int_conv_table, make_int_conv), "int_winograd": (int_winograd_table, lambda case: make_int_conv(case, 1 << 26)), "lookup": (lookup_table, make_lookup),
}
# Their code depends on the instructions for bytes.
OF_BYTES = {"block_matmul", "block_dot", "int_matmul", "int_conv", "int_winograd", "lookup"}


def choose(table, random, covered):
    """Of some combinations the one with the most pairs of values that no other case of the batch has."""
    best, best_pairs = None, None
    for _ in range(12):
        values = {name: options[random.integers(len(options))] for name, options in table.items()}
        items = [(name, str(value)) for name, value in values.items()]
        pairs = {(x, y) for i, x in enumerate(items) for y in items[:i]} - covered
        if best is None or len(pairs) > len(best_pairs):
            best, best_pairs = values, pairs
    return best, best_pairs


def make_batch(family, seed, lanes, count, only=None):
    """A graph with `count` cases of a family (or the one numbered `only`), and the cases. They depend on the arguments alone."""
    table, make = FAMILIES[family]
    table = table(lanes)
    random = np.random.default_rng([seed, lanes, sorted(FAMILIES).index(family)])
    graph, cases, covered = Graph(), [], set()
    for number in range(count):
        while True:
            values, pairs = choose(table, random, covered)
            case = Case(graph, np.random.default_rng([seed, number]), number, values)
            try:
                make(case)
            except Skip:
                case.undo()
                continue
            break
        covered |= pairs
        case.text = f"{family} " + " ".join(f"{name}={value}" for name, value in values.items())
        if only is None or number == only:
            cases.append(case)
        else:
            case.undo()
            del graph.outputs[-1]
    return graph, cases
