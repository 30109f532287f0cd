"""Prints which tensors of a network of 8-bit integers bench/early.py compares, and how it counts differences."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path[:0] = [sys.argv[1], str(pathlib.Path(sys.argv[1]).parent / "test" / "support")]
from bench import early  # noqa: E402

path = pathlib.Path(sys.argv[2])
nodes = [
    helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["xq"]),  # depends on no product
    helper.make_node("DequantizeLinear", ["xq", "scale", "zero"], ["xd"]),
    helper.make_node("MatMul", ["xd", "w"], ["y"]),
    helper.make_node("QuantizeLinear", ["y", "scale", "zero"], ["first"]),
    helper.make_node("DequantizeLinear", ["first", "scale", "zero"], ["yd"]),
    helper.make_node("Add", ["yd", "other"], ["sum"]),
    helper.make_node("QuantizeLinear", ["sum", "scale", "zero"], ["second"]),
    helper.make_node("DequantizeLinear", ["second", "scale", "zero"], ["end"]),
    helper.make_node("Relu", ["late"], ["unused"]),
]
tensors = [numpy_helper.from_array(np.float32(0.1), "scale"), numpy_helper.from_array(np.uint8(3), "zero"),
           numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")]
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4])
graph = helper.make_graph(nodes, "g", [value("x"), value("other"), value("late")], [value("end"), value("unused")], tensors)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)

cut = path.with_suffix(".cut.onnx")
print("cut", early.cut(path, cut))
model = onnx.load(cut)
onnx.checker.check_model(model, full_check=True)
print("inputs", *[value.name for value in model.graph.input])
print("outputs", *[f"{value.name}:{value.type.tensor_type.elem_type}" for value in model.graph.output])
print("nodes", *[node.output[0] for node in model.graph.node])

a = (np.arange(1000) % 250).astype(np.uint8)
off = a.copy()
off[7] += 2
print("a step", early.part_off([a], [a + np.uint8(1)]), "and more", early.part_off([a, off], [a, a]), "another shape", early.part_off([a], [a[1:]]))

del graph.node[:]
graph.node.append(helper.make_node("Relu", ["x"], ["end"]))
del graph.output[1:]
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
print("floats", early.cut(path, cut))

# Operators of com.microsoft: the last zero point is that of the result.
tensors += [numpy_helper.from_array(np.int8(1), "signed"), numpy_helper.from_array(np.eye(4, dtype=np.uint8), "bytes")]
del graph.node[:]
graph.node.extend([
    helper.make_node("QGemm", ["x", "scale", "zero", "bytes", "scale", "zero"], ["floats"], domain="com.microsoft"),
    helper.make_node("QGemm", ["x", "scale", "zero", "bytes", "scale", "zero", "", "scale", "signed"], ["gemm"], domain="com.microsoft"),
    helper.make_node("QLinearAdd", ["gemm", "scale", "signed", "gemm", "scale", "signed", "scale", "zero"], ["last"], domain="com.microsoft"),
    helper.make_node("Relu", ["x"], ["end"])])
del graph.initializer[:]
graph.initializer.extend(tensors)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]), path)
print("contributed", early.cut(path, cut), *[f"{value.name}:{value.type.tensor_type.elem_type}" for value in onnx.load(cut).graph.output])
