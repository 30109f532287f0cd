#!/usr/bin/env python3
"""Measures models of one operator: what share of the machine's peak a kernel
reaches, beside its peers on the same model. One thread.

usage: utils/kernel_benchmarks.py [--json FILE] [--md docs/benchmarks.md] [--quick] [--peers ...] [--mcpu ...] [PATTERN]

PATTERN is a regular expression for the names of kernels. The peak is measured in
the same run, for each level of processors (utils/bench/peak.c). With --md, the section
on kernels of utils/benchmark.py's report is replaced, by one of all kernels. Needs what
utils/benchmark.py needs.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "support")]

from bench import native  # noqa: E402

if __name__ == "__main__":
    native.enter_environment()

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from bench import limits, machine, models, options as common, report  # noqa: E402


class Kernel:
    """A model of one operator: `flops` as its definition has them, `bytes` for
    each of its tensors once."""

    def __init__(self, name, nodes, inputs, weights=None, flops=0, int8=False, bytes=None, opset=20):
        self.name, self.flops, self.int8, self.given_bytes = name, flops, int8, bytes
        self.inputs, self.weights = inputs, weights or {}
        if isinstance(nodes, onnx.NodeProto):
            nodes = [nodes]
        graph = helper.make_graph(
            nodes, re.sub(r"\W+", "_", name),
            [helper.make_tensor_value_info(
                key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
             for key, value in inputs.items()],
            [helper.make_empty_tensor_value_info("y")],
            [numpy_helper.from_array(value, key) for key, value in self.weights.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        model.ir_version = 9 if opset < 23 else 11
        self.model = onnx.shape_inference.infer_shapes(model, strict_mode=True)

    def bytes(self):
        """Of inputs, weights and the result, unless only a part is touched."""
        if self.given_bytes is not None:
            return self.given_bytes
        output = self.model.graph.output[0].type.tensor_type
        size = np.dtype(helper.tensor_dtype_to_np_dtype(output.elem_type)).itemsize
        for dim in output.shape.dim:
            size *= dim.dim_value
        arrays = [*self.inputs.values(), *self.weights.values()]
        return size + sum(array.nbytes for array in arrays)


RNG = np.random.default_rng(0)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def product(name, m, k, n):
    return Kernel(name, helper.make_node("MatMul", ["x", "w"], ["y"]),
                  {"x": floats(m, k)}, {"w": floats(k, n)}, 2 * m * k * n)


def product_of_inputs(name, batch, m, k, n):
    return Kernel(name, helper.make_node("MatMul", ["x", "w"], ["y"]),
                  {"x": floats(batch, m, k), "w": floats(batch, k, n)}, flops=2 * batch * m * k * n)


def conv(name, channels, filters, size, taps, stride=1, group=1):
    pad = taps // 2
    out = (size + 2 * pad - taps) // stride + 1
    return Kernel(name, helper.make_node("Conv", ["x", "w", "b"], ["y"], pads=[pad] * 4,
                                         strides=[stride] * 2, group=group),
                  {"x": floats(1, channels, size, size)},
                  {"w": floats(filters, channels // group, taps, taps), "b": floats(filters)},
                  2 * out * out * filters * (channels // group) * taps * taps)


def one(name, op, shape, flops=0, weights=None, extra=(), **attributes):
    inputs = {"x": floats(*shape)}
    return Kernel(name, helper.make_node(op, ["x", *extra], ["y"], **attributes), inputs, weights, flops)


def int8_product(name, m, k, n):
    x = RNG.integers(0, 255, (m, k)).astype(np.uint8)
    w = RNG.integers(-127, 127, (k, n)).astype(np.int8)
    return Kernel(name, helper.make_node("MatMulInteger", ["x", "w", "zero"], ["y"]), {"x": x},
                  {"w": w, "zero": np.uint8(128).reshape(())}, 2 * m * k * n, int8=True)


def int8_conv(name, channels, filters, size, taps, group=1):
    x = RNG.integers(0, 255, (1, channels, size, size)).astype(np.uint8)
    w = RNG.integers(-127, 127, (filters, channels // group, taps, taps)).astype(np.int8)
    node = helper.make_node("ConvInteger", ["x", "w", "zero"], ["y"], pads=[taps // 2] * 4, group=group)
    return Kernel(name, node, {"x": x}, {"w": w, "zero": np.uint8(128).reshape(())},
                  2 * size * size * filters * (channels // group) * taps * taps, int8=True)


def kernels():
    yield product("MatMul 128x768x768", 128, 768, 768)
    yield product("MatMul 128x768x3072", 128, 768, 3072)
    yield product("MatMul 512x512x512", 512, 512, 512)
    yield product("MatMul 197x384x1536", 197, 384, 1536)
    yield product("MatMul 1x1024x1024", 1, 1024, 1024)
    yield product("MatMul 1x4096x4096", 1, 4096, 4096)
    yield product_of_inputs("MatMul 12 x 128x64x128, both inputs", 12, 128, 64, 128)
    yield conv("Conv 3x3, 64 to 64, 56x56", 64, 64, 56, 3)
    yield conv("Conv 3x3, 256 to 256, 14x14", 256, 256, 14, 3)
    yield conv("Conv 3x3, 512 to 512, 7x7", 512, 512, 7, 3)
    yield conv("Conv 1x1, 64 to 256, 56x56", 64, 256, 56, 1)
    yield conv("Conv 1x1, 1024 to 256, 14x14", 1024, 256, 14, 1)
    yield conv("Conv 7x7 stride 2, 3 to 64, 224x224", 3, 64, 224, 7, 2)
    yield conv("Conv 3x3 depthwise, 96, 112x112", 96, 96, 112, 3, 1, 96)
    yield conv("Conv 5x5 depthwise stride 2, 240, 28x28", 240, 240, 28, 5, 2, 240)
    yield int8_product("MatMulInteger 128x768x768", 128, 768, 768)
    yield one("Softmax 12x128x128", "Softmax", (12, 128, 128), 5 * 12 * 128 * 128, axis=-1)
    yield one("LayerNormalization 128x768", "LayerNormalization", (128, 768), 7 * 128 * 768,
              {"s": floats(768), "b": floats(768)}, ("s", "b"), axis=-1)
    yield one("Gelu 128x3072", "Gelu", (128, 3072), 8 * 128 * 3072)
    yield one("Sigmoid 1x64x112x112", "Sigmoid", (1, 64, 112, 112), 4 * 64 * 112 * 112)
    yield one("Relu 1x256x56x56", "Relu", (1, 256, 56, 56), 256 * 56 * 56)
    yield one("ReduceMean of rows 1024x1024", "ReduceMean", (1024, 1024), 1 << 20,
              {"axes": np.array([1], np.int64)}, ("axes",), keepdims=0)
    yield one("ReduceMean of columns 1024x1024", "ReduceMean", (1024, 1024), 1 << 20,
              {"axes": np.array([0], np.int64)}, ("axes",), keepdims=0)
    yield one("Transpose 1024x1024", "Transpose", (1024, 1024), perm=[1, 0])
    yield one("Transpose 1x128x12x64 to heads", "Transpose", (1, 128, 12, 64), perm=[0, 2, 1, 3])
    yield one("MaxPool 3x3 stride 2, 64, 112x112", "MaxPool", (1, 64, 112, 112), 9 * 64 * 56 * 56,
              kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield one("GlobalAveragePool 2048, 7x7", "GlobalAveragePool", (1, 2048, 7, 7), 2048 * 49)
    yield Kernel("Gather 128 of 30522x768",
                 helper.make_node("Gather", ["w", "x"], ["y"]),
                 {"x": RNG.integers(0, 30521, (1, 128))}, {"w": floats(30522, 768)}, bytes=2 * 128 * 768 * 4)


def run(options, peaks, pattern=""):
    """The rows of all kernels whose names match, one thread, and the peaks, for
    report.kernel_section."""
    from bench import measure
    quick = getattr(options, "quick", False)
    options = argparse.Namespace(**{**vars(options), "levels": options.levels[-1:], "threads": [1], "onnxc_option": [],
                                    "rounds": 5 if quick else 20, "budget": 0.4 if quick else 1.6})
    rows = []
    for kernel in kernels():
        if not re.search(pattern, kernel.name):
            continue
        with tempfile.TemporaryDirectory(prefix="onnxc-bench-") as folder:
            path = os.path.join(folder, "kernel.onnx")
            onnx.save(kernel.model, path)
            rows.append(measure.measure(options, models.Model(
                kernel.name, path, kernel.inputs, gflops=1e-9 * kernel.flops, bytes=kernel.bytes())))
        print(report.line(rows[-1]), flush=True)
    host = machine.describe()
    return {"peaks": peaks, "rows": rows, "date": host["date"], "commit": host["commit"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="", metavar="PATTERN")
    common.add(parser)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    options = parser.parse_args()
    options.levels = [options.level]
    peaks = limits.measure([1])
    common.complete(parser, options, peaks)
    result = run(options, peaks, options.pattern)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))
    if options.md:
        if options.pattern:
            parser.error("--md: the report's table has all kernels, without PATTERN")
        options.md.write_text(report.replace_kernels(options.md.read_text(), report.kernel_section(result)))
    print("\n" + report.kernel_table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
