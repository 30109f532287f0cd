# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models of one operator of ai.onnx.ml, against ONNX Runtime.

usage: classic_ml.py [OPERATOR|all] [CASES] [FIRST_SEED]

A case is repeatable by its seed, which also chooses the level of optimization.
Prints a line per operator, and before it one per difference.
"""
import itertools
import sys

import numpy as np
from differential import DOUBLE, FLOAT, INT16, INT32, INT64, NAN, NUMPY, STRING, main, runtime, tensor
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

DOMAIN = "ai.onnx.ml"
NUMBERS = [FLOAT, DOUBLE, INT32, INT64]
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def some_rows(dice, data_type, columns, missing=0.0):
    """A declared shape and arrays of it: a row, fixed rows, or any number."""
    counts = [dice.one(0, 1, 2, 3, 7, 9, 33, 130) for _ in range(2)]
    form = dice.one("row", "fixed", "any", "any", "any")
    shape = {"row": [columns], "fixed": [counts[0], columns], "any": ["N", columns]}[form]
    arrays = [dice.array(data_type, shape if form != "any" else (count, columns)) for count in counts]
    for x in arrays:
        if x.dtype.kind == "f":
            x[dice.numpy.uniform(size=x.shape) < missing] = NAN
    return shape, arrays


def some_labels(dice, count):
    """Distinct classes as attributes, by the end of their names."""
    if dice.chance(0.5):
        return "ints", dice.sample(range(-5, 30), count)
    return "strings", [f"é{i}" for i in dice.sample(range(50), count)]


def some_values(dice, data_type, count):
    if data_type == STRING:
        return dice.sample(["a", "bb", "c", "", "é", "x y", "q", "zz", "ccc"], count)
    if data_type in (FLOAT, DOUBLE):
        return dice.sample([0.0, 1.5, -2.25, 3.0, 4.5, NAN, -7.0, 8.0, 100.0], count)
    return dice.sample(range(-5, 20), count)


def model(op, inputs, outputs, version=5, **attributes):
    names = [[value.name for value in values] for values in (inputs, outputs)]
    node = helper.make_node(op, *names, domain=DOMAIN, **attributes)
    return helper.make_model(helper.make_graph([node], "g", inputs, outputs), ir_version=10,
                             opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, version)])


def unary(dice, op, data_type, columns, result=FLOAT, missing=0.0, version=5, labels=None, **attributes):
    """A model of [N, C], and inputs for it; with labels, a classifier's two outputs."""
    shape, arrays = some_rows(dice, data_type, columns, missing)
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
        attributes, x = {"cats_strings": some_values(dice, STRING, 4)}, dice.pick(STRING, some_values(dice, STRING, 6), shape)
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
    kind, labels = some_labels(dice, classes)
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
    kind, labels = some_labels(dice, classes)
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
    if num_bases and dice.chance(0.5):
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
    # ONNX Runtime forgets the base value of a target without weights.
    bases = targets if some == targets else 0
    data_type, lists = old_ensemble(dice, "TreeEnsembleRegressor", "target", columns, targets,
                                    lambda: dice.sample(range(targets), some), bases)
    return unary(dice, "TreeEnsembleRegressor", data_type, columns, missing=dice.one(0.0, 0.1), version=3,
                 n_targets=targets, aggregate_function=dice.one("SUM", "AVERAGE", "MIN", "MAX"),
                 post_transform=dice.one(*TRANSFORMS[:4]), **lists)


def tree_ensemble_classifier(dice):
    columns, classes = dice.one(1, 3, 8), dice.one(2, 2, 2, 3, 5)
    leaf = dice.one(lambda: range(classes), lambda: [0], lambda: [classes - 1])
    data_type, lists = old_ensemble(dice, "TreeEnsembleClassifier", "class", columns, classes, leaf, classes,
                                    dice.one(-1.0, 0.0))
    kind, labels = some_labels(dice, classes)
    name = "classlabels_int64s" if kind == "ints" else "classlabels_strings"
    return unary(dice, "TreeEnsembleClassifier", data_type, columns, missing=dice.one(0.0, 0.1), version=3, labels=kind,
                 post_transform=dice.one(*TRANSFORMS[:4]), **{name: labels}, **lists)


def tree_ensemble(dice):
    # ONNX Runtime 1.31 takes SOFTMAX (1) and LOGISTIC (2) for each other.
    return new_ensemble(dice, dice.one(1, 1, 2, 4), dice.one([0], range(4), range(6)), dice.one(0, 3))


def tree_ensemble_of_sets(dice):
    return new_ensemble(dice, 1, dice.one([6], [0, 6], range(7)), 0)


def new_ensemble(dice, targets, modes, transform):
    """The form of ai.onnx.ml 5; mode 6 asks whether a value is in a set."""
    columns, data_type = dice.one(1, 3, 8), dice.one(FLOAT, DOUBLE)
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
                 n_targets=targets, aggregate_function=dice.one(0, 1, 2, 3), post_transform=transform, **lists)


