#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that links of pages lead somewhere: relative ones to a file or folder of the
tree, and behind # to a heading of a page. Prints a line for each that does not;
exit status 1 if any. Links to other sites are not followed.

usage: utils/check_links.py [ROOT]
"""

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


def pages(root):
    """The pages that git knows, or all where there is no repository."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True,
                            text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    return [root / name for name in names if (root / name).exists()] or sorted(root.rglob("*.md"))


def without_code(text):
    text = re.sub(r"^```.*?^```", lambda match: "\n" * match[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    lines = ["" if line.startswith("    ") else re.sub(r"`[^`]*`", "code", line) for line in text.splitlines()]
    return lines


def anchors(path):
    """The names of headings, as GitHub and MkDocs make them."""
    names = set()
    for line in re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL).splitlines():
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").strip().lower()
            names.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return names


def check(root, path):
    for number, line in enumerate(without_code(path.read_text()), 1):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            found = (path.parent / name).resolve() if name else path
            if not found.exists() or not found.is_relative_to(root):
                yield f"{path.relative_to(root)}:{number}: '{target}' leads nowhere"
            elif anchor and found.suffix == ".md" and anchor not in anchors(found):
                yield f"{path.relative_to(root)}:{number}: '{target}': the page has no such heading"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    faults = [fault for path in pages(root) for fault in check(root, path)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
