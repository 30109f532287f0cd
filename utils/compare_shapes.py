#!/usr/bin/env python3
#===- compare_shapes.py - Our inferred types against onnx.shape_inference -===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Compares, value by value, what the infer stage tells of a model with what
onnx.shape_inference (data propagation on) tells.

    utils/compare_shapes.py --bin build/dev/bin model.onnx... [--nodes] [--shared DIR]

What the model declares of values that nodes compute is taken away first, so that
all is inferred. A value counts as weaker if onnx knows its type, rank or a
dimension and we do not, as wrong if both know and differ, as unmatched if it is
not found in the inferred module. Exit status 1 if there is any such value that
EXCEPTIONS does not explain, or an exception that is not needed. Where ours knows
more is summed up by operator, with an example; -v lists every such value.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import warnings

import onnx

# Model and value, by pattern, where onnx "knows" more than is true or the value is
# not there to be compared, and why.
EXCEPTIONS = [
    ("test_loop13_seq", "seq_res",
     "the (empty) input is declared a sequence of scalars, the body adds vectors"),
    ("test_affine_grid_[23]d_.*", ".*",
     "results of an If with a known condition: the values of the branch stand for them"),
    ("fn_transformer", "h0|h1|y",
     "results of model functions: the values of the inlined bodies stand for them"),
]
FAILURES = ("weaker", "wrong", "unmatched", "error")

ELEMENTS = {
    "f32": 1, "ui8": 2, "i8": 3, "ui16": 4, "i16": 5, "i32": 6, "i64": 7,
    "!onnx.string": 8, "i1": 9, "f16": 10, "f64": 11, "ui32": 12, "ui64": 13,
    "complex<f32>": 14, "complex<f64>": 15, "bf16": 16, "f8E4M3FN": 17,
    "f8E4M3FNUZ": 18, "f8E5M2": 19, "f8E5M2FNUZ": 20, "ui4": 21, "i4": 22,
    "f4E2M1FN": 23, "f8E8M0FNU": 24, "ui2": 25, "i2": 26, "f6E2M3FN": 27,
    "f6E3M2FN": 28,
}


#===------------------------------------------------------------------------===#
# Types: (kind, ...) with None for what is not known
#===------------------------------------------------------------------------===#


def onnx_type(proto):
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        tensor = proto.tensor_type
        dims = None
        if tensor.HasField("shape"):
            dims = [d.dim_value if d.HasField("dim_value") else None
                    for d in tensor.shape.dim]
        return ("tensor", tensor.elem_type or None, dims)
    if kind == "sequence_type":
        return ("seq", onnx_type(proto.sequence_type.elem_type))
    if kind == "optional_type":
        return ("opt", onnx_type(proto.optional_type.elem_type))
    if kind == "map_type":
        return ("map", proto.map_type.key_type,
                onnx_type(proto.map_type.value_type))
    return None


