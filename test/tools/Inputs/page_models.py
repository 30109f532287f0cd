"""Writes models for the page of onnxc inspect: blocks.onnx of as many blocks of
ten nodes as are asked for, and two that cannot be compiled: unknown.onnx has an
operator of another domain, missing.onnx no file of its weights.

usage: page_models.py FOLDER BLOCKS
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder, blocks = sys.argv[1], int(sys.argv[2])
random = np.random.default_rng(0)


def weight(name, *shape):
    return numpy_helper.from_array((random.random(shape, dtype=np.float32) + 0.5) / 8, name)


# Of each block: a normalization that becomes part of the convolution, activations
# and a sum that are fused with it, a node that goes away, a constant expression,
# and another layout.
weights = [weight("w", 8, 8, 3, 3), weight("scale", 8), weight("bias", 8), weight("mean", 8), weight("variance", 8), weight("one", 1)]
nodes = [helper.make_node("Identity", ["x"], ["block0_out"], name="begin")]
for i in range(blocks):
    b, last = f"block{i + 1}", f"block{i}_out"

    def add(op, inputs, name, **attributes):
        nodes.append(helper.make_node(op, inputs, [f"{b}_{name}"], name=f"{b}/{name}", **attributes))
        return f"{b}_{name}"

    conv = add("Conv", [last, "w"], "conv", pads=[1, 1, 1, 1])
    norm = add("BatchNormalization", [conv, "scale", "bias", "mean", "variance"], "norm")
    relu = add("Relu", [norm], "relu")
    second = add("Conv", [relu, "w"], "conv2", pads=[1, 1, 1, 1])
    two = add("Add", ["one", "one"], "two")
    total = add("Add", [second, last], "sum")
    shifted = add("Add", [total, two], "shifted")
    same = add("Identity", [shifted], "same")
    bent = add("LeakyRelu", [same], "bent")
    turned = add("Softmax", [bent], "soft", axis=1) if i % 10 == 9 else add("Sigmoid", [bent], "squash")
    nodes[-1].output[0] = f"{b}_out"
graph = helper.make_graph(nodes, "blocks", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8, 16, 16])],
                          [helper.make_tensor_value_info(f"block{blocks}_out", TensorProto.FLOAT, [1, 8, 16, 16])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, f"{folder}/blocks.onnx")

graph = helper.make_graph([helper.make_node("Relu", ["x"], ["r"], name="relu"),
                           helper.make_node("Mystery", ["r"], ["y"], name="what", domain="elsewhere")], "unknown",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("elsewhere", 1)], ir_version=8),
          f"{folder}/unknown.onnx")

graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], "missing",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64])], [weight("w", 64, 64)])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), f"{folder}/missing.onnx",
          save_as_external_data=True, location="weights.bin", size_threshold=0)
os.remove(f"{folder}/weights.bin")
