#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what compiled models compute with ONNX Runtime and ONNX's reference
evaluator, on random small models: one operator, sometimes with a neighbour;
random attributes, element types and shapes; sizes known or not; inputs that are
constants or not. uses/ says what is valid.

usage: fuzz_values.py --build build/dev [--minutes 3] [--op Conv ...] [--seed N]

A case is a number: `--seed N --count 1` does it again, and `--save DIR` writes
its model and values. Each finding prints that command. known.txt names the
operators with known findings, which are not an error. Exit status 1 if there are
findings that it does not name.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import time
import xml.etree.ElementTree as xml

import numpy as np
import onnx.defs

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import supervised
import uses  # noqa: F401, fills source.GENERATORS
from uses import source

KNOWN = HERE / "known.txt"
TIMEOUT = 90  # seconds, for one batch
NOTHING = "no case was compared with an oracle and agreed"


def read_known():
    """Reasons by operator."""
    lines = KNOWN.read_text().splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))


class Findings:
    def __init__(self, options, known):
        self.options, self.known = options, known
        self.counts = collections.Counter()
        self.by_op = collections.defaultdict(list)
        self.again = collections.deque()
        self.seed, self.last = options.seed, options.seed + (sys.maxsize if options.count is None else options.count)
        self.end = time.monotonic() + 60 * options.minutes

    def receive(self, line, answers, failure):
        first, count = map(int, line.split())
        if failure and count > 1:  # which of them?
            self.again.extend(f"{seed} 1" for seed in range(first, first + count))
        elif failure:
            op = source.choose(np.random.default_rng(first), self.options.op)
            answers = [{"op": op, "kind": "crash", "text": failure}]
        for seed, answer in enumerate(answers or [], first):
            self.record(seed, answer)
        return bool(self.again) or time.monotonic() < self.end

    def record(self, seed, answer):
        op, kind = answer["op"], answer["kind"]
        self.counts[kind] += 1
        if kind in ("wrong", "refused", "crash"):
            self.by_op[op].append(seed)
            if len(self.by_op[op]) <= self.options.most:
                known = " (known)" if op in self.known else ""
                print(f"{kind.upper()}{known} {op}: {answer['text']}\n    {self.command(seed)}", flush=True)

    def command(self, seed):
        ops = "".join(f" --op {op}" for op in self.options.op)
        level = "" if self.options.level < 0 else f" -O {self.options.level}"
        return f"{sys.argv[0]} --build {self.options.build}{ops}{level} --count 1 --seed {seed}"

    def __iter__(self):
        return self

    def __next__(self):
        """What to ask: cases of a batch that ended badly, and batches."""
        if self.again:
            return self.again.popleft()
        if self.seed >= self.last:
            raise StopIteration
        first = self.seed
        self.seed = min(self.last, (first // source.BATCH + 1) * source.BATCH)
        return f"{first} {self.seed - first}"

    def summary(self):
        unknown = {op: lines for op, lines in self.by_op.items() if op not in self.known}
        print("; ".join(f"{kind}: {count}" for kind, count in sorted(self.counts.items())))
        for op, lines in sorted(self.by_op.items()):
            print(f"{op}: {len(lines)} findings" + (f", known: {self.known[op]}" if op in self.known else ""))
        return unknown

    def junit(self, path, unknown):
        suite = xml.Element("testsuite", name="fuzz")
        test = xml.SubElement(suite, "testcase", classname="fuzz", name="values")
        if unknown or not self.counts["agrees"]:
            xml.SubElement(test, "failure").text = ", ".join(sorted(unknown)) or NOTHING
        xml.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--count", type=int, help="so many cases, however long they take")
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--op", action="append", default=[], help="only this operator; may be repeated")
    parser.add_argument("-O", dest="level", type=int, default=-1, help="0 and 2 in turn if not given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=3, help="findings printed per operator")
    parser.add_argument("--save", metavar="DIR", help="write model.onnx, in.npz and out.npz of the first case there")
    parser.add_argument("--junit")
    options = parser.parse_args()
    every = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == "" and not schema.deprecated}
    missing = (every | set(options.op)) - set(source.GENERATORS) - set(uses.EXCEPTIONS)
    if missing:
        parser.error(f"no generator for {', '.join(sorted(missing))}; see uses/")
    package = pathlib.Path(options.build).resolve() / "python"
    if options.save:
        sys.path.insert(0, str(package))
        import random_model
        print(random_model.save(random_model.make(options.seed, options.op), options.save))
        return 0

    if options.count is not None:
        options.minutes = float("inf")
    findings = Findings(options, read_known())
    supervised.ask_all(findings, lambda: supervised.Worker(
        HERE / "random_model.py", [json.dumps(options.op), options.level], package, TIMEOUT),
        options.jobs, findings.receive)
    unknown = findings.summary()
    if options.junit:
        findings.junit(options.junit, unknown)
    if not findings.counts["agrees"]:
        print(NOTHING)
        return 1
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
