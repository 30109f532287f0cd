# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short words for models that are wrong: nothing here checks anything."""

import dataclasses
import re

import ml_dtypes
import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, TensorProto, TypeProto, helper, numpy_helper

OPSET = 23
DTYPES = {
    "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
    "i8": TensorProto.INT8, "i16": TensorProto.INT16, "i32": TensorProto.INT32, "i64": TensorProto.INT64,
    "u8": TensorProto.UINT8, "u16": TensorProto.UINT16, "u32": TensorProto.UINT32, "u64": TensorProto.UINT64,
    "bool": TensorProto.BOOL, "str": TensorProto.STRING, "c64": TensorProto.COMPLEX64, "i4": TensorProto.INT4,
    "u4": TensorProto.UINT4, "f8": TensorProto.FLOAT8E4M3FN, "f4": TensorProto.FLOAT4E2M1,
}


@dataclasses.dataclass
class Case:
    """A bad model. `make(folder)` writes what it needs and returns the path that is
    compiled. `expect` are parts of the message; None: the model is fine, however odd.
    With several, each must be there. `feeds`: it compiles, and the run fails so."""
    name: str
    make: callable
    expect: list
    feeds: dict = None
    options: dict = dataclasses.field(default_factory=dict)


def type_of(text):
    """f32[2,N,?], f32 (any shape), seq(f32[2]), opt(...), map(i64,f32), "" (no type)."""
    proto = TypeProto()
    if not text:
        return proto
    wrapped = re.fullmatch(r"(seq|opt|sparse)\((.*)\)", text)
    if wrapped and wrapped[1] == "seq":
        proto.sequence_type.elem_type.CopyFrom(type_of(wrapped[2]))
    elif wrapped and wrapped[1] == "opt":
        proto.optional_type.elem_type.CopyFrom(type_of(wrapped[2]))
    elif text.startswith("map("):
        key, value = text[4:-1].split(",", 1)
        proto.map_type.key_type = DTYPES[key]
        proto.map_type.value_type.CopyFrom(type_of(value))
    else:
        tensor = proto.sparse_tensor_type if wrapped else proto.tensor_type
        element, has_shape, dims = (wrapped[2] if wrapped else text).partition("[")
        tensor.elem_type = int(element) if element.isdigit() else DTYPES[element]
        if has_shape:
            tensor.shape.SetInParent()
            for dim in filter(None, dims.rstrip("]").split(",")):
                new = tensor.shape.dim.add()
                if re.fullmatch(r"-?\d+", dim):
                    new.dim_value = int(dim)
                elif dim != "?":
                    new.dim_param = dim
    return proto


def info(name, text):
    return onnx.ValueInfoProto(name=name, type=type_of(text))


def attribute(name, value):
    """An AttributeProto as helper makes it, or one that is given as it is."""
    if isinstance(value, AttributeProto):
        value.name = value.name or name
        return value
    if isinstance(value, np.ndarray):
        value = tensor("", value)
    if isinstance(value, (list, tuple)) and not value:
        return AttributeProto(name=name, type=AttributeProto.INTS)
    return helper.make_attribute(name, value)


def node(op, inputs="", outputs="Y", *, name="n", domain="", overload="", **attributes):
    """Names are parted by spaces; _ leaves one out."""
    def split(text):
        return ["" if word == "_" else word for word in text.split(" ")] if text else []
    proto = onnx.NodeProto(op_type=op, name=name, domain=domain, overload=overload,
                           input=split(inputs) if isinstance(inputs, str) else inputs,
                           output=split(outputs) if isinstance(outputs, str) else outputs)
    proto.attribute.extend(attribute(key, value) for key, value in attributes.items())
    return proto


def tensor(name, value):
    if isinstance(value, TensorProto):
        value.name = name
        return value
    return numpy_helper.from_array(np.asarray(value), name)


def raw(dtype, dims, data=None, **fields):
    """A TensorProto of just these fields."""
    proto = TensorProto(data_type=DTYPES[dtype] if isinstance(dtype, str) else dtype, dims=dims, **fields)
    if data is not None:
        proto.raw_data = data
    return proto


