#!/usr/bin/env python3
"""Models with everything that ONNX can say and few models do; each must come back equal.

usage: odd_models.py DIR BIN

BIN has onnx-mlir-translate. Each model goes from .onnx to .onnx directly, and by .mlir text.
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

F = TensorProto.FLOAT


def value(name, dtype=F, shape=(2,)):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, opsets=(("", 21),), ir_version=10, functions=(), **graph):
    made = helper.make_graph(nodes, "g", inputs, outputs, **graph)
    opsets = [helper.make_opsetid(*opset) for opset in opsets]
    return helper.make_model(made, opset_imports=opsets, ir_version=ir_version, functions=list(functions))


def entries(target, **pairs):
    for key, text in pairs.items():
        target.add(key=key, value=text)


def said_of_everything():
    m = model([helper.make_node("Relu", ["x"], ["y"], name="n", doc_string="node")], [value("x")], [value("y")])
    m.producer_name, m.producer_version, m.domain, m.model_version, m.doc_string = "p", "1", "d.e", 7, "model"
    entries(m.metadata_props, b="2", a="1")
    m.metadata_props.add(key="b", value="again")
    g = m.graph
    g.doc_string = "graph"
    entries(g.metadata_props, g="h")
    entries(g.node[0].metadata_props, n="m")
    for info in (g.input[0], g.output[0]):
        info.doc_string = "value"
        info.type.denotation = "IMAGE"
        info.type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
        entries(info.metadata_props, v="w")
    annotation = g.quantization_annotation.add(tensor_name="x")
    entries(annotation.quant_parameter_tensor_names, SCALE_TENSOR="s", ZERO_POINT_TENSOR="z")
    g.quantization_annotation.add(tensor_name="of nothing")
    g.value_info.append(value("of nothing", shape=["N", None, 3]))
    m.training_info.add().algorithm.name = "algorithm"
    m.configuration.add(name="c", num_devices=2, device=["a", "b"])
    configuration = g.node[0].device_configurations.add(configuration_id="c", pipeline_stage=1)
    configuration.sharding_spec.add(tensor_name="x", device=[0, 1])
    return m


def present_but_empty():
    m = model([helper.make_node("Relu", ["x"], ["y"])], [value("x")], [value("y")])
    m.producer_name = m.producer_version = m.domain = m.doc_string = ""
    m.model_version = 0
    m.graph.doc_string = m.graph.name = ""
    node = m.graph.node[0]
    node.name = node.doc_string = node.domain = node.overload = ""
    m.graph.input[0].doc_string = ""
    m.graph.input[0].type.denotation = ""
    m.graph.output[0].type.tensor_type.shape.dim[0].dim_param = ""
    return m


def opsets():
    m = model([helper.make_node("Relu", ["x"], ["h"], domain="ai.onnx"), helper.make_node("Op", ["h"], ["y"], domain="z.z")],
              [value("x")], [value("y")], opsets=[("z.z", 3), ("not.used", 1), ("ai.onnx", 21), ("ai.onnx.ml", 3)])
    m.opset_import.add(version=21)  # once more, and without a domain
    return m


def types():
    m = model([helper.make_node("Op", ["a", "b", "c", "d", "e", "f"], ["y"], domain="c")], [value("a", shape=None), value("b", shape=[])],
              [onnx.ValueInfoProto(name="y")], opsets=[("", 21), ("c", 1)])
    tensor = helper.make_tensor_type_proto(F, ["N", 2, None])
    for name, made in {
            "c": helper.make_sequence_type_proto(tensor), "d": helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor)),
            "e": helper.make_map_type_proto(TensorProto.STRING, tensor), "f": helper.make_sparse_tensor_type_proto(F, ["M", 4])}.items():
        m.graph.input.append(helper.make_value_info(name, made))
    m.graph.input[0].type.denotation = "T"
    dims = value("g").type.tensor_type.shape.dim
    m.graph.value_info.append(value("y", shape=[3]))
    m.graph.value_info[0].type.tensor_type.shape.dim.add().dim_value = -1
    m.graph.value_info[0].type.tensor_type.shape.dim.add().dim_value = 0
    assert dims
    return m


def tensors():
    """Every element type, in raw_data and in its typed field, as initializer and as attribute."""
    nodes, initializers = [], []
    for dtype in TensorProto.DataType.values():
        if dtype in (TensorProto.UNDEFINED, TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2):  # no Constant can have these
            continue
        kind = helper.tensor_dtype_to_np_dtype(dtype)
        for count in (0, 3, 300):
            data = [str(i) for i in range(count)] if dtype == TensorProto.STRING else (np.arange(count) % 2).astype(kind)
            typed = helper.make_tensor("", dtype, [count], data)
            both = [typed]
            if dtype != TensorProto.STRING:
                both.append(numpy_helper.from_array(np.asarray(data, kind)))
            for tensor in both:
                tensor.ClearField("name")
                nodes.append(helper.make_node("Constant", [], [f"c{len(nodes)}"], value=tensor))
                named = TensorProto(name=f"i{len(initializers)}")
                named.MergeFrom(tensor)
                initializers.append(named)
    initializers[0].doc_string = "initializer"
    entries(initializers[1].metadata_props, k="v")
    initializers[2].data_location = TensorProto.DEFAULT
    nodes[0].attribute[0].t.name = "named"
    nodes[1].attribute[0].t.doc_string = "tensor"
    nodes[2].attribute[0].doc_string = "attribute"
    scalar = helper.make_tensor("s", F, [], [1.5])
    return model(nodes + [helper.make_node("Identity", ["s"], ["y"])], [], [value("y", shape=[])], initializer=initializers + [scalar])


def attributes():
    sparse = helper.make_sparse_tensor(helper.make_tensor("", F, [2], [1.0, 2.0]), helper.make_tensor("", TensorProto.INT64, [2], [0, 3]), [5])
    tensor = helper.make_tensor("t", F, [1], [1.0])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["r"])], "inner", [], [value("r")])
    node = helper.make_node("Op", ["x"], ["y"], domain="c", z=1, a=2.5, f=float("nan"), s="text", b=b"\x00\xff", i=[1, 2], m=[0.5], n=["p", "q"],
                            t=tensor, ts=[tensor, tensor], sp=sparse, sps=[sparse], g=graph, gs=[graph, graph], tp=value("x").type, tps=[value("x").type])
    node.attribute.add(name="empty", type=AttributeProto.INTS)
    node.attribute.add(name="empty2", type=AttributeProto.STRINGS)
    node.attribute.add(name="empty3", type=AttributeProto.FLOATS)
    node.attribute.add(name="unset", type=AttributeProto.INT)
    node.attribute.add(name="documented", type=AttributeProto.INT, i=1, doc_string="d")
    node.attribute.add(name="documented graph", type=AttributeProto.GRAPH, doc_string="d").g.CopyFrom(graph)
    return model([node], [value("x")], [value("y")], opsets=[("", 21), ("c", 1)])


def untyped():
    """The first IR version had no types of attributes."""
    node = helper.make_node("Op", ["x"], ["y"], domain="c")
    node.attribute.add(name="untyped", i=3)
    return model([node], [value("x")], [value("y")], opsets=[("", 1), ("c", 1)], ir_version=1)


def absent():
    nodes = [helper.make_node("Clip", ["x", "", ""], ["h"]), helper.make_node("Clip", ["h", "", "m"], ["k"]),
             helper.make_node("Op", ["", "k", ""], ["", "y", ""], domain="c"), helper.make_node("Dropout", ["x"], ["d", ""]),
             helper.make_node("TopK", ["x", "one"], ["values", "indices"]), helper.make_node("Split", ["x"], ["", "part"], num_outputs=2)]
    return model(nodes, [value("x"), value("m", shape=[])], [value("y"), value("indices", TensorProto.INT64, [1])], opsets=[("", 21), ("c", 1)],
                 initializer=[helper.make_tensor("one", TensorProto.INT64, [1], [1])])


def interface():
    """Initializers as inputs and as outputs, inputs as outputs, an output that is listed twice."""
    w = helper.make_tensor("w", F, [2], [1, 2])
    sparse = helper.make_sparse_tensor(helper.make_tensor("q", F, [1], [1.0]), helper.make_tensor("", TensorProto.INT64, [1], [0]), [2])
    return model([helper.make_node("Add", ["x", "w"], ["y"]), helper.make_node("Constant", [], ["k"], value_int=3)], [value("x"), value("w"), value("z")],
                 [value("y"), value("y"), value("x"), value("w"), value("v"), value("k", TensorProto.INT64, [])],
                 initializer=[helper.make_tensor("v", F, [2], [3, 4]), w], sparse_initializer=[sparse])


def old():
    """Before IR version 4 initializers are inputs; before 3 there are no opsets."""
    w = helper.make_tensor("w", F, [2], [1, 2])
    m = model([helper.make_node("Add", ["x", "w"], ["y"])], [value("w"), value("x")], [value("y")], initializer=[w], ir_version=2)
    m.ClearField("opset_import")
    return m


def subgraphs():
    """Names that both branches have, also as the node's own results; initializers as results."""
    def branch(op):
        return helper.make_graph([helper.make_node(op, ["x"], ["y"], name="inner")], op, [], [value("y"), value("c")], value_info=[value("y")],
                                 initializer=[helper.make_tensor("c", F, [2], [1, 2])], doc_string="branch")
    node = helper.make_node("If", ["b"], ["y", "x2"], name="inner", else_branch=branch("Relu"), then_branch=branch("Neg"))
    loop = helper.make_graph([helper.make_node("Add", ["v", "x"], ["v_out"]), helper.make_node("Identity", ["c_in"], ["c_out"])], "body",
                             [value("i", TensorProto.INT64, []), value("c_in", TensorProto.BOOL, []), value("v")],
                             [value("c_out", TensorProto.BOOL, []), value("v_out")])
    # What is said of attributes before and behind the subgraph.
    scan = helper.make_node("Scan", ["x"], ["s"])
    each = helper.make_graph([helper.make_node("Neg", ["e"], ["f"])], "each", [value("e", shape=[])], [value("f", shape=[])])
    scan.attribute.extend([helper.make_attribute("num_scan_inputs", 1, "how many"), helper.make_attribute("body", each, "a graph"),
                           helper.make_attribute("scan_input_axes", [0], "along which"), helper.make_attribute("scan_output_axes", [0], "and to")])
    return model([node, helper.make_node("Loop", ["", "b", "y"], ["z"], body=loop), scan], [value("b", TensorProto.BOOL, []), value("x")],
                 [value("z"), value("x2"), value("s")])


