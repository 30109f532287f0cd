#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings models to another opset and runs them there by others than onnxc: each case
of test/onnx-node/old-opsets.tar.xz is raised to the newest opset, and what that gives is
lowered to its own opset again. Both must pass onnx.checker if the model did, and give
the results that came with the case, by ONNX's reference evaluator or ONNX Runtime. To
be lowered may be refused, with the name of the node.

usage: run_conversions.py --build build/dev [FILTER] [--every N] [--jobs 2] [--list]

  --every N  only each N-th case
  --list     say why cases are refused
"""

import argparse
import collections
import multiprocessing
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "onnx-node"))

import numpy as np
import onnx
import onnx.checker

import cases
import elsewhere

NEWEST = 28


def find_fault(model, case):
    """As elsewhere.find_fault, of the inputs and outputs of the case."""
    inputs, expected = case.data_sets[0]
    constants = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in constants]
    as_expected = lambda got: [np.asarray(g) if isinstance(w, np.ndarray) else g for g, w in zip(got, expected)]
    return elsewhere.find_fault(model, dict(zip(names, inputs)),
                                lambda got: cases.compare(as_expected(got), list(expected), case.rtol, case.atol))


def is_valid(model):
    try:
        onnx.checker.check_model(model, full_check=False)
        return True
    except Exception:
        return False


def judge(case):
    """(name, how raising it went and how lowering did); each None or (kind, text)."""
    import onnxc
    model = onnx.ModelProto.FromString(case.model)
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    was_valid = is_valid(model)
    outcome = []
    at = model
    for target in (NEWEST, opset):
        try:
            at = onnxc.convert_version(at, target)
        except onnxc.Error as error:
            outcome.append(("refused", str(error).strip()))
            break
        if was_valid and not is_valid(at):
            try:
                onnx.checker.check_model(at)
            except Exception as error:
                outcome.append(("invalid", str(error).strip().replace("\n", " ")[:200]))
            continue
        wrong = find_fault(at, case)
        # What no one could run before cannot be expected to run.
        if wrong and find_fault(model, case):
            wrong = None
        outcome.append(wrong and ("wrong", wrong))
    return case.name, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(options.build).resolve() / "python"))
    known = [case for name, case in sorted(cases.load_cases("old").items()) if re.search(options.filter, name)]
    counts = collections.Counter()
    failures = 0
    with multiprocessing.Pool(options.jobs) as pool:
        for name, outcome in pool.imap_unordered(judge, known[::options.every], chunksize=8):
            for way, found in zip(("raised", "lowered"), outcome):
                counts[way, found[0] if found else "right"] += 1
                # A refusal names the node.
                is_failure = found and (found[0] != "refused" or way == "raised" or "node" not in found[1])
                failures += bool(is_failure)
                if is_failure or (found and options.list):
                    print(f"{name} {way}: {found[0]}: {found[1]}")
    for (way, kind), count in sorted(counts.items()):
        print(f"{way:8} {kind:8} {count:5}")
    print(f"{len(known[::options.every])} models, {failures} failures")
    return 1 if failures or not any(kind == "right" for _, kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
