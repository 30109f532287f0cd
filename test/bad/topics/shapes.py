# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose inputs and attributes do not go together: the message names the node."""

import numpy as np

from models import bad, by_tag, f32, fine, i64, model, node, of, single, zeros

IMAGE = "f32[1,4,8,8]"
BIG = (1 << 63) - 1


def windows():
    """Convolutions and poolings."""
    w = zeros((6, 4, 3, 3))
    for text, settings in (
            ("pads", dict(pads=[1, 1, 1])), ("pads", dict(pads=[1])), ("strides", dict(strides=[1])),
            ("strides", dict(strides=[0, 1])), ("strides", dict(strides=[-1, 1])), ("dilations", dict(dilations=[0, 1])),
            ("dilations", dict(dilations=[1, -2])), ("dilations", dict(dilations=[1, 1, 1])), ("group", dict(group=0)),
            ("group", dict(group=-1)), ("group", dict(group=3)), ("", dict(group=BIG)), ("kernel_shape", dict(kernel_shape=[5, 5])),
            ("kernel_shape", dict(kernel_shape=[3])), ("auto_pad", dict(auto_pad="SAME")), 
            ("", dict(dilations=[100, 1])), ("", dict(dilations=[BIG, 1])), ("", dict(pads=[-9, 0, 0, 0])),
            ("", dict(pads=[BIG, 0, BIG, 0])), ("", dict(pads=[1 << 40, 1 << 40, 0, 0]))):
        yield of("Conv", text, IMAGE, w, **settings)
    together = "pads: must not be given together with auto_pad"
    for op in ("Conv", "ConvTranspose"):
        for auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            yield of(op, together, IMAGE, zeros((4, 4, 3, 3)), auto_pad=auto, pads=[1, 1, 1, 1])
            yield fine(f"{op} with {auto} and pads of 0", single(op, IMAGE, zeros((4, 4, 3, 3)), auto_pad=auto, pads=[0, 0, 0, 0]))
    yield of("Conv", "channels", "f32[1,5,8,8]", w)
    yield of("Conv", "", IMAGE, zeros((6, 4, 3)), case="Conv with a kernel of rank 3")
    yield of("Conv", "", "f32[4,8]", zeros((6, 4)), case="Conv of rank 2")
    yield of("Conv", "", IMAGE, zeros((6, 4, 9, 9)), case="Conv with a kernel that is too large")
    yield of("Conv", "", IMAGE, w, zeros(5), case="Conv with a bias of another length")
    yield of("Conv", "", IMAGE, w, zeros((6, 1)), case="Conv with a bias of rank 2")
    yield of("Conv", "", IMAGE, w.astype(np.float64), case="Conv with a kernel of doubles")
    yield of("Conv", "", "i32[1,4,8,8]", w.astype(np.int32), case="Conv of int32")
    yield of("Conv", "", IMAGE, zeros((6, 4, 0, 3)), case="Conv with an empty kernel")
    for text, settings in (("group", dict(group=3)), ("output_padding", dict(output_padding=[1])), ("output_shape", dict(output_shape=[3])),
                           ("output_padding", dict(output_padding=[-1, 0])), ("strides", dict(strides=[0, 0])), ("", dict(pads=[99, 0, 99, 0])),
                           ("--max-tensor-bytes", dict(output_padding=[1 << 40, 1 << 40])), ("", dict(output_shape=[-4, 4])),
                           ("", dict(strides=[1 << 40, 1 << 40]))):
        yield of("ConvTranspose", text, IMAGE, zeros((4, 6, 3, 3)), **settings)
    yield of("ConvTranspose", "", IMAGE, zeros((5, 6, 3, 3)))
    for op in ("MaxPool", "AveragePool", "LpPool"):
        for pads in ([2, 2, 2, 2], [0, 0, 2, 0], [0, 3, 0, 0]):
            yield of(op, "pads: must be smaller than the kernel", IMAGE, kernel_shape=[2, 2], pads=pads)
        yield fine(f"{op} with auto_pad and pads", single(op, IMAGE, kernel_shape=[3, 3], auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]))
        yield fine(f"{op} with pads within what a dilated kernel spans",
                   single(op, IMAGE, kernel_shape=[2, 2], dilations=[2, 2], pads=[2, 2, 2, 2]))
    for op in ("MaxPool", "AveragePool"):
        for text, settings in (
                ("kernel_shape", dict(kernel_shape=[3])), ("kernel_shape", dict(kernel_shape=[0, 3])),
                ("kernel_shape", dict(kernel_shape=[-3, 3])), ("kernel_shape", dict(kernel_shape=[3, 3, 3])),
                ("", dict(kernel_shape=[9, 9])), ("", dict(kernel_shape=[BIG, 3])),
                ("strides", dict(kernel_shape=[3, 3], strides=[0, 1])), ("strides", dict(kernel_shape=[3, 3], strides=[1])),
                ("pads", dict(kernel_shape=[3, 3], pads=[1, 1])), ("pads", dict(kernel_shape=[3, 3], pads=[0, 0, -1, 0])),
                ("", dict(kernel_shape=[3, 3], pads=[1 << 60, 0, 1 << 60, 0])),
                ("auto_pad", dict(kernel_shape=[3, 3], auto_pad="same_upper")),
                ("dilations", dict(kernel_shape=[3, 3], dilations=[0, 1])), ("", dict(kernel_shape=[3, 3], dilations=[8, 1]))):
            yield of(op, text, IMAGE, **settings)
        yield of(op, "", "f32[4]", kernel_shape=[2])
    yield of("MaxPool", "storage_order", IMAGE, kernel_shape=[2, 2], storage_order=2, outputs=2)
    yield of("LpPool", "p", IMAGE, kernel_shape=[2, 2], p=0)
    yield of("GlobalAveragePool", "", "f32[4]")
    yield of("MaxUnpool", by_tag("maxunpool_i"), "f32[1,1,2,2]", "i64[1,1,2,3]", kernel_shape=[2, 2])
    yield of("MaxRoiPool", "pooled_shape", IMAGE, "f32[1,5]", pooled_shape=[2])
    yield of("MaxRoiPool", "", IMAGE, "f32[1,4]", pooled_shape=[2, 2])
    yield of("RoiAlign", "", IMAGE, "f32[1,5]", "i64[1]")
    yield of("RoiAlign", by_tag("roialign_batch_indices"), IMAGE, "f32[2,4]", "i64[1]")
    yield of("RoiAlign", "mode", IMAGE, "f32[1,4]", "i64[1]", mode="min")
    yield of("RoiAlign", "output_height", IMAGE, "f32[1,4]", "i64[1]", output_height=-1)
    yield of("RoiAlign", "", IMAGE, "f32[1,4]", "i64[1]", sampling_ratio=-1)
    yield of("RoiAlign", "coordinate", IMAGE, "f32[1,4]", "i64[1]", coordinate_transformation_mode="half")
    yield of("GridSample", "", IMAGE, "f32[1,2,2,3]")
    yield of("GridSample", "", IMAGE, "f32[2,2,2,2]")
    yield of("GridSample", "mode", IMAGE, "f32[1,2,2,2]", mode="bicubic")
    yield of("GridSample", "padding_mode", IMAGE, "f32[1,2,2,2]", padding_mode="zero")
    yield of("AffineGrid", by_tag("affinegrid_theta"), "f32[1,3,3]", i64(1, 1, 2, 2))
    yield of("AffineGrid", "", "f32[1,2,3]", i64(1, 1, -2, 2))
    yield of("Col2Im", "", "f32[1,5,4]", i64(3, 3), i64(2, 2))
    yield of("Col2Im", "", "f32[1,4,5]", i64(3, 3), i64(2, 2))
    yield of("Col2Im", by_tag("col2im_strides"), "f32[1,4,4]", i64(3, 3), i64(2, 2), strides=[0, 1])
    yield of("DeformConv", by_tag("deformconv_offset"), IMAGE, zeros((6, 4, 3, 3)), "f32[1,17,6,6]")
    yield of("DeformConv", by_tag("deformconv_mask"), IMAGE, zeros((6, 4, 3, 3)), "f32[1,18,6,6]", None, "f32[1,8,6,6]")
    yield of("LRN", "size", IMAGE, size=0)
    yield of("LRN", "size", IMAGE)
    yield of("DepthToSpace", "blocksize", IMAGE, blocksize=0)
    yield of("DepthToSpace", "blocksize", IMAGE, blocksize=-2)
    yield of("DepthToSpace", "blocksize", IMAGE, blocksize=3)
    yield of("DepthToSpace", "mode", IMAGE, blocksize=2, mode="dcr")
    yield of("DepthToSpace", "", IMAGE, blocksize=1 << 32)
    yield of("SpaceToDepth", "blocksize", IMAGE, blocksize=3)
    yield of("SpaceToDepth", "blocksize", IMAGE, blocksize=0)
    yield of("SpaceToDepth", "", "f32[4,4]", blocksize=2)


