# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention: a table of parameters, and the nodes of one combination. See cases.py."""

import math

import numpy as np

from float_values import FLOATS


def attention_table(lanes):
    """Rows in one block, in several and in none; so many columns that the scores of few rows fill a thread's memory."""
    return {
        "rows": [1, 2, 5, 24, 25, 60, 193], "columns": [1, lanes - 1, lanes, 2 * lanes + 1, 50, 700, 1024, 1537, 5461, 5462, 6000],
        "size": [1, 4, lanes, lanes + 1], "width": [4, lanes, lanes + 3], "batch": [1, 2], "heads": [1, 3], "form": ["plain", "heads"],
        "mask": ["none", "full", "keys", "rows", "causal"], "scale": ["none", "before", "behind"], "element": ["f32", "f32", "f32", "f16", "bf16"],
        "open": ["none", "rows", "columns", "both", "all"], "group": [1, 1, 2, 3],
    }


def make_attention(case):
    rows, columns, size, group, element = case.rows, case.columns, case.size, case.group, case.element
    heads = case.heads * group
    case.need(rows * columns * heads * case.batch <= 400_000)
    # Numbers below the least exponent are dropped, and sums are taken in another order.
    case.relative = {"f16": 2e-3, "bf16": 2e-2}.get(element, 1e-4)
    open_rows = case.open in ("rows", "both", "all")
    open_columns = case.open in ("columns", "both", "all")

    def operand(length, width, is_open, heads):
        """[batch, heads, length, width], from where heads are beside each other if the form says so."""
        batch = (0,) if case.open == "all" else ()
        if case.form == "plain":
            return case.input(case.numbers((case.batch, heads, length, width), element), (*batch, 2) if is_open else batch)
        x = case.input(case.numbers((case.batch, length, heads, width), element), (*batch, 1) if is_open else batch)
        return case.node("Transpose", [x], perm=[0, 2, 1, 3])

    def scaled(name):
        return case.node("Mul", [name, case.weight(FLOATS[element](1 / math.sqrt(size)))])

    def repeated(name, width):
        """Each head of keys or values for its group of queries, as exporters write it."""
        if group == 1:
            return name
        name = case.node("Unsqueeze", [name, case.weight(np.array([2]))])
        name = case.node("Expand", [name, case.weight(np.array([1, 1, group, 1, 1]))])
        return case.node("Reshape", [name, case.weight(np.array([0, heads, -1, width]))])

    q = operand(rows, size, open_rows, heads)
    k = repeated(operand(columns, size, open_columns, case.heads), size)
    v = repeated(operand(columns, case.width, open_columns, case.heads), case.width)
    if case.scale == "before":
        q = scaled(q)
    name = case.node("MatMul", [q, case.node("Transpose", [k], perm=[0, 1, 3, 2])])
    if case.scale == "behind":
        name = scaled(name)
    if case.mask != "none":
        shape = {"full": (case.batch, heads, rows, columns), "keys": (case.batch, 1, 1, columns), "rows": (rows, 1),
                 "causal": (rows, columns)}[case.mask]
        mask = case.numbers(shape, element)
        if case.mask == "causal":
            mask[np.triu_indices(rows, 1, columns)] = -np.inf if element == "f32" else -1e4
        at_rows, at_columns = len(shape) - 2, len(shape) - 1
        name = case.node("Add", [name, case.input(mask, (*([at_rows] if open_rows and shape[at_rows] > 1 else []),
                                                         *([at_columns] if open_columns and shape[at_columns] > 1 else [])))])
    name = case.node("MatMul", [case.node("Softmax", [name], axis=-1), v])
    if case.form == "heads":
        name = case.node("Transpose", [name], perm=[0, 2, 1, 3])
    case.output(name)
