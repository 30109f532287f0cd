# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much the results of a graph change if each value in it is wrong by a little.

Two right results of one graph are as far apart as roundings may grow in it, and
no further. What roundings do is measured: in a copy of the model each float
result of a node is multiplied by random factors near 1, and the copy runs
several times, by ONNX Runtime. Floats of which sizes are computed are left as
they are.
"""

import numpy as np
import onnx
import onnx.inliner
from onnx import TensorProto, helper

from . import types

NOISE = {TensorProto.FLOAT: 2e-6, TensorProto.DOUBLE: 1e-7, TensorProto.FLOAT16: 2e-3, TensorProto.BFLOAT16: 1.6e-2}
WIDER = {**NOISE, TensorProto.FLOAT: NOISE[TensorProto.BFLOAT16]}
RUNS = 12
PHASE = "noise__phase"  # an input of the copy, another in each run


def noisy(model, noise):
    """The copy of the model; `noise` is how much, by element type."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    if copy.functions:
        copy = inlined(copy)
    copy = onnx.shape_inference.infer_shapes(copy)
    data = {v.name for v in copy.graph.input} - {t.name for t in copy.graph.initializer}
    opset = next(o.version for o in copy.opset_import if o.domain in ("", "ai.onnx"))
    _disturb(copy.graph, data, {}, [0], opset, noise)
    copy.graph.input.append(helper.make_tensor_value_info(PHASE, TensorProto.FLOAT, []))
    del copy.graph.value_info[:]
    return copy


def inlined(model):
    """Without local functions. onnx's inliner does not know the defaults of their
    attributes, which are written at the calls before."""
    defaults = {(f.domain, f.name): list(f.attribute_proto) for f in model.functions}

    def complete(nodes):
        for node in nodes:
            given = {a.name for a in node.attribute}
            node.attribute.extend(a for a in defaults.get((node.domain, node.op_type), ()) if a.name not in given)
            for a in node.attribute:
                complete(a.g.node)
    for nodes in (model.graph.node, *(f.node for f in model.functions)):
        complete(nodes)
    return onnx.inliner.inline_local_functions(model)


def _disturb(graph, data, known, count, opset, noise):
    """`data`: names of values that depend on elements of inputs, not on sizes alone."""
    known = dict(known)
    for v in [*graph.input, *graph.value_info, *graph.output]:
        known[v.name] = v.type.tensor_type.elem_type if v.type.HasField("tensor_type") else 0
    data = set(data) | {v.name for v in graph.input}
    nodes = list(graph.node)
    for node in nodes:
        if node.op_type not in ("Shape", "Size") and _reads(node) & data or node.op_type.startswith("Random"):
            data.update(node.output)
    deciding = _deciding(nodes, data, known, noise)
    del graph.node[:]
    for node in nodes:
        is_data = bool(data & set(node.output))
        for a in node.attribute:
            if a.HasField("g") and is_data:
                _disturb(a.g, data, known, count, opset, noise)
        graph.node.append(node)
        if not is_data and (deciding & set(node.output) or not node.input):
            continue
        added = graph.node[-1]
        for i, name in enumerate(added.output):
            if not name or known.get(name) not in noise:
                continue
            count[0] += 1
            added.output[i] = f"{name}__raw"
            graph.node.extend(_multiplied(added.output[i], name, known[name], count[0], opset, noise[known[name]]))


def _deciding(nodes, data, known, noise):
    """Names of floats of which sizes or other integers are computed, and not from data."""
    deciding = set()
    for node in reversed(nodes):
        deciding.update(name for a in node.attribute if a.HasField("g") for name in _captured(a.g))
        if node.op_type == "Range" or not data & set(node.output) and any(
                known.get(name) not in noise or name in deciding for name in node.output if name):
            deciding.update(node.input)
        deciding.update(node.input[i] for i in types.FLOAT32_OPERANDS.get(node.op_type, ()) if i < len(node.input))
    return deciding


def _reads(node):
    return {name for name in node.input if name} | {name for a in node.attribute if a.HasField("g") for name in _captured(a.g)}


