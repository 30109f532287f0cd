#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the interfaces in C with tables of what each of their versions is
(docs/abi.md): sizes and offsets on several targets, numbers, functions.

    check_abi.py [--root DIR]            every table against its header, each
                                         version against the one before it
    check_abi.py --write [--root DIR]    writes the table of a version that has none
    check_abi.py --exports TABLE NAME=FILE... [--prefix PREFIX]
                                         the symbols that files export, against TABLE

Exit status 1 if something differs. A table is never written again: a change of an
interface is a new version, with a new number in the header.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

TABLES = "docs/abi"
# Name, header, and the macro that has its version.
INTERFACES = [
    ("runtime", "include/onnxc/runtime.h", "ONNXC_ABI_VERSION"),
    ("profile", "include/onnxc/profile.h", "ONNXC_PROFILE_VERSION"),
    ("optimizer", "include/onnxc-c/Optimizer.h", "ONNXC_OPTIMIZER_VERSION"),
]
# Where pointers have 64 bits, everything is the same; wasm32 has a column of its own.
TARGETS = ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "x86_64-pc-windows-msvc", "arm64-apple-macos"]
NARROW = "wasm32-unknown-unknown"


def clang(root, header, target, *flags):
    command = ["clang-22", f"--target={target}", "-ffreestanding", "-I", str(root / "include"), "-x", "c", *flags,
               str(root / header)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{header}: {done.stderr}")
    return done.stdout


def layouts(root, header, target):
    """Size, alignment and fields of each struct and union: {name: [line]}."""
    records, name = {}, None
    for line in clang(root, header, target, "-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete").splitlines():
        head = re.match(r"\s+0 \| (?:struct|union) (onnxc_\w+)$", line)
        field = re.match(r"\s+(\d+) \|   (.*\S) (\w+)$", line)
        foot = re.match(r"\s+\| \[sizeof=(\d+), align=(\d+)", line)
        if line.startswith("***"):
            name = None
        elif head:
            name = head[1]
            records[name] = {}
        elif name and field:
            records[name][f"field {name}.{field[3]}: {field[2]}"] = f"at {field[1]}"
        elif name and foot:
            records[name][f"record {name}"] = f"size {foot[1]}, alignment {foot[2]}"
            name = None
    return records


def numbers_and_functions(root, header):
    """Enumerators, macros with numbers, functions with their types."""
    lines = []
    text = (root / header).read_text()
    tree = json.loads(clang(root, header, TARGETS[0], "-fsyntax-only", "-Xclang", "-ast-dump=json"))
    for node in tree["inner"]:
        if node["kind"] == "EnumDecl":
            value = -1
            for constant in node.get("inner", []):
                stated = [part["value"] for part in constant.get("inner", []) if "value" in part]
                value = int(stated[0]) if stated else value + 1
                if constant["name"].startswith("ONNXC_") and re.search(rf"\b{constant['name']}\b", text):
                    lines.append(f"number {constant['name']}: {value}")
        elif node["kind"] == "FunctionDecl" and node["name"].startswith("onnxc_") and re.search(rf"\b{node['name']}\(", text):
            where = " (in the header)" if node.get("inline") else ""
            lines.append(f"function {node['name']}: {node['type']['qualType']}{where}")
        elif node["kind"] == "TypedefDecl" and node["name"].startswith("onnxc_") and "(*)" in node["type"]["qualType"]:
            if re.search(rf"\b{node['name']}\)", text):
                lines.append(f"type {node['name']}: {node['type']['qualType']}")
    for line in clang(root, header, TARGETS[0], "-E", "-dM").splitlines():
        macro = re.match(r"#define (ONNXC_\w+) (\d+)u?$", line)
        if macro and re.search(rf"#define {macro[1]}\b", text):
            lines.append(f"number {macro[1]}: {macro[2]}")
    return sorted(lines)


def table_of(root, header, macro):
    """The lines of an interface's table, and its version."""
    wide = [layouts(root, header, target) for target in TARGETS]
    for target, other in zip(TARGETS[1:], wide[1:]):
        if other != wide[0]:
            sys.exit(f"{header}: other layouts on {target} than on {TARGETS[0]}")
    narrow = layouts(root, header, NARROW)
    own = (root / header).read_text()
    lines = []
    for name, record in wide[0].items():
        if not re.search(rf"(?:struct|union) {name} {{", own):
            continue
        # The record's own line first.
        for key in sorted(record, key=lambda key: not key.startswith("record")):
            lines.append(f"{key}: {record[key]}; wasm32: {narrow[name][key]}")
    lines += numbers_and_functions(root, header)
    version, = [line.rpartition(" ")[2] for line in lines if line.startswith(f"number {macro}:")]
    return lines, int(version)


def read_table(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def check_interface(root, name, header, macro, write):
    lines, version = table_of(root, header, macro)
    path = root / TABLES / f"{name}-{version}.txt"
    faults = []
    if not path.exists() and write:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {header}, version {version}. Written by utils/check_abi.py; never changed.\n" + "\n".join(lines) + "\n")
        print(f"wrote {path.relative_to(root)}")
    if not path.exists():
        return [f"{header}: version {version} has no table; write it by utils/check_abi.py --write"]
    table = read_table(path)
    for sign, ours, theirs in [("+", lines, table), ("-", table, lines)]:
        faults += [f"{path.name}: {sign} {line}" for line in ours if line not in theirs]
    # In the order of the header, which offsets do not show of equal names.
    if not faults and lines != table:
        faults.append(f"{path.name}: the order differs")
    if faults:
        faults.insert(0, f"{header} is no longer version {version} of the interface: raise {macro}, and write the "
                         f"table of the new version by utils/check_abi.py --write")
    return faults


def field_of(line):
    kind, _, rest = line.partition(" ")
    return (kind, rest.split(":")[0])


def check_successor(old_path, new_path, macro):
    """A later version has all of the earlier one at its place; records may only grow at their end."""
    old = {field_of(line): line for line in read_table(old_path)}
    new = {field_of(line): line for line in read_table(new_path)}
    faults = []
    ends = {}
    for (kind, name), line in old.items():
        if kind == "field":
            record = name.split(".")[0]
            ends[record] = max(ends.get(record, 0), int(re.search(r": at (\d+);", line)[1]))
        if kind == "record" or name == macro:
            continue
        if new.get((kind, name)) != line:
            faults.append(f"{new_path.name}: {name} is not what it is in {old_path.name}: {line}")
    for (kind, name), line in new.items():
        record = name.split(".")[0]
        if kind == "field" and (kind, name) not in old and record in ends:
            if int(re.search(r": at (\d+);", line)[1]) <= ends[record]:
                faults.append(f"{new_path.name}: {name} is not behind the fields of {old_path.name}")
    return faults


def check_interfaces(root, write):
    faults = []
    for name, header, macro in INTERFACES:
        faults += check_interface(root, name, header, macro, write)
        versions = sorted((int(path.stem.rpartition("-")[2]), path) for path in (root / TABLES).glob(f"{name}-*.txt"))
        for (_, old), (_, new) in zip(versions, versions[1:]):
            faults += check_successor(old, new, macro)
    return faults


def exported(path, prefix):
    """Names that a file gives to others; PREFIX in place of the model's own."""
    flags = ["--defined-only", "--extern-only", "--format=just-symbols"]
    if path.endswith(".so") or ".so." in path:
        flags.append("--dynamic")
    done = subprocess.run(["llvm-nm-22", *flags, path], capture_output=True, text=True, check=True)
    names = {line.strip() for line in done.stdout.splitlines() if line.strip() and not line.strip().endswith(":")}
    # C++ symbols are not part of an interface.
    names = {name for name in names if not name.startswith("_Z")}
    return {re.sub(rf"^{prefix}_", "PREFIX_", name) if prefix else name for name in names}


def check_exports(table_path, files, prefix):
    table = {}
    for line in read_table(pathlib.Path(table_path)):
        name, _, symbol = line.partition(": ")
        table.setdefault(name, set()).add(symbol)
    faults = []
    for name, path in files:
        if name not in table:
            faults.append(f"{name}: has no lines in {table_path}")
            continue
        names = exported(path, prefix)
        faults += [f"{name}: exports {symbol}, which is not in the table" for symbol in sorted(names - table[name])]
        faults += [f"{name}: does not export {symbol}" for symbol in sorted(table[name] - names)]
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--exports", metavar="TABLE")
    parser.add_argument("--prefix")
    parser.add_argument("files", nargs="*", metavar="NAME=FILE")
    options = parser.parse_args()
    if options.exports:
        faults = check_exports(options.exports, [file.split("=", 1) for file in options.files], options.prefix)
    else:
        faults = check_interfaces(options.root, options.write)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
