#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compile takes: seconds of each stage, of the clock and of processors, and
the peak of memory, for models of a folder and those of compile_models.py.

usage: compile_time.py [NAME|FILE...] [--onnxc build/release/bin/onnxc]
                       [--models FOLDER] [--repeat N] [--md] [--json FILE]
                       [-- OPTION...]

NAMEs are those of compile_models.py (all, if there is none) or of models in FOLDER,
which has .onnx files, or a models.json and a materialize.py as ../shared/models: then
all of these, if there is no NAME. What is behind -- goes to onnxc. Of several
repetitions the shortest is shown. Nothing else should run on the machine.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import onnx

import compile_models
from bench import models

HERE = pathlib.Path(__file__).resolve().parent
STAGES = ["import", "upgrade", "infer", "optimize", "lower", "schedule", "bufferize", "llvm", "emit"]
FRONT = STAGES[:5]
# Of the issue: seconds on two cores, and memory beside that of the weights.
SECONDS, STRUCTURE_SECONDS, MEBIBYTES = 10, 5, 512


def run_compile(onnxc, model, folder, options):
    """The stages' seconds, and of the whole process."""
    log = folder / "log"
    start = time.monotonic()
    with open(log, "w") as file:
        process = subprocess.Popen([onnxc, model, "-o", folder / "model.so", "--time-stages", *options], stderr=file, stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    text = log.read_text()
    if process.returncode:
        return {"error": text.strip().splitlines()[-1] if text.strip() else f"status {process.returncode}", "seconds": seconds}
    row = {name: float(value) for name, value in re.findall(r"^(\w+) +([\d.]+) s", text, re.M)}
    row |= {name: float(value) for name, value in re.findall(r"^  (\S.*?) +([\d.]+) s  of threads", text, re.M)}
    return row | {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024,
                  "bytes": os.path.getsize(folder / "model.so")}


def count_nodes(path):
    """Nodes of the graph, and MiB of the file."""
    model = onnx.load(path, load_external_data=False)
    return len(model.graph.node), os.path.getsize(path) / 2**20


def limits(row, name):
    """What is above the limits."""
    seconds = STRUCTURE_SECONDS if name in compile_models.STRUCTURES else SECONDS
    found = [f"> {seconds} s"] if row["seconds"] > seconds else []
    allowed = 1.5 * row["size"] + MEBIBYTES
    return found + ([f"> {allowed:.0f} MiB"] if row.get("peak", 0) > allowed else [])


def find_models(names, folder, scratch):
    """The name and the file of each model; generated ones are written to `scratch`."""
    if folder and (folder / "models.json").exists():
        for entry, path in models.manifest_entries(folder, names):
            yield entry["name"], path
        return
    for name in names or [*compile_models.NETWORKS, *compile_models.STRUCTURES]:
        path = pathlib.Path(name) if name.endswith(".onnx") else (folder or scratch) / f"{name}.onnx"
        if not path.exists():
            path = scratch / f"{name}.onnx"
            compile_models.write(name, path)
        yield path.stem, path


def cells(name, row):
    if "error" in row:
        return [name, str(row["nodes"]), f"{row['size']:.1f}", row["error"]]
    stages = [sum(row.get(stage, 0) for stage in FRONT), *(row.get(stage, 0) for stage in STAGES[5:])]
    return [name, str(row["nodes"]), f"{row['size']:.1f}", *(f"{value:.2f}" for value in stages), f"{row['seconds']:.2f}", f"{row['cpu']:.2f}",
            f"{row['peak']:.0f}", " ".join(limits(row, name))]


HEAD = ["model", "nodes", "MiB", "to lower", *STAGES[5:], "seconds", "of processors", "peak MiB", "above"]


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        place = arguments.index("--")
        arguments, options = arguments[:place], arguments[place + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--onnxc", default=HERE.parent / "build" / "release" / "bin" / "onnxc")
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--md", action="store_true", help="the table as Markdown")
    parser.add_argument("--json")
    chosen = parser.parse_args(arguments)
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        line = (lambda parts: "| " + " | ".join(parts) + " |") if chosen.md else "\t".join
        print(line(HEAD))
        if chosen.md:
            print(line(["---"] + ["---:"] * (len(HEAD) - 2) + ["---"]))
        for name, path in find_models(chosen.names, chosen.models, folder):
            nodes, size = count_nodes(path)
            runs = [run_compile(chosen.onnxc, path, folder, options) for _ in range(chosen.repeat)]
            rows[name] = min(runs, key=lambda row: row["seconds"]) | {"nodes": nodes, "size": size}
            print(line(cells(name, rows[name])), flush=True)
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
