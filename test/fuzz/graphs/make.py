# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of a seed, its inputs at two sizes, and its form without open sizes."""

import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import (control, decoding, exporters, networks, others, pairs, quantized, registry, requantized, shapes, sizes, tabular,  # noqa: F401, fill the registry
               transformers, types, values)
from .builder import Graph, random_graph
from .sizes import Size

OPSETS = (7, 8, 9, 9, 10, 10, 11, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 16, 16, 17, 17, 17, 18, 18, 18, 19, 20, 20, 21, 21, 22, 23, 23, 24)
LARGEST = 20000  # elements of a value
ATTEMPTS = 12


@dataclasses.dataclass
class Case:
    seed: int
    model: onnx.ModelProto  # with what is open
    sets: list  # of inputs, the first of the sizes of the fixed form
    motifs: list
    # Values of overridable initializers, which a second run gets beside the first set.
    overrides: dict = dataclasses.field(default_factory=dict)

    def fixed(self):
        """The same model with the sizes of the first set."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        for value in model.graph.input:
            if value.name in self.sets[0] and value.type.HasField("tensor_type"):
                shape = self.sets[0][value.name].shape
                value.CopyFrom(helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, shape))
        forget_inner_sizes(model)
        return model

    def has_first_sizes(self, number):
        """Whether a set of inputs has the sizes of the first one."""
        first = self.sets[0]
        return all(np.shape(value) == np.shape(first[name]) for name, value in self.sets[number].items() if name in first)

    def is_open(self):
        return any(not d.HasField("dim_value") for v in self.model.graph.input for d in v.type.tensor_type.shape.dim) or any(
            not v.type.tensor_type.HasField("shape") for v in self.model.graph.input)


def forget_inner_sizes(model):
    del model.graph.value_info[:]
    for value in model.graph.output:
        if value.type.tensor_type.HasField("shape"):
            for dim in value.type.tensor_type.shape.dim:
                dim.Clear()


def make(seed, names=(), nodes=None):
    """`names`: of the only motifs; `nodes`: about how many, instead of any number."""
    for attempt in range(ATTEMPTS):
        case = _attempt(seed, np.random.default_rng([seed, attempt]), names, nodes)
        if case:
            return case
    return None


def _attempt(seed, rng, names, nodes):
    g = Graph(rng, OPSETS[int(rng.integers(len(OPSETS)))])
    ir_version = least_ir(g)
    g.may_call, g.ir_version_of_model = ir_version >= 8, ir_version
    target, written = g.integer(5, 40), []
    target = target if nodes is None else nodes
    for _ in range(14 if nodes is None else max(14, nodes)):
        chosen = registry.choose(rng, g.opset, names)
        if chosen is None:
            return None
        before = len(g.nodes)
        chosen.add_to(g)
        g.values = [v for v in g.values if max(int(v.size), sizes.second(sizes.product(v.shape))) <= LARGEST and v.rank <= 6]
        if len(g.nodes) > before:
            written.append(chosen.name)
        if len(g.nodes) >= target:
            break
    if not g.nodes:
        return None
    if g.chance(0.06):  # without uses
        g.source(g.choose((TensorProto.FLOAT, TensorProto.INT64, TensorProto.UINT8, TensorProto.BOOL)), g.random_shape())
    model = _model(g, ir_version)
    if model is None:
        return None
    case = Case(seed, model, [g.feeds, g.second] if g.symbols else [g.feeds], written)
    case = _of_other_float(case, g) if g.chance(0.2) else case
    case.overrides = _overrides(case.model, g)
    return case


def _overrides(model, g):
    """Other elements for initializers that are inputs, and do not decide sizes."""
    if model.ir_version < 4:
        return {}
    inputs = {v.name for v in model.graph.input}
    return {t.name: np.asarray(numpy_helper.to_array(t) * 2) for t in model.graph.initializer
            if t.name in inputs and t.data_type == TensorProto.FLOAT and t.name not in types.kept(model.graph.node) and g.chance(0.7)}


def _of_other_float(case, g):
    """As models that are converted as a whole to another float; the case itself
    where some operator does not take it."""
    new = g.choose((TensorProto.FLOAT16, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16))
    model = types.retyped(case.model, TensorProto.FLOAT, new)
    if _infer(model) is None:
        return case
    return dataclasses.replace(case, model=model, sets=[types.retyped_feeds(feeds, TensorProto.FLOAT, new) for feeds in case.sets])


def least_ir(g):
    """Any IR version that the opset was used with."""
    newest = {7: 3, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 11}
    return g.integer(newest[g.opset], 11) if g.chance(0.6) else newest[g.opset]


def _has_inner_weights(graph):
    return any(a.g.initializer or _has_inner_weights(a.g) for node in graph.node for a in node.attribute if a.HasField("g"))


def _infer(model):
    try:
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        onnx.checker.check_model(inferred, full_check=True)
    except Exception:  # whatever the checker has against it
        return None
    return inferred


def _results(g):
    """Names: unused ones, some of what is used, sometimes an input or initializer."""
    used = set()

    def visit(nodes):
        for node in nodes:
            used.update(node.input)
            for a in node.attribute:
                visit(a.g.node)
                used.update(v.name for v in a.g.output)
    visit(g.nodes)
    produced = [name for node in g.nodes for name in node.output if name]
    wanted = {v.name for v in g.results if v} | set(g.raw_results)
    results = [name for name in produced if (name in wanted and (name not in used or g.chance(0.5)))
               or (name not in used and name not in wanted and not g.chance(0.05))
               or g.chance(0.04)]
    if g.chance(0.06) and g.inputs:
        results.append(g.choose(g.inputs).name)
    if g.chance(0.05) and g.initializers:
        results.append(g.choose(g.initializers).name)
    return list(dict.fromkeys(results or produced[-1:]))


def _model(g, ir_version):
    probe = helper.make_graph(g.nodes, f"graph{g.integer(0, 9)}", [_declared(g, v) for v in g.inputs], [], g.initializers)
    if _has_inner_weights(probe):
        ir_version = max(ir_version, 4)
    if ir_version < 4:  # weights are inputs, too
        probe.input.extend(helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in g.initializers)
    else:
        probe.input.extend(helper.make_tensor_value_info(v.name, v.dtype, v.shape) for v in g.overridable)
    opsets = [helper.make_opsetid("", g.opset)]
    domains = {f.domain for f in g.functions}
    opsets += [helper.make_opsetid(domain, 1) for domain in sorted(domains)]
    if any(node.domain == tabular.ML for node in g.nodes):
        opsets.append(helper.make_opsetid(tabular.ML, tabular.VERSION))
        probe.value_info.extend(g.stated)
    model = helper.make_model(probe, opset_imports=opsets, functions=g.functions, ir_version=ir_version, producer_name="onnxc-fuzz")
    names = _results(g)
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    inferred = _types(model, names)
    if inferred is None:
        return None
    declare = g.integer(0, 1)  # outputs with all that is inferred, or with ranks
    ranks = {v.name: v.rank for v in g.values + g.results if v}
    for value in model.graph.output:
        found = inferred[value.name]
        if found.HasField("tensor_type") and value.name in ranks and not _has_rank(found.tensor_type, ranks[value.name]):
            found = helper.make_tensor_type_proto(found.tensor_type.elem_type, [None] * ranks[value.name])
        value.type.CopyFrom(found)
        if found.HasField("tensor_type") and found.tensor_type.HasField("shape"):
            for dim in value.type.tensor_type.shape.dim:
                if declare == 1 or dim.dim_param:
                    dim.Clear()
    checked = _infer(model)
    if checked is None:
        return None
    if g.chance(0.3):  # with what is known of values inside
        model.graph.value_info.extend(v for v in checked.graph.value_info
                                      if v.name not in ranks or not v.type.HasField("tensor_type") or not v.type.tensor_type.HasField("shape")
                                      or _has_rank(v.type.tensor_type, ranks[v.name]))
    return model


def _has_rank(type, rank):
    """What is inferred may be wrong: Squeeze before opset 13 drops another number of
    dimensions there if its axes are not in ascending order."""
    return type.HasField("shape") and len(type.shape.dim) == rank


def _types(model, names):
    """Types by name of value; None if the model is none."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except Exception:  # whatever inference has against it
        return None
    graph = inferred.graph
    types = {v.name: v.type for v in [*graph.value_info, *graph.input, *graph.output] if v.type.WhichOneof("value")}
    for t in graph.initializer:
        types.setdefault(t.name, helper.make_tensor_type_proto(t.data_type, t.dims))
    return types if all(name in types for name in names) else None