def movement():
    """Reshapes, slices, gathers and their like."""
    for shape, text in (([-1, -1], "-1"), ([4, 4], ""), ([5, -1], ""), ([-2, 6], "-2"), ([0, 0, 0], ""), ([1 << 40, 1 << 40], ""),
                        ([-1, 0, 1 << 62], ""), ([7], ""), ([], ""), ([-(1 << 63)], "")):
        yield of("Reshape", text, "f32[2,6]", i64(*shape), case=f"Reshape to {shape}")
    yield of("Reshape", "", "f32[2,6]", f32(2, 6), case="Reshape by floats")
    yield of("Reshape", "", "f32[2,6]", i64(3, 4).reshape(1, 2), case="Reshape by a matrix")
    yield of("Reshape", "", "f32[0,6]", i64(0, -1), allowzero=1, case="Reshape with 0 and -1")
    yield of("Reshape", "allowzero", "f32[2,6]", i64(3, 4), allowzero=2)
    for perm in ([0, 0], [0, 2], [0], [0, 1, 2], [-1, 0], [1 << 40, 0], []):
        yield of("Transpose", "perm", "f32[2,3]", perm=perm)
    yield of("Concat", "axis", "f32[2,3]", "f32[2,3]", axis=2)
    yield of("Concat", "axis", "f32[2,3]", "f32[2,3]", axis=-3)
    yield of("Concat", "axis", "f32[2,3]", "f32[2,3]", axis=BIG)
    yield of("Concat", "axis", "f32[]", "f32[]", axis=0)
    yield of("Concat", "", "f32[2,3]", "f32[2,4]", axis=0)
    yield of("Concat", "", "f32[2,3]", "f32[2]", axis=0)
    yield of("Concat", "", "f32[2,3]", "i64[2,3]", axis=0)
    yield of("Split", "", "f32[6]", i64(2, 2), outputs=2)
    yield of("Split", "", "f32[6]", i64(2, 4), outputs=3)
    yield of("Split", "", "f32[6]", i64(8, -2), outputs=2)
    yield of("Split", "", "f32[6]", i64(BIG, BIG), outputs=2)
    yield of("Split", "axis", "f32[6]", axis=1, num_outputs=1)
    yield of("Split", "into 2 parts", "f32[6]", outputs=3, num_outputs=2)
    yield of("Split", "num_outputs", "f32[6]", outputs=1, num_outputs=0)
    yield of("Split", "num_outputs", "f32[6]", i64(3, 3), outputs=2, num_outputs=2)
    for axes, text in (([0], ""), ([3], "axes"), ([-4], "axes"), ([1, 1], "axes"), ([1 << 40], "axes")):
        yield of("Squeeze", text, "f32[2,1,3]", i64(*axes), case=f"Squeeze of {axes}")
    for axes in ([0, 0], [5], [-6], [1, -3], [BIG]):
        yield of("Unsqueeze", "axes", "f32[2,3]", i64(*axes), case=f"Unsqueeze of {axes}")
    yield of("Unsqueeze", "axes", "f32[2,3]")
    yield of("Flatten", "axis", "f32[2,3]", axis=3)
    yield of("Flatten", "axis", "f32[2,3]", axis=-3)
    yield of("Expand", "", "f32[2,3]", i64(4, 3))
    yield of("Expand", "", "f32[2,3]", i64(2, -3))
    yield of("Expand", "", "f32[2,3]", f32(2, 3))
    yield of("Tile", "", "f32[2,3]", i64(2))
    yield of("Tile", "", "f32[2,3]", i64(2, -1))
    yield of("Tile", "", "f32[2,3]", i64(BIG, 2))
    yield of("Pad", "", "f32[2,3]", i64(1, 1))
    yield of("Pad", "", "f32[2,3]", i64(1, 1, 1, 1, 1))
    yield of("Pad", "", "f32[2,3]", i64(-3, 0, 0, 0))
    yield of("Pad", "", "f32[2,3]", i64(BIG, 0, BIG, 0))
    yield of("Pad", "mode", "f32[2,3]", i64(1, 1, 1, 1), mode="mirror")
    # numpy, and with it ONNX's reference, reflects as often as it takes.
    yield fine("Pad reflecting more than there is", single("Pad", "f32[2,3]", i64(2, 0, 0, 0), mode="reflect"))
    yield of("Pad", "", "f32[0,3]", i64(1, 0, 0, 0), mode="edge", case="Pad with the edge of nothing")
    yield of("Pad", by_tag("pad_constant_value"), "f32[2,3]", i64(1, 1, 1, 1), zeros(2), case="Pad with two values")
    yield of("Pad", "axes", "f32[2,3]", i64(1, 1), None, i64(2), case="Pad of axis 2")
    yield of("Pad", "axes", "f32[2,3]", i64(1, 1, 1, 1), None, i64(0, 0), case="Pad of an axis twice")
    starts = ((i64(0), i64(1), i64(2), None, "axes"), (i64(0), i64(1), i64(-3), None, "axes"), (i64(0), i64(1), i64(0), i64(0), "step"),
              (i64(0, 0), i64(1), None, None, ""), (i64(0), i64(1), i64(0, 1), None, ""), (i64(0), i64(1), i64(0), i64(1, 1), ""),
              (i64(0, 0, 0), i64(1, 1, 1), None, None, ""), (f32(0), f32(1), None, None, ""), (i64(0, 0), i64(1, 1), i64(0, 0), None, "axes"),
              (np.array(0), np.array(1), None, None, by_tag("slice_c3", "must have rank 1, one has rank 0")))
    for i, (start, end, axes, steps, text) in enumerate(starts):
        yield of("Slice", text, "f32[2,3]", start, end, axes, steps, case=f"Slice {i}")
    yield of("Gather", "axis", "f32[2,3]", "i64[2]", axis=2)
    yield of("Gather", "", "f32[2,3]", "f32[2]")
    yield of("Gather", "", "f32[]", "i64[2]")
    for index in (2, -3, BIG, -BIG):
        yield of("Gather", str(index), "f32[2,3]", i64(index), case=f"Gather of {index}")
    yield of("GatherElements", "", "f32[2,3]", "i64[2]")
    yield of("GatherElements", "", "f32[2,3]", "i64[3,3]", axis=1)
    yield of("GatherElements", "3", "f32[2,3]", i64(3).reshape(1, 1), axis=1, case="GatherElements of 3")
    yield of("GatherND", "", "f32[2,3]", "i64[3]")
    yield of("GatherND", "batch_dims", "f32[2,3]", "i64[2,1]", batch_dims=2)
    yield of("GatherND", "", "f32[2,3]", "i64[3,1]", batch_dims=1)
    yield of("GatherND", "", "f32[2,3]", i64(0, 5), case="GatherND of 0,5")
    yield of("ScatterElements", "", "f32[2,3]", "i64[2,3]", "f32[2,2]")
    yield of("ScatterElements", "reduction", "f32[2,3]", "i64[2,3]", "f32[2,3]", reduction="sub")
    yield of("ScatterElements", "axis", "f32[2,3]", "i64[2,3]", "f32[2,3]", axis=2)
    yield of("ScatterElements", "", "f32[2,3]", "i64[2,3]", "f64[2,3]")
    yield of("ScatterND", "", "f32[2,3]", "i64[2,3]", "f32[2]")
    yield of("ScatterND", "", "f32[2,3]", "i64[2,1]", "f32[2,2]")
    yield of("TensorScatter", "", "f32[1,2,3]", "f32[1,3,3]", None)
    yield of("OneHot", "", "i64[2]", i64(-3), f32(0, 1))
    yield of("OneHot", by_tag("onehot_values"), "i64[2]", i64(3), f32(0, 1, 2))
    yield of("OneHot", "axis", "i64[2]", i64(3), f32(0, 1), axis=2)
    yield of("OneHot", "", "i64[2]", i64(3, 4), f32(0, 1))
    yield of("TopK", "", "f32[4]", i64(5))
    yield of("TopK", "", "f32[4]", i64(-1), outputs=2)
    yield of("TopK", "", "f32[4]", i64(1, 2), outputs=2)
    yield of("TopK", "axis", "f32[4]", i64(1), outputs=2, axis=1)
    yield of("TopK", "", "f32[]", i64(1), outputs=2)
    yield of("Trilu", "", "f32[4]")
    yield of("Compress", "axis", "f32[2,3]", "bool[2]", axis=2)
    yield of("Compress", "", "f32[2,3]", "bool[2,2]")
    yield of("Unique", "axis", "f32[2]", axis=1)
    yield of("ReverseSequence", "", "f32[2,3]", "i64[4]")
    yield of("ReverseSequence", "", "f32[2]", "i64[2]")
    yield of("ReverseSequence", "axis", "f32[2,3]", "i64[2]", batch_axis=0, time_axis=0)
    yield of("ReverseSequence", "time_axis", "f32[2,3]", "i64[2]", batch_axis=0, time_axis=5)
    yield of("CenterCropPad", "", "f32[2,3]", i64(2))
    yield of("CenterCropPad", "", "f32[2,3]", i64(2, -1))
    yield of("CenterCropPad", "axes", "f32[2,3]", i64(2), axes=[3])
    yield of("EyeLike", "", "f32[2]")
    yield of("EyeLike", "", "f32[2,2]", dtype=99)
    yield of("Shape", "", "f32[2]", "f32[2]")
    yield of("Cast", "", "seq(f32[2])", to=1)
    yield of("BitCast", "", "f32[2]", to=11, opset=26)
    yield of("Range", "", i64(0), i64(4), i64(0), case="Range with a step of 0")
    yield of("Range", "", np.array(0), np.array(4), np.array(0), case="Range with a scalar step of 0")
    yield of("Range", "", f32(0), i64(4), i64(1), case="Range of two types")
    yield of("ConstantOfShape", "", i64(-1, 2))
    yield of("ConstantOfShape", "", i64(2), value=f32(1, 2))
    yield of("ConstantOfShape", "", f32(2))
    yield of("ConstantOfShape", "", i64(2).reshape(1, 1))
    scales = (f32(1, 1, 0, 1), f32(1, 1, -1, 1), f32(1, 1, np.nan, 1), f32(1, 1, np.inf, 1), f32(1, 1, 1e30, 1), f32(2, 2))
    for scale in scales:
        yield of("Resize", "", IMAGE, None, scale, case=f"Resize by {scale}")
    yield of("Resize", "", IMAGE, None, f32(1, 1, 2, 2), i64(1, 4, 9, 9), case="Resize by both")
    yield of("Resize", "", IMAGE, case="Resize by nothing")
    yield of("Resize", "", IMAGE, None, None, i64(1, 4, -8, 8), case="Resize to -8")
    yield of("Resize", "", IMAGE, None, None, i64(9, 9), case="Resize to two sizes")
    yield of("Resize", "mode", IMAGE, None, f32(1, 1, 2, 2), mode="bilinear")
    yield of("Resize", "coordinate_transformation_mode", IMAGE, None, f32(1, 1, 2, 2), coordinate_transformation_mode="corner")
    for mode in ("round", ""):
        yield of("Resize", "nearest_mode", IMAGE, None, f32(1, 1, 2, 2), nearest_mode=mode)
    yield of("Resize", "axes", IMAGE, None, f32(2, 2), axes=[2, 9])
    yield of("Resize", "axes", IMAGE, None, f32(2, 2), axes=[2, 2])
    yield of("Resize", "keep_aspect_ratio_policy", IMAGE, None, None, i64(1, 4, 9, 9), keep_aspect_ratio_policy="no")
    yield of("Upsample", "", IMAGE, f32(1, 1, 2), opset=9)


