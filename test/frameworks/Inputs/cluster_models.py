"""Models of the tests of clusters, what a worker that is lost does, and what memory workers share."""

import os
import pathlib
import signal

import numpy as np
import onnx
from onnx import TensorProto, helper


def rows_model(width=2):
    """score = 3 * x[0] - x[1], twice = [x, x]"""
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("MatMul", ["x", "w"], ["score"]), helper.make_node("Concat", ["x", "x"], ["twice"], axis=1)]
    graph = helper.make_graph(nodes, "rows", [value("x", TensorProto.FLOAT, ["n", width])],
                              [value("score", TensorProto.FLOAT, ["n", 1]), value("twice", TensorProto.FLOAT, ["n", 2 * width])],
                              [helper.make_tensor("w", TensorProto.FLOAT, [width, 1], [3, -1])])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def large_model(size=3000):
    """Weights of size * size numbers."""
    weights = np.random.default_rng(7).standard_normal((size, size)).astype(np.float32)
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "large", [value("x", TensorProto.FLOAT, ["n", size])],
                              [value("y", TensorProto.FLOAT, ["n", size])], [onnx.numpy_helper.from_array(weights, "w")])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), weights


def die_once(marker):
    """Ends this process as a crash would, the first time that any process comes here."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def mapped(pid, name):
    """(Rss, Pss) in bytes of what a process has mapped of a file of that name."""
    sums, counts = {"Rss:": 0, "Pss:": 0}, False
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        first, *rest = line.split()
        if not first.endswith(":"):
            counts = line.endswith(name)
        elif counts and first in sums:
            sums[first] += 1024 * int(rest[0])
    return sums["Rss:"], sums["Pss:"]


def is_shared(sizes, file_size):
    """Whether workers share one copy: each sees most of the file, together they take it once."""
    resident, proportional = sum(rss for rss, _ in sizes), sum(pss for _, pss in sizes)
    return resident > 0.8 * file_size * len(sizes) and proportional < 1.2 * file_size
