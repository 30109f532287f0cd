#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that messages, comments and pages are in plain technical English: the
words of the ONNX specification and of LLVM, in normal order.

Prints a line for each place with a phrase of the list, and what to write instead;
exit status 1 if any. Decisions (docs/decisions) are history and are not checked.

usage: utils/check_wording.py [ROOT]
"""

import pathlib
import re
import sys

# A regular expression, what to write instead, and whether only messages (text in
# quotes) are meant.
WORDS = [
    (r"(?<!here )\b(?:is|was) no (?!longer\b)\w", "is not a", False),
    (r"(?<!here )\b(?:are|were) no (?!longer\b)\w", "are not", False),
    (r"\bcan(?:not)? be told\b", "is known, is unknown, can be inferred", False),
    (r"\b(?<!be )told\b", "given, known, inferred, requested", False),
    (r"\briddles?\b|\b[a-z]*Riddle", "unresolved", False),
    (r"\buntold\b|\b[a-z]*Untold", "unresolved", False),
    (r"(?-i:\b\w*[a-z](?:Told|Tells)\w*|\b(?:told|tells)[A-Z]\w*)", "known, given (in names)", False),
    (r"\b(?:some|every|any)body\b", "the caller, a user, it must be", False),
    (r"\bnobody\b", "no op, no caller, unused, is not ...", False),
    (r"\bwhoever\b", "the caller, a user, a pass that", False),
    (r"\bwhichever\b", "any, all, the one that", False),
    (r"\bthere are -", "expected -", False),
    (r"\bwas expected\b", "expected ..., in front of what was", True),
    (r"\btells?\b", "states, gives, determines", True),
    (r"\basked for\b", "requested", True),
    (r"\bwithout saying why\b", "without a message", True),
    (r"\bsay --", "give --", True),
    (r"\bany more\b", "no longer", True),
]
FOLDERS = ["cmake", "include", "lib", "python", "tools", "utils", "docs", "examples"]
SUFFIXES = {".c", ".cmake", ".cpp", ".def", ".h", ".hpp", ".md", ".py", ".sh", ".td", ".txt"}
NOT_CHECKED = ("docs/decisions/", "docs/generated/", "utils/mutations/", "utils/check_wording.py")
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def find_faults(line, is_code):
    # A name such as `told` in a quotation of code is not a word of ours.
    messages = " ".join(QUOTED.findall(line)) if is_code and not line.lstrip().startswith(("//", "#", "*")) else ""
    for pattern, better, only_messages in WORDS:
        found = re.search(pattern, messages if only_messages else line, re.IGNORECASE if not only_messages else 0)
        if found:
            yield found.group(0), better


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    status = 0
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))] + sorted(root.glob("*.md"))
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or name.startswith(NOT_CHECKED) or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for found, better in find_faults(line, path.suffix != ".md"):
                print(f"{name}:{number}: '{found}'; write: {better}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