def arithmetic():
    """Elementwise operators, products, sums, normalizations, recurrences."""
    for op in ("Add", "Mul", "Pow", "Max", "Where", "PRelu", "And", "BitShift"):
        kind = {"And": "bool", "BitShift": "u8"}.get(op, "f32")
        operands = [f"{kind}[2,3]", f"{kind}[2,4]"]
        extra = {"direction": "LEFT"} if op == "BitShift" else {}
        yield of(op, "", *(["bool[2,3]"] if op == "Where" else []), *operands, **extra)
    yield of("Add", "", "f32[2]", "f64[2]")
    yield of("Add", "", "f32[2]", "i64[2]")
    yield of("Add", "", "str[2]", "str[2]")
    yield of("Add", "", "bool[2]", "bool[2]")
    yield of("And", "", "f32[2]", "f32[2]")
    yield of("Not", "", "f32[2]")
    yield of("Where", "", "f32[2]", "f32[2]", "f32[2]")
    yield of("BitShift", "direction", "u8[2]", "u8[2]", direction="UP")
    yield of("BitShift", "direction", "u8[2]", "u8[2]")
    yield fine("Mod of floats, which opset 28 allows without fmod", single("Mod", "f32[2]", "f32[2]"))
    yield of("Mod", "fmod", "i32[2]", "i32[2]", fmod=7)
    yield of("PRelu", "", "f32[2]", "f32[3,2]")
    yield of("Clip", "", "f32[2]", f32(1, 2))
    yield of("Clip", "", "f32[2]", i64(1))
    yield of("Erf", "", "str[2]")
    yield of("Gelu", "approximate", "f32[2]", approximate="sigmoid")
    yield of("Dropout", by_tag("dropout_ratio"), "f32[2]", f32(0.5, 0.5))
    yield of("CumSum", "", "f32[2,3]", i64(2))
    yield of("CumSum", "", "f32[2,3]", i64(0, 1))
    yield of("CumSum", "exclusive", "f32[2,3]", i64(0), exclusive=2)
    yield of("Softmax", "axis", "f32[2,3]", axis=2)
    yield of("Softmax", "axis", "f32[2,3]", axis=-3, opset=11)
    yield of("Hardmax", "axis", "f32[2,3]", axis=BIG)
    yield of("ReduceSum", "axes", "f32[2,3]", i64(2))
    yield of("ReduceSum", "axes", "f32[2,3]", i64(0, 0))
    yield of("ReduceSum", "2000 axes for rank 2", "f32[2,3]", np.zeros(2000, np.int64), case="ReduceSum along 2000 axes")
    yield of("ReduceSum", "2000 axes for rank 2", "f32[2,3]", "i64[2000]")
    yield of("ReduceSum", "axes", "f32[2,3]", i64(0, -2))
    yield of("ReduceMax", "axes", "f32[2,3]", axes=[4], opset=13)
    yield of("ReduceMean", "keepdims", "f32[2,3]", keepdims=2)
    yield of("ReduceMean", "", "bool[2,3]")
    yield of("ArgMax", "axis", "f32[2,3]", axis=2)
    yield of("ArgMax", "", "f32[2,0]", axis=1, case="ArgMax of nothing")
    for a, b in (("f32[2,3]", "f32[4,5]"), ("f32[2,3]", "f32[4]"), ("f32[3]", "f32[4]"), ("f32[2,2,3]", "f32[3,3,4]"), ("f32[]", "f32[2]"),
                 ("f32[2,3]", "f64[3,2]"), ("str[2,3]", "str[3,2]")):
        yield of("MatMul", "", a, b)
    yield of("Gemm", "", "f32[2,3]", "f32[4,5]")
    yield of("Gemm", "", "f32[2,3]", "f32[3,5]", "f32[3,5]")
    yield of("Gemm", "", "f32[2,3]", "f32[3,5]", transB=1)
    yield of("Gemm", "", "f32[2,3,4]", "f32[4,5]")
    yield of("Gemm", "", "f32[2,3]", "f32[3,5]", transA=2)
    for equation in ("ij,jk->iz", "ij,jk", "ij->ij", "ij,kl->ij,kl", "i,jk->ik", "ij,jk->ii", "", "ij,jk->i...", "i$,jk->ik", "ij,jk->->ik",
                     "...ij,...jk..->...ik", "abc,jk->ak"):
        if equation != "ij,jk":
            yield of("Einsum", "", "f32[2,3]", "f32[4,5]", equation=equation, case=f"Einsum '{equation}'")
    yield of("Einsum", "", "f32[2,3]", "f32[4,5]", equation="ij,jk->ik")
    yield of("Det", "", "f32[2,3]")
    yield of("Det", "", "f32[3]")
    yield of("BatchNormalization", "", IMAGE, zeros(3), zeros(4), zeros(4), zeros(4))
    yield of("BatchNormalization", "", IMAGE, zeros(4), zeros(4), zeros(4), zeros((4, 1)))
    yield of("BatchNormalization", "", IMAGE, zeros(4), zeros(4), zeros(4), zeros(4), outputs=3)
    yield of("BatchNormalization", "", IMAGE, zeros(4), zeros(4), zeros(4))
    yield of("InstanceNormalization", "", IMAGE, zeros(3), zeros(4))
    yield of("LayerNormalization", "axis", "f32[2,3]", zeros(3), axis=2)
    yield of("LayerNormalization", "", "f32[2,3]", zeros(4))
    yield of("LayerNormalization", "stash_type", "f32[2,3]", zeros(3), stash_type=99)
    yield of("RMSNormalization", "", "f32[2,3]", zeros(4))
    yield of("GroupNormalization", "num_groups", IMAGE, zeros(4), zeros(4), num_groups=3)
    yield of("GroupNormalization", "num_groups", IMAGE, zeros(4), zeros(4), num_groups=0)
    yield of("GroupNormalization", "num_groups", IMAGE, zeros(4), zeros(4))
    yield of("GroupNormalization", "", IMAGE, zeros(3), zeros(4), num_groups=2)
    yield of("LpNormalization", "p", "f32[2,3]", p=3)
    yield of("LpNormalization", "axis", "f32[2,3]", axis=2)
    yield of("MeanVarianceNormalization", "axes", "f32[2,3]", axes=[0, 5])
    w, r = zeros((1, 16, 3)), zeros((1, 16, 4))
    yield of("LSTM", "hidden_size", "f32[2,1,3]", w, r, hidden_size=5)
    yield of("LSTM", "hidden_size", "f32[2,1,3]", w, r, hidden_size=-4)
    yield of("LSTM", "direction", "f32[2,1,3]", w, r, hidden_size=4, direction="both")
    yield of("LSTM", "", "f32[2,1,3]", w, r, hidden_size=4, direction="bidirectional")
    yield of("LSTM", "", "f32[2,1,5]", w, r, hidden_size=4)
    yield of("LSTM", "", "f32[2,3]", w, r, hidden_size=4)
    yield of("LSTM", "activations", "f32[2,1,3]", w, r, hidden_size=4, activations=["Tanh"])
    yield of("LSTM", "activation 'Foo'", "f32[2,1,3]", w, r, hidden_size=4, activations=["Tanh", "Foo", "Tanh"])
    yield of("LSTM", "layout", "f32[2,1,3]", w, r, hidden_size=4, layout=2)
    yield of("LSTM", "", "f32[2,1,3]", w, r, zeros((1, 31)), hidden_size=4, case="LSTM with a bias of another length")
    yield of("LSTM", "", "f32[2,1,3]", w, r, None, "i32[2]", hidden_size=4, case="LSTM with too many lengths")
    yield of("LSTM", by_tag("lstm_clip"), "f32[2,1,3]", w, r, hidden_size=4, clip=-1.0)
    yield of("GRU", "", "f32[2,1,3]", w, r, hidden_size=4)
    yield of("RNN", "", "f32[2,1,3]", w, r, hidden_size=4)
    yield of("Attention", "", "f32[1,2,6]", "f32[1,2,6]", "f32[1,2,6]")
    yield of("Attention", "", "f32[1,2,6]", "f32[1,2,6]", "f32[1,2,6]", q_num_heads=4, kv_num_heads=4)
    yield of("Attention", "", "f32[1,3,2,4]", "f32[1,2,2,4]", "f32[1,2,2,4]")
    yield of("Attention", "", "f32[1,2,2,4]", "f32[1,2,2,5]", "f32[1,2,2,4]")
    yield of("Attention", "", "f32[1,2,2,4]", "f32[1,2,3,4]", "f32[1,2,2,4]")
    yield of("RotaryEmbedding", "", "f32[1,2,3,5]", "f32[4,2]", "f32[4,2]", "i64[1,3]")
    yield of("NegativeLogLikelihoodLoss", "reduction", "f32[2,3]", "i64[2]", reduction="all")
    yield of("NegativeLogLikelihoodLoss", "", "f32[2,3]", "i64[3]")
    yield of("SoftmaxCrossEntropyLoss", "", "f32[2,3]", "i64[2]", "f32[4]")
    yield of("Multinomial", "", "f32[2,3]", dtype=1)
    yield of("Multinomial", "sample_size", "f32[2,3]", sample_size=-1)
    yield of("RandomNormal", "shape", shape=[-1])
    yield of("RandomNormal", "shape")
    yield of("RandomUniform", "", shape=[2], dtype=7)
    yield of("Bernoulli", "dtype", "f32[2]", dtype=99)
    yield of("NonMaxSuppression", by_tag("nonmaxsuppression_boxes"), "f32[1,6,5]", "f32[1,1,6]")
    yield of("NonMaxSuppression", by_tag("nonmaxsuppression_c2", "boxes and their scores"), "f32[1,6,4]", "f32[1,1,7]")
    yield of("NonMaxSuppression", by_tag("nonmaxsuppression_c1", "must have rank 3"), "f32[1,6,4]", "f32[1,6]")
    yield of("NonMaxSuppression", "center_point_box", "f32[1,6,4]", "f32[1,1,6]", center_point_box=2)
    yield of("DFT", "", "f32[1,4,3]")
    yield of("DFT", "axis", "f32[1,4,1]", None, i64(2))
    yield of("DFT", by_tag("dft_dft_length"), "f32[1,4,1]", i64(0))
    yield of("STFT", "", "f32[1,8,1]", i64(0), None, i64(4))
    yield of("STFT", "", "f32[1,8,1]", i64(2), None, i64(16))
    yield of("HannWindow", "", i64(-4))
    yield of("HannWindow", "output_datatype", i64(4), output_datatype=8)
    yield of("MelWeightMatrix", "", i64(8), i64(-16), i64(8000), f32(0), f32(4000))


