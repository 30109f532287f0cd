"""onnxc.check and onnxc.inspect, of all forms of a model."""
import numpy
import onnx
import onnxc
from onnx import TensorProto, helper

weights = onnx.numpy_helper.from_array(numpy.ones([4, 8], "float32"), "w")


def make(nodes, **more):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], **more)


product = helper.make_node("MatMul", ["x", "w"], ["p"], name="product")
good = make([product, helper.make_node("Relu", ["p"], ["y"], name="relu")])
report = onnxc.check(good)
print("good:", report["valid"], report["supported"], report["model"])
print("bytes:", onnxc.check(good.SerializeToString())["supported"])

bad = make([product, helper.make_node("Relu", ["q"], ["r"], name="relu"), helper.make_node("Odd", ["p"], ["y"])])
report = onnxc.check(bad)
print("bad:", report["valid"], [fault["node"] for fault in report["faults"]],
      [row["op"] for row in report["unsupported"]])
print("dims:", onnxc.check(good, dims={"M": 2})["faults"][0]["message"])
print("junk:", onnxc.check(b"\x00\x01junk")["valid"])

summary = onnxc.inspect(good)
print("open:", summary["cost"]["macs"], summary["cost"]["macs_formula"], summary["parameters"]["elements"])
print("closed:", onnxc.inspect(good, dims={"N": 3})["cost"]["macs"],
      onnxc.inspect(good, shapes={"x": [3, None]})["outputs"][0]["shape"])
print("pictures:", [onnxc.inspect(good, graph=kind).lstrip()[:8] for kind in ("svg", "html", "dot")])
for call in (lambda: onnxc.inspect(b"junk"), lambda: onnxc.inspect(good, graph="png"),
             lambda: onnxc.check(good, opt_level=9), lambda: onnxc.inspect(good, dims={"M": 1})):
    try:
        call()
    except onnxc.Error as error:
        print("error:", error)
session = onnxc.InferenceSession(good, dims={"N": 3})
print("compiled for:", session.get_inputs()[0].shape)
