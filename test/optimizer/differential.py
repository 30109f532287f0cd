# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges what the optimizer made of a model: what stays, and what it computes."""

import collections
import pathlib
import sys

import numpy as np
import onnx
import onnx.checker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
from random_model import run_onnxruntime  # noqa: E402

NEWEST_IR = 13  # that ONNX Runtime reads
# Their results differ from run to run.
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
# By what a pass says of itself: how far results may be apart.
EXACT, ZERO, ROUNDING = "bit-exact", "sign-of-zero", "rounding"
TOLERANCES = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}  # relative to the largest value
# Change what a model shows to its callers, or what it returns, because it is asked of them.
INTERFACE = {"rename_input_output", "rewrite_input_dtype", "split_init", "split_predict", "lift_lexical_references"}


class Verdict:
    """What was found out about one model. `fired`: the changes by pass."""

    def __init__(self):
        self.findings, self.fired, self.compared = [], collections.Counter(), 0

    def add(self, what, text):
        self.findings.append([what, str(text).strip().replace("\n", " ")[:600]])

    def as_json(self):
        return {"findings": self.findings, "fired": dict(self.fired), "compared": self.compared}


def signature(values):
    return [(v.name, v.type.SerializeToString()) for v in values]


def find_wrong_type(model):
    """The first node with a value of a type that its operator does not take at
    the model's opset, which the checker does not look for; "" if none."""
    opsets = {o.domain: o.version for o in model.opset_import}

    def search(graph, known):
        values = [*graph.input, *graph.value_info, *graph.output]
        known = {**known, **{v.name: v.type.tensor_type.elem_type for v in values if v.type.HasField("tensor_type")}}
        known.update({tensor.name: tensor.data_type for tensor in graph.initializer})
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].HasField("t"):
                known[node.output[0]] = node.attribute[0].t.data_type
            if onnx.defs.has(node.op_type, node.domain) and node.domain in opsets:
                schema = onnx.defs.get_schema(node.op_type, opsets[node.domain], node.domain)
                for names, formals in ((node.input, schema.inputs), (node.output, schema.outputs)):
                    for i, name in enumerate(names):
                        formal = formals[min(i, len(formals) - 1)]
                        type_name = onnx.TensorProto.DataType.Name(known.get(name) or 0).lower()
                        if known.get(name) and f"tensor({type_name})" not in formal.types:
                            return f"'{name}' of {node.op_type} is {type_name}, which opset {opsets[node.domain]} does not allow"
            for attribute in node.attribute:
                if attribute.HasField("g") and (found := search(attribute.g, known)):
                    return found
        return ""

    return search(onnx.shape_inference.infer_shapes(model).graph, {})


def find_fault(model):
    """Why it is no model; "" if it is one."""
    try:
        onnx.checker.check_model(model, full_check=True)
        return find_wrong_type(model)
    except Exception as error:  # whatever the checker does not like
        return str(error) or repr(error)


def was_wrong(before, after):
    """Whether the names of the outputs are the same, and what `before` declares of
    them does not hold of `after`."""
    if [v.name for v in before.graph.output] != [v.name for v in after.graph.output]:
        return False
    copy = onnx.ModelProto()
    copy.CopyFrom(after)
    for value, old in zip(copy.graph.output, before.graph.output):
        value.CopyFrom(old)
    return bool(find_fault(copy))


def check_form(before, after, verdict, what):
    """Whether it is a model, with the same face."""
    if not find_fault(before) and (fault := find_fault(after)):
        verdict.add("invalid", f"{what}: {fault}")
    for kind in ("input", "output"):
        old, new = (signature(getattr(model.graph, kind)) for model in (before, after))
        if old != new and not (kind == "output" and was_wrong(before, after)):
            verdict.add("interface", f"{what}: {kind}s {[n for n, _ in old]} became {[n for n, _ in new]} or changed their types")
    opsets = [{o.domain or "ai.onnx": o.version for o in model.opset_import} for model in (before, after)]
    if opsets[0] != opsets[1] or before.ir_version != after.ir_version:
        verdict.add("version", f"{what}: opsets {opsets[0]} of IR {before.ir_version} became {opsets[1]} of IR {after.ir_version}")


def is_random(graph):
    return any(node.op_type in RANDOM or node.op_type == "Dropout" and len(node.input) > 2
               or any(is_random(a.g) for a in node.attribute if a.HasField("g")) for node in graph.node)


def run_ort(model, feeds):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = min(copy.ir_version, NEWEST_IR)
    return run_onnxruntime(copy, feeds)


def run_onnxc(model, feeds):
    import onnxc
    return onnxc.InferenceSession(model, threads=1, opt_level=0).run(None, feeds)


RUNNERS = {"onnxc": run_onnxc, "onnxruntime": run_ort}