def quantization():
    q, s = "u8[2,3]", np.ones(3, np.float32)
    yield of("DequantizeLinear", "axis", q, s, axis=2)
    yield of("DequantizeLinear", "", q, np.ones(4, np.float32), axis=1)
    yield of("DequantizeLinear", by_tag("dequantizelinear_zero_point"), q, s, np.zeros(2, np.uint8), axis=1)
    yield of("DequantizeLinear", "", q, s, np.zeros(3, np.int8), axis=1, case="DequantizeLinear with a zero point of int8")
    yield of("DequantizeLinear", "", "f32[2,3]", s, axis=1)
    yield of("DequantizeLinear", "", q, i64(1))
    yield of("DequantizeLinear", "blocks of dimension 1", q, np.ones((2, 2), np.float32), axis=1, block_size=1)
    yield of("DequantizeLinear", "block_size", q, np.ones((2, 3), np.float32), axis=1, block_size=-1)
    yield of("QuantizeLinear", "", "f32[2,3]", s, axis=0)
    yield of("QuantizeLinear", "", "f32[2,3]", np.ones((1, 3), np.float32), axis=1)
    yield of("QuantizeLinear", "", "f32[2,3]", f32(1), output_dtype=1)
    yield of("QuantizeLinear", "", "f32[2,3]", f32(1), np.zeros(1, np.uint8), output_dtype=3)
    yield of("QuantizeLinear", "", "str[2]", f32(1))
    yield of("DynamicQuantizeLinear", "", "i64[2]")
    yield of("MatMulInteger", "", "u8[2,3]", "u8[4,5]")
    yield of("MatMulInteger", "", "f32[2,3]", "u8[3,5]")
    yield of("QLinearMatMul", "", "u8[2,3]", f32(1), np.zeros(1, np.uint8), "u8[4,5]", f32(1), np.zeros(1, np.uint8), f32(1), np.zeros(1, np.uint8))
    yield of("QLinearConv", "", "u8[1,3,4,4]", f32(1), np.zeros(1, np.uint8), "u8[2,4,3,3]", f32(1), np.zeros(1, np.uint8), f32(1),
             np.zeros(1, np.uint8))
    two, zero, zeros = np.ones(2, np.float32), np.zeros(1, np.uint8), np.zeros(2, np.uint8)
    yield of("MatMulInteger", by_tag("matmulinteger_a_zero_point"), "u8[4,3]", "u8[3,5]", zeros)
    yield of("MatMulInteger", by_tag("matmulinteger_b_zero_point"), "u8[4,3]", "u8[3,5]", zero, zeros)
    matrices = ["u8[4,3]", f32(1), zero, "u8[3,5]", f32(1), zero, f32(1), zero]
    for at, tag in [(1, by_tag("qlinearmatmul_a_scale")), (2, by_tag("qlinearmatmul_a_zero_point")), (4, by_tag("qlinearmatmul_b_scale")), (5, by_tag("qlinearmatmul_b_zero_point"))]:
        yield of("QLinearMatMul", tag, *matrices[:at], two if "scale" in tag else zeros, *matrices[at + 1:], case=f"two elements in {tag}")
    yield of("ConvInteger", by_tag("convinteger_x_zero_point"), "u8[1,3,4,4]", "u8[4,3,3,3]", zeros)
    yield of("ConvInteger", by_tag("convinteger_w_zero_point"), "u8[1,3,4,4]", "u8[4,3,3,3]", zero, zeros)
    image = ["u8[1,3,4,4]", f32(1), zero, "u8[4,3,3,3]", f32(1), zero, f32(1), zero]
    for at, tag in [(1, by_tag("qlinearconv_x_scale")), (2, by_tag("qlinearconv_x_zero_point")), (4, by_tag("qlinearconv_w_scale")), (5, by_tag("qlinearconv_w_zero_point")),
                    (6, by_tag("qlinearconv_y_scale")), (7, by_tag("qlinearconv_y_zero_point"))]:
        yield of("QLinearConv", tag, *image[:at], two if "scale" in tag else zeros, *image[at + 1:], case=f"two elements in {tag}")
    yield of("QLinearConv", by_tag("qlinearconv_w_scale"), "u8[1,3,4,4]", f32(1), np.zeros(1, np.uint8), "u8[2,3,3,3]", f32(1, 1, 1), np.zeros(3, np.uint8), f32(1),
             np.zeros(1, np.uint8))
    yield of("ConvInteger", "", "u8[1,3,4,4]", "u8[2,4,3,3]")


