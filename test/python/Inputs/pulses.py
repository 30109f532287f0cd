# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models over sequences, pulse by pulse, against ONNX Runtime on the whole sequence, sample by sample.

usage: pulses.py [NUMBER-OF-RANDOM-MODELS [SEED]]
"""
import os
import re
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import onnxc

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
random = np.random.default_rng(11)
tests = 0
folder = tempfile.TemporaryDirectory(prefix="onnxc-pulses-")


class Graph:
    """A model under construction. Positions of x are along `time`."""

    def __init__(self, dims, dtype=FLOAT, name="x"):
        self.nodes, self.constants, self.count = [], [], 0
        self.inputs = [helper.make_tensor_value_info(name, dtype, dims)]
        self.outputs = []

    def const(self, value, dtype=np.float32):
        self.count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), f"c{self.count}"))
        return f"c{self.count}"

    def weight(self, *shape):
        return self.const(random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1))

    def ints(self, *values):
        return self.const(values, np.int64)

    def op(self, kind, *inputs, outputs=1, name=None, **attributes):
        self.count += 1
        names = [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name or f"{kind}{self.count}", **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, channels, out, kernel, pads=(0, 0), stride=1, dilation=1, group=1, bias=True):
        operands = [x, self.weight(out, channels // group, kernel)]
        if bias:
            operands.append(self.const(random.standard_normal(out)))
        return self.op("Conv", *operands, kernel_shape=[kernel], pads=list(pads), strides=[stride], dilations=[dilation], group=group)

    def result(self, value, name="y", dims=None, dtype=FLOAT):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"out_{name}"))
        self.outputs.append(helper.make_tensor_value_info(name, dtype, dims))

    def model(self, opset=18):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
        if all(output.type.tensor_type.HasField("shape") for output in self.outputs):
            onnx.checker.check_model(made)
        return made


def delays_of(path):
    """By output, what the header says: axis, positions per pulse, delay, positions of the input."""
    text = open(path[:-2] + "h").read()
    return {name: tuple(map(int, numbers)) for name, *numbers in
            re.findall(r"pulse: output '(.*)': axis (\d+), (\d+) positions for (\d+) of the input, delay (\d+)", text)}


def compile_pulses(model, pulses, **options):
    global tests
    tests += 1
    path = os.path.join(folder.name, f"m{tests}.so")
    onnxc.compile(model, path, pulses=pulses, **options)
    return path


def run_pulses(path, inputs, time_axis, size, length, wanted):
    """All pulses of a sequence, and as many more as `wanted` positions of the outputs need; noise behind its end."""
    session = onnxc.InferenceSession(path)
    delays = delays_of(path)
    count = max([-(-length // size)] + [-(-(delay + wanted[name].shape[axis]) // each) for name, (axis, each, _, delay) in delays.items()])
    lengths = [name for name in session.state.names if name.endswith(".length")]
    assert len(lengths) <= 1, lengths
    lead = re.search(r"that less (\d+)\n", open(path[:-2] + "h").read())
    assert bool(lead) == bool(lengths)
    lead = int(lead[1]) if lead else 0
    parts = []
    for pulse in range(count):
        feeds = {}
        for name, value in inputs.items():
            axis = time_axis.get(name)
            if axis is None:
                feeds[name] = value
                continue
            part = np.take(value, np.arange(pulse * size, min((pulse + 1) * size, length)), axis) if pulse * size < length else \
                np.take(value, [], axis)
            missing = size - part.shape[axis]
            # What comes behind the end must not matter.
            garbage = random.standard_normal([missing if i == axis else n for i, n in enumerate(part.shape)])
            feeds[name] = np.concatenate([part, (garbage * 1 if value.dtype == np.float32 else np.zeros(garbage.shape)).astype(value.dtype)], axis)
        if lengths and (pulse + 1) * size > length - lead:
            session.state[lengths[0]] = np.array([length], np.int64)
        parts.append(session.run(None, feeds))
    names = [output.name for output in session.get_outputs()]
    return {name: np.concatenate([part[i] for part in parts], delays[name][0]) for i, name in enumerate(names)
            if name in delays}, {name: parts[-1][i] for i, name in enumerate(names) if name not in delays}, delays


def compare(model, inputs, time_axis, size, rtol=2e-5, dim="time", reference=None, **options):
    """Pulses against the whole sequence; whatever is before the delay and behind the end is nobody's business."""
    session = onnxruntime.InferenceSession((reference or model).SerializeToString(), providers=["CPUExecutionProvider"])
    expected = dict(zip([o.name for o in session.get_outputs()], session.run(None, inputs)))
    path = compile_pulses(model, {dim: size}, **options)
    length = next(inputs[name].shape[axis] for name, axis in time_axis.items())
    streams, last, delays = run_pulses(path, inputs, time_axis, size, length, expected)
    assert streams, "the header names no output with pulses"
    for name, value in streams.items():
        axis, _, _, delay = delays[name]
        want = expected[name]
        got = np.take(value, np.arange(delay, delay + want.shape[axis]), axis)
        scale = np.abs(want).max() or 1
        wrong = np.abs(got - want) > rtol * scale
        wrong |= np.isnan(got)
        if wrong.any():
            at = sorted(set(np.argwhere(wrong)[:, axis]))
            raise AssertionError(f"'{name}': {len(at)} of {want.shape[axis]} positions differ, the first is {at[0]}, the last {at[-1]}; "
                                 f"by {np.abs(got - want).max() / scale:.2e}; pulses of {size}, delay {delay}")
    return last, expected, delays


