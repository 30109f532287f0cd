# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models of one operator of ai.onnx.ml, against ONNX Runtime.

usage: classic_ml.py [OPERATOR|all] [CASES] [FIRST_SEED]

A case is repeatable by its seed, which also chooses the level of optimization.
Prints a line per operator, and before it one per difference.
"""
import random
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, ValueInfoProto, helper

import onnxc

DOMAIN = "ai.onnx.ml"
FLOAT, DOUBLE, STRING = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.STRING
INT16, INT32, INT64 = TensorProto.INT16, TensorProto.INT32, TensorProto.INT64
NUMBERS = [FLOAT, DOUBLE, INT32, INT64]
NUMPY = {FLOAT: np.float32, DOUBLE: np.float64, INT16: np.int16, INT32: np.int32, INT64: np.int64, STRING: object}
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
NAN = float("nan")


class Dice:
    """All that is random in a case."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def floats(self, count, low=-2, high=2):
        return [float(np.float32(x)) for x in self.numpy.uniform(low, high, count)]

    def sample(self, values, count):
        return self.random.sample(list(values), count)

    def array(self, data_type, shape):
        x = self.numpy.uniform(-3, 3, shape)
        return (np.round(x) if self.chance(0.3) else x).astype(NUMPY[data_type])

    def rows(self, data_type, columns, missing=0.0):
        """A declared shape and arrays of it: a row, fixed rows, or any number."""
        counts = [self.one(0, 1, 2, 3, 7, 9, 33, 130) for _ in range(2)]
        form = self.one("row", "fixed", "any", "any", "any")
        shape = {"row": [columns], "fixed": [counts[0], columns], "any": ["N", columns]}[form]
        arrays = [self.array(data_type, shape if form != "any" else (count, columns)) for count in counts]
        for x in arrays:
            if x.dtype.kind == "f":
                x[self.numpy.uniform(size=x.shape) < missing] = NAN
        return shape, arrays

    def labels(self, count):
        """Distinct classes as attributes, by the end of their names."""
        if self.chance(0.5):
            return "ints", self.sample(range(-5, 30), count)
        return "strings", [f"é{i}" for i in self.sample(range(50), count)]

    def values(self, data_type, count):
        if data_type == STRING:
            return self.sample(["a", "bb", "c", "", "é", "x y", "q", "zz", "ccc"], count)
        if data_type in (FLOAT, DOUBLE):
            return self.sample([0.0, 1.5, -2.25, 3.0, 4.5, NAN, -7.0, 8.0, 100.0], count)
        return self.sample(range(-5, 20), count)

    def pick(self, data_type, values, shape):
        picked = [self.random.choice(values) for _ in range(int(np.prod(shape)))]
        return np.array(picked, NUMPY[data_type]).reshape(shape)


def tensor(name, data_type, shape):
    return helper.make_tensor_value_info(name, data_type, shape)


def model(op, inputs, outputs, version=5, **attributes):
    names = [[value.name for value in values] for values in (inputs, outputs)]
    node = helper.make_node(op, *names, domain=DOMAIN, **attributes)
    return helper.make_model(helper.make_graph([node], "g", inputs, outputs), ir_version=10,
                             opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, version)])


def unary(dice, op, data_type, columns, result=FLOAT, missing=0.0, version=5, labels=None, **attributes):
    """A model of [N, C], and inputs for it; with labels, a classifier's two outputs."""
    shape, arrays = dice.rows(data_type, columns, missing)
    outputs = [tensor("Y", result, None)]
    if labels:
        outputs = [tensor("L", INT64 if labels == "ints" else STRING, None)] + outputs
    return model(op, [tensor("X", data_type, shape)], outputs, version, **attributes), [{"X": x} for x in arrays]


# --------------------------------------------------------------------------------------------------------------------
# Features
# --------------------------------------------------------------------------------------------------------------------

def scaler(dice):
    columns = dice.one(1, 3, 8)
    count = dice.one(1, columns)
    return unary(dice, "Scaler", dice.one(*NUMBERS), columns, offset=dice.floats(count), scale=dice.floats(count))


def normalizer(dice):
    return unary(dice, "Normalizer", dice.one(*NUMBERS), dice.one(1, 3, 8), norm=dice.one("MAX", "L1", "L2"))


def binarizer(dice):
    return unary(dice, "Binarizer", FLOAT, dice.one(1, 3), threshold=dice.one(0.0, 0.5, 1.0))


