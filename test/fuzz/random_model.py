# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process behind fuzz_values.py: makes a model from a seed, runs it in onnxc
and in both oracles, and judges.

usage: random_model.py OPERATORS LEVEL DESCRIPTOR      (operators as a JSON list;
a level of -1 is 0 and 2 in turn)

A line of its input is a seed and a number of cases. Most of the time goes to
what every compile does, so they are compiled as one model where that can be.
"""

import dataclasses
import json
import os
import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import TensorProto

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import exact_integers
import memory_limit
import oracles
import uses  # noqa: F401, fills source.GENERATORS
from uses import source

IR_VERSION = 10
NEWEST = 27  # opset that onnxruntime reads
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
    op = source.choose(random, ops)
    generate, domain = source.GENERATORS[op]
    # Neighbours have one opset, so that they can be one model.
    chosen = source.Source(op, domain, random, source.choose_opset(seed // source.BATCH))
    use = generate(chosen)
    if not chosen.fits(use):
        chosen = source.Source(op, domain, random)
        use = generate(chosen)
    form = chosen.pick(["static", "dynamic", "mixed", "static", "dynamic", "mixed", "constant"])
    graph = onnx.GraphProto(name=f"seed_{seed}")
    feeds, names = {}, []
    for i, array in enumerate(use.inputs):
        name = f"x{i}" if array is not None else ""
        if i not in use.captured:
            names.append(name)
        if array is None:
            continue
        if isinstance(array, list):
            feeds[name] = array
            graph.input.append(onnx.helper.make_tensor_sequence_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(array[0].dtype), [None] * array[0].ndim))
            continue
        array = np.asarray(array)
        if chosen.chance(0.6 if i in use.shapelike else 1 if form == "constant" else 0.15):
            graph.initializer.append(onnx.numpy_helper.from_array(array, name))
            continue
        feeds[name] = array
        dims = [f"{name}_{j}" if form == "dynamic" or (form == "mixed" and chosen.chance(0.4)) else size
                for j, size in enumerate(array.shape)]
        graph.input.append(onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), dims))
    while names and not names[-1]:
        names.pop()
    results = [f"y{i}" for i in range(use.outputs)] if isinstance(use.outputs, int) else use.outputs
    graph.node.append(onnx.helper.make_node(op, names, results, name=op.lower(), domain=domain, **use.attributes))
    if not use.after and op not in NO_NEIGHBOUR:
        add_neighbours(graph, chosen)
    graph.node.extend(use.after)
    results = ["y0"] if use.after else results
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in results)
    opsets = {domain: chosen.opset, "": source.OPSET if domain else chosen.opset}
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(*opset) for opset in opsets.items()], ir_version=IR_VERSION)
    return Case(op, declare_outputs(model, form), feeds,
                f"{form} {op}-{chosen.opset}({' '.join(map(describe, use.inputs))}) {use.attributes}")


def describe(value):
    if value is None or isinstance(value, list):
        return "-" if value is None else f"[{' '.join(map(describe, value))}]"
    array = np.asarray(value)
    return f"{array.dtype}{list(array.shape)}"


# Of these not every number is valid, or the type of the result is not the type of the first input.
NO_NEIGHBOUR = {"Log", "Sqrt", "Pow", "Acosh", "Range", "QuantizeLinear", "DynamicQuantizeLinear", "If", "Loop", "Scan", "Cast", "CastLike",
                "BitCast", "EyeLike", "DequantizeLinear", "Shape", "Size", "IsNaN", "IsInf"}


def add_neighbours(graph, source):
    """Something to fuse with, before or behind."""
    node, schema = graph.node[0], source.schema()
    for value in graph.input:
        if value.type.tensor_type.elem_type in (1, 11) and value.name == node.input[0] and source.chance(0.15):
            before = onnx.helper.make_node(source.pick(["Neg", "Abs"]), [value.name], [value.name + "_before"], name="before")
            node.input[0] = before.output[0]
            graph.node.insert(0, before)
            if schema.inputs[0].type_str == schema.outputs[0].type_str and source.chance(0.3):
                graph.node.append(onnx.helper.make_node(source.pick(["Relu", "Neg", "Sigmoid"]), ["raw"], [node.output[0]], name="behind"))
                node.output[0] = "raw"
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
            for dim in output.type.tensor_type.shape.dim:
                # Of unknown sizes, onnx makes 0 channels of Attention's result.
                if form == "dynamic" or (form == "mixed" and dim.dim_value == 0):
                    dim.Clear()
    return model


def declare_ranks(model, answers):
    """Where inference finds no rank: what the model declares counts then. Where
    it finds wrong sizes, none."""
    for values in answers.values():
        for output, value in zip(model.graph.output, values):
            tensor = output.type.tensor_type
            if value is not None and not tensor.HasField("shape"):
                number = tensor.elem_type or onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
                output.CopyFrom(onnx.helper.make_tensor_value_info(output.name, number, [None] * value.ndim))
            elif value is not None and value.ndim == len(tensor.shape.dim):
                for dim, size in zip(tensor.shape.dim, value.shape):
                    if dim.HasField("dim_value") and dim.dim_value != size:
                        dim.Clear()


def restamped(model, version):
    """The model at an opset that is not newer than `version`."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for opset in result.opset_import:
        if opset.domain == "":
            opset.version = min(opset.version, version)
    return result


