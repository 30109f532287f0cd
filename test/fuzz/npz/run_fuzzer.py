#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libFuzzer on the reader of numpy's files, from files that numpy writes.

usage: run_fuzzer.py --build build/dev [--runs 1000000] [--seed 1] [--seconds 120]

The same runs for the same seed, so that CI finds what a change did and not what
chance did; --runs -1 with other seeds looks for more. What crashes, hangs (5 s) or takes 1 GiB is left in BUILD/test/fuzz/artifacts, and
is run again by `onnxc-npz-fuzzer FILE`.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import numpy as np

ARRAYS = {
    "floats": np.arange(6, dtype=np.float32).reshape(2, 3), "fortran": np.asfortranarray(np.eye(3)),
    "big-endian": np.arange(4, dtype=">i4"), "texts": np.array(["a", "bc"]), "bytes": np.array([b"a", b"bc"]),
    "empty": np.zeros((0, 3), np.int8), "scalar": np.array(1.5), "complex": np.ones(2, np.complex64),
    "bool": np.array([True, False]), "opaque": np.zeros(2, "V2")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=120, help="an upper bound")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--junit")
    arguments = parser.parse_args()
    folder = arguments.build.resolve() / "test/fuzz"
    artifacts, corpus = folder / "artifacts", folder / "npz-corpus"
    for made in (artifacts, corpus):
        made.mkdir(parents=True, exist_ok=True)
    for name, array in ARRAYS.items():
        np.save(corpus / name, array)
    np.savez(corpus / "stored", **ARRAYS)
    np.savez_compressed(corpus / "deflated", **ARRAYS)
    run = subprocess.run(
        [folder / "onnxc-npz-fuzzer", "-timeout=5", "-rss_limit_mb=1024", "-max_len=8192", "-print_final_stats=1",
         f"-runs={arguments.runs}", f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed}", f"-artifact_prefix={artifacts}/", corpus],
        env=dict(os.environ, ASAN_OPTIONS="detect_container_overflow=0:detect_leaks=0"),
        stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    executed = re.search(r"number_of_executed_units: *(\d+)", run.stderr)
    failed = run.returncode != 0 or not executed or int(executed.group(1)) == 0
    print(run.stderr[-4000:] if failed else f"npz: {executed.group(1)} executions, nothing found")
    if arguments.junit:
        suite = xml.Element("testsuite", name="fuzz-npz", tests="1", failures=str(int(failed)))
        case = xml.SubElement(suite, "testcase", classname="fuzz", name="npz")
        if failed:
            xml.SubElement(case, "failure", message="a bad file is not refused as it should be").text = re.sub(
                r"[^\x20-\x7e\n]", "?", run.stderr[-4000:])
        xml.ElementTree(suite).write(arguments.junit)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
