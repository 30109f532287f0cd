# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of old_forms.py: compiled, with known and with open sizes, and raised to
the newest opset by ONNX's reference evaluator. Then holds steps.csv, the steps between
versions that need work, against these cases and those of test/onnx-node.

usage: run_old_forms.py [--table]    (print the cases of each step)
"""

import collections
import csv
import pathlib
import sys

import numpy as np
import onnx
import onnx.defs
import onnx.parser
import onnx.shape_inference
from onnx import helper, numpy_helper

import old_forms

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "onnx-node"))
import cases  # noqa: E402
import elsewhere  # noqa: E402
from open_sizes import forget_sizes  # noqa: E402

NEWEST = 28


def parse(nodes, inputs):
    text = f'<opset_import: ["" : 1], domain: "t"> f ({", ".join(inputs)}) => () {{ {nodes} }}'
    return list(onnx.parser.parse_function(text).node)


def make_model(nodes, opset, inputs, outputs, ml=None):
    """Initializers are inputs as well before IR version 4."""
    ir_version = 3 if opset < 9 else 8 if opset < NEWEST else 10
    infos = {name: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
             for name, array in inputs.items()}
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in inputs.items() if name.islower()]
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid("ai.onnx.ml", ml)] if ml else [])
    given = [info for name, info in infos.items() if ir_version < 4 or not name.islower()]
    graph = helper.make_graph(parse(nodes, inputs), "g", given,
                              [onnx.ValueInfoProto(name=name) for name in outputs], constants)
    return helper.make_model(graph, ir_version=ir_version, opset_imports=imports)


def expect(case, model, outputs, feeds):
    nodes, opset, inputs, expected, more = case
    if expected is old_forms.ORT:
        return elsewhere.run_onnxruntime(onnx.shape_inference.infer_shapes(model), feeds)
    if expected is old_forms.REFERENCE:
        return elsewhere.run_reference(model, feeds)
    if isinstance(expected, str):
        return elsewhere.run_reference(make_model(expected, NEWEST - 5, inputs, outputs), feeds)
    return expected


def differences(case):
    """Texts of what is wrong."""
    import onnxc
    nodes, opset, inputs, _, more = case
    inputs = {name: np.asarray(array) for name, array in inputs.items()}
    parsed = parse(nodes, inputs)
    outputs = more.get("outputs") or [name for name in parsed[-1].output if name]
    model = make_model(nodes, opset, inputs, outputs, more.get("ml"))
    feeds = {name: array for name, array in inputs.items() if not name.islower()}
    want = [np.asarray(w) for w in expect(case, model, outputs, feeds)]

    def compare(got):
        got = [np.asarray(g).astype(object) if w.dtype == object else np.asarray(g) for g, w in zip(got, want)]
        return cases.compare(got, want, 1e-4, 1e-5)

    def compiled(variant, level):
        try:
            return compare(onnxc.InferenceSession(variant, opt_level=level, threads=1).run(None, feeds))
        except onnxc.Error as error:
            return error

    def raised():
        newest = {"ai.onnx": NEWEST, **({"ai.onnx.ml": 4} if more.get("ml") else {})}
        try:
            return elsewhere.find_fault(onnxc.convert_version(model, newest), feeds, compare)
        except onnxc.Error as error:
            return error

    found = {"-O0": compiled(model, 0), "raised": raised()}
    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    if "dynamic" in more.get("modes", ("static", "dynamic")) and forget_sizes(open_model):
        found["open sizes"] = compiled(open_model, 1)
    for what, wrong in found.items():
        if wrong:
            yield f"opset {opset}: {nodes} {[f'{n}{list(a.shape)}' for n, a in inputs.items()]}: {what}: {wrong}"


# ===----------------------------------------------------------------------===#
# Steps
# ===----------------------------------------------------------------------===#

def count_forms(models):
    """How often each version of an operator stands in the models."""
    versions = collections.defaultdict(set)
    for schema in onnx.defs.get_all_schemas_with_history():
        versions[schema.domain, schema.name].add(schema.since_version)
    counts = collections.Counter()

    def visit(nodes, opsets):
        for node in nodes:
            domain = "" if node.domain == "ai.onnx" else node.domain
            older = [v for v in versions[domain, node.op_type] if v <= opsets.get(domain, 0)]
            if older:
                counts[domain, node.op_type, max(older)] += 1
            for attribute in node.attribute:
                visit(attribute.g.node, opsets)

    for nodes, opsets in models:
        visit(nodes, opsets)
    return counts


def uncovered_steps(is_verbose):
    """Of steps.csv, those whose older form no case has."""
    by_hand = count_forms((parse(nodes, inputs), {"": opset, "ai.onnx.ml": more.get("ml", 0)})
                          for nodes, opset, inputs, _, more in old_forms.CASES)
    stored = count_forms((model.graph.node, {"" if o.domain == "ai.onnx" else o.domain: o.version for o in model.opset_import})
                         for model in (onnx.ModelProto.FromString(case.model) for case in cases.load_cases("old").values()))
    with open(HERE / "steps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        key = row["domain"], row["operator"], int(row["old"])
        if is_verbose:
            print(f"{row['operator']:24} {row['old']:>2} -> {row['new']:<2} {row['kind']:20} {by_hand[key]:4} here {stored[key]:4} of ONNX")
        if not by_hand[key] + stored[key]:
            yield f"{row['operator']}-{row['old']}"
    print(f"{len(rows)} steps need work")


def main():
    failures = 0
    for case in old_forms.CASES:
        for text in differences(case):
            failures += 1
            print(text)
    missing = list(uncovered_steps("--table" in sys.argv[1:]))
    print(f"{len(old_forms.CASES)} cases, {failures} failures; steps without a case: {', '.join(missing) or 'none'}")


if __name__ == "__main__":
    main()
