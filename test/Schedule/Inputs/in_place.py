# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of rows of open width that write their result over what their
epilogue reads, at each width and level that this machine runs, against numpy.

usage: in_place.py BUILD

Tensors leave that to bufferization, which seldom does it: here the destination in
the stage's output is replaced by the residual.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.parser

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "support"))

import levels
import onnxc

CHANNELS = 16
WIDTHS = range(1, 71)  # beyond two tiles of the greatest width
RESIDUAL = re.compile(r"(extras\((%\w+) : [^)]*\) outs\()%\w+ ")


def compile_in_place(onnxc_binary, folder, cpu, weights):
    """r and s are blocked images of their own, s dies with the sum."""
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : 21]> main (float[1,8,1,n] x, float[1,8,1,n] z) => (float[1,{CHANNELS},1,n] y) '
        "{ p = Conv(x, a) r = Relu(p) q = Conv(z, b) s = Relu(q) t = Conv<pads=[0,1,0,1]>(r, c) u = Add(t, s) y = Relu(u) }")
    model.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in weights.items())
    path = folder / "model.onnx"
    onnx.save(model, path)
    run = lambda *arguments: subprocess.run([onnxc_binary, "-O2", f"--mcpu={cpu}", *arguments], check=True, capture_output=True)  # noqa: E731
    scheduled, library = folder / "scheduled.mlir", folder / f"{cpu}.so"
    run(path, "--stop-after=schedule", "-o", scheduled)
    text, count = RESIDUAL.subn(r"\1\2 ", scheduled.read_text())
    assert count == 1, f"{count} convolutions with a residual at {cpu}"
    scheduled.write_text(text)
    run(scheduled, "--start-from=bufferize", "-o", library)
    return library


def relu(x):
    return np.maximum(x, 0)


def expect(x, z, weights):
    x, z, a, b, c = (value.astype(np.float64) for value in (x[0, :, 0], z[0, :, 0], *(w[:, :, 0] for w in weights.values())))
    image = np.pad(relu(a[:, :, 0] @ x), ((0, 0), (1, 1)))
    sums = sum(c[:, :, tap] @ image[:, tap:tap + x.shape[1]] for tap in range(3))
    return relu(sums + relu(b[:, :, 0] @ z))[None, :, None]


def main():
    random = np.random.default_rng(1)
    draw = lambda *shape: random.standard_normal(shape).astype(np.float32)  # noqa: E731
    weights = {"a": draw(CHANNELS, 8, 1, 1), "b": draw(CHANNELS, 8, 1, 1), "c": draw(CHANNELS, CHANNELS, 1, 3)}
    for name in ("v2", "v3", "v4"):
        level = levels.LEVELS[name]
        with tempfile.TemporaryDirectory() as folder:
            library = compile_in_place(pathlib.Path(sys.argv[1]) / "bin" / "onnxc", pathlib.Path(folder), level.cpu, weights)
            if not level.runs_here():
                continue
            session = onnxc.InferenceSession(str(library), threads=1)
            for width in WIDTHS:
                x, z = draw(1, 8, 1, width), draw(1, 8, 1, width)
                got, want = session.run(None, {"x": x, "z": z})[0], expect(x, z, weights)
                off = np.abs(got - want).max(axis=(0, 1, 2)) > 1e-4 * np.abs(want).max()
                if off.any():
                    print(f"wrong at {name}, {width} columns: {np.flatnonzero(off).tolist()}")
    print("done")


main()
