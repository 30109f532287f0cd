# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers and sparse tensors that are not what they say, and attributes of another kind."""

import onnx
from onnx import AttributeProto, TensorProto

from models import bad, f32, fine, graph, i64, model, node, of, raw, single, tensor, zeros


def weight(proto, dtype="f32"):
    """A model that adds 'w' to its input."""
    return model([node("Add", "X w")], {"X": dtype}, init={"w": proto})


def constant(proto):
    return model([node("Constant", "", "w", value=proto), node("Identity", "w", name="m")])


def sparse(values, indices, dims):
    proto = model([node("Add", "X w")], {"X": "f32"})
    values, indices = tensor("w", values), tensor("i", indices)
    proto.graph.sparse_initializer.append(onnx.SparseTensorProto(values=values, indices=indices, dims=dims))
    return proto


def typed(kind, **fields):
    """An attribute of exactly these fields."""
    return AttributeProto(type=kind, **fields)


def cases():
    for make, what in ((weight, "initializer 'w' "), (constant, "node 'n' (Constant): attribute 'value' ")):
        which = make.__name__

        def wrong(name, proto, *text, make=make, what=what, which=which):
            return bad(f"{which}: {name}", make(proto), what, *text)

        yield wrong("raw_data short", raw("f32", [2], b"1234567"), "has 7 bytes of data, 8 expected for 2 elements of type float")
        yield wrong("raw_data long", raw("f32", [2], b"123456789"), "has 9 bytes of data, 8 expected")
        yield wrong("raw_data empty", raw("f32", [2], b""), "has 0 bytes of data, 8 expected")
        yield wrong("no data", raw("f32", [2]), "has 0 bytes of data, 8 expected")
        yield wrong("raw_data and float_data", raw("f32", [2], b"12345678", float_data=[1, 2]), "its data is given twice")
        yield wrong("float_data short", raw("f32", [3], float_data=[1, 2]), "has 8 bytes of data, 12 expected")
        yield wrong("int32_data of float", raw("f32", [2], int32_data=[1, 2]), "field that does not match element type float")
        yield wrong("float_data of int64", raw("i64", [2], float_data=[1, 2]), "field that does not match element type int64")
        yield wrong("string_data of float", raw("f32", [2], string_data=[b"a", b"b"]), "has strings")
        yield wrong("strings with raw_data", raw("str", [2], b"abcdefgh"), "has 0 strings, 2 expected")
        yield wrong("too few strings", raw("str", [2], string_data=[b"a"]), "has 1 strings, 2 expected")
        yield wrong("int8 out of range", raw("i8", [1], int32_data=[300]), "has the element 300, which does not fit 8 bits")
        yield wrong("uint16 out of range", raw("u16", [1], int32_data=[70000]), "70000, which does not fit 16 bits")
        yield wrong("float16 out of range", raw("f16", [1], int32_data=[1 << 20]), "1048576, which does not fit 16 bits")
        yield wrong("uint32 out of range", raw("u32", [1], uint64_data=[1 << 40]), "does not fit 32 bits")
        yield wrong("int4 of a byte too few", raw("i4", [5], b"12"), "has 2 bytes of data, 3 expected for 5 elements of type int4")
        yield wrong("float8 of a byte too many", raw("f8", [3], b"1234"), "has 4 bytes of data, 3 expected")
        yield wrong("float4 of a byte too many", raw("f4", [3], b"123"), "has 3 bytes of data, 2 expected")
        yield wrong("negative dimension", raw("f32", [-2], b""), "has the negative dimension -2")
        yield wrong("dimension -1", raw("f32", [-1, 2], b"12345678"), "has the negative dimension -1")
        yield wrong("2^40 elements", raw("f32", [1 << 40], b"1234"), "4398046511104 expected")
        yield wrong("2^62 elements", raw("f32", [1 << 31, 1 << 31], b"1234"), "more elements than can be counted")
        yield wrong("2^120 elements", raw("f32", [1 << 40] * 3, b"1234"), "more elements than can be counted")
        yield wrong("0 of 2^80 elements", raw("f32", [0, 1 << 40, 1 << 40]), "more elements than can be counted")
        yield wrong("INT64_MIN", raw("f32", [-(1 << 63)], b"1234"), "has the negative dimension")
        yield wrong("100000 dimensions", raw("f32", [1] * 100000, b"1234"), "dimensions")
        yield wrong("element type 0", raw(0, [1], b"1234"), "element type 0 is not one of TensorProto.DataType")
        yield wrong("element type 99", raw(99, [1], b"1234"), "element type 99")
        yield wrong("element type -1", raw(-1, [1], b"1234"), "element type -1")
        yield wrong("a segment", raw("f32", [1], b"1234", segment=TensorProto.Segment(begin=0, end=1)), "segment")
        yield wrong("large raw_data short", raw("f32", [1000], b"1" * 3999), "has 3999 bytes of data, 4000 expected")
        yield wrong("large raw_data of strings", raw("str", [100], b"1" * 400), "has 0 strings, 100 expected")
        yield wrong("large float_data of doubles", raw("f64", [100], float_data=[1] * 200), "field that does not match element type double")
        yield wrong("large float_data of float16", raw("f16", [200], float_data=[1] * 200), "field that does not match element type float16")
    yield fine("a segment that says nothing", weight(raw("f32", [1], b"1234", segment=TensorProto.Segment()), "f32[1]"))
    yield fine("booleans of any number but 0", model([node("Not", "w")], init={"w": raw("bool", [3], int32_data=[1 << 30, -1, 0])}))
    yield fine("an empty tensor", model([node("Concat", "X w", axis=0)], {"X": "f32[2]"}, init={"w": raw("f32", [0])}))
    yield fine("an empty tensor with raw_data", model([node("Concat", "X w", axis=0)], {"X": "f32[2]"}, init={"w": raw("f32", [0], b"")}))
    yield bad("an initializer of another type than its input", model([node("Relu", "w")], {"w": "f32[2]"}, init={"w": i64(1, 2)}),
              "input 'w'", "initializer", "int64[2]")
    yield bad("an initializer of another shape than its input", model([node("Relu", "w")], {"w": "f32[3]"}, init={"w": f32(1, 2)}),
              "input 'w'", "initializer")
    yield bad("an initializer of another rank than its input", model([node("Relu", "w")], {"w": "f32[1,2]"}, init={"w": f32(1, 2)}),
              "input 'w'", "initializer")

    yield bad("sparse index out of range", sparse(f32(1), i64(9), [4]), "sparse initializer 'w' its index 9 is not below 4")
    yield bad("sparse index negative", sparse(f32(1), i64(-1), [4]), "sparse initializer 'w' its index -1")
    yield bad("sparse indices unsorted", sparse(f32(1, 2), i64(2, 1), [4]), "sparse initializer 'w'", "ascending")
    yield bad("sparse indices twice", sparse(f32(1, 2), i64(2, 2), [4]), "sparse initializer 'w'", "ascending")
    yield bad("sparse indices of another count", sparse(f32(1, 2), i64(1, 2, 3), [4]), "sparse initializer 'w'", "shape [2]")
    yield bad("sparse indices of floats", sparse(f32(1), f32(1), [4]), "sparse initializer 'w'", "int64")
    yield bad("sparse indices of another rank", sparse(f32(1), i64(1).reshape(1, 1), [4, 4]), "sparse initializer 'w'", "[1, 2]")
    yield bad("sparse index pairs out of range", sparse(f32(1), i64(1, 4).reshape(1, 2), [4, 4]), "sparse initializer 'w' its index 4")
    yield bad("sparse values of rank 2", sparse(zeros((1, 1)), i64(1), [4]), "sparse initializer 'w' its values have rank 2")
    yield bad("sparse dims negative", sparse(f32(1), i64(1), [-4]), "sparse initializer 'w' has the negative dimension -4")
    yield bad("sparse dims of 2^80", sparse(f32(1), i64(1), [1 << 40, 1 << 40]), "sparse initializer 'w' has more elements")
    yield bad("sparse of 256 GB", sparse(f32(1), i64(1), [1 << 36]), "'w'", "too large to be made dense")
    yield bad("sparse without indices", sparse(f32(1), raw("i64", [1]), [4]), "sparse initializer 'w' has 0 bytes of data")
    yield bad("sparse of strings", sparse(raw("str", [1], string_data=[b"a"]), i64(1), [4]), "node 'n' (Add)", "string")

    kinds = {
        "FLOAT": typed(AttributeProto.FLOAT, f=1.5), "STRING": typed(AttributeProto.STRING, s=b"1"),
        "INTS": typed(AttributeProto.INTS, ints=[1]), "TENSOR": typed(AttributeProto.TENSOR, t=tensor("t", i64(1))),
        "FLOATS": typed(AttributeProto.FLOATS, floats=[1]), "STRINGS": typed(AttributeProto.STRINGS, strings=[b"1"]),
        "GRAPH": typed(AttributeProto.GRAPH, g=graph([], outputs={})), "INT": typed(AttributeProto.INT, i=1),
        "TYPE_PROTO": typed(AttributeProto.TYPE_PROTO, tp=onnx.TypeProto()),
        "SPARSE_TENSOR": typed(AttributeProto.SPARSE_TENSOR, sparse_tensor=onnx.SparseTensorProto(
            values=tensor("v", f32(1)), indices=tensor("i", i64(0)), dims=[2])),
        "GRAPHS": typed(AttributeProto.GRAPHS, graphs=[graph([], outputs={})]),
        "TENSORS": typed(AttributeProto.TENSORS, tensors=[tensor("t", i64(1))]),
    }
    for kind, value in kinds.items():
        def fresh(value=value):
            copied = AttributeProto()
            copied.CopyFrom(value)
            return copied
        if kind != "INT":
            yield of("Concat", ["attribute 'axis", "INT" if "GRAPH" not in kind else "GRAPH"], "f32[2]", case=f"axis of Concat as {kind}", axis=fresh())
        if kind != "INTS":
            yield of("Transpose", ["attribute 'perm", "INTS" if "GRAPH" not in kind else "GRAPH"], "f32[2,2]", case=f"perm of Transpose as {kind}", perm=fresh())
        if kind != "FLOAT":
            yield of("LeakyRelu", ["attribute 'alpha", "FLOAT" if "GRAPH" not in kind else "GRAPH"], "f32[2]", case=f"alpha of LeakyRelu as {kind}", alpha=fresh())
        if kind != "STRING":
            yield of("Pad", ["attribute 'mode", "STRING" if "GRAPH" not in kind else "GRAPH"], "f32[2]", i64(1, 1), case=f"mode of Pad as {kind}", mode=fresh())
        if kind != "TENSOR":
            yield of("ConstantOfShape", ["attribute 'value", "TENSOR" if "GRAPH" not in kind else "GRAPH"], i64(2), case=f"value of ConstantOfShape as {kind}", value=fresh())
        if kind != "GRAPH":
            yield of("If", ["attribute 'then_branch"], "bool[]", case=f"then_branch of If as {kind}", then_branch=fresh(),
                     else_branch=graph([], outputs={}))
    for name, value, text in (
            ("declared INT, holds a float", typed(AttributeProto.INT, f=1.0), "is declared as INT, but holds a value of another type"),
            ("declared FLOAT, holds ints", typed(AttributeProto.FLOAT, ints=[1]), "is declared as FLOAT, but holds"),
            ("without type, with two values", AttributeProto(i=1, f=1.0), "holds values of several types"),
            ("without type and value", AttributeProto(), "has no type and no value"),
            ("without type", AttributeProto(i=0), "has no type, which it must have from ir_version 2 on"),
            ("of INT and INTS", typed(AttributeProto.INT, i=1, ints=[1]), "is declared as INT, but holds")):
        yield of("Concat", ["attribute 'axis' " + text], "f32[2]", case=f"axis {name}", axis=value)
    twice = single("Concat", "f32[2]", axis=0)
    twice.graph.node[0].attribute.append(twice.graph.node[0].attribute[0])
    yield bad("attribute twice", twice, "node 'n' (Concat): attribute 'axis' is given twice")
    unnamed = single("Concat", "f32[2]", axis=0)
    unnamed.graph.node[0].attribute[0].name = ""
    yield bad("attribute without name", unnamed, "node 'n' (Concat): attribute '' has no name")
    yield of("Relu", "attribute 'axis'", "f32[2]", axis=1)
    yield of("Concat", "attribute 'Axis'", "f32[2]", Axis=0)
    yield of("Concat", "attribute 'axis'", "f32[2]")
    yield of("Cast", "attribute 'to'", "f32[2]")
    yield of("MaxPool", "attribute 'kernel_shape'", "f32[1,1,4,4]")
    yield of("Einsum", "attribute 'equation'", "f32[2]")
    yield of("DepthToSpace", "attribute 'blocksize'", "f32[1,4,2,2]")
    yield of("If", "attribute 'else_branch'", "bool[]", then_branch=graph([], outputs={}))
    yield of("Loop", "attribute 'body'", "i64[]", "bool[]")
    yield of("Scan", "num_scan_inputs", "f32[2]", body=graph([node("Neg", "a", "b")], {"a": "f32"}, {"b": "f32"}))
    for to in (0, -1, 99, 1 << 40, -(1 << 63)):
        yield of("Cast", [f"to = {to} is not a data type"], "f32[2]", to=to)
    yield of("Constant", "value")
    both = single("Constant", value_int=1, value_float=2.0)
    yield bad("Constant with two values", both, "node 'n' (Constant)", "value")
    yield of("Constant", "sparse_value", case="Constant of a wrong sparse tensor", sparse_value=typed(
        AttributeProto.SPARSE_TENSOR, sparse_tensor=onnx.SparseTensorProto(values=tensor("v", f32(1)), indices=tensor("i", i64(7)), dims=[2])))
