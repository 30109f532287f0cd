"""Attention as exporters and the operator have it: softcap, written by Tanh or as the attribute, biases by
the distance of keys (ALiBi) and by tables (T5), causal ones, groups of heads, 16-bit floats. Each is compiled
with open lengths; its prompts and steps are compared with -O0 and ONNX Runtime, and by threads.

usage: attention_forms.py FOLDER
"""

import pathlib
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import onnxc

HEADS, SIZE = 4, 64
# Tokens, and tokens before them. From 1,024 keys on, threads share the keys of few rows.
LENGTHS = [(1, 0), (5, 0), (1, 40), (30, 70), (1, 1022), (1, 1023), (1, 1500), (3, 1600), (17, 1100), (2, 0)]
TYPES = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16, TensorProto.BFLOAT16: ml_dtypes.bfloat16}
TOLERANCE = {TensorProto.FLOAT: 1e-5, TensorProto.FLOAT16: 4e-3, TensorProto.BFLOAT16: 3e-2}
MASK, ALIBI, TABLE, HIDDEN = [1, 1, "s", "t"], [1, HEADS, 1, "t"], [1, HEADS, "s", "t"], [1, 1, "s", "t"]


class Form:
    """A model of one attention with a cache."""

    def __init__(self, name, type=TensorProto.FLOAT, key_heads=HEADS, opset=18, runtime=True, size=SIZE):
        self.name, self.type, self.key_heads, self.opset, self.runtime, self.size = name, type, key_heads, opset, runtime, size
        self.nodes, self.weights = [], []
        self.inputs = [("q", type, [1, HEADS, "s", size])]
        self.inputs += [(name, type, [1, key_heads, "s", size]) for name in ("k", "v")]
        self.inputs += [(f"past_{name}", type, [1, key_heads, "p", size]) for name in ("k", "v")]

    def weight(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, *inputs, outputs=None, **attributes):
        outputs = outputs or [f"{op}{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op, list(inputs), outputs, **attributes))
        return outputs[0]

    def input(self, name, shape, type=None):
        self.inputs.append((name, type or self.type, shape))
        return name

    def scores(self, scale=SIZE ** -0.5):
        self.node("Concat", "past_k", "k", axis=2, outputs=["present_k"])
        self.node("Concat", "past_v", "v", axis=2, outputs=["present_v"])
        scores = self.node("MatMul", "q", self.node("Transpose", "present_k", perm=[0, 1, 3, 2]))
        return self.node("Mul", scores, self.weight(np.float32(scale))) if scale != 1 else scores

    def finish(self, scores):
        self.node("MatMul", self.node("Softmax", scores, axis=-1), "present_v", outputs=["y"])
        return self

    def save(self, folder):
        value = helper.make_tensor_value_info
        outputs = [value("y", self.type, [1, HEADS, "s", self.size])]
        outputs += [value(f"present_{name}", self.type, [1, self.key_heads, "t", self.size]) for name in ("k", "v")]
        graph = helper.make_graph(self.nodes, self.name, [value(*each) for each in self.inputs], outputs, self.weights)
        opset = helper.make_opsetid("", self.opset)
        onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=10), folder / f"{self.name}.onnx")

    def feeds(self, tokens, past):
        random = np.random.default_rng([tokens, past])
        sizes = {"s": tokens, "p": past, "t": tokens + past}
        feeds = {}
        for name, type, shape in self.inputs:
            shape = [sizes.get(size, size) for size in shape]
            if type == TensorProto.BOOL:
                feeds[name] = random.random(shape) < 0.3
                feeds[name][..., 0] = False
            else:
                feeds[name] = random.standard_normal(shape).astype(TYPES[type])
        return feeds


def tanh():
    form = Form("tanh")
    limit = form.weight(np.float32(3))
    capped = form.node("Mul", form.node("Tanh", form.node("Div", form.scores(), limit)), limit)
    return form.finish(form.node("Add", capped, form.input("mask", MASK)))


