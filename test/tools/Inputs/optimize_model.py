"""Makes, prints and compares the model of onnx-optimize.test.

usage: optimize_model.py make|print|same|same-values FILE [FILE]
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make(path):
    twice = helper.make_function(
        "test.local", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 13)])
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["same"], name="nothing"),
         helper.make_node("Add", ["same", "w"], ["sum"], doc_string="what it is for"),
         helper.make_node("Relu", ["sum"], ["positive"]),
         helper.make_node("Twice", ["positive"], ["y"], domain="test.local")],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, "n"]), helper.make_tensor_value_info("w", TensorProto.FLOAT, [2, 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, "n"])],
        [numpy_helper.from_array(np.array([[1.5], [-2]], np.float32), "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("test.local", 1)],
                              functions=[twice], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def describe(path):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    graph = model.graph
    ops = " ".join(f"{node.domain}.{node.op_type}" if node.domain else node.op_type for node in graph.node)
    docs = " ".join(node.doc_string for node in graph.node if node.doc_string)
    print(f"opset {model.opset_import[0].version}: {ops}; doc: {docs}; functions: {' '.join(f.name for f in model.functions)}; "
          f"in: {' '.join(v.name for v in graph.input)}; out: {' '.join(v.name for v in graph.output)}")


def values(path):
    return {tensor.name: numpy_helper.to_array(tensor).tolist() for tensor in onnx.load(path).graph.initializer}


def main():
    what, paths = sys.argv[1], sys.argv[2:]
    if what == "make":
        make(*paths)
    elif what == "print":
        describe(*paths)
    else:
        read = onnx.load if what == "same" else values
        assert read(paths[0]) == read(paths[1]), paths


if __name__ == "__main__":
    main()
