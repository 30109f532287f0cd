"""Writes here product.onnx, convolution.onnx, open.onnx (a product of any number of rows), and files of tuned schedules for the
product at x86-64-v3, right ones and wrong ones."""

import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)


def save(name, nodes, shapes, weights):
    floats = [helper.make_tensor_value_info(value, TensorProto.FLOAT, shape) for value, shape in shapes.items()]
    weights = [numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), value) for value, shape in weights.items()]
    graph = helper.make_graph(nodes, name, floats[:1], floats[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name + ".onnx")


save("product", [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], {"x": [48, 64], "y": [48, 96]}, {"w": [64, 96]})
save("open", [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], {"x": ["n", 64], "y": ["n", 96]}, {"w": [64, 96]})
save("convolution", [
    helper.make_node("Conv", ["x", "u"], ["h"], name="first", pads=[1, 1, 1, 1]),
    helper.make_node("Relu", ["h"], ["r"]),
    helper.make_node("Conv", ["r", "v"], ["y"], name="second", strides=[2, 2])
], {"x": [1, 8, 30, 30], "y": [1, 64, 15, 15]}, {"u": [32, 8, 3, 3], "v": [64, 32, 1, 1]})

V3 = "x86-64-v3: 16 registers of 32 bytes fma pmaddubsw pmaddwd pshufb psignb roundps vpermps"
KEY = "matmul rows=48 columns=96 steps=64 f32 f32 to f32 constant"
RIGHT = "#kernel.matmul_schedule<rows = 6, columns = 16>"


def write(name, decisions, version=1, target=V3):
    pathlib.Path(name).write_text(json.dumps({"onnxc_tuning": version, "machine": "test", "targets": {target: decisions}}))


write("right.json", {KEY: RIGHT})
write("two words.json", {KEY: RIGHT})
write("other.json", {KEY: RIGHT, KEY.replace("48", "7"): RIGHT})
write("version.json", {KEY: RIGHT}, version=2)
write("text.json", {KEY: "#kernel.matmul_schedule<rows = 6, banana>"})
write("wrong.json", {KEY: RIGHT.replace("16", "20")})
write("kind.json", {KEY: "#kernel.conv_schedule<rows = 1, columns = 6>"})
pathlib.Path("else.json").write_text("{}")
