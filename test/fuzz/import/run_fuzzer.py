#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libFuzzer on the importer: bytes and fields of models, from the corpus on.

usage: run_fuzzer.py --build build/dev [--runs 150000] [--seed 1] [--seconds 240] [--keep]

The same runs for the same seed, so that CI finds what a change did and not what
chance did; --runs -1 with other seeds looks for more. What crashes, hangs (5 s) or takes 1 GiB is left in BUILD/test/fuzz/artifacts,
and is run again by `onnxc-import-fuzzer FILE`. --keep adds what reached new code
to the corpus, which is then minimized.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"


def command(fuzzer, *arguments):
    return [fuzzer, "-timeout=5", "-rss_limit_mb=1024", "-max_len=65536", "-print_final_stats=1", *map(str, arguments)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=150_000)
    parser.add_argument("--seconds", type=int, default=240, help="an upper bound")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--junit")
    arguments = parser.parse_args()
    folder = arguments.build.resolve() / "test/fuzz"
    fuzzer, artifacts, found = folder / "onnxc-import-fuzzer", folder / "artifacts", folder / "found"
    for made in (artifacts, found):
        made.mkdir(parents=True, exist_ok=True)
    # The containers of libraries that are not instrumented look wrong to it; and
    # what is alive at the end belongs to a context that lives on.
    environment = dict(os.environ, ASAN_OPTIONS="detect_container_overflow=0:detect_leaks=0")
    run = subprocess.run(command(fuzzer, f"-runs={arguments.runs}", f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed}",
                                 f"-artifact_prefix={artifacts}/", found, CORPUS),
                         env=environment, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    tail = run.stderr[-6000:]
    units = [line for line in run.stderr.splitlines() if line.startswith("stat::number_of_executed_units")]
    print(units[0] if units else tail)
    # A fuzzer that ran nothing found nothing.
    failed = run.returncode != 0 or not units or int(units[0].split()[-1]) == 0
    if run.returncode:
        print(tail)
    if arguments.keep and run.returncode == 0:
        subprocess.run(command(fuzzer, "-merge=1", CORPUS, found), env=environment, check=True)
    if arguments.junit:
        suite = xml.Element("testsuite", name="fuzz-import", tests="1", failures=str(int(failed)))
        case = xml.SubElement(suite, "testcase", classname="fuzz", name="import")
        if failed:
            xml.SubElement(case, "failure", message="a bad model is not refused as it should be").text = tail
        xml.ElementTree(suite).write(arguments.junit)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
