"""Makes a model with an operator of com.acme; runs the compiled one.

usage: saturate.py make MODEL.onnx | run MODEL.so
"""

import sys

command, path = sys.argv[1:]
if command == "make":
    import onnx
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Saturate", ["x"], ["y"], domain="com.acme", limit=1.5), helper.make_node("Neg", ["y"], ["z"])]
    graph = helper.make_graph(nodes, "acme", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n"])])
    onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.acme", 1)]), path)
else:
    import numpy
    import onnxc

    x = numpy.array([-3, -1.5, -1, 0.25, 2], numpy.float32)
    z, = onnxc.InferenceSession(path).run(None, {"x": x})
    assert numpy.array_equal(z, -numpy.clip(x, -1.5, 1.5)), z
