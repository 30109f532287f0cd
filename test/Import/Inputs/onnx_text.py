#!/usr/bin/env python3
"""Makes a .onnx file of a model in ONNX's textual syntax.

usage: onnx_text.py IN.onnxtxt OUT.onnx [STATEMENT ...]

Each STATEMENT is Python run with the ModelProto as `m` (and `onnx`, `TP` for
TensorProto), for what the syntax has no words for.
"""

import pathlib
import sys

import onnx
import onnx.parser

source, target, *statements = sys.argv[1:]
m = onnx.parser.parse_model(pathlib.Path(source).read_text())
for statement in statements:
    exec(statement, {"m": m, "onnx": onnx, "TP": onnx.TensorProto})
pathlib.Path(target).write_bytes(m.SerializeToString())
