#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles small graphs over the whole parameter space of the kernel ops for each
processor level, and compares with -O0 at those levels that this machine runs.

usage: run_kernels.py --build build/dev [--batches 1] [--family conv ...] [--level v3 ...] [--seed N]

cases.py has the families, test/support/levels.py the levels. A batch is one model with --cases
cases of one family, compiled for all levels that have as many lanes; --batches is the
number for each family and number of lanes.
Every finding prints the command that does its case again; with --save FILE it also
writes the model and its inputs. Exit status 1 if there are findings.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import cases
import levels
import supervised

TIMEOUT = 300  # seconds, for one batch


class Findings:
    """What to ask, and what came of it."""

    def __init__(self, options):
        self.options = options
        self.again = collections.deque()
        self.todo = collections.deque(
            self.request(family, together, seed, options.only) for seed in range(options.seed, options.seed + options.batches)
            for family in options.family or cases.FAMILIES for together in self.levels_of(family))
        self.cases = collections.Counter()
        self.found = collections.defaultdict(list)

    def levels_of(self, family):
        """Lists of levels that have as many lanes: -O0 runs once for them."""
        together = collections.defaultdict(list)
        for name in self.options.level or levels.LEVELS:
            level = levels.LEVELS[name]
            if self.options.level or (not level.on_demand and (family in cases.OF_BYTES or not level.bytes_only)):
                together[level.lanes].append(name)
        return together.values()

    def request(self, family, names, seed, only=None):
        return json.dumps({"family": family, "seed": seed, "count": self.options.cases, "only": only, "levels": names,
                           "save": self.options.save})

    def __iter__(self):
        return self

    def __next__(self):
        if self.again:
            return self.again.popleft()
        if not self.todo:
            raise StopIteration
        return self.todo.popleft()

    def receive(self, line, answer, failure):
        request = json.loads(line)
        names, one = request["levels"], request["only"]
        if one is None or self.options.only is not None:
            for level in names:
                self.cases[request["family"], level] += request["count"] if one is None else 1
        if failure:
            self.record(request, {"kind": "crash", "level": names[0], "number": one, "case": "", "text": f"at {', '.join(names)}: {failure}"})
            if len(names) > 1:  # at which of them?
                self.again.extend(self.request(request["family"], [level], request["seed"], one) for level in names)
            elif one is None:
                self.again.extend(self.request(request["family"], names, request["seed"], number) for number in range(request["count"]))
            return True
        for finding in answer:
            self.record(request, finding)
            if finding["number"] is None:  # which of the cases? Perhaps none alone.
                self.again.extend(self.request(request["family"], [finding["level"]], request["seed"], number)
                                  for number in range(request["count"]))
        return True

    def record(self, request, finding):
        level = finding["level"]
        found = self.found[request["family"], level]
        found.append(finding)
        if len(found) <= self.options.most:
            command = (f"{sys.argv[0]} --build {self.options.build} --family {request['family']} --level {level} --seed {request['seed']} "
                       f"--cases {request['count']}" + (f" --only {finding['number']}" if finding["number"] is not None else ""))
            print(f"{finding['kind'].upper()} at {level}: {finding['case'] or request['family']}: {finding['text'].strip()}\n    {command}", flush=True)

    def junit(self, path):
        suite = xml.Element("testsuite", name="kernels")
        for (family, level) in sorted(self.cases):
            test = xml.SubElement(suite, "testcase", classname=f"kernels.{level}", name=family)
            if found := self.found.get((family, level)):
                xml.SubElement(test, "failure").text = "\n".join(f"{f['case']}: {f['text']}" for f in found)
        xml.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--batches", type=int, default=1, help="of each family and level")
    parser.add_argument("--cases", type=int, default=16, help="in a batch")
    parser.add_argument("--seed", type=int, default=1, help="of the first batch")
    parser.add_argument("--only", type=int, help="this case of each batch")
    parser.add_argument("--family", action="append", choices=cases.FAMILIES)
    parser.add_argument("--level", action="append", choices=levels.LEVELS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=3, help="findings printed per family and level")
    parser.add_argument("--save", metavar="FILE.onnx", help="write the model, and its inputs beside it")
    parser.add_argument("--junit")
    options = parser.parse_args()
    package = pathlib.Path(options.build).resolve() / "python"
    findings = Findings(options)
    supervised.ask_all(findings, lambda: supervised.Worker(HERE / "worker.py", [], package, TIMEOUT), options.jobs, findings.receive)
    ran = sum(count for (_, level), count in findings.cases.items() if levels.LEVELS[level].runs_here())
    total, wrong = sum(findings.cases.values()), sum(map(len, findings.found.values()))
    print(f"{total} cases compiled, {ran} of them run and compared, {wrong} findings")
    for (family, level), found in sorted(findings.found.items()):
        print(f"{family} at {level}: {len(found)}")
    if options.junit:
        findings.junit(options.junit)
    return 1 if wrong or (not total and options.only is None) else 0


if __name__ == "__main__":
    sys.exit(main())
