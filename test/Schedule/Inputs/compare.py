# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: compare.py BUILD [NAME...]

Compiles the structured programs beside this file at -O0, -O1 and -O2, from the
schedule stage on, and compares what they compute with numpy."""
import os
import subprocess
import sys
import tempfile

import numpy as np

import onnxc
from programs import cases

build, *names = sys.argv[1:]

failures = 0
with tempfile.TemporaryDirectory() as folder:
    for name, text, inputs, expected, tolerance in cases:
        if names and name not in names:
            continue
        source = os.path.join(folder, "in.mlir")
        with open(source, "w") as file:
            file.write(text)
        for number, level in enumerate(("-O0", "-O1", "-O2")):
            # A new name each time: a loaded library is not loaded again.
            library = os.path.join(folder, f"m_{name}_{number}.so")
            done = subprocess.run([os.path.join(build, "bin", "onnxc"), source, level, "--start-from=schedule",
                                   "-o", library], capture_output=True, text=True)
            if done.returncode:
                print(f"{name} {level}: does not compile\n{done.stderr}")
                failures += 1
                continue
            session = onnxc.InferenceSession(library)
            outputs = session.run(None, dict(zip((arg.name for arg in session.get_inputs()), inputs, strict=True)))
            for got, want in zip(outputs, expected, strict=True):
                error = 0 if not want.size else np.abs(got.astype("f8") - want.astype("f8")).max()
                # Not "error > tolerance": that is false for NaN.
                if got.shape != want.shape or not error <= tolerance:
                    print(f"{name} {level}: shape {got.shape}, expected {want.shape}; error {error}, "
                          f"at most {tolerance} is allowed")
                    failures += 1
print(f"{failures} failures")
sys.exit(failures != 0)
