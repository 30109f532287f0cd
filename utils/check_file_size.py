#!/usr/bin/env python3
"""Checks that no source file is longer than a reader takes in: 800 lines.
Prints one line per file that is; exit status 1 if any.

usage: utils/check_file_size.py [ROOT]
"""

import pathlib
import sys

LIMIT = 800
FOLDERS = ["cmake", "include", "lib", "python", "test", "tools", "utils", "docs",
           "examples"]
SUFFIXES = {".c", ".cmake", ".cpp", ".def", ".h", ".hpp", ".md", ".mlir", ".py", ".sh",
            ".td", ".test", ".txt"}
# Written by a program, from text that is within the limit.
GENERATED = "docs/generated/"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                        else pathlib.Path(__file__).parent.parent).resolve()
    status = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or name.startswith(GENERATED):
                continue
            lines = path.read_bytes().count(b"\n")
            if lines > LIMIT:
                print(f"{name}: {lines} lines; {LIMIT} at most")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