def audio(*shape):
    return random.standard_normal(shape).astype(np.float32)


#===--- Random stacks ------------------------------------------------------===


def random_model(seed):
    """A stack of layers over time: kernels, dilations, strides, padding, branches that are joined, transposes."""
    global random
    random = np.random.default_rng(seed)
    channels = int(random.choice([2, 3, 4]))
    batch = ["b", 1, 2][random.integers(3)]
    g = Graph([batch, channels, "time"])
    x, up, down = "x", 1, 1

    def pads(extent):
        kind = random.integers(5)
        if kind == 0:
            return extent - 1, 0
        if kind == 1:
            left = int(random.integers(0, extent))
            return left, extent - 1 - left
        if kind == 2:
            return 0, 0
        return int(random.integers(0, extent + 2)), int(random.integers(0, extent + 2))

    def same_pads(extent):
        left = int(random.integers(0, extent))
        return left, extent - 1 - left

    for _ in range(int(random.integers(1, 7))):
        kind = random.integers(14)
        if kind <= 2:
            kernel, dilation = int(random.integers(1, 6)), int(random.integers(1, 4))
            out, stride = int(random.choice([2, 3, 4])), int(random.choice([1, 1, 1, 2, 3])) if down < 6 else 1
            x = g.conv(x, channels, out, kernel, pads((kernel - 1) * dilation + 1), stride, dilation)
            channels, down = out, down * stride
        elif kind == 3:  # A branch around a convolution, of another delay.
            kernel, dilation = int(random.integers(1, 6)), int(random.integers(1, 3))
            inner = g.op("Tanh", g.conv(x, channels, channels, kernel, same_pads((kernel - 1) * dilation + 1), 1, dilation))
            x = g.op("Add", inner, x) if random.integers(2) else g.op("Mul", x, inner)
        elif kind == 4 and up < 6:
            stride, kernel = int(random.integers(1, 4)), int(random.integers(1, 6))
            left, right = int(random.integers(0, kernel)) // 2, int(random.integers(0, kernel)) // 2
            more = int(random.integers(0, stride)) if stride > 1 else 0
            x = g.op("ConvTranspose", x, g.weight(channels, 3, kernel), g.const(random.standard_normal(3)), kernel_shape=[kernel],
                     strides=[stride], pads=[left, right], output_padding=[more])
            channels, up = 3, up * stride
        elif kind == 5:
            left, right = (int(n) for n in random.integers(0, 4, 2))
            mode = str(random.choice(["constant", "constant", "edge", "reflect"]))
            operands = [x, g.ints(0, 0, left, 0, 0, right)]
            if mode == "constant":
                operands.append(g.const(random.choice([0.0, 1.5])))
            x = g.op("Pad", *operands, mode=mode)
        elif kind == 6:
            kernel = int(random.integers(1, 4))
            stride = int(random.choice([1, 2])) if down < 6 else 1
            left, right = (int(n) for n in random.integers(0, kernel, 2))
            if kernel == 1:
                left = right = 0
            name = str(random.choice(["MaxPool", "AveragePool", "LpPool"]))
            more = {"count_include_pad": int(random.integers(2))} if name == "AveragePool" else {}
            x = g.op(name, x, kernel_shape=[kernel], strides=[stride], pads=[left, right], **more)
            down *= stride
        elif kind == 7:
            start, end = (int(n) for n in random.integers(0, 4, 2))
            x = g.op("Slice", x, g.ints(start), g.ints(-end if end else 2**62), g.ints(2))
        elif kind == 8:
            hidden = 3
            x = g.op("Transpose", x, perm=[2, 0, 1])
            kind, gates = [("LSTM", 4), ("GRU", 3), ("RNN", 1)][random.integers(3)]
            y, _ = g.op(kind, x, g.weight(1, gates * hidden, channels), g.weight(1, gates * hidden, hidden),
                        g.const(random.standard_normal((1, 2 * gates * hidden))), outputs=2, hidden_size=hidden)
            x = g.op("Transpose", g.op("Squeeze", y, g.ints(1)), perm=[1, 2, 0])
            channels = hidden
        elif kind == 9:
            x = g.op("Transpose", x, perm=[0, 2, 1])
            x = g.op("LayerNormalization", x, g.const(random.uniform(0.5, 1.5, channels)), g.const(random.standard_normal(channels)))
            x = g.op("Add", g.op("MatMul", x, g.weight(channels, 4)), g.const(random.standard_normal(4)))
            x = g.op("Transpose", x, perm=[0, 2, 1])
            channels = 4
        elif kind == 10:
            a = g.conv(x, channels, 2, 3, same_pads(3))
            x = g.op("Concat", a, x, axis=1)
            channels += 2
        elif kind == 11:
            x = g.op("CumSum", g.op("Mul", x, g.const(0.1)), g.const(2, np.int64))
            x = g.op("Sin", x)
        elif kind == 12 and up < 6:
            x = g.op("Resize", x, "", g.const([1, 1, 2]), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
            up *= 2
        elif kind == 13:
            x = g.op("Sigmoid", x)
    g.result(x, dims=[None, None, None])
    g.nodes[-1].name = "last"
    return g.model(), batch, down


def run_random(count, first):
    global random
    passed = 0
    for seed in range(first, first + count):
        model, batch, down = random_model(seed)
        channels = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
        random = np.random.default_rng(seed + 10**6)
        size = down * int(random.integers(1, 5))
        length = int(random.integers(60, 120))
        x = audio(2 if batch == "b" else batch, channels, length)
        try:
            compare(model, {"x": x}, {"x": 2}, size, rtol=1e-3, opt_level=int(random.choice([0, 2])))
        except Exception as error:
            raise AssertionError(f"model {seed}, pulses of {size}, {length} positions: {error}") from error
        passed += 1
    print(f"{passed} random models passed")


#===--- Models of four kinds -----------------------------------------------===


def check(name, model, inputs, time_axis, sizes, **options):
    for size in sizes:
        for level in (0, 2):
            _, _, delays = compare(model, inputs, time_axis, size, opt_level=level, **options)
        print(f"{name}: pulses of {size}:", ", ".join(f"{output} {each} per {of}, delay {delay}" for output, (_, each, of, delay) in delays.items()))


def tcn(blocks=4, causal=True):
    """Blocks of two dilated convolutions with a residual, as exporters write causal ones: padding on both sides, and a crop."""
    g = Graph(["batch", 3, "time"])
    x, channels, hidden = "x", 3, 8
    for block in range(blocks):
        dilation = 2 ** block
        inner, width = x, channels
        for _ in range(2):
            pad = 2 * dilation
            inner = g.conv(inner, width, hidden, 3, (pad, pad) if causal else (dilation, dilation), dilation=dilation)
            if causal:
                inner = g.op("Slice", inner, g.ints(0), g.ints(-pad), g.ints(2))
            inner, width = g.op("Relu", inner), hidden
        if channels != hidden:
            x = g.conv(x, channels, hidden, 1)
        x, channels = g.op("Relu", g.op("Add", inner, x)), hidden
    g.result(g.conv(x, hidden, 2, 1), dims=["batch", 2, "time"])
    return g.model()


def silero_like():
    """The layers of Silero VAD 5 over a whole recording: a spectrum by a convolution, an encoder with strides, an LSTM."""
    g = Graph(["batch", "time"])
    x = g.op("Pad", "x", g.ints(0, 32, 0, 32), mode="reflect")
    x = g.op("Unsqueeze", x, g.ints(1))
    x = g.conv(x, 1, 66, 64, stride=32, bias=False)
    real = g.op("Slice", x, g.ints(0), g.ints(33), g.ints(1))
    imaginary = g.op("Slice", x, g.ints(33), g.ints(66), g.ints(1))
    power = g.op("Add", g.op("Pow", real, g.const(2.0)), g.op("Pow", imaginary, g.const(2.0)))
    x, channels = g.op("Sqrt", power), 33
    for out, stride in ((16, 1), (8, 2), (8, 2), (16, 1)):
        x, channels = g.op("Relu", g.conv(x, channels, out, 3, (1, 1), stride=stride)), out
    x = g.op("Transpose", x, perm=[2, 0, 1])
    y, h, c = g.op("LSTM", x, g.weight(1, 64, 16), g.weight(1, 64, 16), g.const(random.standard_normal((1, 128))), outputs=3, hidden_size=16)
    x = g.op("Transpose", g.op("Squeeze", y, g.ints(1)), perm=[1, 2, 0])
    x = g.op("Sigmoid", g.conv(g.op("Relu", x), 16, 1, 1))
    g.result(x, dims=["batch", 1, "frames"])
    return g.model()


def conformer(chunk=4):
    """A subsampling, then blocks of feed-forward, attention within chunks and those before them, and a causal convolution module."""
    g = Graph(["batch", "time", 6])
    width, heads = 8, 2
    x = g.op("Transpose", "x", perm=[0, 2, 1])
    x = g.op("Relu", g.conv(x, 6, width, 3, (2, 0), stride=2))
    x = g.op("Transpose", x, perm=[0, 2, 1])

    def norm(x):
        return g.op("LayerNormalization", x, g.const(random.uniform(0.5, 1.5, width)), g.const(random.standard_normal(width)))

    def linear(x, inner, outer):
        return g.op("Add", g.op("MatMul", x, g.weight(inner, outer)), g.const(random.standard_normal(outer) * 0.1))

    def swish(x):
        return g.op("Mul", x, g.op("Sigmoid", x))

    def feed_forward(x):
        return g.op("Add", x, g.op("Mul", linear(swish(linear(norm(x), width, 16)), 16, width), g.const(0.5)))

    for _ in range(2):
        x = feed_forward(x)
        h = norm(x)
        # The sizes of batch and chunks are computed, as exporters do it.
        batch = g.op("Slice", g.op("Shape", h), g.ints(0), g.ints(1), g.ints(0))
        chunks = g.op("Div", g.op("Slice", g.op("Shape", h), g.ints(1), g.ints(2), g.ints(0)), g.ints(chunk))

        def split(value, rows):
            shape = g.op("Concat", batch, chunks, g.ints(rows, heads, width // heads), axis=0)
            return g.op("Transpose", g.op("Reshape", value, shape), perm=[0, 1, 3, 2, 4])

        def with_last(value):
            value = g.op("Reshape", value, g.op("Concat", batch, chunks, g.ints(chunk, width), axis=0))
            last = g.op("Slice", g.op("Pad", value, g.ints(0, 1, 0, 0, 0, 0, 0, 0)), g.ints(0), g.ints(-1), g.ints(1))
            return g.op("Concat", last, value, axis=2)

        q = split(linear(h, width, width), chunk)
        k = split(with_last(linear(h, width, width)), 2 * chunk)
        v = split(with_last(linear(h, width, width)), 2 * chunk)
        scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 2, 4, 3])), g.const(0.5))
        mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 1, 3, 2, 4])
        mixed = g.op("Reshape", mixed, g.op("Concat", batch, g.ints(-1, width), axis=0))
        x = g.op("Add", x, linear(mixed, width, width))
        h = g.op("Transpose", linear(norm(x), width, 2 * width), perm=[0, 2, 1])
        a, b = g.op("Split", h, outputs=2, axis=1, num_outputs=2)
        h = g.op("Mul", a, g.op("Sigmoid", b))
        h = swish(g.conv(h, width, width, 5, (4, 0), group=width))
        x = g.op("Add", x, linear(g.op("Transpose", h, perm=[0, 2, 1]), width, width))
        x = feed_forward(x)
    g.result(linear(norm(x), width, 5), dims=["batch", "frames", 5])
    return g.model()


