"""Writes layers.onnx (a product, an activation, the largest of each row) into
the directory given."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
     helper.make_node("Relu", ["h"], ["r"], name="activation"),
     helper.make_node("TopK", ["r", "k"], ["values", "places"], name="largest")],
    "layers",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
    [helper.make_tensor_value_info("values", TensorProto.FLOAT, ["n", 3]),
     helper.make_tensor_value_info("places", TensorProto.INT64, ["n", 3])],
    [numpy_helper.from_array(
        rng.standard_normal((64, 512)).astype(np.float32), "w"),
     numpy_helper.from_array(np.array([3], np.int64), "k")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 8
onnx.save(model, pathlib.Path(sys.argv[1]) / "layers.onnx")
