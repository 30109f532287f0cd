# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When two results are the same, and where the oracles are known to err."""

import numpy as np
import onnx

from uses import elementwise, source

# Relative to the largest value of the result: sums in another order.
TOLERANCES = {"float64": 1e-7, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
# Relative to each value, where each is for itself. A hundredth of it is allowed
# around zero. (Attributes are float32, whatever the tensor is.)
CLOSE = {"float64": 2e-7, "float32": 2e-5, "float16": 3e-3, "bfloat16": 3e-2}
# What gives zero its sign.
SIGNED_ZERO = {"Neg", "Abs", "Ceil", "Floor", "Round", "Identity", "Mul", "Div", "Sqrt", "Transpose", "Concat", "Slice", "Where"}
# Sums of cosines, whose ends are zero but for rounding: relative to 1.
WINDOWS = {"HannWindow", "HammingWindow", "BlackmanWindow"}
# A value halfway between two steps of the quantization may go either way.
ROUNDING = {"QuantizeLinear", "DynamicQuantizeLinear"}


def attributes(case):
    return {a.name: a for node in case.model.graph.node if node.op_type == case.op for a in node.attribute}


def takes(case, i):
    """Whether the operator has its input number i."""
    inputs = next(list(node.input) for node in case.model.graph.node if node.op_type == case.op)
    return len(inputs) > i and bool(inputs[i])


def parameters(case):
    """Scales and zero points of weights, where they are known."""
    graph = case.model.graph
    node = next(node for node in graph.node if node.op_type == case.op)
    known = {**case.feeds, **{w.name: onnx.numpy_helper.to_array(w) for w in graph.initializer}}
    places = {"QLinearConv": (4, 5), "ConvInteger": (3,), "MatMulInteger": (2, 3)}[case.op]
    return [known[node.input[i]] for i in places if takes(case, i)]


def is_empty(case):
    return not all(np.size(value) for value in case.feeds.values())


def counts_from_behind(case):
    """Whether a reduction has negative axes."""
    node = next(node for node in case.model.graph.node if node.op_type == case.op)
    if "axes" in attributes(case):
        return min(attributes(case)["axes"].ints, default=0) < 0
    known = {**case.feeds, **{w.name: onnx.numpy_helper.to_array(w) for w in case.model.graph.initializer}}
    return takes(case, 1) and np.min(known[node.input[1]], initial=0) < 0


def is_of_integers(case):
    return any(output.type.tensor_type.elem_type not in (1, 10, 11, 16) for output in case.model.graph.output)


def is_of_halves(case):
    return any(output.type.tensor_type.elem_type in (10, 16) for output in case.model.graph.output)


# (oracle, operators, condition on the case, why it does not count)
ERRORS = [
    ("reference", {"Mod"}, lambda case: True, "takes numpy's sign for floats where fmod=1"),
    ("reference", {"LSTM", "GRU", "RNN"},
     lambda case: takes(case, 4) or {"clip", "activations", "input_forget"} & set(attributes(case)),
     "knows neither sequence_lens nor options"),
    ("reference", {"LayerNormalization"}, lambda case: len(case.model.graph.output) > 1,
     "gives statistics of the input's type"),
    ("reference", {"GlobalMaxPool"}, lambda case: True, "gives another rank"),
    ("reference", {"MaxPool", "AveragePool", "LpPool"}, lambda case: {"pads", "auto_pad", "ceil_mode"} & set(attributes(case)),
     "gives other sizes where the two ends are padded differently"),
    ("onnxruntime", {"MaxPool", "AveragePool", "LpPool", "Conv", "ConvTranspose"},
     lambda case: "dilations" in attributes(case) and b"SAME" in attributes(case).get("auto_pad", onnx.AttributeProto()).s,
     "knows no dilations where it pads by itself"),
    ("onnxruntime", {"AffineGrid"}, lambda case: "align_corners" in attributes(case), "puts a lone element last"),
    ("onnxruntime", {"Softmax", "LogSoftmax", "Hardmax"}, is_empty, "gives another shape"),
    ("onnxruntime", {"Resize"}, lambda case: "keep_aspect_ratio_policy" in attributes(case) and min(attributes(case)["axes"].ints) < 0,
     "looks at the wrong axes"),
    ("onnxruntime", {"Resize"}, lambda case: attributes(case)["mode"].s == b"nearest" and
     attributes(case)["coordinate_transformation_mode"].s == b"align_corners", "rounds places to float32"),
    ("", {"ConvTranspose"}, lambda case: b"SAME" in attributes(case).get("auto_pad", onnx.AttributeProto()).s,
     "take no negative padding, which a window smaller than its step needs"),
    ("onnxruntime", {"ReduceLogSumExp"}, is_of_integers, "computes in integers"),
    ("onnxruntime", {"Resize"}, lambda case: "antialias" in attributes(case) and
     attributes(case)["coordinate_transformation_mode"].s == b"pytorch_half_pixel", "puts a lone element elsewhere"),
    ("reference", {"Resize"}, lambda case: attributes(case)["coordinate_transformation_mode"].s == b"pytorch_half_pixel",
     "puts a lone element half a step before the first"),
    ("onnxruntime", {"Resize"}, lambda case: takes(case, 1) and "axes" in attributes(case), "takes the region of other axes"),
    ("reference", {"Unique"}, lambda case: "axis" in attributes(case), "reshapes where it should transpose"),
    ("reference", {"Optional"}, lambda case: True, "makes a sequence"),
    ("reference", {"StringNormalizer"}, lambda case: True, "drops empty strings, and compares as if case mattered"),
    ("onnxruntime", {"ReduceMean"}, is_empty, "has 0 for the mean of nothing, or keeps dimensions"),
    ("onnxruntime", {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"},
     lambda case: is_empty(case) and counts_from_behind(case), "passes over negative axes where there are no elements"),
    ("reference", {"ReduceMean"}, lambda case: is_empty(case) and is_of_integers(case), "has no integer for NaN"),
    ("reference", {"LpNormalization"}, lambda case: attributes(case)["p"].i == 1, "drops the sign"),
    ("reference", {"LRN"}, lambda case: True, "takes other windows at the first and last channels"),
    ("reference", {"QLinearConv", "ConvInteger", "MatMulInteger"}, lambda case: any(np.size(v) > 1 for v in parameters(case)), "takes no parameter per channel"),
    ("reference", {"Loop"}, lambda case: True, "concatenates what it should stack"),
    ("reference", {"MaxPool"}, lambda case: len(case.model.graph.output) > 1, "counts the indices of each channel from 0"),
    ("onnxruntime", {"Resize"}, is_of_integers, "cuts off the fractions of integers"),
    ("reference", {"RMSNormalization", "LayerNormalization"}, is_of_halves, "sums in 16 bits, whatever stash_type says"),
    ("reference", {"Softmax", "LogSoftmax", "Hardmax"},
     lambda case: case.model.opset_import[0].version < 13, "knows only the form of opset 13"),
]


def is_wrong(oracle, case):
    return any(oracle.startswith(name) and case.op in ops and condition(case) for name, ops, condition, _ in ERRORS)


def compare(op, got, want):
    """What differs, None if nothing."""
    if len(got) != len(want):
        return f"{len(got)} outputs, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g is None or w is None:
            return None if g is w else f"output {i} is {g}, expected {w}"
        g, w = np.asarray(g), np.asarray(w)
        if w.dtype == np.float32 and g.dtype == np.float64:
            g = g.astype(np.float32)  # the oracle knows no other float
        elif w.dtype == np.float32 and g.dtype.name in TOLERANCES:
            w = w.astype(g.dtype)
        if g.shape != w.shape or g.dtype != w.dtype:
            return f"output {i} is {g.dtype}{list(g.shape)}, expected {w.dtype}{list(w.shape)}"
        wrong = _compare_values(op, g, w)
        if wrong:
            return f"output {i}: {wrong}"
    return None


def _compare_values(op, got, want):
    if not want.size:
        return None
    if want.dtype.kind in "biuO":
        most = 1 if op in ROUNDING else 0
        good = got == want if want.dtype.kind in "bO" else np.abs(got.astype(object) - want.astype(object)) <= most
    else:
        single = source.GENERATORS[op][0].__module__ == elementwise.__name__
        tolerance = (CLOSE if single else TOLERANCES).get(want.dtype.name, 0.0)
        got, want = got.astype(np.float64), want.astype(np.float64)
        magnitude = np.abs(want) + 1e-2 if single else np.abs(want[np.isfinite(want)]).max(initial=0) + (1 if op in WINDOWS else 1e-6)
        with np.errstate(invalid="ignore"):
            good = (got == want) | (np.isnan(got) & np.isnan(want)) | (
                np.isfinite(got) & np.isfinite(want) & (np.abs(got - want) <= tolerance * magnitude))
        if op in SIGNED_ZERO:
            good &= (got != 0) | (np.signbit(got) == np.signbit(want))
    good = np.asarray(good, bool)
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"{np.count_nonzero(~good)} of {good.size} differ, the first at {list(at)}: {got[at]}, expected {want[at]}"
