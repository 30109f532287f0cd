#!/usr/bin/env python3
"""Writes docs/operators.md (every operator, by family, from the TableGen records and
from the stored results of the node tests), docs/generated/passes.md (every
pass), docs/generated/rewrites.md (the rewrites of the optimizer),
docs/generated/options.md (the options of the commands), and manual pages and
completions for shells in share (manual_pages.py). With --check, only says whether the files in the tree are what would be written.

usage: utils/python utils/generate_docs.py [--check]
"""

import csv
import pathlib
import re
import subprocess
import sys

import manual_pages
import onnx_records
import option_records
import rewrite_records

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "test" / "onnx-node" / "results.csv"
LLVM = pathlib.Path("/usr/lib/llvm-22")
NOTE = "<!-- Written by utils/generate_docs.py; change the .td files instead. -->\n"

# The folders of passes, in the order of the stages.
STAGES = ["Target", "Upgrade", "ConvertOpset", "Infer", "Optimize", "Lower", "Schedule", "Bufferize", "Emit"]


# What the table of operators says for a set of element types.
TYPE_GROUPS = {
    "floats": ["float16", "bfloat16", "float", "double"],
    "ints": ["int8", "int16", "int32", "int64"],
    "uints": ["uint8", "uint16", "uint32", "uint64"],
    "complex": ["complex64", "complex128"],
    "float8": ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"],
    "int2, int4, uint2, uint4": ["int2", "int4", "uint2", "uint4"],
}


def element_types(op):
    """Those of the first input, or, without one, of the first output."""
    formals = op.inputs or op.outputs
    if not formals:
        return ""
    text = " ".join(formals[0].types)
    left = set(re.findall(r"tensor\((\w+)\)", text))
    words = [word for word, sign in (("sequences", "seq("), ("optionals", "optional("), ("maps", "map(")) if sign in text]
    for group, members in TYPE_GROUPS.items():
        if left.issuperset(members):
            words.append(group)
            left.difference_update(members)
    return ", ".join(words + sorted(left))


def versions(op):
    """The schema versions that are understood."""
    upgraded = re.findall(r'\{"\w+", (\d+)', " ".join(op.upgrades))
    return ", ".join(map(str, sorted({*op.since, *map(int, upgraded)})))


def operators():
    ops = onnx_records.record_ops()
    with open(RESULTS, newline="") as file:
        results = {row["operator"]: row for row in csv.DictReader(file)}
    text = [NOTE, "# Operators\n",
            f"{len(ops)} operators. *Versions* are those of the operator that a model may use. *Types* are the element types of the first",
            "input. The next columns are the tests of the operator that the onnx package brings: how many pass of how many, with",
            "all sizes known (*static*), with none known (*dynamic*), and with the inputs as initializers (*constant*); see",
            "[test/onnx-node](../test/onnx-node). A page with operands, results and attributes of each family is written to",
            "`build/dev/docs/ONNX` by the target `onnx-dialect-docs`.\n"]
    for family in onnx_records.families():
        mine = sorted((op for op in ops if op.family == family), key=lambda op: op.key)
        if not mine:
            continue
        text += [f"## {family}\n", "| operator | versions | types | static | dynamic | constant | remarks |", "|---|---|---|---|---|---|---|"]
        for op in mine:
            row = results.get(op.spelled, {})
            passed = " | ".join(row.get(mode, "").replace("0/0", "") for mode in ("static", "dynamic", "constant"))
            summary = op.summary.replace("|", "\\|")
            if row.get("failing"):
                summary += f". *Failing:* {row['failing']}".replace("|", "\\|")
            text.append(f"| {op.spelled.removeprefix('ai.onnx.')} | {versions(op)} | {element_types(op)} | {passed} | {summary} |")
        text.append("")
    return "\n".join(text + contrib_operators())


