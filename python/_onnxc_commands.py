# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of a wheel: each becomes the program of its name in the package.

A module beside the package, as importing onnxc would load the compiler (and
numpy), which the program then does again.
"""
import os
import sys


def main():
    name = os.path.basename(sys.argv[0])
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnxc", "bin", name)
    try:
        os.execv(program, [program] + sys.argv[1:])
    except OSError as error:
        sys.exit(f"{name}: {program}: {error.strerror}")
