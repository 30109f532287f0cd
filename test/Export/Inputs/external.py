#!/usr/bin/env python3
"""usage: external.py DIR make | external.py DIR same MODEL OTHER WEIGHTS

make: writes model.onnx. same: OTHER is MODEL but for where the large weights are, which is
the file WEIGHTS, or the model itself ("-").
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
if sys.argv[2] == "make":
    weights = [numpy_helper.from_array(np.arange(60000, dtype=np.float32), "w"), numpy_helper.from_array(np.ones(4, np.float32), "small"),
               helper.make_tensor("typed", TensorProto.FLOAT, [600], np.arange(600)), numpy_helper.from_array(np.array(["a"] * 2000), "texts")]
    graph = helper.make_graph([helper.make_node("Identity", [w.name], [f"y_{w.name}"]) for w in weights], "g", [],
                              [helper.make_tensor_value_info(f"y_{w.name}", w.data_type, list(w.dims)) for w in weights], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")
else:
    model, other = (onnx.load(folder / name) for name in sys.argv[3:5])
    onnx.checker.check_model(folder / sys.argv[4], full_check=True)
    raw = onnx.load(folder / sys.argv[4], load_external_data=False)
    files = {tensor.name: tensor.external_data[0].value for tensor in raw.graph.initializer if tensor.external_data}
    assert files == ({} if sys.argv[5] == "-" else {"w": sys.argv[5], "typed": sys.argv[5]}), files
    for before, after in zip(model.graph.initializer, other.graph.initializer, strict=True):
        np.testing.assert_array_equal(numpy_helper.to_array(before), numpy_helper.to_array(after))
        for tensor in (before, after):
            tensor.Clear()
    assert model == other