def contrib_operators():
    """The operators of ONNX Runtime's domains, from lib/Contrib/ContribOps.def."""
    table = (ROOT / "lib" / "Contrib" / "ContribOps.def").read_text()
    string = r'"([^"]*)"'
    entries = re.findall(rf"ONNXC_CONTRIB\({string}, \w+, {string},\s*{string},\s*{string},\s*{string}\)", table)
    refused = re.findall(rf"ONNXC_REFUSED\({string}, {string}, {string}\)", table)
    assert len(entries) + len(refused) == len(re.findall(r"^ONNXC_", table, re.M)), "an entry has another form"
    text = ["## Operators of ONNX Runtime\n",
            f"{len(entries)} operators of the domain `com.microsoft`, which ONNX Runtime's optimizer, its quantizers and exporters made for it",
            "write, become operators of ONNX when a model is read (`onnx-upgrade`). They compute what ONNX Runtime's kernels for the CPU",
            "compute; [test/Contrib/Inputs](../test/Contrib/Inputs) compares both. *?*: may be absent. An input, an",
            "attribute or a value that is not taken is an error that names the node and it.\n"]
    for family in dict.fromkeys(entry[1] for entry in entries):
        text += [f"### {family}\n", "| operator | inputs | attributes | remarks |", "|---|---|---|---|"]
        for name, group, inputs, attributes, remark in entries:
            if group == family:
                listed = [", ".join(f"`{word.rstrip('-')}`" if word != "*" else "…" for word in words.split()) for words in (inputs, attributes)]
                text.append(f"| {name} | {' | '.join(listed)} | {remark} |")
        text.append("")
    text += ["Of these and of other domains of ONNX Runtime, the following are not supported:\n", "| domain | operator | why |", "|---|---|---|"]
    text += [f"| `{domain}` | {'all' if name == '*' else name} | {reason} |" for domain, name, reason in refused]
    return text + [""]


def passes():
    text = [NOTE, "# Passes\n",
            "By stage, in the order of a compile. `onnx-mlir-opt --help` lists their options; `onnxc --print-pipeline`",
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


GROUPS = {
    "clean": "Simpler forms and constants, that others match on",
    "movement": "What moves data: no-ops, chains, layouts",
    "weights": "Arithmetic that goes into weights",
    "recognize": "Several operators that are one",
    "share": "Equal and dead things",
    "": "Only by name",
}


def rewrites():
    all_rewrites = rewrite_records.rewrites()
    upstream = sum(rewrite.is_upstream for rewrite in all_rewrites)
    text = [NOTE, "# Rewrites\n",
            f"{len(all_rewrites)} rewrites of the onnx dialect. {upstream} have their names and their meaning from onnx-optimizer (*default*: it",
            "runs them when none is named); the others go beyond it. Each is a pass of `onnx-mlir-opt`, called `onnx-` and its name with",
            "dashes, and a name for `onnx-optimize --passes`. The default pipeline of `onnx-optimize` runs the groups in the order of this",
            "page until nothing changes. *Exactness*: how far results may differ from before.\n"]
    for group, title in GROUPS.items():
        mine = [rewrite for rewrite in all_rewrites if rewrite.group == group]
        if not mine:
            continue
        text += [f"## {title}\n", "| rewrite | what it does | onnx-optimizer | class | efficiency | gain | kind | exactness |",
                 "|---|---|---|---|---|---|---|---|"]
        for r in mine:
            upstream = "" if not r.is_upstream else "default" if r.passClass in ("fuse", "nop") else "by name"
            summary = r.summary.replace("|", "\\|")
            text.append(f"| `{r.name}` | {summary} | {upstream} | {r.passClass} | {r.efficiency} | {r.gain} | {r.kind} | {r.exactness} |")
        text.append("")
    return "\n".join(text)


def options():
    text = [NOTE, "# Options\n",
            "By command; `--name=value` and `--name value` are the same, and a switch takes `--name=false`. *Python*: the parameter of the",
            "function that does what the command does (`onnxc.compile`, `check`, `inspect`, `InferenceSession`, `optimizer.optimize`), or why it",
            "has none. *C*: whether `onnxc_optimizer_set` takes it.\n"]
    listed = [option for option in option_records.options() if not option.hidden]
    for command, name in option_records.COMMANDS.items():
        with_python, with_c = command not in ("Bench", "Profile"), command == "Optimize"
        text += [f"## {name}\n", "| option | what it does |" + " Python |" * with_python + " C |" * with_c, "|---" * (2 + with_python + with_c) + "|"]
        for option in listed:
            if command not in option.commands:
                continue
            python = option.no_python.get(command) or f"`{option.python}`"
            spelled, what, python, c = (cell.replace("|", "\\|") for cell in (
                # There, no names stand behind --freeze.
                option.spelled.split("[=<")[0] if with_c else option.spelled, option.help[command], python, option.no_c or "yes"))
            text.append(f"| `{spelled}` | {what} |" + f" {python} |" * with_python + f" {c} |" * with_c)
        text.append("")
    return "\n".join(text)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    status = 0
    pages = {"docs/operators.md": operators(), "docs/generated/passes.md": passes(), "docs/generated/rewrites.md": rewrites(),
             "docs/generated/options.md": options(), **manual_pages.files()}
    for name, text in pages.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_text() == text:
            continue
        if check:
            print(f"{name} is out of date; run: utils/python utils/generate_docs.py")
            status = 1
        else:
            path.write_text(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
