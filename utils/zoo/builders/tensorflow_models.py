# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of TensorFlow, which has an environment of its own: its versions of
packages are not those of torch."""

import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).with_name("tensorflow_recipes.py")


def build_tensorflow(entry, folder):
    python = pathlib.Path(sys.prefix).with_name("venv-tensorflow") / "bin" / "python3"
    if not python.exists():
        raise RuntimeError("there is no environment of TensorFlow; utils/zoo/install.sh makes it")
    done = subprocess.run([str(python), str(SCRIPT), entry.what, str(entry.opset), entry.sizes, str(folder)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    if done.returncode != 0:
        raise RuntimeError(done.stdout.strip().splitlines()[-1])