def imputer(dice):
    data_type, columns = dice.one(FLOAT, INT64), dice.one(1, 3, 8)
    count = dice.one(1, columns)
    if data_type == FLOAT:
        attributes = {"imputed_value_floats": dice.floats(count), "replaced_value_float": dice.one(NAN, 0.0, 1.0)}
    else:
        attributes = {"imputed_value_int64s": dice.sample(range(9), count), "replaced_value_int64": dice.one(-1, 0, 2)}
    return unary(dice, "Imputer", data_type, columns, data_type, missing=0.1, **attributes)


def array_feature_extractor(dice):
    data_type = dice.one(STRING, *NUMBERS)
    dims = [dice.one(1, 2, 5) for _ in range(dice.one(1, 2, 2, 3))]
    y = dice.numpy.integers(0, dims[-1], (dice.one(1, 2, 6),))
    x = dice.pick(STRING, ["a", "b", "c"], dims) if data_type == STRING else dice.array(data_type, dims)
    declared = dims if dice.chance(0.5) else [f"d{i}" for i in range(len(dims))]
    inputs = [tensor("X", data_type, declared), tensor("Y", INT64, y.shape)]
    return model("ArrayFeatureExtractor", inputs, [tensor("Z", data_type, None)]), [{"X": x, "Y": y}]


def feature_vectorizer(dice):
    data_type, rows = dice.one(*NUMBERS), dice.one(1, 2, 5)
    columns = [dice.one(1, 2, 4) for _ in range(dice.one(1, 2, 3))]
    widths = [dice.one(c, c + 1, max(1, c - 1)) for c in columns]
    declared = dice.one("N", rows)
    inputs = [tensor(f"x{i}", data_type, [declared, c]) for i, c in enumerate(columns)]
    feeds = {f"x{i}": dice.array(data_type, (rows, c)) for i, c in enumerate(columns)}
    return model("FeatureVectorizer", inputs, [tensor("Y", FLOAT, None)], inputdimensions=widths), [feeds]


def one_hot_encoder(dice):
    data_type, shape = dice.one(FLOAT, DOUBLE, INT64, STRING), dice.one((3,), (6, 2), (0,), (1, 1))
    if data_type == STRING:
        attributes, x = {"cats_strings": dice.values(STRING, 4)}, dice.pick(STRING, dice.values(STRING, 6), shape)
    else:
        attributes = {"cats_int64s": dice.one([1, 2, 4], [0, 3, 0, 2], [-2, -1, 0, 1, 2, 3, 4])}
        x = dice.numpy.integers(-2, 5, shape).astype(NUMPY[data_type])
    declared = shape if dice.chance(0.5) else [f"d{i}" for i in range(len(shape))]
    return model("OneHotEncoder", [tensor("X", data_type, declared)], [tensor("Y", FLOAT, None)],
                 zeros=dice.one(1, 1, 0), **attributes), [{"X": x}]


# --------------------------------------------------------------------------------------------------------------------
# Linear models and support vectors
# --------------------------------------------------------------------------------------------------------------------

def linear_regressor(dice):
    columns, targets = dice.one(1, 3, 17), dice.one(1, 1, 2, 5)
    attributes = {"intercepts": dice.floats(targets)} if dice.chance(0.7) else {}
    return unary(dice, "LinearRegressor", FLOAT, columns, targets=targets, coefficients=dice.floats(targets * columns),
                 post_transform=dice.one(*TRANSFORMS[:4]), **attributes)


def linear_classifier(dice):
    columns, classes = dice.one(1, 3, 17), dice.one(2, 2, 3, 5)
    targets = 1 if classes == 2 and dice.chance(0.5) else classes
    kind, labels = dice.labels(classes)
    # ONNX Runtime 1.31 leaves half of the PROBIT of a lone score unwritten.
    transforms = TRANSFORMS[:4] if targets == 1 else TRANSFORMS
    return unary(dice, "LinearClassifier", dice.one(*NUMBERS), columns, labels=kind, post_transform=dice.one(*transforms),
                 coefficients=dice.floats(targets * columns), intercepts=dice.floats(targets),
                 **{f"classlabels_{kind}": labels})


def kernel(dice):
    return {"kernel_type": dice.one("LINEAR", "POLY", "RBF", "SIGMOID"), "post_transform": dice.one(*TRANSFORMS[:4]),
            "kernel_params": [0.2, 0.5, dice.one(2.0, 3.0, 4.0)]}


def svm_regressor(dice):
    columns, vectors = dice.one(1, 3, 8), dice.one(0, 1, 5)
    attributes = {"support_vectors": dice.floats(vectors * columns)} if vectors else {}
    return unary(dice, "SVMRegressor", FLOAT, columns, n_supports=vectors, coefficients=dice.floats(vectors or columns),
                 rho=dice.floats(1), one_class=dice.one(0, 1), **kernel(dice), **attributes)


