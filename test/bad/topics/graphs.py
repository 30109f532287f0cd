# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names, order and arity; operators, domains and operator sets; sizes of whole models."""

import onnx
from onnx import helper

from models import OPSET, bad, f32, field, fine, function, graph, i64, info, model, node, of, tensor

X = {"X": "f32[2]"}


def changed(proto, change):
    change(proto)
    return proto


def relu(**settings):
    return model([node("Relu", "X")], X, **settings)


def chain(count):
    names = ["X"] + [f"t{i}" for i in range(count - 1)] + ["Y"]
    return model([node("Relu" if i % 2 else "Neg", a, b, name=f"n{i}")
                  for i, (a, b) in enumerate(zip(names, names[1:]))], X)


def nested(depth):
    """Ifs within Ifs; the innermost computes. As bytes: protobuf's Python refuses such depths."""
    def outputs(name):
        return onnx.GraphProto(name="g", output=[info(name, "f32[2]")]).SerializeToString()

    def branch(name, content):
        return field(5, onnx.AttributeProto(name=name, type=onnx.AttributeProto.GRAPH).SerializeToString() + field(6, content))

    other = graph([node("Identity", "X", "z", name="other")], outputs={"z": "f32[2]"}).SerializeToString()
    inner = node("Neg", "X", "y", name="innermost").SerializeToString()
    for i in range(depth):
        inner = (node("If", "c", "y", name=f"if{i}").SerializeToString() +
                 branch("then_branch", outputs("y") + field(1, inner)) + branch("else_branch", other))
    whole = model([], dict(X, c="bool[]"), {"y": "f32[2]"})
    content = whole.graph.SerializeToString() + field(1, inner)
    whole.ClearField("graph")
    return whole.SerializeToString() + field(7, content)


def bomb(levels, width=10):
    """Functions that call functions: width ** levels nodes."""
    functions = [function("F0", "x", "y", [node("Neg", "x", "y")])]
    for i in range(1, levels):
        names = ["x"] + [f"t{k}" for k in range(width - 1)] + ["y"]
        functions.append(function(f"F{i}", "x", "y", [node(f"F{i - 1}", a, b, name=f"call{k}", domain="f")
                                                     for k, (a, b) in enumerate(zip(names, names[1:]))]))
    return model([node(f"F{levels - 1}", "X", domain="f", name="top")], X, imports={"": OPSET, "f": 1}, functions=functions)


def calls(functions, nodes, **settings):
    return model(nodes, X, functions=functions, imports={"": OPSET, "f": 1}, **settings)


