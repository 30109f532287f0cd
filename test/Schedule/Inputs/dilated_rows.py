"""Writes rows.onnx: two convolutions of a row whose taps lie 4 apart, with pads of 8 and of 7 in front, and a Relu behind the first."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = np.random.default_rng(0).standard_normal((64, 64, 3)).astype("f4")
nodes, outputs = [], []
for name, pad, result in (("multiple", 8, "sums"), ("other", 7, "y")):
    nodes.append(helper.make_node("Conv", ["x", "w"], [result], name=name, dilations=[4], pads=[pad, 0]))
nodes.append(helper.make_node("Relu", ["sums"], ["z"], name="relu"))
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 64, size]) for name, size in (("y", 127), ("z", 128))]
graph = helper.make_graph(nodes, "rows", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 128])], outputs,
                          [numpy_helper.from_array(weights, "w")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "rows.onnx")
