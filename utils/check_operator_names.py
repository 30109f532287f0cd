#!/usr/bin/env python3
"""An operator is named by its class (AddOp::getOnnxName()), so that a wrong name
does not compile, and made by it (ONNXBuilder). Refuses string literals in C++ that
are the name of an operator or of its op. Tables (.def) and Import, which read names
from models, may have them. Prints one line per violation; exit status 1 if any.

usage: utils/check_operator_names.py [ROOT]
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
READ_NAMES = ("lib/Import/", )
# Values of the attribute `activations`, of which some are operators, too.
FUNCTIONS = ("lib/Lower/Recurrent.cpp", "lib/Lower/RecurrentActivations.cpp")

DEFINED = re.compile(r'^def ONNX_(\w+)Op\s*:\s*\w+<(?:ONNX_Dialect, )?"(\w+)"', re.M)
COMMENT_OR_LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:\\.|[^"\\\n])*)"', re.S)


def operators():
    """Class names of all op records by the names that a literal may have."""
    classes = {}
    for path in (HERE / "include/onnxc/Dialect/ONNX").glob("*.td"):
        for name, mnemonic in DEFINED.findall(path.read_text()):
            classes[f"onnx.{mnemonic}"] = name + "Op"
            # onnx.node and its like are not operators.
            if mnemonic[0].isupper():
                classes[mnemonic] = name + "Op"
    return classes


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    classes = operators()
    found = 0
    for folder in ("include", "lib", "tools"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".h", ".cpp") or name.startswith(READ_NAMES) or name in FUNCTIONS:
                continue
            text = path.read_text()
            for match in COMMENT_OR_LITERAL.finditer(text):
                op = classes.get(match[1])
                if not op:
                    continue
                method = "getOperationName" if match[1].startswith("onnx.") else "getOnnxName"
                print(f'{name}:{text.count(chr(10), 0, match.start()) + 1}: the operator "{match[1]}" '
                      f"is named by a string; expected {op}::{method}()")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
