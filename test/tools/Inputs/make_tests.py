"""Writes sum.onnx (t = Exp(x), s = ReduceSum(t), y = Neg(s)) with ONNX's own test
data beside it, into the directory given: right ones in good/, a wrong output in
bad/, and in.npz, out.npz, y.npy.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
nodes = [helper.make_node("Exp", ["x"], ["t"], name="exp"), helper.make_node("ReduceSum", ["t"], ["s"], name="sum", keepdims=0),
         helper.make_node("Neg", ["s"], ["y"], name="neg")]
graph = helper.make_graph(nodes, "sum", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

x = np.linspace(-2, 2, 1001, dtype=np.float32)
y = -np.exp(x.astype(np.float64)).sum(dtype=np.float64).astype(np.float32)
for name, output in ("good", y), ("bad", y + np.float32(40)):
    (folder / name / "test_data_set_0").mkdir(parents=True)
    onnx.save(model, folder / name / "sum.onnx")
    for kind, value in ("input", x), ("output", output):
        tensor = numpy_helper.from_array(np.asarray(value), "x" if kind == "input" else "")
        (folder / name / "test_data_set_0" / f"{kind}_0.pb").write_bytes(tensor.SerializeToString())
onnx.save(model, folder / "sum.onnx")
np.savez(folder / "in.npz", x=x)
np.savez(folder / "out.npz", y=y)
np.savez(folder / "wrong.npz", y=y + np.float32(40), z=y)
np.save(folder / "y.npy", y)
np.save(folder / "double.npy", y.astype(np.float64))
