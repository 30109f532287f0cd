# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose compile time is measured by compile_time.py: networks as exporters
write them, with open sizes where these leave them open, and graphs with very many
nodes, inputs or results. Weights are small random numbers."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """A graph in the making. Methods append a node and return the name of its result."""

    def __init__(self, seed=1):
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.random = np.random.default_rng(seed)
        self.known = {}

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def weight(self, *shape):
        scale = 1 / max(1, np.prod(shape[1:])) ** 0.5
        return self.constant(self.random.uniform(-scale, scale, shape).astype(np.float32))

    def constant(self, array):
        array = np.asarray(array)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size < 16 else None
        if key in self.known:
            return self.known[key]
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(array, name))
        if key:
            self.known[key] = name
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def op(self, op, *inputs, results=1, **attributes):
        number = len(self.nodes)
        names = [f"v{number}"] if results == 1 else [f"v{number}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"/{op}_{number}", **attributes))
        return names[0] if results == 1 else names

    def model(self):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.initializers)
        return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", OPSET)])

    def conv(self, x, channels, filters, kernel=3, stride=1, group=1, dims=2, dilation=1, bias=True):
        pad = dilation * (kernel - 1) // 2
        more = [self.weight(filters)] if bias else []
        return self.op("Conv", x, self.weight(filters, channels // group, *[kernel] * dims), *more, kernel_shape=[kernel] * dims,
                       strides=[stride] * dims, pads=[pad] * 2 * dims, dilations=[dilation] * dims, group=group)

    def batch_norm(self, x, channels):
        ones = np.ones(channels, np.float32)
        return self.op("BatchNormalization", x, self.constant(ones + self.random.uniform(0, 1e-2, channels).astype(np.float32)),
                       self.weight(channels), self.weight(channels), self.constant(ones * np.float32(1.1)))

    def linear(self, x, inputs, outputs, bias=True):
        product = self.op("MatMul", x, self.weight(inputs, outputs))
        return self.op("Add", self.weight(outputs), product) if bias else product

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def size(self, x, dim):
        return self.op("Gather", self.op("Shape", x), self.constant(np.int64(dim)), axis=0)

    def shape_of(self, *parts):
        """A shape from sizes, as exporters put it together."""
        parts = [self.ints(part) if isinstance(part, int) else self.op("Unsqueeze", part, self.ints(0)) for part in parts]
        return self.op("Concat", *parts, axis=0)


def dac_encoder(width=16, strides=(2, 4, 8, 8)):
    """An encoder of audio: 1-D convolutions with dilations, Snake activations, open length."""
    g = Graph()

    def snake(x, channels):
        alpha = g.constant(g.random.uniform(0.5, 1.5, (1, channels, 1)).astype(np.float32))
        square = g.op("Pow", g.op("Sin", g.op("Mul", alpha, x)), g.constant(np.float32(2)))
        factor = g.op("Reciprocal", g.op("Add", alpha, g.constant(np.float32(1e-9))))
        return g.op("Add", x, g.op("Mul", factor, square))

    x = g.conv(g.input("audio", ["batch", 1, "length"]), 1, width, kernel=7, dims=1)
    for stride in strides:
        for dilation in (1, 3, 9):
            inner = g.conv(snake(x, width), width, width, kernel=7, dims=1, dilation=dilation)
            inner = g.conv(snake(inner, width), width, width, kernel=1, dims=1)
            x = g.op("Add", x, inner)
        kernel, pad = 2 * stride, (stride + 1) // 2
        x = g.op("Conv", snake(x, width), g.weight(2 * width, width, kernel), g.weight(2 * width), kernel_shape=[kernel], strides=[stride],
                 pads=[pad, pad])
        width *= 2
    g.output(g.conv(snake(x, width), width, 64, kernel=3, dims=1))
    return g.model()


def densenet(blocks=(6, 12, 32, 32), growth=32):
    g = Graph()

    def conv(x, channels, filters, kernel):
        return g.conv(g.op("Relu", g.batch_norm(x, channels)), channels, filters, kernel, bias=False)

    channels = 2 * growth
    x = g.op("Relu", g.conv(g.input("image", ["batch", 3, 224, 224]), 3, channels, 7, 2))
    x = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for number, layers in enumerate(blocks):
        features = [x]
        for _ in range(layers):
            joined = g.op("Concat", *features, axis=1) if len(features) > 1 else x
            inner = conv(joined, channels, 4 * growth, 1)
            features.append(conv(inner, 4 * growth, growth, 3))
            channels += growth
        x = g.op("Concat", *features, axis=1)
        if number + 1 < len(blocks):
            x = g.op("AveragePool", conv(x, channels, channels // 2, 1), kernel_shape=[2, 2], strides=[2, 2])
            channels //= 2
    x = g.op("GlobalAveragePool", g.op("Relu", g.batch_norm(x, channels)))
    g.output(g.op("Gemm", g.op("Flatten", x, axis=1), g.weight(1000, channels), g.weight(1000), transB=1))
    return g.model()


class Yolo(Graph):
    """The parts of YOLOv8."""

    def cv(self, x, channels, filters, kernel=1, stride=1):
        return self.silu(self.conv(x, channels, filters, kernel, stride))

    def c2f(self, x, channels, filters, count, shortcut):
        half = filters // 2
        parts = list(self.op("Split", self.cv(x, channels, filters), self.ints(half, half), results=2, axis=1))
        for _ in range(count):
            inner = self.cv(self.cv(parts[-1], half, half, 3), half, half, 3)
            parts.append(self.op("Add", parts[-1], inner) if shortcut else inner)
        return self.cv(self.op("Concat", *parts, axis=1), half * len(parts), filters)

    def sppf(self, x, channels):
        parts = [self.cv(x, channels, channels // 2)]
        for _ in range(3):
            parts.append(self.op("MaxPool", parts[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2]))
        return self.cv(self.op("Concat", *parts, axis=1), 2 * channels, channels)

    def up(self, x):
        return self.op("Resize", x, "", self.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest", nearest_mode="floor",
                       coordinate_transformation_mode="asymmetric")

    def anchors(self, x, stride):
        """The middles of the cells, and the stride of each, from sizes that are open."""
        height, width = self.size(x, 2), self.size(x, 3)
        zero, one = (self.constant(np.float32(value)) for value in (0, 1))
        row, column = (self.op("Add", self.op("Range", zero, self.op("Cast", end, to=TensorProto.FLOAT), one), self.constant(np.float32(0.5)))
                       for end in (height, width))
        shape = self.shape_of(height, width)
        grids = [self.op("Expand", self.op("Reshape", axis, self.ints(*dims)), shape) for axis, dims in ((column, (1, -1)), (row, (-1, 1)))]
        flat = [self.op("Unsqueeze", self.op("Reshape", grid, self.ints(-1)), self.ints(-1)) for grid in grids]
        points = self.op("Concat", *flat, axis=1)
        count = self.op("Mul", height, width)
        return points, self.op("Expand", self.constant(np.full((1, 1), stride, np.float32)), self.shape_of(count, 1))

    def detect(self, maps, classes=80, bins=16):
        boxes, anchors, strides = [], [], []
        batch = self.size(maps[0][0], 0)
        for (x, channels), stride in zip(maps, (8, 16, 32)):
            box = self.conv(self.cv(self.cv(x, channels, 64, 3), 64, 64, 3), 64, 4 * bins, 1)
            score = self.conv(self.cv(self.cv(x, channels, classes, 3), classes, classes, 3), classes, classes, 1)
            both = self.op("Concat", box, score, axis=1)
            boxes.append(self.op("Reshape", both, self.shape_of(batch, 4 * bins + classes, -1)))
            points, each = self.anchors(x, stride)
            anchors.append(points)
            strides.append(each)
        point, stride = (self.op("Transpose", self.op("Concat", *parts, axis=0), perm=[1, 0]) for parts in (anchors, strides))
        box, score = self.op("Split", self.op("Concat", *boxes, axis=2), self.ints(4 * bins, classes), results=2, axis=1)
        shape = self.op("Shape", box)
        count = self.op("Gather", shape, self.constant(np.int64(2)), axis=0)
        box = self.op("Transpose", self.op("Reshape", box, self.shape_of(batch, 4, bins, count)), perm=[0, 2, 1, 3])
        box = self.op("Conv", self.op("Softmax", box, axis=1), self.constant(np.arange(bins, dtype=np.float32).reshape(1, bins, 1, 1)))
        box = self.op("Reshape", box, self.shape_of(batch, 4, count))
        low, high = self.op("Split", box, self.ints(2, 2), results=2, axis=1)
        low, high = self.op("Sub", self.op("Unsqueeze", point, self.ints(0)), low), self.op("Add", high, self.op("Unsqueeze", point, self.ints(0)))
        middle = self.op("Div", self.op("Add", low, high), self.constant(np.float32(2)))
        box = self.op("Mul", self.op("Concat", middle, self.op("Sub", high, low), axis=1), stride)
        return self.op("Concat", box, self.op("Sigmoid", score), axis=1)


def yolo():
    """YOLOv8n with open batch, height and width."""
    g = Yolo()
    x = g.input("images", ["batch", 3, "height", "width"])
    x = g.c2f(g.cv(g.cv(x, 3, 16, 3, 2), 16, 32, 3, 2), 32, 32, 1, True)
    p3 = g.c2f(g.cv(x, 32, 64, 3, 2), 64, 64, 2, True)
    p4 = g.c2f(g.cv(p3, 64, 128, 3, 2), 128, 128, 2, True)
    p5 = g.sppf(g.c2f(g.cv(p4, 128, 256, 3, 2), 256, 256, 1, True), 256)
    n4 = g.c2f(g.op("Concat", g.up(p5), p4, axis=1), 384, 128, 1, False)
    n3 = g.c2f(g.op("Concat", g.up(n4), p3, axis=1), 192, 64, 1, False)
    n4 = g.c2f(g.op("Concat", g.cv(n3, 64, 64, 3, 2), n4, axis=1), 192, 128, 1, False)
    n5 = g.c2f(g.op("Concat", g.cv(n4, 128, 128, 3, 2), p5, axis=1), 384, 256, 1, False)
    g.output(g.detect([(n3, 64), (n4, 128), (n5, 256)]))
    return g.model()


class Diffusion(Graph):
    """The parts of a U-Net of diffusion, as TorchScript's exporter writes them."""
    groups, heads, context_size = 8, 4, 64

    def group_norm(self, x, channels):
        flat = self.op("Reshape", x, self.ints(0, self.groups, -1))
        ones, zeros = (self.constant(np.full(self.groups, value, np.float32)) for value in (1, 0))
        norm = self.op("Reshape", self.op("InstanceNormalization", flat, ones, zeros, epsilon=1e-5), self.op("Shape", x))
        return self.op("Add", self.op("Mul", norm, self.weight(channels, 1, 1)), self.weight(channels, 1, 1))

    def resnet(self, x, channels, filters, time, time_size):
        inner = self.conv(self.silu(self.group_norm(x, channels)), channels, filters)
        emb = self.op("Gemm", self.silu(time), self.weight(filters, time_size), self.weight(filters), transB=1)
        inner = self.op("Add", inner, self.op("Unsqueeze", self.op("Unsqueeze", emb, self.ints(2)), self.ints(3)))
        inner = self.conv(self.silu(self.group_norm(inner, filters)), filters, filters)
        return self.op("Add", x if channels == filters else self.conv(x, channels, filters, 1), inner)

    def layer_norm(self, x, size):
        mean = self.op("ReduceMean", x, axes=[-1])
        centred = self.op("Sub", x, mean)
        variance = self.op("ReduceMean", self.op("Pow", centred, self.constant(np.float32(2))), axes=[-1])
        root = self.op("Sqrt", self.op("Add", variance, self.constant(np.float32(1e-5))))
        return self.op("Add", self.op("Mul", self.op("Div", centred, root), self.weight(size)), self.weight(size))

    def attention(self, x, context, size, context_size):
        def split(value, last):
            value = self.op("Reshape", value, self.shape_of(self.size(value, 0), -1, self.heads, size // self.heads))
            return self.op("Transpose", value, perm=last)
        q = split(self.linear(x, size, size, bias=False), [0, 2, 1, 3])
        k = split(self.linear(context, context_size, size, bias=False), [0, 2, 3, 1])
        v = split(self.linear(context, context_size, size, bias=False), [0, 2, 1, 3])
        score = self.op("Mul", self.op("MatMul", q, k), self.constant(np.float32((size // self.heads) ** -0.5)))
        out = self.op("Transpose", self.op("MatMul", self.op("Softmax", score, axis=-1), v), perm=[0, 2, 1, 3])
        out = self.op("Reshape", out, self.shape_of(self.size(out, 0), -1, size))
        return self.linear(out, size, size)

    def transformer(self, x, size, context):
        batch, height, width = (self.size(x, dim) for dim in (0, 2, 3))
        inner = self.conv(self.group_norm(x, size), size, size, 1)
        inner = self.op("Reshape", self.op("Transpose", inner, perm=[0, 2, 3, 1]), self.shape_of(batch, self.op("Mul", height, width), size))
        norm = self.layer_norm(inner, size)
        inner = self.op("Add", self.attention(norm, norm, size, size), inner)
        inner = self.op("Add", self.attention(self.layer_norm(inner, size), context, size, self.context_size), inner)
        both = self.linear(self.layer_norm(inner, size), size, 8 * size)
        value, gate = self.op("Split", both, self.ints(4 * size, 4 * size), results=2, axis=-1)
        erf = self.op("Erf", self.op("Div", gate, self.constant(np.float32(2 ** 0.5))))
        gate = self.op("Mul", self.op("Mul", gate, self.op("Add", erf, self.constant(np.float32(1)))), self.constant(np.float32(0.5)))
        inner = self.op("Add", self.linear(self.op("Mul", value, gate), 4 * size, size), inner)
        inner = self.op("Transpose", self.op("Reshape", inner, self.shape_of(batch, height, width, size)), perm=[0, 3, 1, 2])
        return self.op("Add", self.conv(inner, size, size, 1), x)

    def time_embedding(self, time, size, outputs):
        factors = self.constant(np.exp(-np.log(1e4) * np.arange(size // 2) / (size // 2)).astype(np.float32))
        angle = self.op("Mul", self.op("Unsqueeze", time, self.ints(1)), factors)
        both = self.op("Concat", self.op("Cos", angle), self.op("Sin", angle), axis=1)
        hidden = self.silu(self.op("Gemm", both, self.weight(outputs, size), self.weight(outputs), transB=1))
        return self.op("Gemm", hidden, self.weight(outputs, outputs), self.weight(outputs), transB=1)


def diffusion_unet(sizes=(32, 64, 96, 128), layers=2):
    """Attention at three of four resolutions; open batch, height, width and context."""
    g = Diffusion()
    sample = g.input("sample", ["batch", 4, "height", "width"])
    time = g.time_embedding(g.input("timestep", ["batch"]), sizes[0], 4 * sizes[0])
    context, time_size = g.input("context", ["batch", "tokens", g.context_size]), 4 * sizes[0]
    channels = sizes[0]
    x = g.conv(sample, 4, channels)
    skips = [(x, channels)]
    for number, size in enumerate(sizes):
        for _ in range(layers):
            x, channels = g.resnet(x, channels, size, time, time_size), size
            if number + 1 < len(sizes):
                x = g.transformer(x, size, context)
            skips.append((x, size))
        if number + 1 < len(sizes):
            x = g.conv(x, size, size, 3, 2)
            skips.append((x, size))
    x = g.resnet(g.transformer(g.resnet(x, channels, channels, time, time_size), channels, context), channels, channels, time, time_size)
    for number, size in reversed(list(enumerate(sizes))):
        for _ in range(layers + 1):
            skip, more = skips.pop()
            x, channels = g.resnet(g.op("Concat", x, skip, axis=1), channels + more, size, time, time_size), size
            if number + 1 < len(sizes):
                x = g.transformer(x, size, context)
        if number:
            x = g.op("Resize", x, "", g.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest", nearest_mode="floor",
                     coordinate_transformation_mode="asymmetric")
            x = g.conv(x, size, size)
    g.output(g.conv(g.silu(g.group_norm(x, channels)), channels, 4))
    return g.model()


def outputs(count=2000):
    """Very many results of the model."""
    g = Graph()
    x = g.input("x", ["n", 16])
    for i in range(count):
        g.output(g.op("Mul", x, g.constant(np.float32(1 + i / count))))
    return g.model()


def split(count=3000):
    """Very many results of one node, each used."""
    g = Graph()
    parts = g.op("Split", g.input("x", [count, 8]), results=count, axis=0)
    g.output(g.op("Concat", *[g.op("Neg", part) for part in parts], axis=0))
    return g.model()


def split_outputs(count=3000):
    """Very many results of one node, which are those of the model."""
    g = Graph()
    for part in g.op("Split", g.input("x", [count, 8]), results=count, axis=0):
        g.output(part)
    return g.model()


def concat(count=5000):
    """Very many operands of one node, of open size."""
    g = Graph()
    x = g.input("x", ["n", 4])
    g.output(g.op("Concat", *[x] * count, axis=0))
    return g.model()


def concat_inputs(count=5000):
    """Very many inputs of the model, joined."""
    g = Graph()
    g.output(g.op("Concat", *[g.input(f"x{i}", ["n", 4]) for i in range(count)], axis=0))
    return g.model()


def mixed(count=20000):
    """Very many nodes of many kinds on tensors of open size."""
    g = Graph()
    x = g.input("x", ["n", 16])
    matrix, half = g.weight(16, 16), g.constant(np.float32(0.5))
    steps = [lambda x: g.op("Relu", x), lambda x: g.op("Add", x, half), lambda x: g.op("MatMul", x, matrix), lambda x: g.op("Tanh", x),
             lambda x: g.op("Mul", x, x), lambda x: g.op("Softmax", x, axis=-1), lambda x: g.op("Transpose", x, perm=[1, 0]),
             lambda x: g.op("Transpose", x, perm=[1, 0]), lambda x: g.op("Slice", x, g.ints(0), g.ints(8), g.ints(1)),
             lambda x: g.op("Concat", x, x, axis=1), lambda x: g.op("Sub", x, g.op("ReduceMean", x, axes=[1])), lambda x: g.op("Sigmoid", x)]
    while len(g.nodes) < count:
        x = steps[int(g.random.integers(len(steps)))](x)
        # A transposed matrix goes back at once: the others need 16 columns.
        if g.nodes[-1].op_type == "Transpose":
            x = g.op("Transpose", g.op("Exp", g.op("Neg", x)), perm=[1, 0])
        if g.nodes[-1].op_type == "Slice":
            x = g.op("Concat", x, x, axis=1)
        elif g.nodes[-1].op_type == "Concat":
            x = g.op("Slice", x, g.ints(0), g.ints(16), g.ints(1))
    g.output(x)
    return g.model()


NETWORKS = {"dac_encoder": dac_encoder, "yolo": yolo, "densenet169": densenet, "diffusion_unet": diffusion_unet}
STRUCTURES = {"outputs": outputs, "split": split, "split_outputs": split_outputs, "concat": concat, "concat_inputs": concat_inputs, "mixed": mixed}


def write(name, path, count=None):
    """Writes the model of this name; `count`: how many parts a graph has."""
    make = NETWORKS.get(name) or STRUCTURES[name]
    onnx.save(make(count) if count else make(), path)
