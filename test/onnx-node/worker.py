# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases for run_node_tests.py: "MODE NAME" lines on the standard input, a
line of JSON for each on the file descriptor given: null, or what went wrong.

usage: worker.py SUITE LEVEL DESCRIPTOR
"""

import json
import os
import sys

import cases
import memory_limit
import onnxc

MEMORY = 8 << 30  # bytes; a size that is wrong should not take the machine along


def run(case, mode, level):
    session = compiled = None
    for model, inputs, expected in cases.in_mode(case, mode):
        if compiled != model:
            session, compiled = onnxc.InferenceSession(model, threads=1, opt_level=level, in_process=True), model
        names = [arg.name for arg in session.get_inputs()]
        outputs = session.run(None, dict(zip(names, inputs, strict=True)))
        wrong = cases.compare(outputs, list(expected), case.rtol, case.atol)
        if wrong:
            return wrong
    return None


def main():
    level, answers = int(sys.argv[2]), os.fdopen(int(sys.argv[3]), "w")
    memory_limit.limit_memory(MEMORY)
    known = cases.load_cases(sys.argv[1])
    for line in sys.stdin:
        mode, _, name = line.strip().partition(" ")
        try:
            wrong = run(known[name], mode, level)
        except Exception as error:  # the answer is what any of them says
            wrong = str(error) if isinstance(error, onnxc.Error) else f"{type(error).__name__}: {error}"
        answers.write(json.dumps(wrong) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
