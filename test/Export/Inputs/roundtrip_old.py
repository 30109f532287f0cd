#!/usr/bin/env python3
"""Brings models of old opsets to the newest forms, as far as there is a way back, and
exports them again. Prints those that do not come back equal.

usage: roundtrip_old.py ARCHIVE DIR BIN

In the archive: CASE/model.onnx. BIN has onnx-mlir-opt and onnx-mlir-translate.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tarfile

import onnx


def go(archive, folder, tools):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as files:
        models = {member.name.split("/")[0]: files.extractfile(member).read()
                  for member in files if member.name.endswith("/model.onnx")}

    def check(name):
        path = folder / name
        pathlib.Path(f"{path}.onnx").write_bytes(models[name])
        steps = [
            [f"{tools}/onnx-mlir-translate", "--onnx-to-mlir", "--keep-defaults", "--mlir-print-debuginfo", f"{path}.onnx", "-o", f"{path}.mlir"],
            [f"{tools}/onnx-mlir-opt", "--mlir-print-debuginfo", "--pass-pipeline=builtin.module(onnx-upgrade{reversible=true})", f"{path}.mlir", "-o", f"{path}.new.mlir"],
            [f"{tools}/onnx-mlir-translate", "--mlir-to-onnx", f"{path}.new.mlir", "-o", f"{path}.back.onnx"],
        ]
        for step in steps:
            run = subprocess.run(step, capture_output=True, text=True)
            if run.returncode:
                return run.stderr
        before, after = onnx.load_from_string(models[name]), onnx.load(f"{path}.back.onnx")
        return None if before == after else f"became\n{after}"

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, problem in zip(models, pool.map(check, models)):
            if problem:
                failures += 1
                print(f"{name}: {problem}")
    print(f"{len(models)} models, {failures} failures")


if __name__ == "__main__":
    go(*sys.argv[1:])
