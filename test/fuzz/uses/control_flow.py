# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subgraphs."""

import numpy as np
from onnx import TensorProto, helper

from .source import Use, op


@op("If")
def branches(s):
    array = s.array("float32", s.shape(low=1))
    bodies = {}
    for name, inner in (("then_branch", s.pick(["Neg", "Relu"])), ("else_branch", s.pick(["Abs", "Identity"]))):
        result = helper.make_tensor_value_info(name + "_y", TensorProto.FLOAT, None)
        bodies[name] = helper.make_graph([helper.make_node(inner, ["x1"], [name + "_y"])], name, [], [result])
    return Use([np.array(s.chance(0.5)), array], bodies, captured=(1,))


@op("Loop")
def loop(s):
    """Adds up, and keeps each step; may end by its condition."""
    shape = s.shape(low=1, most=2)
    nodes = [helper.make_node("Add", ["state", "x3"], ["next"]), helper.make_node("Less", ["i", "x4"], ["go"]),
             helper.make_node("Neg", ["next"], ["kept"])]
    body = helper.make_graph(
        nodes, "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("ok", TensorProto.BOOL, []),
         helper.make_tensor_value_info("state", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("go", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, shape),
         helper.make_tensor_value_info("kept", TensorProto.FLOAT, shape)])
    return Use([np.array(s.integer(0, 5)), np.array(True), s.array("float32", shape), s.array("float32", shape), np.array(s.integer(0, 6))],
               {"body": body}, outputs=2, captured=(3, 4))


@op("Scan")
def scan(s):
    length, width = s.integer(1, 4), s.integer(1, 4)
    nodes = [helper.make_node("Add", ["state", "item"], ["next"]), helper.make_node("Relu", ["next"], ["kept"])]

    def row(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [width])

    body = helper.make_graph(nodes, "body", [row("state"), row("item")], [row("next"), row("kept")])
    attributes = s.attributes(body=body, num_scan_inputs=1, scan_input_directions=s.maybe([1], 0.3), scan_output_directions=s.maybe([1], 0.3))
    return Use([s.array("float32", [width]), s.array("float32", [length, width])], attributes, outputs=2)
