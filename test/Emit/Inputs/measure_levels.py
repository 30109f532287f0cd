#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of files for all levels of processors: at most 2 MiB more than the weights.

usage: measure_levels.py [NAME...]     with onnxc in PATH

Of the models that run_models.py knows; without names, of all of them. What
the .onnx file has besides weights, names and nodes, is counted with them.
"""

import pathlib
import subprocess
import sys
import tempfile

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))

import run_models  # noqa: E402

MOST = 2 << 20  # bytes


def main():
    models, missing = run_models.load_models([])
    wanted = sys.argv[1:] or [model.name for model in models]
    known = {model.name: model for model in models}
    too_large = 0
    with tempfile.TemporaryDirectory(prefix="onnxc-sizes-") as folder:
        for name in wanted:
            if name in missing:
                print(f"{name}: not here")
                continue
            path, library = known[name].file(), pathlib.Path(folder) / "model.so"
            subprocess.run(["onnxc", path, "--mcpu=portable", "--mtriple=x86_64-linux-gnu", "-o", library], check=True)
            size, weights = library.stat().st_size, onnx.load(path).ByteSize()
            more = size - weights
            too_large += more > MOST
            print(f"{name}: {size} bytes, {more} more than the {weights} of the model{'' if more <= MOST else ': TOO LARGE'}", flush=True)
    sys.exit(too_large != 0)


if __name__ == "__main__":
    main()