# --------------------------------------------------------------------------------------------------------------------
# Tables and maps
# --------------------------------------------------------------------------------------------------------------------

def label_encoder(dice):
    version, count = dice.one(2, 4), dice.one(1, 3, 6)
    ends = {STRING: "strings", INT64: "int64s", FLOAT: "floats"}
    key, value = dice.one(*[(a, b) for a in ends for b in ends if a != b])
    keys, values = some_values(dice, key, count), some_values(dice, value, count)
    if version == 4 and dice.chance(0.3):
        key, value = dice.one((DOUBLE, INT64), (DOUBLE, DOUBLE), (INT64, DOUBLE), (INT16, INT16))
        keys, values = some_values(dice, key, count), some_values(dice, value, count)
        attributes = {"keys_tensor": helper.make_tensor("", key, [count], keys),
                      "values_tensor": helper.make_tensor("", value, [count], values),
                      "default_tensor": helper.make_tensor("", value, [1], some_values(dice, value, 1))}
    else:
        attributes = {f"keys_{ends[key]}": keys, f"values_{ends[value]}": values}
        if dice.chance(0.7):
            attributes[f"default_{ends[value][:-1]}"] = some_values(dice, value, 1)[0]
    # Before version 4, NaN was no key.
    inputs = [k for k in keys + some_values(dice, key, 2) if version == 4 or k == k] or [1]
    x = dice.pick(key, inputs, dice.one((0,), (5,), (20, 1), (2, 5)))
    declared = x.shape if dice.chance(0.5) else [f"d{i}" for i in range(x.ndim)]
    return model("LabelEncoder", [tensor("X", key, declared)], [tensor("Y", value, None)], version,
                 **attributes), [{"X": x}]


def category_mapper(dice):
    count, key = dice.one(1, 3, 6), dice.one(INT64, STRING)
    integers, strings = some_values(dice, INT64, count), some_values(dice, STRING, count)
    x = dice.pick(key, (strings if key == STRING else integers) + some_values(dice, key, 2), (5,))
    return model("CategoryMapper", [tensor("X", key, ["N"])], [tensor("Y", INT64 + STRING - key, None)],
                 cats_int64s=integers, cats_strings=strings, default_int64=-7, default_string="none"), [{"X": x}]


def zip_map(dice):
    columns = dice.one(1, 2, 5)
    kind, labels = some_labels(dice, columns)
    shape, arrays = some_rows(dice, FLOAT, columns)
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
    vocabulary = some_values(dice, key, dice.one(1, 4))
    name = "string_vocabulary" if key == STRING else "int64_vocabulary"
    x = {k: NUMPY[value](v).item() for k, v in zip(some_values(dice, key, 5), range(1, 6))}
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
    svm_regressor, tree_ensemble, tree_ensemble_classifier, tree_ensemble_of_sets, tree_ensemble_regressor, zip_map]}


class Descent:
    """TreeEnsemble with one target, node by node: ONNX Runtime 1.31 and ONNX's reference 1.23 mistake the sets."""

    def __init__(self, proto):
        self.all = {a.name: helper.get_attribute_value(a) for a in proto.graph.node[0].attribute}
        for name in ("nodes_modes", "nodes_splits", "leaf_weights", "membership_values"):
            self.all[name] = numpy_helper.to_array(self.all[name]) if name in self.all else np.zeros(0)
        self.sets, members = {}, iter(self.all["membership_values"])
        for node, mode in enumerate(self.all["nodes_modes"]):
            if mode == 6:
                self.sets[node] = list(itertools.takewhile(lambda x: x == x, members))

    def is_true(self, node, x):
        value, split = x[self.all["nodes_featureids"][node]], self.all["nodes_splits"][node]
        mode = self.all["nodes_modes"][node]
        if value != value:  # which differs from everything
            return mode == 5 or self.all["nodes_missing_value_tracks_true"][node]
        compare = [np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal]
        return value in self.sets[node] if mode == 6 else compare[mode](value, split)

    def weigh(self, node, x):
        side = "true" if self.is_true(node, x) else "false"
        node, is_leaf = self.all[f"nodes_{side}nodeids"][node], self.all[f"nodes_{side}leafs"][node]
        return self.all["leaf_weights"][node] if is_leaf else self.weigh(node, x)

    def run(self, _, feeds):
        join = [np.mean, np.sum, np.min, np.max][self.all["aggregate_function"]]
        x = np.atleast_2d(feeds["X"])
        weights = [[self.weigh(root, row) for root in self.all["tree_roots"]] for row in x]
        return [np.array([[join(of_row)] for of_row in weights], x.dtype).reshape(len(x), 1)]


sys.exit(main(OPERATORS, sys.argv[1:], lambda name: [Descent if name == "tree_ensemble_of_sets" else runtime]))