def functions():
    attribute = onnx.AttributeProto(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="alpha")
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(attribute)
    weight = numpy_helper.from_array(np.arange(200, dtype=np.float32))
    f = helper.make_function("my", "F", ["a", "o"], ["b"], [leaky, helper.make_node("Constant", [], ["large"], value=weight)],
                             [helper.make_opsetid("", 18)], ["alpha"])
    f.doc_string = "function"
    f.overload = "over"
    entries(f.metadata_props, k="v")
    g = helper.make_function("my", "G", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], [helper.make_opsetid("", 21)],
                             attribute_protos=[helper.make_attribute("beta", 2)])
    unused = helper.make_function("other", "H", ["a"], ["b"], [helper.make_node("G", ["a"], ["b"], domain="my")], [helper.make_opsetid("my", 1)])
    calls = [helper.make_node("F", ["x"], ["h"], domain="my", alpha=0.5, name="call", overload="over"),
             helper.make_node("F", ["h", "x"], ["i"], domain="my", alpha=0.25, overload="over"),
             helper.make_node("G", ["i"], ["y"], domain="my")]
    return model(calls, [value("x")], [value("y")], opsets=[("", 21), ("my", 1)], functions=[unused, f, g])


def spellings():
    """Elements that are spelled as no writer would, and attributes with nothing in them."""
    def identity(tensor):
        tensor.name = f"w{len(initializers)}"
        initializers.append(tensor)
    initializers = []
    for dims, dtype, fields in [
            ([3], TensorProto.BOOL, {"raw_data": b"\0\2\xff"}), ([2], TensorProto.BOOL, {"int32_data": [0, 2]}), ([300], TensorProto.BOOL, {"raw_data": b"\2" * 300}),
            ([2], TensorProto.INT8, {"int32_data": [255, -1]}), ([2], TensorProto.UINT8, {"int32_data": [-1, 255]}),
            ([3], TensorProto.INT4, {"raw_data": b"\x21\xf3"}), ([3], TensorProto.INT4, {"int32_data": [0x21, -1]}), ([601], TensorProto.UINT4, {"raw_data": b"\xff" * 301}),
            ([2], F, {"float_data": [1, 2], "raw_data": b""}), ([0, 3], F, {}), ([], F, {"float_data": [1]})]:
        identity(TensorProto(dims=dims, data_type=dtype, **fields))
    constants = []
    for i, tensor in enumerate(initializers):
        copy = TensorProto()
        copy.CopyFrom(tensor)
        constants.append(helper.make_node("Constant", [], [f"c{i}"], value=copy))
    sparse = onnx.SparseTensorProto(dims=[2, 3], values=TensorProto(name="zeros", data_type=F, dims=[0]))
    op = helper.make_node("Op", ["x"], ["y"], domain="c")
    for kind in ("GRAPHS", "TENSORS", "SPARSE_TENSORS", "TYPE_PROTOS"):
        op.attribute.add(name=kind, type=AttributeProto.AttributeType.Value(kind))
    return model(constants + [op], [value("x")], [value("y")], opsets=[("", 21), ("c", 1)], initializer=initializers, sparse_initializer=[sparse])


