#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random whole graphs of the motifs that exporters write, compiled at several
levels, with open and with known sizes, at two sizes of the inputs, and after
onnx-optimize; compared with each other and with ONNX Runtime.

usage: fuzz_graphs.py --build build/dev [--seed 1] [--count 300] [--motif NAME ...]
       fuzz_graphs.py --build build/dev --case FOLDER [--only O2 ...]

A graph depends on its seed and the list of motifs alone. Findings are shrunk, and
saved as model.onnx, in.npz and second.npz in a folder of their own under --save;
the second line judges such a folder again. Exit status 1 if there are findings.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "optimizer"), str(HERE)]

import supervised

TIMEOUT = 120  # seconds, for one graph
# As in graphs/judge.py.
IN_ORACLE, NO_ORACLE = "in ONNX Runtime", "no-oracle"


class Findings:
    def __init__(self, options, lines):
        self.options, self.todo, self.again = options, iter(lines), collections.deque()
        self.notes, self.motifs, self.kinds = collections.Counter(), collections.Counter(), collections.Counter()
        self.bad, self.graphs, self.compared, self.nodes = [], 0, 0, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.again:
            return self.again.popleft()
        return next(self.todo)

    def receive(self, line, answer, failure):
        if failure and failure.endswith(IN_ORACLE) and NO_ORACLE not in line:
            self.notes["ONNX Runtime crashes"] += 1
            self.again.append(f"{line} {NO_ORACLE}")
            return
        line = line.split()[0]
        self.graphs += 1
        answer = answer or {"findings": [["crash", "", failure]], "notes": [], "compared": 0, "motifs": [], "nodes": 0}
        self.compared += answer["compared"]
        self.nodes += answer["nodes"]
        self.motifs.update(set(answer["motifs"]))
        self.notes.update({kind for kind, _ in answer["notes"]})
        if self.options.notes:
            for kind, text in answer["notes"]:
                print(f"note {line}: {kind}: {text[:300]}", flush=True)
        if answer["findings"]:
            self.bad.append((line, answer["findings"]))
            self.kinds.update({kind for kind, *_ in answer["findings"]})
            for kind, where, text in answer["findings"][:4]:
                print(f"{kind.upper()} seed {line} {where}: {text}", flush=True)
            print(f"    {self.command(line)}", flush=True)

    def command(self, line):
        what = f"--seed {line} --count 1" if line.isdecimal() else f"--case {line}"
        motifs = "".join(f" --motif {name}" for name in self.options.motif) + "".join(f" --except {name}" for name in self.options.left_out)
        nodes = "" if self.options.nodes is None else f" --nodes {self.options.nodes}"
        return f"{sys.argv[0]} --build {self.options.build} {what}{motifs}{nodes}"

    def summary(self):
        print(f"{self.graphs} graphs of {self.nodes / max(1, self.graphs):.1f} nodes, {self.compared} comparisons; "
              + "; ".join(f"{kind}: {count}" for kind, count in sorted(self.notes.items())))
        print(f"findings: {dict(self.kinds) or 'none'}")

    def junit(self, path):
        suite = xml.Element("testsuite", name="fuzz")
        test = xml.SubElement(suite, "testcase", classname="fuzz", name="graphs")
        if self.bad:
            xml.SubElement(test, "failure").text = ", ".join(f"seed {line}: {found[0][0]} {found[0][1]}" for line, found in self.bad)
        xml.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--seed", type=int, default=1, help="of the first graph")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--motif", action="append", default=[], help="only this motif; may be repeated")
    parser.add_argument("--except", dest="left_out", action="append", default=[], metavar="FILE",
                        help="without the motifs of graphs/FILE.py; may be repeated")
    parser.add_argument("--nodes", type=int, help="about so many in each graph; otherwise 5 to 40")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--case", metavar="FOLDER", help="judge a saved case")
    parser.add_argument("--only", action="append", default=[], help="only this configuration of the case; may be repeated")
    parser.add_argument("--save", metavar="DIR", help="write the findings there, as they are and shrunk")
    parser.add_argument("--show", action="store_true", help="print the graphs of the seeds, and run nothing")
    parser.add_argument("--notes", action="store_true", help="print what is not a finding, too")
    parser.add_argument("--table", action="store_true", help="print how often each motif was used")
    parser.add_argument("--junit")
    options = parser.parse_args()
    package = pathlib.Path(options.build).resolve() / "python"
    if options.show:
        return show(options, package)

    def make_worker():
        return supervised.Worker(HERE / "graph_worker.py", [json.dumps([options.motif, options.nodes, options.left_out])], package, TIMEOUT)
    if options.case:
        lines = [" ".join([options.case, *options.only])]
    else:
        lines = [str(seed) for seed in range(options.seed, options.seed + options.count)]
    findings = Findings(options, lines)
    supervised.ask_all(findings, make_worker, options.jobs, findings.receive)
    if options.save:
        from graphs import shrink
        for line, found in findings.bad:
            print(shrink.shrink(line, found, make_worker, pathlib.Path(options.save), options), flush=True)
    findings.summary()
    if options.table:
        for name, count in findings.motifs.most_common():
            print(f"{name:28} {count:6}")
    if options.junit:
        findings.junit(options.junit)
    # A run of nothing shows nothing.
    return 1 if findings.bad or not findings.compared else 0


def show(options, package):
    sys.path.insert(0, str(package))
    import onnx
    from graphs import make, registry
    registry.leave_out(options.left_out)
    for seed in range(options.seed, options.seed + options.count):
        case = make.make(seed, options.motif, options.nodes)
        print(f"seed {seed}: {case.motifs}\n{onnx.printer.to_text(case.model)}")
        for feeds in case.sets:
            print({name: f"{value.dtype}{list(value.shape)}" for name, value in feeds.items()})
        if options.save:
            make.save(case, pathlib.Path(options.save) / str(seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