def cases():
    yield bad("cycle of two", model([node("Relu", "b", "a", name="first"), node("Neg", "a", "b", name="second")],
                                    outputs={"b": "f32[2]"}), "node 'first' (Relu): input 0 'b'", "node 'second' (Neg)")
    yield bad("cycle of itself", model([node("Add", "X Y", name="self")], X), "node 'self' (Add): input 1 'Y'", "cycle")
    yield bad("unsorted", model([node("Relu", "t", "Y", name="late"), node("Neg", "X", "t", name="early")], X),
              "node 'late' (Relu): input 0 't' is computed by node 'early' (Neg) further on")
    yield bad("unsorted, without names", model([node("Relu", "t", "Y", name=""), node("Neg", "X", "t", name="")], X),
              "node 'Y' (Relu): input 0 't' is computed by node 't' (Neg) further on")
    yield bad("a node of nothing", changed(model([node("Relu", "X")], X), lambda m: m.graph.node.add()), "node 1 of its graph has no operator")
    yield bad("undefined input", model([node("Add", "X Z")], X), "node 'n' (Add): input 1 'Z' is not defined")
    yield bad("undefined input of a node without name", model([node("Add", "X Z", "Y", name="")], X), "node 'Y' (Add): input 1 'Z'")
    yield bad("undefined output", model([node("Relu", "X", "Z")], X), "output 'Y' is not defined")
    yield bad("output of a later subgraph", model([node("Relu", "X", "Z")], X, {"W": ""}), "output 'W' is not defined")
    yield fine("no outputs", model([node("Relu", "X", "Z")], X, {}))
    yield bad("output without name", model([node("Relu", "X")], X, [("", "f32")]), "output 0 has no name")
    yield bad("output twice, and one undefined", model([node("Relu", "X")], X, [("Y", ""), ("Q", "")]), "output 'Q' is not defined")
    yield fine("output listed twice", model([node("Relu", "X")], X, [("Y", "f32[2]"), ("Y", "f32[2]")]))
    yield fine("an input is the output", model([], X, {"X": "f32[2]"}))
    yield fine("an initializer is the output", model([], X, {"w": ""}, {"w": f32(1, 2)}))
    yield bad("two nodes compute one value", model([node("Relu", "X", name="a"), node("Neg", "X", name="b")], X),
              "node 'b' (Neg): the value 'Y' is defined twice")
    yield bad("one node computes a value twice", model([node("Split", "X", "Y Y", num_outputs=2)], X), "node 'n' (Split): the value 'Y' is defined twice")
    yield bad("node computes an input", model([node("Relu", "X", "X")], X, {"X": ""}), "node 'n' (Relu): the value 'X' is defined twice")
    yield bad("node computes an initializer", model([node("Relu", "X", "w")], X, {"w": ""}, {"w": f32(1)}),
              "node 'n' (Relu): the value 'w' is defined twice")
    yield bad("input twice", model([node("Relu", "X")], [("X", "f32[2]"), ("X", "f32[3]")]), "the input 'X' is listed twice")
    yield bad("initializer twice", model([node("Add", "X w")], X, init=[("w", f32(1)), ("w", f32(2))]), "initializer 'w': the value 'w' is defined twice")
    yield bad("sparse and dense initializer", changed(
        model([node("Add", "X w")], X, init={"w": f32(1, 2)}),
        lambda m: m.graph.sparse_initializer.append(onnx.SparseTensorProto(
            values=tensor("w", f32(1)), indices=tensor("i", i64(0)), dims=[2]))), "'w' is defined twice")
    yield bad("initializer without name", model([node("Relu", "X")], X, init=[("", f32(1))]), "initializer 0 has no name")
    yield bad("input without name", model([node("Relu", "X")], [("X", "f32[2]"), ("", "f32[2]")]), "input 1 has no name")
    yield bad("input without type", model([node("Relu", "X")], {"X": ""}), "input 'X' has no type")
    yield bad("input with element type 0", model([node("Relu", "X")], {"X": "0[2]"}), "input 'X' element type 0 is not one of")
    yield bad("output with element type 0", model([node("Relu", "X")], X, {"Y": "0[2]"}), "value 'Y' element type 0 is not one of")
    yield bad("input that is a sequence of nothing", changed(relu(), lambda m: m.graph.input[0].type.sequence_type.SetInParent()),
              "input 'X' its type holds elements of no type")
    yield bad("input with element type 77", model([node("Relu", "X")], {"X": "77[2]"}), "input 'X' element type 77")
    yield bad("input with element type 99", model([node("Relu", "X")], {"X": "99[2]"}), "input 'X' element type 99")
    yield bad("input with a negative dimension", model([node("Relu", "X")], {"X": "f32[-2]"}), "input 'X' has the negative dimension -2")
    yield bad("input of 2^62 elements", model([node("Relu", "X")], {"X": "f32[2147483648,2147483648]"}), "input 'X' has more elements")
    yield bad("input of 2^80 elements", model([node("Relu", "X")], {"X": "f32[1099511627776,1099511627776]"}), "input 'X' has more elements")
    yield bad("input of 2^40 elements", model([node("Add", "X X")], {"X": "f32[1099511627776]"}), "4398046511104 bytes", "--max-tensor-bytes")
    yield bad("value_info with a negative dimension", model([node("Relu", "X", "t"), node("Relu", "t", name="m")], X, values={"t": "f32[-7]"}),
              "value 't' has the negative dimension -7")
    yield bad("output with element type 99", model([node("Relu", "X")], X, {"Y": "99[2]"}), "value 'Y' element type 99")
    yield bad("optional input twice undefined", model([node("Clip", "X _ hi")], X), "node 'n' (Clip): input 2 'hi' is not defined")
    yield bad("subgraph captures a later value", model(
        [node("If", "c", then_branch=graph([node("Neg", "late", "y")], outputs={"y": ""}),
              else_branch=graph([node("Neg", "X", "z")], outputs={"z": ""}), name="if"), node("Relu", "X", "late", name="after")],
        dict(X, c="bool[]")), "node 'n' (Neg): input 0 'late' is computed by node 'after' (Relu) further on")
    def shadowing(name, **settings):
        return model([node("Neg", "X", "t", name="before"), node(
            "If", "c", "Y", name="if", then_branch=graph([node("Abs", "X", name, name="inner")], outputs={name: ""}, **settings),
            else_branch=graph([node("Neg", "X", "z")], outputs={"z": ""})), node("Neg", "X", "late")], dict(X, c="bool[]"))
    yield bad("subgraph computes a value of outside", shadowing("t"), "node 'inner' (Abs): the value 't' is defined twice: around the subgraph, too")
    yield bad("subgraph computes an input of the model", shadowing("c"), "node 'inner' (Abs): the value 'c' is defined twice")
    yield fine("subgraph computes a value of the same name as a later one", shadowing("late"))
    yield fine("subgraph computes a value of the name of its own node's output", shadowing("Y"))
    yield fine("subgraph has an initializer of the name of a value of outside", shadowing("w", init={"t": f32(1)}))
    yield bad("value of a subgraph used outside", model(
        [node("If", "c", "t", then_branch=graph([node("Neg", "X", "y")], outputs={"y": ""}),
              else_branch=graph([node("Neg", "X", "z")], outputs={"z": ""}), name="if"), node("Relu", "y", name="after")],
        dict(X, c="bool[]")), "node 'after' (Relu): input 0 'y' is not defined")
    yield fine("names of 1 MB", model([node("Relu", "X", "t" * 1000000, name="n" * 1000000), node("Neg", "t" * 1000000, name="m")], X))
    yield bad("an undefined name of 1 MB", model([node("Relu", "t" * 1000000)], X), "node 'n' (Relu): input 0 'ttt")
    yield bad("a node's name of 1 MB", model([node("Relu", "X X", name="n" * 1000000)], X), "node 'nnnn", "(Relu): has 2 inputs")
    yield fine("names with odd characters", model([node("Relu", "X", ["a/b:0 \"c\"\\ \n\t;{}"], name="%s%n $(x) é"), node("Neg", ["a/b:0 \"c\"\\ \n\t;{}"], ["Y"])], X))
    yield bad("a line break in a name", model([node("Relu", "X X", name="a\nb")], X), "node 'a\\nb' (Relu)")
    yield bad("NUL in a name", model([node("Relu", "X X", name="a\0b")], X), "node 'a\\x00b' (Relu)")
    yield bad("terminal codes in a name", model([node("Relu", "X X", name="\x1b[31mred")], X), "node '\\x1B[31mred' (Relu)")
    yield bad("bad UTF-8 in a name", model([node("Relu", "X X", name="abc")], X).SerializeToString().replace(b"abc", b"a\xffc"),
              "node 'a\\xFFc' (Relu)")
    yield fine("an empty graph name", model(graph([node("Relu", "X")], X, name="")))

    yield of("Relu", "has 2 inputs, at most 1 expected", "f32[2]", "f32[2]")
    yield of("Relu", "input 0 (X) is missing")
    yield of("Add", "input 1 (B) is missing", "f32[2]")
    yield of("Add", "input", "f32[2]", None, case="Add with a missing second input")
    yield of("Add", "input", None, "f32[2]", case="Add with a missing first input")
    yield of("Concat", "input", axis=0, case="Concat of nothing")
    yield of("Relu", "output", "f32[2]", outputs=2, case="Relu with two outputs")
    yield of("TopK", "output", "f32[4]", i64(2), outputs=3, case="TopK with three outputs")
    yield bad("Relu without output", model([node("Relu", "X", "", name="none"), node("Neg", "X", name="m")], X),
              "node 'none' (Relu): output 0 (Y) has no name")
    yield bad("Relu whose output is left out", model([node("Relu", "X", "_", name="none"), node("Neg", "X", name="m")], X),
              "node 'none' (Relu): output 0 (Y) has no name")
    yield bad("TopK for the indices alone", model([node("TopK", "X k", "_ Y")], {"X": "f32[4]"}, init={"k": i64(2)}), "node 'n' (TopK): output 0 (Values) has no name")
    yield bad("TopK for the values alone", model([node("TopK", "X k", "Y")], {"X": "f32[4]"}, init={"k": i64(2)}), "node 'n' (TopK): output 1 (Indices) has no name")
    yield fine("Split with an unused part", model([node("Split", "X", "_ Y", num_outputs=2)], {"X": "f32[4]"}))
    yield fine("MaxPool with its indices left out", model([node("MaxPool", "X", "Y _", kernel_shape=[2])], {"X": "f32[1,1,4]"}))
    yield bad("Mul with a third input that is left out", model([node("Mul", "X X _")], X), "node 'n' (Mul): has 3 inputs, at most 2 expected")
    yield fine("Clip with all inputs left out but one", model([node("Clip", "X _ _")], X))
    yield of("Gemm", "input", "f32[2,3]")
    yield of("Where", "input", "bool[2]", "f32[2]")
    yield of("Clip", "input", "f32[2]", f32(1), f32(2), f32(3))
    yield bad("node without operator", model([node("", "X")], X), "node 'n'", "no operator")
    yield of("Reluu", "not supported", "f32[2]", case="unknown operator")
    yield of("relu", "not supported", "f32[2]", case="operator in lower case")
    yield of("Foo", "'bar'", "f32[2]", domain="bar", imports={"": OPSET, "bar": 1}, case="unknown domain")
    yield of("Foo", "'bar'", "f32[2]", domain="bar", case="unknown domain that is not imported")
    yield of("Scaler", "'ai.onnx.ml'", "f32[2]", domain="ai.onnx.ml", imports={"": OPSET}, case="ml without import")
    yield of("Relu", "ai.onnx", "f32[2]", imports={"ai.onnx.ml": 3}, case="default domain not imported")
    yield of("Gelu", "from opset 20 on", "f32[2]", opset=13)
    for op, operands, opset in (("Scatter", ("f32[2,2]", "i64[1,1]", "f32[1,1]"), 18), ("Upsample", ("f32[1,1,2,2]", f32(1, 1, 2, 2)), 10)):
        yield of(op, "of its domain has replaced the operator", *operands, opset=opset, case=f"{op} at opset {opset}")
    yield of("TreeEnsembleRegressor", "of its domain has replaced the operator", "f32[1,2]", domain="ai.onnx.ml")
    yield of("GridSample", "from opset 16 on", "f32[1,1,2,2]", "f32[1,2,2,2]", opset=12)
    # Overloads are of functions; ONNX Runtime and onnx.checker do not look at an operator's.
    yield fine("overload of an operator", model([node("Relu", "X", overload="o")], X))
    yield bad("overload of an unknown operator", model([node("Reluu", "X", overload="o")], X), "node 'n' (Reluu): overload 'o' is not a function")
    for version in (0, -1, 29, 1000, 1 << 40):
        yield bad(f"opset {version}", relu(imports={"": version}), f"opset {version} of domain 'ai.onnx'")
    yield bad("ai.onnx.ml opset 99", relu(imports={"": OPSET, "ai.onnx.ml": 99}), "opset 99 of domain 'ai.onnx.ml'")
    yield bad("no opset", relu(imports={}), "imports no operator set")
    yield bad("two versions of a domain", changed(relu(), lambda m: m.opset_import.extend([helper.make_opsetid("ai.onnx", 11)])),
              "domain 'ai.onnx' is imported in two versions")
    yield bad("ir_version -1", relu(ir=-1), "ir_version -1")
    yield bad("ir_version 0", relu(ir=0), "ir_version 0")
    yield bad("ir_version 1000", relu(ir=1000), "ir_version 1000")
    yield fine("ir_version 13", relu(ir=13))
    yield fine("ir_version 3", relu(ir=3, opset=7))

    yield fine("a chain of 2000 nodes", chain(2000))
    yield fine("30 nested Ifs", nested(30))
    yield bad("1000 nested Ifs", nested(1000), "nested more than")
    yield bad("function bomb", bomb(12), "more than", "nodes")
    yield bad("deep function bomb", bomb(60, 2), "more than", "nodes")
    yield bad("functions within functions, 2000 deep", bomb(2000, 1), "function 'F", "within more than")
    call = node("F", "X", domain="f", name="call")
    neg = node("Neg", "x", "y", name="inner")
    yield bad("function calls itself", calls([function("F", "x", "y", [node("F", "x", "y", domain="f", name="again")])], [call]),
              "node 'again' (F): function 'F' of domain 'f' calls itself")
    yield bad("functions call each other", calls(
        [function("F", "x", "y", [node("G", "x", "y", domain="f", name="to G")]),
         function("G", "x", "y", [node("F", "x", "y", domain="f", name="to F")])], [call]), "node 'to F' (F): function 'F'", "calls itself")
    yield bad("function calls itself in an If", calls(
        [function("F", "x", "y", [node("Constant", "", "c", value=tensor("", True), name="c"), node(
            "If", "c", "y", name="if", then_branch=graph([node("F", "x", "a", domain="f", name="again")], outputs={"a": ""}),
            else_branch=graph([node("Neg", "x", "b")], outputs={"b": ""}))])], [call]), "node 'again' (F)", "calls itself")
    yield bad("unused function calls itself", calls(
        [function("G", "x", "y", [node("G", "x", "y", domain="f", name="again")]), function("F", "x", "y", [neg])], [call]),
              "function 'G' of domain 'f' calls itself")
    yield bad("unused functions call each other", calls(
        [function("G", "x", "y", [node("H", "x", "y", domain="f", name="h")]), function("H", "x", "y", [node("G", "x", "y", domain="f", name="g")]),
         function("F", "x", "y", [neg])], [call]), "of domain 'f' calls itself")
    yield fine("unused function calls another twice", calls(
        [function("G", "x", "y", [node("F", "x", "z", domain="f", name="a"), node("F", "z", "y", domain="f", name="b")]),
         function("F", "x", "y", [neg])], [call]))
    yield bad("function twice", calls([function("F", "x", "y", [neg])] * 2, [call]), "function 'F' of domain 'f' is defined twice")
    yield bad("function without name", calls([function("", "x", "y", [neg])], [call]), "function ''", "no name")
    yield bad("function with an input twice", calls([function("F", "x x", "y", [neg])], [call]), "function 'F'", "input 'x' twice")
    yield bad("function with an output twice", calls([function("F", "x", "y y", [neg])], [call]), "function 'F'", "output 'y' twice")
    yield bad("function of a domain that the model does not import", model([call], X, functions=[function("F", "x", "y", [neg])]),
              "node 'call' (F)", "function 'F' of domain 'f' cannot be called, since its domain is not among the imported")
    yield bad("function with another overload", calls([changed(function("F", "x", "y", [neg]), lambda f: setattr(f, "overload", "a"))],
                                                      [node("F", "X", domain="f", name="call", overload="b")]),
              "node 'call' (F): overload 'b' is not a function of the model")
    yield bad("function with an attribute twice", calls([function("F", "x", "y", [neg], attributes=["a", "a"])], [call]), "attribute 'a' twice")
    yield bad("function with an undefined output", calls([function("F", "x", "z", [neg])], [call]), "function 'F': output 'z' is not defined")
    yield bad("function with an undefined value", calls([function("F", "x", "y", [node("Add", "x q", "y", name="inner")])], [call]),
              "node 'inner' (Add): input 1 'q'")
    yield bad("function uses a value of the graph", calls([function("F", "x", "y", [node("Add", "x X", "y", name="inner")])], [call]),
              "node 'inner' (Add): input 1 'X' is not defined")
    yield bad("function called with too many inputs", calls([function("F", "x", "y", [neg])], [node("F", "X X", domain="f", name="call")]),
              "node 'call' (F)", "takes 1 inputs, but is called with 2")
    yield bad("function called for too many outputs", calls([function("F", "x", "y", [neg])], [node("F", "X", "Y Z", domain="f", name="call")]),
              "node 'call' (F)", "gives 1 outputs, but is called for 2")
    yield bad("function called without input", calls([function("F", "x", "y", [neg])], [node("F", "", domain="f", name="call")]),
              "node 'inner' (Neg)")
    yield bad("function called with an unknown attribute", calls([function("F", "x", "y", [neg])], [node("F", "X", domain="f", name="call", q=1)]),
              "node 'call' (F)", "has no attribute 'q'")
    reference = onnx.AttributeProto(name="alpha", ref_attr_name="a", type=onnx.AttributeProto.FLOAT)
    leaky = [function("F", "x", "y", [node("LeakyRelu", "x", "y", name="inner", alpha=reference)], attributes=["a"])]
    yield bad("attribute reference of another type", calls(leaky, [node("F", "X", domain="f", name="call", a="text")]),
              "node 'inner' (LeakyRelu): attribute 'alpha' is declared as FLOAT, but refers to 'a', which is of type STRING")
    yield fine("attribute reference that is not given", calls(leaky, [call]))
    yield bad("attribute reference outside of a function", model([node("LeakyRelu", "X", alpha=reference)], X),
              "node 'n' (LeakyRelu): attribute 'alpha' refers to the attribute 'a' of a function, but is not in a function")
    yield fine("attribute reference to nothing", calls([function("F", "x", "y", [node("LeakyRelu", "x", "y", name="inner", alpha=reference)])], [call]))
    yield bad("function without opset", calls([changed(function("F", "x", "y", [neg]), lambda f: f.ClearField("opset_import"))], [call]),
              "node 'inner' (Neg)", "not among the imported")
    yield bad("function with an unknown opset", calls([function("F", "x", "y", [neg], opset=99)], [call]), "function 'F'", "opset 99")
    yield bad("function of an unknown operator", calls([function("F", "x", "y", [node("Reluu", "x", "y", name="inner")])], [call]), "node 'inner' (Reluu)")
    yield bad("domain of a function that is not there", model([call], X, imports={"": OPSET, "f": 1}), "node 'call' (F)", "'f'")
    yield of("Sqrt", "input 0 ('X') must be tensor of", "i64[2]")
