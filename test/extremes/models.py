# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid models with one extreme: a number, or a count of operands, results,
nodes or levels. A case is a line, which names what make() builds:

    number OP attribute NAME PLACE VALUE    an element of an integer attribute
    number OP input NUMBER PLACE VALUE      an element of a constant integer input
    operands OP COUNT, results OP COUNT, chain OP COUNT, wide OP COUNT,
    depth OP COUNT
    work OP VALUE                           attributes that together ask for work, of few elements
"""

import functools
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx-node"))
import cases as node_cases  # noqa: E402

VALUES = [0, -1, 2**31 - 1, 2**31, 2**62, 2**63 - 1, -2**63]
COUNT = 10_000
# What a level of nesting costs is stack of every pass that walks operations.
DEPTHS = [10, 64, 65, 1000, 10_000]
OPSET = 23
# Their sizes are what they are for: a run would only wait.
SLOW_TO_RUN = {"Loop", "Scan"}


@functools.cache
def node_models():
    """{operator: its smallest case}, of those that have one node."""
    best = {}
    for case in node_cases.load_cases().values():
        if len(case.ops) != 1 or "_expanded" in case.name or case.kind != "node":
            continue
        size = len(case.model) + sum(np.asarray(array, dtype=object).size for inputs, _ in case.data_sets for array in inputs)
        op = case.ops[0]
        if op not in best or size < best[op][0]:
            best[op] = (size, case)
    return {op: case for op, (_, case) in sorted(best.items())}


def _schema(op):
    domain, _, name = op.rpartition(".")
    return onnx.defs.get_schema(name, domain)


def _node(model, op):
    return next(node for node in model.graph.node if node.op_type == op.rpartition(".")[2])


def _integers(array):
    return isinstance(array, np.ndarray) and array.dtype in (np.int32, np.int64) and array.size > 0


def list_cases():
    lines = []
    for op, case in node_models().items():
        schema = _schema(op)
        model = onnx.ModelProto.FromString(case.model)
        present = {attribute.name: attribute for attribute in _node(model, op).attribute}
        for name, attribute in sorted(schema.attributes.items()):
            kind = attribute.type
            if kind not in (onnx.defs.OpSchema.AttrType.INT, onnx.defs.OpSchema.AttrType.INTS):
                continue
            places = 1 if kind == onnx.defs.OpSchema.AttrType.INT else max(1, len(present[name].ints) if name in present else 1)
            for place in sorted({0, places - 1}):
                lines += [f"number {op} attribute {name} {place} {value}" for value in VALUES]
        for number, array in enumerate(case.data_sets[0][0]):
            if _integers(array):
                for place in sorted({0, array.size - 1}):
                    lines += [f"number {op} input {number} {place} {value}" for value in VALUES
                              if np.iinfo(array.dtype).min <= value <= np.iinfo(array.dtype).max]
    for op in ("Concat", "Sum", "Mean", "Max", "Min", "SequenceConstruct", "Einsum", "ConcatZeros"):
        lines.append(f"operands {op} {COUNT}")
    for op in ("Split", "SplitToSequence", "Loop", "Scan", "If"):
        lines += [f"results {op} {count}" for count in ((1000, COUNT) if op == "Split" else (1000,))]
    for op in ("Neg", "Exp", "Softmax", "Transpose", "Reshape", "MatMul", "Identity", "ReduceSum", "Relu", "Add", "Shape"):
        lines.append(f"chain {op} {COUNT if op in ('Neg', 'Identity', 'Add') else 2000}")
    for op in ("Neg", "MatMul", "Slice"):
        lines.append(f"wide {op} 2000")
    for op in ("If", "Loop", "Function"):
        lines += [f"depth {op} {depth}" for depth in DEPTHS]
    for op in ("AveragePool", "MaxPool", "LpPool", "RoiAlign", "TfIdfVectorizer", "ConvTranspose"):
        lines += [f"work {op} {value}" for value in (2**20, 2**40, 2**62)]
    return lines


def make(line):
    """The model, and inputs that it can run with."""
    kind, op, *rest = line.split()
    return globals()[f"_make_{kind}"](op, *rest)


def _make_number(op, where, what, place, value):
    case = node_models()[op]
    model = onnx.ModelProto.FromString(case.model)
    inputs = [np.asarray(array) if isinstance(array, np.generic) else array for array in case.data_sets[0][0]]
    place, value = int(place), int(value)
    node = _node(model, op)
    if where == "attribute":
        old = next((attribute for attribute in node.attribute if attribute.name == what), None)
        if _schema(op).attributes[what].type == onnx.defs.OpSchema.AttrType.INT:
            new = helper.make_attribute(what, value)
        else:
            numbers = list(old.ints) if old is not None else [0]
            numbers[place] = value
            new = helper.make_attribute(what, numbers)
        if old is not None:
            node.attribute.remove(old)
        node.attribute.append(new)
        _forget_outputs(model)
        return model, inputs
    number = int(what)
    array = np.array(inputs[number])
    array.flat[place] = value
    declared = model.graph.input[number]
    model.graph.initializer.append(numpy_helper.from_array(array, declared.name))
    del model.graph.input[number]
    model.ir_version = max(model.ir_version, 4)
    _forget_outputs(model)
    return model, inputs[:number] + inputs[number + 1:]


def _forget_outputs(model):
    """Sizes of results that the number changes."""
    for value in model.graph.output:
        for part in (value.type.tensor_type, value.type.sequence_type.elem_type.tensor_type,
                     value.type.optional_type.elem_type.tensor_type):
            if part.HasField("shape"):
                for dim in part.shape.dim:
                    dim.Clear()


def _value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def _model(nodes, inputs, outputs, functions=(), initializers=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", OPSET)] + ([helper.make_opsetid("own", 1)] if functions else [])
    return helper.make_model(graph, ir_version=10, opset_imports=imports, functions=list(functions))


X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4


def _make_operands(op, count):
    names = ["x"] * int(count)
    if op == "Einsum":
        node = helper.make_node(op, names[:50], ["y"], equation=",".join(["ij"] * 50) + "->ij")
    elif op == "ConcatZeros":
        node = helper.make_node("Concat", ["x"] + ["z"] * (len(names) - 1), ["y"], axis=0)
        zero = numpy_helper.from_array(np.zeros((0, 3), np.float32), "z")
        return _model([node], [_value("x", [2, 3])], [_value("y", None)], initializers=[zero]), [X]
    elif op == "SequenceConstruct":
        nodes = [helper.make_node(op, names, ["s"]), helper.make_node("SequenceLength", ["s"], ["y"])]
        return _model(nodes, [_value("x", [2, 3])], [_value("y", [], TensorProto.INT64)]), [X]
    else:
        node = helper.make_node(op, names, ["y"], **({"axis": 0} if op == "Concat" else {}))
    return _model([node], [_value("x", [2, 3])], [_value("y", None)]), [X]


def _make_results(op, count):
    count = int(count)
    names = [f"y{i}" for i in range(count)]
    if op == "Split":
        array = np.arange(count * 2, dtype=np.float32).reshape(count, 2)
        node = helper.make_node(op, ["x"], names, num_outputs=count, axis=0)
        return _model([node], [_value("x", [count, 2])], [_value(name, None) for name in names]), [array]
    if op == "SplitToSequence":
        array = np.arange(count, dtype=np.float32)
        nodes = [helper.make_node(op, ["x"], ["s"]), helper.make_node("SequenceLength", ["s"], ["y"])]
        return _model(nodes, [_value("x", [count])], [_value("y", [], TensorProto.INT64)]), [array]
    inner = [f"a{i}" for i in range(count)]
    steps = [helper.make_node("Neg", [a if op != "If" else "x"], [f"b{i}"]) for i, a in enumerate(inner)]
    results = [_value(f"b{i}", [3]) for i in range(count)]
    outputs = [_value(name, [3]) for name in names]
    if op == "If":
        other = [helper.make_node("Abs", ["x"], [f"c{i}"]) for i in range(count)]
        node = helper.make_node(op, ["k"], names, then_branch=helper.make_graph(steps, "t", [], results),
                                else_branch=helper.make_graph(other, "e", [], [_value(f"c{i}", [3]) for i in range(count)]))
        return (_model([node], [_value("k", [], TensorProto.BOOL), _value("x", [3])], outputs),
                [np.array(True), X[0]])
    states = [_value(name, [3]) for name in inner]
    if op == "Scan":
        body = helper.make_graph(steps, "b", states + [_value("each", [3])], results)
        node = helper.make_node(op, ["x"] * count + ["rows"], names, body=body, num_scan_inputs=1)
        return _model([node], [_value("x", [3]), _value("rows", [2, 3])], outputs), [X[0], X]
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"]), *steps], "b",
                             [_value("i", [], TensorProto.INT64), _value("c", [], TensorProto.BOOL), *states],
                             [_value("d", [], TensorProto.BOOL), *results])
    node = helper.make_node(op, ["n", ""] + ["x"] * count, names, body=body)
    return _model([node], [_value("n", [], TensorProto.INT64), _value("x", [3])], outputs), [np.array(3), X[0]]


def _make_chain(op, count):
    nodes, last = [], "x"
    constants = [numpy_helper.from_array(np.array([3, 3]), "size"), numpy_helper.from_array(np.eye(3, dtype=np.float32), "eye"),
                 numpy_helper.from_array(np.array([0]), "axes")]
    for i in range(int(count)):
        more = {"MatMul": ["eye"], "Reshape": ["size"], "Add": ["x"], "ReduceSum": ["axes"]}.get(op, [])
        attributes = {"keepdims": 1} if op == "ReduceSum" else {}
        if op == "Shape":
            # Sizes that are computed from sizes.
            nodes += [helper.make_node("Shape", [last], [f"s{i}"]), helper.make_node("Reshape", [last, f"s{i}"], [f"v{i}"])]
        else:
            nodes.append(helper.make_node(op, [last, *more], [f"v{i}"], **attributes))
        last = f"v{i}"
    nodes.append(helper.make_node("Identity", [last], ["y"]))
    square = np.arange(9, dtype=np.float32).reshape(3, 3) / 16
    return _model(nodes, [_value("x", ["n", 3] if op == "Shape" else [3, 3])], [_value("y", None)], initializers=constants), [square]


def _make_wide(op, count):
    nodes = []
    constants = [numpy_helper.from_array(np.array([0]), "zero"), numpy_helper.from_array(np.array([2]), "two")]
    for i in range(int(count)):
        more = {"MatMul": ["x"], "Slice": ["zero", "two"]}.get(op, [])
        nodes.append(helper.make_node(op, ["x", *more], [f"v{i}"]))
        nodes.append(helper.make_node("Mul", [f"v{i}", f"v{i}"], [f"w{i}"]))
    nodes.append(helper.make_node("Sum", [f"w{i}" for i in range(int(count))], ["y"]))
    square = np.arange(9, dtype=np.float32).reshape(3, 3) / 16
    return _model(nodes, [_value("x", [3, 3])], [_value("y", None)], initializers=constants), [square]


def _make_work(op, value):
    value = int(value)
    row = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
    if op == "TfIdfVectorizer":  # gaps between two elements
        x, options = np.arange(6), {"mode": "TF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": value, "ngram_counts": [0, 2],
                                    "ngram_indexes": [0, 1, 2, 3], "pool_int64s": [1, 2, 1, 2, 3, 4]}
    elif op == "RoiAlign":  # samples of an element
        x, options = np.ones((1, 1, 4, 4), np.float32), {"output_height": 1, "output_width": 1, "sampling_ratio": value}
    elif op == "ConvTranspose":  # steps that the padding takes away
        x, options = row, {"pads": [value, value], "strides": [value]}
    else:  # a window that is mostly padding
        x, options = row, {"kernel_shape": [value + 1], "pads": [value // 2, value // 2]}
    more = {"RoiAlign": [np.array([[0, 0, 3, 3]], np.float32), np.array([0])],
            "ConvTranspose": [np.ones((1, 1, 1), np.float32)]}.get(op, [])
    constants = [numpy_helper.from_array(array, f"c{i}") for i, array in enumerate(more)]
    node = helper.make_node(op, ["x", *(c.name for c in constants)], ["y"], name="n", **options)
    return _model([node], [_value("x", x.shape, helper.np_dtype_to_tensor_dtype(x.dtype))], [_value("y", None)], initializers=constants), [x]


def _make_depth(op, depth):
    depth = int(depth)
    if op == "Function":
        functions = []
        for i in range(depth):
            inner = helper.make_node("Neg", ["a"], ["b"]) if i == 0 else helper.make_node(f"f{i - 1}", ["a"], ["b"], domain="own")
            functions.append(helper.make_function("own", f"f{i}", ["a"], ["b"], [inner],
                                                  [helper.make_opsetid("", OPSET), helper.make_opsetid("own", 1)]))
        node = helper.make_node(f"f{depth - 1}", ["x"], ["y"], domain="own")
        return _model([node], [_value("x", [2, 3])], [_value("y", [2, 3])], functions), [X]
    # Python's protobuf refuses to read such messages; they are put together here.
    inner, last = _field(1, helper.make_node("Neg", ["x"], ["v"])), "v"
    for i in range(depth):
        states = [_value(f"i{i}", [], TensorProto.INT64), _value(f"c{i}", [], TensorProto.BOOL), _value(f"a{i}", [2, 3])]
        outputs = [_value(last, [2, 3])]
        if op == "If":
            other = helper.make_graph([helper.make_node("Abs", ["x"], [f"e{i}"])], f"h{i}", [], [_value(f"e{i}", [2, 3])])
            node = helper.make_node("If", ["k"], [f"y{i}"], else_branch=other)
            graph, name = helper.make_graph([], f"g{i}", [], outputs), "then_branch"
        else:
            node = helper.make_node("Loop", ["", "k", "x"], [f"y{i}"])
            graph = helper.make_graph([helper.make_node("Not", [f"c{i}"], [f"d{i}"])], f"g{i}", states,
                                      [_value(f"d{i}", [], TensorProto.BOOL), *outputs])
            name = "body"
        attribute = onnx.AttributeProto(name=name, type=onnx.AttributeProto.GRAPH)
        inner = _field(1, node.SerializeToString() + _field(5, attribute.SerializeToString() + _field(
            6, graph.SerializeToString() + inner)))
        last = f"y{i}"
    model = _model([], [_value("k", [], TensorProto.BOOL), _value("x", [2, 3])], [_value("y", [2, 3])])
    graph = model.graph.SerializeToString() + inner + _field(1, helper.make_node("Identity", [last], ["y"]))
    model.ClearField("graph")
    return model.SerializeToString() + _field(7, graph), [np.array(True), X]


def _field(number, content):
    """A field that holds a message, as protobuf writes it."""
    content = content if isinstance(content, bytes) else content.SerializeToString()
    length, size = b"", len(content)
    while size >= 128:
        length += bytes([size % 128 + 128])
        size //= 128
    return bytes([number * 8 + 2]) + length + bytes([size]) + content