def svm_classifier(dice):
    columns, classes = dice.one(1, 3, 8), dice.one(2, 2, 3, 4)
    pairs = classes * (classes - 1) // 2
    kind, labels = dice.labels(classes)
    attributes = {f"classlabels_{kind}": labels}
    if dice.chance(0.75):
        counts = [dice.one(1, 2, 5) for _ in range(classes)]
        attributes.update(vectors_per_class=counts, support_vectors=dice.floats(sum(counts) * columns),
                          coefficients=dice.floats((classes - 1) * sum(counts)), rho=dice.floats(pairs))
        if dice.chance(0.5):
            attributes.update(prob_a=dice.floats(pairs, -2, -0.5), prob_b=dice.floats(pairs, -0.5, 0.5))
    else:
        attributes.update(coefficients=dice.floats(classes * columns, dice.one(-2, 0)), rho=dice.floats(1))
    return unary(dice, "SVMClassifier", dice.one(*NUMBERS), columns, labels=kind, **kernel(dice), **attributes)


# --------------------------------------------------------------------------------------------------------------------
# Trees
# --------------------------------------------------------------------------------------------------------------------

def trees(dice, columns, count, depth, targets_of_leaf, low):
    """The lists of nodes, and (tree, node, target, weight) of the leaves."""
    names = ["treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids",
             "missing_value_tracks_true"]
    nodes, weights = [], []
    modes = dice.one(MODES, MODES[:1], [dice.one(*MODES)])

    def grow(tree, first, depth):
        node, place = len(nodes) - first, len(nodes)
        if depth == 0 or dice.chance(0.15):
            nodes.append([tree, node, 0, "LEAF", 0.0, 0, 0, 0])
            for target in targets_of_leaf():
                weights.append((tree, node, target, dice.floats(1, low, 1)[0]))
            return node
        split = float(dice.one(-1, 0, 1)) if dice.chance(0.4) else dice.floats(1)[0]
        nodes.append([tree, node, dice.random.randrange(columns), dice.one(*modes), split, 0, 0, dice.one(0, 0, 1)])
        nodes[place][5] = grow(tree, first, depth - 1)
        nodes[place][6] = grow(tree, first, depth - 1)
        return node

    for tree in range(count):
        grow(tree, len(nodes), depth)
    lists = {f"nodes_{name}": list(column) for name, column in zip(names, zip(*nodes))}
    if dice.chance(0.5):
        del lists["nodes_missing_value_tracks_true"]
    return lists, weights


def old_ensemble(dice, op, kind, columns, targets, targets_of_leaf, num_bases, low=-1.0):
    """The attributes that a regressor and a classifier share, the input type, and the version."""
    data_type = dice.one(FLOAT, FLOAT, DOUBLE)
    lists, weights = trees(dice, columns, dice.one(1, 3, 10, 90), dice.one(0, 1, 3, 5), targets_of_leaf, low)
    for name, column in zip(["treeids", "nodeids", "ids", "weights"], zip(*weights)):
        lists[f"{kind}_{name}"] = list(column)
    if dice.chance(0.5):
        lists["base_values"] = dice.floats(num_bases, 0, 0.2)
    if data_type == DOUBLE and dice.chance(0.6):
        for name in ["nodes_values", f"{kind}_weights", "base_values"]:
            if name in lists:
                values = lists.pop(name)
                lists[f"{name}_as_tensor"] = helper.make_tensor(name, DOUBLE, [len(values)], values)
    return data_type, lists


def tree_ensemble_regressor(dice):
    columns, targets = dice.one(1, 3, 8), dice.one(1, 1, 2, 4)
    some = dice.one(targets, 1)
    data_type, lists = old_ensemble(dice, "TreeEnsembleRegressor", "target", columns, targets,
                                    lambda: dice.sample(range(targets), some), targets)
    return unary(dice, "TreeEnsembleRegressor", data_type, columns, missing=dice.one(0.0, 0.1), version=3,
                 n_targets=targets, aggregate_function=dice.one("SUM", "AVERAGE", "MIN", "MAX"),
                 post_transform=dice.one(*TRANSFORMS[:4]), **lists)