def sequences():
    yield of("SequenceAt", "", "f32[2]", "i64[]")
    yield of("SequenceAt", "", "seq(f32[2])", "f32[]")
    yield of("SequenceInsert", "", "seq(f32[2])", "i64[2]")
    yield of("SequenceInsert", "", "seq(f32[2])", "f32[2]", "f32[]")
    yield of("SequenceConstruct", "", "f32[2]", "i64[2]")
    yield of("SequenceConstruct", "")
    yield of("SequenceEmpty", "dtype", dtype=99)
    yield of("SequenceLength", "", "f32[2]")
    yield of("ConcatFromSequence", "axis", "seq(f32[2])")
    yield of("ConcatFromSequence", "axis", "seq(f32[2])", axis=3)
    yield of("ConcatFromSequence", "", "f32[2]", axis=0)
    yield of("SplitToSequence", "axis", "f32[2]", axis=1)
    yield of("SplitToSequence", "", "f32[6]", i64(4, 4))
    yield of("SplitToSequence", "", "f32[6]", i64(-2))
    yield of("SplitToSequence", "", "f32[6]", i64(0))
    yield of("Optional", "type")
    yield of("Relu", "", "seq(f32[2])")
    yield of("Relu", "", "opt(f32[2])")
    yield of("Add", "", "f32[2]", "opt(f32[2])")
    yield of("StringConcat", "", "f32[2]", "str[2]")
    yield of("StringNormalizer", "case_change_action", "str[2]", case_change_action="lower")
    yield of("StringNormalizer", "", "str[2,2]")
    yield of("TfIdfVectorizer", "mode", "i64[4]", mode="X", min_gram_length=1, max_gram_length=1, max_skip_count=0, ngram_counts=[0],
             ngram_indexes=[0], pool_int64s=[1])
    yield of("TfIdfVectorizer", "", "i64[4]", mode="TF", min_gram_length=2, max_gram_length=1, max_skip_count=0, ngram_counts=[0],
             ngram_indexes=[0], pool_int64s=[1])
    yield of("TfIdfVectorizer", "", "i64[4]", mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0, ngram_counts=[5],
             ngram_indexes=[0], pool_int64s=[1])
    yield of("TfIdfVectorizer", "", "i64[4]", mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0, ngram_counts=[0],
             ngram_indexes=[-1], pool_int64s=[1])
    yield of("LabelEncoder", "", "i64[2]", domain="ai.onnx.ml", keys_int64s=[1, 2], values_int64s=[1])
    for x, tag in (("f32[2,3]", "imputer_imputed_value_floats"), ("f64[2,3]", "imputer_imputed_value_floats"), ("i64[2,3]", "imputer_imputed_value_int64s")):
        for count in (2, 4):
            given = list(range(count)) if x[0] == "i" else [0.5] * count
            yield of("Imputer", by_tag(f"{tag}: must have one element, or one for each feature"), x, domain="ai.onnx.ml", **{tag.partition("_")[2]: given})
    yield fine("Imputer of one value", single("Imputer", "f32[2,3]", domain="ai.onnx.ml", imputed_value_floats=[1.0]))
    yield of("Scaler", "", "f32[2,3]", domain="ai.onnx.ml", offset=[1.0, 2.0], scale=[1.0])
    yield of("Normalizer", "norm", "f32[2,3]", domain="ai.onnx.ml", norm="L3")
    yield of("ArrayFeatureExtractor", "", "f32[2,3]", i64(7), domain="ai.onnx.ml")
    tree = dict(nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
                nodes_values=[0.5, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], target_treeids=[0, 0],
                target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.0, 2.0], n_targets=1)
    for change, text in ((dict(nodes_truenodeids=[0, 0, 0]), "lead back to themselves"), (dict(nodes_truenodeids=[9, 0, 0]), "9"),
                         (dict(nodes_values=[0.5]), "lists of its nodes"), (dict(nodes_modes=["BRANCH_LEQ", "LEAF", "X"]), "nodes_modes"),
                         (dict(target_nodeids=[1, 7]), "7"), (dict(target_ids=[0, 5]), "greatest target 5"), (dict(n_targets=-1), "n_targets"),
                         (dict(nodes_featureids=[99, 0, 0]), by_tag("treeensembleregressor_nodes_featureids")), (dict(nodes_featureids=[-1, 0, 0]), "is -1, expected at least 0"), (dict(aggregate_function="MEDIAN"), "aggregate_function"),
                         (dict(post_transform="SOFT"), "post_transform"), (dict(nodes_nodeids=[0, 1, 1]), "")):
        yield of("TreeEnsembleRegressor", text, "f32[2,3]", domain="ai.onnx.ml", imports={"": 17, "ai.onnx.ml": 3}, **{**tree, **change},
                 case=f"tree {change}")
    yield of("SVMRegressor", "", "f32[2,3]", domain="ai.onnx.ml", coefficients=[1.0], rho=[], support_vectors=[1.0, 2.0], n_supports=1)
    yield of("LinearClassifier", by_tag("linearclassifier_coefficients"), "f32[2,3]", domain="ai.onnx.ml", coefficients=[1.0, 2.0], outputs=2, classlabels_ints=[0, 1])
    yield of("LinearRegressor", by_tag("linearregressor_coefficients"), "f32[2,3]", domain="ai.onnx.ml", coefficients=[1.0, 2.0])
    yield of("LinearRegressor", "at least 2 rows of 3", "f32[2,3]", domain="ai.onnx.ml", coefficients=[1.0, 2.0, 3.0], targets=2)
    yield fine("LinearRegressor with rows to spare", single("LinearRegressor", "f32[2,3]", domain="ai.onnx.ml", coefficients=[1.0] * 9, targets=2))
    yield of("ZipMap", "", "f32[2,3]", domain="ai.onnx.ml", classlabels_int64s=[1, 2])


