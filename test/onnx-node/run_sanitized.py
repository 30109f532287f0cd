#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a sample of the node tests with every access of the generated code checked
by AddressSanitizer (`onnxc --sanitize=address`).

usage: run_sanitized.py --build build/dev [FILTER] [--count 250] [--seed 20261122]

The sample is another one every day: its seed is the date unless --seed says so, and
is printed, so that a finding can be repeated. Static and dynamic forms and the
levels -O0, -O1 and -O2 take turns. Every intermediate result is an allocation of its
own; inputs and outputs are numpy's and the context's. Results are compared as
run_node_tests.py does. FILTER is a regular expression over names of cases.

Needs clang's runtime of the sanitizer (Debian: libclang-rt-22-dev).
"""

import argparse
import datetime
import fnmatch
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

TIMEOUT = 300
LEVELS = (2, 0, 2, 1)  # by turns
CLANG = "clang-22"
# What a whole model of a network adds is time, not kinds of access.
KINDS = ("light",)


def serve(descriptor):
    """The worker: "LEVEL MODE NAME" lines in, a line of JSON out for each."""
    import cases
    import onnxc
    known, answers = cases.load_cases("current"), os.fdopen(descriptor, "w")
    for line in sys.stdin:
        level, mode, name = line.split()
        wrong = None
        try:
            for model, inputs, expected in cases.in_mode(known[name], mode):
                session = onnxc.InferenceSession(model, threads=1, opt_level=int(level), sanitize="address")
                names = [arg.name for arg in session.get_inputs()]
                outputs = session.run(None, dict(zip(names, inputs, strict=True)))
                wrong = wrong or cases.compare(outputs, list(expected), known[name].rtol, known[name].atol)
        except Exception as error:  # the answer is what any of them says
            wrong = f"{type(error).__name__}: {error}"
        answers.write(json.dumps(wrong) + "\n")
        answers.flush()


def find_runtime():
    """The sanitizer's runtime as a shared object."""
    machine = os.uname().machine
    path = subprocess.run([CLANG, f"-print-file-name=libclang_rt.asan-{machine}.so"],
                          capture_output=True, text=True, check=True).stdout.strip()
    if not os.path.exists(path):
        sys.exit(f"run_sanitized.py: '{path}' is missing; install libclang-rt-22-dev")
    return path


def first_report(folder):
    """The first lines of what the sanitizer wrote, and takes it away."""
    text = ""
    for path in sorted(folder.glob("report.*")):
        text = text or path.read_text(errors="replace")
        path.unlink()
    return "\n".join(text.splitlines()[:12])


def main():
    import cases
    import supervised
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--count", type=int, default=250, help="how many cases; 0 for all")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--junit")
    options = parser.parse_args()

    known = cases.load_cases("current")
    pairs = [(mode, name) for name, case in sorted(known.items()) if re.search(options.filter, name)
             and not any(kind in name for kind in KINDS) for mode in ("static", "dynamic") if cases.in_mode(case, mode)]
    random.Random(options.seed).shuffle(pairs)
    pairs = pairs[:options.count or None]
    if not pairs:
        sys.exit(f"no test has a name that matches {options.filter!r}")
    lines = [f"{LEVELS[i % len(LEVELS)]} {mode} {name}" for i, (mode, name) in enumerate(pairs)]
    denied = {line.split()[1] for line in (HERE / "denylist.txt").read_text().splitlines()
              if line.strip() and not line.startswith("#")}

    suite, failed, skipped = xml.Element("testsuite", name="onnx-node-sanitized"), 0, 0
    with tempfile.TemporaryDirectory(prefix="onnxc-asan-") as folder:
        folder = pathlib.Path(folder)
        os.environ["LD_PRELOAD"] = find_runtime()
        # numpy and the interpreter keep memory until the end.
        os.environ["ASAN_OPTIONS"] = f"detect_leaks=0:allocator_may_return_null=1:log_path={folder}/report"
        package = pathlib.Path(options.build).resolve() / "python"

        def receive(line, answer, failure):
            nonlocal failed, skipped
            level, mode, name = line.split()
            test = xml.SubElement(suite, "testcase", classname=f"onnx-node.asan.O{level}.{mode}", name=name)
            report = first_report(folder)
            wrong = (f"{failure}\n{report}" if failure else answer)
            if wrong and not report and any(fnmatch.fnmatchcase(name, glob) for glob in denied):
                skipped += 1
                xml.SubElement(test, "skipped").text = wrong[:200]
            elif wrong:
                failed += 1
                xml.SubElement(test, "failure").text = re.sub(r"[^\x20-\x7e\n]", "?", wrong)
                print(f"FAILED -O{level} {mode} {name}: {wrong}", flush=True)

        # Reports belong to a case only if one worker at a time can leave one.
        supervised.ask_all(lines, lambda: supervised.Worker(HERE / "run_sanitized.py", ["--worker"], package, TIMEOUT),
                           1 if options.jobs < 2 else min(options.jobs, len(lines)), receive)
    print(f"onnx-node under AddressSanitizer, seed {options.seed}: "
          f"{len(lines) - failed - skipped} passed, {failed} failed, {skipped} known to fail")
    if options.junit:
        xml.ElementTree(suite).write(options.junit)
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        serve(int(sys.argv[2]))
    else:
        sys.exit(main())