def run_onnxruntime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    model = exact_integers.make_exact(restamped(model, NEWEST))
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run_onnxruntime_in_float32(model, feeds):
    """Where neither oracle knows the type, or the newest version."""
    model = restamped(model, 21)
    other_floats = {TensorProto.BFLOAT16, TensorProto.FLOAT16, TensorProto.DOUBLE}
    for value in [*model.graph.input, *model.graph.output]:
        if value.type.tensor_type.elem_type in other_floats:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for weight in model.graph.initializer:
        if weight.data_type in other_floats:
            weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight).astype(np.float32), weight.name))
    return run_onnxruntime(model, {
        name: value.astype(np.float32) if value.dtype.name in oracles.TOLERANCES else value for name, value in feeds.items()})


def run_reference(model, feeds):
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


def ask_oracles(case):
    """Answers and errors, by oracle."""
    answers, errors = {}, {}
    # The reference rounds every step to the type of the tensors, and has
    # functions of float32 only.
    graph = case.model.graph
    types = {value.type.tensor_type.elem_type for value in graph.input} | {weight.data_type for weight in graph.initializer}
    is_rough = bool(types & {TensorProto.BFLOAT16, TensorProto.FLOAT16, TensorProto.DOUBLE})
    for name, run in (("onnxruntime", run_onnxruntime), ("reference", run_reference),
                      ("onnxruntime in float32", run_onnxruntime_in_float32)):
        if oracles.is_wrong(name, case) or ("float32" in name and answers and not is_rough):
            continue
        try:
            values = [value if value is None else np.asarray(value) for value in run(case.model, case.feeds)]
            values = [v.astype(object) if v is not None and v.dtype.kind == "U" else v for v in values]
            if name == "reference":
                check_types(case.model, values)
            answers[name] = values
        except Exception as error:  # an oracle may lack anything
            errors[name] = str(error)
    return answers, errors


def check_types(model, values):
    """numpy's sums are of wider types now and then."""
    for output, value in zip(model.graph.output, values):
        declared = output.type.tensor_type.elem_type
        if value is not None and declared and value.dtype.kind not in "UO":
            expected = onnx.helper.tensor_dtype_to_np_dtype(declared)
            if value.dtype != expected and (value.dtype, expected) != (np.float32, np.float64):
                raise TypeError(f"{output.name} is of type {value.dtype}")


def run_onnxc(model, feeds, level):
    import onnxc
    return onnxc.InferenceSession(model, threads=1, opt_level=level).run(None, feeds)


