# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that cannot be computed, or would be of any size. ONNX's integers do
not trap (docs/architecture.md, "Numbers"), so that some of these are fine."""

import numpy as np

from models import bad, by_tag, f32, fine, graph, i64, model, node, of, single, zeros

GIB16 = 1 << 34
LIMIT = "--max-tensor-bytes"


def cases():
    by0 = "divides by 0: element 1 of the constant B is 0"
    for dtype in (np.int64, np.int32, np.int8, np.uint8, np.uint64):
        for op, settings in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
            divisor = np.array([3, 0], dtype)
            yield of(op, by0, np.array([7], dtype), divisor, case=f"{op} of {np.dtype(dtype)} by 0 {settings}", **settings)
    yield of("Div", by0, "i64[2]", i64(1, 0), case="Div of an input by 0")
    yield of("Mod", "divides by 0", "i64[N]", np.array(0, np.int64), case="Mod of an input by a scalar 0")
    yield of("Div", "divides by 0: element 4000", "i32[5000]", np.arange(-4000, 1000, dtype=np.int32), case="Div by a large constant with a 0")
    # A branch that no run need come to: the run says so (test/tools/conditional-faults.test).
    yield fine("Div by a Constant node in a branch", model([node(
        "If", "c", name="if", then_branch=graph([node("Constant", "", "zero", value_int=0), node("Div", "X zero", "y", name="inner")], outputs={"y": ""}),
        else_branch=graph([node("Neg", "X", "z")], outputs={"z": ""}))], {"X": "i64[2]", "c": "bool[]"}))
    # What only the run tells is not the author's mistake (docs/architecture.md), however much of it is known.
    yield fine("Div by what is computed to be 0", model([node("Sub", "s s", "zero", name="m"), node("Div", "X zero")], {"X": "i64[2]"}, init={"s": i64(3)}))
    for name, value in (("INT64_MIN / -1", single("Div", i64(-(1 << 63)), i64(-1))),
                        ("INT64_MIN mod -1", single("Mod", i64(-(1 << 63)), i64(-1))),
                        ("INT32_MIN / -1", single("Div", np.array([-(1 << 31)], np.int32), np.array([-1], np.int32))),
                        ("fmod by 0", single("Mod", f32(7), f32(0), fmod=1)), ("float / 0", single("Div", f32(7), f32(0))),
                        ("shift by 64", single("BitShift", np.array([1], np.uint64), np.array([64], np.uint64), direction="LEFT")),
                        ("shift by 200 of 8 bits", single("BitShift", np.array([1], np.uint8), np.array([200], np.uint8), direction="RIGHT")),
                        ("INT64_MAX + 1", single("Add", i64((1 << 63) - 1), i64(1))),
                        ("-INT64_MIN", single("Neg", i64(-(1 << 63)))), ("abs(INT64_MIN)", single("Abs", i64(-(1 << 63)))),
                        ("pow(0, -1)", single("Pow", i64(0), i64(-1))), ("pow of 64 bits", single("Pow", i64(2), i64(1 << 40))),
                        ("sqrt(-1)", single("Sqrt", f32(-1))), ("log(0)", single("Log", f32(0))),
                        ("cast of 1e30 to int8", single("Cast", f32(1e30), to=3)), ("cast of NaN to int32", single("Cast", f32(np.nan), to=6)),
                        ("cast of inf to bool", single("Cast", f32(np.inf), to=9)), ("mean of nothing", single("ReduceMean", zeros((0,)))),
                        ("sum of nothing", single("ReduceSum", zeros((0, 3)))), ("softmax of nothing", single("Softmax", zeros((2, 0)))),
                        ("mean of int64s of nothing", single("ReduceMean", zeros((0,), np.int64))),
                        ("NaN scale", single("QuantizeLinear", f32(1, 2), f32(np.nan), np.zeros(1, np.uint8))),
                        ("scale 0", single("QuantizeLinear", f32(1, 2), f32(0), np.zeros(1, np.uint8))),
                        ("top 0", single("TopK", f32(1, 2), i64(0), outputs=2)),
                        ("Range backwards", single("Range", np.array(5), np.array(0), np.array(1))),
                        ("inverse of a singular matrix", single("Det", zeros((2, 2)))),
                        ("Trilu far off", single("Trilu", zeros((2, 2)), np.array((1 << 63) - 1))),
                        ("Trilu far off below", single("Trilu", zeros((2, 2)), np.array(-(1 << 63)))),
                        ("EyeLike far off", single("EyeLike", zeros((2, 2)), k=(1 << 63) - 1)),
                        ("Slice from INT64_MIN", single("Slice", f32(1, 2, 3), i64(-(1 << 63)), i64((1 << 63) - 1), i64(0), i64((1 << 63) - 1))),
                        ("Slice backwards by INT64_MIN", single("Slice", f32(1, 2, 3), i64((1 << 63) - 1), i64(-(1 << 63)), i64(0), i64(-(1 << 63))))):
        yield fine(name, value)
    yield fine("a division by a zero scale", single("Div", "f32[2]", f32(0)))

    def out(op, text, *operands, **settings):
        return of(op, text, *operands, **settings)

    yield out("Gather", "9", f32(1, 2), i64(9), case="Gather index 9 of 2")
    yield out("Gather", "-3", f32(1, 2), i64(-3), case="Gather index -3 of 2")
    yield out("GatherND", "7", zeros((2, 2)), i64(0, 7), case="GatherND index 7")
    yield out("GatherElements", "7", f32(1, 2), i64(7), case="GatherElements index 7")
    yield out("ScatterElements", "7", f32(1, 2), i64(7), f32(1), case="ScatterElements index 7")
    yield out("ScatterND", "7", f32(1, 2), i64(7).reshape(1, 1), f32(1), case="ScatterND index 7")
    yield out("Range", "", np.array(0), np.array(1 << 62), np.array(1), case="Range of 2^62")
    yield out("Range", "", np.array(-(1 << 63)), np.array((1 << 63) - 1), np.array(1), case="Range of 2^64")
    yield out("Range", "", np.float32(0), np.float32(3e38), np.float32(1e-30), case="Range of 1e68")
    yield out("Range", by_tag("range_delta"), np.float32(np.nan), np.float32(4), np.float32(1), case="Range of NaN")
    yield out("Range", "", np.float64(0), np.float64(np.inf), np.float64(1), case="Range to infinity")
    big = [1 << 18, 1 << 16]
    yield out("ConstantOfShape", LIMIT, i64(*big), case="ConstantOfShape of 64 GiB")
    yield out("ConstantOfShape", "", i64(1 << 40, 1 << 40), case="ConstantOfShape of 2^80")
    yield out("ConstantOfShape", "", i64((1 << 63) - 1), case="ConstantOfShape of 2^63")
    yield out("ConstantOfShape", "output is empty", i64(1 << 40, 0), case="ConstantOfShape of 2^40 times nothing")
    yield out("OneHot", "", i64(0), i64(-1), f32(0, 1), case="OneHot of depth -1")
    yield out("Expand", LIMIT, f32(1), i64(*big), case="Expand to 64 GiB")
    yield out("Expand", "", f32(1), i64(1 << 40, 1 << 40), case="Expand to 2^80")
    yield out("Expand", LIMIT, "f32[1]", i64(*big), case="Expand of an input to 64 GiB")
    yield out("Tile", LIMIT, zeros((1, 1)), i64(*big), case="Tile to 64 GiB")
    yield out("Tile", LIMIT, "f32[1,1]", i64(*big), case="Tile of an input to 64 GiB")
    yield out("Pad", LIMIT, zeros((1, 1)), i64(0, 0, *big), case="Pad to 64 GiB")
    yield out("Resize", LIMIT, zeros((1, 1)), None, None, i64(*big), case="Resize to 64 GiB")
    yield out("Resize", LIMIT, "f32[1,1]", None, f32(*big), case="Resize by 64 Gi")
    yield out("OneHot", LIMIT, i64(0), i64(GIB16), f32(0, 1), case="OneHot of 64 GiB")
    yield out("Range", LIMIT, np.array(0), np.array(GIB16), np.array(1), case="Range of 128 GiB")
    yield bad(
        "EyeLike of 64 GiB", model([node("ConstantOfShape", "s", "t", name="m"), node("EyeLike", "t")], init={"s": i64(*big)}), LIMIT)
    yield out("Reshape", "", zeros((4,)), i64(1 << 32, 1 << 32), case="Reshape to 2^64")
    yield out("MatMul", LIMIT, "f32[262144,1]", "f32[1,65536]", case="MatMul to 64 GiB")
    yield out("Add", LIMIT, "f32[262144,1]", "f32[1,65536]", case="Add to 64 GiB")
    yield out("Concat", LIMIT, *["f32[262144,8192]"] * 8, axis=1, case="Concat to 64 GiB")
    yield out("DepthToSpace", "", "f32[1,4,2,2]", blocksize=1 << 31, case="DepthToSpace by 2^31")
    yield out("ConvTranspose", LIMIT, "f32[1,1,1000,1000]", zeros((1, 1, 1, 1)), strides=[1000, 1000], case="ConvTranspose to a terabyte")
    yield out("Conv", LIMIT, "f32[1,1,4,4]", zeros((1, 1, 3, 3)), pads=[1 << 17, 1 << 17, 1 << 17, 1 << 17], case="Conv with padding of 256 GiB")
    yield out("AffineGrid", LIMIT, "f32[1,2,3]", i64(1, 1, 1 << 17, 1 << 17), case="AffineGrid of 128 GiB")
    yield out("RandomNormal", LIMIT, shape=big)
    yield out("HannWindow", LIMIT, np.array(GIB16), case="HannWindow of 64 GiB")
    yield out("SequenceConstruct", "", *["f32[2]"] * 2, types=("seq(i64[2])",), case="SequenceConstruct declared otherwise")
    # Sizes that are fine to compile, and too large to fold: they stay code.
    yield fine("a gibibyte that is not folded", model([node("ConstantOfShape", "s", "t", name="m"), node("ReduceMax", "t", keepdims=0)],
                                                      init={"s": i64(1 << 14, 1 << 14)}))
    yield fine("expands that grow and shrink", model(
        [node("Expand", "x s", "t", name="m"), node("ReduceSum", "t", name="r")], init={"x": f32(1), "s": i64(1 << 12, 1 << 14)}))
