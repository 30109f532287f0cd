"""Writes rows.onnx: two convolutions of a row whose taps lie 4 apart, with pads of 8 and of 7 in front."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = np.random.default_rng(0).standard_normal((64, 64, 3)).astype("f4")
nodes, outputs = [], []
for name, pad in (("multiple", 8), ("other", 7)):
    nodes.append(helper.make_node("Conv", ["x", "w"], [name], name=name, dilations=[4], pads=[pad, 0]))
    outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 64, 120 + pad]))
graph = helper.make_graph(nodes, "rows", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 128])], outputs,
                          [numpy_helper.from_array(weights, "w")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "rows.onnx")