def tree_ensemble_classifier(dice):
    columns, classes = dice.one(1, 3, 8), dice.one(2, 2, 2, 3, 5)
    leaf = dice.one(lambda: range(classes), lambda: [0], lambda: [classes - 1])
    data_type, lists = old_ensemble(dice, "TreeEnsembleClassifier", "class", columns, classes, leaf, classes,
                                    dice.one(-1.0, 0.0))
    kind, labels = dice.labels(classes)
    name = "classlabels_int64s" if kind == "ints" else "classlabels_strings"
    return unary(dice, "TreeEnsembleClassifier", data_type, columns, missing=dice.one(0.0, 0.1), version=3, labels=kind,
                 post_transform=dice.one(*TRANSFORMS[:4]), **{name: labels}, **lists)


def tree_ensemble(dice):
    columns, targets, data_type = dice.one(1, 3, 8), dice.one(1, 1, 2, 4), dice.one(FLOAT, DOUBLE)
    modes = dice.one([0], range(4), range(6), [0, 6], range(7))
    nodes, leaves, members = [], [], []

    def grow(depth):
        place, mode = len(nodes), dice.one(*modes)
        split = 0.0 if mode == 6 else dice.floats(1)[0]
        nodes.append([dice.random.randrange(columns), mode, split, 0, 0, 0, 0, dice.one(0, 0, 1)])
        if mode == 6:
            members.extend([float(x) for x in dice.sample(range(-2, 4), dice.one(1, 2, 3))] + [NAN])
        for side in (3, 5):
            is_leaf = depth == 0 or dice.chance(0.15)
            if is_leaf:
                leaves.append((dice.random.randrange(targets), dice.floats(1)[0]))
            nodes[place][side:side + 2] = [len(leaves) - 1 if is_leaf else grow(depth - 1), int(is_leaf)]
        return place

    roots = [grow(dice.one(0, 1, 3, 4)) for _ in range(dice.one(1, 3, 10))]
    names = ["featureids", "modes", "splits", "truenodeids", "trueleafs", "falsenodeids", "falseleafs",
             "missing_value_tracks_true"]
    lists = {f"nodes_{name}": list(column) for name, column in zip(names, zip(*nodes))}

    def as_tensor(data_type, values):
        return helper.make_tensor("", data_type, [len(values)], values)

    lists["nodes_modes"] = as_tensor(TensorProto.UINT8, lists["nodes_modes"])
    lists["nodes_splits"] = as_tensor(data_type, lists["nodes_splits"])
    lists["leaf_weights"] = as_tensor(data_type, [weight for _, weight in leaves])
    lists["leaf_targetids"] = [target for target, _ in leaves]
    if 6 in modes:
        lists["membership_values"] = as_tensor(data_type, members)
    return unary(dice, "TreeEnsemble", data_type, columns, data_type, missing=dice.one(0.0, 0.1), tree_roots=roots,
                 n_targets=targets, aggregate_function=dice.one(0, 1, 2, 3), post_transform=dice.one(0, 1, 2, 3), **lists)


# --------------------------------------------------------------------------------------------------------------------
# Tables and maps
# --------------------------------------------------------------------------------------------------------------------

def label_encoder(dice):
    version, count = dice.one(2, 4), dice.one(1, 3, 6)
    ends = {STRING: "strings", INT64: "int64s", FLOAT: "floats"}
    key, value = dice.one(*[(a, b) for a in ends for b in ends if a != b])
    keys, values = dice.values(key, count), dice.values(value, count)
    if version == 4 and dice.chance(0.3):
        key, value = dice.one((DOUBLE, INT64), (DOUBLE, DOUBLE), (INT64, DOUBLE), (INT16, INT16))
        keys, values = dice.values(key, count), dice.values(value, count)
        attributes = {"keys_tensor": helper.make_tensor("", key, [count], keys),
                      "values_tensor": helper.make_tensor("", value, [count], values),
                      "default_tensor": helper.make_tensor("", value, [1], dice.values(value, 1))}
    else:
        attributes = {f"keys_{ends[key]}": keys, f"values_{ends[value]}": values}
        if dice.chance(0.7):
            attributes[f"default_{ends[value][:-1]}"] = dice.values(value, 1)[0]
    # Before version 4, NaN was no key.
    inputs = [k for k in keys + dice.values(key, 2) if version == 4 or k == k] or [1]
    x = dice.pick(key, inputs, dice.one((0,), (5,), (20, 1), (2, 5)))
    declared = x.shape if dice.chance(0.5) else [f"d{i}" for i in range(x.ndim)]
    return model("LabelEncoder", [tensor("X", key, declared)], [tensor("Y", value, None)], version,
                 **attributes), [{"X": x}]


