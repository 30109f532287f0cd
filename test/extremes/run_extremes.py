#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models with extreme numbers and counts, at -O0 and -O2: each is
compiled or refused with an error that names the place, within time and memory.
What compiles runs, and both levels agree.

usage: run_extremes.py --build build/dev [FILTER] [--every N] [--list]

FILTER is a regular expression over the lines of models.py. --every takes one of
N, spread over all. known.txt names cases that fail, with the reason.
"""

import argparse
import collections
import pathlib
import re
import os
import sys
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import models  # noqa: E402
import supervised  # noqa: E402

SECONDS = 30  # of processor time, for one compile
TIMEOUT = 300  # on a busy machine


def read_known():
    path = HERE / "known.txt"
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")] if path.exists() else []
    return [tuple(part.strip() for part in line.split(":", 1)) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="print what became of each")
    parser.add_argument("--junit")
    options = parser.parse_args()
    lines = [line for line in models.list_cases() if re.search(options.filter, line)][::options.every]
    if not lines:
        sys.exit(f"no case matches {options.filter!r}")
    known = read_known()
    suite = xml.Element("testsuite", name="extremes")
    counts, start = collections.Counter(), time.monotonic()

    def receive(line, answer, failure):
        became, wrong = answer or ("", failure)
        reason = next((reason for pattern, reason in known if re.fullmatch(pattern, line)), None)
        test = xml.SubElement(suite, "testcase", classname="extremes", name=line)
        counts["passed" if not wrong else "known to fail" if reason else "failed"] += 1
        counts["of them " + became] += not wrong
        if wrong and reason:
            xml.SubElement(test, "skipped").text = reason
        elif wrong:
            xml.SubElement(test, "failure").text = re.sub(r"[^\x20-\x7e\n]", "?", wrong)
            print(f"FAILED {line}: {wrong}", flush=True)
        elif options.list:
            print(f"{became:20} {line}", flush=True)

    package = pathlib.Path(options.build).resolve() / "python"
    supervised.ask_all(lines, lambda: supervised.Worker(HERE / "worker.py", [SECONDS], package, TIMEOUT), options.jobs, receive)
    print(f"extremes: {len(lines)} models in {time.monotonic() - start:.0f} s: "
          + ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if count))
    if options.junit:
        xml.ElementTree(suite).write(options.junit)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
