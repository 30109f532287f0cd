"""Models whose results share buffers, shapes or initial values, at each level, against ONNX Runtime.

usage: compare_with_ort.py FOLDER       (an existing folder for what is made)
"""

import os
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

import onnxc

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'
MODELS = {
    # Two products of the same shape start from one fill of zeros.
    "products": "(float[2,4] x, float[4,3] w, float[4,3] v) => (float[2,3] a, float[2,3] b) { a = MatMul(x, w) b = MatMul(x, v) }",
    # An output in the middle of the chain that leads to another one.
    "features": "(float[1,2,8,8] x, float[3,2,3,3] w, float[3,3,1,1] v) => (float[1,3,6,6] c, float[1,3,6,6] e)"
                " { a = Conv(x, w) c = Relu(a) d = Conv(c, v) e = Relu(d) }",
    "maxima": "(float[2,4] x) => (float[2,1] a, float[2,1] b, float[2,1] c)"
              " { a = ReduceMax<axes = [1]>(x) b = ReduceMax<axes = [-1]>(x) n = Neg(x) c = ReduceMax<axes = [1]>(n) }",
    "pools": "(float[1,2,6,6] x, float[1,2,6,6] y) => (float[1,2,3,3] a, float[1,2,3,3] b)"
             " { a = MaxPool<kernel_shape = [2,2], strides = [2,2]>(x) b = MaxPool<kernel_shape = [2,2], strides = [2,2]>(y) }",
    # The same value as two outputs, an input as an output.
    "aliases": "(float[2,4] x) => (float[2,4] a, float[2,4] b, float[2,4] x2) { a = Relu(x) b = Identity(a) x2 = Identity(x) }",
    # Sizes known at run time only, several of them from one dimension.
    "batched": "(float[n,m,k] x, float[k,p] w) => (float[n,m,p] a) { a = MatMul(x, w) }",
}
SIZES = {"n": 2, "m": 3, "k": 4, "p": 5}


def main(folder):
    random = np.random.default_rng(0)
    failures = 0
    for name, text in MODELS.items():
        model = onnx.parser.parse_model(HEADER + name + " " + text)
        path = os.path.join(folder, name + ".onnx")
        onnx.save(model, path)
        feeds = {i.name: random.standard_normal(
            [SIZES.get(d.dim_param, d.dim_value) for d in i.type.tensor_type.shape.dim]).astype(np.float32)
                 for i in model.graph.input}
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        wanted = session.run(None, feeds)
        for level in (0, 1):
            compiled = onnxc.InferenceSession(path, opt_level=level)
            for output, got, expected in zip(compiled.get_outputs(), compiled.run(None, feeds), wanted, strict=True):
                good = np.allclose(got, expected, rtol=1e-4, atol=1e-5)
                failures += not good
                print(name, f"-O{level}", output.name, "right" if good else "WRONG")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
