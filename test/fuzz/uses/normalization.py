# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalizations and losses."""

import numpy as np

from .source import Use, op


@op("BatchNormalization")
def batch_normalization(s):
    shape = s.shape(rank=s.integer(2, 5), low=1)
    dtype = s.dtype()
    channels = [shape[1]]
    return Use([s.array(dtype, shape), s.array(dtype, channels), s.array(dtype, channels), s.array(dtype, channels),
                s.array(dtype, channels, 0.1, 3)], s.attributes(epsilon=s.maybe(0.01)))


@op("InstanceNormalization")
def instance_normalization(s):
    shape = s.shape(rank=s.integer(3, 5), low=1)
    dtype = s.dtype()
    return Use([s.array(dtype, shape), s.array(dtype, [shape[1]]), s.array(dtype, [shape[1]])], {"epsilon": 0.1})


@op("GroupNormalization")
def group_normalization(s):
    groups, per_group = s.integer(1, 3), s.integer(1, 3)
    channels = groups * per_group
    dtype = s.dtype()
    shape = [s.integer(1, 2), channels] + s.shape(rank=s.integer(1, 2), low=1)
    return Use([s.array(dtype, shape), s.array(dtype, [channels]), s.array(dtype, [channels])],
               {"num_groups": groups, "epsilon": 0.1})


@op("LayerNormalization", "RMSNormalization")
def layer_normalization(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis = s.axis(len(shape))
    dtype = s.dtype()
    inputs = [s.array(dtype, shape), s.array(dtype, shape[axis:])]
    if s.op == "LayerNormalization" and s.chance(0.5):
        inputs.append(s.array(dtype, shape[axis:]))
    return Use(inputs, {"axis": axis, "epsilon": 0.1})


@op("LRN")
def lrn(s):
    return Use([s.array(s.dtype(), s.shape(rank=4, low=1))], s.attributes(size=s.pick([1, 2, 3, 5]), alpha=s.maybe(0.01)))


@op("MeanVarianceNormalization")
def mean_variance_normalization(s):
    shape = s.shape(rank=4, low=2)
    return Use([s.array(s.dtype(), [size + 1 for size in shape])], s.attributes(axes=s.maybe([0, 2, 3])))


@op("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(s):
    shape = [s.integer(1, 3), s.integer(1, 4), *s.shape(rank=s.integer(0, 2), low=1)]
    target = s.random.integers(0, shape[1], [shape[0], *shape[2:]]).astype(s.pick([np.int32, np.int64]))
    attributes = s.attributes(reduction=s.maybe(s.pick(["none", "sum", "mean"])))
    if shape[1] > 1 and s.chance(0.3):
        attributes["ignore_index"] = int(target.flat[0]) if target.size > 1 and np.ptp(target) else -1
    dtype = s.dtype()
    outputs = s.integer(1, 2) if s.op == "SoftmaxCrossEntropyLoss" else 1
    return Use([s.array(dtype, shape), target, s.maybe(s.array(dtype, [shape[1]], 0.1, 2))], attributes, outputs)
