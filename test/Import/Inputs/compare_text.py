#!/usr/bin/env python3
"""Whether onnx.parser makes the same message of a text.

usage: compare_text.py MODEL.onnxtxt MODEL.onnx
"""

import difflib
import pathlib
import sys

import onnx
import onnx.parser

expected = onnx.parser.parse_model(pathlib.Path(sys.argv[1]).read_text())
found = onnx.load(sys.argv[2])
print("equal" if found == expected else "\n".join(difflib.unified_diff(str(expected).splitlines(), str(found).splitlines(), lineterm="")))
