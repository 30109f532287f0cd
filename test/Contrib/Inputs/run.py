"""Runs operators of com.microsoft through onnxc and compares with ONNX Runtime, or
with the case's own formula where ONNX Runtime has no kernel for the CPU. Each case
runs with all sizes known, with none known, and with constants for inputs. All
cases of a family are nodes of one model; if that goes wrong, each is one.

usage: run.py FAMILY [OPERATOR…]
"""
import importlib
import itertools
import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import onnxc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import exact_integers

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)
MODES = (("static", 2), ("open", 0), ("constant", 1))


def make_model(cases, mode):
    """A model with a node for each case, and what it is run with."""
    nodes, infos, initializers, results, feeds = [], [], [], [], {}
    for number, case in enumerate(cases):
        name = lambda letter, i: f"{letter}{number}_{i}"
        arrays = {i: np.asarray(x) for i, x in enumerate(case.inputs) if x is not None}
        inputs = [name("x", i) if x is not None else "" for i, x in enumerate(case.inputs)]
        outputs = [name("y", i) if i in case.outputs else "" for i in range(max(case.outputs) + 1)]
        nodes.append(helper.make_node(case.op, inputs, outputs, name=f"{case.op}_{number}", domain=case.domain, **case.attributes))
        fixed = set(case.constants)
        if mode == "constant":
            fixed = set(arrays) - {0} if len(arrays) > 1 else set(arrays)
        for i, x in arrays.items():
            if i in fixed:
                initializers.append(onnx.numpy_helper.from_array(x, name("x", i)))
                continue
            feeds[name("x", i)] = x
            known = case.known.get(i, ())
            shape = [d if mode != "open" or k in known else f"{name('x', i)}_{k}" for k, d in enumerate(x.shape)]
            infos.append(helper.make_tensor_value_info(name("x", i), helper.np_dtype_to_tensor_dtype(x.dtype), shape))
        # ONNX Runtime cannot infer all types.
        results += [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) if i in case.floats else onnx.ValueInfoProto(name=o)
                    for i, o in enumerate(outputs) if o]
    graph = helper.make_graph(nodes, "g", infos, results, initializers)
    imports = {"": cases[0].opset, "com.microsoft": 1}
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid(d, v) for d, v in imports.items()])
    return model, feeds


def run(cases, mode, run_model):
    """The results of each case, or what went wrong with it."""
    try:
        results = iter(run_model(*make_model(cases, mode)))
        return [list(itertools.islice(results, len(case.outputs))) for case in cases]
    except Exception as error:  # Of either side; the run goes on.
        if len(cases) == 1:
            return [f"{type(error).__name__}: {error}"]
        return [run([case], mode, run_model)[0] for case in cases]


def run_onnxruntime(model, feeds):
    session = onnxruntime.InferenceSession(exact_integers.make_exact(model).SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def differ(case, expected, got):
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype}{list(got.shape)} instead of {expected.dtype}{list(expected.shape)}"
    if expected.dtype == object:
        return "" if (expected == got).all() else f"{got.tolist()} instead of {expected.tolist()}"
    if case.select:
        expected, got = case.select(expected), case.select(got)
    e, g = expected.astype(np.float64), got.astype(np.float64)
    atol, rtol = case.tolerance, case.tolerance
    if expected.dtype.kind in "iu" and case.is_rounded:
        atol = 1  # A rounded result may fall on the other side of a tie.
    near = np.isclose(g, e, rtol=rtol, atol=atol, equal_nan=True)
    if near.all():
        return ""
    worst = tuple(map(int, np.unravel_index(np.argmin(near), e.shape)))
    return f"{got[worst]} instead of {expected[worst]} at {list(worst)}, {np.mean(~near):.0%} differ"


def find_problem(case, expected, got):
    for results in (expected, got):
        if isinstance(results, str):
            return results
    return next(filter(None, (differ(case, np.asarray(e), g) for e, g in zip(expected, got, strict=True))), "")


def main():
    family = importlib.import_module(sys.argv[1]).CASES
    failures = count = 0
    for opset in sorted({case.opset for case in family}):
        cases = [case for case in family if case.opset == opset and (not sys.argv[2:] or case.op in sys.argv[2:])]
        theirs = [case for case in cases if case.expected is None]
        found = run(theirs, "static", run_onnxruntime) if theirs else []
        for case, expected in zip(theirs, found):
            case.expected = expected
        for mode, level in MODES:
            mine = [case for case in cases if mode in case.modes]
            compiled = lambda model, feeds: onnxc.InferenceSession(model.SerializeToString(), opt_level=level).run(None, feeds)
            results = run(mine, mode, compiled) if mine else []
            for case, got in zip(mine, results):
                count += 1
                if problem := find_problem(case, case.expected, got):
                    failures += 1
                    shapes = [None if x is None else list(np.shape(x)) for x in case.inputs]
                    print(f"{case.op} {case.attributes} {shapes} {mode} -O{level}: {problem}")
    print(f"{count} cases, {failures} failures")


if __name__ == "__main__":
    main()
