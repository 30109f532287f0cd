#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that come with the onnx package on an emulated processor: each is
compiled for a level of test/support/levels.py, and run once by QEMU in user mode, or by
Wine (--level windows, mingw).

usage: run_emulated.py --build DIR --level aarch64 [--mode dynamic] [-O 2] [FILTER]
       run_emulated.py --build DIR --level rv64gcv --sample 60 [--seed 20261123]

FILTER is a regular expression over names. --sample takes so many cases, others for
each seed, which is the date unless it is given, and is printed. Tests with texts,
sequences, optional values or elements of less than a byte, which the program that
QEMU runs does not read, are counted and left out. What denylist.txt knows to fail
may fail, or pass by chance.
"""

import argparse
import datetime
import fnmatch
import functools
import multiprocessing
import pathlib
import random
import re
import sys
import tempfile

import numpy as np
import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import cases  # noqa: E402
import levels  # noqa: E402
import memory_limit  # noqa: E402

MEMORY = 8 << 30  # bytes
# Images and texts: libraries are there where the compiler was built for.
REFUSED = ("needs libraries of the system", "of the runtime, which code for Windows does not have")


def is_plain(value):
    """Whether the emulated program reads and writes such a value."""
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind in "OUS":
        return False
    kind = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    return not onnx.TensorProto.DataType.Name(kind).endswith(("INT4", "INT2", "FLOAT4E2M1", "E2M3", "E3M2"))


def takes_optional(model):
    """Whether an input is declared as an optional, of which the values here are those of what it holds."""
    return any(value.type.HasField("optional_type") for value in model.graph.input)


def read_denied(mode):
    lines = (HERE / "denylist.txt").read_text().splitlines()
    rules = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#")]
    return [glob for modes, glob, _ in rules if any(each.startswith(mode) for each in modes.split(","))]


@functools.cache
def known_cases():
    return cases.load_cases()


def run_case(job):
    """The name, and None, a text that says what is wrong, or "" for what is left out."""
    import onnxc
    name, mode, level, opt_level = job
    case, level = known_cases()[name], levels.LEVELS[level]
    try:
        runs = cases.in_mode(case, mode)
        are_plain = all(is_plain(value) for _, *parts in runs for part in parts for value in part)
        if not runs or not are_plain or any(takes_optional(model) for model, *_ in runs):
            return name, ""
        with tempfile.TemporaryDirectory(prefix="onnxc-node-") as folder:
            path = f"{folder}/model{level.suffix}"
            compiled = None
            for model, inputs, expected in runs:
                if compiled != model:
                    onnxc.compile(model, path, opt_level=opt_level, mcpu=level.cpu, mattr=level.attributes, mtriple=level.triple)
                    compiled = model
                outputs = level.emulate(path, list(map(np.asarray, inputs)))
                wrong = "" if outputs is None else cases.compare(outputs, list(expected), case.rtol, case.atol)
                if wrong is not None:
                    return name, wrong
    except (onnxc.Error, RuntimeError) as error:
        return name, str(error)
    return name, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--level", required=True, choices=[name for name, level in levels.LEVELS.items() if level.emulator])
    parser.add_argument("--mode", default="static", choices=["static", "dynamic", "constant"])
    parser.add_argument("-O", dest="opt_level", type=int, default=2)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.build.resolve() / "python"))
    if not levels.LEVELS[arguments.level].runs_here():
        sys.exit(f"run_emulated.py: {arguments.level}: QEMU or Wine, the C compiler or the C library is missing")
    memory_limit.limit_memory(MEMORY)
    names = [name for name, case in sorted(known_cases().items()) if case.kind == "node" and re.search(arguments.filter, name)]
    if arguments.sample:
        print(f"seed {arguments.seed}")
        names = sorted(random.Random(arguments.seed).sample(names, min(arguments.sample, len(names))))
    denied = read_denied(arguments.mode)
    passed = failed = left_out = known = refused = 0
    jobs = [(name, arguments.mode, arguments.level, arguments.opt_level) for name in names]
    with multiprocessing.get_context("forkserver").Pool(arguments.workers) as pool:
        for name, wrong in pool.imap_unordered(run_case, jobs, chunksize=4):
            if wrong is None:
                passed += 1
            elif wrong == "":
                left_out += 1
            elif any(text in wrong for text in REFUSED):
                refused += 1
            elif any(fnmatch.fnmatchcase(name, glob) for glob in denied):
                known += 1
            else:
                failed += 1
                print(f"{name}: {wrong[-400:].strip()}", flush=True)
    print(f"{passed} passed, {failed} failed, {left_out} left out, {refused} refused, {known} known to fail everywhere")
    sys.exit(failed != 0 or passed == 0)


if __name__ == "__main__":
    main()