def alibi():
    form = Form("alibi")
    biased = form.node("Add", form.scores(), form.input("alibi", ALIBI))
    return form.finish(form.node("Add", biased, form.input("mask", MASK)))


def last_columns():
    """As MPT has it: the last columns of a table, and keys that are hidden by a low number."""
    form = Form("last_columns")
    scores = form.scores()
    slopes = 2.0 ** -np.arange(2, 2 + HEADS)
    table = (np.arange(-2047, 1) * slopes[:, None]).astype(np.float32).reshape(1, HEADS, 1, -1)
    length = form.node("Gather", form.node("Shape", "present_k"), form.weight(np.array([2])))
    bias = form.node("Slice", form.weight(table), form.node("Neg", length), form.weight(np.array([2 ** 62])), form.weight(np.array([3])))
    hidden = form.input("hidden", HIDDEN, TensorProto.BOOL)
    return form.finish(form.node("Where", hidden, form.weight(np.float32(-3.4e38)), form.node("Add", scores, bias)))


def table():
    """As T5 has it: no scale, one bias for each head, query and key."""
    form = Form("table")
    bias = form.node("Add", form.input("bias", TABLE), form.input("mask", MASK))
    return form.finish(form.node("Add", form.scores(1), bias))


def operator(name, type=TensorProto.FLOAT, key_heads=HEADS, masked=True, size=SIZE, **attributes):
    form = Form(name, type, key_heads, 25, runtime=False, size=size)
    mask = form.input("mask", MASK) if masked else ""
    form.node("Attention", "q", "k", "v", mask, "past_k", "past_v", outputs=["y", "present_k", "present_v"], **attributes)
    return form


def forms():
    yield from (tanh(), alibi(), last_columns(), table())
    yield operator("softcap", softcap=3.0)
    yield operator("softcap_groups", key_heads=2, softcap=3.0, is_causal=1)
    yield operator("one_head", key_heads=1, is_causal=1, masked=False)
    yield operator("window", key_heads=2, is_causal=1, left_window_size=700)
    yield operator("float16", TensorProto.FLOAT16, 2, is_causal=1)
    # The root of the scale is no power of two: keys are scaled, too.
    yield operator("float16_scaled", TensorProto.FLOAT16, 2, size=40)
    yield operator("bfloat16", TensorProto.BFLOAT16, 1, size=40, softcap=3.0, is_causal=1, masked=False)


def agree(ours, theirs, tolerance):
    return all(np.shape(a) == np.shape(b) and
               np.abs(a.astype(np.float64) - b.astype(np.float64)).max() <= tolerance * max(1, np.abs(b.astype(np.float64)).max())
               for a, b in zip(ours, theirs, strict=True))


def main():
    folder = pathlib.Path(sys.argv[1])
    onnxruntime.set_default_logger_severity(4)
    right = total = 0
    for form in forms():
        form.save(folder)
        path = folder / f"{form.name}.onnx"
        for level in (0, 2):
            onnxc.compile(path, folder / f"{level}.so", opt_level=level)
        plain = onnxc.InferenceSession(folder / "0.so")
        sessions = [onnxc.InferenceSession(folder / "2.so", threads=threads) for threads in (1, 2, 3)]
        runtime = onnxruntime.InferenceSession(path) if form.runtime else None
        for lengths in LENGTHS:
            feeds = form.feeds(*lengths)
            results = [session.run(None, feeds) for session in sessions]
            faults = []
            if any(a.tobytes() != b.tobytes() for other in results[1:] for a, b in zip(results[0], other)):
                faults.append("threads")
            if not agree(results[0], plain.run(None, feeds), TOLERANCE[form.type]):
                faults.append("-O0")
            if runtime and not agree(results[0], runtime.run(None, feeds), TOLERANCE[form.type]):
                faults.append("ONNX Runtime")
            total += 1
            right += not faults
            for fault in faults:
                print(f"{form.name}, {lengths[0]} tokens behind {lengths[1]}: {fault} differs")
    print(f"attention: {right} of {total}")


main()
