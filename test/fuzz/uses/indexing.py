# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What indices and values decide."""

import itertools

import numpy as np
from onnx import helper

from .source import NUMBERS, Use, ints, is_integer, numpy_dtype, onnx_dtype, op


@op("Gather")
def gather(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis = s.axis(len(shape))
    return Use([s.array(s.dtype(), shape), s.indices(shape[axis], s.shape(most=2))], {"axis": axis})


@op("GatherElements")
def gather_elements(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.axis(len(shape))
    picked = [s.integer(1, size) for size in shape]
    picked[axis] = s.size(0)
    return Use([s.array(s.dtype(), shape), s.indices(shape[axis], picked)], {"axis": axis})


def index_tuples(s, shape, batch, depth, lead):
    """Distinct index tuples into `depth` dims of `shape` behind `batch`."""
    every = list(itertools.product(*(range(size) for size in shape[batch:batch + depth])))
    count = s.integer(1, len(every))
    rows = []
    for _ in range(int(np.prod(lead))):
        order = s.random.permutation(len(every))[:count]
        rows.append([every[int(i)] for i in order])
    return np.array(rows, np.int64).reshape(*lead, count, depth)


@op("GatherND")
def gather_nd(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    batch = s.integer(0, min(2, len(shape) - 1))
    depth = s.integer(1, len(shape) - batch)
    return Use([s.array(s.dtype(), shape), index_tuples(s, shape, batch, depth, shape[:batch])], {"batch_dims": batch})


@op("ScatterND")
def scatter_nd(s):
    shape, dtype = s.shape(rank=s.integer(1, 3), low=1), s.dtype(among=NUMBERS)
    depth = s.integer(1, len(shape))
    indices = index_tuples(s, shape, 0, depth, [])
    return Use([s.array(dtype, shape), indices, s.array(dtype, list(indices.shape[:-1]) + shape[depth:])],
               s.attributes(reduction=s.maybe(s.pick(["none", "add", "mul", "max", "min"] if s.opset >= 18 else ["none", "add", "mul"]))))


@op("ScatterElements")
def scatter_elements(s):
    shape, dtype = s.shape(rank=s.integer(1, 3), low=1), s.dtype(among=NUMBERS)
    axis = s.axis(len(shape))
    reduction = s.maybe(s.pick(["none", "add", "mul", "max", "min"] if s.opset >= 18 else ["none", "add", "mul"]))
    counts = [s.integer(1, size) for size in shape]
    order = np.argsort(s.random.random([*counts[:axis % len(shape)], shape[axis], *counts[axis % len(shape) + 1:]]), axis)
    indices = np.take(order, range(counts[axis]), axis).astype(np.int64)  # distinct along the axis
    return Use([s.array(dtype, shape), indices, s.array(dtype, counts)], s.attributes(axis=axis, reduction=reduction))


@op("OneHot")
def one_hot(s):
    shape, depth, dtype = s.shape(most=2), s.integer(1, 5), s.dtype("T3")
    # Some are out of range: all off.
    return Use([s.indices(depth + s.integer(0, 2), shape, s.pick(["int64", "int32", "float32", "int8"])), np.array(depth), s.array(dtype, [2])],
               s.attributes(axis=s.maybe(s.integer(-len(shape) - 1, len(shape)))), shapelike=(1,))


@op("NonZero")
def non_zero(s):
    return Use([s.edges(s.dtype(), s.shape(rank=s.integer(0, 3)), 0, 1)])


@op("Compress")
def compress(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.maybe(s.axis(len(shape)))
    most = int(np.prod(shape)) if axis is None else shape[axis]
    return Use([s.array(s.dtype(), shape), s.array("bool", [s.integer(1, most)])], s.attributes(axis=axis))


@op("Unique")
def unique(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    array = s.array(s.dtype(among=NUMBERS), shape, 0, 3)
    return Use([np.round(array)], s.attributes(axis=s.maybe(s.axis(len(shape))), sorted=s.maybe(s.integer(0, 1))), outputs=4)


@op("EyeLike")
def eye_like(s):
    return Use([s.array(s.dtype("T1"), s.shape(rank=2))], s.attributes(k=s.maybe(s.integer(-4, 4)), dtype=s.maybe(onnx_dtype(s.dtype("T2")), 0.3)))


@op("Shape", "Size")
def shape_of(s):
    shape = s.shape()
    bounds = s.attributes(start=s.maybe(s.integer(-4, 4)), end=s.maybe(s.integer(-4, 4))) if s.op == "Shape" else {}
    return Use([s.array(s.dtype(), shape)], bounds)


@op("Range")
def range_(s):
    dtype = s.dtype()
    start, delta = s.integer(-5, 5), s.pick([-2, -1, 1, 2, 3])
    if not is_integer(dtype):
        delta /= s.pick([1, 2, 8])
    values = [start, start + delta * s.integer(-1, 6) + s.integer(0, 1), delta]
    return Use([np.array(value, numpy_dtype(dtype)) for value in values], shapelike=(0, 1, 2))


@op("NonMaxSuppression")
def non_max_suppression(s):
    batch, boxes, classes = s.integer(1, 2), s.integer(1, 6), s.integer(1, 2)
    corner = s.array("float32", [batch, boxes, 2], 0, 1)
    scores = s.random.permutation(batch * classes * boxes).reshape(batch, classes, boxes).astype(np.float32)
    return Use([np.concatenate([corner, corner + s.array("float32", [batch, boxes, 2], 0.2, 1)], -1), scores, ints([s.integer(1, 4)]),
                np.array([0.4], np.float32), np.array([1.5], np.float32)])


@op("ConstantOfShape")
def constant_of_shape(s):
    dtype = s.pick(["float32", "int64", "bool", "uint8"])
    value = helper.make_tensor("value", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), [1], [1])
    return Use([ints(s.shape())], s.attributes(value=s.maybe(value)), shapelike=(0,))
