# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences and optionals. What a use gives back is a tensor, so that it can be
compared: what makes a sequence is followed by what reads one."""

import numpy as np
from onnx import TensorProto, helper

from .source import Use, ints, op


def tensors(s, dtype=None, same=False):
    """Of one element type and rank, some of one shape."""
    dtype = dtype or s.pick(["float32", "int64", "bool", "uint8"])
    shape = s.shape(rank=s.integer(1, 3), low=1)
    return [s.array(dtype, shape if same else [s.size() for _ in shape]) for _ in range(s.integer(1, 4))]


def element(s, names):
    """Nodes that take the element 0 of the sequence."""
    return [helper.make_node("Constant", [], ["at"], value=helper.make_tensor("zero", TensorProto.INT64, [], [0])), helper.make_node("SequenceAt", [names, "at"], ["y0"])]


@op("SequenceConstruct")
def construct(s):
    return Use(tensors(s), outputs=["list"], after=element(s, "list"))


@op("SequenceAt")
def at(s):
    values = tensors(s)
    return Use([values, np.array(s.integer(-len(values), len(values) - 1), s.pick([np.int32, np.int64]))])


@op("SequenceLength")
def length(s):
    return Use([tensors(s)])


@op("SequenceInsert", "SequenceErase")
def insert_erase(s):
    values = tensors(s)
    inserts = s.op == "SequenceInsert"
    place = s.maybe(np.array(s.integer(-len(values), len(values) if inserts else len(values) - 1)))
    new = [s.array(values[0].dtype, [s.size() for _ in values[0].shape])] if inserts else []
    after = element(s, "list") if inserts or len(values) > 1 else [helper.make_node("SequenceLength", ["list"], ["y0"])]
    return Use([values, *new, place], outputs=["list"], after=after)


@op("ConcatFromSequence")
def concat(s):
    values = tensors(s, same=True)
    stacks = s.integer(0, 1)
    rank = values[0].ndim + stacks
    return Use([values], {"axis": s.axis(rank), "new_axis": stacks})


@op("SplitToSequence")
def split(s):
    array = s.array(s.dtype(among=["float32", "float16", "int64", "uint8", "bool"]), s.shape(rank=s.integer(1, 3), low=1))
    axis = s.axis(array.ndim)
    size = array.shape[axis]
    form = s.integer(0, 2)
    pieces = None
    if form == 1:
        pieces = np.array(s.integer(1, size))
    elif form == 2:
        first = s.integer(0, size)
        pieces = ints([first, size - first])
    attributes = s.attributes(axis=axis, keepdims=s.maybe(s.integer(0, 1)) if pieces is None else None)
    return Use([array, pieces], attributes, outputs=["list"], after=element(s, "list"), shapelike=(1,))


@op("Optional", "OptionalGetElement", "OptionalHasElement")
def optional(s):
    """A tensor put into an optional, and taken out again."""
    array = s.array(s.pick(["float32", "int64"]), s.shape())
    if s.op == "Optional":
        return Use([array], outputs=["maybe"], after=[helper.make_node("OptionalGetElement", ["maybe"], ["y0"])])
    return Use([array])


@op("SequenceEmpty")
def empty(s):
    """A tensor put into an empty sequence."""
    array = s.array("float32", s.shape())
    return Use([], outputs=["none"], after=[helper.make_node("Constant", [], ["new"], value=helper.make_tensor(
        "value", 1, array.shape, array.reshape(-1))), helper.make_node("SequenceInsert", ["none", "new"], ["list"]), *element(s, "list")])


@op("SequenceMap")
def sequence_map(s):
    values = tensors(s, "float32")
    item = helper.make_tensor_value_info("item", 1, [None] * values[0].ndim)
    result = helper.make_tensor_value_info("result", 1, [None] * values[0].ndim)
    body = helper.make_graph([helper.make_node(s.pick(["Neg", "Exp"]), ["item"], ["result"])], "body", [item], [result])
    return Use([values], {"body": body}, outputs=["list"], after=element(s, "list"))
