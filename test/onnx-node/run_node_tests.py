#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that come with the onnx package, through the Python package
onnxc, in three modes: "static" as they are; "dynamic" with all sizes unknown;
"constant" with the inputs as initializers.

usage: run_node_tests.py --build build/dev [FILTER] [--suite old] [--mode static] [-O 1]

The suite is "current", the installed package's, or "old": the cases of earlier
releases that have an operator in an older form, with the results of that form.

FILTER is a regular expression over names. denylist.txt names what is known to
fail; anything else that fails is an error, and so is what is named there and
passes. Results are kept by the content of the compiler: what ran already does
not run again. After a change for the better, --update rewrites denylist.txt and
results.csv (of which docs/operators.md is made).
"""

import argparse
import collections
import csv
import datetime
import fnmatch
import hashlib
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import cases
import supervised

DENYLISTS = {"current": HERE / "denylist.txt", "old": HERE / "denylist-old.txt"}
RESULTS = HERE / "results.csv"
TIMEOUT = 300  # seconds, for one case in one mode; whole networks take a while, more so on a busy machine
LEVEL = 2  # onnxc's own default; what fails is listed, and results.csv made, for this one
KEPT = 40  # files of results in the cache


def describe_machine(package):
    """What results depend on besides the files of the package: the libraries of LLVM,
    MLIR and the compiler that it is linked with, and what the processor can do."""
    facts = []
    for library in sorted((package / "onnxc").glob("*.so")):
        listed = subprocess.run(["ldd", library], stdout=subprocess.PIPE, text=True, check=True).stdout
        for path in sorted(set(re.findall(r"=> (\S*/lib(?:LLVM|MLIR|clang|lld|onnxc)\S*)", listed))):
            status = os.stat(path)
            facts.append(f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}")
    facts.append(platform.machine())
    if "ONNXC_TEST_CPU" in os.environ:  # utils/as-cpu.sh
        facts.append(os.environ["ONNXC_TEST_CPU"])
    try:
        known = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        known = ""
    facts += sorted(set(re.findall(r"^(?:model name|flags|Features|CPU part)\s*:.*", known, re.MULTILINE)))
    return "\n".join(facts)


class Cache:
    """What ran with this very compiler, on a machine like this one."""

    def __init__(self, package, level, suite):
        facts = f"{level} {suite} {np.__version__} {ml_dtypes.__version__} {describe_machine(package)}"
        digest = hashlib.sha256(facts.encode())
        for path in sorted([*(package / "onnxc").glob("*.so"), *(package / "onnxc").glob("*.py"),
                            HERE / "cases.py", HERE / "corrections.py", HERE / "worker.py",
                            HERE.parent / "support" / "open_sizes.py", *([cases.OLD_CASES] if suite == "old" else [])]):
            digest.update(path.read_bytes())
        self.path = cases.cache_folder() / f"{digest.hexdigest()[:24]}.json"
        try:
            self.results = json.loads(self.path.read_text())
        except FileNotFoundError:
            self.results = {}

    def save(self):
        temporary = self.path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(self.results))
        temporary.rename(self.path)
        files = sorted(self.path.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[:-KEPT]:
            path.unlink(missing_ok=True)


def run_all(known, work, package, suite, level, jobs, cache):
    """Runs the (mode, name) pairs that the cache lacks; returns how many."""
    # Long ones first, so that no core is left without work at the end.
    missing = [" ".join(pair) for pair in sorted(work, key=lambda pair: known[pair[1]].kind != "light")
               if " ".join(pair) not in cache.results]
    last_save = time.monotonic()

    def receive(line, answer, failure):
        nonlocal last_save
        cache.results[line] = failure or answer
        if time.monotonic() - last_save > 10:
            cache.save()
            last_save = time.monotonic()

    supervised.ask_all(missing, lambda: supervised.Worker(HERE / "worker.py", [suite, level], package, TIMEOUT),
                       min(jobs, len(missing)), receive)
    if missing:
        cache.save()
    return len(missing)


class DenyList:
    """Lines `MODE GLOB REASON`; MODE is one or several, with commas, and with "-O2"
    behind it that level's alone. A reason that begins with "random:" is of tests
    that pass by chance, which does not count."""

    def __init__(self, path, level):
        self.comments, self.rules, self.level = [], [], level
        for line in path.read_text().splitlines() if path.exists() else []:
            if not line.strip() or line.startswith("#"):
                self.comments.append(line)
                continue
            modes, glob, reason = line.split(maxsplit=2)
            self.rules.append((modes.split(","), glob, reason))

    def _matches(self, modes, glob, mode, name):
        return (mode in modes or f"{mode}-O{self.level}" in modes) and fnmatch.fnmatchcase(name, glob)

    def reason(self, mode, name):
        for modes, glob, reason in self.rules:
            if self._matches(modes, glob, mode, name):
                return reason
        return None

    def idle(self, modes, pairs):
        """The lines for one of these modes that no test has to do with."""
        names = [*modes, *(f"{mode}-O{self.level}" for mode in modes)]
        return [glob for listed, glob, _ in self.rules
                if set(listed) & set(names) and not any(self._matches(listed, glob, *pair) for pair in pairs)]

    def without_luck(self, results):
        """The results, in which no test passes by chance."""
        return {pair: reason if (reason := self.reason(*pair) or "").startswith("random:") else wrong
                for pair, wrong in results.items()}

    def updated(self, results):
        """The text of a list that fits the results: the lines that hold, and one for
        each test that fails besides."""
        lines, covered = [], set()
        for modes, glob, reason in self.rules:
            matched = {pair for pair in results if self._matches(modes, glob, *pair)}
            if matched and all(results[pair] is not None for pair in matched):
                lines.append(f"{','.join(modes)} {glob} {reason}")
                covered |= matched
        more = collections.defaultdict(list)
        for (mode, name), wrong in results.items():
            if wrong is not None and (mode, name) not in covered:
                more[name, self.reason(mode, name) or shorten(wrong)].append(mode)
        lines += [f"{','.join(modes)} {name} {reason}" for (name, reason), modes in sorted(more.items())]
        return "\n".join([*self.comments, *lines]) + "\n"


def shorten(wrong):
    """An error as the list has it: one line, without what changes from run to run."""
    lines = [line.strip() for line in wrong.strip().splitlines()]
    # Of unsupported operators the first note says more than the headline.
    text = lines[1] if len(lines) > 1 and "not supported by this version" in lines[0] else lines[0]
    return re.sub(r"\s+", " ", text.replace("model.onnx: ", ""))[:160]


def per_operator(known, results, deny):
    """Rows of (operator, passed of total for each mode, why some fail)."""
    counts = collections.defaultdict(lambda: [[0, 0] for _ in cases.MODES])
    reasons = collections.defaultdict(set)
    for (mode, name), wrong in results.items():
        for op in known[name].ops:
            cell = counts[op][cases.MODES.index(mode)]
            cell[0] += wrong is None
            cell[1] += 1
            if wrong is not None:
                reasons[op].add(deny.reason(mode, name) or shorten(wrong))
    return [(op, *(f"{passed}/{total}" for passed, total in counts[op]), "; ".join(sorted(reasons[op])))
            for op in sorted(counts)]


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("operator", *cases.MODES, "failing"), *rows])


def read_csv(path):
    with open(path, newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def find_stale(stored, rows, complete):
    """Operators whose rows of results.csv are not these. If only part of the tests
    ran, a number of passed tests counts where all of the operator's tests did."""
    if complete:
        return sorted({row[0] for row in set(stored) ^ set(rows)})
    before = {row[0]: row for row in stored}

    def is_stale(row):
        if row[0] not in before:
            return True
        for now, then in zip(row[1:1 + len(cases.MODES)], before[row[0]][1:], strict=False):
            (passed, total), (stored_passed, stored_total) = (map(int, cell.split("/")) for cell in (now, then))
            if total > stored_total or (total == stored_total and passed != stored_passed):
                return True
        return False

    return [row[0] for row in rows if is_stale(row)]


