# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models for test/capi/states.c: a cache that grows, a sum that does not, and a node that fails by an index.

    past [batch, 2, past, 3] -> present      what was there, and x after it
    h [batch, 3] -> hn                       h plus the sum of x over its rows
    y [batch]                                the sum of present
    z                                        table[i] (out of range: the run fails)
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make(with_sum):
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Unsqueeze", ["x", "one"], ["x4"]),
        helper.make_node("Concat", ["x4", "x4"], ["new"], axis=1),
        helper.make_node("Concat", ["past", "new"], ["present"], axis=2),
        helper.make_node("ReduceSum", ["present", "others"], ["y"], keepdims=0),
        helper.make_node("Gather", ["table", "i"], ["z"], name="lookup", axis=0),
    ]
    inputs = [value("past", TensorProto.FLOAT, ["batch", 2, "past", 3]), value("x", TensorProto.FLOAT, ["batch", "seq", 3]),
              value("i", TensorProto.INT64, [])]
    outputs = [value("present", TensorProto.FLOAT, ["batch", 2, "all", 3]), value("y", TensorProto.FLOAT, ["batch"]),
               value("z", TensorProto.FLOAT, [])]
    if with_sum:
        nodes += [helper.make_node("ReduceSum", ["x", "one"], ["sum"], keepdims=0), helper.make_node("Add", ["h", "sum"], ["hn"])]
        inputs.insert(0, value("h", TensorProto.FLOAT, ["batch", 3]))
        outputs.append(value("hn", TensorProto.FLOAT, ["batch", 3]))
    constants = {"one": np.array([1], np.int64), "others": np.array([1, 2, 3], np.int64), "table": np.arange(5, dtype=np.float32)}
    graph = helper.make_graph(nodes, "states", inputs, outputs, [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


onnx.save(make(True), sys.argv[1])
onnx.save(make(False), sys.argv[2])