def category_mapper(dice):
    count, key = dice.one(1, 3, 6), dice.one(INT64, STRING)
    integers, strings = dice.values(INT64, count), dice.values(STRING, count)
    x = dice.pick(key, (strings if key == STRING else integers) + dice.values(key, 2), (5,))
    return model("CategoryMapper", [tensor("X", key, ["N"])], [tensor("Y", INT64 + STRING - key, None)],
                 cats_int64s=integers, cats_strings=strings, default_int64=-7, default_string="none"), [{"X": x}]


def zip_map(dice):
    columns = dice.one(1, 2, 5)
    kind, labels = dice.labels(columns)
    shape, arrays = dice.rows(FLOAT, columns)
    output = ValueInfoProto(name="Z")
    maps = output.type.sequence_type.elem_type.map_type
    maps.key_type = INT64 if kind == "ints" else STRING
    maps.value_type.tensor_type.elem_type = FLOAT
    name = "classlabels_int64s" if kind == "ints" else "classlabels_strings"
    return model("ZipMap", [tensor("X", FLOAT, shape)], [output], **{name: labels}), [{"X": x} for x in arrays]


def map_input(key, value):
    info = ValueInfoProto(name="X")
    info.type.map_type.key_type = key
    info.type.map_type.value_type.tensor_type.elem_type = value
    return info


def dict_vectorizer(dice):
    key, value = dice.one((INT64, DOUBLE), (STRING, DOUBLE), (STRING, FLOAT), (STRING, INT64))
    vocabulary = dice.values(key, dice.one(1, 4))
    name = "string_vocabulary" if key == STRING else "int64_vocabulary"
    x = {k: NUMPY[value](v).item() for k, v in zip(dice.values(key, 5), range(1, 6))}
    return model("DictVectorizer", [map_input(key, value)], [tensor("Y", value, None)], **{name: vocabulary}), [{"X": x}]


def cast_map(dice):
    target = dice.one("TO_FLOAT", "TO_INT64", "TO_STRING")
    result = {"TO_FLOAT": FLOAT, "TO_INT64": INT64, "TO_STRING": STRING}[target]
    x = dict(zip(dice.sample(range(8), 4), dice.floats(4, -9, 9)))
    return model("CastMap", [map_input(INT64, FLOAT)], [tensor("Y", result, None)], cast_to=target,
                 map_form=dice.one("DENSE", "SPARSE"), max_map=dice.one(1, 4, 9)), [{"X": x}]


OPERATORS = {f.__name__: f for f in [
    array_feature_extractor, binarizer, cast_map, category_mapper, dict_vectorizer, feature_vectorizer, imputer,
    label_encoder, linear_classifier, linear_regressor, normalizer, one_hot_encoder, scaler, svm_classifier,
    svm_regressor, tree_ensemble, tree_ensemble_classifier, tree_ensemble_regressor, zip_map]}


# --------------------------------------------------------------------------------------------------------------------
# Comparison
# --------------------------------------------------------------------------------------------------------------------

def is_same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and np.allclose([a[k] for k in a], [b[k] for k in a], 2e-4, 2e-5, equal_nan=True)
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return a.dtype == b.dtype and np.allclose(a, b, 2e-4, 2e-5, equal_nan=True)
    return a.tolist() == b.tolist()


def outcome(run, feeds):
    """The outputs, and what was raised instead."""
    try:
        return run(None, feeds), None
    except Exception as error:  # both have classes of their own, and either may refuse
        return None, error


def check(name, seed):
    """How many runs agreed and differed; those that ONNX Runtime refuses count as neither."""
    proto, all_feeds = OPERATORS[name](Dice(seed))
    try:
        expected = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception:  # a form that it has no kernel for
        return 0, 0
    session = onnxc.InferenceSession(proto, threads=1, opt_level=seed % 2)
    agreed = differed = 0
    for feeds in all_feeds:
        wanted, refusal = outcome(expected.run, feeds)
        got, error = outcome(session.run, feeds)
        if refusal:
            continue
        if error or not is_same(wanted, got):
            differed += 1
            print(f"{name} seed {seed}: {error or 'other values'}")
        else:
            agreed += 1
    return agreed, differed


def main(which="all", cases="20", first="0"):
    onnxruntime.set_default_logger_severity(4)
    for name in OPERATORS if which == "all" else [which]:
        counts = [check(name, seed) for seed in range(int(first), int(first) + int(cases))]
        agreed, differed = map(sum, zip(*counts))
        print(f"{name}: differed: {differed}", "compared" if agreed else "nothing to compare")


main(*sys.argv[1:])
