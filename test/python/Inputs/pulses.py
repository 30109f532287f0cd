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


def run_pulses(path, inputs, time_axis, size, length, end=None):
    """All pulses of a sequence, and as many more as its delays need; zeros behind its end unless it was `end`ed."""
    session = onnxc.InferenceSession(path)
    delays = delays_of(path)
    needed = max([-(-(d) // s) for _, s, _, d in delays.values()] or [0])
    count = -(-length // size) + needed
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
    streams, last, delays = run_pulses(path, inputs, time_axis, size, length)
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
