# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What moves elements."""

import numpy as np

from .source import Use, ints, op


@op("Transpose")
def transpose(s):
    shape = s.shape()
    return Use([s.array(s.dtype(), shape)], s.attributes(perm=s.maybe([int(i) for i in s.random.permutation(len(shape))], 0.8 if shape else 0)))


@op("Reshape")
def reshape(s):
    shape = s.shape(low=1)
    factors = [f for size in shape for f in ([size] if size in (1, 2, 3, 5, 7, 17) else [2, size // 2])]
    s.random.shuffle(factors)
    target = []
    for factor in factors:
        if target and s.chance(0.5):
            target[-1] *= int(factor)
        else:
            target.append(int(factor))
    if target and s.chance(0.4):
        target[s.integer(0, len(target) - 1)] = -1
    return Use([s.array(s.dtype(), shape), ints(target)], shapelike=(1,))


@op("Flatten")
def flatten(s):
    shape = s.shape()
    return Use([s.array(s.dtype(), shape)], s.attributes(axis=s.maybe(s.integer(-len(shape), len(shape)), 0.8 if shape else 1)))


@op("Squeeze", "Unsqueeze")
def squeeze(s):
    shape = s.shape()
    added = s.integer(1, 2)
    full = len(shape) + added
    axes = sorted(int(i) for i in s.random.permutation(full)[:added])
    named = ints([axis - full * s.chance(0.3) for axis in axes])
    if s.op == "Unsqueeze":
        return Use([s.array(s.dtype(), shape), named], shapelike=(1,))
    rest = iter(shape)
    squeezed = [1 if axis in axes else next(rest) for axis in range(full)]
    return Use([s.array(s.dtype(), squeezed), named], shapelike=(1,))


@op("Expand")
def expand(s):
    shape = s.shape(low=1)
    start = s.broadcast(shape)
    target = [1 if own == size and s.chance(0.3) else size for own, size in zip([1] * (len(shape) - len(start)) + start, shape)]
    return Use([s.array(s.dtype(), start), ints(target)], shapelike=(1,))


@op("Tile")
def tile(s):
    shape = s.shape(rank=s.integer(1, 4))
    return Use([s.array(s.dtype(), shape), ints([s.integer(0 if s.chance(0.1) else 1, 3) for _ in shape])], shapelike=(1,))


@op("Concat")
def concat(s):
    shape, dtype = s.shape(rank=s.integer(1, 4)), s.dtype()
    axis = s.axis(len(shape))
    arrays = []
    for _ in range(s.integer(1, 4)):
        part = list(shape)
        part[axis] = s.size(0)
        arrays.append(s.array(dtype, part))
    return Use(arrays, {"axis": axis})


@op("Split")
def split(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis, count = s.axis(len(shape)), s.integer(1, 3)
    if s.chance(0.4):
        shape[axis] = max(shape[axis], count)
        return Use([s.array(s.dtype(), shape)], {"axis": axis, "num_outputs": count}, outputs=count)
    sizes = [s.size(0) for _ in range(count)]
    shape[axis] = sum(sizes)
    return Use([s.array(s.dtype(), shape), ints(sizes)], {"axis": axis}, outputs=count, shapelike=(1,))


@op("Slice")
def slice_(s):
    shape = s.shape(rank=s.integer(1, 4))
    axes = s.axes(len(shape), 1)
    bounds = [(s.integer(-size - 2, size + 2), s.integer(-size - 2, size + 2), s.pick([1, 1, 2, 3, -1, -2]))
              for size in (shape[axis] for axis in axes)]
    dtype = s.pick([np.int64, np.int32])
    starts, ends, steps = (np.array(column, dtype) for column in zip(*bounds))
    for extreme, at in ((ends, 0), (starts, -1)):
        if s.chance(0.2):
            extreme[at] = s.pick([np.iinfo(dtype).max, np.iinfo(dtype).min, -2**31, 2**31 - 1])
    if s.chance(0.1):
        steps[0] = s.pick([np.iinfo(dtype).max, np.iinfo(dtype).min])
    if s.chance(0.3):
        return Use([s.array(s.dtype(), shape), starts, ends, np.array(axes, dtype)], shapelike=(1, 2, 3))
    return Use([s.array(s.dtype(), shape), starts, ends, np.array(axes, dtype), steps], shapelike=(1, 2, 3, 4))


@op("Pad")
def pad(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    mode = s.pick(["constant", "constant", "reflect", "edge", "wrap"])
    axes = s.axes(len(shape), 1) if s.chance(0.4) else None
    sizes = [shape[axis] for axis in axes] if axes else shape
    most = {"reflect": [size - 1 for size in sizes], "wrap": sizes}.get(mode, [3] * len(sizes))
    amounts = [s.integer(0, min(3, limit)) for limit in most * 2]
    if mode == "constant" and s.chance(0.4):
        # Negative: crops, at either end.
        for i in range(len(amounts)):
            if s.chance(0.5) and sizes[i % len(sizes)] > 3:
                amounts[i] = -s.integer(1, 2 if i < len(sizes) else 1)
    dtype = s.dtype()
    value = s.array(dtype, []) if mode == "constant" and s.chance(0.6) else None
    return Use([s.array(dtype, shape), ints(amounts), value, None if axes is None else ints(axes)], {"mode": mode}, shapelike=(1, 3))


@op("DepthToSpace", "SpaceToDepth")
def depth_space(s):
    block = s.integer(1, 3)
    n, c, h, w = s.integer(1, 2), s.integer(1, 2), s.size(), s.size()
    if s.op == "DepthToSpace":
        return Use([s.array(s.dtype(), [n, c * block * block, h, w])], s.attributes(blocksize=block, mode=s.maybe(s.pick(["DCR", "CRD"]))))
    return Use([s.array(s.dtype(), [n, c, h * block, w * block])], {"blocksize": block})


@op("Trilu")
def trilu(s):
    return Use([s.array(s.dtype(), s.shape(rank=s.integer(2, 4))), s.maybe(np.array(s.pick([-4, -3, -2, -1, 0, 1, 2, 3, 4, -2**62, 2**62])))],
               s.attributes(upper=s.maybe(s.integer(0, 1))))


@op("ReverseSequence")
def reverse_sequence(s):
    shape = s.shape(rank=s.integer(2, 4), low=1)
    time = s.integer(0, 1)
    lengths = s.random.integers(1, shape[time] + 1, [shape[1 - time]]).astype(np.int64)
    return Use([s.array(s.dtype(), shape), lengths], {"time_axis": time, "batch_axis": 1 - time})


@op("CenterCropPad")
def center_crop_pad(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    return Use([s.array(s.dtype(), shape), ints([s.integer(1, 9) for _ in shape])], shapelike=(1,))


@op("TensorScatter")
def tensor_scatter(s):
    batch, heads, most, size, new = s.integer(1, 3), s.integer(1, 2), s.integer(3, 6), s.integer(1, 3), s.integer(1, 3)
    dtype, mode = s.dtype(), s.maybe(s.pick(["linear", "circular"]))
    rank3 = s.chance(0.3)
    lead = [batch] if rank3 else [batch, heads]
    starts = s.random.integers(0, most if mode == "circular" else most - new + 1, [batch])
    return Use([s.array(dtype, lead + [most, size]), s.array(dtype, lead + [new, size]), s.maybe(starts)], s.attributes(mode=mode))