def merged(cases):
    """One model of all, and its inputs."""
    model, feeds = onnx.ModelProto(), {}
    model.CopyFrom(cases[0].model)
    del model.graph.node[:], model.graph.input[:], model.graph.output[:], model.graph.initializer[:]
    for i, case in enumerate(cases):
        own = onnx.compose.add_prefix(case.model, f"c{i}_")
        for value in [*own.graph.input, *own.graph.output]:
            for dim in value.type.tensor_type.shape.dim:
                if dim.dim_param:
                    dim.dim_param = f"c{i}_{dim.dim_param}"
        model.MergeFrom(onnx.ModelProto(graph=own.graph))
        present = {o.domain for o in model.opset_import}
        model.opset_import.extend(o for o in own.opset_import if o.domain not in present)
        feeds.update({f"c{i}_{name}": value for name, value in case.feeds.items()})
    return model, feeds


def run_together(cases, level):
    """What each case gives, by its number; nothing if they do not go together."""
    import onnxc
    default = {i: {o.domain: o.version for o in case.model.opset_import}[""] for i, case in enumerate(cases)}
    most = max(default.values(), key=list(default.values()).count)
    chosen = [i for i, version in default.items() if version == most]
    if len(chosen) < 2:
        return {}
    try:
        values = run_onnxc(*merged([cases[i] for i in chosen]), level)
    except onnxc.Error:
        return {}
    results, at = {}, 0
    for i in chosen:
        count = len(cases[i].model.graph.output)
        results[i] = values[at:at + count]
        at += count
    return results


def judge(case, answers, errors, got, level):
    """(kind, text): "agrees", "unsupported", "no oracle", "oracles differ",
    "wrong", or "refused". `got` is None if it has not run yet."""
    import onnxc
    try:
        got = run_onnxc(case.model, case.feeds, level) if got is None else got
    except onnxc.Error as error:
        if "not supported by this version of onnxc" in str(error):
            return "unsupported", str(error)
        return ("refused", str(error)) if answers else ("no oracle", str(error))
    if not answers:
        return "no oracle", "; ".join(f"{name}: {text}" for name, text in errors.items())
    wrong = {name: oracles.compare(case.op, got, want) for name, want in answers.items()}
    if any(text is None for text in wrong.values()):
        return "agrees", ""
    if len(answers) == 2 and oracles.compare(case.op, *answers.values()):
        return "oracles differ", str(wrong)
    return "wrong", f"{'both' if len(wrong) == 2 else list(wrong)[0]}: {next(iter(wrong.values()))}"


def judge_all(cases, levels):
    """judge() of each, as records."""
    asked = [ask_oracles(case) for case in cases]
    for case, (answers, _) in zip(cases, asked):
        declare_ranks(case.model, answers)
    together = {}
    for level in set(levels):
        mine = [i for i, own in enumerate(levels) if own == level]
        found = run_together([cases[i] for i in mine], level)
        together.update({mine[k]: values for k, values in found.items()})
    for i, (case, level) in enumerate(zip(cases, levels)):
        kind, text = judge(case, *asked[i], together.get(i), level)
        if kind == "wrong" and i in together and judge(case, *asked[i], None, level)[0] == "agrees":
            text += " (only in a model with its neighbours)"
        yield {"op": case.op, "kind": kind, "text": f"{case.text}: {text}"}


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
    for level in (0, 1, 2):
        try:
            lines.append(f"onnxc -O{level}: {onnxc.InferenceSession(case.model, opt_level=level).run(None, case.feeds)}")
        except onnxc.Error as error:
            lines.append(f"onnxc -O{level} fails: {error}")
    return "\n".join(lines)


def main():
    ops, level, answers = json.loads(sys.argv[1]), int(sys.argv[2]), os.fdopen(int(sys.argv[3]), "w")
    memory_limit.limit_memory(MEMORY)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        first, count = map(int, line.split())
        cases = [make(seed, ops) for seed in range(first, first + count)]
        # Should the process end now, these are its last words.
        print("; ".join(case.text for case in cases), file=sys.stderr, flush=True)
        # Neighbours are of one level, too.
        levels = [seed // source.BATCH % 2 * 2 if level < 0 else level for seed in range(first, first + count)]
        answers.write(json.dumps(list(judge_all(cases, levels))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