def encodec_like():
    """A decoder: a convolution, an LSTM with a residual, transposed convolutions whose ends are cut off, residual blocks."""
    g = Graph(["batch", 8, "time"])
    x = g.conv("x", 8, 16, 7, (6, 0))
    y = g.op("Transpose", x, perm=[2, 0, 1])
    for _ in range(2):
        out, _, _ = g.op("LSTM", y, g.weight(1, 64, 16), g.weight(1, 64, 16), g.const(random.standard_normal((1, 128))), outputs=3,
                         hidden_size=16)
        y = g.op("Squeeze", out, g.ints(1))
    x, channels = g.op("Add", g.op("Transpose", y, perm=[1, 2, 0]), x), 16
    for stride in (4, 2):
        x = g.op("Elu", x)
        x = g.op("ConvTranspose", x, g.weight(channels, channels // 2, 2 * stride), g.const(random.standard_normal(channels // 2)),
                 kernel_shape=[2 * stride], strides=[stride])
        x = g.op("Slice", x, g.ints(0), g.ints(-stride), g.ints(2))
        channels //= 2
        inner = g.conv(g.op("Elu", x), channels, channels // 2, 3, (2, 0))
        x = g.op("Add", x, g.conv(g.op("Elu", inner), channels // 2, channels, 1))
    # The original pads by reflecting; the last layer here does.
    x = g.op("Pad", g.op("Elu", x), g.ints(0, 0, 3, 0, 0, 3), mode="reflect")
    g.result(g.conv(x, channels, 1, 7), dims=["batch", 1, "samples"])
    return g.model()


def windowed_attention(left, right, causal):
    """The operator Attention with a bounded window, and what it means for a sequence of `length`."""

    def projections(g):
        rows = [g.op("MatMul", "x", g.const(weight)) for weight in weights]
        return [g.op("Transpose", g.op("Reshape", row, g.ints(0, -1, 2, 4)), perm=[0, 2, 1, 3]) for row in rows]

    weights = random.standard_normal((3, 6, 8)) / 2
    g = Graph(["batch", "time", 6])
    bounds = {"left_window_size": left, **({"is_causal": 1} if causal else {"right_window_size": right})}
    g.result(g.op("Attention", *projections(g), **bounds), dims=["batch", 2, "time", 4])

    def reference(length):
        r = Graph(["batch", length, 6])
        q, k, v = projections(r)
        at = np.arange(length)
        hidden = (at[None] < at[:, None] - left) | (at[None] > at[:, None] + right)
        scores = r.op("Mul", r.op("MatMul", q, r.op("Transpose", k, perm=[0, 1, 3, 2])), r.const(0.5))
        scores = r.op("Add", scores, r.const(np.where(hidden, -1e30, 0)))
        r.result(r.op("MatMul", r.op("Softmax", scores, axis=-1), v), dims=["batch", 2, length, 4])
        return r.model()

    return g.model(25), reference


def test_kinds():
    check("TCN, causal", tcn(), {"x": audio(2, 3, 150)}, {"x": 2}, (1, 7, 40))
    check("TCN, looking ahead", tcn(3, causal=False), {"x": audio(2, 3, 150)}, {"x": 2}, (1, 10))
    check("Silero-like", silero_like(), {"x": audio(2, 2000)}, {"x": 1}, (128, 512))
    check("Conformer-like", conformer(), {"x": audio(2, 96, 6)}, {"x": 1}, (8, 32))
    check("EnCodec-like", encodec_like(), {"x": audio(2, 8, 50)}, {"x": 2}, (1, 5))
    for left, right, causal in ((3, 0, True), (0, 2, False), (5, 2, False)):
        model, reference = windowed_attention(left, right, causal)
        check("Attention", model, {"x": audio(2, 40, 6)}, {"x": 1}, (1, 4, 16), reference=reference(40))


#===--- Single operators ---------------------------------------------------===


def simple(dims, make, opset=18, out=FLOAT, dtype=FLOAT):
    g = Graph(dims, dtype)
    g.result(make(g), dims=None, dtype=out)
    return g.model(opset)


def test_operators():
    """What the random stacks do not have."""
    x = audio(2, 4, 60)

    def one(make, sizes=(1, 4), value=x, axis=2, dims=("b", 4, "time"), **options):
        check(make.__name__, simple(list(dims), make, **options), {"x": value}, {"x": axis}, sizes)

    def same_upper(g):
        return g.op("Conv", "x", g.weight(3, 4, 4), auto_pad="SAME_UPPER")

    def max_pool_with_padding(g):  # All values are below 0, so that a padding of 0 would be seen.
        return g.op("MaxPool", g.op("Sub", g.op("Sigmoid", "x"), g.const(5.0)), kernel_shape=[3], pads=[1, 1], strides=[1])

    def two_dimensions(g):
        h = g.op("Unsqueeze", "x", g.ints(1))
        h = g.op("Conv", h, g.weight(3, 1, 3, 5), g.const(random.standard_normal(3)), pads=[1, 2, 1, 2])
        return g.op("AveragePool", h, kernel_shape=[2, 3], pads=[1, 1, 0, 1], strides=[2, 1])

    def reduce_channels(g):
        return g.op("Squeeze", g.op("ReduceMean", "x", g.ints(1), keepdims=1), g.ints(1))

    def merged_with_batch(g):
        h = g.op("Transpose", "x", perm=[0, 2, 1])
        batch = g.op("Slice", g.op("Shape", h), g.ints(0), g.ints(1))
        h = g.op("Gemm", g.op("Reshape", h, g.ints(-1, 4)), g.weight(4, 6), g.const(random.standard_normal(6)))
        h = g.op("Reshape", h, g.op("Concat", batch, g.ints(-1, 6), axis=0))
        return g.op("Conv", g.op("Transpose", h, perm=[0, 2, 1]), g.weight(2, 6, 3), pads=[1, 1])

    def shuffled(g):  # Positions are split into channels, and channels into positions.
        h = g.op("Transpose", "x", perm=[0, 2, 1])
        h = g.op("Reshape", h, g.op("Concat", g.op("Slice", g.op("Shape", h), g.ints(0), g.ints(1)), g.ints(-1, 8), axis=0))
        h = g.op("MatMul", h, g.weight(8, 12))
        h = g.op("Reshape", h, g.ints(0, -1, 4))
        return g.op("Conv", g.op("Transpose", h, perm=[0, 2, 1]), g.weight(2, 4, 3), pads=[2, 0])

    def delayed_and_split(g):
        h = g.op("Conv", "x", g.weight(4, 4, 4), g.const(random.standard_normal(4)), pads=[1, 2])
        h = g.op("Transpose", h, perm=[0, 2, 1])
        h = g.op("Reshape", h, g.ints(0, -1, 3, 4))
        return g.op("ReduceMax", h, g.ints(2), keepdims=0)

    def position_codes(g):
        length = g.op("Gather", g.op("Shape", "x"), g.const(2, np.int64))
        at = g.op("Range", g.const(0, np.int64), length, g.const(1, np.int64))
        codes = g.op("Transpose", g.op("Gather", g.const(random.standard_normal((500, 4))), at), perm=[1, 0])
        return g.op("Conv", g.op("Add", "x", codes), g.weight(2, 4, 3), pads=[2, 0])

    def spread_value(g):
        shape = g.op("Concat", g.op("Slice", g.op("Shape", "x"), g.ints(0), g.ints(1)), g.ints(2), g.op("Slice", g.op("Shape", "x"), g.ints(2), g.ints(3)), axis=0)
        more = g.op("Expand", g.const(random.standard_normal((1, 2, 1))), shape)
        return g.op("Conv", g.op("Concat", "x", more, axis=1), g.weight(2, 6, 3), pads=[1, 1])

    def put_before(g):
        zeros = g.const(np.zeros((2, 4, 3)))
        return g.op("Conv", g.op("Concat", zeros, "x", axis=2), g.weight(2, 4, 4))

    def initial_values(g):
        h = g.op("Conv", "x", g.weight(4, 4, 3), g.const(random.standard_normal(4)), pads=[1, 1])
        h = g.op("Transpose", h, perm=[2, 0, 1])
        first = g.const(random.standard_normal((1, 2, 3)))
        y, _ = g.op("GRU", h, g.weight(1, 9, 4), g.weight(1, 9, 3), "", "", first, outputs=2, hidden_size=3, linear_before_reset=1)
        return y

    def batch_first(g):
        y, _, _ = g.op("LSTM", g.op("Transpose", "x", perm=[0, 2, 1]), g.weight(1, 12, 4), g.weight(1, 12, 3), outputs=3, hidden_size=3, layout=1)
        return y

    def running_sum(g):
        h = g.op("Conv", "x", g.weight(2, 4, 3), g.const(random.standard_normal(2)), pads=[1, 1])
        return g.op("CumSum", h, g.const(2, np.int64), exclusive=1)

    def einsum(g):
        return g.op("Einsum", "x", g.weight(4, 3), equation="bct,cd->dbt")

    for make in (same_upper, max_pool_with_padding, two_dimensions, reduce_channels, merged_with_batch, position_codes, spread_value,
                 put_before, initial_values, running_sum, einsum):
        one(make)
    one(shuffled, sizes=(2, 6))
    one(delayed_and_split, sizes=(3, 12))

    def embedding(g):
        return g.op("Conv", g.op("Transpose", g.op("Gather", g.const(random.standard_normal((20, 3))), "x"), perm=[0, 2, 1]), g.weight(2, 3, 3), pads=[2, 0])

    one(embedding, value=random.integers(0, 20, (2, 30)).astype(np.int64), axis=1, dims=("b", "time"), dtype=INT64)

    def stft(g):
        h = g.op("Pad", "x", g.ints(0, 8, 0, 8), mode="reflect")
        h = g.op("STFT", g.op("Unsqueeze", h, g.ints(2)), g.const(4, np.int64), g.const(np.hanning(16)), g.const(16, np.int64))
        return g.op("ReduceL2", h, g.ints(3), keepdims=0)

    one(stft, value=audio(2, 100), axis=1, dims=("b", "time"), sizes=(4, 20))
    check("unnamed dimension", simple(["b", 4, None], same_upper), {"x": x}, {"x": 2}, (5,), dim="x:2")


def scan(delayed):
    """A recurrence as a subgraph, which starts with a value of the model."""
    g = Graph([2, 3, "time"])
    h = g.op("Conv", "x", g.weight(3, 3, 3), g.const(random.standard_normal(3)), pads=[1, 1]) if delayed else "x"
    body = helper.make_graph(
        [helper.make_node("Mul", ["s", "half"], ["m"]), helper.make_node("Add", ["m", "xt"], ["s2"]), helper.make_node("Tanh", ["s2"], ["o"])],
        "body", [helper.make_tensor_value_info("s", FLOAT, [2, 3]), helper.make_tensor_value_info("xt", FLOAT, [2, 3])],
        [helper.make_tensor_value_info("s2", FLOAT, [2, 3]), helper.make_tensor_value_info("o", FLOAT, [2, 3])],
        [numpy_helper.from_array(np.float32(0.5), "half")])
    _, y = g.op("Scan", g.const(random.standard_normal((2, 3))), h, outputs=2, body=body, num_scan_inputs=1, scan_input_axes=[2], scan_output_axes=[1])
    g.result(y, dims=[2, "time", 3])
    return g.model()


def test_states_of_the_model():
    """A model whose initial values are inputs: with --state they go on by themselves, and start as zeros."""
    g = Graph([1, 4, "time"])
    g.inputs += [helper.make_tensor_value_info(n, FLOAT, [1, 1, 3]) for n in ("h", "c")]
    x = g.op("Transpose", g.op("Conv", "x", g.weight(4, 4, 3), g.const(random.standard_normal(4)), pads=[1, 1]), perm=[2, 0, 1])
    y, h, c = g.op("LSTM", x, g.weight(1, 12, 4), g.weight(1, 12, 3), "", "", "h", "c", outputs=3, hidden_size=3)
    g.result(y, dims=["time", 1, 1, 3])
    g.result(h, "hn", [1, 1, 3])
    g.result(c, "cn", [1, 1, 3])
    model = g.model()
    zero = np.zeros((1, 1, 3), np.float32)
    x = audio(1, 4, 50)
    whole = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x, "h": zero, "c": zero})
    for size in (1, 4, 7):
        path = compile_pulses(model, {"time": size}, state="hn=h,cn=c")
        got, _, delays = run_pulses(path, {"x": x}, {"x": 2}, size, 50, {"y": whole[0]})
        delay = delays["y"][2 + 1]
        assert np.allclose(got["y"][delay:delay + 50], whole[0], atol=1e-5), np.abs(got["y"][delay:delay + 50] - whole[0]).max()
    # Without, they count in the first pulse.
    first = [audio(1, 1, 3), audio(1, 1, 3)]
    compare(model, {"x": x, "h": first[0], "c": first[1]}, {"x": 2}, 5)
    print("states of the model: as they are, and as inputs")


def test_reset_and_save():
    """Buffers are states like others."""
    path = compile_pulses(tcn(2), {"time": 10})
    session = onnxc.InferenceSession(path)
    x = audio(2, 3, 30)
    runs = [session.run(None, {"x": x[..., i:i + 10]})[0] for i in (0, 10)]
    saved = session.state.save()
    last = session.run(None, {"x": x[..., 20:]})[0]
    session.state.reset()
    assert np.array_equal(session.run(None, {"x": x[..., :10]})[0], runs[0])
    session.state.load(saved)
    assert np.array_equal(session.run(None, {"x": x[..., 20:]})[0], last)
    print("reset, save and load")


#===--- What cannot be pulsed ----------------------------------------------===


def refused(make, expected, dims=("b", 4, "time"), pulses=None, **options):
    model = simple(list(dims), make, **options) if callable(make) else make
    try:
        compile_pulses(model, pulses or {"time": 4})
    except onnxc.Error as error:
        assert expected in str(error), f"{error}\nexpected: {expected}"
        return
    raise AssertionError(f"not refused: {expected}")


def test_refused():
    def attention(g):
        h = g.op("Transpose", "x", perm=[0, 2, 1])
        return g.op("MatMul", g.op("Softmax", g.op("MatMul", h, "x", name="scores"), axis=-1), h)

    refused(attention, "node 'scores' (MatMul): cannot be computed by pulses of 'time': it multiplies each position by each other one")
    refused(lambda g: g.op("ReduceMean", "x", g.ints(2), name="mean"), "node 'mean' (ReduceMean): cannot be computed by pulses of 'time': it needs all positions")
    refused(lambda g: g.op("Softmax", "x", axis=2), "it needs all positions")
    refused(lambda g: g.op("InstanceNormalization", "x", g.const(np.ones(4)), g.const(np.ones(4))), "it needs all positions")
    refused(lambda g: g.op("GlobalAveragePool", "x"), "it needs all positions")
    refused(lambda g: g.op("LSTM", g.op("Transpose", "x", perm=[2, 0, 1]), g.weight(2, 12, 4), g.weight(2, 12, 3), outputs=3, hidden_size=3,
                           direction="bidirectional", name="rnn")[0], "node 'rnn' (LSTM): cannot be computed by pulses of 'time': it reads the sequence from its end")
    refused(lambda g: g.op("Gather", "x", g.const(-1, np.int64), axis=2), "it takes single positions")
    refused(lambda g: g.op("CumSum", "x", g.const(2, np.int64), reverse=1), "it sums from the end")
    refused(lambda g: g.op("MatMul", "x", g.op("Transpose", "x", perm=[0, 2, 1])), "it sums over all positions")
    refused(lambda g: g.op("Slice", "x", g.ints(-3), g.ints(2**62), g.ints(2)), "it starts at a position that depends on the length")
    refused(lambda g: g.op("Slice", "x", g.ints(0), g.ints(9), g.ints(2)), "it ends at a position that is not counted from the end")
    refused(lambda g: g.op("Add", "x", g.op("Cast", g.op("Gather", g.op("Shape", "x"), g.const(2, np.int64)), to=1)), "it computes with the length")
    refused(lambda g: g.op("Concat", "x", "x", axis=2), "it puts one sequence behind another")
    refused(lambda g: g.op("MaxPool", "x", kernel_shape=[2], strides=[2], ceil_mode=1), "ceil_mode")
    refused(lambda g: g.op("Reshape", "x", g.ints(0, 2, -1)), "no dimension of its result has the positions of the sequence in their order")
    # Strides: which pulses work.
    refused(lambda g: g.conv(g.conv("x", 4, 4, 3, stride=2), 4, 4, 3, stride=5), "the smallest pulses of 'time' that work are 10, 20 and 30", pulses={"time": 4})
    refused(lambda g: g.op("ConvTranspose", g.conv("x", 4, 4, 3, stride=6), g.weight(4, 2, 3), strides=[2]), "that work are 6, 12 and 18", pulses={"time": 4})
    # Options.
    identity = lambda g: g.op("Relu", "x")
    refused(identity, "no input has a dimension 'tim'; named are b, time", pulses={"tim": 4})
    refused(identity, "the model has no such input", pulses={"z:1": 4})
    refused(identity, "dimension 1 of input 'x' is not open", pulses={"x:1": 4})
    refused(identity, "expected the name of a dimension", pulses={"time": 0})
    print("refusals")


def main():
    test_kinds()
    test_operators()
    for delayed in (False, True):
        check("Scan", scan(delayed), {"x": audio(2, 3, 40)}, {"x": 2}, (1, 3, 8))
    test_states_of_the_model()
    test_reset_and_save()
    test_refused()
    run_random(25, 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_random(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    else:
        main()
