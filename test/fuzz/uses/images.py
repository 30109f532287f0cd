# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images."""

import numpy as np

from .source import Use, ints, op

COORDINATES = ["half_pixel", "half_pixel_symmetric", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_crop_and_resize"]


@op("Resize")
def resize(s):
    rank = s.integer(1, 3)
    lead = [1, s.integer(1, 2)]
    shape = lead + [s.integer(1, 7) for _ in range(rank)]
    mode = s.pick(["nearest", "linear", "cubic"] if rank == 2 else ["nearest", "linear"])
    coordinates = s.pick(COORDINATES)
    dtype = s.dtype("T1", ["float32", "float32", "float64", "float16", "uint8", "int8", "int32"] if mode != "cubic" else ["float32"])
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        attributes["nearest_mode"] = s.pick(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        attributes.update(s.attributes(exclude_outside=s.maybe(1, 0.3), cubic_coeff_a=s.maybe(-0.5, 0.4)))
    if mode != "nearest" and coordinates != "tf_crop_and_resize":
        attributes.update(s.attributes(antialias=s.maybe(1, 0.3)))
    roi, axes = None, list(range(len(shape)))
    if s.opset >= 18 and s.chance(0.4):
        axes = axes[2:]
        # The oracles know negative ones in the simple cases.
        attributes["axes"] = [axis - len(shape) * (mode == "nearest" and coordinates != "tf_crop_and_resize" and s.chance(0.3)) for axis in axes]
    if coordinates == "tf_crop_and_resize":
        starts = s.random.uniform(-0.2, 0.4, len(axes)) if s.chance(0.5) else np.zeros(len(axes))
        roi = np.concatenate([starts, starts + s.random.uniform(0.3, 1.0, len(axes))]).astype(np.float32)
        for i, axis in enumerate(axes):
            if axis < 2:
                roi[i], roi[i + len(axes)] = 0, 1
        attributes.update(s.attributes(extrapolation_value=s.maybe(1.5)))
    array = s.array(dtype, shape)
    if s.chance(0.5):
        sizes = [shape[axis] if axis < 2 else s.integer(1, 9) for axis in axes]
        if "axes" in attributes and s.chance(0.4):
            attributes["keep_aspect_ratio_policy"] = s.pick(["stretch", "not_larger", "not_smaller"])
        return Use([array, roi, None, ints(sizes)], attributes, shapelike=(3,))
    scales = np.array([1 if axis < 2 else s.pick([0.5, 1.0, 1.5, 2.0, 3.0, 0.6, 2.3]) for axis in axes], np.float32)
    scales = np.maximum(scales, [1 / shape[axis] + 1e-6 for axis in axes]).astype(np.float32)
    return Use([array, roi, scales], attributes, shapelike=(2,))


@op("GridSample")
def grid_sample(s):
    n, c, h, w, dtype = s.integer(1, 2), s.integer(1, 2), s.integer(1, 5), s.integer(1, 5), s.dtype("T1", ["float32", "float64"])
    depth = [s.integer(2, 4)] if s.opset >= 20 and s.chance(0.3) else []
    grid = s.array("float32", [n, *depth, s.integer(1, 4), s.integer(1, 4), 2 + len(depth)], -1.4, 1.4)
    modes = ["linear", "nearest"] + ["cubic"] * (not depth) if s.opset >= 20 else ["bilinear", "nearest", "bicubic"]
    return Use([s.array(dtype, [n, c, *depth, h, w]), grid],
               s.attributes(mode=s.pick(modes), padding_mode=s.pick(["zeros", "border", "reflection"]), align_corners=s.integer(0, 1)))


@op("AffineGrid")
def affine_grid(s):
    n, rank, dtype = s.integer(1, 2), s.integer(2, 3), s.dtype("T1", ["float32", "float64"])
    size = [n, s.integer(1, 2)] + [s.integer(1, 4) for _ in range(rank)]
    return Use([s.array(dtype, [n, rank, rank + 1]), ints(size)], s.attributes(align_corners=s.maybe(s.integer(0, 1))), shapelike=(1,))


@op("RoiAlign")
def roi_align(s):
    batch, count, dtype = s.integer(1, 2), s.integer(1, 3), s.dtype("T1", ["float32", "float64"])
    corner = s.array(dtype, [count, 2], 0, 3)
    rois = np.concatenate([corner, corner + s.array(dtype, [count, 2], 1, 4)], -1)
    attributes = s.attributes(mode=s.pick(["avg", "max"]), output_height=s.integer(1, 3), output_width=s.integer(1, 3),
                              sampling_ratio=s.integer(0, 2), spatial_scale=s.maybe(s.pick([0.5, 1.5])))
    if s.opset >= 16:
        attributes["coordinate_transformation_mode"] = s.pick(["half_pixel", "output_half_pixel"])
    return Use([s.array(dtype, [batch, s.integer(1, 2), 6, 7]), rois, s.random.integers(0, batch, [count])], attributes)