def split_types(text):
    """"tensor<2xf32>, !onnx.seq<…>" -> its parts."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c == "<":
            depth += 1
        elif c == ">":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def mlir_type(text):
    if text.startswith("tensor<"):
        body = text[len("tensor<"):-1]
        dims = re.match(r"(?:[0-9?]+x)*", body).group()
        element = body[len(dims):]
        if element.startswith("*x"):
            return ("tensor", ELEMENTS[element[2:]], None)
        return ("tensor", ELEMENTS[element],
                [None if d == "?" else int(d) for d in dims.split("x") if d])
    match = re.fullmatch(r"!onnx\.(seq|opt|map)<(.*)>", text)
    if not match:
        return None
    if match[1] == "map":
        key, value = split_types(match[2])
        return ("map", ELEMENTS[key], mlir_type(value))
    return (match[1], mlir_type(match[2]))


def judge(ours, theirs):
    """How `ours` is beside `theirs`: same, stronger, weaker or wrong."""
    if theirs is None:
        return "same" if ours is None else "stronger"
    if ours is None:
        return "weaker"
    if isinstance(ours, (tuple, list)):
        if len(ours) != len(theirs):
            return "wrong"
        kinds = [judge(a, b) for a, b in zip(ours, theirs)]
        for kind in ("wrong", "weaker", "stronger"):
            if kind in kinds:
                return kind
        return "same"
    return "same" if ours == theirs else "wrong"


def show(type):
    return "unknown" if type is None else str(type).replace("None", "?")


#===------------------------------------------------------------------------===#
# What each side tells of a model
#===------------------------------------------------------------------------===#


def strip(graph, is_subgraph=False):
    """Takes the types of computed values away."""
    del graph.value_info[:]
    inputs = {i.name for i in graph.input}
    for output in graph.output:
        if output.name not in inputs:
            output.ClearField("type")
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                if inner.node or inner.output:
                    strip(inner, True)


def stand_in(model, folder):
    """Writes files of zeros for the weights, which do not matter here."""
    sizes = {}
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            entry = {e.key: e.value for e in tensor.external_data}
            end = int(entry.get("offset", 0)) + int(entry.get("length", 0))
            sizes[entry["location"]] = max(sizes.get(entry["location"], 0), end)
    for name, size in sizes.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.truncate(size)


def onnx_types(model):
    """Value name -> type as onnx infers it."""
    try:
        inferred = onnx.shape_inference.infer_shapes(
            model, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    return {info.name: onnx_type(info.type)
            for info in [*inferred.graph.value_info, *inferred.graph.output]}


def our_types(text):
    """Value name -> type, from the locations of an inferred module."""
    outputs = {}
    for name, names in re.findall(
            r"^(#loc\d*) = loc\(fused<#onnx\.source<.*?outputs = \[(.*?)\]",
            text, re.M):
        outputs[name] = re.findall(r'"((?:[^"\\]|\\.)*)"', names)
    found = {}
    for types, loc in re.findall(
            r"^ *(?:%.* = onnx\.|\}).* -> (\(.*\)|[^ ]+) loc\((#loc\d*)\)$",
            text, re.M):
        if types.startswith("("):
            types = types[1:-1]
        names = [n for n in outputs.get(loc, []) if n]
        # An upgraded node may be several ops: the last one has its outputs.
        given = [t for t in split_types(types) if t != "_"]
        for name, type in zip(names, given):
            found[name] = mlir_type(type)
    return found


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def run(self, tool, arguments, data=None):
        done = subprocess.run([os.path.join(self.folder, tool), *arguments],
                              input=data, capture_output=True)
        return done.stdout.decode(), done.stderr.decode()

    def translate(self, path):
        return self.run("onnx-mlir-translate", [
            "--onnx-to-mlir", "--mlir-print-debuginfo",
            "--mlir-elide-resource-strings-if-larger=4096", path])

    def infer(self, modules):
        """The inferred modules, and what is said of the others."""
        text, errors = self.run("onnx-mlir-opt", [
            "--split-input-file", "--mlir-print-debuginfo",
            "--pass-pipeline=builtin.module(onnxc-upgrade,inline{default-pipeline=},"
            "onnx-infer-shapes)"], "\n// -----\n".join(modules).encode())
        return text.split("\n// -----\n"), errors


#===------------------------------------------------------------------------===#
# The comparison
#===------------------------------------------------------------------------===#


def find_producers(graph, producers):
    """Value name -> operator, in subgraphs too."""
    for node in graph.node:
        producers.update(dict.fromkeys(node.output, node.op_type))
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                find_producers(inner, producers)
    return producers


def compare(name, theirs, ours, weights):
    """Counts and the lines to print for one model."""
    counts = dict.fromkeys(["same", "stronger", "weaker", "wrong", "unmatched"], 0)
    lines = []
    for value, type in theirs.items():
        if value not in ours:
            counts["unmatched"] += 1
            lines.append(("unmatched", name, value, f"onnx {show(type)}"))
            continue
        kind = judge(ours[value], type)
        counts[kind] += 1
        lines.append((kind, name, value,
                      f"ours {show(ours[value])}, onnx {show(type)}"))
    for value, type in ours.items():
        if value not in theirs and value not in weights and type:
            counts["stronger"] += 1
            lines.append(("stronger", name, value, f"ours {show(type)}, onnx nothing"))
    return counts, lines


def compare_batch(tools, models):
    """Models are (name, path or ModelProto); gives a result per model."""
    prepared, results = [], []
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, model) in enumerate(models):
            if isinstance(model, str):
                model = onnx.load(model, load_external_data=False)
                stand_in(model, folder)
            strip(model.graph)
            path = os.path.join(folder, f"{i}.onnx")
            onnx.save(model, path)
            text, error = tools.translate(path)
            weights = {tensor.name for tensor in model.graph.initializer}
            prepared.append((name, onnx_types(model), weights, text, find_producers(model.graph, {})))
            if not text:
                results.append((name, {"error": 1},
                                [("error", name, "", error.strip()[:500])], {}))
    good = [p for p in prepared if p[3]]
    modules, errors = tools.infer([p[3] for p in good]) if good else ([], "")
    if len(modules) != len(good) or "error" in errors:
        # One of them fails: look at each.
        modules = []
        for name, _, _, text, _ in good:
            one, error = tools.infer([text])
            modules.append(one[0] if one[0].strip() else "")
            if not modules[-1]:
                results.append((name, {"error": 1},
                                [("error", name, "", error.strip()[:500])], {}))
    for (name, theirs, weights, _, producers), module in zip(good, modules):
        if module:
            results.append((name, *compare(name, theirs, our_types(module), weights), producers))
    return results


def node_tests():
    import onnx.backend.test.loader as loader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(t.name, t.model or onnx.load(os.path.join(t.model_dir, "model.onnx")))
                for t in loader.load_model_tests(kind="node")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="where the tools are")
    parser.add_argument("--nodes", action="store_true",
                        help="every node test of the onnx package")
    parser.add_argument("--shared", help="a folder of <model>/model.onnx")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--filter", default="", help="only models that match")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()

    models = [(m, m) for m in args.models]
    shared = args.shared and os.path.isdir(args.shared)
    if shared:
        for name in sorted(os.listdir(args.shared)):
            path = os.path.join(args.shared, name, "model.onnx")
            if os.path.exists(path):
                models.append((name, path))
    batches = [[m] for m in models if re.search(args.filter, m[0])]
    if args.nodes:
        nodes = [m for m in node_tests() if re.search(args.filter, m[0])]
        batches += [nodes[i:i + 50] for i in range(0, len(nodes), 50)]

    tools = Tools(args.bin)
    total = dict.fromkeys(["same", "stronger", *FAILURES, "excepted", "models"], 0)
    used = set()
    bad = False
    stronger = {}
    # Threads are enough: the work is in the tools and in onnx.
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for results in pool.map(lambda b: compare_batch(tools, b), batches):
            for name, counts, lines, producers in results:
                for kind, model, value, text in lines:
                    excuse = next((e for e in EXCEPTIONS
                                   if kind in FAILURES
                                   and re.fullmatch(e[0], model)
                                   and re.fullmatch(e[1], value)), None)
                    if excuse:
                        used.add(excuse)
                        counts[kind] -= 1
                        counts["excepted"] = counts.get("excepted", 0) + 1
                        print(f"{model}: {value}: excepted ({excuse[2]}): {text}")
                    elif kind in FAILURES:
                        bad = True
                        # Where a test's output goes to FileCheck, too.
                        print(f"{model}: {value}: {kind}: {text}", file=sys.stderr)
                    elif kind == "stronger":
                        stronger.setdefault(producers.get(value, "input"), []).append(
                            f"{model}: {value}: {text}")
                    if args.verbose and kind == "stronger":
                        print(f"{model}: {value}: {kind}: {text}")
                for kind, count in counts.items():
                    total[kind] += count
                total["models"] += 1
                if name in args.models:
                    print(f"{name}: " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    for excuse in EXCEPTIONS if args.nodes and shared and not args.filter else []:
        if excuse not in used:
            bad = True
            print(f"exception for {excuse[0]}: {excuse[1]} is not needed", file=sys.stderr)
    for op, values in sorted(stronger.items(), key=lambda pair: -len(pair[1])):
        print(f"stronger for {op}: {len(values)}, as {values[0]}")
    print("all: " + ", ".join(f"{n} {k}" for k, n in total.items()))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
