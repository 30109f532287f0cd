#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that come with the onnx package on an emulated processor: each is
compiled for a level of test/support/levels.py, and run once by QEMU in user mode, or by
Wine (--level windows, mingw).

usage: run_emulated.py --build DIR --level aarch64 [--mode dynamic] [-O 2] [FILTER]
       run_emulated.py --build DIR --level rv64gcv --sample 60 [--seed 20261123]

FILTER is a regular expression over names. --sample takes so many cases, others for
each seed, which is the date unless it is given, and is printed. What a mode has no
form of is counted and left out, and so is what onnxc refuses for another processor.
What denylist.txt knows to fail may fail, or pass by chance.
"""

import argparse
import fnmatch
import functools
import multiprocessing
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import cases  # noqa: E402
import choice  # noqa: E402
import levels  # noqa: E402
import memory_limit  # noqa: E402
import value_bytes  # noqa: E402

MEMORY = 8 << 30  # bytes
# Images and texts: libraries are there where the compiler was built for.
REFUSED = ("needs libraries of the system", "of the runtime, which code for Windows does not have")


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
        if not runs:
            return name, ""
        with tempfile.TemporaryDirectory(prefix="onnxc-node-") as folder:
            path = f"{folder}/model{level.suffix}"
            compiled = None
            for model, inputs, expected in runs:
                if compiled != model:
                    onnxc.compile(model, path, opt_level=opt_level, mcpu=level.cpu, mattr=level.attributes, mtriple=level.triple)
                    compiled = model
                constants = {tensor.name for tensor in model.graph.initializer}
                types = [value.type for value in model.graph.input if value.name not in constants]
                outputs = level.emulate(path, list(map(value_bytes.declare, inputs, types)))
                wrong = "" if outputs is None else cases.compare(outputs, list(expected), case.rtol, case.atol)
                if wrong is not None:
                    return name, wrong
    except (onnxc.Error, RuntimeError) as error:
        return name, str(error)
    return name, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choice.add_arguments(parser)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--level", required=True, choices=[name for name, level in levels.LEVELS.items() if level.emulator])
    parser.add_argument("--mode", default="static", choices=["static", "dynamic", "constant"])
    parser.add_argument("-O", dest="opt_level", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.build.resolve() / "python"))
    if not levels.LEVELS[arguments.level].runs_here():
        sys.exit(f"run_emulated.py: {arguments.level}: QEMU or Wine, the C compiler or the C library is missing")
    memory_limit.limit_memory(MEMORY)
    names = choice.choose((name for name, case in known_cases().items() if case.kind == "node"), arguments)
    denied = choice.read_denied(arguments.mode)
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
