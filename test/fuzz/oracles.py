# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When two results are the same, and where the oracles are known to err."""

import numpy as np

# Relative to the largest value of the result; sums in another order.
TOLERANCES = {"float64": 1e-7, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
# A value halfway between two steps of the quantization may go either way.
ROUNDING = {"QuantizeLinear", "DynamicQuantizeLinear"}


def attributes(case):
    return {a.name: a for node in case.model.graph.node if node.op_type == case.op for a in node.attribute}


def takes(case, i):
    """Whether the operator has its input number i."""
    inputs = next(list(node.input) for node in case.model.graph.node if node.op_type == case.op)
    return len(inputs) > i and bool(inputs[i])


# (oracle, operators, condition on the case, why it does not count)
ERRORS = [
    ("reference", {"Mod"}, lambda case: True, "takes numpy's sign for floats where fmod=1"),
    ("reference", {"LSTM", "GRU", "RNN"}, lambda case: takes(case, 4) or "clip" in attributes(case),
     "knows neither sequence_lens nor clip"),
    ("reference", {"GlobalMaxPool"}, lambda case: True, "gives another rank"),
    ("reference", {"MaxPool", "AveragePool", "LpPool"}, lambda case: {"pads", "auto_pad", "ceil_mode"} & set(attributes(case)),
     "gives other sizes where the two ends are padded differently"),
    ("reference", {"LpNormalization"}, lambda case: attributes(case)["p"].i == 1, "drops the sign"),
    ("reference", {"LRN"}, lambda case: True, "takes other windows at the first and last channels"),
    ("reference", {"Loop"}, lambda case: True, "concatenates what it should stack"),
]


def is_wrong(oracle, case):
    return any(oracle == name and case.op in ops and condition(case) for name, ops, condition, _ in ERRORS)


def compare(op, got, want):
    """What differs, None if nothing."""
    if len(got) != len(want):
        return f"{len(got)} outputs, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
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
        tolerance = TOLERANCES.get(want.dtype.name, 0.0)
        got, want = got.astype(np.float64), want.astype(np.float64)
        finite = np.abs(want[np.isfinite(want)])
        with np.errstate(invalid="ignore"):
            good = (got == want) | (np.isnan(got) & np.isnan(want)) | (
                np.abs(got - want) <= tolerance * (finite.max(initial=0) + 1e-6))
    good = np.asarray(good, bool)
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"{np.count_nonzero(~good)} of {good.size} differ, the first at {list(at)}: {got[at]}, expected {want[at]}"
