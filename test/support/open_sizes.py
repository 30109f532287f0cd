#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes every size of a model's inputs unknown.

usage: open_sizes.py IN.onnx OUT.onnx
"""

import sys

import onnx


def forget_sizes(model):
    """Every dim of every input gets a name of its own; what the model says of
    other sizes goes. Whether there was anything to forget."""
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    forgotten = False
    del graph.value_info[:]
    for i, value in enumerate(graph.input):
        if value.name in constants:
            continue
        for j, dim in enumerate(dims_of(value.type)):
            forgotten |= dim.HasField("dim_value")
            dim.dim_param = f"d{i}_{j}"
    for value in graph.output:
        for dim in dims_of(value.type):
            dim.Clear()
    return forgotten


def dims_of(declared):
    """The dims that a type mentions, at any depth."""
    while declared.WhichOneof("value") in ("sequence_type", "optional_type"):
        declared = getattr(declared, declared.WhichOneof("value")).elem_type
    return declared.tensor_type.shape.dim if declared.HasField("tensor_type") else []


if __name__ == "__main__":
    opened = onnx.load(sys.argv[1])
    forget_sizes(opened)
    onnx.save(opened, sys.argv[2])
