# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are fine, and runs that are not: a status with the node's or the input's name."""

import numpy as np

from models import Case, by_tag, f32, i64, model, node, of, save, single, zeros

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run(op, text, *operands, case=None, **settings):
    """Operands are (type, value): an input and what is fed to it."""
    feeds = {letter: operand[1] for letter, operand in zip("ABCDEFGH", operands) if isinstance(operand, tuple)}
    kinds = [operand[0] if isinstance(operand, tuple) else operand for operand in operands]
    return of(op, text, *kinds, case=case or f"{op} {feeds and list(feeds.values())[-1]}", feeds=feeds, **settings)


def caller(name, feeds, *expect):
    """What the caller gives, to a model of an input 'A' of float[2,N] and 'B' of float[N]."""
    return Case(name, save(single("Add", "f32[2,N]", "f32[N]")), list(expect), feeds)


def cases():
    table = ("f32[2,3]", X)
    for op, operands in (("Gather", (table, ("i64[1]", i64(2)))), ("Gather", (table, ("i64[1]", i64(-3)))),
                         ("Gather", (table, ("i64[1]", i64(1 << 40)))), ("Gather", (table, ("i64[1]", i64(-(1 << 63))))),
                         ("GatherElements", (table, ("i64[1,1]", i64(2).reshape(1, 1)))),
                         ("GatherND", (table, ("i64[2]", i64(0, 3)))), ("GatherND", (table, ("i64[2]", i64(-3, 0)))),
                         ("ScatterElements", (table, ("i64[1,1]", i64(5).reshape(1, 1)), ("f32[1,1]", zeros((1, 1))))),
                         ("ScatterND", (table, ("i64[1,2]", i64(2, 0).reshape(1, 2)), ("f32[1]", f32(1))))):
        yield run(op, "", *operands)
    yield run("Reshape", "", table, ("i64[2]", i64(4, 2)))
    yield Case("a Reshape that does not fit, before one that would", save(model(
        [node("Reshape", "A B", "t", name="n"), node("Reshape", "t C", name="m")], {"A": "f32[2,3]", "B": "i64[2]"}, init={"C": i64(3, 2)})),
        ["node 'n' (Reshape)", "8, expected 6"], {"A": X, "B": i64(4, 2)})
    yield run("Reshape", "", table, ("i64[2]", i64(-1, -1)))
    yield run("Reshape", "", table, ("i64[2]", i64(-1, 4)))
    yield run("Reshape", "", table, ("i64[2]", i64(-5, 2)))
    # As where the shape is a constant, and as in ONNX Runtime.
    yield run("Reshape", "element 2 copies a dimension that the input does not have", ("f32[N,3]", zeros((0, 3))), ("i64[3]", i64(0, 3, 0)))
    for size in (5, -6, 1 << 62, -(1 << 63)):
        yield run("Reshape", by_tag("reshape_s"), table, ("i64[1]", i64(size)))
    # Products and sums that are right modulo 2^64.
    for count, shape in ((0, (1 << 32, 1 << 32)), (0, (1 << 62, 4)), (0, (65536,) * 4), (6, (2880342601493446654, 646289195005))):
        yield run("Reshape", "too large", ("f32[N]", zeros((count,))), (f"i64[{len(shape)}]", i64(*shape)))
    yield Case("Split whose parts wrap", save(model([node("Split", "A B", "t u v w Y", name="n", axis=0)], {"A": "f32[N]", "B": "i64[5]"})),
               ["node 'n' (Split)", "64, expected at most 4"],
               {"A": zeros((4,)), "B": i64(64, 4, (1 << 63) - 1, (1 << 62) + (1 << 61), (1 << 61) - 63)})
    for shape in ((4, 3), (2, 4), (0, 3), (2, -1), (1 << 40, 1), (-(1 << 63), 1)):
        yield run("Expand", by_tag("expand_shape"), table, ("i64[2]", i64(*shape)))
    yield run("Expand", "2, expected 4", ("f32[N,3]", X), ("i64[2]", i64(4, 3)))
    yield run("Expand", "", ("f32[N,M]", X), ("i64[2]", i64(2, -3)))
    yield run("Tile", "", table, ("i64[2]", i64(-1, 1)))
    yield run("Pad", "", table, ("i64[4]", i64(-5, 0, 0, 0)))
    yield run("Pad", "", table, ("i64[4]", i64(1 << 62, 0, 1 << 62, 0)))
    for mode in ("reflect", "edge", "wrap"):
        yield run("Pad", by_tag("pad_mode"), table, ("i64[4]", i64(-2, 0, 1, 0)), mode=mode, case=f"Pad with {mode} of nothing left")
    yield run("Pad", "", ("f32[N,3]", zeros((0, 3))), ("i64[4]", i64(1, 0, 0, 0)), mode="edge", case="Pad with the edge of nothing")
    yield run("Slice", "step", table, ("i64[1]", i64(0)), ("i64[1]", i64(1)), ("i64[1]", i64(0)), ("i64[1]", i64(0)))
    yield run("Slice", "axes", table, ("i64[1]", i64(0)), ("i64[1]", i64(1)), ("i64[1]", i64(2)))
    yield run("Split", "", ("f32[6]", zeros(6)), ("i64[2]", i64(2, 2)), outputs=2)
    yield run("Split", "", ("f32[6]", zeros(6)), ("i64[2]", i64(8, -2)), outputs=2)
    yield run("TopK", "k: must not be more than there are elements: 4, expected at most 3", table, ("i64[1]", i64(4)), outputs=2)
    yield run("TopK", "", table, ("i64[1]", i64(-1)), outputs=2)
    yield run("OneHot", "", ("i64[2]", i64(0, 1)), ("i64[]", np.array(-2)), f32(0, 1))
    yield run("ConstantOfShape", "", ("i64[2]", i64(-1, 3)))
    yield Case("ConstantOfShape of 2^80 elements", save(single("ConstantOfShape", "i64[2]")), ["output 'Y'", "1099511627776"],
               {"A": i64(1 << 40, 1 << 40)})
    yield run("OneHot", "depth must not be negative", ("i64[1]", i64(0)), ("f32[1]", f32(np.nan)), f32(0, 1))
    # Nothing is computed, but by loops that take hours.
    for op, case in (("ConstantOfShape", ()), ("Tile", (("f32[1,1]", zeros((1, 1))),)), ("Expand", (("f32[1,1]", zeros((1, 1))),))):
        yield run(op, "output 0 is empty", *case, ("i64[2]", i64(1 << 40, 0)))
    yield run("Pad", "output 0 is empty", ("f32[2,0]", zeros((2, 0))), ("i64[4]", i64(1 << 40, 0, 0, 0)))
    yield run("Trilu", by_tag("trilu_k"), table, ("i64[K]", i64(1, 1)))
    for ratio in (1, 1.5, -0.5, np.nan):
        yield run("Dropout", "ratio must be at least 0 and less than 1", table, ("f32[]", np.array(ratio, np.float32)), np.array(True))
    yield run("Range", "", ("i64[]", np.array(0)), ("i64[]", np.array(5)), ("i64[]", np.array(0)))
    yield run("Range", "", ("i64[]", np.array(0)), ("i64[]", np.array(1 << 62)), ("i64[]", np.array(1)))
    yield run("CumSum", "", table, ("i64[]", np.array(2)))
    yield run("ReduceSum", "", table, ("i64[1]", i64(2)))
    yield run("Unsqueeze", "", table, ("i64[1]", i64(5)))
    yield run("Squeeze", "", ("f32[2,1]", zeros((2, 1))), ("i64[1]", i64(0)))
    yield run("Resize", "", ("f32[1,1,2,2]", zeros((1, 1, 2, 2))), None, None, ("i64[4]", i64(1, 1, -2, 2)))
    yield run("Resize", "", ("f32[1,1,2,2]", zeros((1, 1, 2, 2))), None, ("f32[4]", f32(1, 1, -1, 1)))
    yield run("Resize", "", ("f32[1,1,2,2]", zeros((1, 1, 2, 2))), None, ("f32[4]", f32(1, 1, np.nan, 1)))
    yield run("Resize", "", ("f32[1,1,2,2]", zeros((1, 1, 2, 2))), None, ("f32[4]", f32(1, 1, 1e30, 1)))
    yield run("Concat", "", ("f32[N,M]", X), ("f32[K,L]", zeros((2, 4))), axis=0, case="Concat of two widths")
    yield run("Add", "", ("f32[N]", zeros(3)), ("f32[M]", zeros(4)), case="Add of two lengths")
    yield run("MatMul", "", ("f32[N,M]", X), ("f32[K,L]", X), case="MatMul of two depths")
    yield run("Gemm", "", ("f32[N,M]", X), ("f32[K,L]", X), case="Gemm of two depths")
    yield run("Conv", "", ("f32[1,C,H,W]", zeros((1, 3, 4, 4))), zeros((2, 4, 3, 3)), case="Conv of three channels")
    yield run("Conv", "", ("f32[1,4,H,W]", zeros((1, 4, 1, 1))), zeros((2, 4, 3, 3)), case="Conv of a small image")
    yield run("Conv", "kernel_shape: the window is larger", ("f32[1,4,H,W]", zeros((1, 4, 2, 8))), zeros((2, 4, 3, 3)), strides=[2, 2],
              case="Conv of an image that is small in one dimension")
    yield run("AveragePool", "the window is larger", ("f32[1,1,H,W]", zeros((1, 1, 2, 2))), kernel_shape=[3, 3], strides=[5, 5],
              case="AveragePool of a small image by long steps")
    yield run("MaxPool", "", ("f32[1,1,H,W]", zeros((1, 1, 1, 1))), kernel_shape=[4, 4], case="MaxPool of a small image")
    yield run("SequenceAt", "", ("seq(f32[2])", [zeros(2)]), ("i64[]", np.array(3)))
    yield run("SequenceAt", "", ("seq(f32[2])", []), ("i64[]", np.array(0)))
    yield run("SequenceErase", "", ("seq(f32[2])", [zeros(2)]), ("i64[]", np.array(-2)))
    yield run("SequenceInsert", "", ("seq(f32[2])", [zeros(2)]), ("f32[2]", zeros(2)), ("i64[]", np.array(7)))
    yield run("SplitToSequence", "", ("f32[6]", zeros(6)), ("i64[2]", i64(4, 4)))
    yield run("ConcatFromSequence", "", ("seq(f32[N])", []), axis=0, case="ConcatFromSequence of nothing")
    yield run("RegexFullMatch", "", ("str[1]", np.array(["a"], dtype=object)), pattern="(")
    # Of a size that no machine gives, though each step is fine.
    yield Case("an output of a terabyte", save(single("Expand", "f32[1]", "i64[2]")), ["output 'Y'", "1099511627776"],
               {"A": f32(1), "B": i64(1 << 19, 1 << 19)})
    yield Case("an intermediate result of a terabyte", save(model(
        [node("Expand", "A B", "t", name="n"), node("ReduceMax", "t C", "Y", name="m", keepdims=0)],
        {"A": "f32[1]", "B": "i64[2]", "C": "i64[K]"})), ["node 'n' (Expand)"],
        {"A": f32(1), "B": i64(1 << 20, 1 << 18), "C": i64(0)})

    fed = {"A": X, "B": zeros(3)}
    yield caller("another element type", {**fed, "A": X.astype(np.float64)}, "'A'", "double")
    yield caller("another rank", {**fed, "A": zeros(3)}, "'A'", "expected float [2, N], got float [3]")
    yield caller("another size", {**fed, "A": zeros((3, 3))}, "'A'", "3")
    yield caller("sizes of one name that differ", {**fed, "B": zeros(4)}, "'B'", "N")
    yield caller("an input is missing", {"A": X}, "B")
    yield caller("an input too many", {**fed, "C": X}, "C")
    yield caller("a list", {**fed, "A": [1.0, 2.0]}, "'A'")
    yield caller("strings", {**fed, "A": np.array([["a"] * 3] * 2, dtype=object)}, "'A'")
    yield caller("nothing at all", {}, "A")