def difference(got, want, exactness):
    """What is wrong with `got`, None if nothing."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return f"another number of results: {len(got)}, not {len(want)}"
        wrong = (difference(g, w, exactness) for g, w in zip(got, want))
        return next((f"[{i}] {text}" for i, text in enumerate(wrong) if text), None)
    if want is None or isinstance(want, dict):
        return None if repr(got) == repr(want) else f"{got!r:.80}, expected {want!r:.80}"
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if want.tobytes() == got.tobytes() or want.dtype.kind in "OSU" and got.tolist() == want.tolist():
        return None
    if want.dtype.kind not in "fV" and want.dtype.name not in TOLERANCES:
        return f"{got!r:.80}, expected {want!r:.80}"
    g, w = got.astype(np.float64), want.astype(np.float64)
    same = (g == w) | (np.isnan(g) & np.isnan(w))
    if exactness == EXACT:
        same &= (g != 0) | (np.signbit(g) == np.signbit(w))
    elif exactness == ROUNDING:
        with np.errstate(invalid="ignore"):
            largest = np.abs(w[np.isfinite(w)]).max(initial=0)
            tolerance = TOLERANCES.get(want.dtype.name, 0.1)
            same |= np.isfinite(g) & np.isfinite(w) & (np.abs(g - w) <= tolerance * (largest + 0.1))
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{np.count_nonzero(~same)} of {same.size} differ, the first at {list(at)}: {g[at]}, expected {w[at]}"


def check_values(before, after, feeds, engines, exactness, verdict, what):
    """Both models in both engines; an engine that cannot run the original tells
    nothing."""
    for engine in engines:
        run = RUNNERS[engine]
        try:
            want = run(before, feeds)
        except Exception:  # an engine may lack anything
            continue
        try:
            got = run(after, feeds)
        except Exception as error:
            verdict.add("no run", f"{what}: {engine} refuses the result: {error}")
            continue
        verdict.compared += 1
        # ONNX Runtime has other kernels for other forms of an operator.
        wrong = difference(got, want, ROUNDING if engine == "onnxruntime" and exactness == EXACT else exactness)
        if wrong:
            verdict.add("wrong", f"{what}: {engine}: {wrong}")


def optimized(model, verdict, what, **options):
    """The result and the changes by pass; None if there was an error."""
    import onnxc
    from onnxc import optimizer
    try:
        result, changes, _, _ = optimizer.optimize_with_statistics(model, **options)
    except onnxc.Error as error:
        verdict.add("refused", f"{what}: {error}")
        return None, {}
    return result, {name: count for name, count in changes.items() if count}


def judge_configuration(model, sets, engines, verdict, what, exactness, keeps_interface=True, **options):
    """One way to optimize the model."""
    result, changes = optimized(model, verdict, what, **options)
    if result is None:
        return
    verdict.fired.update(changes)
    if result == model:
        return
    if not changes and options.get("passes") is not None:  # the default pipeline drops dead nodes beside
        verdict.add("round trip", f"{what}: nothing was changed, and yet the model is another")
    if keeps_interface:
        check_form(model, result, verdict, what)
    if options.get("fixed_point") or options.get("passes") is None:
        again, _ = optimized(model, verdict, what, **options)
        if again is not None and again.SerializeToString(deterministic=True) != result.SerializeToString(deterministic=True):
            verdict.add("not deterministic", what)
    if keeps_interface and not is_random(model.graph):
        for feeds in sets:
            check_values(model, result, feeds, engines, exactness, verdict, what)


def judge(model, sets, mode, passes, engines):
    """`mode`: "each" pass of `passes` (as describe_passes() says) alone, the
    "default" pipeline, and of that once more what changes no bit, or "upstream":
    onnx-optimizer's default passes in its form."""
    from onnxc import optimizer
    verdict = Verdict()
    if mode == "default":
        judge_configuration(model, sets, engines, verdict, "default pipeline", ROUNDING)
        inexact = [d["name"] for d in optimizer.describe_passes() if d["exactness"] not in (EXACT, ZERO)]
        judge_configuration(model, sets, engines, verdict, "exact passes", EXACT, disabled=inexact)
    elif mode == "upstream":
        # Its MaxPool of a padded value, its ArgMax and its LogSoftmax are wrong on purpose.
        names = [n for n in optimizer.get_fuse_and_elimination_passes()
                 if n not in ("fuse_pad_into_pool", "eliminate_nop_monotone_argmax", "fuse_consecutive_log_softmax")]
        judge_configuration(model, sets, engines, verdict, "upstream form", ROUNDING, passes=names, fixed_point=True,
                            upstream_compatible=True, nsz=False, keep_interface=True)
    else:
        for described in passes:
            name, exactness = described["name"], described["exactness"]
            if exactness != "values":
                # The sign of a zero is only changed if `nsz` is asked for.
                exactness = EXACT if exactness == ZERO else exactness
                judge_configuration(model, sets, engines, verdict, name, exactness, name not in INTERFACE, passes=[name])
    return verdict