def graph(nodes, inputs=None, outputs=None, init=None, name="g", values=None):
    def infos(of):
        return [info(*pair) for pair in (of.items() if isinstance(of, dict) else of or [])]
    init = init or {}
    return GraphProto(
        name=name, node=nodes if isinstance(nodes, list) else [nodes], input=infos(inputs),
        output=infos({"Y": ""} if outputs is None else outputs), value_info=infos(values),
        initializer=[tensor(*pair) for pair in (init.items() if isinstance(init, dict) else init)])


def model(nodes, inputs=None, outputs=None, init=None, *, values=None, opset=OPSET, ir=10, imports=None, functions=()):
    """`imports`: domain -> version, instead of `opset` for the default domain."""
    proto = onnx.ModelProto(ir_version=ir)
    proto.graph.CopyFrom(nodes if isinstance(nodes, GraphProto) else graph(nodes, inputs, outputs, init, values=values))
    for domain, version in ({"": opset, "ai.onnx.ml": 5} if imports is None else imports).items():
        proto.opset_import.add(domain=domain, version=version)
    proto.functions.extend(functions)
    return proto


def function(name, inputs, outputs, nodes, *, domain="f", attributes=(), opset=OPSET, defaults=()):
    return onnx.FunctionProto(name=name, domain=domain, input=inputs.split(), output=outputs.split(), node=nodes,
                              attribute=attributes, attribute_proto=defaults,
                              opset_import=[helper.make_opsetid("", opset), helper.make_opsetid("f", 1)])


def varint(value):
    out = bytearray()
    while True:
        out.append((value & 127) | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number, payload):
    """A field of a message, in protobuf's wire format."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def save(content):
    """make() for a model or the bytes of a file."""
    def make(folder):
        path = folder / "model.onnx"
        path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
        return path
    return make


def bad(name, content, *expect, **fields):
    return Case(name, content if callable(content) else save(content), list(expect), **fields)


def fine(name, content, **fields):
    return Case(name, content if callable(content) else save(content), None, **fields)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def single(op, *operands, outputs=None, domain="", opset=OPSET, types=(), imports=None, **attributes):
    """One node 'n': an operand is a type (an input of the model), an array (an
    initializer) or None (left out). They are named A, B, ...; outputs Y, Y1, ..."""
    inputs, init, names = {}, {}, []
    for letter, operand in zip(LETTERS, operands):
        names.append("" if operand is None else letter)
        if isinstance(operand, str):
            inputs[letter] = operand
        elif operand is not None:
            init[letter] = operand
    # As many as must have a name, if nothing else is said.
    outputs = outputs or {"TopK": 2}.get(op, 1)
    results = ["Y" + (str(i) if i else "") for i in range(outputs)]
    declared = {name: types[i] if i < len(types) else "" for i, name in enumerate(results)}
    return model([node(op, names, results, domain=domain, **attributes)], inputs, declared, init, opset=opset,
                 imports=imports)


def by_tag(tag, words=""):
    """What users read of a requirement of a shape rule, which begins with a tag there:
    "conv_group: must ..." is "): group: must ..."; a tag that is a number is not
    shown, and `words` are what is."""
    name, colon, text = tag.partition(": ")
    return words or f"): {name.partition('_')[2]}{colon}{text}"


def of(op, text, *operands, case=None, feeds=None, **settings):
    """A case of a single node: the message names it and says `text`."""
    what = case or " ".join([op, *(str(o) for o in operands if isinstance(o, str)),
                             *(f"{k}={v}" for k, v in settings.items() if not isinstance(v, (np.ndarray, AttributeProto)))])
    expect = ["node 'n' (" + op + ")"] + ([text] if isinstance(text, str) else list(text))
    return Case(f"{what}: {text}", save(single(op, *operands, **settings)), expect, feeds)


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


def zeros(shape, dtype=np.float32):
    return np.zeros(shape, dtype)


BF16 = ml_dtypes.bfloat16
