#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that attributes are spelled in one place: the literals "onnx.…" and
"onnxc.…" stand in the headers that define them and nowhere else in the C++ code.
Prints one line per violation; exit status 1 if any.

usage: utils/check_attribute_names.py [ROOT]
"""

import pathlib
import re
import sys

DEFINITIONS = {
    "include/onnxc/Dialect/ONNX/ModelAttributes.h",
    "include/onnxc/Dialect/Program/ProgramAttributes.h",
}
# Names of operations, where a file includes no classes of them; and what all of
# their names begin with.
OPERATIONS = {"onnx.node", "onnx.none", "onnx.yield", "onnx.Constant", "onnx."}
LITERAL = re.compile(r'"(onnxc?\.[A-Za-z_]*)')


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    # In the C++ of the Python package, its modules.
    modules = {f"onnxc.{path.stem}" for path in (root / "python" / "onnxc").glob("*.py*")}
    status = 0
    for folder in ("include", "lib", "tools", "python"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cpp", ".h") or name in DEFINITIONS:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for literal in LITERAL.findall(line.split("//")[0]):
                    if literal not in OPERATIONS and not (folder == "python" and literal in modules):
                        print(f"{name}:{number}: '{literal}' is spelled here; write the constant of {' or '.join(sorted(p.split('/')[-1] for p in DEFINITIONS))}")
                        status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
