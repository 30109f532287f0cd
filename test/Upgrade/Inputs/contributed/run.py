"""Runs operators of com.microsoft through onnxc and compares with ONNX Runtime, or
with the case's own formula where ONNX Runtime has no kernel for the CPU. Each case
runs with all sizes known, with none known, and with constants for inputs.

usage: run.py FAMILY [OPERATOR]
"""
import importlib
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import onnxc

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)


def make_model(case, mode):
    """The model of one node, and what it is run with."""
    arrays = {f"x{i}": np.asarray(x) for i, x in enumerate(case.inputs) if x is not None}
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(case.inputs)]
    outputs = [f"y{i}" if i in case.outputs else "" for i in range(max(case.outputs) + 1)]
    node = helper.make_node(case.op, names, outputs, name=case.op, domain=case.domain, **case.attributes)
    fixed = {f"x{i}" for i in case.constants}
    if mode == "constant":
        fixed = set(arrays) - {"x0"} if len(arrays) > 1 else set(arrays)
    infos = []
    for name, x in arrays.items():
        if name in fixed:
            continue
        shape = [f"{name}_{i}" for i in range(x.ndim)] if mode == "open" else x.shape
        if mode == "open":
            for i in case.known.get(int(name[1:]), ()):
                shape[i] = x.shape[i]
        infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), shape))
    # ONNX Runtime cannot infer all types.
    results = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) if i in case.floats else onnx.ValueInfoProto(name=o)
               for i, o in enumerate(outputs) if o]
    graph = helper.make_graph([node], "g", infos, results,
                              [onnx.numpy_helper.from_array(arrays[n], n) for n in sorted(fixed)])
    imports = {"": case.opset, "com.microsoft": 1}
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid(d, v) for d, v in imports.items()])
    return model.SerializeToString(), {n: x for n, x in arrays.items() if n not in fixed}


def differ(case, expected, got):
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype}{list(got.shape)} instead of {expected.dtype}{list(expected.shape)}"
    if case.select:
        expected, got = case.select(expected), case.select(got)
    e, g = expected.astype(np.float64), got.astype(np.float64)
    atol, rtol = case.tolerance, case.tolerance
    if expected.dtype.kind in "iu" and case.is_rounded:
        atol = 1  # A rounded result may fall on the other side of a tie.
    if np.allclose(g, e, rtol=rtol, atol=atol, equal_nan=True):
        return ""
    worst = np.unravel_index(np.nanargmax(np.abs(g - e)), e.shape)
    return f"{got[worst]} instead of {expected[worst]} at {list(map(int, worst))}, {np.mean(~np.isclose(g, e, rtol=rtol, atol=atol)):.0%} differ"


def main():
    family = importlib.import_module(sys.argv[1])
    failures = count = 0
    for case in family.CASES:
        if sys.argv[2:] and case.op not in sys.argv[2:]:
            continue
        expected = case.expected
        for mode, level in (("static", 2), ("open", 0), ("constant", 1)):
            if mode not in case.modes:
                continue
            count += 1
            text, feeds = make_model(case, mode)
            try:
                if expected is None:
                    expected = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"]).run(None, feeds)
                got = onnxc.InferenceSession(text, opt_level=level).run(None, feeds)
                problem = next(filter(None, (differ(case, np.asarray(e), g) for e, g in zip(expected, got, strict=True))), "")
            except Exception as error:  # Of either side; the run goes on.
                problem = f"{type(error).__name__}: {error}"
            if problem:
                failures += 1
                shapes = [None if x is None else list(np.shape(x)) for x in case.inputs]
                print(f"{case.op} {case.attributes} {shapes} {mode} -O{level}: {problem}")
    print(f"{count} cases, {failures} failures")


if __name__ == "__main__":
    main()
