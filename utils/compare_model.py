#!/usr/bin/env python3
"""Finds what a compiled model computes otherwise than ONNX Runtime (without its
optimizations) or ONNX's reference evaluator.

First the outputs of the whole model are compared; then every node alone, fed
with the oracle's values; and if each is right alone while the whole is not, the
shortest run of nodes that is wrong together (fusion, or the plan of memory).
What is found is written as a model of its own, with its inputs and the expected
outputs: REPRO/model.onnx, in.npz, out.npz.

usage: utils/python utils/compare_model.py MODEL.onnx [--inputs IN.npz] [-O 0]
           [--oracle reference] [--dim batch=2] [--repro DIR]
Exit status: 0 if all agree, 1 if something differs.
"""

import argparse
import functools
import pathlib
import sys

import numpy as np
import onnx
import onnx.inliner
import onnx.shape_inference
from onnx import helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "support"))
import exact_integers  # noqa: E402

MOST_IR, MOST_OPSET = 13, 27  # what this ONNX Runtime reads


def names_used(node):
    """The values that a node reads, also inside its subgraphs."""
    used = [name for name in node.input if name]
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            made = {value.name for value in [*graph.input, *graph.initializer]}
            for inner in graph.node:
                used += [name for name in names_used(inner) if name not in made]
                made.update(inner.output)
            used += [output.name for output in graph.output if output.name not in made]
    return list(dict.fromkeys(used))


def without_shapes(declared):
    """The type, whose tensors may have any shape."""
    known = onnx.TypeProto()
    known.CopyFrom(declared)
    inner = known
    while inner.WhichOneof("value") in ("sequence_type", "optional_type"):
        inner = getattr(inner, inner.WhichOneof("value")).elem_type
    if inner.HasField("tensor_type"):
        inner.tensor_type.ClearField("shape")
    return known


class Types:
    """What types the values have that an oracle gave."""

    def __init__(self, model):
        self.model = model

    @functools.cached_property
    def declared(self):
        """The types that the model states, or that follow."""
        graph = onnx.shape_inference.infer_shapes(self.model).graph
        return {value.name: value.type for value in [*graph.input, *graph.value_info, *graph.output]}

    def of(self, name, value):
        if isinstance(value, np.ndarray | np.generic):
            return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        # An empty sequence does not tell, and the elements of others may differ.
        declared = self.declared.get(name)
        if declared is None or declared.WhichOneof("value") is None:
            sys.exit(f"the type of value '{name}' is not known")
        return without_shapes(declared)


class Oracle:
    """What every value of the model is."""

    def __init__(self, kind, model, feeds):
        exposed = onnx.ModelProto()
        exposed.CopyFrom(model)
        known = {output.name for output in exposed.graph.output}
        for node in model.graph.node:
            exposed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name and name not in known)
        names = [output.name for output in exposed.graph.output]
        values = self._onnxruntime(exposed, feeds) if kind == "onnxruntime" else self._reference(exposed, feeds)
        self.values = {**feeds, **dict(zip(names, values, strict=True))}

    @staticmethod
    def _onnxruntime(model, feeds):
        import onnxruntime
        model.ir_version = min(model.ir_version, MOST_IR)
        for opset in model.opset_import:
            if opset.domain in ("", "ai.onnx"):
                opset.version = min(opset.version, MOST_OPSET)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        exact = exact_integers.make_exact(model)
        session = onnxruntime.InferenceSession(exact.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds)

    @staticmethod
    def _reference(model, feeds):
        import onnx.reference
        return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


class Segments:
    """Runs of nodes of the model, as models of their own."""

    def __init__(self, model, oracle):
        self.model, self.values, self.types = model, oracle.values, Types(model)
        self.initializers = {tensor.name: tensor for tensor in model.graph.initializer}
        self.results = {output.name for output in model.graph.output}

    def make(self, first, last):
        """Nodes first ... last, and their inputs."""
        nodes = list(self.model.graph.node)[first:last + 1]
        made = {name for node in nodes for name in node.output if name}
        later = {name for node in list(self.model.graph.node)[last + 1:] for name in names_used(node)}
        used = dict.fromkeys(name for node in nodes for name in names_used(node) if name not in made)
        feeds = {name: self.values[name] for name in used if name not in self.initializers}
        outputs = [name for node in nodes for name in node.output if name and (name in later or name in self.results or first == last)]
        graph = helper.make_graph(
            nodes, "segment", [helper.make_value_info(name, self.types.of(name, value)) for name, value in feeds.items()],
            [helper.make_value_info(name, self.types.of(name, self.values[name])) for name in outputs],
            [self.initializers[name] for name in used if name in self.initializers])
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        model.graph.CopyFrom(graph)
        return model, feeds, {name: self.values[name] for name in outputs}