def _declared(g, value):
    if value.name in g.declared:
        return g.declared[value.name]
    dims = []
    for size in value.shape:
        if isinstance(size, Size):
            dims.append((size.symbol or None) if not g.chance(0.1) else None)
        else:
            dims.append(int(size))
    info = helper.make_tensor_value_info(value.name, value.dtype, dims)
    return info


def save(case, folder):
    """model.onnx, and the inputs as in.npz, second.npz and overrides.npz."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, folder / "model.onnx")
    written = dict(zip(("in", "second"), case.sets))
    if case.overrides:
        written["overrides"] = case.overrides
    for name in ("in", "second", "overrides"):
        file = folder / f"{name}.npz"
        np.savez(file, **written[name]) if name in written else file.unlink(missing_ok=True)


def load(folder):
    """What save() wrote."""
    model = onnx.load(folder / "model.onnx")
    declared = {v.name: v.type.tensor_type.elem_type for v in model.graph.input}
    read = {}
    for name in ("in", "second", "overrides"):
        if (folder / f"{name}.npz").exists():
            # numpy reads what it has no type for as bytes.
            read[name] = {key: value.view(helper.tensor_dtype_to_np_dtype(declared[key])) if value.dtype.kind == "V" else value
                          for key, value in np.load(folder / f"{name}.npz").items()}
    return Case(0, model, [read[name] for name in ("in", "second") if name in read], [], read.get("overrides", {}))
