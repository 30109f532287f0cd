# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mnist_cnn in a program for Windows, by share/onnxc/run_model.c under Wine: ONNX Runtime's
numbers (of data.npz), by the levels that this processor has.

usage: run_digits.py --build DIR --out DIR
"""

import argparse
import os
import pathlib
import subprocess

import numpy as np
import windows

MODEL = windows.ROOT / "test" / "models" / "mnist_cnn"

parser = argparse.ArgumentParser()
parser.add_argument("--build", required=True, type=pathlib.Path)
parser.add_argument("--out", required=True, type=pathlib.Path)
arguments = parser.parse_args()
data = np.load(MODEL / "data.npz")
for triple, library in (("x86_64-pc-windows-msvc", "digits.lib"), ("x86_64-pc-windows-msvc", "digits.obj"), ("x86_64-w64-mingw32", "digits.a")):
    path = arguments.out / library
    subprocess.run([arguments.build / "bin" / "onnxc", MODEL / "model.onnx", "-o", path, "--mtriple=" + triple], check=True)
    program = arguments.out / "digits.exe"
    windows.build(program, windows.ROOT / "share" / "onnxc" / "run_model.c", [path], ("-DONNXC_MODEL=digits",))
    for run, level in (("n1", ""), ("n1b", "x86-64-v2")):
        np.save(arguments.out / "image.npy", data[f"{run}/in/input.1"])
        os.environ["ONNXC_CPU_LEVEL"] = level
        windows.run(program, ["image.npy", "--output=.", "--threads=2"], cwd=arguments.out, check=True)
        want, got = data[f"{run}/out/33"], np.load(arguments.out / "33.npy")
        difference = np.abs(got - want).max()
        assert difference < 1e-4, difference
        print(f"{library} {level or 'portable'}: digit {got.argmax()}, expected {want.argmax()}")
