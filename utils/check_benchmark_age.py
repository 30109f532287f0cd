#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/benchmarks.md and its like were measured lately: at a commit that is at most 50
commits older than the last change of what makes code fast or slow. Its kernels have a
commit of their own.

A commit that the repository does not have (measured on a branch that was rebased) counts
as the last one before the time that stands beside it.

usage: utils/check_benchmark_age.py [ROOT]

Prints a line for each commit that is too old; exit status 1 if any, 3 if the history is
not here (no repository, or a shallow clone).
"""

import pathlib
import re
import subprocess
import sys

MOST = 50
FOLDERS = ["lib/Lower", "lib/Schedule", "lib/Bufferize", "lib/Emit", "lib/Runtime"]
MEASURED = re.compile(r"[Mm]easured\s+(\d{4}-\d\d-\d\d \d\d:\d\d) UTC at\s+commit\s+([0-9a-f]{7,40})\b")
UNSUPPORTED = 3


def git(root, *arguments):
    """The output of a git command, or None if it fails."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def has_history(root):
    """Whether `root` is the top of a repository that is not shallow."""
    top = git(root, "rev-parse", "--show-toplevel")
    return (top is not None and pathlib.Path(top).resolve() == root
            and git(root, "rev-parse", "--is-shallow-repository") == "false")


def find_commit(root, commit, date):
    """The commit itself, or the last one before the date; None if there is none."""
    known = git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    return known or git(root, "rev-list", "-1", f"--before={date} +0000", "HEAD") or None


def old(root, date, commit, last):
    """What is wrong with a measurement of that commit, None if nothing: `last` is the last change of FOLDERS."""
    known = find_commit(root, commit, date)
    age = git(root, "rev-list", "--count", f"{known}..{last}") if known and last else "0"
    if known is not None and int(age) <= MOST:
        return None
    what = "is older than all commits" if known is None else f"is {age} commits older than {last[:8]}"
    return f"measured at {commit}, which {what}, the last change of {', '.join(FOLDERS)}; {MOST} at most"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    if not has_history(root):
        print("unsupported: the history is not here")
        return UNSUPPORTED
    last = git(root, "log", "-1", "--format=%H", "--", *FOLDERS)
    status = 0
    for page in sorted((root / "docs").glob("benchmarks*.md")):
        found = MEASURED.findall(page.read_text())
        for problem in [old(root, *entry, last) for entry in found] if found else ["no 'Measured ... at commit ...'"]:
            if problem:
                print(f"docs/{page.name}: {problem}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
