"""Writes add.onnx (sum = a + b, with broadcasting) and arrays for it into the
directory given."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

folder = pathlib.Path(sys.argv[1])
graph = helper.make_graph(
    [helper.make_node("Add", ["a", "b"], ["sum"], name="add")], "add",
    [helper.make_tensor_value_info("a", TensorProto.FLOAT, [2, 3]),
     helper.make_tensor_value_info("b", TensorProto.FLOAT, [3])],
    [helper.make_tensor_value_info("sum", TensorProto.FLOAT, [2, 3])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 8
onnx.save(model, folder / "add.onnx")

a = np.arange(6, dtype=np.float32).reshape(2, 3)
b = np.array([10, 20, 30], np.float32)
np.savez(folder / "both.npz", a=a, b=b)
np.savez_compressed(folder / "compressed.npz", a=a, b=b)
np.save(folder / "a.npy", a)
np.save(folder / "b.npy", b)
np.save(folder / "a_columns.npy", np.asfortranarray(a))
np.save(folder / "b_double.npy", b.astype(np.float64))
