# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transpositions with elementwise operations around them: squares of them are
transposed in registers, and what is left over is gathered."""

import numpy as np

# Which loops the lanes and the steps along the input become; of batch, rows, columns, inner.
ORDERS = {"rows": [0, 2, 1], "first": [2, 0, 1], "last": [1, 2, 0], "reversed": [2, 1, 0], "heads": [0, 2, 3, 1], "channels": [0, 3, 1, 2],
          "inside": [1, 0, 3, 2], "outside": [1, 0, 2, 3]}
ELEMENTS = ["f32", "f32", "f16", "f64", "bf16", "uint8", "int64", "int32"]


def transpose_table(lanes):
    sizes = [1, 2, 3, lanes // 2, lanes - 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes, 2 * lanes + 3, 5 * lanes]
    return {"order": list(ORDERS), "element": ELEMENTS, "batch": [1, 2, 3], "rows": sizes, "columns": sizes, "inner": [1, 3, 8, 17],
            "open": ["none", "none", "batch", "rows", "columns", "all"],
            "before": ["none", "none", "none", "sliced", "stepped", "computed"],
            "after": ["none", "none", "same", "transposed", "row", "cast", "function", "in_place"]}


def make_transpose(case):
    order = ORDERS[case.order]
    dims = [case.batch, case.rows, case.columns, case.inner][:len(order)]
    opened = {"none": [], "batch": [0], "rows": [1], "columns": [2], "all": range(len(order))}[case.open]
    is_float = case.element in ("f32", "f16", "f64", "bf16")
    case.tolerate(case.element)
    stored = list(dims)
    if case.before in ("sliced", "stepped"):
        stored[-1] = 2 * dims[-1] + 3
    x = case.input(case.numbers(stored, case.element), opened)
    if case.before in ("sliced", "stepped"):
        step = 1 if case.before == "sliced" else 2
        ends = [2 + dims[-1]] if step == 1 else [2 + 2 * dims[-1] - 1]
        x = case.node("Slice", [x, *(case.weight(np.array(value, np.int64)) for value in ([2], ends, [len(dims) - 1], [step]))])
    elif case.before == "computed":
        x = case.node("Add", [x, x])
    y = case.node("Transpose", [x], perm=order)
    shape = [dims[i] for i in order]
    if case.after == "same":
        y = case.node("Add", [y, case.input(case.numbers(shape, case.element))])
    elif case.after == "transposed":
        other = case.input(case.numbers(dims, case.element), opened)
        y = case.node("Mul", [y, case.node("Transpose", [other], perm=order)])
    elif case.after == "row":
        y = case.node("Sub", [y, case.input(case.numbers(shape[-1:], case.element))])
    elif case.after == "cast":
        y = case.node("Cast", [y], to=11 if case.element != "f64" else 1)
    elif case.after == "function":
        case.need(is_float)
        y = case.node("Sigmoid", [y])
    elif case.after == "in_place":
        # What is not needed afterwards may be overwritten with the sum.
        base = case.input(case.numbers(shape, case.element))
        y = case.node("Mul", [case.node("Add", [case.node("Add", [base, base]), y]), base])
    case.output(y)


FAMILIES = {"transpose": (transpose_table, make_transpose)}
