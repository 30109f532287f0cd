#!/usr/bin/env python3
"""Finds the first node of a model whose compiled result differs from ONNX
Runtime's (without optimizations): every intermediate value is made an output.

usage: utils/python utils/find_wrong_node.py MODEL.onnx --inputs IN.npz [-O0|-O1]
           [--rtol 1e-3] [--build build/dev]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_IR = 13  # what this ONNX Runtime reads


def expose_values(model):
    """Makes the result of every node an output; returns (value, node) pairs."""
    known = {output.name for output in model.graph.output}
    values = []
    for node in model.graph.node:
        for name in node.output:
            if not name:
                continue
            values.append((name, node))
            if name not in known:
                known.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    return values


def infer_types(model):
    """Outputs need types; shape inference has them."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    types = {value.name: value for value in inferred.graph.value_info}
    for output in model.graph.output:
        if not output.HasField("type") and output.name in types:
            output.CopyFrom(types[output.name])
    typed = [output for output in model.graph.output if output.HasField("type")]
    del model.graph.output[:]
    model.graph.output.extend(typed)
    return {output.name for output in typed}


def run_reference(path, inputs, names):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options,
                                           providers=["CPUExecutionProvider"])
    return dict(zip(names, session.run(names, inputs)))


def run_compiled(onnxc, path, inputs, level, folder):
    library, results = folder / "model.so", folder / "out.npz"
    np.savez(folder / "in.npz", **inputs)
    subprocess.run([onnxc, path, "-o", library, f"-O{level}"], check=True)
    subprocess.run([onnxc, "run", library, "--inputs", folder / "in.npz", "--save", results],
                   check=True, stdout=subprocess.DEVNULL)
    with np.load(results) as file:
        return {name: file[name] for name in file.files}


def difference(value, want):
    if value.shape != want.shape:
        return float("inf")
    if not want.size or want.dtype.kind not in "fiub":
        return 0.0
    value, want = value.astype(np.float64), want.astype(np.float64)
    same = (value == want) | (np.isnan(value) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0, np.abs(value - want))
    largest = np.abs(want[np.isfinite(want)]).max(initial=0)
    error = error.max() / (largest + 1e-12)
    return float(error) if error == error else float("inf")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--inputs", required=True)
    parser.add_argument("-O", dest="level", default="1")
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--build", default=ROOT / "build" / "dev")
    options = parser.parse_args()

    model = onnx.load(options.model)
    values = expose_values(model)
    typed = infer_types(model)
    model.ir_version = min(model.ir_version, MOST_IR)
    with np.load(options.inputs) as file:
        inputs = {name: file[name] for name in file.files}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "model.onnx"
        onnx.save(model, path)
        names = [output.name for output in model.graph.output]
        want = run_reference(path, inputs, names)
        got = run_compiled(pathlib.Path(options.build) / "bin" / "onnxc", path,
                           inputs, options.level, folder)
    worst = 0.0
    for name, node in values:
        if name not in typed:
            continue
        error = difference(got[name], want[name])
        if error > options.rtol:
            print(f"first wrong node: '{node.name or name}' ({node.op_type}), value '{name}': "
                  f"error {error:.3g}; before it at most {worst:.3g}")
            return 1
        worst = max(worst, error)
    print(f"no node differs by more than {worst:.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
