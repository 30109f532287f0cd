#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models that have code for several levels of processors, at each that this machine has.

usage: compare_levels.py MODELS FOLDER NAME...     with onnxc in PATH

The outputs have to be those that stand beside the model, and the same bits with
one thread and with three; and the weights are in the file once.
Prints a line for each model.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np

LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


def run(library, level, threads, inputs, outputs):
    """The outputs by name; or None if the processor does not have the level."""
    done = subprocess.run(["onnxc", "run", library, f"--inputs={inputs}", f"--save={outputs}", f"--threads={threads}"],
                          env=dict(os.environ, ONNXC_CPU_LEVEL=level), capture_output=True, text=True, check=False)
    if done.returncode and "this processor lacks" in done.stderr:
        return None
    if done.returncode:
        sys.exit(f"{library} {level}: {done.stderr}")
    with np.load(outputs) as arrays:
        return {name: arrays[name] for name in arrays.files}


def main():
    models, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name in sys.argv[3:]:
        library, inputs, outputs = folder / f"{name}.so", folder / "inputs.npz", folder / "outputs.npz"
        model = models / name / "model.onnx"
        subprocess.run(["onnxc", model, "--mcpu=" + ",".join(LEVELS), "-o", library], check=True)
        with np.load(models / name / "data.npz") as data:
            case = data.files[0].split("/")[0]
            arrays = {key: data[key] for key in data.files if key.startswith(case + "/")}
        np.savez(inputs, **{key.split("/in/")[1]: value for key, value in arrays.items() if "/in/" in key})
        expected = {key.split("/out/")[1]: value for key, value in arrays.items() if "/out/" in key}
        ran = 0
        for level in LEVELS:
            one, three = (run(library, level, threads, inputs, outputs) for threads in (1, 3))
            if one is None:
                continue
            ran += 1
            for key, value in expected.items():
                np.testing.assert_allclose(one[key], value, rtol=1e-3, atol=1e-4, err_msg=f"{name} {level} {key}")
                np.testing.assert_array_equal(one[key], three[key], err_msg=f"{name} {level} {key}: 1 and 3 threads")
        report = subprocess.run(["onnxc", "bench", "--json", "--reps=1", library], check=True, capture_output=True, text=True)
        stored, size, weights = json.loads(report.stdout)["weight_bytes"], library.stat().st_size, model.stat().st_size
        verdict = "small" if size <= weights + (2 << 20) and stored <= 1.2 * weights + (32 << 10) else f"{stored} bytes of weights, of a model of {weights}"
        print(f"{name}: {'right' if ran else 'not run'} at each level, {verdict}")


if __name__ == "__main__":
    main()
