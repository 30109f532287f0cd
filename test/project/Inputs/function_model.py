# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model whose function draws random numbers, which each implementation draws otherwise,
behind a loop; and its inputs.

usage: function_model.py FOLDER
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import parser

folder = pathlib.Path(sys.argv[1])
onnx.save(parser.parse_model("""
<ir_version: 8, opset_import: ["": 17, "local": 1]>
g (float[N] x, int64 n) => (float[N] w) {
  [loop] y = Loop (n, , x) <body = b (int64 i, bool ok, float[N] v) => (bool go, float[N] next) {
    t = Tanh (v)
    next = Add (t, x)
    go = Identity (ok)
  }>
  [call] z = local.Noise (y)
  [abs] w = Abs (z)
}
<domain: "local", opset_import: ["": 17]>
Noise (a) => (b) {
  [clear] r = Relu (a)
  [draw] b = RandomNormalLike <seed = 1.0> (r)
}
"""), folder / "function.onnx")
np.savez(folder / "function.npz", x=np.ones(4, np.float32), n=np.array(3))
