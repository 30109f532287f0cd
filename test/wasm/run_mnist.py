# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mnist_cnn as a WebAssembly module: ONNX Runtime's numbers (of data.npz), and its size.

usage: run_mnist.py --build DIR --out DIR
"""

import argparse
import os

import node_js
import numpy as np
import onnx

parser = argparse.ArgumentParser()
parser.add_argument("--build", required=True)
parser.add_argument("--out", required=True)
arguments = parser.parse_args()
folder = os.path.join(os.path.dirname(node_js.HERE), "models", "mnist_cnn")
model, module = os.path.join(folder, "model.onnx"), os.path.join(arguments.out, "digits.wasm")
wrong = node_js.compile_model(arguments.build, model, module, "-O2")
assert not wrong, wrong
data = np.load(os.path.join(folder, "data.npz"))
loader = os.path.join(arguments.out, "digits.mjs")
[answer] = node_js.run_all([(loader, [{"input.1": data[f"{run}/in/input.1"]} for run in ("n1", "n1b")])], arguments.out)
assert not isinstance(answer, str), answer
for run, got in zip(("n1", "n1b"), answer, strict=True):
    want = data[f"{run}/out/33"]
    difference = np.abs(got["33"] - want).max()
    assert difference < 1e-4, difference
    print(f"{run}: digit {got['33'].argmax()}, expected {want.argmax()}")
weights = sum(np.asarray(onnx.numpy_helper.to_array(tensor)).nbytes for tensor in onnx.load(model).graph.initializer)
more = os.path.getsize(module) - weights
assert more <= 100 * 1024, more
print(f"the module has {more} bytes besides its {weights} bytes of weights")