def unknown_fields():
    """Of a version to come: field 999 with "hi", also as a group."""
    m = model([helper.make_node("Op", ["x"], ["y"], domain="c", a=1, t=helper.make_tensor("", F, [2], [1, 2]))], [value("x")], [value("y")],
              opsets=[("", 21), ("c", 1)],
              initializer=[helper.make_tensor("w", F, [1], [1]), numpy_helper.from_array(np.ones(300, np.float32), "v")])
    graph = m.graph
    for message in (m, graph, graph.node[0], *graph.node[0].attribute, graph.node[0].attribute[1].t, *graph.initializer, graph.input[0], graph.output[0].type):
        message.MergeFromString(b"\xba\x3e\x02hi" + b"\xc3\x3e\x08\x05\xc4\x3e")
    return m


def pieces():
    """Messages and elements that come in several pieces, as protobuf may be written."""
    def field(number, payload):
        def varint(value):
            return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)
        return varint(number << 3 | 2) + varint(len(payload)) + payload
    numbers = np.arange(200, dtype=np.float32)
    half, rest = (part.tobytes() for part in (numbers[:100], numbers[100:]))
    header = TensorProto(dims=[200], data_type=F).SerializeToString()
    tensors = [field(8, b"a") + header + field(4, half) + field(4, rest), field(8, b"b") + header + field(9, half) + field(9, numbers.tobytes())]
    attribute = field(1, b"value") + field(5, header + field(4, half)) + b"\xa0\x01\x04" + field(5, field(4, rest))
    node = field(2, b"c") + field(4, b"Constant") + field(5, attribute)
    m = model([helper.make_node("Sum", ["a", "b", "c"], ["y"])], [], [value("y", shape=[200])])
    graph = m.graph.SerializeToString()
    m.ClearField("graph")
    return field(7, b"".join(field(5, tensor) for tensor in tensors)) + m.SerializeToString() + field(7, field(1, node) + graph)


