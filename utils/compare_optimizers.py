#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many nodes optimizers leave of models, and how long they take: onnxc,
onnxoptimizer, onnxsim, onnxslim, and ONNX Runtime's offline optimization. Nodes
of subgraphs and functions count, Constant nodes do not.

usage: PYTHONPATH=build/dev/python compare_optimizers.py [--save FILE.md] [MODEL.onnx ...]

Without models, those of test/models and of the shared directory. Runs in a Python
that has the peers (pip install onnxoptimizer onnxsim onnxslim onnxruntime); what
it lacks is left out. Each is run in a process of its own. Our results are
compared with the original by ONNX Runtime, on the stored inputs where there are
any. ONNX Runtime's extended level writes operators that only it knows.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT = 1800  # seconds, for one optimizer on one model
TOLERANCE = 1e-3  # relative to the largest value


def count_nodes(graph):
    total = 0
    for node in graph.node:
        total += node.op_type != "Constant"
        total += sum(count_nodes(a.g) for a in node.attribute if a.HasField("g"))
    return total


def count_model(model):
    return count_nodes(model.graph) + sum(count_nodes(function) for function in model.functions)


def by_onnxc(path, scratch):
    import onnx
    import onnxc
    model = onnxc.simplify(onnx.load(path))[0]
    large = model.ByteSize() >= 1 << 31
    onnx.save(model, scratch / "onnxc.onnx", save_as_external_data=large)
    return onnx.load(scratch / "onnxc.onnx", load_external_data=False)


def by_onnxoptimizer(path, scratch):
    import onnx
    import onnxoptimizer
    return onnxoptimizer.optimize(onnx.load(path), None, True)


def by_onnxsim(path, scratch):
    import onnx
    import onnxsim
    return onnxsim.simplify(onnx.load(path))[0]


def by_onnxslim(path, scratch):
    import onnx
    import onnxslim
    return onnxslim.slim(onnx.load(path))


def by_onnxruntime(level):
    def run(path, scratch):
        import onnx
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        options.optimized_model_filepath = str(scratch / "ort.onnx")
        options.log_severity_level = 4
        options.add_session_config_entry("session.optimized_model_external_initializers_file_name", "ort.data")
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return onnx.load(scratch / "ort.onnx", load_external_data=False)
    return run


OPTIMIZERS = {
    "onnxc": by_onnxc, "onnxoptimizer": by_onnxoptimizer, "onnxsim": by_onnxsim, "onnxslim": by_onnxslim,
    "ORT basic": by_onnxruntime("ORT_ENABLE_BASIC"), "ORT extended": by_onnxruntime("ORT_ENABLE_EXTENDED"),
}


def agree(path, scratch, stored):
    """Whether our result computes what the model does; None if it is not known."""
    import numpy as np
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    sessions = [onnxruntime.InferenceSession(str(p), options, providers=["CPUExecutionProvider"]) for p in (path, scratch / "onnxc.onnx")]
    feeds = dict(np.load(stored)) if stored else {}
    if not feeds:
        random = np.random.default_rng(0)
        for value in sessions[0].get_inputs():
            if value.type != "tensor(float)":
                return None
            shape = [d if isinstance(d, int) else 1 for d in value.shape]
            feeds[value.name] = random.random(shape, np.float32)
    for want, got in zip(*(session.run(None, feeds) for session in sessions)):
        want, got = np.asarray(want, np.float64), np.asarray(got, np.float64)
        largest = np.abs(want[np.isfinite(want)]).max(initial=0)
        if not np.allclose(got, want, rtol=0, atol=TOLERANCE * largest + 1e-6, equal_nan=True):
            return False
    return True


def measure_one(name, path, stored):
    """What one optimizer does, as JSON; runs in a process of its own."""
    import importlib

    import onnx
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        if name == "before":
            return {"nodes": count_model(onnx.load(path, load_external_data=False))}
        importlib.import_module({"ORT basic": "onnxruntime", "ORT extended": "onnxruntime"}.get(name, name))
        start = time.monotonic()
        model = OPTIMIZERS[name](pathlib.Path(path), scratch)
        result = {"nodes": count_model(model), "seconds": time.monotonic() - start}
        if name == "onnxc":
            try:
                result["agrees"] = agree(path, scratch, stored)
            except Exception:  # it may lack operators
                result["agrees"] = None
        return result


def measure(name, path, stored):
    command = [sys.executable, __file__, "--one", name, str(path)] + (["--stored", str(stored)] if stored else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return {"error": "no end"}
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return {"error": "missing" if "ModuleNotFoundError" in words[-1] else words[-1][:80]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def find_models(scratch):
    """(name, path, stored inputs or None) of all that we have."""
    sys.path.insert(0, str(ROOT / "test" / "models"))
    import numpy as np
    import run_models
    for model in run_models.load_models([])[0]:
        stored = scratch / f"{model.name}.npz"
        try:
            np.savez(stored, **model.inputs(model.entry["cases"][0]))
        except Exception:  # not all are arrays
            stored = None
        yield model.name, model.file(), stored


def cell(result, seconds):
    if "error" in result:
        return "" if result["error"] == "missing" else "fails"
    text = str(result["nodes"])
    return f"{text} ({result['seconds']:.1f} s)" if seconds and "seconds" in result else text


def print_table(rows, file, seconds):
    names = ["before", *OPTIMIZERS]
    print("| model | " + " | ".join(names) + " | same numbers |", file=file)
    print("|--|" + "--:|" * len(names) + "--|", file=file)
    for model, results in rows:
        counts = [r["nodes"] for n, r in results.items() if n not in ("before", "onnxc") and "nodes" in r]
        cells = [cell(results[name], seconds) for name in names]
        ours = results["onnxc"]
        if counts and ours.get("nodes", 1 << 60) <= min(counts):
            cells[1] = f"**{cells[1]}**"
        same = {True: "yes", False: "NO", None: "?"}[ours.get("agrees")]
        print(f"| {model} | " + " | ".join(cells) + f" | {same} |", file=file)
    best = sum("nodes" in r["onnxc"] and all(r["onnxc"]["nodes"] <= o["nodes"] for o in r.values() if "nodes" in o) for _, r in rows)
    print(f"\nonnxc leaves no more nodes than any of them in {best} of {len(rows)} models.", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--only", default="", help="names of models, with commas")
    parser.add_argument("--save", metavar="FILE.md", help="write the table there")
    parser.add_argument("--seconds", action="store_true", help="with the times")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--stored", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure_one(options.one, options.models[0], options.stored)))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        models = [(os.path.basename(p), p, None) for p in options.models] or find_models(pathlib.Path(folder))
        for name, path, stored in models:
            if options.only and name not in options.only.split(","):
                continue
            results = {what: measure(what, path, stored) for what in ["before", *OPTIMIZERS]}
            rows.append((name, results))
            print(name, {what: r.get("nodes", r.get("error")) for what, r in results.items()}, results["onnxc"].get("agrees"), flush=True)
    print_table(rows, sys.stdout, options.seconds)
    if options.save:
        with open(options.save, "w") as file:
            print_table(rows, file, options.seconds)


if __name__ == "__main__":
    main()
