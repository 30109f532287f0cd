#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each rewrite has a place of its own: one record, one file
lib/Optimize/<name of the .td file>/<Record>.cpp, one test
test/Optimize/<name>.mlir, a place in the order that no other has. Exit status 1 and a line for each that has not.

usage: utils/python utils/check_rewrites.py
"""

import collections
import sys

import rewrite_records

ROOT = rewrite_records.ROOT


def faults():
    rewrites = rewrite_records.rewrites()
    uses = collections.Counter(rewrite.order for rewrite in rewrites)
    for rewrite in rewrites:
        source = ROOT / "lib" / "Optimize" / rewrite.folder / f"{rewrite.record}.cpp"
        test = ROOT / "test" / "Optimize" / f"{rewrite.name.replace('_', '-')}.mlir"
        for path in (source, test):
            if not path.exists():
                yield f"{rewrite.name}: there is no {path.relative_to(ROOT)}"
        if uses[rewrite.order] > 1:
            yield f"{rewrite.name}: another rewrite has the order {rewrite.order}, too"
        if test.exists() and "CHECK-NOT" not in test.read_text() and test.read_text().count("func.func") < 2:
            yield f"{rewrite.name}: its test has no case in which it must not fire"


def main():
    if sys.argv[1:]:
        sys.exit(__doc__)
    found = list(faults())
    print("\n".join(found) or "every rewrite has a record, a file and a test")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