def check(name, made, folder, tools):
    source, result, text = folder / f"{name}.onnx", folder / f"{name}.back.onnx", folder / f"{name}.mlir"
    inOrder = not isinstance(made, bytes)
    source.write_bytes(made.SerializeToString() if inOrder else made)
    made = onnx.load(source)
    translate = f"{tools}/onnx-mlir-translate"
    ways = [[[translate, "--mlir-to-onnx", source, "-o", result]],
            [[translate, "--onnx-to-mlir", "--keep-defaults", "--mlir-print-debuginfo", source, "-o", text], [translate, "--mlir-to-onnx", text, "-o", result]]]
    for steps in ways:
        result.unlink(missing_ok=True)
        for step in steps:
            subprocess.run(step, check=True)
        back = onnx.load(result)
        if back != made:
            import difflib
            print(f"{name}: {'by text' if len(steps) == 2 else 'directly'}")
            print("\n".join(difflib.unified_diff(str(made).splitlines(), str(back).splitlines(), lineterm="", n=3)))
            return
        if inOrder and result.read_bytes() != source.read_bytes():
            print(f"{name}: equal, but written in another order")
            return
    print(f"{name}: equal")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (said_of_everything, present_but_empty, opsets, types, tensors, attributes, untyped, absent, interface, old, subgraphs, functions,
                 spellings, unknown_fields, pieces):
        check(make.__name__, make(), folder, sys.argv[2])
