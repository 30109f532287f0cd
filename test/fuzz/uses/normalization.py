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
    inputs = [s.array(dtype, shape), s.array(dtype, channels), s.array(dtype, channels)]
    training = s.opset > 13 and s.chance(0.4)
    statistics = dtype if training or s.opset < 15 else s.pick([dtype, "float32"])
    inputs += [s.array(statistics, channels), s.array(statistics, channels, 0.1, 3)]
    attributes = s.attributes(epsilon=s.maybe(0.01), momentum=s.maybe(s.pick([0.5, 0.9])), training_mode=1 if training else None)
    return Use(inputs, attributes, outputs=3 if training else 1)


@op("InstanceNormalization")
def instance_normalization(s):
    shape = s.shape(rank=s.integer(3, 5), low=1)
    dtype = s.dtype()
    return Use([s.array(dtype, shape), s.array(dtype, [shape[1]]), s.array(dtype, [shape[1]])], {"epsilon": 0.1})


@op("GroupNormalization")
def group_normalization(s):
    groups, per_group = s.integer(1, 3), s.integer(1, 3)
    channels = groups * per_group
    parameters = channels if s.opset >= 21 else groups
    dtype = s.dtype()
    shape = [s.integer(1, 2), channels] + s.shape(rank=s.integer(1, 2), low=1)
    return Use([s.array(dtype, shape), s.array(dtype, [parameters]), s.array(dtype, [parameters])],
               {"num_groups": groups, "epsilon": 0.1})


@op("LayerNormalization", "RMSNormalization")
def layer_normalization(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis = s.axis(len(shape))
    dtype = s.dtype()
    inputs = [s.array(dtype, shape), s.array(dtype, s.broadcast(shape[axis:]))]
    attributes = s.attributes(axis=axis, epsilon=s.pick([0.1, 1e-5]), stash_type=s.maybe(1))
    if s.op == "RMSNormalization":
        return Use(inputs, attributes)
    if s.chance(0.5):
        inputs.append(s.array(dtype, s.broadcast(shape[axis:])))
    return Use(inputs, attributes, outputs=s.pick([1, 3]))


@op("LRN")
def lrn(s):
    return Use([s.array(s.dtype(), s.shape(rank=4, low=1))], s.attributes(size=s.pick([1, 2, 3, 5]), alpha=s.maybe(0.01)))


@op("MeanVarianceNormalization")
def mean_variance_normalization(s):
    shape = s.shape(rank=4, low=2)
    return Use([s.array(s.dtype(), [size + 1 for size in shape])], s.attributes(axes=s.maybe([0, 2, 3])))


@op("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(s):
    shape = [s.integer(1, 3), s.integer(1, 4), *s.shape(rank=s.integer(0, 3), low=1)]
    target = s.random.integers(0, shape[1], [shape[0], *shape[2:]]).astype(s.pick([np.int32, np.int64]))
    dtype = s.dtype()
    attributes = s.attributes(reduction=s.maybe(s.pick(["none", "sum", "mean"])))
    if s.chance(0.5):
        ignored = s.pick([int(target.flat[0]), -1, -100, shape[1] + 5])
        attributes["ignore_index"] = ignored
        # One counts at least: the mean of none is undefined.
        if target.size > 1 and not 0 <= ignored < shape[1]:
            target.flat[0] = ignored
        if (target == ignored).all():
            del attributes["ignore_index"]
    target[(target < 0) | (target >= shape[1])] = attributes.get("ignore_index", 0)
    outputs = s.pick([1, 2]) if s.op == "SoftmaxCrossEntropyLoss" else 1
    return Use([s.array(dtype, shape), target, s.maybe(s.array(dtype, [shape[1]], 0.1, 2))], attributes, outputs=outputs)
