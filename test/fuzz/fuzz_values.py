#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what compiled models compute with ONNX Runtime and ONNX's reference
evaluator, on random small models: one operator, sometimes with a neighbour;
random attributes, element types and shapes; sizes known or not; inputs that are
constants or not. generators.py says what is valid.

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

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import generators
import more_generators  # noqa: F401, fills generators.GENERATORS
import supervised

KNOWN = HERE / "known.txt"
TIMEOUT = 60  # seconds, for one case


def read_known():
    """Reasons by operator."""
    lines = KNOWN.read_text().splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))


class Findings:
    def __init__(self, options, known):
        self.options, self.known = options, known
        self.counts = collections.Counter()
        self.by_op = collections.defaultdict(list)
        self.end = time.monotonic() + 60 * options.minutes

    def receive(self, line, answer, failure):
        if failure:
            op = generators.choose(np.random.default_rng(int(line)), self.options.op)
            answer = {"op": op, "kind": "crash", "text": failure}
        self.counts[answer["kind"]] += 1
        if answer["kind"] in ("wrong", "refused", "crash"):
            self.by_op[answer["op"]].append(line)
            if len(self.by_op[answer["op"]]) <= self.options.most:
                known = " (known)" if answer["op"] in self.known else ""
                print(f"{answer['kind'].upper()}{known} {answer['op']}: {answer['text']}\n"
                      f"    {self.command(line)}", flush=True)
        return time.monotonic() < self.end

    def command(self, line):
        ops = "".join(f" --op {op}" for op in self.options.op)
        return f"{sys.argv[0]} --build {self.options.build}{ops} -O {self.options.level} --count 1 --seed {line}"

    def summary(self):
        unknown = {op: lines for op, lines in self.by_op.items() if op not in self.known}
        print("; ".join(f"{kind}: {count}" for kind, count in sorted(self.counts.items())))
        for op, lines in sorted(self.by_op.items()):
            print(f"{op}: {len(lines)} findings" + (f", known: {self.known[op]}" if op in self.known else ""))
        return unknown

    def junit(self, path, unknown):
        suite = xml.Element("testsuite", name="fuzz")
        test = xml.SubElement(suite, "testcase", classname="fuzz", name="values")
        if unknown:
            xml.SubElement(test, "failure").text = ", ".join(sorted(unknown))
        xml.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--count", type=int, help="so many cases, however long they take")
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--op", action="append", default=[], help="only this operator; may be repeated")
    parser.add_argument("-O", dest="level", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=3, help="findings printed per operator")
    parser.add_argument("--save", metavar="DIR", help="write model.onnx, in.npz and out.npz of the first case there")
    parser.add_argument("--junit")
    options = parser.parse_args()
    package = pathlib.Path(options.build).resolve() / "python"
    if options.save:
        sys.path.insert(0, str(package))
        import random_model
        print(random_model.save(random_model.make(options.seed, options.op), options.save))
        return 0

    if options.count:
        options.minutes = float("inf")
    lines = range(options.seed, options.seed + options.count) if options.count else iter(
        range(options.seed, sys.maxsize))
    findings = Findings(options, read_known())
    supervised.ask_all(map(str, lines), lambda: supervised.Worker(
        HERE / "random_model.py", [json.dumps(options.op), options.level], package, TIMEOUT),
        options.jobs, findings.receive)
    unknown = findings.summary()
    if options.junit:
        findings.junit(options.junit, unknown)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
