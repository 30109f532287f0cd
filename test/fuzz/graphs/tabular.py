# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of scikit-learn as skl2onnx writes them: scaled columns, and a model."""

import numpy as np
from onnx import TensorProto, helper

from .builder import FLOAT, INT64
from .registry import motif
from .sizes import Size
from .transformers import is_positive

ML, VERSION = "ai.onnx.ml", 3


def rows_of(g):
    found = g.pick(lambda v: v.dtype == FLOAT and v.rank == 2 and not isinstance(v.shape[1], Size) and v.shape[1] and is_positive(*v.shape))
    return found or g.source(FLOAT, (max(g.dim(), 1, key=lambda d: is_positive(d)), g.integer(1, 6)))


def floats(g, count, low=-1.0, high=1.0):
    return [float(v) for v in g.rng.uniform(low, high, count).astype(np.float32)]


def trees(g, features, outputs):
    """Nodes of trees of depth 1 or 2, whose branches compare in one of the ways."""
    nodes = {key: [] for key in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")}
    leaves = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}
    mode = g.choose(("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT"))
    for tree in range(g.integer(1, 4)):
        inner = g.choose((1, 3))
        for node in range(2 * inner + 1):
            is_leaf = node >= inner
            row = (tree, node, 0 if is_leaf else g.integer(0, features - 1), "LEAF" if is_leaf else mode,
                   0.0 if is_leaf else floats(g, 1)[0], 0 if is_leaf else 2 * node + 1, 0 if is_leaf else 2 * node + 2)
            for key, value in zip(nodes, row):
                nodes[key].append(value)
            if is_leaf:
                for key, value in zip(leaves, (tree, node, g.integer(0, outputs - 1), floats(g, 1)[0])):
                    leaves[key].append(value)
    return {f"nodes_{key}": value for key, value in nodes.items()}, leaves


def state(g, value):
    """onnx's inference knows few results of these operators: skl2onnx writes down what they are."""
    g.stated.append(helper.make_tensor_value_info(value.name, value.dtype, [None] * value.rank))


def tabular(g, op, operands, shape, **attributes):
    y = g.add(op, operands, shape, FLOAT, ML, **attributes)
    state(g, y)
    return y


@motif(since=9, weight=1.5)
def pipelines(g):
    if g.only_nodes or g.outer:
        return
    x = rows_of(g)
    if x.rank != 2 or isinstance(x.shape[1], Size) or not is_positive(*x.shape):
        return
    rows, features = x.shape
    for _ in range(g.integer(0, 2)):
        kind = g.integer(0, 4)
        if kind == 0:
            x = tabular(g, "Scaler", [x], x.shape, offset=floats(g, features), scale=floats(g, features, 0.5, 2))
        elif kind == 1:
            x = tabular(g, "Normalizer", [x], x.shape, norm=g.choose(("L1", "L2", "MAX")))
        elif kind == 2:
            x = tabular(g, "Imputer", [x], x.shape, imputed_value_floats=floats(g, features), replaced_value_float=float(g.choose((0.0, np.nan))))
        elif kind == 3:
            x = tabular(g, "Binarizer", [x], x.shape, threshold=0.25)
        else:
            at = g.rng.integers(0, features, g.integer(1, features)).astype(np.int64)
            x = tabular(g, "ArrayFeatureExtractor", [x, g.constant(at)], (rows, len(at)))
            features = len(at)
    kind, outputs = g.integer(0, 3), g.integer(1, 3)
    if kind == 0:
        nodes, leaves = trees(g, features, outputs)
        aggregate = g.choose(("SUM", "AVERAGE", "MAX"))
        bases = floats(g, outputs) if g.chance(0.5) else None
        # ONNX Runtime forgets the base value of a target that a row comes to no weight of.
        y = tabular(g, "TreeEnsembleRegressor", [x], (rows, outputs), n_targets=outputs, aggregate_function=aggregate,
                  base_values=bases if outputs == 1 else None, **nodes, **{f"target_{key}": value for key, value in leaves.items()})
    elif kind == 1:
        y = tabular(g, "LinearRegressor", [x], (rows, outputs), coefficients=floats(g, features * outputs), intercepts=floats(g, outputs),
                  targets=outputs)
    elif kind == 2:
        outputs = g.integer(2, 4)
        label, y = g.several("LinearClassifier", [x], [(INT64, (rows,)), (FLOAT, (rows, outputs))], ML, coefficients=floats(g, features * outputs),
                             intercepts=floats(g, outputs), classlabels_ints=list(range(outputs)), post_transform=g.choose(("SOFTMAX", "LOGISTIC", "NONE")))
        state(g, label)
        state(g, y)
        g.results.append(label)
    else:  # nearest neighbors by distances, as ONNX's own operators
        others = g.weight(g.integer(2, 6), features)
        away = g.binary("Sub", g.unsqueeze(x, [1]), g.unsqueeze(others, [0]))
        away = g.unary("Sqrt", g.reduce("ReduceSumSquare", away, [2], 0))
        if g.opset < 11:
            g.results.append(away)
            return
        y, _ = g.several("TopK", [away, g.ints(2)], [(FLOAT, (rows, 2)), (INT64, (rows, 2))], axis=1, largest=0)
    g.results.append(g.cast(y, TensorProto.DOUBLE) if g.chance(0.2) else y)
