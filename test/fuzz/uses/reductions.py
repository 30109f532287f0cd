# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, and what goes along an axis."""

import numpy as np

from .source import NUMBERS, Use, bounds, ints, is_integer, numpy_dtype, op


@op("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
    "ReduceLogSum", "ReduceLogSumExp")
def reduction(s):
    shape = s.shape()
    dtype = s.dtype()
    if s.op in ("ReduceLogSum", "ReduceProd"):
        array = s.array(dtype, shape, *((1, 2) if is_integer(dtype) else (0.5, 2)))
    elif s.op in ("ReduceMax", "ReduceMin") or is_integer(dtype) and s.op == "ReduceSum":
        array = s.edges(dtype, shape)
    else:
        array = s.array(dtype, shape)
    axes = s.maybe(ints(s.axes(len(shape))), 0.8)
    return Use([array, axes], s.attributes(keepdims=s.maybe(s.integer(0, 1)), noop_with_empty_axes=s.maybe(s.integer(0, 1))),
               shapelike=(1,))


@op("ArgMax", "ArgMin")
def arg_reduction(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    return Use([s.edges(s.dtype(), shape)], s.attributes(axis=s.maybe(s.axis(len(shape))), keepdims=s.maybe(s.integer(0, 1)),
                                                         select_last_index=s.maybe(s.integer(0, 1))))


@op("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def along_axis(s):
    shape = s.shape(rank=s.integer(1, 4), low=0)
    attributes = s.attributes(axis=s.maybe(s.axis(len(shape))))
    if s.op == "LpNormalization":
        attributes["p"] = s.integer(1, 2)
    array = s.array(s.dtype(), shape)
    return Use([array * array.dtype.type(s.pick([1, 1, 40]))], attributes)


@op("CumSum", "CumProd")
def cumulative(s):
    shape = s.shape(rank=s.integer(1, 4))
    axis = np.array(s.axis(len(shape)), s.pick([np.int32, np.int64]))
    return Use([s.array(s.dtype(), shape), axis],
               s.attributes(exclusive=s.maybe(s.integer(0, 1)), reverse=s.maybe(s.integer(0, 1))), shapelike=(1,))


@op("TopK")
def top_k(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.axis(len(shape))
    dtype = s.dtype(among=NUMBERS)
    count = int(np.prod(shape))
    # Few repeated: of equal ones the first counts.
    array = s.random.permutation(count).reshape(shape) if s.chance(0.5) else s.random.integers(0, 5, shape)
    if is_integer(dtype):
        array = np.minimum(array, min(bounds(dtype)[1], 1000))
    attributes = s.attributes(axis=axis, largest=s.maybe(s.integer(0, 1)), sorted=s.maybe(1))
    return Use([array.astype(np.int64).astype(numpy_dtype(dtype)), ints(s.integer(0, shape[axis]))], attributes, outputs=2, shapelike=(1,))
