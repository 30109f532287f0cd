# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If, Loop, Scan and SequenceMap whose graphs do not fit."""

import numpy as np

from models import bad, by_tag, f32, fine, graph, i64, model, node

X = {"X": "f32[2]"}
COND = {"c": "bool[]"}


def branch(result="y", op="Neg", of="X", **outputs):
    return graph([node(op, of, result, name=op.lower())], outputs=outputs or {result: ""})


def when(then, other, condition="bool[]", outputs="Y", declared=None):
    return model([node("If", "c", outputs, name="if", then_branch=then, else_branch=other)], dict(X, c=condition), declared)


def loop(body, inputs="m c X", outputs="Y", types=None, declared=None):
    return model([node("Loop", inputs, outputs, name="loop", body=body)],
                 types or dict(X, m="i64[]", c="bool[]"), declared)


def scan(body, inputs="s X", outputs="Y Z", types=None, **attributes):
    return model([node("Scan", inputs, outputs, name="scan", body=body, **attributes)],
                 types or {"s": "f32[2]", "X": "f32[5,2]"}, {name: "" for name in outputs.split()})


def body(nodes, inputs, outputs, **settings):
    return graph(nodes, inputs, outputs, **settings)


STATE = {"i": "i64[]", "k": "bool[]", "v": "f32[2]"}


