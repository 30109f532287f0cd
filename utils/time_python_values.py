#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long Python's InferenceSession.run takes where values are maps, sequences and texts, and ONNX Runtime's.

usage: time_python_values.py [--build build/dev] [--rounds 15] [CASE...]

Models are those that converters of scikit-learn and LightGBM write: trees or a linear classifier, and ZipMap behind it.
Runs of both take turns, on one thread each, whose processor time counts: the median of rounds. Results are compared first.
"""

import argparse
import pathlib
import statistics
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

F, I, S = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def model(nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def tensor(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def labels(count, are_texts):
    return {"classlabels_strings": [f"class {i}" for i in range(count)]} if are_texts else {"classlabels_int64s": list(range(count))}


def zip_map(count, are_texts):
    """The node, and the outputs of the model."""
    key = S if are_texts else I
    maps = onnx.TypeProto()
    maps.sequence_type.elem_type.map_type.key_type = key
    maps.sequence_type.elem_type.map_type.value_type.tensor_type.elem_type = F
    node = helper.make_node("ZipMap", ["scores"], ["maps"], domain="ai.onnx.ml", **labels(count, are_texts))
    return node, [tensor("label", key, [None]), helper.make_value_info("maps", maps)]


def trees(classes, count=50, depth=5, are_texts=False):
    """A forest on ten columns."""
    random = np.random.default_rng(0)
    per, inner = 2 ** (depth + 1) - 1, 2 ** depth - 1
    nodes = {name: [] for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")}
    leaves = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(count):
        for i in range(per):
            is_leaf = i >= inner
            values = (tree, i, random.integers(10), random.random(), "LEAF" if is_leaf else "BRANCH_LEQ", 0 if is_leaf else 2 * i + 1,
                      0 if is_leaf else 2 * i + 2)
            for column, value in zip(nodes.values(), values):
                column.append(value)
            if is_leaf:
                for column, value in zip(leaves.values(), (tree, i, random.integers(classes), random.random() / count)):
                    column.append(value)
    attributes = {f"nodes_{name}": column for name, column in nodes.items()} | {f"class_{name}": column for name, column in leaves.items()}
    forest = helper.make_node("TreeEnsembleClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml", post_transform="NONE",
                              **attributes, **labels(classes, are_texts))
    node, outputs = zip_map(classes, are_texts)
    return model([forest, node], [tensor("x", F, [None, 10])], outputs), lambda rows: {"x": random.random((rows, 10), np.float32)}


def linear(classes, are_texts=False):
    random = np.random.default_rng(0)
    node = helper.make_node("LinearClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml", post_transform="SOFTMAX",
                            coefficients=random.random(classes * 10).tolist(), intercepts=[0.0] * classes,
                            **{name.replace("int64s", "ints"): values for name, values in labels(classes, are_texts).items()})
    zipped, outputs = zip_map(classes, are_texts)
    return model([node, zipped], [tensor("x", F, [None, 10])], outputs), lambda rows: {"x": random.random((rows, 10), np.float32)}


def texts():
    """Categories to numbers, and back."""
    words = [f"word {i}" for i in range(20)]
    there = helper.make_node("LabelEncoder", ["x"], ["k"], domain="ai.onnx.ml", keys_strings=words, values_int64s=list(range(20)))
    back = helper.make_node("LabelEncoder", ["k"], ["y"], domain="ai.onnx.ml", keys_int64s=list(range(20)), values_strings=words)
    random = np.random.default_rng(0)
    return (model([there, back], [tensor("x", S, [None])], [tensor("y", S, [None])]),
            lambda rows: {"x": np.array([words[i] for i in random.integers(0, 20, rows)], dtype=object)})


def maps_in():
    """A dict of a text's words."""
    given = onnx.TypeProto()
    given.map_type.key_type = S
    given.map_type.value_type.tensor_type.elem_type = F
    node = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=[f"w{i}" for i in range(50)])
    return (model([node], [helper.make_value_info("x", given)], [tensor("y", F, [1, 50])]),
            lambda rows: {"x": {f"w{i}": float(i) for i in range(min(rows, 30))}})


def sequences():
    """Rows apart, and together."""
    nodes = [helper.make_node("SplitToSequence", ["x"], ["s"], axis=0)]
    return (model(nodes, [tensor("x", F, [None, 10])], [helper.make_tensor_sequence_value_info("s", F, None)]),
            lambda rows: {"x": np.random.default_rng(0).random((rows, 10), np.float32)})


CASES = {
    "trees, 2 classes": lambda: trees(2),
    "trees, 3 classes": lambda: trees(3),
    "trees, 3 texts": lambda: trees(3, are_texts=True),
    "trees, 20 classes": lambda: trees(20),
    "linear, 3 classes": lambda: linear(3),
    "linear, 10 texts": lambda: linear(10, are_texts=True),
    "texts": texts,
    "maps in": maps_in,
    "sequence": sequences,
}


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and (a.tolist() == b.tolist() if a.dtype == object else np.allclose(a, b, atol=1e-5))
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and np.allclose(list(a.values()), list(b.values()), atol=1e-5)
    return a == b


def measure(sessions, feed, rounds):
    """Seconds per run of each."""
    start = time.thread_time()
    sessions[0].run(None, feed)
    repeats = max(1, int(0.01 / max(time.thread_time() - start, 1e-6)))
    times = [[] for _ in sessions]
    for _ in range(rounds):
        for session, taken in zip(sessions, times):
            start = time.thread_time()
            for _ in range(repeats):
                session.run(None, feed)
            taken.append((time.thread_time() - start) / repeats)
    return [statistics.median(taken) for taken in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "build" / "dev")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    sys.path.insert(0, str(options.build / "python"))
    import onnxc

    single = onnxruntime.SessionOptions()
    single.intra_op_num_threads = 1
    print(f"{'case':20} {'rows':>6} {'onnxc, us':>10} {'ORT, us':>10} {'times':>6}")
    for name in options.cases or CASES:
        proto, make = CASES[name]()
        sessions = [onnxc.InferenceSession(proto, threads=1), onnxruntime.InferenceSession(proto.SerializeToString(), single)]
        for rows in (1, 10_000):
            feed = make(rows)
            results = [session.run(None, feed) for session in sessions]
            if not same(*results):
                print(f"{name}: results differ")
                return 1
            ours, theirs = measure(sessions, feed, options.rounds)
            print(f"{name:20} {rows:6} {ours * 1e6:10.1f} {theirs * 1e6:10.1f} {theirs / ours:6.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
