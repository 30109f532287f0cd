# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Motifs of the other generators: any use of any operator (uses/), what the
optimizer looks for (test/optimizer), programs of control flow (programs.py)."""

import types

import numpy as np
import onnx
from onnx import helper

import oracles
import programs
from uses import source

from . import sizes
from .builder import FLOAT, Value
from .registry import motif

import motifs as optimizer_motifs  # noqa: E402, the folder is added by builder


@motif(weight=6)
def optimizer(g):
    if g.opset >= 9:
        with g.only_fixed():
            g.choose(optimizer_motifs.EVERY)(g)


@motif(since=11, weight=6)
def any_operator(g):
    """A use of uses/, mostly of a value that is reshaped to what it takes."""
    if g.only_nodes:
        return
    op = source.choose(g.rng, [])
    generate, domain = source.GENERATORS[op]
    s = source.Source(op, domain, g.rng, g.opset)
    s.has_edges = g.specials and g.chance(0.3)
    if domain or s.opset != g.opset:
        return
    use = generate(s)
    if not s.fits(use) or use.captured or use.after or not isinstance(use.outputs, int):
        return
    if any(isinstance(value, list) or value is not None and np.asarray(value).dtype.kind in "OUS" for value in use.inputs):
        return
    if oracles.is_wrong("onnxruntime", _alone(op, s.opset, use)):
        return
    if op == "ConvTranspose" and any(size < before for size, before in zip(use.attributes.get("output_shape", ()), np.asarray(use.inputs[0]).shape[2:])):
        return  # onnx infers a result without these dimensions, and its checker asks for that
    inputs, is_connected = [], False
    for i, array in enumerate(use.inputs):
        if array is None:
            inputs.append("")
            continue
        array = np.asarray(array)
        x = None
        if not is_connected and array.dtype == np.float32 and array.size and i not in use.shapelike:
            x = g.pick(lambda v: v.dtype == FLOAT and sizes.is_fixed(v.shape) and v.size)
        if x is not None and g.chance(0.7):
            is_connected = True
            flat = g.super_reshape(x, (x.size,))
            index = g.constant(np.arange(array.size, dtype=np.int64) % x.size)
            x = g.super_reshape(g.gather(flat, index), array.shape)
            if op in POSITIVE:
                x = g.binary("Add", g.unary("Abs", x), g.number(0.5, x))
            elif g.chance(0.5):
                x = g.unary("Tanh", x)
            inputs.append(x)
        elif i in use.shapelike or g.chance(0.3) or g.outer:
            inputs.append(_initializer(g, array))
        else:
            inputs.append(g.input(helper.np_dtype_to_tensor_dtype(array.dtype), array.shape, lambda shape, array=array: array))
    while inputs and not inputs[-1]:
        inputs.pop()
    names = [g.name() for _ in range(use.outputs)]
    g.append(op, inputs, names, **use.attributes)
    g.raw_results += names


def _alone(op, opset, use):
    """The use as oracles.py takes it. Its results are of its first input's type, which
    holds of the operators that are listed there."""
    feeds = {f"i{i}": np.asarray(array) for i, array in enumerate(use.inputs) if array is not None}
    names = [f"i{i}" if array is not None else "" for i, array in enumerate(use.inputs)]
    results = [f"o{i}" for i in range(use.outputs)]
    kind = helper.np_dtype_to_tensor_dtype(next(iter(feeds.values())).dtype) if feeds else FLOAT
    graph = helper.make_graph([helper.make_node(op, names, results, **use.attributes)], "g", [],
                              [helper.make_tensor_value_info(name, kind, None) for name in results])
    return types.SimpleNamespace(op=op, feeds=feeds, model=helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]))


POSITIVE = {"Log", "Sqrt", "Pow", "Acosh", "Reciprocal", "Div"}


def _initializer(g, array):
    name = g.name("c")
    g.initializers.append(onnx.numpy_helper.from_array(array, name))
    return Value(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


@motif(since=17, weight=1)
def program(g):
    if g.opset != programs.OPSET or g.outer or g.only_nodes or not g.may_call:
        return
    model, feeds = programs.make(source.Source("Loop", "", g.rng))
    prefix = g.name("p") + "_"
    model = onnx.compose.add_prefix(model, prefix)
    g.nodes.extend(model.graph.node)
    g.functions.extend(model.functions)
    for value in model.graph.input:
        array = feeds[value.name[len(prefix):]]
        g.declared[value.name] = value
        g.inputs.append(Value(value.name, value.type.tensor_type.elem_type, array.shape))
        g.feeds[value.name] = g.second[value.name] = array
    g.raw_results += [value.name for value in model.graph.output]