def cases():
    good, iff = branch(), "node 'if' (If)"
    two = graph([node("Neg", "X", "a"), node("Abs", "X", "b")], outputs={"a": "", "b": ""})
    yield fine("If", when(good, branch("z", "Abs")))
    yield bad("If with branches of two counts", when(good, two), iff, "output")
    yield bad("If with too many outputs", when(good, good, outputs="Y Z"), iff, "output")
    yield bad("If with branches of two types", when(good, branch("z", "Shape")), iff)
    yield bad("If with branches of tensor and sequence", when(good, branch("z", "SequenceConstruct")), iff)
    # A size that a branch declares, and that cannot be, is warned of and ignored, as ONNX Runtime does.
    yield fine("If with branches of two sizes as declared", when(branch("y", "Neg", y="f32[3]"), good))
    yield bad("If on a float", when(good, good, "f32[]"), iff)
    yield bad("If on a vector", when(good, good, "bool[2]"), iff, by_tag("if_cond"))
    yield bad("If on nothing", when(good, good, "bool[0]"), iff)
    yield fine("If on a tensor of any rank", when(good, good, "bool"))
    yield bad("If on a string", when(good, good, "str[]"), iff)
    yield bad("If with inputs in a branch", when(graph([node("Neg", "q", "y")], {"q": "f32[2]"}, {"y": ""}), good), iff, "input")
    yield bad("If with an undefined capture", when(branch("y", "Neg", "nowhere"), good), "node 'neg' (Neg): input 0 'nowhere'")
    yield bad("If with an undefined result", when(graph([node("Neg", "X", "y")], outputs={"other": ""}), good), iff, "'other'")
    yield bad("If with an empty branch", when(graph([], outputs={}), good), iff)
    yield bad("If that defines a value of outside", when(graph([node("Neg", "X", "y"), node("Neg", "X", "y", name="again")], outputs={"y": ""}), good),
              "node 'again' (Neg): the value 'y' is defined twice")
    yield bad("If that uses its own result", model([node("If", "c", "Y", name="if", then_branch=branch("y", "Neg", "Y"), else_branch=good)],
                                                   dict(X, **COND)), "node 'neg' (Neg): input 0 'Y'")
    yield bad("If with a bad node in a branch", when(graph([node("Add", "X", "y", name="inner")], outputs={"y": ""}), good), "node 'inner' (Add)")
    # Where no run need come, the run says so (test/tools/conditional-faults.test).
    yield fine("If with a bad shape in a branch", when(graph([node("Reshape", "X s", "y", name="inner")], outputs={"y": ""}, init={"s": i64(7)}), good))
    yield bad("If with a bad initializer in a branch", when(graph([node("Add", "X w", "y")], outputs={"y": ""}, init=[("w", f32(1)), ("w", f32(2))]), good),
              "'w' is defined twice")
    yield bad("If with an input twice", when(graph([], [("q", "f32"), ("q", "f32")], {"q": ""}), good), iff, "'q'")

    fits = body([node("Identity", "k", "k2", name="a"), node("Neg", "v", "v2", name="b")], STATE, {"k2": "bool[]", "v2": "f32[2]"})
    name = "node 'loop' (Loop)"
    yield fine("Loop", loop(fits))
    yield bad("Loop with too few inputs of the body", loop(body([node("Identity", "k", "k2")], {"i": "i64[]", "k": "bool[]"}, {"k2": "bool[]"})), name)
    yield bad("Loop with too many inputs of the body", loop(fits, "m c X X"), name)
    yield bad("Loop without inputs", loop(fits, ""), name, "has 0 inputs, at least 2 expected")
    yield bad("Loop without state", loop(fits, "m c"), name)
    yield bad("Loop with too few outputs of the body", loop(body([node("Neg", "v", "v2")], STATE, {"v2": "f32[2]"})), name)
    yield bad("Loop with too many outputs", loop(fits, outputs="Y Z", declared={"Y": "", "Z": ""}), name)
    yield bad("Loop whose condition is a float", loop(body([node("Neg", "v", "v2")], STATE, {"v": "", "v2": ""})), name)
    yield bad("Loop whose state changes its type", loop(body([node("Identity", "k", "k2"), node("Cast", "v", "v2", to=7, name="b")], STATE,
                                                             {"k2": "bool[]", "v2": "i64[2]"})), name)
    yield bad("Loop with a trip count of floats", loop(fits, types=dict(X, m="f32[]", c="bool[]")), name)
    yield bad("Loop with a vector of trip counts", loop(fits, types=dict(X, m="i64[3]", c="bool[]")), name, by_tag("loop_m"))
    yield bad("Loop with a vector of conditions", loop(fits, types=dict(X, m="i64[]", c="bool[3]")), name, by_tag("loop_cond"))
    yield bad("Loop with a condition of int64", loop(fits, types=dict(X, m="i64[]", c="i64[]")), name)
    yield fine("Loop with a count and a condition of any rank", loop(fits, types=dict(X, m="i64", c="bool")))
    for kind in ("i32[]", "f32[]", "bool[]"):
        yield bad(f"Loop that counts in {kind}", loop(body([node("Identity", "k", "k2"), node("Neg", "v", "v2", name="b")], dict(STATE, i=kind), {"k2": "", "v2": ""})),
                  name, "input 0 of its graph is declared as")
    yield bad("Loop with an undefined capture", loop(body([node("Identity", "k", "k2"), node("Add", "v q", "v2", name="b")], STATE,
                                                          {"k2": "", "v2": ""})), "node 'b' (Add): input 1 'q'")
    yield bad("Loop with a body without inputs", loop(body([node("Neg", "X", "v2", name="b")], {}, {"v2": ""})), name)
    yield fine("Loop that may run no times, with a bad shape", loop(body([node("Identity", "k", "k2"), node("MatMul", "v w", "v2", name="b")], STATE, {"k2": "", "v2": ""},
                                                                          init={"w": np.zeros((3, 3), np.float32)})))

    step = body([node("Add", "h x", "h2", name="a"), node("Identity", "h2", "y", name="b")], {"h": "f32[2]", "x": "f32[2]"}, {"h2": "", "y": ""})
    name = "node 'scan' (Scan)"
    yield fine("Scan", scan(step, num_scan_inputs=1))
    yield bad("Scan without num_scan_inputs", scan(step), name, "num_scan_inputs")
    for count in (0, -1, 3, 1 << 40):
        yield bad(f"Scan of {count} inputs", scan(step, num_scan_inputs=count), name)
    yield bad("Scan with too few inputs", scan(step, inputs="X", outputs="Y", num_scan_inputs=1), name)
    yield bad("Scan with too many outputs", scan(step, outputs="Y Z Q", num_scan_inputs=1), name)
    yield bad("Scan along axis 5", scan(step, num_scan_inputs=1, scan_input_axes=[5]), name, "axes")
    yield bad("Scan with two axes", scan(step, num_scan_inputs=1, scan_input_axes=[0, 0]), name, "axes")
    yield bad("Scan in direction 2", scan(step, num_scan_inputs=1, scan_input_directions=[2]), name, "directions")
    yield bad("Scan with results along axis 7", scan(step, num_scan_inputs=1, scan_output_axes=[7]), name, "axes")
    yield bad("Scan of a scalar", scan(step, num_scan_inputs=1, types={"s": "f32[2]", "X": "f32[]"}), name)
    yield bad("Scan of two lengths", scan(body([node("Add", "x y", "z")], {"x": "f32[2]", "y": "f32[2]"}, {"z": ""}), outputs="Y",
                                          types={"s": "f32[3,2]", "X": "f32[5,2]"}, num_scan_inputs=2), name)
    yield bad("Scan whose state changes its shape", scan(body([node("Concat", "h x", "h2", axis=0, name="a"), node("Identity", "h2", "y", name="b")],
                                                              {"h": "f32[2]", "x": "f32[2]"}, {"h2": "", "y": ""}), num_scan_inputs=1), "node '")
    yield bad("Scan whose slices do not fit", scan(body([node("MatMul", "h x", "h2", name="a"), node("Identity", "h2", "y", name="b")],
                                                        {"h": "f32[2]", "x": "f32[3]"}, {"h2": "", "y": ""}), num_scan_inputs=1), "node '")

    each = body([node("Neg", "e", "f", name="b")], {"e": "f32"}, {"f": ""})
    seq = {"S": "seq(f32[2])"}
    yield fine("SequenceMap", model([node("SequenceMap", "S", name="map", body=each)], seq))
    yield bad("SequenceMap of a tensor", model([node("SequenceMap", "X", name="map", body=each)], X), "node 'map' (SequenceMap)")
    yield bad("SequenceMap with too many inputs", model([node("SequenceMap", "S S", name="map", body=each)], seq), "node 'map' (SequenceMap)")
    yield bad("SequenceMap with too many outputs", model([node("SequenceMap", "S", "Y Z", name="map", body=each)], seq), "node 'map' (SequenceMap)")
