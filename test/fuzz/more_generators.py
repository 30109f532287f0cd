# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators of the operators of applications: attention, losses, vision, signals,
control flow, strings. See generators.py."""

import numpy as np
from onnx import TensorProto, helper

from generators import Use, ints, op


# Attention

@op("Attention")
def attention(s):
    batch, heads, per_group = s.integer(1, 2), s.integer(1, 2), s.integer(1, 2)
    queries, keys, size, value_size = s.integer(1, 4), s.integer(1, 5), s.pick([2, 4]), s.pick([2, 3])
    q = s.array("float32", [batch, heads * per_group, queries, size])
    k = s.array("float32", [batch, heads, keys, size])
    v = s.array("float32", [batch, heads, keys, value_size])
    attributes = s.attributes(is_causal=s.maybe(1, 0.3), scale=s.maybe(0.3, 0.3), softcap=s.maybe(2.0, 0.2))
    if s.chance(0.4):
        def merge(array):
            return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(batch, array.shape[2], -1)
        q, k, v = merge(q), merge(k), merge(v)
        attributes.update(q_num_heads=heads * per_group, kv_num_heads=heads)
    mask = s.maybe(s.array(s.pick(["float32", "bool"]), [queries, keys]), 0.4)
    if mask is not None and mask.dtype == bool:
        mask[:, 0] = True  # a row without a key has no result
    return Use([q, k, v, mask], attributes)


@op("RotaryEmbedding")
def rotary_embedding(s):
    batch, heads, length, half = s.integer(1, 2), s.integer(1, 3), s.integer(1, 4), s.integer(1, 3)
    positions = s.random.integers(0, 6, [batch, length])
    tables = [s.array("float32", [6, half]), s.array("float32", [6, half])]
    return Use([s.array("float32", [batch, heads, length, 2 * half]), *tables, positions], s.attributes(interleaved=s.maybe(s.integer(0, 1))))


# Losses

@op("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(s):
    shape = [s.integer(1, 3), s.integer(1, 4), *s.shape(rank=s.integer(0, 2), low=1)]
    target = s.random.integers(0, shape[1], [shape[0], *shape[2:]]).astype(s.pick([np.int32, np.int64]))
    attributes = s.attributes(reduction=s.maybe(s.pick(["none", "sum", "mean"])))
    if shape[1] > 1 and s.chance(0.3):
        attributes["ignore_index"] = int(target.flat[0]) if target.size > 1 and np.ptp(target) else -1
    return Use([s.array("float32", shape), target, s.maybe(s.array("float32", [shape[1]], 0.1, 2))], attributes)


# Vision and signals

@op("ConvInteger")
def conv_integer(s):
    size, channels, filters = s.integer(3, 6), s.integer(1, 2), s.integer(1, 3)
    a, b = s.pick(["uint8", "int8"]), s.pick(["uint8", "int8"])
    return Use([s.array(a, [1, channels, size, size]), s.array(b, [filters, channels, 2, 3]), s.maybe(s.array(a, [])), s.maybe(s.array(b, []))],
               s.attributes(pads=s.maybe([s.integer(0, 1) for _ in range(4)]), strides=s.maybe([1, 2])))


@op("QLinearMatMul")
def qlinear_matmul(s):
    m, k, n, kind = s.size(), s.size(), s.size(), s.pick(["uint8", "int8"])
    scale = [s.array("float32", [], 0.05, 0.2) for _ in range(3)]
    point = [s.array(kind, []) for _ in range(3)]
    return Use([s.array(kind, [m, k]), scale[0], point[0], s.array(kind, [k, n]), scale[1], point[1], scale[2], point[2]])


@op("Col2Im")
def col_to_image(s):
    block = [s.integer(1, 2), s.integer(1, 3)]
    image = [s.integer(3, 5), s.integer(3, 5)]
    strides = [s.integer(1, 2), s.integer(1, 2)]
    blocks = np.prod([(i - b) // t + 1 for i, b, t in zip(image, block, strides)])
    array = s.array("float32", [s.integer(1, 2), s.integer(1, 2) * block[0] * block[1], int(blocks)])
    return Use([array, ints(image), ints(block)], {"strides": strides}, shapelike=(1, 2))


@op("CenterCropPad")
def center_crop_pad(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    return Use([s.array(s.dtype(), shape), ints([s.integer(1, 9) for _ in shape])], shapelike=(1,))


@op("NonMaxSuppression")
def non_max_suppression(s):
    batch, boxes, classes = s.integer(1, 2), s.integer(1, 6), s.integer(1, 2)
    corner = s.array("float32", [batch, boxes, 2], 0, 1)
    scores = s.random.permutation(batch * classes * boxes).reshape(batch, classes, boxes).astype(np.float32)
    return Use([np.concatenate([corner, corner + s.array("float32", [batch, boxes, 2], 0.2, 1)], -1), scores, ints([s.integer(1, 4)]),
                np.array([0.4], np.float32), np.array([1.5], np.float32)])


@op("RoiAlign")
def roi_align(s):
    batch, count = s.integer(1, 2), s.integer(1, 3)
    corner = s.array("float32", [count, 2], 0, 3)
    rois = np.concatenate([corner, corner + s.array("float32", [count, 2], 1, 4)], -1)
    return Use([s.array("float32", [batch, s.integer(1, 2), 6, 7]), rois, s.random.integers(0, batch, [count])],
               s.attributes(mode=s.pick(["avg", "max"]), output_height=s.integer(1, 3), output_width=s.integer(1, 3), sampling_ratio=s.integer(1, 2),
                            coordinate_transformation_mode=s.pick(["half_pixel", "output_half_pixel"])))


@op("Det")
def determinant(s):
    size = s.integer(1, 4)
    return Use([s.array("float32", s.shape(most=2, low=1) + [size, size])])


@op("DFT")
def fourier(s):
    length = s.integer(1, 12)
    is_complex = s.chance(0.5)
    attributes = s.attributes(inverse=s.maybe(1, 0.3 * is_complex), onesided=s.maybe(1, 0.4 * (not is_complex)))
    return Use([s.array("float32", [s.integer(1, 2), length, 1 + is_complex]), None, np.array(1)], attributes, shapelike=(2,))


@op("HannWindow", "HammingWindow", "BlackmanWindow")
def signal_window(s):
    return Use([np.array(s.integer(1, 12))], s.attributes(periodic=s.maybe(s.integer(0, 1))), shapelike=(0,))


@op("ConstantOfShape")
def constant_of_shape(s):
    dtype = s.pick(["float32", "int64", "bool", "uint8"])
    value = helper.make_tensor("value", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), [1], [1])
    return Use([ints(s.shape())], s.attributes(value=s.maybe(value)), shapelike=(0,))


@op("MeanVarianceNormalization")
def mean_variance_normalization(s):
    shape = s.shape(rank=4, low=2)
    return Use([s.array("float32", [size + 1 for size in shape])], s.attributes(axes=s.maybe([0, 2, 3])))


# Control flow

@op("If")
def branches(s):
    array = s.array("float32", s.shape(low=1))
    bodies = {}
    for name, inner in (("then_branch", s.pick(["Neg", "Relu"])), ("else_branch", s.pick(["Abs", "Identity"]))):
        result = helper.make_tensor_value_info(name + "_y", TensorProto.FLOAT, None)
        bodies[name] = helper.make_graph([helper.make_node(inner, ["x1"], [name + "_y"])], name, [], [result])
    return Use([np.array(s.chance(0.5)), array], bodies, captured=(1,))


@op("Loop")
def loop(s):
    """Adds up, and keeps each step; may end by its condition."""
    shape = s.shape(low=1, most=2)
    nodes = [helper.make_node("Add", ["state", "x3"], ["next"]), helper.make_node("Less", ["i", "x4"], ["go"]),
             helper.make_node("Neg", ["next"], ["kept"])]
    body = helper.make_graph(
        nodes, "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("ok", TensorProto.BOOL, []),
         helper.make_tensor_value_info("state", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("go", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, shape),
         helper.make_tensor_value_info("kept", TensorProto.FLOAT, shape)])
    return Use([np.array(s.integer(0, 5)), np.array(True), s.array("float32", shape), s.array("float32", shape), np.array(s.integer(0, 6))],
               {"body": body}, outputs=2, captured=(3, 4))


@op("Scan")
def scan(s):
    length, width = s.integer(1, 4), s.integer(1, 4)
    nodes = [helper.make_node("Add", ["state", "item"], ["next"]), helper.make_node("Relu", ["next"], ["kept"])]

    def row(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [width])

    body = helper.make_graph(nodes, "body", [row("state"), row("item")], [row("next"), row("kept")])
    attributes = s.attributes(body=body, num_scan_inputs=1, scan_input_directions=s.maybe([1], 0.3), scan_output_directions=s.maybe([1], 0.3))
    return Use([s.array("float32", [width]), s.array("float32", [length, width])], attributes, outputs=2)


# Strings

WORDS = ["", "a", "b c", "Ümlaut", "a-b-c", "--", "word"]


def words(s, shape):
    array = np.empty(shape, dtype=object)
    for at in np.ndindex(*shape):
        array[at] = s.pick(WORDS)
    return array


@op("StringConcat")
def string_concat(s):
    shape = s.shape(most=2)
    return Use([words(s, shape), words(s, s.broadcast(shape))])


@op("StringSplit")
def string_split(s):
    return Use([words(s, s.shape(most=2, low=1))], s.attributes(delimiter=s.maybe("-"), maxsplit=s.maybe(s.integer(0, 2), 0.3)), outputs=2)


@op("RegexFullMatch")
def regex_full_match(s):
    return Use([words(s, s.shape(most=2))], {"pattern": s.pick(["a.*", "[a-z]+", "", "(a|b) c", ".*-.*"])})
