"""Writes models for `onnxc check` and `onnxc inspect` into a folder."""
import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper


def value(name, shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def tensor(name, array):
    return onnx.numpy_helper.from_array(array, name)


def save(name, nodes, inputs, outputs, initializers=(), opset=17, domains=(), **more):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    onnx.save(helper.make_model(graph, opset_imports=imports, producer_name="tests", **more),
              os.path.join(sys.argv[1], name + ".onnx"))


def node(op, inputs, outputs, name=None, **attributes):
    return helper.make_node(op, inputs, outputs, name=name or op.lower(), **attributes)


def layers():
    """Convolution, product of open length, a subgraph, a function, metadata."""
    weights = [tensor("w", numpy.ones([8, 3, 3, 3], "float32")), tensor("b", numpy.ones([8], "float32")),
               tensor("m", numpy.ones([64, 16], "float16"))]
    branch = helper.make_graph([node("Neg", ["c"], ["n"], "minus"), node("Abs", ["n"], ["p"], "plus")], "branch", [],
                               [value("p", None)])
    other = helper.make_graph([node("Identity", ["c"], ["q"], "same")], "other", [], [value("q", None)])
    twice = helper.make_function("local", "Twice", ["x"], ["y"], [node("Add", ["x", "x"], ["y"], "sum")],
                                 [helper.make_opsetid("", 17)])
    nodes = [node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]),
             node("If", ["flag"], ["d"], "choice", then_branch=branch, else_branch=other),
             node("Twice", ["d"], ["e"], "call", domain="local"),
             node("Cast", ["e"], ["h"], "half", to=TensorProto.FLOAT16),
             node("Reshape", ["h", "rows"], ["r"], "flat"),
             node("MatMul", ["r", "m"], ["y"], "product")]
    save("layers", nodes, [value("x", ["batch", 3, 8, "width"]), value("flag", [], TensorProto.BOOL)],
         [value("y", None, TensorProto.FLOAT16)],
         [*weights, tensor("rows", numpy.array([-1, 64]))], domains=["local"], functions=[twice])


def main():
    four = value("x", ["N", 4])
    save("fine", [node("Relu", ["x"], ["y"])], [four], [value("y", None)])
    bad = tensor("bad", numpy.ones([2], "float32"))
    bad.raw_data = b"123"
    save("faulty", [
        node("Relu", ["nowhere"], ["a"], "undefined"),
        node("Conv", ["image", "w"], ["b"], "attribute", foo=3),
        node("MatMul", ["x", "w2"], ["c"], "sizes"),
        node("Foo", ["c"], ["d"], "unknown1"),
        node("Foo", ["c"], ["d2"], "unknown2"),
        node("Bar", ["d"], ["e"], "custom", domain="my"),
        node("Add", ["x"], ["f"], "arity"),
        node("Relu", ["x"], ["a"], "twice"),
        node("Add", ["x", "late"], ["g"], "early"),
        node("Relu", ["x"], ["late"], "behind"),
        node("Add", ["e", "g"], ["y"], "right"),
    ], [value("image", [1, 3, 8, 8]), four], [value("y", None), value("z", None)],
        [tensor("w", numpy.ones([4, 3, 3, 3], "float32")), tensor("w2", numpy.ones([5, 4], "float32")), bad],
        domains=["my"])
    save("open_rank", [node("Transpose", ["x"], ["t"], "turn"), node("MatMul", ["t", "t"], ["y"], "product")],
         [value("x", None)], [value("y", None)])
    save("old", [node("Softmax", ["x"], ["s"], "soft"), node("Unsqueeze", ["s"], ["u"], "wide", axes=[0]),
                 node("Squeeze", ["u"], ["y"], "narrow", axes=[0])], [four], [value("y", None)], opset=11)
    chain = [node("Relu", [f"v{i}"], [f"v{i + 1}"], f"n{i}") for i in range(30)]
    save("chain", chain, [value("v0", ["N"])], [value("v30", ["N"])])
    layers()


main()
