#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles small graphs with other schedules for all their kernels each time: no
decision that a file of `onnxc tune` may hold changes a bit of what is computed.

usage: try_decisions.py --onnxc build/dev/bin/onnxc [--family conv ...] [--mcpu x86-64-v3 ...] [--tries 20] [--cases 6] [--seed N]

cases.py has the families. Exit status 1 if a decision changes a result, or is refused.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onnxc", required=True)
    parser.add_argument("--family", nargs="+", default=list(cases.FAMILIES))
    parser.add_argument("--mcpu", nargs="+", default=["native"])
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for family in options.family:
            batch, _ = cases.make_batch(family, options.seed, 8, options.cases)
            onnx.save(batch.model(), folder / "model.onnx")
            np.savez(folder / "inputs.npz", **batch.feeds)
            for cpu in options.mcpu:
                command = [options.onnxc, "tune", folder / "model.onnx", "--mcpu=" + cpu, f"--try-decisions={options.tries}",
                           "--inputs", folder / "inputs.npz"]
                made = subprocess.run(command, capture_output=True, text=True)
                if made.returncode == 0 and re.fullmatch(r"\d+ kernels, \d+ decisions .* compute the same\n", made.stdout):
                    print(f"{family} {cpu}: {made.stdout}", end="", flush=True)
                    continue
                failed = True
                print(f"{family} {cpu} (seed {options.seed}): status {made.returncode}\n{made.stdout}{made.stderr}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