def _multiplied(raw, name, dtype, number, opset, noise):
    """Nodes that compute `name` of `raw`: times 1 + noise * sin(index * phase)."""
    if opset < 14:  # Reshape has no allowzero, which a value without elements needs.
        return [helper.make_node("RandomUniformLike", [raw], [f"{name}__factors"], low=1 - noise, high=1 + noise, seed=float(number)),
                helper.make_node("Mul", [raw, f"{name}__factors"], [name])]

    def own(what):
        return f"{name}__{what}"

    def constant(what, value):
        return helper.make_node("Constant", [], [own(what)], value=onnx.numpy_helper.from_array(np.asarray(value)))
    nodes = [constant("zero", np.int64(0)), constant("one", np.int64(1)), constant("noise", np.float32(noise)),
             constant("unit", np.float32(1)), constant("number", np.float32(number)),
             helper.make_node("Shape", [raw], [own("shape")]), helper.make_node("Size", [raw], [own("size")]),
             helper.make_node("Range", [own("zero"), own("size"), own("one")], [own("range")]),
             helper.make_node("Cast", [own("range")], [own("index")], to=TensorProto.FLOAT),
             helper.make_node("Mul", [own("index"), PHASE], [own("angle")]),
             helper.make_node("Add", [own("angle"), own("number")], [own("turned")]),
             helper.make_node("Sin", [own("turned")], [own("sine")]),
             helper.make_node("Mul", [own("sine"), own("noise")], [own("small")]),
             helper.make_node("Add", [own("small"), own("unit")], [own("flat")]),
             helper.make_node("Reshape", [own("flat"), own("shape")], [own("factors")], allowzero=1)]
    if dtype == TensorProto.FLOAT:
        return [*nodes, helper.make_node("Mul", [raw, own("factors")], [name])]
    # 16 bits cannot hold the factors.
    return [*nodes, helper.make_node("Cast", [raw], [own("wide")], to=TensorProto.FLOAT if dtype != TensorProto.DOUBLE else dtype),
            helper.make_node("Cast", [own("factors")], [own("wide_factors")], to=TensorProto.FLOAT if dtype != TensorProto.DOUBLE else dtype),
            helper.make_node("Mul", [own("wide"), own("wide_factors")], [own("product")]),
            helper.make_node("Cast", [own("product")], [name], to=dtype)]


def _captured(graph):
    names = {name for node in graph.node for name in node.input} | {v.name for v in graph.output}
    for node in graph.node:
        for a in node.attribute:
            if a.HasField("g"):
                names |= _captured(a.g)
    return names


def measure(model, feeds, session_of, wider=True):
    """Results of runs with noise, or None if it cannot be measured."""
    try:
        run = session_of(noisy(model, NOISE if wider else WIDER))
    except Exception:  # what ONNX Runtime lacks
        if not wider or TensorProto.BFLOAT16 not in types.floats(model):
            return None
        # It knows few operators of bfloat16: float32 with the roundings of that.
        model = types.retyped(model, TensorProto.BFLOAT16, TensorProto.FLOAT)
        feeds = types.retyped_feeds(feeds, TensorProto.BFLOAT16, TensorProto.FLOAT)
        return measure(model, feeds, session_of, False)
    rng = np.random.default_rng(0)
    results = []
    for _ in range(RUNS):
        disturbed = {PHASE: np.array(rng.uniform(1, 9), np.float32)}
        for name, value in feeds.items():
            array = value if isinstance(value, list) else np.asarray(value)
            if not isinstance(array, list) and array.dtype.kind in "fV":
                noise = (NOISE if wider else WIDER).get(helper.np_dtype_to_tensor_dtype(array.dtype), 0)
                array = np.asarray(array.astype(np.float64) * rng.uniform(1 - noise, 1 + noise, array.shape)).astype(array.dtype)
            disturbed[name] = np.asarray(array) if not isinstance(array, list) else array
        try:
            results.append(run(disturbed))
        except Exception:  # sizes that depend on roundings
            return None
    return results
