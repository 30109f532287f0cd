#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model of voice activity that takes 32 ms after 32 ms.

usage: make_model.py vad.onnx                        random weights, and a last layer that was fitted to tones and noise
       make_model.py --silero SILERO.onnx vad.onnx   Silero's model, version 5 or 6, with the same interface

The model has an input, samples [1, 512] of 16 kHz, and an output, the probability of speech [1, 1]. What it remembers
are states, for `onnxc --state=stateN=state,contextN=context`: state [2, 1, 128], the memory of an LSTM, and context
[1, 64], the samples before.
"""

import argparse
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RATE, BLOCK, CONTEXT, WINDOW, HOP, MEMORY = 16000, 512, 64, 256, 128, 128
# Of the convolutions: channels in and out, and the step. Four frames become one.
CONVOLUTIONS = [(129, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1)]


def random_weights():
    random = np.random.default_rng(0)
    angles = 2 * np.pi * np.outer(np.arange(WINDOW // 2 + 1), np.arange(WINDOW)) / WINDOW
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    weights = {"basis": np.concatenate([np.cos(angles) * hann, np.sin(angles) * hann])[:, None] / 8}
    for i, (inputs, outputs, _) in enumerate(CONVOLUTIONS):
        weights[f"conv{i}"] = random.standard_normal([outputs, inputs, 3]) * (2 / (3 * inputs)) ** 0.5
        weights[f"bias{i}"] = random.standard_normal(outputs) / 10
    for name in ("W", "R"):
        weights[name] = random.standard_normal([1, 4 * MEMORY, MEMORY]) / MEMORY ** 0.5
    weights["B"] = random.standard_normal([1, 8 * MEMORY]) / 10
    return {name: value.astype(np.float32) for name, value in weights.items()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def memories(weights, samples):
    """What the LSTM gives for each block, [blocks, MEMORY]: the graph below, in numpy."""
    h, c, context, results = np.zeros(MEMORY), np.zeros(MEMORY), np.zeros(CONTEXT), []
    bias = weights["B"][0].reshape(2, -1).sum(0)
    for block in samples[:len(samples) // BLOCK * BLOCK].reshape(-1, BLOCK):
        heard = np.concatenate([context, block])
        context = block[-CONTEXT:]
        heard = np.pad(heard, (0, CONTEXT), "reflect")
        frames = np.lib.stride_tricks.sliding_window_view(heard, WINDOW)[::HOP]
        real, imaginary = np.split(frames @ weights["basis"][:, 0].T, 2, axis=1)
        x = np.sqrt(real ** 2 + imaginary ** 2)
        for i, (_, _, step) in enumerate(CONVOLUTIONS):
            rows = np.lib.stride_tricks.sliding_window_view(np.pad(x, [(1, 1), (0, 0)]), 3, axis=0)[::step]
            x = np.maximum(0, np.einsum("tck,ock->to", rows, weights[f"conv{i}"]) + weights[f"bias{i}"])
        i, o, f, new = np.split(weights["W"][0] @ x[0] + weights["R"][0] @ h + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
        h = sigmoid(o) * np.tanh(c)
        results.append(h)
    return np.array(results)


def fit_last_layer(weights):
    """By least squares, for tones with harmonics that swell four times a second (1) and for noise and silence (0)."""
    random = np.random.default_rng(1)
    random = np.random.default_rng(1)
    rows, targets, time = [], [], np.arange(RATE // BLOCK * BLOCK) / RATE
    for pitch in (90, 110, 130, 160, 200, 240):
        noises = [random.standard_normal(time.size) * loudness for loudness in (0.001, 0.01, 0.02)]
        tone = sum(np.sin(2 * np.pi * pitch * n * time) / n for n in range(1, 15)) * (1 + np.sin(8 * np.pi * time))
        # Each time from the beginning, where nothing was heard yet.
        for sounds in ((time * 0, tone * 0.3), (noises[0], tone * 0.1, noises[2]), (noises[1], tone * 0.05, time * 0)):
            rows.append(memories(weights, np.concatenate(sounds)))
            targets += [6.0 if i == 1 else -6.0 for i in range(len(sounds)) for _ in range(RATE // BLOCK)]
    rows = np.maximum(0, np.concatenate(rows))
    rows = np.concatenate([rows, np.ones((len(rows), 1))], 1)
    last = np.linalg.solve(rows.T @ rows + 0.05 * np.eye(rows.shape[1]), rows.T @ np.array(targets))
    weights["last"], weights["offset"] = last[:-1, None].astype(np.float32), last[-1:].astype(np.float32)


def make(path):
    weights = random_weights()
    fit_last_layer(weights)
    integers = {"axis": [1], "zero": [0], "one": [1], "two": [2], "from": [BLOCK], "to": [BLOCK + CONTEXT],
                "pads": [0, 0, 0, 0, 0, CONTEXT], "row": [1, MEMORY]}
    constants = weights | {name: np.array(values, np.int64) for name, values in integers.items()}
    nodes = []

    def node(op, *inputs, result=None, outputs=1, **attributes):
        results = [result or f"v{len(nodes)}"] if outputs == 1 else [f"v{len(nodes)}_{i}" for i in range(outputs)]
        nodes.append(helper.make_node(op, list(inputs), results, **attributes))
        return results[0] if outputs == 1 else results

    heard = node("Concat", "context", "samples", axis=1)
    node("Slice", heard, "from", "to", "axis", result="contextN")
    x = node("Pad", node("Unsqueeze", heard, "axis"), "pads", mode="reflect")
    real, imaginary = node("Split", node("Conv", x, "basis", strides=[HOP]), outputs=2, axis=1, num_outputs=2)
    x = node("Sqrt", node("Add", node("Mul", real, real), node("Mul", imaginary, imaginary)))
    for i, (_, _, step) in enumerate(CONVOLUTIONS):
        x = node("Relu", node("Conv", x, f"conv{i}", f"bias{i}", pads=[1, 1], strides=[step]))
    h, c = (node("Slice", "state", begin, end, "zero") for begin, end in (("zero", "one"), ("one", "two")))
    _, h, c = node("LSTM", node("Transpose", x, perm=[2, 0, 1]), "W", "R", "B", "", h, c, outputs=3, hidden_size=MEMORY)
    node("Concat", h, c, axis=0, result="stateN")
    logit = node("Add", node("MatMul", node("Relu", node("Reshape", h, "row")), "last"), "offset")
    node("Sigmoid", logit, result="probability")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "vad",
        [value("samples", TensorProto.FLOAT, [1, BLOCK]), value("state", TensorProto.FLOAT, [2, 1, MEMORY]),
         value("context", TensorProto.FLOAT, [1, CONTEXT])],
        [value("probability", TensorProto.FLOAT, [1, 1]), value("stateN", TensorProto.FLOAT, [2, 1, MEMORY]),
         value("contextN", TensorProto.FLOAT, [1, CONTEXT])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), path)


def adapt(source, path):
    """The samples before become a state, and the sampling rate a constant."""
    model = onnx.load(source)
    names = sorted(value.name for value in model.graph.input), sorted(value.name for value in model.graph.output)
    if names != (["input", "sr", "state"], ["output", "stateN"]):
        sys.exit(f"make_model.py: {source}: expected the inputs input, sr and state and the outputs output and stateN, got {names[0]} and {names[1]}")
    graph, value = model.graph, helper.make_tensor_value_info
    for name, array in (("sr", np.int64(RATE)), ("vad.from", [BLOCK]), ("vad.to", [BLOCK + CONTEXT]), ("vad.axis", [1])):
        graph.initializer.append(numpy_helper.from_array(np.array(array, np.int64), name))
    before = [helper.make_node("Concat", ["context", "samples"], ["input"], axis=1),
              helper.make_node("Slice", ["input", "vad.from", "vad.to", "vad.axis"], ["contextN"])]
    nodes = [*before, *graph.node]
    del graph.node[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(nodes)
    graph.input.extend([value("samples", TensorProto.FLOAT, [1, BLOCK]), value("state", TensorProto.FLOAT, [2, 1, MEMORY]),
                        value("context", TensorProto.FLOAT, [1, CONTEXT])])
    graph.output.extend([value("output", TensorProto.FLOAT, [1, 1]), value("stateN", TensorProto.FLOAT, [2, 1, MEMORY]),
                         value("contextN", TensorProto.FLOAT, [1, CONTEXT])])
    save(model, path)


def save(model, path):
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--silero", metavar="SILERO.onnx", help="Silero's model, and not random weights")
    options = parser.parse_args()
    if options.silero:
        adapt(options.silero, options.output)
    else:
        make(options.output)


if __name__ == "__main__":
    main()
