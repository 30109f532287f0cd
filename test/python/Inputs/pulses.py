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
        if lengths and (pulse + 1) * size >= length:
            session.state[lengths[0]] = np.array([length], np.int64)
        parts.append(session.run(None, feeds))
    names = [output.name for output in session.get_outputs()]
    return {name: np.concatenate([part[i] for part in parts], delays[name][0]) for i, name in enumerate(names)
            if name in delays}, {name: parts[-1][i] for i, name in enumerate(names) if name not in delays}, delays


def compare(model, inputs, time_axis, size, rtol=2e-5, dim="time", **options):
    """Pulses against the whole sequence; whatever is before the delay and behind the end is nobody's business."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
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
    bounds = 0
    for seed in range(first, first + count):
        model, batch, down = random_model(seed)
        channels = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
        random = np.random.default_rng(seed + 10**6)
        size = down * int(random.integers(1, 5))
        length = int(random.integers(60, 120))
        x = audio(2 if batch == "b" else batch, channels, length)
        try:
            compare(model, {"x": x}, {"x": 2}, size, rtol=2e-4, opt_level=int(random.choice([0, 2])))
        except Exception as error:
            onnx.save(model, f"/tmp/pulses-failed-{seed}.onnx")
            raise AssertionError(f"model {seed}, pulses of {size}, {length} positions: {error}") from error
        bounds += 1
    print(f"{bounds} random models passed")


if __name__ == "__main__" and len(sys.argv) > 1:
    run_random(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.exit()
