# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process behind run_kernels.py: compiles batches of cases, runs and compares
them.

usage: worker.py DESCRIPTOR

A line of its input is JSON: family, seed, count, only (the number of one case, or
null) and levels, a list of names of cases.LEVELS. The answer is a list of findings.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import ml_dtypes  # noqa: F401, numpy learns bfloat16
import numpy as np
import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import cases
import levels
import memory_limit

MEMORY = 8 << 30


def infer_outputs(model):
    """Declares the outputs' types; sizes where they are known."""
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    for output in inferred.graph.output:
        for dim in output.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value"):
                dim.Clear()
    return inferred


def differs(case, got, want):
    """What is wrong with a result, or None."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.size == 0:
        return None
    if want.dtype.kind in "iub":
        off = np.abs(got.astype(np.int64) - want.astype(np.int64))
        most = case.steps
    else:
        got, want = got.astype(np.float64), want.astype(np.float64)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore"):
            off = np.where(same, 0, np.abs(got - want))
        off[np.isnan(off)] = np.inf
        finite = np.abs(want[np.isfinite(want)])
        most = case.relative * max(finite.max(initial=0), 1e-3)
    if off.max() <= most:
        return None
    at = np.unravel_index(off.argmax(), off.shape)
    return f"differs by {off.max():.4g} at {list(map(int, at))}, {most:.2g} is allowed: {got[at]} instead of {want[at]}; {int((off > most).sum())} of {off.size}"


def compile_plainly(model, path, level):
    """Kernels become scalar loops, of which no option of onnxc knows: pass by pass."""
    import onnxc
    bin = pathlib.Path(onnxc._onnxc.__file__).parents[2] / "bin"
    stem = path.removesuffix(".so")
    onnx.save(model, stem + ".onnx")
    options = ["-O2", "--mcpu=" + level.cpu]

    def run(program, *arguments):
        done = subprocess.run([bin / program, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise onnxc.Error(done.stderr)
        return done.stdout

    run("onnxc", stem + ".onnx", *options, "--stop-after=import", "-o", stem + ".mlir")
    passes = run("onnxc", stem + ".onnx", *options, "--print-pipeline").strip()
    changed = passes.replace("onnxc-bufferize{", "onnxc-bufferize{plain-kernels=true ").replace(" plain-kernels=false", "")
    assert changed != passes
    run("onnx-mlir-opt", "--pass-pipeline=" + changed, stem + ".mlir", "-o", stem + ".llvm.mlir")
    run("onnxc", stem + ".llvm.mlir", *options, "--start-from=emit", "-o", path)


def run_batch(request):
    import onnxc
    findings = []
    graphs = {}
    for name in request["levels"]:
        level = levels.LEVELS[name]
        lanes = level.lanes
        if lanes not in graphs:
            graph, made = cases.make_batch(request["family"], request["seed"], lanes, request["count"], request["only"])
            graphs[lanes] = [infer_outputs(graph.model()), graph.feeds, made, None]
        model, feeds, made, want = graphs[lanes]
        if request.get("save"):
            onnx.save(model, request["save"])
            np.savez(os.path.splitext(request["save"])[0] + ".npz", **{n: v.astype(np.float32) if v.dtype.name == "bfloat16" else v for n, v in feeds.items()})

        def add(case, kind, text):
            findings.append({"kind": kind, "level": name, "family": request["family"], "number": case.number if case else None,
                             "case": case.text if case else "", "text": text})

        one = made[0] if len(made) == 1 else None
        with tempfile.TemporaryDirectory(prefix="onnxc-kernels-") as folder:
            path = os.path.join(folder, "model.so")
            try:
                if level.plain:
                    compile_plainly(model, path, level)
                else:
                    cpu = ",".join(filter(None, [level.cpu, level.beside]))
                    onnxc.compile(model, path, opt_level=2, mcpu=cpu, mattr=level.attributes, mtriple=level.triple)
            except onnxc.Error as error:
                add(one, "refused", str(error))
                continue
            if not level.runs_here():
                continue
            try:
                if want is None:
                    want = graphs[lanes][3] = onnxc.InferenceSession(model, threads=1, opt_level=0).run(None, feeds)
                if level.emulator:
                    got = level.emulate(path, [feeds[input.name] for input in model.graph.input])
                    if got is None:
                        continue
                else:
                    os.environ["ONNXC_CPU_LEVEL"] = level.cpu if level.beside else ""
                    got = onnxc.InferenceSession(path, threads=2).run(None, feeds)
            except (onnxc.Error, RuntimeError) as error:
                add(one, "failed", str(error))
                continue
        for case, mine, right in zip(made, got, want, strict=True):
            text = differs(case, mine, right)
            if text:
                add(case, "wrong", text)
    return findings


def main():
    answers = os.fdopen(int(sys.argv[1]), "w")
    memory_limit.limit_memory(MEMORY)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(run_batch(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
