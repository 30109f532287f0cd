# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolution and the depthwise one or pool behind it give the same bits in one
loop (onnxc-fuse-depthwise) as apart, where the image between them is an output as
well, for each level that this machine runs and for any number of threads.

usage: depthwise.py BUILD [CASES SEED]
"""

import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "support"))

import levels
import onnxc

# channels of the first image, filters, rows, columns; first kernel and stride; second kernel, stride, dilation, pads at
# the top and bottom; what is behind the sums of both; images in the batch (0: open)
CASES = [
    (16, 96, 112, 112, 1, 1, 3, 2, 1, (1, 1), "Relu", "Relu", 1),
    (24, 144, 56, 56, 1, 1, 3, 1, 1, (1, 1), "Relu", "", 0),  # nine blocks: panels of two, and one
    (3, 128, 224, 223, 3, 2, 3, 2, 1, (1, 1), "Relu", "Add", 1),  # an image that is not blocked
    (8, 64, 168, 168, 1, 1, 3, 2, 1, (0, 1), "", "Relu", 2),
    (8, 128, 120, 121, 1, 1, 3, 1, 2, (2, 2), "Add", "Relu", 1),
    (8, 192, 96, 200, 1, 1, 5, 2, 1, (2, 1), "Relu", "", 1),
    (8, 96, 96, 200, 1, 1, "MaxPool", 2, 1, (1, 1), "Relu", "", 1),
    (8, 64, 128, 160, 1, 1, "AveragePool", 1, 1, (0, 0), "", "", 0),
]


def draw_case(r):
    kernel = r.choice([2, 3, 3, 5, "MaxPool", "AveragePool"])
    dilation = r.choice([1, 1, 2]) if isinstance(kernel, int) else 1
    reach = (kernel if isinstance(kernel, int) else 3) * dilation
    return (r.choice([3, 8, 16, 24]), 16 * r.randint(3, 10), r.randint(40, 250), r.randint(90, 250), r.choice([1, 1, 1, 3]), r.choice([1, 1, 2]),
            kernel, r.choice([1, 2, 3]), dilation, (r.randrange((reach + 1) // 2), r.randrange((reach + 1) // 2)),
            r.choice(["Relu", "Add", ""]), r.choice(["Relu", "Add", ""]), r.choice([0, 1, 2]))


class Graph:
    """The chains of all cases, with or without the images between as outputs."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs, self.images, self.feeds = [], [], [], [], [], {}

    def draw(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def feed(self, name, value, is_open):
        shape = ["n" + name if is_open else value.shape[0], *value.shape[1:]]
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.feeds[name] = value
        return name

    def behind(self, what, x, name, shape, is_open):
        if what == "Relu":
            return self.add("Relu", [x], name + "_relu")
        if what == "Add":
            return self.add("Add", [x, self.feed(name + "_z", self.draw(*shape), is_open)], name + "_add")
        return x

    def chain(self, number, case):
        channels, filters, rows, columns, first, step, kernel, stride, dilation, pads, behind, last, batch = case
        name, is_open, images = f"c{number}", batch == 0, max(batch, 1)
        x = self.feed(name + "_x", self.draw(images, channels, rows, columns), is_open)
        pad = first // 2
        size = [(extent + 2 * pad - first) // step + 1 for extent in (rows, columns)]
        weights = [self.constant(name + "_v", self.draw(filters, channels, first, first)), self.constant(name + "_a", self.draw(filters))]
        t = self.add("Conv", [x, *weights], name + "_conv", kernel_shape=[first, first], strides=[step, step], pads=[pad] * 4)
        t = self.behind(behind, t, name + "_t", (images, filters, *size), is_open)
        self.images.append(helper.make_tensor_value_info(t, TensorProto.FLOAT, None))
        window = kernel if isinstance(kernel, int) else 3
        attributes = {"kernel_shape": [window] * 2, "strides": [stride] * 2, "pads": [pads[0], 1, pads[1], 1]}
        if isinstance(kernel, int):
            w = [self.constant(name + "_w", self.draw(filters, 1, window, window)), self.constant(name + "_b", self.draw(filters))]
            y = self.add("Conv", [t, *w], name + "_y", group=filters, dilations=[dilation] * 2, **attributes)
        else:
            y = self.add(kernel, [t], name + "_y", **attributes)
        reach = (window - 1) * dilation + 1
        size = [(size[0] + sum(pads) - reach) // stride + 1, (size[1] + 2 - reach) // stride + 1]
        y = self.behind(last, y, name + "_y", (images, filters, *size), is_open)
        self.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, None))

    def save(self, path, outputs):
        graph = helper.make_graph(self.nodes, "chains", self.inputs, outputs, self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


def compile_model(model, library, cpu):
    """How many of its depthwise kernels read a piece of an image."""
    command = [pathlib.Path(sys.argv[1]) / "bin" / "onnxc", model, "-o", library, f"--mcpu={cpu}", f"--opt-report={library}.txt"]
    subprocess.run(command, check=True, capture_output=True)
    return pathlib.Path(f"{library}.txt").read_text().count("  pieces: ")


def compare(cases, seed, fuses):
    graph = Graph(seed)
    for number, case in enumerate(cases):
        graph.chain(number, case)
    for name in ("v3", "v4"):
        level = levels.LEVELS[name]
        if not level.runs_here():
            continue
        with tempfile.TemporaryDirectory() as folder:
            fused, apart = (pathlib.Path(folder) / part for part in ("fused.onnx", "apart.onnx"))
            graph.save(fused, graph.outputs)
            graph.save(apart, graph.outputs + graph.images)
            pieces = compile_model(fused, fused.with_suffix(".so"), level.cpu)
            if compile_model(apart, apart.with_suffix(".so"), level.cpu) != 0:
                print(f"wrong: pieces of an image that is an output, at {name}")
            if fuses and pieces < len(cases):
                print(f"wrong: {pieces} kernels of pieces at {name}")
            run = lambda path, threads: onnxc.InferenceSession(str(path.with_suffix(".so")), threads=threads).run(None, graph.feeds)  # noqa: E731
            want = run(apart, 1)[:len(cases)]
            for threads in (1, 2, 3):
                for case, x, y in zip(cases, want, run(fused, threads)):
                    if x.shape != y.shape or not np.array_equal(x.view(np.uint32), y.view(np.uint32)):
                        print(f"wrong at {name} with {threads} threads: {case}")


def main():
    if len(sys.argv) > 2:
        r = random.Random(int(sys.argv[3]))
        for batch in range(int(sys.argv[2])):
            compare([draw_case(r) for _ in range(6)], batch, fuses=False)
    else:
        compare(CASES, 0, fuses=True)
    print("done")


main()
