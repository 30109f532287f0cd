#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles bad models, and says which did not get the answer that they should.

usage: run_bad.py --build build/dev [FILTER] [-O 0] [--list]

FILTER is a regular expression over "topic/name". A case is right if the compile
fails with the expected message, in time, in little memory, and leaves no file;
one that expects a failing run compiles first.
"""

import argparse
import importlib
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import attempts
import memory_limit

SECONDS = 1.0
MEGABYTES = 1024


def all_cases(pattern):
    for path in sorted((HERE / "topics").glob("*.py")):
        for case in importlib.import_module(f"topics.{path.stem}").cases():
            name = f"{path.stem}/{case.name}"
            if re.search(pattern, name):
                yield name, case


def judge(case, outcome, left):
    """What is wrong with the outcome; None if nothing is."""
    text = outcome.text[-2000:]
    if outcome.kind not in ("ok", "error"):
        return f"{outcome.kind}: {text}"
    if case.expect is None:
        return None if outcome.kind == "ok" else f"refused, which it must not be: {text}"
    if outcome.kind == "ok":
        return "accepted"
    missing = [part for part in case.expect if part not in outcome.text]
    if missing:
        return f"the message lacks {missing}: {text}"
    if attempts.INTERNAL.search(outcome.text):
        return f"the message is of the compiler, not of the model: {text}"
    if attempts.MLIR.search(outcome.text):
        return f"the message is in MLIR's words: {text}"
    if left:
        return f"left behind: {left}"
    if outcome.seconds > SECONDS * arguments.slack:
        return f"took {outcome.seconds:.1f} s"
    if outcome.megabytes > MEGABYTES and not memory_limit.SANITIZED:
        return f"took {outcome.megabytes:.0f} MB"
    return None


def run(onnxc, case, level, suffix):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = case.make(folder)
        output = folder / "out"
        output.mkdir()
        target = output / f"model{suffix}"

        def compile_it():
            return onnxc.compile(str(path), output=str(target), opt_level=level, **case.options)

        outcome = attempts.attempt(compile_it, output)
        if case.feeds is not None:
            if outcome.kind != "ok":
                return f"does not compile: {outcome.kind}: {outcome.text}", outcome
            outcome = attempts.attempt(lambda: str(onnxc.InferenceSession(str(target)).run(None, case.feeds)), output)
        problem = judge(case, outcome, outcome.left)
        for inner in folder.rglob("*"):
            if not inner.is_symlink():
                inner.chmod(0o700)
        return problem, outcome


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True)
    parser.add_argument("-O", dest="level", type=int, default=2)
    parser.add_argument("--suffix", default=".so", help="what is written: .so, .mlir, .onnx ...")
    parser.add_argument("--slack", type=float, default=1.0, help="how many times slower than usual the machine may be")
    parser.add_argument("--verbose", action="store_true", help="print all messages")
    arguments = parser.parse_args()
    compiler = attempts.load_onnxc(arguments.build)
    wrong = count = 0
    for label, one in all_cases(arguments.filter):
        count += 1
        trouble, result = run(compiler, one, arguments.level, arguments.suffix)
        if trouble:
            wrong += 1
            print(f"{label}\n    {trouble}", flush=True)
        elif arguments.verbose:
            print(f"{label}\n    ok: {result.text[:600]} [{result.seconds:.2f} s, {result.megabytes:.0f} MB]", flush=True)
    if not count:
        sys.exit(f"no case has a name that matches {arguments.filter!r}")
    print(f"{count} cases, {wrong} wrong")
    sys.exit(wrong > 0)
