# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases for run_extremes.py: lines of models.py on the standard input, a
line of JSON for each on the file descriptor given: [what became of it, what is
wrong or null].

usage: worker.py SECONDS DESCRIPTOR
"""

import json
import os
import pathlib
import re
import sys
import threading

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx-node"))
import cases
import memory_limit
import models
import onnxc

MEMORY = 4 << 30
LEVELS = (0, 2)
# Where the model is wrong; a limit of the compiler's names its option.
PLACE = re.compile(r"nested more than|node '|\([A-Z]\w*\):|input '|output '|attribute '|initializer '|--max-|function '")
NO_ROOM = re.compile("out of memory")
# What only developers of the compiler understand.
INTERNAL = re.compile(r"failed to legalize|LLVM ERROR|Assertion|has no code|internal error|'(llvm|scf|arith|memref|linalg|cf)\.\w+' op|"
                      r"cannot allocate memory for the compile|std::")


def use(model, inputs, line, seconds):
    """What becomes of a model at each level: its results, or the error's text."""
    became = {}
    for level in LEVELS:
        before = os.times()
        try:
            session = onnxc.InferenceSession(model, threads=1, opt_level=level)
        except onnxc.Error as error:
            # A library is loaded, and its context made, at once.
            became[level] = ("failed" if NO_ROOM.search(str(error)) else "refused", str(error))
            continue
        finally:
            spent = os.times().user - before.user + os.times().system - before.system
            if spent > seconds:
                return became, f"-O{level} took {spent:.0f} s of processor time, at most {seconds} are allowed"
        if line.split()[1] in models.SLOW_TO_RUN and line.startswith("number"):
            became[level] = ("compiled", None)
            continue
        names = [arg.name for arg in session.get_inputs()]
        try:
            became[level] = ("ran", session.run(None, dict(zip(names, inputs, strict=True))))
        except (onnxc.Error, MemoryError) as error:
            became[level] = ("failed", str(error))
    return became, None


def judge(became):
    for level, (what, result) in became.items():
        if what == "refused" and (not PLACE.search(result) or INTERNAL.search(result)):
            return f"-O{level}: the error names no place in the model: {result[:300]}"
    low, high = became[LEVELS[0]], became[LEVELS[1]]
    if low[0] != "refused" and high[0] == "refused":
        return f"-O{LEVELS[1]} refuses what -O{LEVELS[0]} compiles: {high[1][:300]}"
    if low[0] == "ran" and high[0] == "ran":
        wrong = cases.compare(high[1], low[1], 1e-3, 1e-5)
        return wrong and f"-O{LEVELS[1]} differs from -O{LEVELS[0]}: {wrong}"
    if {low[0], high[0]} == {"ran", "failed"}:
        return f"one level runs, the other says: {low[1] if low[0] == 'failed' else high[1]}"
    return None


def main():
    seconds, answers = int(sys.argv[1]), os.fdopen(int(sys.argv[2]), "w")
    memory_limit.limit_memory(MEMORY)
    sys.setrecursionlimit(100_000)
    for line in sys.stdin:
        try:
            model, inputs = models.make(line.strip())
            model = model if isinstance(model, bytes) else model.SerializeToString()
        except Exception as error:  # protobuf itself has limits
            answers.write(json.dumps(["impossible", None]) + "\n")
            answers.flush()
            continue
        with np.errstate(all="ignore"):
            became, wrong = use(model, inputs, line.strip(), seconds)
            wrong = wrong or judge(became)
        answers.write(json.dumps(["/".join(what for what, _ in became.values()), wrong]) + "\n")
        answers.flush()


if __name__ == "__main__":
    # Deep models are built by recursion in Python and protobuf.
    threading.stack_size(64 << 20)
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()
