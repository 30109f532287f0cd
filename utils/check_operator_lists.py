#!/usr/bin/env python3
"""What holds of an operator stands in its record (include/onnxc/Dialect/ONNX).
Refuses lists of operators that say it again elsewhere: an `isa<>` of four or
more, or several of one value in a statement; a TypeSwitch on four or more; a
switch on operator names, a comparison with one. Import, Upgrade and Contrib read
names from models and may switch on them. Prints one line per violation; exit
status 1 if any.

usage: utils/check_operator_lists.py [ROOT]
"""

import collections
import pathlib
import re
import sys

MOST = 3
READ_NAMES = ("Import", "Upgrade", "Contrib")
HERE = pathlib.Path(__file__).resolve().parent.parent

ISA = re.compile(r"\bisa(?:_and_present|_and_nonnull)?<([^<>()]*)>(?:\(([\w.>()-]*?)\)(?=[\s)&|?:]|$))?")
STATEMENT = re.compile(r"[^;{}]+")
TYPE_SWITCH = re.compile(r"\bTypeSwitch<.*?\.Default\(|\bTypeSwitch<[^;]*;", re.S)
TYPE_CASE = re.compile(r"\.Case<([\w\s,:]*)>\(|\.Case\(\s*\[[^\]]*\]\((\w+)")
CASES = re.compile(r"StringSwitch<.*?\.Default\(", re.S)
COMPARED = re.compile(r'(?:getOnnxName|stripDialect|getOpType)\(\) [!=]= "(\w+)"')


def operators():
    """Names of all op records."""
    names = set()
    for path in (HERE / "include/onnxc/Dialect/ONNX").glob("*.td"):
        names.update(re.findall(r"^def ONNX_(\w+)Op\b", path.read_text(), re.M))
    return names


def violations(text, names, reads_names):
    """(offset, what) of each."""
    def count(types):
        types = [t.strip().removeprefix("onnxc::") for t in types.split(",")]
        return sum(t.endswith("Op") and t[:-2] in names for t in types)

    for statement in STATEMENT.finditer(text):
        found, first = collections.Counter(), None
        for match in ISA.finditer(statement[0]):
            first = statement.start() + match.start() if first is None else first
            found[match[2]] += count(match[1])
        if found and max(found.values()) > MOST:
            yield first, f"an isa<> of {max(found.values())} operators; a trait of the records says it (ONNXBase.td)"
    for switch in TYPE_SWITCH.finditer(text):
        cases = sum(count(match[1] or match[2]) for match in TYPE_CASE.finditer(switch[0]))
        if cases > MOST:
            yield switch.start(), f"a TypeSwitch on {cases} operators; a trait or an interface of the records says it (ONNXBase.td)"
    if reads_names:
        return
    for match in CASES.finditer(text):
        listed = [s for s in re.findall(r'"(\w+)"', match[0]) if s in names]
        if len(listed) > 1:
            yield match.start(), f"a switch on the names of {len(listed)} operators"
    for match in COMPARED.finditer(text):
        if match[1] in names:
            yield match.start(), f"a comparison with the operator name '{match[1]}'"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    names = operators()
    found = 0
    for folder in ("include", "lib", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            text = path.read_text()
            reads_names = path.relative_to(root).parts[1] in READ_NAMES
            for offset, what in sorted(violations(text, names, reads_names)):
                print(f"{path.relative_to(root)}:{text.count(chr(10), 0, offset) + 1}: {what}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
