# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes with hundreds of operands or results, against NumPy."""

import numpy as np
from onnx import TensorProto, helper

import onnxc

COUNT = 100
RANDOM = np.random.default_rng(1)
FOLDS = {"Sum": np.add, "Mean": np.add, "Max": np.maximum, "Min": np.minimum}


def run(nodes, feed, names, shapes, level):
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shapes(array))
              for name, array in feed.items()]
    kind = inputs[0].type.tensor_type.elem_type
    outputs = [helper.make_tensor_value_info(name, kind, None) for name in names]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), ir_version=10,
                              opset_imports=[helper.make_opsetid("", 21)])
    return onnxc.InferenceSession(model, opt_level=level).run(None, feed)


def concat(level, shapes):
    feed = {f"x{i}": RANDOM.standard_normal((2, i % 4, 3)).astype(np.float32) for i in range(COUNT)}
    nodes = [helper.make_node("Concat", list(feed), ["y"], axis=1), helper.make_node("Neg", ["y"], ["z"])]
    y, z = run(nodes, feed, ["y", "z"], shapes, level)
    want = np.concatenate(list(feed.values()), 1)
    return np.array_equal(y, want) and np.array_equal(z, -want)


def concat_lengths(level, count):
    """Of open lengths: calls of one kernel, with more arguments than registers, and sums of as many sizes."""
    feed = {f"x{i}": RANDOM.standard_normal(i % 4).astype(np.float32) for i in range(count)}
    y, = run([helper.make_node("Concat", list(feed), ["y"], axis=0)], feed, ["y"], lambda array: [None], level)
    return np.array_equal(y, np.concatenate(list(feed.values())))


def split(level, shapes):
    feed = {"x": RANDOM.standard_normal((COUNT, 3)).astype(np.float32)}
    names = [f"y{i}" for i in range(COUNT)]
    results = run([helper.make_node("Split", ["x"], names, num_outputs=COUNT)], feed, names, shapes, level)
    return all(np.array_equal(result, feed["x"][i:i + 1]) for i, result in enumerate(results))


def fold(name, dtype, level, shapes):
    """Of broadcast operands, one by one in float32; rounded once."""
    feed = {f"x{i}": RANDOM.uniform(-2, 2, ((3, 4), (1, 4), (4,), (3, 1))[i % 4]).astype(dtype) for i in range(COUNT)}
    want = np.zeros((3, 4), np.float32) + feed["x0"].astype(np.float32)
    for array in list(feed.values())[1:]:
        want = FOLDS[name](want, array.astype(np.float32))
    want = (want / np.float32(COUNT) if name == "Mean" else want).astype(dtype)
    return np.array_equal(run([helper.make_node(name, list(feed), ["y"])], feed, ["y"], shapes, level)[0], want)


def main():
    done = []
    for level in (0, 2):
        done += [concat_lengths(level, count) for count in (20, COUNT)]
        for shapes in (lambda array: array.shape, lambda array: [None if d > 1 else d for d in array.shape]):
            done += [concat(level, shapes), split(level, shapes), fold("Max", np.int32, level, shapes)]
            done += [fold(name, np.float16, level, shapes) for name in FOLDS]
            done.append(fold("Sum", np.float32, level, shapes))
    print(f"many operands: {sum(done)} of {len(done)}")


main()