def report(known, results, deny, junit):
    """Prints what is unexpected; returns how much that is."""
    suite = xml.Element("testsuite", name="onnx-node")
    counts = collections.Counter()
    totals = collections.defaultdict(collections.Counter)
    for (mode, name), wrong in results.items():
        test = xml.SubElement(suite, "testcase", classname=f"onnx-node.{mode}", name=name)
        reason = deny.reason(mode, name)
        totals[mode, known[name].kind]["passed" if wrong is None else "failed"] += 1
        if wrong is None and reason is None:
            counts["passed"] += 1
        elif wrong is not None and reason is not None:
            counts["skipped"] += 1
            xml.SubElement(test, "skipped").text = reason
        else:
            counts["failed"] += 1
            text = wrong or f"passes, but the denylist says that it fails: {reason}"
            xml.SubElement(test, "failure").text = re.sub(r"[^\x20-\x7e\n\xa0-\ud7ff]", "?", text)
            print(f"FAILED {mode} {name}: {text}")
    for (mode, kind), count in sorted(totals.items()):
        print(f"{mode:9} {kind:18} {count['passed']:5} of {count.total():5} pass")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} known to fail")
    if junit:
        xml.ElementTree(suite).write(junit)
    return counts["failed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--suite", choices=DENYLISTS, default="current")
    parser.add_argument("--mode", choices=cases.MODES, help="only this one")
    parser.add_argument("--bodies-once", action="store_true",
                        help="the bodies of functions (..._expanded) only as they are: of operators that other tests have in all modes")
    parser.add_argument("--share", type=int, default=100, metavar="PERCENT", help="so many of the tests alone, others every day")
    parser.add_argument("-O", dest="level", type=int, default=LEVEL)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--junit")
    parser.add_argument("--denylist", type=pathlib.Path, help="default: that of the suite")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS, help="compared with, as far as the tests run")
    parser.add_argument("--list", action="store_true", help="print what fails and why, whatever denylist.txt says")
    parser.add_argument("--update", action="store_true", help="rewrite denylist.txt and results.csv")
    options = parser.parse_args()

    denylist = options.denylist or DENYLISTS[options.suite]
    package = pathlib.Path(options.build).resolve() / "python"
    known = cases.load_cases(options.suite)
    modes = [options.mode] if options.mode else cases.MODES
    pairs = [(mode, name) for name, case in known.items() if re.search(options.filter, name)
             for mode in modes if cases.in_mode(case, mode)]
    work = [(mode, name) for mode, name in pairs
            if not (options.bodies_once and mode != "static" and "_expanded" in name)]
    if not work:
        sys.exit(f"no test has a name that matches {options.filter!r}")
    if options.share < 100:
        day = int(datetime.date.today().strftime("%Y%m%d"))
        work = random.Random(day).sample(work, max(1, len(work) * options.share // 100))
    is_listed = options.level == LEVEL and options.suite == "current"
    # The bodies of functions are of no operator's row.
    every = is_listed and options.share == 100 and not (options.filter or options.mode)
    complete = every and not options.bodies_once
    if options.update and not complete:
        sys.exit("--update needs all tests and modes of the current suite, at -O2")
    cache = Cache(package, options.level, options.suite)
    start = time.monotonic()
    fresh = run_all(known, work, package, options.suite, options.level, options.jobs, cache)
    print(f"onnx-node, {options.suite} -O{options.level}: {len(work)} runs, {fresh} of them now, in {time.monotonic() - start:.0f} s")
    deny = DenyList(denylist, options.level)
    results = deny.without_luck({pair: cache.results[" ".join(pair)] for pair in work})

    if options.list:
        for (mode, name), wrong in results.items():
            if wrong is not None:
                print(f"{mode} {name}: {shorten(wrong)}")
    if options.update:
        denylist.write_text(deny.updated(results))
        deny = DenyList(denylist, options.level)
        write_csv(options.results, per_operator(known, results, deny))
    failed = report(known, results, deny, options.junit)
    if is_listed:
        stale = find_stale(read_csv(options.results), per_operator(known, results, deny), every)
        if stale:
            print(f"results.csv is out of date for {', '.join(stale)}; run: utils/python test/onnx-node/run_node_tests.py --update ...")
            failed += 1
    if not options.filter:
        for rule in deny.idle(modes, pairs):
            print(f"{denylist.name} names {rule}, and there is no such test")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
