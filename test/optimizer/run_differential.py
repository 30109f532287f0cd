#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models with what the optimizer makes of them: whether it is a model,
has the same inputs, outputs and opsets, comes out the same every time, and
computes the same, in ONNX Runtime without its own optimizations and by onnxc
-O0. Bit by bit where the passes say so, within rounding where they do not.

usage: run_differential.py --build build/dev [random|nodes|models ...] [options]

  random   graphs of test/optimizer/motifs.py: rich in what passes look for, and
           in what they must not be misled by; by default the seeds 1 to 300
  nodes    the official node tests
  models   the models of test/models and of the shared directory

  --each       each pass alone (the default)
  --default    the default pipeline
  --upstream   onnx-optimizer's default passes in its form

Prints what is wrong, each with a command that does it again, and how often which
pass found something: a pass that never does is not tested by this. Exit status 1
if anything is wrong.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "onnx-node"), str(HERE.parent / "models")]

import supervised

TIMEOUT = 900  # seconds, for all passes on one model
KINDS = {"random": "random", "nodes": "node", "models": "model"}


def names_of(kind, options):
    if kind == "random":
        return [str(seed) for seed in range(options.seed, options.seed + options.count)]
    if kind == "nodes":
        import cases
        names = [name for name, case in cases.load_cases().items() if case.kind != "light" or options.filter]
    else:
        import run_models
        names = [model.name for model in run_models.load_models([])[0]]
    return [name for name in names if re.search(options.filter, name)]


def choose_passes(options, package):
    sys.path.insert(0, str(package))
    from onnxc import optimizer
    described = optimizer.describe_passes()
    unknown = set(options.passes) - {d["name"] for d in described}
    if unknown:
        sys.exit(f"there is no pass {sorted(unknown)}")
    return [d for d in described if not options.passes or d["name"] in options.passes]


class Findings:
    def __init__(self, options):
        self.options = options
        self.kinds, self.fired, self.graphs = collections.Counter(), collections.Counter(), collections.Counter()
        self.wrong = collections.Counter()
        self.models = self.compared = 0

    def receive(self, line, answer, failure):
        mode, kind, name = line.split(maxsplit=2)
        self.models += 1
        answer = answer or {"findings": [["crash", failure]], "fired": {}, "compared": 0}
        self.fired.update(answer["fired"])
        self.graphs.update(list(answer["fired"]))
        self.compared += answer["compared"]
        for what, text in answer["findings"]:
            self.kinds[what] += 1
            subject = text.split(":")[0]
            self.wrong[subject] += 1
            if self.wrong[subject] <= self.options.most:
                print(f"{what.upper()} {text}\n    {self.command(mode, kind, name, subject)}", flush=True)

    def command(self, mode, kind, name, subject):
        plural = {value: key for key, value in KINDS.items()}[kind]
        where = f"--seed {name} --count 1" if kind == "random" else f"--filter '^{re.escape(name)}$'"
        only = f" --pass {subject}" if mode == "each" and re.fullmatch(r"\w+", subject) else ""
        return f"{sys.argv[0]} --build {self.options.build} {plural} --{mode} {where}{only}"

    def table(self, passes):
        rows = [[d["name"], d["exactness"], d["group"], self.graphs[d["name"]], self.fired[d["name"]], self.wrong[d["name"]]] for d in passes]
        known = {row[0] for row in rows}
        rows += [[name, "", "", self.graphs[name], self.fired[name], self.wrong[name]] for name in self.fired if name not in known]
        return ["pass", "exactness", "group", "models", "changes", "findings"], rows


def save_junit(path, findings):
    suite = xml.Element("testsuite", name="optimizer")
    test = xml.SubElement(suite, "testcase", classname="optimizer", name="differential")
    if findings.kinds or not findings.compared:
        xml.SubElement(test, "failure").text = str(dict(findings.kinds))
    xml.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="random|nodes|models", help="default: random")
    parser.add_argument("--build", required=True, help="the build directory")
    for mode in ("each", "default", "upstream"):
        parser.add_argument(f"--{mode}", dest="modes", action="append_const", const=mode, help="may be combined")
    parser.add_argument("--pass", dest="passes", action="append", default=[], help="only this pass, with --each; may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of the first random graph")
    parser.add_argument("--count", type=int, default=300, help="how many random graphs")
    parser.add_argument("--filter", default="", help="a regular expression over names of nodes and models")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=3, help="findings printed per pass")
    parser.add_argument("--table", metavar="FILE", help="write the table there, as .csv")
    parser.add_argument("--show", action="store_true", help="print the models of the seeds, and run nothing")
    parser.add_argument("--junit")
    options = parser.parse_args()
    if set(options.kinds) - set(KINDS):
        parser.error(f"there are {', '.join(KINDS)}")
    if options.show:
        return show(options)
    package = pathlib.Path(options.build).resolve() / "python"
    passes = choose_passes(options, package)
    findings = Findings(options)
    lines = [f"{mode} {KINDS[kind]} {name}" for mode in options.modes or ["each"]
             for kind in options.kinds or ["random"] for name in names_of(kind, options)]
    supervised.ask_all(lines, lambda: supervised.Worker(HERE / "worker.py", [json.dumps(passes)], package, TIMEOUT),
                       options.jobs, findings.receive)
    header, rows = findings.table(passes)
    print("{:40} {:13} {:10} {:>7} {:>8} {:>8}".format(*header))
    for row in rows:
        print("{:40} {:13} {:10} {:7} {:8} {:8}".format(*row))
    if options.table:
        with open(options.table, "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    if options.junit:
        save_junit(options.junit, findings)
    idle = [row[0] for row in rows if not row[3]]
    print(f"{findings.models} models, {findings.compared} comparisons; findings: {dict(findings.kinds) or 'none'}")
    if "each" in (options.modes or ["each"]) and idle:
        print(f"never found anything: {', '.join(idle)}")
    # Where nothing was compared, nothing is right.
    return 1 if findings.kinds or not findings.compared else 0


def show(options):
    import motifs
    import onnx
    import random_graph
    for seed in range(options.seed, options.seed + options.count):
        made = random_graph.make(seed, motifs.EVERY)
        print(f"seed {seed}: {made.motifs}\n{onnx.printer.to_text(made.proto)}\n{made.feeds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