def declared():
    """What a model says of its values against what they are."""
    yield bad("output of another type", model([node("Relu", "X")], {"X": "f32[2]"}, {"Y": "i64[2]"}), "node 'n' (Relu): output 'Y'", "int64[2]", "declared")
    yield bad("value of another type", model([node("Relu", "X", "t"), node("Neg", "t", name="m")], {"X": "f32[2]"}, values={"t": "f64[2]"}),
              "node 'n' (Relu): output 't'", "declared")
    yield bad("output of another kind", model([node("Relu", "X")], {"X": "f32[2]"}, {"Y": "seq(f32[2])"}), "node 'n' (Relu): output 'Y'")
    yield bad("output of another type at opset 1", model([node("Relu", "X")], {"X": "f32[2]"}, {"Y": "i64[2]"}, opset=1), "node 'n' (Relu)", "'Y'")
    # Sizes that a model declares, and that cannot be, are warned of and ignored: models whose inputs were changed have them.
    yield fine("output of another size", model([node("Relu", "X")], {"X": "f32[2]"}, {"Y": "f32[3]"}))
    yield fine("output of another rank", model([node("Relu", "X")], {"X": "f32[2]"}, {"Y": "f32[1,2]"}))
    yield fine("value of another size", model([node("Relu", "X", "t"), node("Neg", "t", name="m")], {"X": "f32[2]"}, values={"t": "f32[9]"}))
    yield fine("output with other names", model([node("Relu", "X")], {"X": "f32[N]"}, {"Y": "f32[M]"}))


def cases():
    for part in (windows, movement, arithmetic, quantization, sequences, declared):
        yield from part()