def difference(value, want):
    """Relative to the largest value; infinite if it is another thing."""
    if want is None or value is None or isinstance(want, (list, tuple)):
        if type(value) is not type(want) or (want is not None and len(value) != len(want)):
            return float("inf")
        return max((difference(v, w) for v, w in zip(value, want)), default=0.0) if want is not None else 0.0
    want = np.asarray(want)
    if value.shape != want.shape or (value.dtype != want.dtype and want.dtype.kind not in "OU"):
        return float("inf")
    if want.dtype.kind in "OUb":
        return 0.0 if value.tolist() == want.tolist() else float("inf")
    if want.dtype.kind != "c":
        value, want = value.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.where((value == want) | (np.isnan(value) & np.isnan(want)), 0, np.abs(value - want))
    largest = np.abs(want[np.isfinite(want)]).max(initial=0)
    error = error.max(initial=0) / (largest + 1e-12)
    return float(error) if error == error else float("inf")


class Checker:
    """Compiles, runs, compares."""

    def __init__(self, level, rtol):
        self.level, self.rtol = level, rtol

    def wrong(self, model, feeds, expected):
        """(error, words) if the model is refused or an output differs; (error, "")
        if not."""
        import onnxc
        try:
            session = onnxc.InferenceSession(model, opt_level=self.level)
            names = [output.name for output in session.get_outputs()]
            got = dict(zip(names, session.run(None, feeds)))
        except onnxc.Error as error:
            return float("inf"), str(error)
        errors = {name: difference(got[name], want) for name, want in expected.items()}
        name, worst = max(errors.items(), key=lambda item: item[1], default=("", 0.0))
        return worst, f"value '{name}': error {worst:.3g}" if worst > self.rtol else ""


def describe(node):
    return f"'{node.name or next(iter(node.output), '')}' ({node.op_type})"


def find_segment(segments, checker, count):
    """The shortest (first, last) that is wrong together, found from its end: the
    first prefix of the model that is wrong, then its shortest suffix."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if checker.wrong(*segments.make(0, middle))[1]:
            high = middle
        else:
            low = middle + 1
    last, first, step = low, low, 1
    while first > 0 and not checker.wrong(*segments.make(first, last))[1]:
        first, step = max(0, first - step), step * 2
    while first < last and checker.wrong(*segments.make(first + 1, last))[1]:
        first += 1
    return first, last


def read_inputs(options, model):
    """From the file, or random ones."""
    if options.inputs:
        with np.load(options.inputs, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    sizes = dict(text.split("=") for text in options.dim)
    random = np.random.default_rng(options.seed)
    constants = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in constants:
            continue
        if not value.type.HasField("tensor_type"):
            sys.exit(f"input '{value.name}' is not a tensor, so that it cannot be made up")
        declared = value.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(declared.elem_type)
        shape = [dim.dim_value if dim.HasField("dim_value") else int(sizes.get(dim.dim_param, 1)) for dim in declared.shape.dim]
        feeds[value.name] = (random.integers(0, 2, shape) if dtype.kind in "iub" else random.standard_normal(shape)).astype(dtype)
    return feeds


def write_repro(folder, model, feeds, expected):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    for name, values in (("in.npz", feeds), ("out.npz", expected)):
        np.savez(folder / name, **{key: value for key, value in values.items() if isinstance(value, np.ndarray | np.generic)})
    print(f"written: {folder}/model.onnx, in.npz, out.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--inputs", help="arrays by name; without it, random ones")
    parser.add_argument("--seed", type=int, default=0, help="of random inputs")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="size of an unknown dimension (else 1)")
    parser.add_argument("--oracle", choices=["onnxruntime", "reference"], default="onnxruntime")
    parser.add_argument("-O", dest="level", type=int, default=1)
    parser.add_argument("--rtol", type=float, default=1e-3, help="what is allowed, relative to the largest value")
    parser.add_argument("--repro", default="repro", help="where what is found goes (default: repro)")
    parser.add_argument("--build", default=ROOT / "build" / "dev", help="the build directory")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(options.build) / "python"))

    model = onnx.load(options.model)
    if model.functions:
        # A node of a function is found as such, not as the call.
        model = onnx.inliner.inline_local_functions(model)
    feeds = read_inputs(options, model)
    oracle = Oracle(options.oracle, model, feeds)
    segments, checker = Segments(model, oracle), Checker(options.level, options.rtol)
    expected = {output.name: oracle.values[output.name] for output in model.graph.output}
    whole, why = checker.wrong(model, feeds, expected)
    print(f"the whole model: {why or f'error {whole:.3g}'}")

    worst = 0.0
    nodes = list(model.graph.node)
    for i, node in enumerate(nodes):
        segment = segments.make(i, i)
        error, text = checker.wrong(*segment)
        if text:
            print(f"first wrong node: {describe(node)}, {text}; before it at most {worst:.3g}")
            write_repro(options.repro, *segment)
            return 1
        worst = max(worst, error)
    print(f"no node alone differs by more than {worst:.3g}")
    if not why:
        return 0
    first, last = find_segment(segments, checker, len(nodes))
    segment = segments.make(first, last)
    print(f"wrong together: nodes {first} ... {last}, {describe(nodes[first])} ... {describe(nodes[last])}: {checker.wrong(*segment)[1]}")
    write_repro(options.repro, *segment)
    return 1


if __name__ == "__main__":
    sys.exit(main())
