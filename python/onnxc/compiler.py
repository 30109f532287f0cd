# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the onnxc command."""
import os
import shutil
import subprocess


class CompileError(RuntimeError):
    """onnxc refused the model; the text is what it said."""


def find_onnxc():
    """The onnxc command: $ONNXC, the build beside this package, or the PATH's."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for candidate in (os.environ.get("ONNXC"), os.path.join(root, "build", "dev", "bin", "onnxc")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("onnxc")
    if not found:
        raise CompileError("the onnxc command was not found: set ONNXC, or put it on the PATH")
    return found


def compile(model, output, options=(), timeout=None):
    """Compiles the file `model` to the file `output` (.so, .o, .a, .mlir, …).

    `options` are further arguments of the command, for example ["-O0"].
    Raises CompileError with onnxc's own words.
    """
    command = [find_onnxc(), os.fspath(model), "-o", os.fspath(output), *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", timeout=timeout)
    if done.returncode != 0:
        raise CompileError(done.stderr.strip() or f"onnxc ended with status {done.returncode}")
    return output
