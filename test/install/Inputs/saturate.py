"""Makes a model with an operator of com.acme; runs the compiled one.

usage: saturate.py make MODEL.onnx [LIMIT] | run MODEL.so

LIMIT is the attribute limit, none for a model without it.
"""

import sys

command, path, limit = [*sys.argv[1:], "1.5"][:3]
if command == "make":
    import onnx
    from onnx import TensorProto, helper

    attributes = {} if limit == "none" else {"limit": float(limit) if "." in limit else int(limit)}
    nodes = [helper.make_node("Saturate", ["x"], ["y"], name="cap", domain="com.acme", **attributes), helper.make_node("Neg", ["y"], ["z"])]
    graph = helper.make_graph(nodes, "acme", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n"])])
    onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.acme", 1)]), path)
else:
    import numpy
    import onnxc

    x = numpy.array([-3, -1.5, -1, 0.25, 2], numpy.float32)
    z, = onnxc.InferenceSession(path).run(None, {"x": x})
    assert numpy.array_equal(z, -numpy.clip(x, -1.5, 1.5)), z
