# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model with an empty sequence and with one of tensors of two sizes.

usage: sequence_model.py FOLDER
"""

import pathlib
import sys

import onnx
from onnx import parser

onnx.save(parser.parse_model("""
<ir_version: 8, opset_import: ["": 17]>
g (float[2] x) => (float[N] y) {
  none = SequenceEmpty ()
  one = SequenceInsert (none, x)
  longer = Concat <axis = 0> (x, x)
  two = SequenceInsert (one, longer)
  y = ConcatFromSequence <axis = 0> (two)
}
"""), pathlib.Path(sys.argv[1]) / "sequence.onnx")
