# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of float32 as one of another float."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Operands that are float32 whatever the data are.
FLOAT32_OPERANDS = {"Resize": (1, 2), "Upsample": (1,)}


def floats(model):
    """Element types of inputs and results of the main graph."""
    inferred = onnx.shape_inference.infer_shapes(model).graph
    return {v.type.tensor_type.elem_type for v in [*inferred.input, *inferred.output, *inferred.value_info]} | {
        t.data_type for t in inferred.initializer}


def retyped(model, old, new):
    """The copy; whether it is valid is for the checker to say."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    _retype_graph(copy.graph, old, new)
    for function in copy.functions:
        others = kept(function.node)
        for node in function.node:
            _retype_node(node, others, old, new)
    return copy


def retyped_feeds(feeds, old, new):
    before, after = (helper.tensor_dtype_to_np_dtype(t) for t in (old, new))
    with np.errstate(all="ignore"):
        return {name: value.astype(after) if isinstance(value, np.ndarray) and value.dtype == before else value for name, value in feeds.items()}


def kept(nodes):
    """Names of values that are float32 in any case."""
    return {node.input[i] for node in nodes for i in FLOAT32_OPERANDS.get(node.op_type, ()) if i < len(node.input)}


def _retype_graph(graph, old, new):
    others = kept(graph.node)
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.name not in others:
            _retype(value.type, old, new)
    for tensor in graph.initializer:
        if tensor.name not in others:
            _retype_tensor(tensor, old, new)
    for node in graph.node:
        _retype_node(node, others, old, new)


def _retype(declared, old, new):
    while declared.WhichOneof("value") in ("sequence_type", "optional_type"):
        declared = getattr(declared, declared.WhichOneof("value")).elem_type
    if declared.HasField("tensor_type") and declared.tensor_type.elem_type == old:
        declared.tensor_type.elem_type = new


def _retype_tensor(tensor, old, new):
    if tensor.data_type == old:
        with np.errstate(all="ignore"):
            array = numpy_helper.to_array(tensor).astype(helper.tensor_dtype_to_np_dtype(new))
        tensor.CopyFrom(helper.make_tensor(tensor.name, new, array.shape, array.tobytes(), raw=True))


def _retype_node(node, others, old, new):
    for a in node.attribute:
        if a.name in ("to", "dtype") and a.i == old:
            a.i = new
        elif a.HasField("t") and not set(node.output) & others:
            _retype_tensor(a.t, old, new)
        elif a.HasField("g"):
            _retype_graph(a.g, old, new)
