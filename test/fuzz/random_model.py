# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process behind fuzz_values.py: makes a model from a seed, runs it in onnxc
and in both oracles, and judges.

usage: random_model.py OPERATORS LEVEL DESCRIPTOR      (operators as a JSON list)
"""

import dataclasses
import json
import os
import pathlib
import resource
import sys
import warnings

import numpy as np
import onnx
import onnx.reference
import onnxruntime

import generators
import more_generators  # noqa: F401, fills generators.GENERATORS
import oracles

IR_VERSION = 10
MEMORY = 8 << 30


@dataclasses.dataclass
class Case:
    op: str
    model: onnx.ModelProto
    feeds: dict
    text: str


def make(seed, ops):
    """The case of a seed; `ops` are candidates, all if empty."""
    random = np.random.default_rng(seed)
    op = generators.choose(random, ops)
    source = generators.Source(op, random)
    use = generators.GENERATORS[op](source)
    form = source.pick(["static", "dynamic", "mixed"])
    graph = onnx.GraphProto(name=f"seed_{seed}")
    feeds, names = {}, []
    for i, array in enumerate(use.inputs):
        name = f"x{i}" if array is not None else ""
        if i not in use.captured:
            names.append(name)
        if array is None:
            continue
        array = np.asarray(array)
        if source.chance(0.6 if i in use.shapelike else 0.15):
            graph.initializer.append(onnx.numpy_helper.from_array(array, name))
            continue
        feeds[name] = array
        dims = [f"{name}_{j}" if form == "dynamic" or (form == "mixed" and source.chance(0.4)) else size
                for j, size in enumerate(array.shape)]
        graph.input.append(onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), dims))
    while names and not names[-1]:
        names.pop()
    results = [f"y{i}" for i in range(use.outputs)]
    graph.node.append(onnx.helper.make_node(op, names, results, name=op.lower(), **use.attributes))
    add_neighbours(graph, source)
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in results)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", use.opset)], ir_version=IR_VERSION)
    shapes = " ".join("-" if array is None else f"{np.asarray(array).dtype}{list(np.shape(array))}" for array in use.inputs)
    return Case(op, declare_outputs(model, form), feeds, f"{form} {op}({shapes}) {use.attributes}")


def add_neighbours(graph, source):
    """Something to fuse with, before or behind."""
    node = graph.node[0]
    for value in graph.input:
        number = value.type.tensor_type.elem_type
        if number in (1, 11) and source.chance(0.15):
            before = onnx.helper.make_node(source.pick(["Neg", "Abs"]), [value.name], [value.name + "_before"], name="before")
            if value.name == node.input[0] and node.op_type not in ("Log", "Sqrt", "Pow", "Acosh", "Range"):
                node.input[0] = before.output[0]
                graph.node.insert(0, before)
                return


def declare_outputs(model, form):
    """Types of the outputs as inference finds them; without sizes in a dynamic
    model."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=form == "static")
    except onnx.shape_inference.InferenceError:
        return model
    types = {value.name: value.type for value in [*inferred.graph.output, *inferred.graph.value_info]}
    for output in model.graph.output:
        if output.name in types:
            output.type.CopyFrom(types[output.name])
            if form == "dynamic":
                for dim in output.type.tensor_type.shape.dim:
                    dim.Clear()
    return model


def declare_ranks(model, answers):
    """Where inference finds no rank: what the model declares counts then."""
    for values in answers.values():
        for output, value in zip(model.graph.output, values):
            if not output.type.tensor_type.HasField("shape"):
                output.CopyFrom(onnx.helper.make_tensor_value_info(
                    output.name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim))


def run_onnxruntime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run_reference(model, feeds):
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


def judge(case, level):
    """(kind, text): "agrees", "unsupported", "no oracle", "oracles differ",
    "wrong", or "refused"."""
    import onnxc
    answers, errors = {}, {}
    for name, run in (("onnxruntime", run_onnxruntime), ("reference", run_reference)):
        if oracles.is_wrong(name, case):
            continue
        try:
            answers[name] = [np.asarray(value) for value in run(case.model, case.feeds)]
        except Exception as error:  # an oracle may lack anything
            errors[name] = str(error)
    declare_ranks(case.model, answers)
    try:
        got = onnxc.InferenceSession(case.model, threads=1, opt_level=level).run(None, case.feeds)
    except onnxc.Error as error:
        if "not supported by this version of onnxc" in str(error):
            return "unsupported", str(error)
        return ("refused", str(error)) if answers else ("no oracle", str(error))
    if not answers:
        return "no oracle", "; ".join(f"{name}: {text}" for name, text in errors.items())
    wrong = {name: oracles.compare(case.op, got, want) for name, want in answers.items()}
    if any(text is None for text in wrong.values()):
        return "agrees", ""
    if len(answers) == 2 and oracles.compare(case.op, answers["onnxruntime"], answers["reference"]):
        return "oracles differ", str(wrong)
    return "wrong", f"{'both' if len(wrong) == 2 else list(wrong)[0]}: {next(iter(wrong.values()))}"


def save(case, folder):
    """Writes the case, and what each says of it."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, folder / "model.onnx")
    np.savez(folder / "in.npz", **case.feeds)
    lines = [case.text, onnx.printer.to_text(case.model)]
    for name, run in (("onnxruntime", run_onnxruntime), ("reference", run_reference)):
        try:
            values = run(case.model, case.feeds)
            np.savez(folder / f"out-{name}.npz", **{output.name: value for output, value in zip(case.model.graph.output, values)})
            lines.append(f"{name}: {values}")
        except Exception as error:
            lines.append(f"{name} fails: {error}")
    import onnxc
    for level in (0, 1):
        try:
            lines.append(f"onnxc -O{level}: {onnxc.InferenceSession(case.model, opt_level=level).run(None, case.feeds)}")
        except onnxc.Error as error:
            lines.append(f"onnxc -O{level} fails: {error}")
    return "\n".join(lines)


def main():
    ops, level, answers = json.loads(sys.argv[1]), int(sys.argv[2]), os.fdopen(int(sys.argv[3]), "w")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        case = make(int(line), ops)
        # Should the process end now, these are its last words.
        print(case.text, file=sys.stderr, flush=True)
        kind, text = judge(case, level)
        answers.write(json.dumps({"op": case.op, "kind": kind, "text": f"{case.text}: {text}"}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
