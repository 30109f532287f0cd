#!/usr/bin/env python3
"""Writes docs/generated from the TableGen records: operators.md (every operator,
by family) and passes.md (every pass). With --check, only says whether the files
in the tree are what would be written.

usage: utils/python utils/generate_docs.py [--check]
"""

import pathlib
import re
import subprocess
import sys

import onnx_records

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "generated"
LLVM = pathlib.Path("/usr/lib/llvm-22")
NOTE = "<!-- Written by utils/generate_docs.py; change the .td files instead. -->\n"

# The folders of passes, in the order of the stages.
STAGES = ["Upgrade", "Infer", "Optimize", "Lower", "Schedule", "Bufferize", "Emit"]


def operators():
    ops = onnx_records.record_ops()
    text = [NOTE, "# Operators of the onnx dialect\n",
            f"{len(ops)} operators in their newest form. `since` are the schema versions that the record stands for as",
            "they are; the upgrade stage rewrites older forms. A page with operands,",
            "results and attributes of each family is written to `build/dev/docs/ONNX` by the target",
            "`onnx-dialect-docs`.\n"]
    for family in onnx_records.families():
        mine = sorted((op for op in ops if op.family == family), key=lambda op: op.key)
        if not mine:
            continue
        text += [f"## {family}\n", "| operator | since | |", "|---|---|---|"]
        for op in mine:
            since = ", ".join(str(version) for version in op.since)
            summary = op.summary.replace("|", "\\|")
            text.append(f"| `onnx.{op.spelled.removeprefix('ai.onnx.')}` | {since} | {summary} |")
        text.append("")
    return "\n".join(text)


def passes():
    text = [NOTE, "# Passes\n",
            "By stage, in the order of a compile. `onnx-mlir-opt --help` tells their options; `onnxc --print-pipeline`",
            "prints the stages of a compile.\n"]
    for stage in STAGES:
        path = ROOT / "include" / "onnxc" / stage / "Passes.td"
        if not path.exists():
            continue
        done = subprocess.run(
            [LLVM / "bin" / "mlir-tblgen", "-gen-pass-doc", "-I", ROOT / "include",
             "-I", LLVM / "include", path], capture_output=True, text=True, check=True)
        body = re.sub(r"<!--.*?-->\n", "", done.stdout)
        text += [f"## {stage}\n", body.strip(), ""]
    return "\n".join(text)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    status = 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in (("operators.md", operators), ("passes.md", passes)):
        path, text = FOLDER / name, make()
        if path.exists() and path.read_text() == text:
            continue
        if check:
            print(f"docs/generated/{name} is out of date; run: utils/python utils/generate_docs.py")
            status = 1
        else:
            path.write_text(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
