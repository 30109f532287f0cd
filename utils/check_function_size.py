#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no function is longer than a reader takes in: 80 lines, from the
line with its name to its closing brace. One that is better read whole states the
reason in the comment before it:

    /// Long: <why it is one function>

Prints a line for each longer function without a reason, and for each reason that
no longer function follows; exit status 1 if any.

It reads text, not C++, as clang-format writes it: a function begins at the last
line of its scope's indentation before its body, and ends at a `}` with that
indentation, where a class ends at a `};`.

usage: utils/check_function_size.py [ROOT]
"""

import pathlib
import re
import sys

LIMIT = 80
FOLDERS = ["include", "lib", "python", "test", "tools", "utils", "examples"]
SUFFIXES = {".c", ".cpp", ".h", ".hpp"}
REASON = re.compile(r"\s*//+ Long: \S")
RAW_STRING = re.compile(r'R"([^()\\\s]*)\(')
NAME = re.compile(r"([\w:~]+(?:<[^()]*>)?|operator\W+)\(")


def blank_raw_strings(lines):
    """Their lines may look like anything."""
    end = None
    for line in lines:
        if end:
            found = line.find(end)
            yield "" if found < 0 else " " * 80 + line[found:]
            end = None if found >= 0 else end
            continue
        begin = RAW_STRING.search(line)
        if begin and f'){begin[1]}"' not in line[begin.end():]:
            end = f'){begin[1]}"'
        yield line


def find_functions(lines):
    """Indices of the first and the last line, at namespace scope and in classes."""
    first, firstInside, inside = None, None, []
    for i, line in enumerate(lines):
        if re.match(r"[\w~:]", line):
            first, inside = i, []
        elif re.match(r"  [\w~:]", line):
            firstInside = i
        elif line == "  }" and firstInside is not None:
            inside.append((firstInside, i))
            firstInside = None
        elif line == "}" and first is not None:
            yield first, i  # what is inside are its blocks
            first, inside = None, []
        elif line.startswith("}"):
            yield from inside
            first, inside = None, []


def find_reason(lines, first):
    """The line of the comment before a function that states a reason."""
    for i in range(first - 1, -1, -1):
        if REASON.match(lines[i]):
            return i
        if not lines[i].strip() or lines[i].strip()[-1] in ";{}":
            return None
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    faults = []
    for path in (path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))):
        if path.suffix not in SUFFIXES:
            continue
        name = path.relative_to(root).as_posix()
        lines = list(blank_raw_strings(path.read_text(errors="replace").splitlines()))
        reasons = {i for i, line in enumerate(lines) if REASON.match(line)}
        for first, last in find_functions(lines):
            size = last - first + 1
            if size <= LIMIT:
                continue
            called = NAME.search(lines[first])
            reason = find_reason(lines, first)
            reasons.discard(reason)
            if reason is None:
                faults.append(f"{name}:{first + 1}: {called[1] if called else 'a function'} has {size} lines; {LIMIT} "
                              "at most, or '/// Long: <reason>' before it")
        faults += [f"{name}:{i + 1}: the function after this reason has no more than {LIMIT} lines"
                   for i in sorted(reasons)]
    print("\n".join(faults), end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
