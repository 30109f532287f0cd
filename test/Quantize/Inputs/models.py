"""Small models to quantize, and inputs for them.

usage: models.py FOLDER
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Model:
    def __init__(self, seed=0):
        self.random = np.random.default_rng(seed)
        self.nodes, self.initializers = [], []

    def weight(self, name, *shape, scale=None, dtype="f4"):
        scale = 1 / np.sqrt(np.prod(shape[1:])) if scale is None else scale
        array = (self.random.standard_normal(shape) * scale).astype(dtype)
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"n_{output}", **attributes))
        return output

    def save(self, path, inputs, outputs, opset=17, ir_version=8, dtype=TensorProto.FLOAT):
        def infos(values):
            return [helper.make_tensor_value_info(name, TensorProto.INT64 if name == "ids" else dtype, shape)
                    for name, shape in values.items()]
        graph = helper.make_graph(self.nodes, "graph", infos(inputs), infos(outputs), self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def mlp(path, dtype="f4", opset=17):
    """A MatMul, and Gemms with either layout of weights; 48 is no multiple of 32."""
    m = Model()
    m.node("MatMul", ["x", m.weight("w1", 64, 48, scale=0.15, dtype=dtype)], "a")
    m.node("Relu", ["a"], "b")
    m.node("Gemm", ["b", m.weight("w2", 48, 40, scale=0.15, dtype=dtype), m.weight("b2", 40, scale=0.1, dtype=dtype)], "c")
    m.node("Gemm", ["c", m.weight("w3", 10, 40, scale=0.15, dtype=dtype), m.weight("b3", 10, scale=0.1, dtype=dtype)], "y", transB=1)
    m.save(path, {"x": ["n", 64]}, {"y": ["n", 10]}, opset, dtype=TensorProto.FLOAT if dtype == "f4" else TensorProto.FLOAT16)


def cnn(path, opset=13):
    """Convolutions, a shortcut, pools, a concatenation, a transposed convolution."""
    m = Model(1)
    def conv(x, y, channels, count, groups=1, stride=1):
        m.node("Conv", [x, m.weight(f"{y}_w", count, channels // groups, 3, 3), m.weight(f"{y}_b", count, scale=0.1)], y,
               pads=[1] * 4, strides=[stride] * 2, group=groups)
        return y
    m.node("Relu", [conv("x", "c1", 3, 16, stride=2)], "r1")
    m.node("MaxPool", ["r1"], "m", kernel_shape=[2, 2], strides=[2, 2])
    m.node("Relu", [conv("m", "c2", 16, 16)], "r2")
    m.node("Add", [conv("r2", "c3", 16, 16), "m"], "s")
    m.node("Relu", ["s"], "rs")
    m.node("Relu", [conv("rs", "c4", 16, 16, groups=16)], "r4")
    m.node("Concat", ["r4", "rs"], "j", axis=1)
    m.node("ConvTranspose", ["j", m.weight("t_w", 32, 8, 2, 2, scale=0.1), m.weight("t_b", 8, scale=0.1)], "t", strides=[2, 2])
    m.node("GlobalAveragePool", ["t"], "g")
    m.node("Flatten", ["g"], "f")
    m.node("Gemm", ["f", m.weight("fc_w", 10, 8), m.weight("fc_b", 10, scale=0.1)], "y", transB=1)
    m.save(path, {"x": [1, 3, 32, 32]}, {"y": [1, 10]}, opset)


def embedding(path):
    """A table that is read by Gather, and, as the output's weights, by MatMul."""
    m = Model(2)
    table = m.weight("table", 100, 64, scale=1)
    m.node("Gather", [table, "ids"], "e")
    m.node("Transpose", [table], "tt", perm=[1, 0])
    m.node("MatMul", ["e", m.weight("w", 64, 64)], "h")
    m.node("MatMul", ["h", "tt"], "y")
    m.save(path, {"ids": ["n"]}, {"y": ["n", 100]}, 21, 10)


def branch(path):
    """A layer in the body of an If that reads the same weights as one outside."""
    m = Model(3)
    w = m.weight("w", 32, 32)
    def body(name, nodes):
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, ["n", 32])])
    m.node("MatMul", ["x", w], "h")
    m.node("ReduceSum", ["x"], "sum", keepdims=0)
    m.initializers.append(numpy_helper.from_array(np.float32(0), "zero"))
    m.node("Greater", ["sum", "zero"], "positive")
    m.node("If", ["positive"], "y", then_branch=body("then", [helper.make_node("MatMul", ["h", w], ["then_y"], name="inner")]),
           else_branch=body("else", [helper.make_node("Neg", ["h"], ["else_y"])]))
    m.save(path, {"x": ["n", 32]}, {"y": ["n", 32]}, 17)


def plain(path):
    """Nothing to quantize."""
    m = Model(4)
    m.node("Relu", ["x"], "y")
    m.save(path, {"x": ["n", 8]}, {"y": ["n", 8]}, 17)


def overridable(path):
    """Weights that are inputs as well."""
    m = Model(5)
    m.node("MatMul", ["x", m.weight("w", 32, 8)], "y")
    m.save(path, {"x": ["n", 32], "w": [32, 8]}, {"y": ["n", 8]}, 17)


def root(path):
    """Sums of weights that are nearly 0: below it, the root of a sum is NaN."""
    m = Model(6)
    w = m.random.uniform(0.1, 1, (32, 2)).astype("f4")
    w[31] = np.float32(0.001) - w[:31].sum(axis=0)
    w[:31, 1], w[31, 1] = 0.3, np.float32(0.001 - 0.3 * 31)
    m.initializers.append(numpy_helper.from_array(w, "w"))
    m.node("MatMul", ["x", "w"], "sum")
    m.node("Sqrt", ["sum"], "y")
    m.save(path, {"x": ["n", 32]}, {"y": ["n", 2]}, 17)


def main():
    folder = sys.argv[1]
    mlp(f"{folder}/mlp.onnx")
    mlp(f"{folder}/half.onnx", "f2", 21)
    cnn(f"{folder}/cnn.onnx")
    cnn(f"{folder}/old.onnx", 11)
    embedding(f"{folder}/embedding.onnx")
    branch(f"{folder}/branch.onnx")
    plain(f"{folder}/plain.onnx")
    overridable(f"{folder}/overridable.onnx")
    root(f"{folder}/root.onnx")
    np.savez(f"{folder}/ones.npz", x=np.ones((1, 32), "f4"))
    np.savez(f"{folder}/no_rows.npz", x=np.ones((0, 32), "f4"))
    random = np.random.default_rng(9)
    images = random.standard_normal((12, 3, 32, 32)).astype("f4")
    np.savez(f"{folder}/images.npz", x=images)
    np.savez(f"{folder}/other.npz", z=images)
    np.savez(f"{folder}/wrong.npz", x=images[:, :2])
    np.save(f"{folder}/image.npy", images[:1])
    rows = random.standard_normal((40, 64)).astype("f4")
    rows[:, :8] *= 10  # what is large there is to be exact
    np.savez(f"{folder}/rows.npz", x=rows)


main()
